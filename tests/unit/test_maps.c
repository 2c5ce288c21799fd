// SPDX-License-Identifier: MIT
// Parsing /proc/PID/maps and searching it.
#include "unit.h"

#include "target/maps.h"
#include "util/cleanup.h"
#include "util/fs.h"

#include <stdio.h>
#include <string.h>

static void parse(struct maps *maps, const char *text)
{
	assert_int_equal(maps_parse(maps, text, strlen(text)), 0);
}

static void one_line(void **state)
{
	(void)state;
	CLEANUP(maps_release) struct maps maps = {0};
	parse(&maps, "55d0c0a00000-55d0c0a21000 r-xp 0001f000 fe:1a 1234567890123             "
		     "/usr/lib/a b/libx.so\n");
	assert_int_equal(maps.n, 1);
	const struct map_entry *e = &maps.entries[0];
	assert_true(e->start == 0x55d0c0a00000 && e->end == 0x55d0c0a21000);
	assert_true(e->read && !e->write && e->exec);
	assert_true(e->offset == 0x1f000);
	assert_true(e->dev_major == 0xfe && e->dev_minor == 0x1a);
	assert_true(e->inode == 1234567890123);
	assert_string_equal(e->path, "/usr/lib/a b/libx.so");
	assert_false(e->deleted);
}

static void paths(void **state)
{
	(void)state;
	static const struct {
		const char *text, *path;
		bool deleted;
	} cases[] = {
		{"", NULL, false},
		{"      [heap]", "[heap]", false},
		{" [anon: a b]", "[anon: a b]", false},
		{" /usr/bin/python3.11 (deleted)", "/usr/bin/python3.11", true},
		{" /a (deleted) (deleted)", "/a (deleted)", true},
		{" /a (deleted", "/a (deleted", false},
		{" [x (deleted)", "[x (deleted)", false},
		{" (deleted)", "(deleted)", false},
		{" /a\\012b", "/a\nb", false},
		{" /a\\101b\\", "/a\\101b\\", false},
		{" /a\\0123 (deleted)", "/a\n3", true},
		{" /memfd:name (deleted)", "/memfd:name", true},
	};
	for (size_t i = 0; i < ROWS(cases); i++) {
		CLEANUP(maps_release) struct maps maps = {0};
		char line[256];
		snprintf(line, sizeof(line), "1000-2000 rw-s 00000000 00:00 7 %s", cases[i].text);
		parse(&maps, line);
		assert_int_equal(maps.n, 1);
		if (cases[i].path)
			assert_string_equal(maps.entries[0].path, cases[i].path);
		else
			assert_null(maps.entries[0].path);
		assert_int_equal(maps.entries[0].deleted, cases[i].deleted);
	}
}

static void bad_lines(void **state)
{
	(void)state;
	static const char *const lines[] = {
		"",
		"\n\n",
		"1000",
		"1000-",
		"1000-2000",
		"1000-2000 rw",
		"1000-2000 rw-p",
		"1000-2000 rw-p 0",
		"1000-2000 rw-p 00000000 0000 7",
		"1000-2000 rw-p 00000000 00:00",
		"1000-2000 rw-p 00000000 00:00 x",
		"1000-2000rw-p 00000000 00:00 7",
		"2000-1000 rw-p 00000000 00:00 7",
		"1000-1000 rw-p 00000000 00:00 7",
		"G000-H000 rw-p 00000000 00:00 7",
		"1000-10000000000000000 rw-p 00000000 00:00 7",
		"1000-2000 rw-p 00000000 00:00 18446744073709551616",
		"-1000-2000 rw-p 00000000 00:00 7",
	};
	for (size_t i = 0; i < ROWS(lines); i++) {
		CLEANUP(maps_release) struct maps maps = {0};
		char text[256];
		snprintf(text, sizeof(text), "%s\n3000-4000 r--p 00000000 00:00 0\n", lines[i]);
		parse(&maps, text);
		assert_int_equal(maps.n, 1);
		assert_true(maps.entries[0].start == 0x3000);
	}
}

static void disorder_is_left_out(void **state)
{
	(void)state;
	CLEANUP(maps_release) struct maps maps = {0};
	parse(&maps, "3000-5000 r--p 00000000 00:00 0 /a\n"
		     "1000-2000 r--p 00000000 00:00 0 /b\n"
		     "4000-6000 r--p 00000000 00:00 0 /c\n"
		     "5000-6000 r--p 00000000 00:00 0 /d\n");
	assert_int_equal(maps.n, 2);
	assert_string_equal(maps.entries[0].path, "/a");
	assert_string_equal(maps.entries[1].path, "/d");
}

static void parsing_again_replaces(void **state)
{
	(void)state;
	CLEANUP(maps_release) struct maps maps = {0};
	parse(&maps, "1000-2000 r--p 00000000 00:00 0 /a\n2000-3000 r--p 00000000 00:00 0 /b\n");
	parse(&maps, "7000-8000 r--p 00000000 00:00 0 /c\n");
	assert_int_equal(maps.n, 1);
	assert_string_equal(maps.entries[0].path, "/c");
}

