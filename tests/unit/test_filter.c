// SPDX-License-Identifier: MIT
// What of a stack is counted, and under which names.
#include "unit.h"

#include "sample/filter.h"

#include <stdio.h>
#include <string.h>

static struct frame_table *frames;

static uint32_t add(const char *name, const char *file, int32_t line, int32_t first_line)
{
	struct frame frame = {.kind = FRAME_PYTHON, .line = line, .first_line = first_line};
	uint32_t id;
	assert_int_equal(frame_table_string(frames, name, strlen(name), &frame.name), 0);
	assert_int_equal(frame_table_string(frames, file, strlen(file), &frame.file), 0);
	assert_int_equal(frame_table_add(frames, &frame, &id), 0);
	return id;
}

// "name:line;..." root first.
static const char *filtered(const struct record_options *o, struct stack *stack)
{
	static char text[256];
	struct filter *f = filter_new(frames, o);
	const uint32_t *out;
	size_t n;
	assert_non_null(f);
	assert_int_equal(filter_stack(f, stack, &out, &n), 0);
	text[0] = '\0';
	for (size_t i = 0; i < n; i++) {
		const struct frame *frame = frame_table_get(frames, out[i]);
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s:%d", i ? ";" : "",
			 frame_table_text(frames, frame->name), frame->line);
	}
	filter_free(f);
	return text;
}

static void options(void **state)
{
	(void)state;
	frames = frame_table_new();
	uint32_t ids[] = {add("leaf", "a.py", 12, 10), add("root", "a.py", 3, 1)};
	struct stack stack = {.tid = 77, .n = 2, .frames = ids};
	struct record_options o = {0};
	assert_string_equal(filtered(&o, &stack), "root:3;leaf:12");
	assert_string_equal(filtered(&(struct record_options){.functions = true}, &stack),
			    "root:1;leaf:10");
	assert_string_equal(filtered(&(struct record_options){.no_line = true}, &stack),
			    "root:0;leaf:0");
	assert_string_equal(filtered(&(struct record_options){.threads = true}, &stack),
			    "thread (77):0;root:3;leaf:12");
	assert_int_equal(frame_table_string(frames, "worker", 6, &stack.name), 0);
	assert_string_equal(filtered(&(struct record_options){.threads = true}, &stack),
			    "thread (77): worker:0;root:3;leaf:12");
	// The whole name, also behind a NUL.
	assert_int_equal(frame_table_string(frames, "nul\0byte", 8, &stack.name), 0);
	struct filter *f = filter_new(frames, &(struct record_options){.threads = true});
	const uint32_t *out;
	size_t n;
	assert_int_equal(filter_stack(f, &stack, &out, &n), 0);
	const struct frame *root = frame_table_get(frames, out[0]);
	assert_int_equal(frame_table_text_len(frames, root->name), strlen("thread (77): ") + 8);
	assert_memory_equal(frame_table_text(frames, root->name), "thread (77): nul\0byte",
			    strlen("thread (77): ") + 8);
	filter_free(f);
	frame_table_free(frames);
}

// Two functions of one name and file are two without lines, too, if they begin at other lines
// under -F, and one when lines are dropped.
static void merging(void **state)
{
	(void)state;
	frames = frame_table_new();
	uint32_t one = add("f", "a.py", 12, 10), two = add("f", "a.py", 22, 20), out[2];
	const uint32_t *got;
	size_t n;
	for (int no_line = 0; no_line < 2; no_line++) {
		struct record_options o = {.functions = !no_line, .no_line = no_line};
		struct filter *f = filter_new(frames, &o);
		struct stack stack = {.n = 1, .frames = &one};
		assert_int_equal(filter_stack(f, &stack, &got, &n), 0);
		out[0] = got[0];
		stack.frames = &two;
		assert_int_equal(filter_stack(f, &stack, &got, &n), 0);
		out[1] = got[0];
		assert_int_equal(out[0] == out[1], no_line);
		filter_free(f);
	}
	frame_table_free(frames);
}

static void marks(void **state)
{
	(void)state;
	frames = frame_table_new();
	uint32_t id = add("root", "a.py", 3, 1);
	struct record_options o = {0};
	struct stack stack = {.n = 0};
	assert_string_equal(filtered(&o, &stack), "[no Python frame]:0");
	stack.moving = true;
	assert_string_equal(filtered(&o, &stack), "[moving]:0");
	stack.n = 1;
	stack.frames = &id;
	assert_string_equal(filtered(&o, &stack), "root:3;[moving]:0");
	frame_table_free(frames);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(options),
		cmocka_unit_test(merging),
		cmocka_unit_test(marks),
	};
	return unit_run("filter", tests);
}
