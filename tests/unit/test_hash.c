// SPDX-License-Identifier: MIT
// The stable hash, and the map from hashes to numbers.
#include "unit.h"

#include "util/cleanup.h"
#include "util/hash.h"

#include <stdbool.h>
#include <string.h>

static void fnv_vectors(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		uint64_t hash;
	} cases[] = {
		{"", UINT64_C(0xcbf29ce484222325)},
		{"a", UINT64_C(0xaf63dc4c8601ec8c)},
		{"foobar", UINT64_C(0x85944171f73967e8)},
		{"\xff", UINT64_C(0xaf64724c8602eb6e)},
	};
	for (size_t i = 0; i < ROWS(cases); i++)
		assert_int_equal(hash_bytes(cases[i].text, strlen(cases[i].text)), cases[i].hash);
	assert_int_equal(hash_bytes(NULL, 0), cases[0].hash);
}

static void empty_map(void **state)
{
	(void)state;
	struct map m = {0};
	uint32_t at;
	assert_int_equal(map_first(&m, 0, &at), MAP_NONE);
	assert_int_equal(map_first(&m, UINT64_MAX, &at), MAP_NONE);
	map_release(&m);
	map_release(NULL);
}

static void finds_all(void **state)
{
	(void)state;
	CLEANUP(map_release) struct map m = {0};
	for (uint32_t i = 0; i < 50000; i++)
		assert_int_equal(map_add(&m, hash_mix(0, i), i), 0);
	uint32_t at;
	for (uint32_t i = 0; i < 50000; i++) {
		uint32_t found = map_first(&m, hash_mix(0, i), &at);
		while (found != MAP_NONE && found != i)
			found = map_next(&m, hash_mix(0, i), &at);
		assert_int_equal(found, i);
	}
	for (uint32_t i = 50000; i < 60000; i++)
		assert_int_equal(map_first(&m, hash_mix(0, i), &at), MAP_NONE);
}

// Hashes that fall on the same place (also the last one, so that the walk wraps round), and the
// same hash many times: each index is yielded exactly once.
static void collisions(void **state)
{
	(void)state;
	static const uint64_t hashes[] = {0, 63, UINT64_MAX, UINT64_C(0xffffffff00000000)};
	for (size_t h = 0; h < ROWS(hashes); h++) {
		CLEANUP(map_release) struct map m = {0};
		for (uint32_t i = 0; i < 200; i++)
			assert_int_equal(map_add(&m, hashes[h], i), 0);
		bool seen[200] = {0};
		uint32_t at, n = 0;
		for (uint32_t i = map_first(&m, hashes[h], &at); i != MAP_NONE;
		     i = map_next(&m, hashes[h], &at), n++) {
			assert_true(i < 200);
			assert_false(seen[i]);
			seen[i] = true;
		}
		assert_int_equal(n, 200);
		assert_int_equal(map_first(&m, hashes[h] ^ 64, &at), MAP_NONE);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fnv_vectors),
		cmocka_unit_test(empty_map),
		cmocka_unit_test(finds_all),
		cmocka_unit_test(collisions),
	};
	return unit_run("hash", tests);
}
