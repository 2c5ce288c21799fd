// SPDX-License-Identifier: MIT
// The boxes of a flame graph: where each node of a profile lies, and in which colour.
#ifndef PYATTACH_OUTPUT_FLAMEGRAPH_H
#define PYATTACH_OUTPUT_FLAMEGRAPH_H

#include "model/profile.h"

// A box begins "start" samples from the left and is as wide as the node's total; the root has
// depth 0.
struct flamegraph_box {
	uint32_t node;
	uint32_t depth;
	uint64_t start;
};

// Boxes in the order of a walk that visits a parent before its children, these from left to right.
struct flamegraph {
	struct flamegraph_box *boxes;
	size_t n, cap;
	uint32_t rows;         // 1 + the largest depth; 0 without boxes
	size_t left_out;       // boxes narrower than asked for
	uint64_t left_out_sum; // samples in them; they count in the boxes above them
};

void flamegraph_release(struct flamegraph *fg);
// Boxes narrower than 1/parts of the whole are left out, with all below them. The profile is
// finished. Returns 0 or -ENOMEM.
int flamegraph_layout(const struct profile *p, uint64_t parts, struct flamegraph *fg);

// "#rrggbb": the hue is that of the frame's module, the shade that of the function, the same in
// every picture; marks are grey. Dark text on it has a contrast of at least 7 : 1.
const char *flamegraph_colour(const struct profile *p, uint32_t frame);

#endif
