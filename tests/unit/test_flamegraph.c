// SPDX-License-Identifier: MIT
// The boxes of a flame graph and their colours.
#include "unit.h"

#include "output/flamegraph.h"
#include "tests/lib/samples.h"
#include "util/cleanup.h"

#include <stdio.h>
#include <string.h>

// Every box lies within its parent's, behind its older siblings; a parent without boxes left out is
// as wide as its children and its own samples.
static void check_layout(const struct profile *p, const struct flamegraph *fg)
{
	CLEANUP(cleanup_free) uint64_t *taken = calloc(p->n, sizeof(*taken));
	CLEANUP(cleanup_free) const struct flamegraph_box **of = calloc(p->n, sizeof(void *));
	uint32_t rows = 0;
	for (size_t i = 0; i < fg->n; i++) {
		const struct flamegraph_box *box = &fg->boxes[i];
		const struct profile_node *node = &p->nodes[box->node];
		of[box->node] = box;
		rows = box->depth + 1 > rows ? box->depth + 1 : rows;
		if (!box->node) {
			assert_int_equal(i, 0);
			assert_int_equal(box->start, 0);
			assert_int_equal(box->depth, 0);
			continue;
		}
		const struct flamegraph_box *above = of[node->parent];
		assert_non_null(above);
		assert_int_equal(box->depth, above->depth + 1);
		assert_true(box->start >= above->start + taken[node->parent]);
		taken[node->parent] = box->start + node->total - above->start;
		assert_true(taken[node->parent] + p->nodes[node->parent].self <=
			    p->nodes[node->parent].total);
	}
	assert_int_equal(rows, fg->rows);
	for (size_t i = 0; i < fg->n && !fg->left_out; i++) {
		const struct profile_node *node = &p->nodes[fg->boxes[i].node];
		assert_int_equal(taken[fg->boxes[i].node] + node->self, node->total);
	}
}

static void all_samples(void **state)
{
	(void)state;
	static const uint64_t parts[] = {UINT64_MAX, 11800, 100, 1};
	for (const char *const *name = sample_profiles; *name; name++) {
		struct profile *p = sample_profile(*name);
		for (size_t i = 0; i < ROWS(parts); i++) {
			CLEANUP(flamegraph_release) struct flamegraph fg = {0};
			assert_int_equal(flamegraph_layout(p, parts[i], &fg), 0);
			check_layout(p, &fg);
			assert_int_equal(fg.n + fg.left_out, p->samples ? p->n : 0);
			if (i == 0)
				assert_int_equal(fg.left_out, 0);
		}
		sample_profile_free(p);
	}
}

static void exact_places(void **state)
{
	(void)state;
	static const struct {
		const char *name;
		uint32_t depth;
		uint64_t start, total;
	} want[] = {
		{"", 0, 0, 100},     {"main", 1, 0, 100}, {"cold", 2, 0, 30},
		{"a.b", 3, 0, 5},    {"fact", 2, 30, 10}, {"fact", 3, 30, 10},
		{"fact", 4, 30, 10}, {"hot", 2, 40, 50},  {"hot_inner", 3, 40, 30},
	};
	struct profile *p = sample_profile("shares");
	CLEANUP(flamegraph_release) struct flamegraph fg = {0};
	assert_int_equal(flamegraph_layout(p, 11800, &fg), 0);
	assert_int_equal(fg.n, ROWS(want));
	assert_int_equal(fg.rows, 5);
	for (size_t i = 0; i < ROWS(want); i++) {
		const struct profile_node *node = &p->nodes[fg.boxes[i].node];
		const struct frame *f = frame_table_get(p->frames, node->frame);
		if (i)
			assert_string_equal(frame_table_text(p->frames, f->name), want[i].name);
		assert_int_equal(fg.boxes[i].depth, want[i].depth);
		assert_int_equal(fg.boxes[i].start, want[i].start);
		assert_int_equal(node->total, want[i].total);
	}
	sample_profile_free(p);
}

static void counts_what_is_left_out(void **state)
{
	(void)state;
	struct profile *p = sample_profile("narrow");
	CLEANUP(flamegraph_release) struct flamegraph fg = {0};
	// 2 x (2^0 + ... + 2^19) samples; a thousandth is 2097.15, so 2^0 to 2^11 are too narrow.
	assert_int_equal(flamegraph_layout(p, 1000, &fg), 0);
	assert_int_equal(p->samples, 2 * ((1 << 20) - 1));
	assert_int_equal(fg.left_out, 2 * 2 * 12);
	assert_int_equal(fg.left_out_sum, 2 * ((1 << 12) - 1));
	sample_profile_free(p);
}

