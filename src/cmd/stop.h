// SPDX-License-Identifier: MIT
// The signals that end a recording.
#ifndef PYATTACH_CMD_STOP_H
#define PYATTACH_CMD_STOP_H

// Installs the handlers: SIGINT, SIGTERM and SIGHUP set the flag; a second SIGINT or SIGTERM
// removes a half-written file and ends the program with PA_EXIT_ABORTED. A second SIGHUP does not:
// shells and the kernel both send one when a terminal goes away. A SIGHUP that is ignored (nohup)
// stays so.
void stop_install(void);
// 0, or the signal that asked for the end.
const volatile int *stop_flag(void);

#endif
