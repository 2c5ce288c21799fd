// SPDX-License-Identifier: MIT
// What every unit test begins with: cmocka in the order it wants, TAP as the output.
#ifndef PYATTACH_TESTS_UNIT_H
#define PYATTACH_TESTS_UNIT_H

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
// clang-format on

// Rows of a table, for "for (size_t i = 0; i < ROWS(cases); i++)".
#define ROWS(table) (sizeof(table) / sizeof((table)[0]))

// Runs an array of struct CMUnitTest under that name; the value of main.
#define unit_run(name, tests)                                                                      \
	(cmocka_set_message_output(CM_OUTPUT_TAP),                                                 \
	 cmocka_run_group_tests_name(name, tests, NULL, NULL))

#endif
