// SPDX-License-Identifier: MIT
// What a person types: numbers and durations.
#include "unit.h"

#include "util/parse.h"

#include <errno.h>

static void numbers(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		int rc;
		uint64_t value;
	} cases[] = {
		{"0", 0, 0},
		{"1", 0, 1},
		{"007", 0, 7},
		{"4194304", 0, 4194304},
		{"18446744073709551615", 0, UINT64_MAX},
		{"0x0", 0, 0},
		{"0x1f", 0, 31},
		{"0XfF", 0, 255},
		{"0xffffffffffffffff", 0, UINT64_MAX},
		{"18446744073709551616", -ERANGE, 0},
		{"0x10000000000000000", -ERANGE, 0},
		{"", -EINVAL, 0},
		{" 1", -EINVAL, 0},
		{"1 ", -EINVAL, 0},
		{"+1", -EINVAL, 0},
		{"-1", -EINVAL, 0},
		{"0x", -EINVAL, 0},
		{"0xg", -EINVAL, 0},
		{"0x-1", -EINVAL, 0},
		{"0x 1", -EINVAL, 0},
		{"0x0x1", -EINVAL, 0},
		{"0x0X1", -EINVAL, 0},
		{"x1", -EINVAL, 0},
		{"1f", -EINVAL, 0},
		{"1.0", -EINVAL, 0},
		{"1,2", -EINVAL, 0},
		{"\xef\xbc\x91", -EINVAL, 0}, // a full-width digit
	};
	for (size_t i = 0; i < ROWS(cases); i++) {
		uint64_t value = 77;
		int rc = parse_u64(cases[i].text, &value);
		if (rc != cases[i].rc || value != (rc ? 77 : cases[i].value))
			fail_msg("\"%s\": %d, %llu", cases[i].text, rc, (unsigned long long)value);
	}
}

static void durations(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		int rc;
		uint64_t ns;
	} cases[] = {
		{"30", 0, UINT64_C(30000000000)},
		{"30s", 0, UINT64_C(30000000000)},
		{"5m", 0, UINT64_C(300000000000)},
		{"1h", 0, UINT64_C(3600000000000)},
		{"1.5", 0, 1500000000},
		{"0.29", 0, 290000000},
		{"0.57", 0, 570000000},
		{"1.1m", 0, UINT64_C(66000000000)},
		{".5s", 0, 500000000},
		{"2.", 0, 2000000000},
		{"0.000000001", 0, 1},
		{"00000001", 0, 1000000000},
		{"36600d", -EINVAL, 0},
		{"unlimited", 0, 0},
		{"878400h", 0, UINT64_C(3162240000000000000)},
		{"878401h", -ERANGE, 0},
		{"0", -ERANGE, 0},
		{"0s", -ERANGE, 0},
		{"0.0", -ERANGE, 0},
		{"0.0000000001", -ERANGE, 0},
		{"99999999999999999999999999999999999999999999", -ERANGE, 0},
		{"", -EINVAL, 0},
		{".", -EINVAL, 0},
		{"s", -EINVAL, 0},
		{"-1", -EINVAL, 0},
		{"+1", -EINVAL, 0},
		{" 1", -EINVAL, 0},
		{"1 s", -EINVAL, 0},
		{"1s ", -EINVAL, 0},
		{"1ms", -EINVAL, 0},
		{"1.2.3", -EINVAL, 0},
		{"1,5", -EINVAL, 0},
		{"1e3", -EINVAL, 0},
		{"0x10", -EINVAL, 0},
		{"inf", -EINVAL, 0},
		{"nan", -EINVAL, 0},
		{"UNLIMITED", -EINVAL, 0},
		{"unlimited ", -EINVAL, 0},
	};
	for (size_t i = 0; i < ROWS(cases); i++) {
		uint64_t ns = 77;
		int rc = parse_duration_ns(cases[i].text, &ns);
		if (rc != cases[i].rc || ns != (rc ? 77 : cases[i].ns))
			fail_msg("\"%s\": %d, %llu", cases[i].text, rc, (unsigned long long)ns);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers),
		cmocka_unit_test(durations),
	};
	return unit_run("parse", tests);
}
