// SPDX-License-Identifier: MIT
// Line tables: from an instruction's offset to its line.
#include "python/lines.h"

#include <stdbool.h>

// A line that a hostile table pushed out of range is no line.
static int32_t checked(int64_t line)
{
	return line > 0 && line <= INT32_MAX ? (int32_t)line : 0;
}

int32_t lines_lnotab(const uint8_t *table, size_t len, int32_t first_line, int64_t offset)
{
	int64_t addr = 0, line = first_line;
	for (size_t i = 0; i + 1 < len; i += 2) {
		addr += table[i];
		if (addr > offset)
			break;
		line += (int8_t)table[i + 1];
	}
	return checked(line);
}

int32_t lines_ranges(const uint8_t *table, size_t len, int32_t first_line, int64_t offset)
{
	int64_t end = 0, line = first_line;
	if (offset < 0)
		return checked(first_line);
	for (size_t i = 0; i + 1 < len; i += 2) {
		int8_t delta = (int8_t)table[i + 1];
		int64_t start = end;
		end += table[i];
		if (delta != -128)
			line += delta;
		if (start <= offset && offset < end)
			return delta == -128 ? 0 : checked(line);
	}
	return 0;
}

struct cursor {
	const uint8_t *at, *end;
};

static bool take_varint(struct cursor *c, uint64_t *ret)
{
	uint64_t value = 0;
	for (unsigned shift = 0; c->at < c->end && shift < 64; shift += 6) {
		uint8_t byte = *c->at++;
		value |= (uint64_t)(byte & 63) << shift;
		if (!(byte & 64)) {
			*ret = value;
			return true;
		}
	}
	return false;
}

static bool skip(struct cursor *c, size_t n)
{
	if ((size_t)(c->end - c->at) < n)
		return false;
	c->at += n;
	return true;
}

// Takes the rest of one entry. *line is the running line, *has_line whether the entry has one.
static bool take_entry(struct cursor *c, unsigned code, int64_t *line, bool *has_line)
{
	uint64_t delta, ignored;
	*has_line = code != 15;
	if (code == 15)
		return true;
	if (code < 10)
		return skip(c, 1);
	if (code < 13) {
		*line += code - 10;
		return skip(c, 2);
	}
	if (!take_varint(c, &delta))
		return false;
	*line += delta & 1 ? -(int64_t)(delta >> 1) : (int64_t)(delta >> 1);
	return code == 13 ||
	       (take_varint(c, &ignored) && take_varint(c, &ignored) && take_varint(c, &ignored));
}

int32_t lines_locations(const uint8_t *table, size_t len, int32_t first_line, int64_t offset)
{
	struct cursor c = {table, table + len};
	int64_t unit = 0, line = first_line, wanted = offset / 2;
	if (offset < 0)
		return checked(first_line);
	while (c.at < c.end) {
		uint8_t head = *c.at++;
		bool has_line;
		if (!(head & 0x80) || !take_entry(&c, head >> 3 & 15, &line, &has_line))
			return 0;
		if (line < INT32_MIN || line > INT32_MAX)
			return 0;
		unit += (head & 7) + 1;
		if (wanted < unit)
			return has_line ? checked(line) : 0;
	}
	return 0;
}
