// SPDX-License-Identifier: MIT
// Command lines: argp with one sentence for each fault, and the values that options share.
#ifndef PYATTACH_CMD_OPTIONS_H
#define PYATTACH_CMD_OPTIONS_H

#include "util/buf.h"
#include "util/err.h"

#include <argp.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

// What every command's parser shares: the first member of the struct that it parses into.
struct options {
	const char *command;
	const struct argp *argp;
	struct err *err;
	bool helped; // --help was asked for and printed
	pid_t pid;   // 0 = not given
	const char *offsets_path;
};

enum options_key {
	OPTION_NOLINENO = 0x100, // above every character: options without a letter
	OPTION_FULL_FILENAMES,
	OPTION_HIDEPROGRESS,
	OPTION_OFFSETS,
};

// Rows of the array of struct argp_option.
#define OPTIONS_PID                                                                                \
	{                                                                                          \
		"pid", 'p', "PID", 0, "The process to look at: decimal, or hexadecimal with 0x", 1 \
	}
#define OPTIONS_FULL_FILENAMES                                                                     \
	{                                                                                          \
		"full-filenames", OPTION_FULL_FILENAMES, NULL, 0,                                  \
			"Show whole file names, not those relative to the target's sys.path", 2    \
	}
#define OPTIONS_OFFSETS                                                                            \
	{                                                                                          \
		"offsets", OPTION_OFFSETS, "FILE", 0,                                              \
			"Use this table of offsets, not the built-in one of the target's version", \
			3                                                                          \
	}
#define OPTIONS_HELP                                                                               \
	{                                                                                          \
		"help", 'h', NULL, 0, "Show this help", 3                                          \
	}

// Parses into o (the command, argp and err are filled in here). Returns 0, 1 when the help was
// printed and there is nothing more to do, or -PA_EUSAGE.
int options_parse(const struct argp *argp, int argc, char **argv, struct options *o,
		  struct err *err);

// A command's parser hands every key that is not its own to this one, which knows the pid (as
// an option or as the argument), --offsets, --help, and faults.
error_t options_common(int key, char *arg, struct argp_state *state);

// Every struct argp's help_filter: leaves out what argp says of its own accord.
char *options_filter_help(int key, const char *text, void *input);

// For parsers: return options_fault(state, "..."), a whole sentence.
error_t options_fault(struct argp_state *state, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

// A samples-per-second value. Returns 0, -EINVAL, or -ERANGE.
int options_rate(const char *text, double *ret_hz);

// Reads the file of --offsets into text. Returns 0 or -PA_EUSAGE.
int options_read_offsets(const char *path, struct buf *text, struct err *err);

// True when a mistyped word may well mean the known one.
bool options_alike(const char *word, const char *known);

#endif
