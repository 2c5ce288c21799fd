// SPDX-License-Identifier: MIT
// A frame of a stack, interned to a number; the strings and frames that one session knows.
#include "model/frame.h"

#include "util/array.h"
#include "util/hash.h"
#include "util/intern.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct frame_table {
	struct intern *strings;
	struct frame *frames;
	size_t n, cap;
	struct map map;
};

struct frame_table *frame_table_new(void)
{
	struct frame_table *ft = calloc(1, sizeof(*ft));
	if (!ft)
		return NULL;
	ft->strings = intern_new();
	if (!ft->strings) {
		frame_table_free(ft);
		return NULL;
	}
	return ft;
}

void frame_table_free(struct frame_table *ft)
{
	if (!ft)
		return;
	intern_free(ft->strings);
	free(ft->frames);
	map_release(&ft->map);
	free(ft);
}

int frame_table_string(struct frame_table *ft, const char *s, size_t len, uint32_t *ret_id)
{
	return intern_add(ft->strings, s, len, ret_id);
}

int frame_table_add(struct frame_table *ft, const struct frame *frame, uint32_t *ret_id)
{
	uint64_t h = hash_bytes(frame, sizeof(*frame));
	uint32_t at;
	for (uint32_t i = map_first(&ft->map, h, &at); i != MAP_NONE;
	     i = map_next(&ft->map, h, &at)) {
		if (!memcmp(&ft->frames[i], frame, sizeof(*frame))) {
			*ret_id = i;
			return 0;
		}
	}
	if (ARRAY_RESERVE(ft->frames, ft->cap, ft->n + 1) || map_add(&ft->map, h, (uint32_t)ft->n))
		return -ENOMEM;
	*ret_id = (uint32_t)ft->n;
	ft->frames[ft->n++] = *frame;
	return 0;
}

int frame_table_mark(struct frame_table *ft, const char *text, uint32_t *ret_id)
{
	struct frame frame = {.kind = FRAME_MARK};
	int rc = frame_table_string(ft, text, strlen(text), &frame.name);
	return rc < 0 ? rc : frame_table_add(ft, &frame, ret_id);
}

const struct frame *frame_table_get(const struct frame_table *ft, uint32_t id)
{
	static const struct frame empty;
	return id < ft->n ? &ft->frames[id] : &empty;
}

const char *frame_table_text(const struct frame_table *ft, uint32_t string_id)
{
	return intern_get(ft->strings, string_id);
}

size_t frame_table_text_len(const struct frame_table *ft, uint32_t string_id)
{
	return intern_len(ft->strings, string_id);
}
