// SPDX-License-Identifier: MIT
// The target's memory mappings (/proc/PID/maps).
#include "target/maps.h"

#include "util/array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void maps_release(struct maps *maps)
{
	if (!maps)
		return;
	for (size_t i = 0; i < maps->n; i++)
		free(maps->entries[i].path);
	free(maps->entries);
	*maps = (struct maps){0};
}

// A position in one line; failed is set by the first thing that is not there.
struct cursor {
	const char *p, *end;
	bool failed;
};

static uint64_t take_number(struct cursor *c, unsigned base)
{
	uint64_t value = 0;
	const char *first = c->p;
	for (; c->p < c->end; c->p++) {
		char ch = *c->p;
		unsigned digit = ch >= '0' && ch <= '9'   ? (unsigned)(ch - '0')
				 : ch >= 'a' && ch <= 'f' ? (unsigned)(ch - 'a') + 10
							  : 16;
		if (digit >= base)
			break;
		c->failed |= __builtin_mul_overflow(value, base, &value);
		c->failed |= __builtin_add_overflow(value, digit, &value);
	}
	c->failed |= c->p == first;
	return value;
}

static void take_char(struct cursor *c, char want)
{
	if (c->p < c->end && *c->p == want)
		c->p++;
	else
		c->failed = true;
}

// The kernel escapes the newline of a path and nothing else (seq_path in fs/proc/task_mmu.c), so a
// backslash before other digits belongs to the name.
static size_t undo_escapes(char *path)
{
	char *out = path;
	for (const char *in = path; *in;) {
		if (!strncmp(in, "\\012", 4)) {
			*out++ = '\n';
			in += 4;
		} else {
			*out++ = *in++;
		}
	}
	*out = '\0';
	return (size_t)(out - path);
}

static int take_path(struct cursor *c, struct map_entry *e)
{
	static const char mark[] = " (deleted)";
	while (c->p < c->end && *c->p == ' ')
		c->p++;
	if (c->p == c->end)
		return 0;
	e->path = strndup(c->p, (size_t)(c->end - c->p));
	if (!e->path)
		return -ENOMEM;
	size_t len = undo_escapes(e->path);
	size_t mark_len = sizeof(mark) - 1;
	if (e->path[0] == '/' && len > mark_len && !strcmp(e->path + len - mark_len, mark)) {
		e->path[len - mark_len] = '\0';
		e->deleted = true;
	}
	return 0;
}

// Returns 1 for an entry, 0 for a line that is none, or -ENOMEM.
static int parse_line(const char *line, const char *end, struct map_entry *e)
{
	struct cursor c = {.p = line, .end = end};
	*e = (struct map_entry){0};
	e->start = take_number(&c, 16);
	take_char(&c, '-');
	e->end = take_number(&c, 16);
	take_char(&c, ' ');
	if (c.failed || c.end - c.p < 5)
		return 0;
	e->read = c.p[0] == 'r';
	e->write = c.p[1] == 'w';
	e->exec = c.p[2] == 'x';
	c.p += 4;
	take_char(&c, ' ');
	e->offset = take_number(&c, 16);
	take_char(&c, ' ');
	e->dev_major = (uint32_t)take_number(&c, 16);
	take_char(&c, ':');
	e->dev_minor = (uint32_t)take_number(&c, 16);
	take_char(&c, ' ');
	e->inode = take_number(&c, 10);
	if (c.failed || e->start >= e->end)
		return 0;
	int r = take_path(&c, e);
	return r < 0 ? r : 1;
}

int maps_parse(struct maps *maps, const char *text, size_t len)
{
	maps_release(maps);
	for (const char *line = text, *end = text + len; line < end;) {
		const char *stop = memchr(line, '\n', (size_t)(end - line));
		if (!stop)
			stop = end;
		struct map_entry e;
		int r = parse_line(line, stop, &e);
		line = stop + 1;
		if (r < 0)
			return r;
		if (!r)
			continue;
		// The search needs ascending entries, whatever the text says.
		bool ordered = !maps->n || e.start >= maps->entries[maps->n - 1].end;
		if (!ordered || ARRAY_RESERVE(maps->entries, maps->cap, maps->n + 1)) {
			free(e.path);
			if (ordered)
				return -ENOMEM;
			continue;
		}
		maps->entries[maps->n++] = e;
	}
	return 0;
}

const struct map_entry *maps_find(const struct maps *maps, uint64_t addr)
{
	size_t low = 0, high = maps->n;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		const struct map_entry *e = &maps->entries[mid];
		if (addr < e->start)
			high = mid;
		else if (addr >= e->end)
			low = mid + 1;
		else
			return e;
	}
	return NULL;
}

bool maps_readable(const struct maps *maps, uint64_t addr, uint64_t len)
{
	if (len > UINT64_MAX - addr)
		return false;
	const struct map_entry *e = maps_find(maps, addr);
	const struct map_entry *last = maps->entries + maps->n;
	uint64_t end = addr + len;
	for (uint64_t at = addr; e && e < last && e->start <= at && e->read; e++) {
		at = e->end;
		if (at >= end)
			return true;
	}
	return false;
}
