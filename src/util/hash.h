// SPDX-License-Identifier: MIT
// Hashing, and an open-addressing map from 64-bit hashes to small integers.
#ifndef PYATTACH_UTIL_HASH_H
#define PYATTACH_UTIL_HASH_H

#include <stddef.h>
#include <stdint.h>

// FNV-1a over bytes; the same on every machine, so that colours and files are stable.
uint64_t hash_bytes(const void *data, size_t len);

// A fast mix of one word into a running hash (not stable across releases).
static inline uint64_t hash_mix(uint64_t h, uint64_t word)
{
	h = (h ^ word) * UINT64_C(0x9E3779B97F4A7C15);
	return h ^ (h >> 29);
}

// A map hash -> u32 index that leaves comparing keys to its user: look up with map_first and
// map_next, which yield every index stored under the hash, MAP_NONE at the end.
#define MAP_NONE UINT32_MAX

struct map_slot {
	uint64_t hash;
	uint32_t index; // MAP_NONE when free
};

struct map {
	struct map_slot *slots;
	uint32_t mask; // number of slots - 1; 0 when there are none
	uint32_t n;
};

void map_release(struct map *m);
// Returns 0 or -ENOMEM. The same hash may be added many times.
int map_add(struct map *m, uint64_t hash, uint32_t index);
// *ret_at is the state of the walk for map_next.
uint32_t map_first(const struct map *m, uint64_t hash, uint32_t *ret_at);
uint32_t map_next(const struct map *m, uint64_t hash, uint32_t *at);

#endif
