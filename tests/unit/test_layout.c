// SPDX-License-Identifier: MIT
// Reading and checking offsets tables.
#include "unit.h"

#include "python/layout.h"
#include "python/tables.h"
#include "util/buf.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static uint8_t own[1024]; // a target's own table in which every entry is its place * 2 + 8

static int parse(const char *text, struct layout *l, struct err *err)
{
	return layout_parse(text, strlen(text), "test", own, sizeof(own), l, err);
}

static char *builtin(int version)
{
	const char *name, *text;
	size_t len;
	assert_int_equal(layout_builtin(version, false, false, &name, &text, &len), 0);
	return strndup(text, len);
}

static void every_builtin(void **state)
{
	(void)state;
	assert_true(embedded_tables_n >= 6);
	for (size_t i = 0; i < sizeof(own); i += 8)
		memcpy(own + i, &(uint64_t){i * 2 % 512 + 8}, 8);
	for (int version = 308; version <= 313; version++) {
		char *text = builtin(version);
		struct layout l;
		struct err err = {0};
		if (parse(text, &l, &err) < 0)
			fail_msg("%s", err.text);
		assert_int_equal(l.version, version);
		assert_int_equal(l.from_target, version >= 313);
		assert_true(l.thread_size >= 64 && l.thread_size <= 512);
		assert_true(l.code_size && l.frame_size && l.gil_size);
		assert_int_equal(LAYOUT_HAS(&l, frame, heap), version <= 310);
		assert_int_equal(LAYOUT_OFF(&l, thread, native_thread_id) >= 0, version >= 311);
		free(text);
	}
}

static void anchors(void **state)
{
	(void)state;
	char *text = builtin(313);
	struct layout l;
	struct err err = {0};
	memcpy(own + 208, &(uint64_t){232}, 8); // thread_state.datastack_chunk
	assert_int_equal(parse(text, &l, &err), 0);
	assert_int_equal(LAYOUT_OFF(&l, thread, datastack_chunk), 232);
	assert_int_equal(LAYOUT_OFF(&l, thread, datastack_top), 240);
	assert_int_equal(LAYOUT_OFF(&l, thread, id), 224);
	// Another release of the same minor keeps them elsewhere.
	memcpy(own + 208, &(uint64_t){256}, 8);
	assert_int_equal(parse(text, &l, &err), 0);
	assert_int_equal(LAYOUT_OFF(&l, thread, datastack_top), 264);
	// What cannot be an offset, and a table that is too short, are refused.
	memcpy(own + 208, &(uint64_t){UINT64_C(1) << 40}, 8);
	assert_int_equal(parse(text, &l, &err), -PA_ELAYOUT);
	assert_int_equal(layout_parse(text, strlen(text), "test", own, 100, &l, &err), -PA_ELAYOUT);
	assert_int_equal(layout_parse(text, strlen(text), "test", NULL, 0, &l, &err), -PA_ELAYOUT);
	free(text);
}

static void unknown_versions(void **state)
{
	(void)state;
	const char *name, *text;
	size_t len;
	assert_int_equal(layout_builtin(399, false, false, &name, &text, &len), -ENOENT);
	assert_int_equal(layout_builtin(207, false, false, &name, &text, &len), -ENOENT);
	assert_int_equal(layout_builtin(313, false, true, &name, &text, &len), -ENOENT);
	assert_int_equal(layout_builtin(311, true, false, &name, &text, &len), 0);
}

// Every line of a table is needed; without it the table is refused by name.
static void every_line_is_needed(void **state)
{
	(void)state;
	char *text = builtin(311);
	size_t needed = 0;
	for (char *line = text; *line;) {
		char *end = strchr(line, '\n');
		size_t len = end ? (size_t)(end - line) + 1 : strlen(line);
		struct buf without = {0};
		struct layout l;
		struct err err = {0};
		if (*line != '#' && *line != '\n' && strncmp(line, "flags", 5) &&
		    strncmp(line, "arch", 4)) {
			buf_add(&without, text, (size_t)(line - text));
			buf_str(&without, line + len);
			assert_int_equal(parse(buf_text(&without), &l, &err), -PA_ELAYOUT);
			assert_non_null(strstr(err.text, "missing"));
			needed++;
			buf_release(&without);
		}
		line += len;
	}
	assert_true(needed > 50);
	free(text);
}

static void faults(void **state)
{
	(void)state;
	static const char *const lines[] = {
		"thread.next 8 9",    "thread.next",
		"thread.nonsense 8",  "nonsense 8",
		"thread.next x",      "thread.next -8",
		"thread.next @",      "thread.next @x",
		"thread.next @8+x",   "thread.next 8",
		"trait frame heap",   "trait frame other",
		"trait frame",        "trait other x",
		"python 3",           "python 3.11.2",
		"python x",           "flags q",
		"arch sparc",         "thread.next 99999999999",
		"thread.next @99999", "a b c d e f g",
	};
	char *text = builtin(311);
	for (size_t i = 0; i < ROWS(lines); i++) {
		struct buf with = {0};
		struct layout l;
		struct err err = {0};
		buf_str(&with, text);
		buf_printf(&with, "\n%s\n", lines[i]);
		if (parse(buf_text(&with), &l, &err) != -PA_ELAYOUT)
			fail_msg("accepted: %s", lines[i]);
		assert_non_null(strstr(err.text, "test"));
		buf_release(&with);
	}
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_builtin),    cmocka_unit_test(anchors),
		cmocka_unit_test(unknown_versions), cmocka_unit_test(every_line_is_needed),
		cmocka_unit_test(faults),
	};
	return unit_run("layout", tests);
}
