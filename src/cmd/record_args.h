// SPDX-License-Identifier: MIT
// The command line of "record".
#ifndef PYATTACH_CMD_RECORD_ARGS_H
#define PYATTACH_CMD_RECORD_ARGS_H

#include "cmd/options.h"
#include "output/format.h"
#include "sample/session.h"

struct record_args {
	struct options common; // first: see options.h
	struct record_options record;
	const char *output;          // as given; NULL = a default name
	const struct format *format; // never NULL after parsing
	bool hide_progress;
};

// Returns 0, 1 when the help was printed, or -PA_EUSAGE.
int record_args_parse(int argc, char **argv, struct record_args *ret, struct err *err);

#endif
