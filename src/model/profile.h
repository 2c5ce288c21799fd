// SPDX-License-Identifier: MIT
// Stacks counted in a prefix tree, and what is said of the recording they come from.
#ifndef PYATTACH_MODEL_PROFILE_H
#define PYATTACH_MODEL_PROFILE_H

#include "model/frame.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// One node of the tree: the frames from the root down to it are a stack (prefix). Node 0 is the
// root of all stacks and has no frame. A parent always has a smaller number than its children.
struct profile_node {
	uint32_t frame;
	uint32_t parent;
	uint32_t first_child; // 0 = none
	uint32_t next_sibling;
	uint64_t self;  // samples that end here
	uint64_t total; // samples that pass through or end here; set by profile_finish
};

// What the recording says of itself. Strings are owned by the profile.
struct profile_info {
	char *title;  // one line for the top of a picture
	char *note;   // NULL, or one sentence when nothing was sampled and why
	bool no_line; // lines were dropped on purpose: show "name (file)"
	bool full_file;
	double rate_hz;
	uint64_t duration_ns;
};

struct profile {
	struct frame_table *frames; // not owned
	struct profile_node *nodes;
	size_t n; // nodes, at least 1
	uint64_t samples;
	struct profile_info info;
	struct profile_index *index; // private
};

struct profile *profile_new(struct frame_table *frames); // NULL when out of memory
void profile_free(struct profile *p);
// Counts one stack, frames root first; n = 0 counts at the root. Returns 0 or -ENOMEM.
int profile_add(struct profile *p, const uint32_t *root_first, size_t n, uint64_t samples);
// Sums totals and puts every node's children in a stable order (by text: name, file, line).
// Call once after the last add, before any output.
int profile_finish(struct profile *p);
// Sets *field (of info) to a copy of text. Returns 0 or -ENOMEM.
int profile_set_text(char **field, const char *text);

struct profile_top {
	uint32_t frame; // a frame of that function
	uint64_t self;  // samples in which it was the leaf
	uint64_t total; // samples in which it occurs at all (once a stack)
};

// The n functions (name, file, first line) with most self samples, at most max; marks and functions
// without self samples are left out. Needs profile_finish. *ret_n receives the number. Returns 0 or
// -ENOMEM.
int profile_top(const struct profile *p, struct profile_top *top, size_t max, size_t *ret_n);

#endif
