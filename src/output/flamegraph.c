// SPDX-License-Identifier: MIT
// The boxes of a flame graph: where each node of a profile lies, and in which colour.
#include "output/flamegraph.h"

#include "util/array.h"
#include "util/hash.h"

#include <errno.h>
#include <stdlib.h>

void flamegraph_release(struct flamegraph *fg)
{
	free(fg->boxes);
	*fg = (struct flamegraph){0};
}

static size_t count_below(const struct profile *p, uint32_t top)
{
	size_t n = 1;
	uint32_t node = p->nodes[top].first_child;
	while (node) {
		n++;
		if (p->nodes[node].first_child) {
			node = p->nodes[node].first_child;
			continue;
		}
		while (node != top && !p->nodes[node].next_sibling)
			node = p->nodes[node].parent;
		node = node == top ? 0 : p->nodes[node].next_sibling;
	}
	return n;
}

static int add_box(struct flamegraph *fg, uint32_t node, uint32_t depth, uint64_t start)
{
	if (ARRAY_RESERVE(fg->boxes, fg->cap, fg->n + 1))
		return -ENOMEM;
	fg->boxes[fg->n++] = (struct flamegraph_box){node, depth, start};
	if (depth + 1 > fg->rows)
		fg->rows = depth + 1;
	return 0;
}

// Adds the node's box, or counts it as left out. Returns 1 when its children are to be visited.
static int visit(const struct profile *p, uint64_t parts, struct flamegraph *fg, uint32_t node,
		 uint32_t depth, uint64_t start)
{
	uint64_t total = p->nodes[node].total;
	if (!total)
		return 0;
	if ((double)total * (double)parts < (double)p->samples) {
		fg->left_out += count_below(p, node);
		fg->left_out_sum += total;
		return 0;
	}
	int rc = add_box(fg, node, depth, start);
	return rc < 0 ? rc : p->nodes[node].first_child != 0;
}

int flamegraph_layout(const struct profile *p, uint64_t parts, struct flamegraph *fg)
{
	uint32_t node = 0, depth = 0;
	uint64_t start = 0;
	for (;;) {
		int rc = visit(p, parts, fg, node, depth, start);
		if (rc < 0)
			return rc;
		if (rc) {
			node = p->nodes[node].first_child;
			depth++;
			continue;
		}
		start += p->nodes[node].total;
		while (node && !p->nodes[node].next_sibling) {
			node = p->nodes[node].parent;
			start += p->nodes[node].self;
			depth--;
		}
		if (!node)
			return 0;
		node = p->nodes[node].next_sibling;
	}
}

#define HUES   24
#define SHADES 3
#define GREY   "#c9ccd1"

// OKLCH: 24 hues of equal lightness and chroma 0.105 (less where sRGB ends), lightness 0.77, 0.81
// and 0.85.
static const char *const palette[HUES][SHADES] = {
	{"#f09998", "#fea5a5", "#ffb9b8"}, {"#ef9c86", "#fda893", "#ffbba9"},
	{"#eba076", "#f8ad83", "#ffbd98"}, {"#e3a66a", "#f0b376", "#fec083"},
	{"#d7ad63", "#e5ba6f", "#f2c67c"}, {"#c9b462", "#d6c06f", "#e3cd7c"},
	{"#b8ba69", "#c5c775", "#d2d482"}, {"#a5c075", "#b1cd81", "#beda8d"},
	{"#90c585", "#9dd291", "#a9df9d"}, {"#7bc897", "#88d5a3", "#95e2b0"},
	{"#67caaa", "#75d7b7", "#82e4c3"}, {"#58cabd", "#67d7ca", "#74e4d7"},
	{"#52c8cf", "#61d5dc", "#6fe3e9"}, {"#58c5de", "#66d2eb", "#74dff9"},
	{"#66c1ea", "#73cef8", "#8dd9fe"}, {"#79bbf3", "#88c8fe", "#a3d4ff"},
	{"#8db5f7", "#9dc2ff", "#b2cffe"}, {"#a1aff7", "#afbcff", "#bfcbfe"},
	{"#b3a9f3", "#c0b6fe", "#ccc6ff"}, {"#c4a3ea", "#d1b0f8", "#dbbffe"},
	{"#d29ede", "#dfabeb", "#edb8f9"}, {"#de9bcf", "#eca7dc", "#f9b4e9"},
	{"#e798be", "#f5a5ca", "#ffb4d7"}, {"#ed98ab", "#fba4b8", "#ffb7c6"},
};

const char *flamegraph_colour(const struct profile *p, uint32_t id)
{
	const struct frame_table *ft = p->frames;
	const struct frame *frame = frame_table_get(ft, id);
	if (frame->kind == FRAME_MARK)
		return GREY;
	uint32_t home = frame->module ? frame->module : frame->file;
	uint64_t hue = hash_bytes(frame_table_text(ft, home), frame_table_text_len(ft, home));
	uint64_t shade = hash_bytes(frame_table_text(ft, frame->name),
				    frame_table_text_len(ft, frame->name));
	// The low bits of this hash alone depend on the low bits of the text alone.
	return palette[(hue ^ hue >> 32) % HUES][(shade ^ shade >> 32) % SHADES];
}
