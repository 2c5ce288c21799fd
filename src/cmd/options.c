// SPDX-License-Identifier: MIT
// Command lines: argp with one sentence for each fault, and the values that options share.
#include "cmd/options.h"

#include "util/fs.h"
#include "util/parse.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_OFFSETS_SIZE (1 << 20)
#define MIN_RATE_HZ      0.01
#define MAX_RATE_HZ      100000.0

error_t options_fault(struct argp_state *state, const char *fmt, ...)
{
	const struct options *o = state->input;
	char text[512];
	va_list args;
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	err_set(o->err, -PA_EUSAGE, "%s", text);
	return EINVAL;
}

static error_t parse_pid(struct argp_state *state, const char *arg)
{
	struct options *o = state->input;
	uint64_t value;
	int rc = parse_u64(arg, &value);
	if (rc == -EINVAL)
		return options_fault(state, "'%s' is not a process id: give a whole number.", arg);
	if (rc < 0 || value == 0 || value > INT_MAX)
		return options_fault(state, "No process can have the id %s.", arg);
	if (o->pid && o->pid != (pid_t)value)
		return options_fault(state,
				     "Two processes were given, %d and %s; '%s' looks at one.",
				     (int)o->pid, arg, o->command);
	o->pid = (pid_t)value;
	return 0;
}

static const struct argp_option *find_short(const struct options *o, char key)
{
	const struct argp_option *row = o->argp->options;
	for (; row->name || row->key; row++) {
		if (row->key == key)
			return row;
	}
	return NULL;
}

// A long option that begins with the name; *ret_n tells how many do.
static const struct argp_option *find_long(const struct options *o, const char *name, size_t len,
					   size_t *ret_n)
{
	const struct argp_option *found = NULL;
	*ret_n = 0;
	for (const struct argp_option *row = o->argp->options; row->name || row->key; row++) {
		if (!row->name || strncmp(row->name, name, len))
			continue;
		found = row;
		++*ret_n;
		if (!row->name[len]) { // spelled out: others that go on after it don't count
			*ret_n = 1;
			break;
		}
	}
	return found;
}

static error_t explain_unknown(struct argp_state *state, const char *name)
{
	const struct options *o = state->input;
	for (const struct argp_option *row = o->argp->options; row->name || row->key; row++) {
		if (row->name && options_alike(name, row->name))
			return options_fault(state,
					     "'%s' has no option '--%s'; did you mean '--%s'?",
					     o->command, name, row->name);
	}
	return options_fault(state, "'%s' has no option '--%s'; see 'pyattach %s --help'.",
			     o->command, name, o->command);
}

// Looks at one word "--NAME" or "--NAME=VALUE". Returns EINVAL when it is the fault; otherwise 0,
// and *ret_skip tells whether the next word is its value.
static error_t explain_long(struct argp_state *state, const char *word, bool last, bool *ret_skip)
{
	const struct options *o = state->input;
	size_t len = strcspn(word, "="), n;
	const struct argp_option *row = find_long(o, word, len, &n);
	char name[64];
	snprintf(name, sizeof(name), "%.*s", (int)len, word);
	if (n == 0)
		return explain_unknown(state, name);
	if (n > 1)
		return options_fault(state, "The option '--%s' may mean several; spell it out.",
				     name);
	if (word[len] && !row->arg)
		return options_fault(state, "The option '--%s' takes no value.", row->name);
	*ret_skip = row->arg && !word[len];
	if (*ret_skip && last)
		return options_fault(state, "The option '--%s' needs a value (%s).", row->name,
				     row->arg);
	return 0;
}

// The same for "-abc".
static error_t explain_short(struct argp_state *state, const char *letters, bool last,
			     bool *ret_skip)
{
	const struct options *o = state->input;
	for (const char *c = letters; *c; c++) {
		const struct argp_option *row = find_short(o, *c);
		if (!row)
			return options_fault(state,
					     "'%s' has no option '-%c'; see 'pyattach %s --help'.",
					     o->command, *c, o->command);
		if (!row->arg)
			continue;
		*ret_skip = !c[1];
		if (*ret_skip && last)
			return options_fault(state, "The option '-%c' needs a value (%s).", *c,
					     row->arg);
		return 0;
	}
	return 0;
}