static double channel(const char *colour, size_t at)
{
	unsigned int v;
	char hex[3] = {colour[at], colour[at + 1], '\0'};
	assert_int_equal(sscanf(hex, "%x", &v), 1);
	double c = v / 255.0;
	// x^2.4 = x^2 * x^0.4; the fifth root of x^2 by Newton's method, as libm is not linked.
	if (c <= 0.04045)
		return c / 12.92;
	double x = (c + 0.055) / 1.055, root = x;
	for (int i = 0; i < 50; i++)
		root -= (root * root * root * root * root - x * x) /
			(5 * root * root * root * root);
	return x * x * root;
}

static double luminance(const char *colour)
{
	return 0.2126 * channel(colour, 1) + 0.7152 * channel(colour, 3) +
	       0.0722 * channel(colour, 5);
}

static uint32_t add(struct frame_table *ft, const char *module, const char *file, const char *name)
{
	struct frame f = {0};
	uint32_t id;
	assert_int_equal(frame_table_string(ft, module, strlen(module), &f.module), 0);
	assert_int_equal(frame_table_string(ft, file, strlen(file), &f.file), 0);
	assert_int_equal(frame_table_string(ft, name, strlen(name), &f.name), 0);
	assert_int_equal(frame_table_add(ft, &f, &id), 0);
	return id;
}

static void colours(void **state)
{
	(void)state;
	struct frame_table *ft = frame_table_new();
	struct profile *p = profile_new(ft);
	assert_true(luminance("#ffffff") > 0.999 && luminance("#ffffff") < 1.001);
	double ink = luminance("#1b1b1f");
	char seen[100][8];
	size_t n = 0;
	for (int i = 0; i < 3000; i++) {
		char module[16], name[16];
		snprintf(module, sizeof(module), "pkg.m%d", i % 600);
		snprintf(name, sizeof(name), "f%d", i % 7);
		const char *colour = flamegraph_colour(p, add(ft, module, "/x", name));
		assert_int_equal(strlen(colour), 7);
		assert_true((luminance(colour) + 0.05) / (ink + 0.05) >= 7);
		size_t k = 0;
		while (k < n && strcmp(seen[k], colour) != 0)
			k++;
		if (k == n && n < ROWS(seen))
			snprintf(seen[n++], sizeof(seen[0]), "%s", colour);
	}
	assert_int_equal(n, 72); // all of them are in use
	uint32_t mark;
	assert_int_equal(frame_table_mark(ft, "[moving]", &mark), 0);
	const char *grey = flamegraph_colour(p, mark);
	assert_true((luminance(grey) + 0.05) / (ink + 0.05) >= 7);
	for (size_t k = 0; k < n; k++)
		assert_string_not_equal(seen[k], grey);
	profile_free(p);
	frame_table_free(ft);
}

// These never change: pictures of last year are laid beside those of today.
static void colours_are_stable(void **state)
{
	(void)state;
	struct frame_table *ft = frame_table_new();
	struct profile *p = profile_new(ft);
	for (int i = 0; i < 10; i++)
		add(ft, "noise", "", (const char *[]){"a", "b", "c"}[i % 3]);
	assert_string_equal(flamegraph_colour(p, add(ft, "json.encoder", "/a", "encode")),
			    "#8db5f7");
	assert_string_equal(flamegraph_colour(p, add(ft, "json.encoder", "/b", "encode")),
			    "#8db5f7");
	assert_string_equal(flamegraph_colour(p, add(ft, "json.encoder", "/b", "loads")),
			    "#9dc2ff");
	assert_string_equal(flamegraph_colour(p, add(ft, "", "/srv/a.py", "encode")), "#eba076");
	profile_free(p);
	frame_table_free(ft);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_samples),
		cmocka_unit_test(exact_places),
		cmocka_unit_test(counts_what_is_left_out),
		cmocka_unit_test(colours),
		cmocka_unit_test(colours_are_stable),
	};
	return unit_run("flamegraph", tests);
}
