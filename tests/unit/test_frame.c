// SPDX-License-Identifier: MIT
// The table of strings and frames.
#include "unit.h"

#include "model/frame.h"

#include <string.h>

static uint32_t text(struct frame_table *ft, const char *s)
{
	uint32_t id = UINT32_MAX;
	assert_int_equal(frame_table_string(ft, s, strlen(s), &id), 0);
	return id;
}

static void strings(void **state)
{
	(void)state;
	struct frame_table *ft = frame_table_new();
	assert_non_null(ft);
	assert_int_equal(text(ft, ""), 0);
	uint32_t id = text(ft, "main");
	assert_int_not_equal(id, 0);
	assert_int_equal(text(ft, "main"), id);
	assert_string_equal(frame_table_text(ft, id), "main");
	assert_int_equal(frame_table_text_len(ft, id), 4);
	assert_string_equal(frame_table_text(ft, 12345), "");
	assert_int_equal(frame_table_text_len(ft, 12345), 0);
	frame_table_free(ft);
	frame_table_free(NULL);
}

// Each field alone makes another frame.
static void frames_differ_by_every_field(void **state)
{
	(void)state;
	struct frame_table *ft = frame_table_new();
	struct frame base = {FRAME_PYTHON, 1, 2, 3, 4, 5, 6};
	uint32_t first, id;
	assert_int_equal(frame_table_add(ft, &base, &first), 0);
	assert_int_equal(frame_table_add(ft, &base, &id), 0);
	assert_int_equal(id, first);
	for (size_t field = 0; field < sizeof(base) / sizeof(uint32_t); field++) {
		struct frame other = base;
		((uint32_t *)&other)[field] ^= 0x40;
		uint32_t again;
		assert_int_equal(frame_table_add(ft, &other, &id), 0);
		assert_int_equal(id, first + 1 + field);
		assert_int_equal(frame_table_add(ft, &other, &again), 0);
		assert_int_equal(again, id);
		assert_memory_equal(frame_table_get(ft, id), &other, sizeof(other));
	}
	frame_table_free(ft);
}

static void marks(void **state)
{
	(void)state;
	struct frame_table *ft = frame_table_new();
	uint32_t id, again;
	assert_int_equal(frame_table_mark(ft, "[moving]", &id), 0);
	assert_int_equal(frame_table_mark(ft, "[moving]", &again), 0);
	assert_int_equal(id, again);
	const struct frame *frame = frame_table_get(ft, id);
	assert_int_equal(frame->kind, FRAME_MARK);
	assert_string_equal(frame_table_text(ft, frame->name), "[moving]");
	assert_int_equal(frame->line, 0);
	struct frame function = {.kind = FRAME_PYTHON, .name = frame->name};
	assert_int_equal(frame_table_add(ft, &function, &again), 0);
	assert_int_not_equal(id, again);
	frame_table_free(ft);
}

static void unknown_frame(void **state)
{
	(void)state;
	struct frame_table *ft = frame_table_new();
	static const struct frame empty;
	assert_memory_equal(frame_table_get(ft, 0), &empty, sizeof(empty));
	assert_memory_equal(frame_table_get(ft, UINT32_MAX), &empty, sizeof(empty));
	frame_table_free(ft);
}

static void many(void **state)
{
	(void)state;
	struct frame_table *ft = frame_table_new();
	uint32_t id;
	for (int32_t i = 0; i < 20000; i++) {
		struct frame frame = {.name = 1, .line = i};
		assert_int_equal(frame_table_add(ft, &frame, &id), 0);
		assert_int_equal(id, i);
	}
	for (int32_t i = 0; i < 20000; i++)
		assert_int_equal(frame_table_get(ft, (uint32_t)i)->line, i);
	frame_table_free(ft);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(strings), cmocka_unit_test(frames_differ_by_every_field),
		cmocka_unit_test(marks),   cmocka_unit_test(unknown_frame),
		cmocka_unit_test(many),
	};
	return unit_run("frame", tests);
}
