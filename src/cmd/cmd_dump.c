// SPDX-License-Identifier: MIT
// pyattach dump: prints the stack of every thread of a process, once.
#include "cmd/attach.h"
#include "cmd/command.h"
#include "cmd/options.h"
#include "cmd/outfile.h"
#include "output/format.h"
#include "util/cleanup.h"

#include <errno.h>

struct dump_args {
	struct options common; // first: see options.h
	bool json;
	struct dump_options dump;
};

static const struct argp_option rows[] = {
	OPTIONS_PID,
	{"json", 'j', NULL, 0, "Print one JSON object", 2},
	OPTIONS_FULL_FILENAMES,
	OPTIONS_OFFSETS,
	OPTIONS_HELP,
	{0},
};

static error_t parse_one(int key, char *arg, struct argp_state *state)
{
	struct dump_args *args = state->input;
	switch (key) {
	case 'j':
		args->json = true;
		return 0;
	case OPTION_FULL_FILENAMES:
		args->dump.full_file = true;
		return 0;
	default:
		return options_common(key, arg, state);
	}
}

static const struct argp argp = {
	.options = rows,
	.parser = parse_one,
	.args_doc = "PID",
	.doc = "Prints the stack of every Python thread, most recent call first.\n"
	       "\n"
	       "Examples:\n"
	       "  pyattach dump --pid 1234\n"
	       "  sudo pyattach dump --pid 1234 --full-filenames\n"
	       "  pyattach dump --pid 1234 --json | jq '.processes[].threads[].thread_name'",
	.help_filter = options_filter_help,
};

static int dump(const struct dump_args *args, struct session *s, struct err *err)
{
	CLEANUP(process_release) struct process process = {0};
	int rc = session_dump(s, &process, err);
	if (rc < 0)
		return rc;
	CLEANUP(buf_release) struct buf text = {0};
	rc = (args->json ? dump_json : dump_text)(&process, 1, &args->dump, &text);
	if (rc < 0 || text.failed)
		return err_set(err, -ENOMEM, "Out of memory.");
	CLEANUP(cleanup_outfile) struct outfile *f = NULL;
	rc = outfile_open("-", OUTFILE_REPLACE, &f, err);
	if (rc < 0)
		return rc;
	return outfile_commit(f, buf_text(&text), text.len, err);
}

static int run(int argc, char **argv, struct err *err)
{
	struct dump_args args = {0};
	int rc = options_parse(&argp, argc, argv, &args.common, err);
	if (rc != 0)
		return rc < 0 ? rc : PA_EXIT_OK;
	CLEANUP(cleanup_session) struct session *s = NULL;
	rc = attach(&args.common, &s, err);
	if (rc < 0)
		return rc;
	return dump(&args, s, err);
}

const struct command cmd_dump = {
	"dump",
	"print the stack of every thread, once",
	run,
};
