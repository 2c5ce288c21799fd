// SPDX-License-Identifier: MIT
// Finding and writing versions.
#include "unit.h"

#include "python/version.h"

#include <string.h>

static void search(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		uint32_t hex; // 0 = nothing is found
	} cases[] = {
		{"3.8.18 (default, May  9 2026, 07:33:04) \n[GCC 12.2.0]", 0x030812f0},
		{"2.7.18 (default, May  9 2026, 07:29:50) \n[GCC 12.2.0]", 0x020712f0},
		{"3.11.2 (main, Nov 30 2024, 21:22:50) [GCC 12.2.0]", 0x030b02f0},
		{"3.13.0rc2 (main, Sep  9 2024, 00:00:00) [Clang 18]", 0x030d00c2},
		{"3.12.0a7+ (heads/main:abc, Jan 1 2023) [GCC]", 0x030c00a7},
		{"3.9.0b1 (x) [y]", 0x030900b1},
		{"xx libfoo-13.8.18 (default) [GCC]", 0},
		{"1.3.8.18 (default) [GCC]", 0},
		{"3.8 (default) [GCC]", 0},
		{"3.8.18", 0},
		{"3.8.18 (default", 0},
		{"3.8.18 (default\0) [GCC]", 0},
		{"3.8.1800 (default) [GCC]", 0},
		{"4.8.18 (default) [GCC]", 0},
		{"", 0},
	};
	for (size_t i = 0; i < ROWS(cases); i++) {
		char data[256] = "..3.8.2.";
		size_t at = 40;
		memcpy(data + at, cases[i].text, strlen(cases[i].text));
		uint32_t hex = 0;
		bool found = version_search(data, sizeof(data), &hex);
		assert_int_equal(found, cases[i].hex != 0);
		assert_int_equal(hex, cases[i].hex);
		// Cut off at any place it is found or not, and never read past.
		for (size_t len = 0; len < sizeof(data); len++)
			version_search(data + sizeof(data) - len, len, &hex);
	}
}

static void text(void **state)
{
	(void)state;
	char out[32];
	version_text(0x030b07f0, out, sizeof(out));
	assert_string_equal(out, "3.11.7");
	version_text(0x030d00c2, out, sizeof(out));
	assert_string_equal(out, "3.13.0rc2");
	version_text(0x030c00a7, out, sizeof(out));
	assert_string_equal(out, "3.12.0a7");
	version_text(0x030b07f0, out, 4);
	assert_string_equal(out, "3.1");
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(search), cmocka_unit_test(text)};
	return unit_run("version", tests);
}
