// SPDX-License-Identifier: MIT
// Stacks counted in a prefix tree, and what is said of the recording they come from.
#include "model/profile.h"

#include "util/array.h"
#include "util/cleanup.h"
#include "util/hash.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct profile_index {
	struct map children; // hash of (parent, frame) -> node
	size_t cap;          // of nodes
};

struct profile *profile_new(struct frame_table *frames)
{
	struct profile *p = calloc(1, sizeof(*p));
	if (!p)
		return NULL;
	p->frames = frames;
	p->index = calloc(1, sizeof(*p->index));
	if (!p->index || ARRAY_RESERVE(p->nodes, p->index->cap, 1)) {
		profile_free(p);
		return NULL;
	}
	p->nodes[p->n++] = (struct profile_node){0};
	return p;
}

void profile_free(struct profile *p)
{
	if (!p)
		return;
	if (p->index)
		map_release(&p->index->children);
	free(p->index);
	free(p->nodes);
	free(p->info.title);
	free(p->info.note);
	free(p);
}

// Finds or makes the child of parent with that frame.
static int child_of(struct profile *p, uint32_t parent, uint32_t frame, uint32_t *ret_node)
{
	struct map *children = &p->index->children;
	uint64_t h = hash_mix(hash_mix(0, parent), frame);
	uint32_t at;
	for (uint32_t i = map_first(children, h, &at); i != MAP_NONE;
	     i = map_next(children, h, &at)) {
		if (p->nodes[i].parent == parent && p->nodes[i].frame == frame) {
			*ret_node = i;
			return 0;
		}
	}
	if (p->n >= MAP_NONE || ARRAY_RESERVE(p->nodes, p->index->cap, p->n + 1))
		return -ENOMEM;
	uint32_t node = (uint32_t)p->n;
	int rc = map_add(children, h, node);
	if (rc < 0)
		return rc;
	p->nodes[p->n++] = (struct profile_node){
		.frame = frame,
		.parent = parent,
		.next_sibling = p->nodes[parent].first_child,
	};
	p->nodes[parent].first_child = node;
	*ret_node = node;
	return 0;
}

int profile_add(struct profile *p, const uint32_t *root_first, size_t n, uint64_t samples)
{
	uint32_t node = 0;
	for (size_t i = 0; i < n; i++) {
		int rc = child_of(p, node, root_first[i], &node);
		if (rc < 0)
			return rc;
	}
	p->nodes[node].self += samples;
	p->samples += samples;
	return 0;
}

int profile_set_text(char **field, const char *text)
{
	char *copy = strdup(text);
	if (!copy)
		return -ENOMEM;
	free(*field);
	*field = copy;
	return 0;
}

static uint32_t max_frame(const struct profile *p)
{
	uint32_t max = 0;
	for (size_t i = 1; i < p->n; i++) {
		if (p->nodes[i].frame > max)
			max = p->nodes[i].frame;
	}
	return max;
}

static int compare_text(const struct frame_table *ft, uint32_t a, uint32_t b)
{
	size_t la = frame_table_text_len(ft, a), lb = frame_table_text_len(ft, b);
	int c = a == b ? 0
		       : memcmp(frame_table_text(ft, a), frame_table_text(ft, b),
				la < lb ? la : lb);
	return c ? c : (la > lb) - (la < lb);
}

