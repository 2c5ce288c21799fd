// SPDX-License-Identifier: MIT
// What a recording says while it runs and at its end.
#include "unit.h"

#include "cmd/progress.h"
#include "cmd/summary.h"
#include "util/cleanup.h"
#include "util/clock.h"

#include <string.h>

static void seconds(void **state)
{
	(void)state;
	static const struct {
		uint64_t ns;
		const char *text;
	} cases[] = {
		{0, "0"},
		{49999999, "0"},
		{50000000, "0.1"},
		{NS_PER_SEC, "1"},
		{1949999999, "1.9"},
		{1950000000, "2"},
		{30 * NS_PER_SEC + 40000000, "30"},
		{3600 * NS_PER_SEC + 500000000, "3600.5"},
	};
	for (size_t i = 0; i < ROWS(cases); i++) {
		CLEANUP(buf_release) struct buf b = {0};
		summary_seconds(cases[i].ns, &b);
		assert_string_equal(buf_text(&b), cases[i].text);
	}
}

static void title(void **state)
{
	(void)state;
	CLEANUP(buf_release) struct buf b = {0};
	struct record_options o = {.rate_hz = 99.5};
	struct record_stats stats = {.elapsed_ns = 30 * NS_PER_SEC + 1000000};
	summary_title(77, "3.11.2", &o, &stats, &b);
	assert_string_equal(buf_text(&b), "pyattach: pid 77, Python 3.11.2, 30 s at 99.5 Hz");
}

static void notes(void **state)
{
	(void)state;
	static const struct {
		struct record_stats stats;
		bool gil;
		const char *text;
	} cases[] = {
		{{.samples = 1, .ticks = 1}, false, ""},
		{{.samples = 1, .idle = 1, .ticks = 1}, false, ""},
		{{.end = RECORD_EXITED},
		 false,
		 "Nothing was sampled: the process ended before the first sample."},
		{{.end = RECORD_STOPPED},
		 false,
		 "Nothing was sampled: the recording ended before the first look at the process."},
		{{.ticks = 5}, false, "Nothing was sampled: the process had no Python thread."},
		{{.ticks = 5, .torn = 3, .ended = 1, .threads = 1},
		 false,
		 "Nothing was sampled: 4 looks at the process, none could be read whole."},
		{{.ticks = 1, .idle = 1, .threads = 1},
		 false,
		 "Nothing was sampled: 1 look at 1 thread, none was running. Use --idle to count "
		 "idle threads."},
		{{.ticks = 50, .idle = 100, .threads = 2, .end = RECORD_EXITED},
		 false,
		 "Nothing was sampled: 100 looks at 2 threads, none was running. Use --idle to "
		 "count idle threads."},
		{{.ticks = 50, .idle = 100, .threads = 2},
		 true,
		 "Nothing was sampled: 100 looks at 2 threads, none held the GIL."},
	};
	for (size_t i = 0; i < ROWS(cases); i++) {
		CLEANUP(buf_release) struct buf b = {0};
		struct record_options o = {.gil = cases[i].gil, .rate_hz = 100};
		summary_note(&o, &cases[i].stats, &b);
		assert_string_equal(buf_text(&b), cases[i].text);
	}
}

static uint32_t add_frame(struct frame_table *ft, const char *name, const char *file, int first)
{
	struct frame f = {.kind = FRAME_PYTHON, .line = first + 2, .first_line = first};
	assert_int_equal(frame_table_string(ft, name, strlen(name), &f.name), 0);
	assert_int_equal(frame_table_string(ft, file, strlen(file), &f.file), 0);
	assert_int_equal(frame_table_string(ft, "short.py", 8, &f.short_file), 0);
	uint32_t id;
	assert_int_equal(frame_table_add(ft, &f, &id), 0);
	return id;
}

static struct profile *make_profile(struct frame_table *ft)
{
	struct profile *p = profile_new(ft);
	assert_non_null(p);
	uint32_t stack[] = {add_frame(ft, "main", "/a/main.py", 3),
			    add_frame(ft, "evil\x1b[2J\nOutput: /etc/passwd", "/a/\xff.py", 0)};
	assert_int_equal(profile_add(p, stack, 1, 1), 0);
	assert_int_equal(profile_add(p, stack, 2, 3), 0);
	assert_int_equal(profile_finish(p), 0);
	return p;
}

