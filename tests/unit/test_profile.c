// SPDX-License-Identifier: MIT
// The prefix tree: counting, totals, order, and the top functions.
#include "unit.h"

#include "model/profile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t text(struct frame_table *ft, const char *s)
{
	uint32_t id;
	assert_int_equal(frame_table_string(ft, s, strlen(s), &id), 0);
	return id;
}

static uint32_t frame(struct frame_table *ft, const char *name, const char *file, int line,
		      int first_line)
{
	struct frame f = {
		.kind = FRAME_PYTHON,
		.name = text(ft, name),
		.file = text(ft, file),
		.short_file = text(ft, file),
		.line = line,
		.first_line = first_line,
	};
	uint32_t id;
	assert_int_equal(frame_table_add(ft, &f, &id), 0);
	return id;
}

static const char *name_of(const struct profile *p, uint32_t node)
{
	return frame_table_text(p->frames, frame_table_get(p->frames, p->nodes[node].frame)->name);
}

static void release(struct profile *p)
{
	struct frame_table *ft = p->frames;
	profile_free(p);
	frame_table_free(ft);
}

static void nothing(void **state)
{
	(void)state;
	struct profile *p = profile_new(frame_table_new());
	assert_non_null(p);
	assert_int_equal(p->n, 1);
	assert_int_equal(profile_finish(p), 0);
	assert_int_equal(p->samples, 0);
	assert_int_equal(p->nodes[0].total, 0);
	assert_int_equal(p->nodes[0].first_child, 0);
	struct profile_top top[3];
	size_t n = 9;
	assert_int_equal(profile_top(p, top, 3, &n), 0);
	assert_int_equal(n, 0);
	release(p);
	profile_free(NULL);
}

static void counts(void **state)
{
	(void)state;
	struct frame_table *ft = frame_table_new();
	struct profile *p = profile_new(ft);
	uint32_t a = frame(ft, "a", "f", 1, 1), b = frame(ft, "b", "f", 2, 2);
	uint32_t ab[] = {a, b}, aa[] = {a, a};
	assert_int_equal(profile_add(p, ab, 2, 3), 0);
	assert_int_equal(profile_add(p, ab, 1, 5), 0);
	assert_int_equal(profile_add(p, aa, 2, 7), 0);
	assert_int_equal(profile_add(p, &ab[1], 1, 11), 0);
	assert_int_equal(profile_add(p, ab, 2, 13), 0);
	assert_int_equal(profile_add(p, NULL, 0, 17), 0);
	assert_int_equal(p->samples, 56);
	assert_int_equal(p->n, 5);
	for (int again = 0; again < 2; again++) {
		assert_int_equal(profile_finish(p), 0);
		assert_int_equal(p->nodes[0].self, 17);
		assert_int_equal(p->nodes[0].total, 56);
		uint32_t na = p->nodes[0].first_child, nb = p->nodes[na].next_sibling;
		assert_string_equal(name_of(p, na), "a");
		assert_int_equal(p->nodes[na].self, 5);
		assert_int_equal(p->nodes[na].total, 28);
		assert_string_equal(name_of(p, nb), "b");
		assert_int_equal(p->nodes[nb].self, 11);
		assert_int_equal(p->nodes[nb].total, 11);
		assert_int_equal(p->nodes[nb].next_sibling, 0);
		uint32_t naa = p->nodes[na].first_child, nab = p->nodes[naa].next_sibling;
		assert_int_equal(p->nodes[naa].total, 7);
		assert_int_equal(p->nodes[nab].total, 16);
		assert_int_equal(p->nodes[nab].first_child, 0);
	}
	for (uint32_t i = 1; i < p->n; i++)
		assert_true(p->nodes[i].parent < i);
	// Adding goes on after a finish.
	assert_int_equal(profile_add(p, ab, 2, 100), 0);
	assert_int_equal(p->n, 5);
	assert_int_equal(profile_finish(p), 0);
	assert_int_equal(p->nodes[0].total, 156);
	release(p);
}

// The same stacks in another order, with frames of other numbers, make the same picture.
static void order_is_by_text(void **state)
{
	(void)state;
	static const struct {
		const char *name, *file;
		int line;
	} want[] = {
		{"", "z", 1},  {"a", "", 5},   {"a", "f", 0}, {"a", "f", 2},        {"a", "f", 10},
		{"a", "g", 1}, {"ab", "a", 1}, {"b", "a", 1}, {"\xc3\xa4", "a", 1},
	};
	for (size_t shift = 0; shift < ROWS(want); shift++) {
		struct frame_table *ft = frame_table_new();
		struct profile *p = profile_new(ft);
		for (size_t i = 0; i < ROWS(want); i++) {
			size_t at = (i * 4 + shift) % ROWS(want);
			uint32_t f = frame(ft, want[at].name, want[at].file, want[at].line, 1);
			assert_int_equal(profile_add(p, &f, 1, 1), 0);
		}
		assert_int_equal(profile_finish(p), 0);
		uint32_t node = p->nodes[0].first_child;
		for (size_t i = 0; i < ROWS(want); i++, node = p->nodes[node].next_sibling) {
			const struct frame *f = frame_table_get(ft, p->nodes[node].frame);
			assert_string_equal(frame_table_text(ft, f->name), want[i].name);
			assert_string_equal(frame_table_text(ft, f->short_file), want[i].file);
			assert_int_equal(f->line, want[i].line);
		}
		assert_int_equal(node, 0);
		release(p);
	}
}

