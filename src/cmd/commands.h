// SPDX-License-Identifier: MIT
// The list of all sub-commands, and finding one by its name.
#ifndef PYATTACH_CMD_COMMANDS_H
#define PYATTACH_CMD_COMMANDS_H

#include "cmd/command.h"

// In the order of --help. Each row NAME is src/cmd/cmd_NAME.c, which defines cmd_NAME.
#define COMMANDS(X)                                                                                \
	X(record)                                                                                  \
	X(dump)                                                                                    \
	X(help)

#define X(name) extern const struct command cmd_##name;
COMMANDS(X)
#undef X

extern const struct command *const commands[]; // NULL-terminated

// By the exact name; otherwise NULL, and err receives the sentence (-PA_EUSAGE).
const struct command *command_find(const char *name, struct err *err);

#endif
