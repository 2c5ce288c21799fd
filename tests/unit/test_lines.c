// SPDX-License-Identifier: MIT
// The line-table decoders against what each interpreter says of its own tables.
#include "unit.h"

#include "python/lines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int32_t decoder(const uint8_t *table, size_t len, int32_t first_line, int64_t offset);

static size_t unhex(const char *hex, uint8_t *ret)
{
	size_t n = 0;
	for (unsigned byte; sscanf(hex, "%2x", &byte) == 1; hex += 2)
		ret[n++] = (uint8_t)byte;
	return n;
}

// One line of a vector file; returns the number of offsets compared.
static size_t compare(const char *path, decoder *decode, char *line, size_t len)
{
	uint8_t *table = malloc(len);
	char *save = NULL;
	int32_t first = atoi(strtok_r(line, " \n", &save));
	char *hex = strtok_r(NULL, " \n", &save);
	size_t table_len = unhex(hex, table), n = 0;
	long offset;
	int expected;
	for (char *word; (word = strtok_r(NULL, " \n", &save)); n++) {
		assert_int_equal(sscanf(word, "%ld:%d", &offset, &expected), 2);
		int32_t got = decode(table, table_len, first, offset);
		if (got != expected)
			fail_msg("%s: function at line %d, offset %ld: %d instead of %d", path,
				 first, offset, got, expected);
	}
	// A table cut anywhere and any offset never reads outside it (the sanitizers watch).
	for (size_t cut = 0; cut < table_len && cut < 600; cut++) {
		uint8_t *part = malloc(cut + 1);
		memcpy(part, table, cut);
		part = realloc(part, cut ? cut : 1);
		for (offset = -4; offset < 4000; offset += 97)
			decode(part, cut, first, offset);
		free(part);
	}
	free(table);
	return n;
}

static void vectors(const char *version, decoder *decode)
{
	char path[64];
	snprintf(path, sizeof(path), "fixtures/lines/cpython-%s.txt", version);
	FILE *f = fopen(path, "r");
	if (!f)
		fail_msg("%s cannot be opened", path);
	char *line = NULL;
	size_t cap = 0, offsets = 0, functions = 0;
	for (ssize_t len; (len = getline(&line, &cap, f)) > 0; functions++)
		offsets += compare(path, decode, line, (size_t)len);
	free(line);
	fclose(f);
	assert_true(functions >= 10);
	assert_true(offsets > 1000);
}

static void lnotab(void **state)
{
	(void)state;
	vectors("3.8", lines_lnotab);
	vectors("3.9", lines_lnotab);
}

static void ranges(void **state)
{
	(void)state;
	vectors("3.10", lines_ranges);
}

static void locations(void **state)
{
	(void)state;
	vectors("3.11", lines_locations);
	vectors("3.12", lines_locations);
	vectors("3.13", lines_locations);
}

// Before its first instruction a function is at its first line.
static void before_the_start(void **state)
{
	(void)state;
	static const uint8_t table[] = {2, 1, 2, 1};
	static const uint8_t location[] = {0xd8, 0x00};
	assert_int_equal(lines_lnotab(table, sizeof(table), 7, -1), 7);
	assert_int_equal(lines_ranges(table, sizeof(table), 7, -2), 7);
	assert_int_equal(lines_locations(location, sizeof(location), 7, -2), 7);
}

// Tables that would lead to lines below 1 or beyond an int say that there is none.
static void absurd(void **state)
{
	(void)state;
	static const uint8_t back[] = {0, 0x81, 2, 0x81, 2, 0x81};
	static const uint8_t far[] = {0xe8, 0x7f, 0x7f, 0x7f, 0x7f, 0x7f, 0x7f, 0x3f};
	static const uint8_t endless[] = {0xe8, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
	assert_int_equal(lines_lnotab(back, sizeof(back), 1, 4), 0);
	assert_int_equal(lines_locations(far, sizeof(far), 1, 0), 0);
	assert_int_equal(lines_locations(endless, sizeof(endless), 1, 0), 0);
	assert_int_equal(lines_ranges(back, 0, 1, 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lnotab),    cmocka_unit_test(ranges),
		cmocka_unit_test(locations), cmocka_unit_test(before_the_start),
		cmocka_unit_test(absurd),
	};
	return unit_run("lines", tests);
}
