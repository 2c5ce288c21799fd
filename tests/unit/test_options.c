// SPDX-License-Identifier: MIT
// Command lines: what is understood, and the sentence for what is not.
#include "unit.h"

#include "cmd/commands.h"
#include "cmd/record_args.h"
#include "util/clock.h"

#include <errno.h>
#include <string.h>

#define MAX_WORDS 20

struct line {
	char text[256];
	char *argv[MAX_WORDS + 1];
	int argc;
};

// Words are separated by single blanks, so that an empty word can be written.
static void split(struct line *l, const char *text)
{
	assert_true(strlen(text) < sizeof(l->text));
	strcpy(l->text, text);
	l->argc = 0;
	for (char *rest = l->text, *word; (word = strsep(&rest, " "));) {
		assert_true(l->argc < MAX_WORDS);
		l->argv[l->argc++] = word;
	}
	l->argv[l->argc] = NULL;
}

static int parse(const char *text, struct record_args *args, struct err *err)
{
	static struct line l; // args points into it
	split(&l, text);
	*err = (struct err){0};
	return record_args_parse(l.argc, l.argv, args, err);
}

static void defaults(void **state)
{
	(void)state;
	struct record_args args;
	struct err err;
	assert_int_equal(parse("record --pid 12", &args, &err), 0);
	assert_int_equal(args.common.pid, 12);
	assert_null(args.common.offsets_path);
	assert_null(args.output);
	assert_ptr_equal(args.format, formats[0]);
	assert_false(args.hide_progress);
	assert_true(args.record.rate_hz == 100);
	assert_int_equal(args.record.duration_ns, 0);
	assert_false(args.record.threads || args.record.gil || args.record.idle ||
		     args.record.functions || args.record.no_line || args.record.full_file);
}

static void everything(void **state)
{
	(void)state;
	static const char *const lines[] = {
		"record -p 0x10 -d 5m -r 250.5 -o a.folded -f SVG -t -g -i -F --nolineno "
		"--full-filenames",
		"record --pid=16 --duration=300 --rate=250.5 --output=a.folded --format=flamegraph "
		"--threads --gil --idle --function --nolineno --full-filenames",
		"record 16 -tgiFd 300s -r250.5 -oa.folded -fsvg --nol --full -p16",
	};
	for (size_t i = 0; i < ROWS(lines); i++) {
		struct record_args args;
		struct err err;
		assert_int_equal(parse(lines[i], &args, &err), 0);
		assert_int_equal(args.common.pid, 16);
		assert_int_equal(args.record.duration_ns, 300 * NS_PER_SEC);
		assert_true(args.record.rate_hz == 250.5);
		assert_string_equal(args.output, "a.folded");
		assert_string_equal(args.format->name, "svg");
		assert_true(args.record.threads && args.record.gil && args.record.idle &&
			    args.record.functions && args.record.no_line && args.record.full_file);
		assert_false(args.hide_progress);
	}
	struct record_args args;
	struct err err;
	assert_int_equal(parse("record 1 --hideprogress --offsets t.tbl", &args, &err), 0);
	assert_true(args.hide_progress);
	assert_string_equal(args.common.offsets_path, "t.tbl");
}

static void format_choice(void **state)
{
	(void)state;
	static const struct {
		const char *line, *format;
	} cases[] = {
		{"record 1 -o x.svg", "svg"},
		{"record 1 -o X.SVG", "svg"},
		{"record 1 -o x.txt", "raw"},
		{"record 1 -o a.svg/x.folded", "raw"},
		{"record 1 -o x", "svg"},
		{"record 1 -o .hidden", "svg"},
		{"record 1 -o a.b/x", "svg"},
		{"record 1 -o -", "svg"},
		{"record 1 -o /dev/null", "svg"},
		{"record 1 -o x.png -f raw", "raw"},
		{"record 1 -o x.svg -f collapsed", "raw"},
		{"record 1 -f Folded", "raw"},
	};
	for (size_t i = 0; i < ROWS(cases); i++) {
		struct record_args args;
		struct err err;
		assert_int_equal(parse(cases[i].line, &args, &err), 0);
		assert_string_equal(args.format->name, cases[i].format);
	}
}

