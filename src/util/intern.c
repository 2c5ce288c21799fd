// SPDX-License-Identifier: MIT
// Strings stored once and known by a number.
#include "util/intern.h"

#include "util/array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct entry {
	char *s;
	size_t len;
};

struct intern {
	struct entry *entries;
	size_t n, cap;
	struct map map;
};

struct intern *intern_new(void)
{
	struct intern *in = calloc(1, sizeof(*in));
	uint32_t empty;
	if (in && intern_add(in, "", 0, &empty)) {
		intern_free(in);
		return NULL;
	}
	return in;
}

void intern_free(struct intern *in)
{
	if (!in)
		return;
	for (size_t i = 0; i < in->n; i++)
		free(in->entries[i].s);
	free(in->entries);
	map_release(&in->map);
	free(in);
}

int intern_add(struct intern *in, const char *s, size_t len, uint32_t *ret_id)
{
	uint64_t h = hash_bytes(s, len);
	uint32_t at;
	for (uint32_t i = map_first(&in->map, h, &at); i != MAP_NONE;
	     i = map_next(&in->map, h, &at)) {
		if (in->entries[i].len == len && (!len || !memcmp(in->entries[i].s, s, len))) {
			*ret_id = i;
			return 0;
		}
	}
	if (ARRAY_RESERVE(in->entries, in->cap, in->n + 1))
		return -ENOMEM;
	char *copy = malloc(len + 1);
	if (!copy || map_add(&in->map, h, (uint32_t)in->n)) {
		free(copy);
		return -ENOMEM;
	}
	if (len)
		memcpy(copy, s, len);
	copy[len] = '\0';
	*ret_id = (uint32_t)in->n;
	in->entries[in->n++] = (struct entry){copy, len};
	return 0;
}

const char *intern_get(const struct intern *in, uint32_t id)
{
	return id < in->n ? in->entries[id].s : "";
}

size_t intern_len(const struct intern *in, uint32_t id)
{
	return id < in->n ? in->entries[id].len : 0;
}
