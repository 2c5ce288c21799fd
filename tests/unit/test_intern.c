// SPDX-License-Identifier: MIT
// Strings stored once.
#include "unit.h"

#include "util/intern.h"

#include <stdio.h>
#include <string.h>

static void zero_is_empty(void **state)
{
	(void)state;
	struct intern *in = intern_new();
	assert_non_null(in);
	assert_string_equal(intern_get(in, 0), "");
	uint32_t id = 7;
	assert_int_equal(intern_add(in, "", 0, &id), 0);
	assert_int_equal(id, 0);
	id = 7;
	assert_int_equal(intern_add(in, NULL, 0, &id), 0);
	assert_int_equal(id, 0);
	intern_free(in);
	intern_free(NULL);
}

static void same_text_same_number(void **state)
{
	(void)state;
	static const struct {
		const char *s;
		size_t len;
	} cases[] = {
		{"a", 1}, {"b", 1}, {"ab", 2}, {"a\0b", 3}, {"a\0c", 3}, {"\0", 1}, {"\xff\xfe", 2},
	};
	struct intern *in = intern_new();
	uint32_t ids[ROWS(cases)];
	for (size_t i = 0; i < ROWS(cases); i++) {
		assert_int_equal(intern_add(in, cases[i].s, cases[i].len, &ids[i]), 0);
		assert_int_equal(ids[i], i + 1);
	}
	for (size_t i = 0; i < ROWS(cases); i++) {
		uint32_t id;
		assert_int_equal(intern_add(in, cases[i].s, cases[i].len, &id), 0);
		assert_int_equal(id, ids[i]);
		assert_int_equal(intern_len(in, id), cases[i].len);
		assert_memory_equal(intern_get(in, id), cases[i].s, cases[i].len + 1);
	}
	intern_free(in);
}

static void unknown_number(void **state)
{
	(void)state;
	struct intern *in = intern_new();
	assert_string_equal(intern_get(in, 1), "");
	assert_string_equal(intern_get(in, UINT32_MAX), "");
	assert_int_equal(intern_len(in, UINT32_MAX), 0);
	intern_free(in);
}

static void pointers_last(void **state)
{
	(void)state;
	struct intern *in = intern_new();
	uint32_t id;
	assert_int_equal(intern_add(in, "first", 5, &id), 0);
	const char *first = intern_get(in, id);
	for (int i = 0; i < 20000; i++) {
		char text[16];
		int len = snprintf(text, sizeof(text), "%d", i);
		assert_int_equal(intern_add(in, text, (size_t)len, &id), 0);
		assert_int_equal(id, i + 2);
	}
	assert_string_equal(first, "first");
	assert_string_equal(intern_get(in, 20001), "19999");
	intern_free(in);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(zero_is_empty),
		cmocka_unit_test(same_text_same_number),
		cmocka_unit_test(unknown_number),
		cmocka_unit_test(pointers_last),
	};
	return unit_run("intern", tests);
}