static void top_functions(void **state)
{
	(void)state;
	struct frame_table *ft = frame_table_new();
	struct profile *p = profile_new(ft);
	uint32_t main_3 = frame(ft, "main", "m.py", 3, 1), main_4 = frame(ft, "main", "m.py", 4, 1);
	uint32_t fib_7 = frame(ft, "fib", "m.py", 7, 6), fib_8 = frame(ft, "fib", "m.py", 8, 6);
	uint32_t other = frame(ft, "fib", "n.py", 7, 6), lambda = frame(ft, "fib", "m.py", 7, 7);
	uint32_t moving;
	assert_int_equal(frame_table_mark(ft, "[moving]", &moving), 0);
	const struct {
		uint32_t stack[4];
		size_t n;
		uint64_t samples;
	} adds[] = {
		{{main_3, fib_7, fib_8, fib_7}, 4, 10}, // recursion counts once
		{{main_4, fib_7}, 2, 1},
		{{main_4, other}, 2, 5},
		{{main_4, lambda}, 2, 5},
		{{main_3, fib_7, moving}, 3, 100},
		{{moving}, 1, 1000},
		{{main_3}, 1, 2},
	};
	for (size_t i = 0; i < ROWS(adds); i++)
		assert_int_equal(profile_add(p, adds[i].stack, adds[i].n, adds[i].samples), 0);
	assert_int_equal(profile_finish(p), 0);
	struct profile_top top[9];
	size_t n;
	assert_int_equal(profile_top(p, top, 9, &n), 0);
	const struct profile_top want[] = {
		{fib_7, 11, 111},
		{lambda, 5, 5},
		{other, 5, 5},
		{main_3, 2, 123},
	};
	assert_int_equal(n, ROWS(want));
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(top[i].frame, want[i].frame);
		assert_int_equal(top[i].self, want[i].self);
		assert_int_equal(top[i].total, want[i].total);
	}
	assert_int_equal(profile_top(p, top, 1, &n), 0);
	assert_int_equal(n, 1);
	assert_int_equal(profile_top(p, top, 0, &n), 0);
	assert_int_equal(n, 0);
	release(p);
}

static void texts(void **state)
{
	(void)state;
	struct profile *p = profile_new(frame_table_new());
	assert_int_equal(profile_set_text(&p->info.title, "one"), 0);
	assert_int_equal(profile_set_text(&p->info.title, "two"), 0);
	assert_int_equal(profile_set_text(&p->info.note, "why"), 0);
	assert_string_equal(p->info.title, "two");
	release(p);
}

// Long chains and many siblings: no recursion, no quadratic walk of a list of children.
static void deep_and_wide(void **state)
{
	(void)state;
	struct frame_table *ft = frame_table_new();
	struct profile *p = profile_new(ft);
	const size_t depth = 100000;
	uint32_t *stack = calloc(depth, sizeof(*stack));
	for (size_t i = 0; i < depth; i++)
		stack[i] = frame(ft, "deep", "d.py", (int)(i % 100) + 1, 1);
	for (uint64_t times = 0; times < 3; times++)
		assert_int_equal(profile_add(p, stack, depth, 1), 0);
	for (int times = 0; times < 2; times++) {
		for (int i = 0; i < 100000; i++) {
			uint32_t f = frame(ft, "wide", "w.py", i + 1, i + 1);
			assert_int_equal(profile_add(p, &f, 1, 1), 0);
		}
	}
	assert_int_equal(p->n, 1 + depth + 100000);
	assert_int_equal(profile_finish(p), 0);
	assert_int_equal(p->nodes[0].total, 200003);
	struct profile_top top[2];
	size_t n;
	assert_int_equal(profile_top(p, top, 2, &n), 0);
	assert_int_equal(top[0].self, 3);
	assert_int_equal(top[0].total, 3);
	uint32_t node = p->nodes[p->nodes[0].first_child].next_sibling;
	for (int32_t i = 0; i < 100000; i++, node = p->nodes[node].next_sibling)
		assert_int_equal(frame_table_get(ft, p->nodes[node].frame)->line, i + 1);
	assert_int_equal(node, 0);
	free(stack);
	release(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing),
		cmocka_unit_test(counts),
		cmocka_unit_test(order_is_by_text),
		cmocka_unit_test(top_functions),
		cmocka_unit_test(texts),
		cmocka_unit_test(deep_and_wide),
	};
	return unit_run("profile", tests);
}