static int compare_i64(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

// By what a reader sees first; the rest only makes the order total.
static int compare_frames(const void *a, const void *b, void *arg)
{
	const struct frame_table *ft = arg;
	uint32_t ia = *(const uint32_t *)a, ib = *(const uint32_t *)b;
	const struct frame *x = frame_table_get(ft, ia), *y = frame_table_get(ft, ib);
	int c = compare_text(ft, x->name, y->name);
	if (!c)
		c = compare_text(ft, x->short_file, y->short_file);
	if (!c)
		c = compare_text(ft, x->file, y->file);
	if (!c)
		c = compare_i64(x->line, y->line);
	if (!c)
		c = compare_i64(x->first_line, y->first_line);
	if (!c)
		c = compare_i64(x->kind, y->kind);
	return c ? c : compare_i64(ia, ib);
}

// *ret_rank[frame]: the place of each frame in use in that order; the caller frees it.
static int rank_frames(const struct profile *p, uint32_t **ret_rank)
{
	size_t n_ids = (size_t)max_frame(p) + 1, n = 0;
	CLEANUP(cleanup_free) uint32_t *rank = calloc(n_ids, sizeof(*rank));
	CLEANUP(cleanup_free) uint32_t *used = calloc(n_ids, sizeof(*used));
	if (!rank || !used)
		return -ENOMEM;
	for (size_t i = 1; i < p->n; i++) {
		uint32_t frame = p->nodes[i].frame;
		if (!rank[frame])
			used[n++] = frame;
		rank[frame] = 1;
	}
	qsort_r(used, n, sizeof(*used), compare_frames, p->frames);
	for (size_t i = 0; i < n; i++)
		rank[used[i]] = (uint32_t)i;
	*ret_rank = TAKE(rank);
	return 0;
}

struct ranked {
	uint32_t rank; // of the node's frame
	uint32_t node;
};

static int by_rank(const void *a, const void *b)
{
	return compare_i64(((const struct ranked *)a)->rank, ((const struct ranked *)b)->rank);
}

// The nodes are taken from the last rank to the first and each is put at the head of its parent's
// list, which sorts all lists at once.
static void relink(struct profile *p, const struct ranked *ranked)
{
	for (size_t i = 0; i < p->n; i++)
		p->nodes[i].first_child = p->nodes[i].next_sibling = 0;
	for (size_t i = p->n - 1; i-- > 0;) {
		struct profile_node *node = &p->nodes[ranked[i].node];
		node->next_sibling = p->nodes[node->parent].first_child;
		p->nodes[node->parent].first_child = ranked[i].node;
	}
}

static int sort_children(struct profile *p)
{
	CLEANUP(cleanup_free) uint32_t *rank = NULL;
	CLEANUP(cleanup_free) struct ranked *ranked = calloc(p->n, sizeof(*ranked));
	int rc = rank_frames(p, &rank);
	if (rc < 0 || !ranked)
		return -ENOMEM;
	for (uint32_t i = 1; i < p->n; i++)
		ranked[i - 1] = (struct ranked){.rank = rank[p->nodes[i].frame], .node = i};
	qsort(ranked, p->n - 1, sizeof(*ranked), by_rank);
	relink(p, ranked);
	return 0;
}

int profile_finish(struct profile *p)
{
	int rc = sort_children(p);
	if (rc < 0)
		return rc;
	for (size_t i = 0; i < p->n; i++)
		p->nodes[i].total = p->nodes[i].self;
	for (size_t i = p->n - 1; i > 0; i--)
		p->nodes[p->nodes[i].parent].total += p->nodes[i].total;
	return 0;
}

struct function {
	struct profile_top top;
	uint32_t on_path; // how often it occurs between the root and the place of the walk
};

// The functions of a profile, and which frame belongs to which.
struct functions {
	struct function *rows;
	size_t n, cap;
	struct map map;
	uint32_t *of_frame; // MAP_NONE: not looked up yet
};

static void functions_release(struct functions *fns)
{
	free(fns->rows);
	free(fns->of_frame);
	map_release(&fns->map);
}

static int function_of(const struct profile *p, struct functions *fns, uint32_t id, uint32_t *ret)
{
	const struct frame *frame = frame_table_get(p->frames, id);
	uint64_t h = hash_mix(hash_mix(hash_mix(0, frame->name), frame->file),
			      (uint32_t)frame->first_line);
	uint32_t at;
	for (uint32_t i = map_first(&fns->map, h, &at); i != MAP_NONE;
	     i = map_next(&fns->map, h, &at)) {
		const struct frame *other = frame_table_get(p->frames, fns->rows[i].top.frame);
		if (other->name == frame->name && other->file == frame->file &&
		    other->first_line == frame->first_line) {
			if (compare_frames(&id, &fns->rows[i].top.frame, p->frames) < 0)
				fns->rows[i].top.frame = id;
			*ret = i;
			return 0;
		}
	}
	if (ARRAY_RESERVE(fns->rows, fns->cap, fns->n + 1) ||
	    map_add(&fns->map, h, (uint32_t)fns->n))
		return -ENOMEM;
	fns->rows[fns->n] = (struct function){.top = {.frame = id}};
	*ret = (uint32_t)fns->n++;
	return 0;
}

static int functions_of(const struct profile *p, struct functions *fns)
{
	size_t n_ids = (size_t)max_frame(p) + 1;
	fns->of_frame = malloc(n_ids * sizeof(*fns->of_frame));
	if (!fns->of_frame)
		return -ENOMEM;
	for (size_t i = 0; i < n_ids; i++)
		fns->of_frame[i] = MAP_NONE;
	for (size_t i = 1; i < p->n; i++) {
		uint32_t id = p->nodes[i].frame;
		if (fns->of_frame[id] != MAP_NONE ||
		    frame_table_get(p->frames, id)->kind == FRAME_MARK)
			continue;
		int rc = function_of(p, fns, id, &fns->of_frame[id]);
		if (rc < 0)
			return rc;
	}
	return 0;
}

static struct function *function_at(const struct profile *p, struct functions *fns, uint32_t node)
{
	uint32_t i = fns->of_frame[p->nodes[node].frame];
	return node && i != MAP_NONE ? &fns->rows[i] : NULL;
}

static void enter(const struct profile *p, struct functions *fns, uint32_t node)
{
	struct function *fn = function_at(p, fns, node);
	if (!fn)
		return;
	fn->top.self += p->nodes[node].self;
	if (!fn->on_path++)
		fn->top.total += p->nodes[node].total;
}

static void leave(const struct profile *p, struct functions *fns, uint32_t node)
{
	struct function *fn = function_at(p, fns, node);
	if (fn)
		fn->on_path--;
}

// Depth first without recursion, since a stack can be long.
static void count_functions(const struct profile *p, struct functions *fns)
{
	uint32_t node = p->nodes[0].first_child;
	while (node) {
		enter(p, fns, node);
		if (p->nodes[node].first_child) {
			node = p->nodes[node].first_child;
			continue;
		}
		leave(p, fns, node);
		while (node && !p->nodes[node].next_sibling) {
			node = p->nodes[node].parent;
			leave(p, fns, node);
		}
		node = p->nodes[node].next_sibling;
	}
}

static int compare_functions(const void *a, const void *b, void *arg)
{
	const struct function *x = a, *y = b;
	if (x->top.self != y->top.self)
		return x->top.self < y->top.self ? 1 : -1;
	if (x->top.total != y->top.total)
		return x->top.total < y->top.total ? 1 : -1;
	return compare_frames(&x->top.frame, &y->top.frame, arg);
}

int profile_top(const struct profile *p, struct profile_top *top, size_t max, size_t *ret_n)
{
	CLEANUP(functions_release) struct functions fns = {0};
	int rc = functions_of(p, &fns);
	if (rc < 0)
		return rc;
	count_functions(p, &fns);
	if (fns.n)
		qsort_r(fns.rows, fns.n, sizeof(*fns.rows), compare_functions, p->frames);
	size_t n = 0;
	for (; n < fns.n && n < max && fns.rows[n].top.self; n++)
		top[n] = fns.rows[n].top;
	*ret_n = n;
	return 0;
}