static void everything_to_say(void **state)
{
	(void)state;
	struct frame_table *ft = frame_table_new();
	struct profile *p = make_profile(ft);
	struct record_options o = {.rate_hz = 100};
	struct record_stats stats = {
		.elapsed_ns = 2 * NS_PER_SEC,
		.ticks = 199,
		.late = 1,
		.samples = 4,
		.moving = 1,
		.torn = 5,
		.idle = 6,
		.ended = 7,
		.threads = 2,
		.cpu_ns = NS_PER_SEC / 50,
		.end = RECORD_EXITED,
	};
	CLEANUP(buf_release) struct buf b = {0};
	assert_int_equal(summary_text(p, &o, &stats, "/tmp/\x1b.svg", &b), 0);
	assert_string_equal(
		buf_text(&b),
		"The process ended, or executed another program, during the recording\n"
		"Recorded 4 samples of 2 threads in 2 s; rate 99.5 Hz, asked 100 Hz; own CPU 1.00 "
		"% "
		"of a core\n"
		"Dropped: 1 too late, 5 changed while read, 7 at the end of a thread\n"
		"Left out: 6 looks at threads that were not running\n"
		"Moving: 25.0 % of the samples, their leaf counts as [moving]\n"
		"Functions with most samples:\n"
		"   75.0 % self   75.0 % total  evil\\x1b[2J\\x0aOutput: /etc/passwd (short.py:2)\n"
		"   25.0 % self  100.0 % total  main (short.py:3)\n"
		"Output: /tmp/\\x1b.svg\n");
	profile_free(p);
	frame_table_free(ft);
}

static void little_to_say(void **state)
{
	(void)state;
	struct frame_table *ft = frame_table_new();
	struct profile *p = make_profile(ft);
	struct record_options o = {.rate_hz = 100, .full_file = true};
	struct record_stats stats = {
		.elapsed_ns = NS_PER_SEC, .ticks = 100, .samples = 4, .threads = 1};
	p->info.full_file = true;
	assert_int_equal(profile_set_text(&p->info.note, "A note."), 0);
	CLEANUP(buf_release) struct buf b = {0};
	assert_int_equal(summary_text(p, &o, &stats, "standard output", &b), 0);
	assert_string_equal(
		buf_text(&b),
		"A note.\n"
		"Recorded 4 samples of 1 thread in 1 s; rate 100 Hz, asked 100 Hz; own CPU 0.00 % "
		"of a core\n"
		"Dropped: nothing\n"
		"Functions with most samples:\n"
		"   75.0 % self   75.0 % total  evil\\x1b[2J\\x0aOutput: /etc/passwd "
		"(/a/\\xff.py:2)\n"
		"   25.0 % self  100.0 % total  main (/a/main.py:3)\n"
		"Output: standard output\n");
	profile_free(p);
	frame_table_free(ft);
}

static void progress_line(void **state)
{
	(void)state;
	struct record_stats stats = {.elapsed_ns = 12300000000, .ticks = 1230, .samples = 2460};
	CLEANUP(buf_release) struct buf b = {0};
	progress_text(&stats, 30 * NS_PER_SEC, 79, &b);
	assert_string_equal(buf_text(&b), "Recording: 12.3 of 30 s, 2460 samples, 100 Hz");
	buf_clear(&b);
	stats.late = 2;
	stats.torn = 3;
	stats.ended = 1;
	progress_text(&stats, 0, 79, &b);
	assert_string_equal(buf_text(&b), "Recording: 12.3 s, 2460 samples, 100 Hz, 2 late, "
					  "4 dropped; Ctrl-C ends it");
	buf_clear(&b);
	buf_str(&b, "before ");
	progress_text(&stats, 0, 10, &b);
	assert_string_equal(buf_text(&b), "before Recording:");
	buf_clear(&b);
	progress_text(&stats, 0, 0, &b);
	assert_string_equal(buf_text(&b), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(seconds),       cmocka_unit_test(title),
		cmocka_unit_test(notes),         cmocka_unit_test(everything_to_say),
		cmocka_unit_test(little_to_say), cmocka_unit_test(progress_line),
	};
	return unit_run("summary", tests);
}
