// SPDX-License-Identifier: MIT
// One sub-command of the program.
#ifndef PYATTACH_CMD_COMMAND_H
#define PYATTACH_CMD_COMMAND_H

#include "util/err.h"

struct command {
	const char *name;
	const char *summary; // one line for --help
	// argv[0] is the command's name. Returns an exit code (enum pa_exit), or a negative error:
	// main prints its sentence and turns it into the exit code. -EPIPE without a sentence is
	// a reader that went away: nothing is printed. --help must be understood.
	int (*run)(int argc, char **argv, struct err *err);
};

#endif
