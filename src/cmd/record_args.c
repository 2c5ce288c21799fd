// SPDX-License-Identifier: MIT
// The command line of "record".
#include "cmd/record_args.h"

#include "util/parse.h"

#include <errno.h>
#include <string.h>

#define DEFAULT_RATE_HZ 100

static const struct argp_option rows[] = {
	OPTIONS_PID,
	{"duration", 'd', "TIME", 0,
	 "How long: 30, 30s, 5m, 1h (wall time); unlimited, until Ctrl-C, when absent", 1},
	{"rate", 'r', "HZ", 0, "Samples a second of each thread (100)", 1},
	{"output", 'o', "FILE", 0, "Where to write; - is standard output", 1},
	{"format", 'f', "NAME", 0, "What to write, see below", 1},
	{"threads", 't', NULL, 0, "Keep the threads apart", 2},
	{"gil", 'g', NULL, 0, "Only the thread that holds the GIL, also when it is blocked", 2},
	{"idle", 'i', NULL, 0, "Also threads that are not running", 2},
	{"function", 'F', NULL, 0, "Merge by function, not by line", 2},
	{"nolineno", OPTION_NOLINENO, NULL, 0, "Merge by function and file, show no lines", 2},
	OPTIONS_FULL_FILENAMES,
	{"hideprogress", OPTION_HIDEPROGRESS, NULL, 0, "Show no progress line", 3},
	OPTIONS_OFFSETS,
	OPTIONS_HELP,
	{0},
};

// The names of a format: "svg, flamegraph".
static void add_names(struct buf *b, const struct format *format)
{
	buf_str(b, format->name);
	for (size_t i = 0; format->aliases[i]; i++)
		buf_printf(b, ", %s", format->aliases[i]);
}

static error_t parse_format(struct argp_state *state, const char *arg)
{
	struct record_args *args = state->input;
	args->format = format_by_name(arg);
	if (args->format)
		return 0;
	struct buf names = {0};
	for (size_t i = 0; formats[i]; i++) {
		buf_str(&names, i ? ", " : "");
		add_names(&names, formats[i]);
	}
	error_t rc = options_fault(state, "There is no format '%s'; there are: %s.", arg,
				   buf_text(&names));
	buf_release(&names);
	return rc;
}

static error_t parse_rate(struct argp_state *state, const char *arg)
{
	struct record_args *args = state->input;
	int rc = options_rate(arg, &args->record.rate_hz);
	if (rc == -ERANGE)
		return options_fault(
			state, "The rate %s is out of range: 0.01 to 100000 samples a second.",
			arg);
	if (rc < 0)
		return options_fault(state, "'%s' is not a rate: give samples a second, as in 100.",
				     arg);
	return 0;
}

static error_t parse_duration(struct argp_state *state, const char *arg)
{
	struct record_args *args = state->input;
	int rc = parse_duration_ns(arg, &args->record.duration_ns);
	if (rc == -ERANGE)
		return options_fault(state, "The duration %s is out of range.", arg);
	if (rc < 0)
		return options_fault(
			state, "'%s' is not a duration: give one as 30, 30s, 5m, 1h or unlimited.",
			arg);
	return 0;
}

static error_t parse_output(struct argp_state *state, char *arg)
{
	struct record_args *args = state->input;
	if (!*arg)
		return options_fault(state, "The output file has an empty name.");
	args->output = arg;
	return 0;
}

static bool has_suffix(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *base = slash ? slash + 1 : path;
	const char *dot = strrchr(base, '.');
	return dot && dot != base;
}

// --format wins, then the suffix of the output, then the first format; a suffix that stands for
// nothing is more likely a slip than a wish for that one.
static error_t choose_format(struct argp_state *state)
{
	struct record_args *args = state->input;
	if (args->format)
		return 0;
	args->format = args->output ? format_by_path(args->output) : NULL;
	if (args->format)
		return 0;
	if (!args->output || !has_suffix(args->output)) {
		args->format = formats[0];
		return 0;
	}
	struct buf known = {0};
	for (size_t i = 0; formats[i]; i++) {
		for (size_t j = 0; formats[i]->suffixes[j]; j++)
			buf_printf(&known, "%s%s", known.len ? ", " : "", formats[i]->suffixes[j]);
	}
	error_t rc = options_fault(state,
				   "The suffix of '%s' tells no format (known: %s); add --format.",
				   args->output, buf_text(&known));
	buf_release(&known);
	return rc;
}

static error_t parse_flag(int key, struct record_args *args)
{
	switch (key) {
	case 't':
		args->record.threads = true;
		return 0;
	case 'g':
		args->record.gil = true;
		return 0;
	case 'i':
		args->record.idle = true;
		return 0;
	case 'F':
		args->record.functions = true;
		return 0;
	case OPTION_NOLINENO:
		args->record.no_line = true;
		return 0;
	case OPTION_FULL_FILENAMES:
		args->record.full_file = true;
		return 0;
	case OPTION_HIDEPROGRESS:
		args->hide_progress = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static error_t parse_one(int key, char *arg, struct argp_state *state)
{
	struct record_args *args = state->input;
	switch (key) {
	case 'd':
		return parse_duration(state, arg);
	case 'r':
		return parse_rate(state, arg);
	case 'o':
		return parse_output(state, arg);
	case 'f':
		return parse_format(state, arg);
	case ARGP_KEY_END: {
		error_t rc = options_common(key, arg, state);
		return rc ? rc : choose_format(state);
	}
	default: {
		error_t rc = parse_flag(key, args);
		return rc == ARGP_ERR_UNKNOWN ? options_common(key, arg, state) : rc;
	}
	}
}

// The list of formats stands at the end of the help.
static char *filter_help(int key, const char *text, void *input)
{
	if (key != ARGP_KEY_HELP_POST_DOC)
		return options_filter_help(key, text, input);
	struct buf doc = {0};
	buf_str(&doc, "Formats (--format, or the suffix of --output):\n");
	for (size_t i = 0; formats[i]; i++) {
		struct buf names = {0};
		add_names(&names, formats[i]);
		buf_printf(&doc, "  %-22s %s (", buf_text(&names), formats[i]->summary);
		for (size_t j = 0; formats[i]->suffixes[j]; j++)
			buf_printf(&doc, "%s%s", j ? ", " : "", formats[i]->suffixes[j]);
		buf_str(&doc, ")\n");
		buf_release(&names);
	}
	buf_str(&doc,
		"\nCtrl-C ends the recording and writes the file; a second one gives it up.\n"
		"Without --output the file is pyattach-PID-TIME.svg in the current folder.\n");
	return doc.data; // argp frees it
}

static const struct argp argp = {
	.options = rows,
	.parser = parse_one,
	.args_doc = "PID",
	.doc = "Samples a running Python process and writes a flame graph.\n"
	       "\n"
	       "Examples:\n"
	       "  pyattach record --pid 1234 --duration 30\n"
	       "  pyattach record --pid 1234 -d 1m -o flame.svg\n"
	       "  pyattach record --pid 1234 -d 10s -f raw -o stacks.txt\n"
	       "  sudo pyattach record --pid 1234 --threads --idle"
	       "\v ",
	.help_filter = filter_help,
};

int record_args_parse(int argc, char **argv, struct record_args *ret, struct err *err)
{
	*ret = (struct record_args){.record.rate_hz = DEFAULT_RATE_HZ};
	return options_parse(&argp, argc, argv, &ret->common, err);
}
