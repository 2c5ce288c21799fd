// SPDX-License-Identifier: MIT
// Error codes, their messages, and the exit codes that belong to them.
#include "unit.h"

#include "util/err.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

static void exit_codes(void **state)
{
	(void)state;
	static const struct {
		int code, exit;
	} cases[] = {
		{0, PA_EXIT_OK},
		{3, PA_EXIT_OK},
		{-PA_EGONE, PA_EXIT_NO_TARGET},
		{-PA_ENOPROC, PA_EXIT_NO_TARGET},
		{-PA_ENOTPYTHON, PA_EXIT_NO_TARGET},
		{-PA_EVERSION, PA_EXIT_NO_TARGET},
		{-PA_EDENIED, PA_EXIT_PERMISSION},
		{-PA_ELAYOUT, PA_EXIT_USAGE},
		{-PA_EUSAGE, PA_EXIT_USAGE},
		{-PA_EOUTPUT, PA_EXIT_RUNTIME},
		{-PA_ETORN, PA_EXIT_RUNTIME},
		{-PA_EABORTED, PA_EXIT_ABORTED},
		{-EPERM, PA_EXIT_PERMISSION},
		{-EACCES, PA_EXIT_PERMISSION},
		{-ESRCH, PA_EXIT_NO_TARGET},
		{-EIO, PA_EXIT_RUNTIME},
		{-PA_ERROR_BASE_, PA_EXIT_RUNTIME},
		{-PA_ERROR_END_, PA_EXIT_RUNTIME},
		{INT_MIN, PA_EXIT_RUNTIME},
	};
	for (size_t i = 0; i < ROWS(cases); i++)
		assert_int_equal(err_exit_code(cases[i].code), cases[i].exit);
}

static void messages(void **state)
{
	(void)state;
	assert_string_equal(err_message(-PA_ENOPROC), "no such process");
	assert_string_equal(err_message(-EPERM), "Operation not permitted");
	assert_string_equal(err_message(-PA_ERROR_BASE_), "unknown error");
	assert_string_equal(err_message(-PA_ERROR_END_), "unknown error");
	assert_string_equal(err_message(INT_MIN), "unknown error");
	assert_string_equal(err_message(INT_MAX), "unknown error");
	const char *first = err_message(-4000);
	assert_string_equal(first, "unknown error");
	err_message(-4001);
	assert_string_equal(first, "unknown error");
	for (int code = PA_ERROR_BASE_ + 1; code < PA_ERROR_END_; code++)
		assert_true(strlen(err_message(-code)) > 3);
}

static void transient_ones(void **state)
{
	(void)state;
	assert_true(err_is_transient(-PA_ETORN));
	assert_true(err_is_transient(-PA_EBOUND));
	assert_true(err_is_transient(-EINTR));
	assert_true(err_is_transient(-EAGAIN));
	assert_false(err_is_transient(-PA_EGONE));
	assert_false(err_is_transient(-PA_EUSAGE));
	assert_false(err_is_transient(-EPERM));
	assert_false(err_is_transient(0));
}

static void sentence(void **state)
{
	(void)state;
	struct err err = {0};
	assert_int_equal(err_set(&err, -EIO, "reading %s failed", "maps"), -EIO);
	assert_int_equal(err.code, -EIO);
	assert_string_equal(err.text, "reading maps failed");
	assert_int_equal(err_set(NULL, -PA_EGONE, "%s", "nobody listens"), -PA_EGONE);
	assert_int_equal(err_set(&err, -EIO, "%2000d", 1), -EIO);
	assert_int_equal(strlen(err.text), sizeof(err.text) - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(exit_codes),
		cmocka_unit_test(messages),
		cmocka_unit_test(transient_ones),
		cmocka_unit_test(sentence),
	};
	return unit_run("err", tests);
}