// argp's own messages take several lines and name no remedy, so it is told to be silent, and the
// first word that it can't have understood is looked for again.
static error_t explain(struct argp_state *state)
{
	error_t rc = 0;
	for (int i = 1; i < state->argc && !rc; i++) {
		const char *word = state->argv[i];
		bool skip = false, last = i + 1 == state->argc;
		if (!strcmp(word, "--"))
			break;
		if (!strncmp(word, "--", 2))
			rc = explain_long(state, word + 2, last, &skip);
		else if (word[0] == '-' && word[1])
			rc = explain_short(state, word + 1, last, &skip);
		i += skip;
	}
	return rc ? rc : options_fault(state, "The options cannot be understood.");
}

static error_t show_help(struct argp_state *state)
{
	struct options *o = state->input;
	char name[64];
	snprintf(name, sizeof(name), "pyattach %s", o->command);
	// argp asks the filter only through a state, and a state that is silent prints no help.
	state->name = name;
	state->flags &= ~(unsigned)ARGP_NO_ERRS;
	argp_state_help(state, stdout,
			ARGP_HELP_SHORT_USAGE | ARGP_HELP_PRE_DOC | ARGP_HELP_LONG |
				ARGP_HELP_POST_DOC);
	state->flags |= ARGP_NO_ERRS;
	o->helped = true;
	return ECANCELED; // ends the parsing
}

char *options_filter_help(int key, const char *text, void *input)
{
	(void)input;
	return key == ARGP_KEY_HELP_DUP_ARGS_NOTE ? NULL : (char *)text;
}

error_t options_common(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;
	switch (key) {
	case 'h':
		return show_help(state);
	case 'p':
	case ARGP_KEY_ARG:
		return parse_pid(state, arg);
	case OPTION_OFFSETS:
		o->offsets_path = arg;
		return 0;
	case ARGP_KEY_END:
		if (!o->pid)
			return options_fault(
				state,
				"'%s' needs a process: give --pid PID; see 'pyattach %s --help'.",
				o->command, o->command);
		return 0;
	case ARGP_KEY_ERROR:
		if (!o->helped && !o->err->code)
			explain(state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

int options_parse(const struct argp *argp, int argc, char **argv, struct options *o,
		  struct err *err)
{
	struct err local = {0};
	o->command = argv[0];
	o->argp = argp;
	o->err = err ? err : &local;
	error_t rc = argp_parse(argp, argc, argv, ARGP_NO_ERRS | ARGP_NO_HELP, NULL, o);
	if (o->helped)
		return 1;
	return rc ? -PA_EUSAGE : 0;
}

int options_rate(const char *text, double *ret_hz)
{
	size_t len = strlen(text);
	// Not strtod alone: it takes signs, exponents, hexadecimal numbers and "nan" as well.
	if (!len || strspn(text, "0123456789.") != len)
		return -EINVAL;
	char *end;
	double hz = strtod(text, &end);
	if (*end || end == text)
		return -EINVAL;
	if (hz < MIN_RATE_HZ || hz > MAX_RATE_HZ)
		return -ERANGE;
	*ret_hz = hz;
	return 0;
}

int options_read_offsets(const char *path, struct buf *text, struct err *err)
{
	int rc = fs_read_file(path, MAX_OFFSETS_SIZE, text);
	if (rc == -EFBIG)
		return err_set(err, -PA_EUSAGE,
			       "The offsets table %s has more than %d bytes: it can't be one.",
			       path, MAX_OFFSETS_SIZE);
	if (rc < 0)
		return err_set(err, -PA_EUSAGE, "Cannot read the offsets table %s: %s.", path,
			       err_message(rc));
	if (text->len && memchr(text->data, '\0', text->len))
		return err_set(err, -PA_EUSAGE, "The offsets table %s is not text.", path);
	return 0;
}

static size_t least(size_t a, size_t b, size_t c)
{
	size_t ab = a < b ? a : b;
	return ab < c ? ab : c;
}

#define ALIKE_MAX 32

// The edit distance (Levenshtein) of two short words.
static size_t distance(const char *a, size_t an, const char *b, size_t bn)
{
	size_t row[ALIKE_MAX + 1];
	for (size_t j = 0; j <= bn; j++)
		row[j] = j;
	for (size_t i = 1; i <= an; i++) {
		size_t diagonal = row[0];
		row[0] = i;
		for (size_t j = 1; j <= bn; j++) {
			size_t above = row[j];
			row[j] =
				least(above + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1]));
			diagonal = above;
		}
	}
	return row[bn];
}

bool options_alike(const char *word, const char *known)
{
	size_t n = strlen(word), m = strlen(known);
	if (n < 2 || n > ALIKE_MAX || m > ALIKE_MAX)
		return false;
	if (!strncmp(word, known, n))
		return true;
	return distance(word, n, known, m) <= (m > 3 ? 2 : 1);
}
