// SPDX-License-Identifier: MIT
// Growing arrays and byte buffers.
#include "unit.h"

#include "util/array.h"
#include "util/buf.h"
#include "util/cleanup.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

static void empty_is_text(void **state)
{
	(void)state;
	struct buf b = {0};
	assert_string_equal(buf_text(&b), "");
	buf_add(&b, NULL, 0);
	assert_string_equal(buf_text(&b), "");
	assert_int_equal(b.len, 0);
	buf_release(&b);
	buf_release(NULL);
}

static void adds(void **state)
{
	(void)state;
	CLEANUP(buf_release) struct buf b = {0};
	buf_str(&b, "one");
	buf_char(&b, ' ');
	buf_add(&b, "t\0o", 3);
	buf_printf(&b, " %d%%", 3);
	assert_int_equal(b.len, 10);
	assert_memory_equal(b.data, "one t\0o 3%", 11);
	buf_clear(&b);
	assert_int_equal(b.len, 0);
	assert_string_equal(buf_text(&b), "");
	buf_str(&b, "again");
	assert_string_equal(buf_text(&b), "again");
	buf_release(&b);
	buf_str(&b, "after release");
	assert_string_equal(buf_text(&b), "after release");
}

// Around the size up to which printf needs no second pass, and around every growth.
static void printf_of_any_length(void **state)
{
	(void)state;
	for (int n = 0; n < 600; n++) {
		CLEANUP(buf_release) struct buf b = {0};
		buf_printf(&b, "<%*s>", n, "x");
		size_t width = n > 1 ? (size_t)n : 1;
		assert_int_equal(b.len, width + 2);
		assert_int_equal(strlen(buf_text(&b)), b.len);
		assert_int_equal(b.data[0], '<');
		assert_int_equal(b.data[width], 'x');
		assert_int_equal(b.data[width + 1], '>');
	}
}

static void grows(void **state)
{
	(void)state;
	CLEANUP(buf_release) struct buf b = {0};
	for (int i = 0; i < 100000; i++)
		buf_char(&b, (char)('a' + i % 26));
	assert_int_equal(b.len, 100000);
	for (int i = 0; i < 100000; i++)
		assert_int_equal(b.data[i], 'a' + i % 26);
}

static void failure_sticks(void **state)
{
	(void)state;
	CLEANUP(buf_release) struct buf b = {0};
	buf_str(&b, "kept");
	b.failed = -ENOMEM;
	buf_str(&b, "x");
	buf_char(&b, 'x');
	buf_printf(&b, "%d", 1);
	buf_printf(&b, "%300d", 1);
	assert_string_equal(buf_text(&b), "kept");
	assert_int_equal(b.failed, -ENOMEM);
}

static void array_grows(void **state)
{
	(void)state;
	CLEANUP(cleanup_free) int *items = NULL;
	size_t cap = 0;
	for (int i = 0; i < 1000; i++) {
		assert_int_equal(ARRAY_RESERVE(items, cap, (size_t)i + 1), 0);
		assert_true(cap > (size_t)i);
		items[i] = i;
	}
	for (int i = 0; i < 1000; i++)
		assert_int_equal(items[i], i);
	size_t had = cap;
	assert_int_equal(ARRAY_RESERVE(items, cap, 1), 0);
	assert_int_equal(cap, had);
}

static void array_too_large(void **state)
{
	(void)state;
	CLEANUP(cleanup_free) int *items = NULL;
	size_t cap = 0;
	assert_int_equal(ARRAY_RESERVE(items, cap, 4), 0);
	int *had = items;
	size_t had_cap = cap;
	assert_int_equal(ARRAY_RESERVE(items, cap, SIZE_MAX), -ENOMEM);
	assert_int_equal(ARRAY_RESERVE(items, cap, SIZE_MAX / sizeof(*items) + 2), -ENOMEM);
	assert_ptr_equal(items, had);
	assert_int_equal(cap, had_cap);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(empty_is_text),        cmocka_unit_test(adds),
		cmocka_unit_test(printf_of_any_length), cmocka_unit_test(grows),
		cmocka_unit_test(failure_sticks),       cmocka_unit_test(array_grows),
		cmocka_unit_test(array_too_large),
	};
	return unit_run("buf", tests);
}