static void faults(void **state)
{
	(void)state;
	static const struct {
		const char *line, *part;
	} cases[] = {
		{"record", "'record' needs a process"},
		{"record -d 3", "needs a process"},
		{"record ", "'' is not a process id"},
		{"record 0", "No process can have the id 0"},
		{"record -p -1", "'-1' is not a process id"},
		{"record 4294967297", "No process can have the id 4294967297"},
		{"record 99999999999999999999999", "No process can have the id"},
		{"record 1 2", "Two processes were given, 1 and 2"},
		{"record -p 1 2", "Two processes were given"},
		{"record -p", "'-p' needs a value (PID)"},
		{"record 1 -tp", "'-p' needs a value (PID)"},
		{"record 1 --pid", "'--pid' needs a value (PID)"},
		{"record 1 --du", "'--duration' needs a value (TIME)"},
		{"record 1 --gil=yes", "'--gil' takes no value"},
		{"record 1 --f raw", "'--f' may mean several"},
		{"record 1 --formt raw", "did you mean '--format'?"},
		{"record 1 --native", "'record' has no option '--native'"},
		{"record 1 -n", "'record' has no option '-n'"},
		{"record 1 -d 3 -tn", "'record' has no option '-n'"},
		{"record -p 1 -tnd 3", "'record' has no option '-n'"},
		{"record 1 -d", "'-d' needs a value (TIME)"},
		{"record 1 -d 3x", "'3x' is not a duration"},
		{"record 1 -d -3", "'-3' is not a duration"},
		{"record 1 -d 0", "duration 0 is out of range"},
		{"record 1 -r ", "'' is not a rate"},
		{"record 1 -r fast", "'fast' is not a rate"},
		{"record 1 -r 0", "rate 0 is out of range"},
		{"record 1 -r 100001", "rate 100001 is out of range"},
		{"record 1 -f png", "There is no format 'png'; there are: svg, flamegraph, raw"},
		{"record 1 -o ", "empty name"},
		{"record 1 -o x.png", "suffix of 'x.png' tells no format (known: .svg,"},
		{"record 1 -o x.svg.gz", "suffix of 'x.svg.gz' tells no format"},
		{"record -- --gil", "'--gil' is not a process id"},
	};
	for (size_t i = 0; i < ROWS(cases); i++) {
		struct record_args args;
		struct err err;
		assert_int_equal(parse(cases[i].line, &args, &err), -PA_EUSAGE);
		assert_int_equal(err.code, -PA_EUSAGE);
		if (!strstr(err.text, cases[i].part))
			fail_msg("%s: %s", cases[i].line, err.text);
		assert_null(strchr(err.text, '\n'));
	}
}

static void long_words(void **state)
{
	(void)state;
	static char word[10000];
	memset(word, 'x', sizeof(word) - 1);
	word[0] = word[1] = '-';
	char command[] = "record", pid[] = "1";
	char *argv[] = {command, pid, word, NULL};
	struct record_args args;
	struct err err = {0};
	assert_int_equal(record_args_parse(3, argv, &args, &err), -PA_EUSAGE);
	assert_non_null(strstr(err.text, "has no option '--xxx"));
	argv[1] = word + 2;
	err = (struct err){0};
	assert_int_equal(record_args_parse(2, argv, &args, &err), -PA_EUSAGE);
	assert_non_null(strstr(err.text, "'xxx"));
}

static void rates(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		int rc;
		double hz;
	} cases[] = {
		{"1", 0, 1},
		{"100", 0, 100},
		{"0.5", 0, 0.5},
		{".5", 0, 0.5},
		{"2.", 0, 2},
		{"100000", 0, 100000},
		{"0.01", 0, 0.01},
		{"0.009", -ERANGE, 0},
		{"0", -ERANGE, 0},
		{"0.0", -ERANGE, 0},
		{"100000.1", -ERANGE, 0},
		{"", -EINVAL, 0},
		{".", -EINVAL, 0},
		{"1.2.3", -EINVAL, 0},
		{"-1", -EINVAL, 0},
		{"+1", -EINVAL, 0},
		{" 1", -EINVAL, 0},
		{"1 ", -EINVAL, 0},
		{"1e3", -EINVAL, 0},
		{"0x10", -EINVAL, 0},
		{"inf", -EINVAL, 0},
		{"nan", -EINVAL, 0},
		{"1,5", -EINVAL, 0},
	};
	for (size_t i = 0; i < ROWS(cases); i++) {
		double hz = -1;
		assert_int_equal(options_rate(cases[i].text, &hz), cases[i].rc);
		assert_true(hz == (cases[i].rc ? -1 : cases[i].hz));
	}
}

static void command_names(void **state)
{
	(void)state;
	static const struct {
		const char *name, *part; // part NULL: found
	} cases[] = {
		{"record", NULL},
		{"dump", NULL},
		{"help", NULL},
		{"rec", "did you mean 'record'?"},
		{"recrod", "did you mean 'record'?"},
		{"Record", "did you mean 'record'?"},
		{"dumb", "did you mean 'dump'?"},
		{"dumps", "did you mean 'dump'?"},
		{"1234", "did you mean 'pyattach dump 1234'?"},
		{"-p", "Unknown option '-p' before the command"},
		{"", "There is no command ''"},
		{"r", "There is no command 'r'; see"},
		{"profile", "There is no command 'profile'; see"},
	};
	for (size_t i = 0; i < ROWS(cases); i++) {
		struct err err = {0};
		const struct command *c = command_find(cases[i].name, &err);
		if (!cases[i].part) {
			assert_non_null(c);
			assert_string_equal(c->name, cases[i].name);
			continue;
		}
		assert_null(c);
		assert_int_equal(err.code, -PA_EUSAGE);
		if (!strstr(err.text, cases[i].part))
			fail_msg("%s: %s", cases[i].name, err.text);
	}
}

static void alike_words(void **state)
{
	(void)state;
	static char longest[200];
	memset(longest, 'a', sizeof(longest) - 1);
	assert_true(options_alike("dmp", "dump"));
	assert_true(options_alike("reocrd", "record"));
	assert_true(options_alike("du", "dump"));
	assert_false(options_alike("d", "dump"));
	assert_false(options_alike("", "dump"));
	assert_false(options_alike("top", "dump"));
	assert_false(options_alike(longest, "dump"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(defaults),      cmocka_unit_test(everything),
		cmocka_unit_test(format_choice), cmocka_unit_test(faults),
		cmocka_unit_test(long_words),    cmocka_unit_test(rates),
		cmocka_unit_test(command_names), cmocka_unit_test(alike_words),
	};
	return unit_run("options", tests);
}