static void any_cut_is_harmless(void **state)
{
	(void)state;
	static const char text[] = "1000-2000 r-xp 0001f000 fe:1a 12     /a\\012 (deleted)\n"
				   "7fff0000-7fff8000 rw-p 00000000 00:00 0  [stack]\n";
	for (size_t len = 0; len < sizeof(text); len++) {
		CLEANUP(maps_release) struct maps maps = {0};
		// From the heap, so that a sanitizer sees a read beyond the end.
		CLEANUP(cleanup_free) char *copy = malloc(len + 1);
		memcpy(copy, text, len);
		char *exact = realloc(copy, len ? len : 1);
		copy = exact;
		assert_int_equal(maps_parse(&maps, exact, len), 0);
		assert_true(maps.n <= 2);
	}
}

static void finding(void **state)
{
	(void)state;
	CLEANUP(maps_release) struct maps maps = {0};
	assert_null(maps_find(&maps, 0));
	parse(&maps, "1000-2000 r--p 00000000 00:00 0 /a\n"
		     "2000-3000 ---p 00000000 00:00 0 /b\n"
		     "5000-6000 rw-p 00000000 00:00 0 /c\n"
		     "6000-7000 r--p 00000000 00:00 0 /d\n"
		     "fffffffffffff000-ffffffffffffffff r--p 00000000 00:00 0 /e\n");
	static const struct {
		uint64_t addr;
		const char *path;
	} cases[] = {
		{0, NULL},
		{0xfff, NULL},
		{0x1000, "/a"},
		{0x1fff, "/a"},
		{0x2000, "/b"},
		{0x3000, NULL},
		{0x4fff, NULL},
		{0x5000, "/c"},
		{0x6fff, "/d"},
		{0x7000, NULL},
		{0xfffffffffffffffe, "/e"},
		{0xffffffffffffffff, NULL},
	};
	for (size_t i = 0; i < ROWS(cases); i++) {
		const struct map_entry *e = maps_find(&maps, cases[i].addr);
		if (cases[i].path) {
			assert_non_null(e);
			assert_string_equal(e->path, cases[i].path);
		} else {
			assert_null(e);
		}
	}
}

static void readable_ranges(void **state)
{
	(void)state;
	CLEANUP(maps_release) struct maps maps = {0};
	assert_false(maps_readable(&maps, 0x1000, 1));
	parse(&maps, "1000-2000 r--p 00000000 00:00 0\n"
		     "2000-3000 rw-p 00000000 00:00 0\n"
		     "3000-4000 ---p 00000000 00:00 0\n"
		     "5000-6000 r--p 00000000 00:00 0\n"
		     "7000-8000 r--p 00000000 00:00 0\n");
	static const struct {
		uint64_t addr, len;
		bool readable;
	} cases[] = {
		{0x1000, 1, true},       {0x1000, 0x1000, true},      {0x1000, 0x2000, true},
		{0x1800, 0x1000, true},  {0x1000, 0x2001, false},     {0xfff, 2, false},
		{0x3000, 1, false},      {0x4000, 1, false},          {0x5000, 0x1000, true},
		{0x5000, 0x1001, false}, {0x5000, 0x3000, false},     {0x7fff, 1, true},
		{0x7fff, 2, false},      {0x7fff, UINT64_MAX, false}, {UINT64_MAX, 1, false},
		{0x8000, 0, false},      {0x1000, 0, true},
	};
	for (size_t i = 0; i < ROWS(cases); i++)
		assert_int_equal(maps_readable(&maps, cases[i].addr, cases[i].len),
				 cases[i].readable);
}

static void our_own(void **state)
{
	(void)state;
	static const char constant[] = "constant";
	int local = 0;
	CLEANUP(buf_release) struct buf text = {0};
	CLEANUP(maps_release) struct maps maps = {0};
	assert_int_equal(fs_read_file("/proc/self/maps", 64 << 20, &text), 0);
	assert_int_equal(maps_parse(&maps, buf_text(&text), text.len), 0);
	size_t lines = 0;
	for (size_t i = 0; i < text.len; i++)
		lines += buf_text(&text)[i] == '\n';
	assert_int_equal(maps.n, lines);
	const struct map_entry *e = maps_find(&maps, (uintptr_t)constant);
	assert_non_null(e);
	assert_true(e->read && !e->write && e->inode);
	assert_non_null(strstr(e->path, "test_maps"));
	e = maps_find(&maps, (uintptr_t)&local);
	assert_non_null(e);
	assert_true(e->read && e->write && !e->inode);
	assert_true(maps_readable(&maps, (uintptr_t)constant, sizeof(constant)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_line),
		cmocka_unit_test(paths),
		cmocka_unit_test(bad_lines),
		cmocka_unit_test(disorder_is_left_out),
		cmocka_unit_test(parsing_again_replaces),
		cmocka_unit_test(any_cut_is_harmless),
		cmocka_unit_test(finding),
		cmocka_unit_test(readable_ranges),
		cmocka_unit_test(our_own),
	};
	return unit_run("maps", tests);
}
