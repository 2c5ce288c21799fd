// SPDX-License-Identifier: MIT
// The names that the threading module gave to threads.
#include "python/names.h"

#include "python/object.h"
#include "util/cleanup.h"

#include <errno.h>
#include <stdlib.h>

struct names {
	const struct runtime *rt;
	struct frame_table *frames;
	uint64_t interp; // whose threads are listed
	bool listed;
	uint64_t active;            // threading._active; 0 = not found yet
	struct dict_entry *threads; // ident (as a number), Thread object
	size_t n;
};

struct names *names_new(const struct runtime *rt, struct frame_table *frames)
{
	struct names *n = calloc(1, sizeof(*n));
	if (n) {
		n->rt = rt;
		n->frames = frames;
	}
	return n;
}

void names_free(struct names *n)
{
	if (!n)
		return;
	free(n->threads);
	free(n);
}

void names_stale(struct names *n)
{
	n->listed = false;
}

// threading._active of an interpreter: the same dictionary for as long as the module lives.
static int find_active(struct names *n)
{
	const struct layout *l = &n->rt->layout;
	uint64_t modules, module;
	if (n->active)
		return 0;
	int rc = mem_read_u64(n->rt->mem, n->interp + (uint64_t)LAYOUT_OFF(l, interp, modules),
			      &modules);
	if (rc >= 0)
		rc = object_dict_find(n->rt, modules, "threading", &module);
	if (rc >= 0)
		rc = object_attr(n->rt, module, "_active", &n->active);
	return rc;
}

static void list_threads(struct names *n, uint64_t interp)
{
	if (n->interp != interp)
		n->active = 0;
	n->interp = interp;
	n->listed = true;
	runtime_forget(n->rt);
	n->n = 0;
	free(TAKE(n->threads));
	if (find_active(n) < 0)
		return;
	if (object_dict(n->rt, n->active, &n->threads, &n->n) < 0) {
		n->n = 0;
		n->active = 0; // another module took its place
		return;
	}
	size_t kept = 0;
	for (size_t i = 0; i < n->n; i++) {
		int64_t ident;
		if (object_int(n->rt, n->threads[i].key, &ident) < 0)
			continue;
		n->threads[kept++] = (struct dict_entry){(uint64_t)ident, n->threads[i].value};
	}
	n->n = kept;
}

static uint32_t read_name(struct names *n, uint64_t thread)
{
	CLEANUP(buf_release) struct buf text = {0};
	uint64_t name;
	uint32_t id = 0;
	if (object_attr(n->rt, thread, "_name", &name) < 0 || !object_is_a(n->rt, name, "str") ||
	    object_str(n->rt, name, &text) < 0)
		return 0;
	return frame_table_string(n->frames, buf_text(&text), text.len, &id) < 0 ? 0 : id;
}

uint32_t names_find(struct names *n, uint64_t interp, uint64_t ident)
{
	if (!n->listed || n->interp != interp)
		list_threads(n, interp);
	for (size_t i = 0; i < n->n; i++) {
		if (n->threads[i].key == ident)
			return read_name(n, n->threads[i].value);
	}
	return 0;
}
