// SPDX-License-Identifier: MIT
// Lines for a person, on stderr.
#ifndef PYATTACH_CMD_SAY_H
#define PYATTACH_CMD_SAY_H

// Prints "pyattach: TEXT", one line; what must not reach a terminal is escaped here.
void say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
