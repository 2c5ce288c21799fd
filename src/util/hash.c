// SPDX-License-Identifier: MIT
// Hashing, and an open-addressing map from 64-bit hashes to small integers.
#include "util/hash.h"

#include <errno.h>
#include <stdlib.h>

uint64_t hash_bytes(const void *data, size_t len)
{
	const unsigned char *p = data;
	uint64_t h = UINT64_C(0xcbf29ce484222325);
	for (size_t i = 0; i < len; i++)
		h = (h ^ p[i]) * UINT64_C(0x100000001b3);
	return h;
}

void map_release(struct map *m)
{
	if (!m)
		return;
	free(m->slots);
	*m = (struct map){0};
}

static uint32_t home_of(const struct map *m, uint64_t hash)
{
	return (uint32_t)(hash ^ (hash >> 32)) & m->mask;
}

static void put(struct map *m, uint64_t hash, uint32_t index)
{
	uint32_t at = home_of(m, hash);
	while (m->slots[at].index != MAP_NONE)
		at = (at + 1) & m->mask;
	m->slots[at] = (struct map_slot){hash, index};
}

static int grow(struct map *m)
{
	uint32_t size = m->slots ? (m->mask + 1) * 2 : 64;
	struct map bigger = {.slots = calloc(size, sizeof(*m->slots)), .mask = size - 1, .n = m->n};
	if (!bigger.slots)
		return -ENOMEM;
	for (uint32_t i = 0; i < size; i++)
		bigger.slots[i].index = MAP_NONE;
	for (uint32_t i = 0; m->slots && i <= m->mask; i++) {
		if (m->slots[i].index != MAP_NONE)
			put(&bigger, m->slots[i].hash, m->slots[i].index);
	}
	free(m->slots);
	*m = bigger;
	return 0;
}

int map_add(struct map *m, uint64_t hash, uint32_t index)
{
	if (!m->slots || m->n * 2 > m->mask) {
		int rc = grow(m);
		if (rc < 0)
			return rc;
	}
	put(m, hash, index);
	m->n++;
	return 0;
}

static uint32_t find_from(const struct map *m, uint64_t hash, uint32_t *at)
{
	while (m->slots[*at].index != MAP_NONE) {
		if (m->slots[*at].hash == hash)
			return m->slots[*at].index;
		*at = (*at + 1) & m->mask;
	}
	return MAP_NONE;
}

uint32_t map_first(const struct map *m, uint64_t hash, uint32_t *ret_at)
{
	*ret_at = 0;
	if (!m->slots)
		return MAP_NONE;
	*ret_at = home_of(m, hash);
	return find_from(m, hash, ret_at);
}

uint32_t map_next(const struct map *m, uint64_t hash, uint32_t *at)
{
	*at = (*at + 1) & m->mask;
	return find_from(m, hash, at);
}
