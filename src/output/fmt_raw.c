// SPDX-License-Identifier: MIT
// Folded stacks: one line a stack, frames root first, joined by ';', then a blank and the count.
#include "output/escape.h"
#include "output/formats.h"
#include "util/array.h"
#include "util/cleanup.h"
#include "util/hash.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A blank, 20 digits, a newline and the NUL of printf.
#define COUNT_ROOM 23

struct line {
	size_t start, len; // of the text; COUNT_ROOM bytes behind it are reserved
	uint64_t samples;
};

// Different stacks can read the same once they are escaped: they become one line.
struct folded {
	struct buf text;
	struct line *lines;
	size_t n, cap;
	struct map map;
};

static void folded_release(struct folded *f)
{
	buf_release(&f->text);
	free(f->lines);
	map_release(&f->map);
}

// Takes the text from start to the end of f->text as a stack.
static int folded_add(struct folded *f, size_t start, uint64_t samples)
{
	static const char room[COUNT_ROOM];
	size_t len = f->text.len - start;
	if (f->text.failed)
		return f->text.failed;
	uint64_t h = hash_bytes(f->text.data + start, len);
	uint32_t at;
	for (uint32_t i = map_first(&f->map, h, &at); i != MAP_NONE;
	     i = map_next(&f->map, h, &at)) {
		struct line *line = &f->lines[i];
		if (line->len != len ||
		    memcmp(f->text.data + line->start, f->text.data + start, len))
			continue;
		line->samples += samples;
		f->text.len = start;
		return 0;
	}
	if (ARRAY_RESERVE(f->lines, f->cap, f->n + 1) || map_add(&f->map, h, (uint32_t)f->n))
		return -ENOMEM;
	f->lines[f->n++] = (struct line){.start = start, .len = len, .samples = samples};
	buf_add(&f->text, room, sizeof(room));
	return f->text.failed;
}

// The frames in use, escaped once: a frame occurs in many stacks.
struct escaped {
	struct buf text;
	struct span {
		size_t start, len; // len 0: not made yet
	} * spans;                 // by frame
};

static void escaped_release(struct escaped *e)
{
	buf_release(&e->text);
	free(e->spans);
}

static int escaped_init(struct escaped *e, const struct profile *p)
{
	uint32_t max = 0;
	for (size_t i = 1; i < p->n; i++) {
		if (p->nodes[i].frame > max)
			max = p->nodes[i].frame;
	}
	e->spans = calloc((size_t)max + 1, sizeof(*e->spans));
	return e->spans ? 0 : -ENOMEM;
}

static void add_frame(struct escaped *e, const struct profile *p, uint32_t frame, struct buf *out)
{
	struct span *span = &e->spans[frame];
	if (!span->len) {
		CLEANUP(buf_release) struct buf plain = {0};
		format_frame(p, frame, &plain);
		span->start = e->text.len;
		escape_folded(&e->text, buf_text(&plain), plain.len);
		span->len = e->text.len - span->start;
		if (plain.failed)
			e->text.failed = plain.failed;
	}
	buf_add(out, buf_text(&e->text) + span->start, span->len);
}

// A stack that has no frame gets a mark, since an empty one is refused by many readers.
static int add_stack(struct folded *f, struct escaped *e, const struct profile *p, uint32_t node)
{
	CLEANUP(cleanup_free) uint32_t *path = NULL;
	size_t cap = 0, n = 0, start = f->text.len;
	for (uint32_t i = node; i; i = p->nodes[i].parent) {
		if (ARRAY_RESERVE(path, cap, n + 1))
			return -ENOMEM;
		path[n++] = p->nodes[i].frame;
	}
	if (!n)
		buf_str(&f->text, "[no Python frame]");
	for (size_t i = n; i-- > 0;) {
		add_frame(e, p, path[i], &f->text);
		if (i)
			buf_char(&f->text, ';');
	}
	return e->text.failed ? e->text.failed : folded_add(f, start, p->nodes[node].self);
}

static int by_text(const void *a, const void *b, void *arg)
{
	const struct line *x = a, *y = b;
	const char *text = arg;
	int c = memcmp(text + x->start, text + y->start, x->len < y->len ? x->len : y->len);
	return c ? c : (x->len > y->len) - (x->len < y->len);
}

// Puts the counts behind the texts, and the whole lines into bytewise order.
static void write_lines(struct folded *f, struct buf *out)
{
	for (size_t i = 0; i < f->n; i++) {
		struct line *line = &f->lines[i];
		line->len += (size_t)snprintf(f->text.data + line->start + line->len, COUNT_ROOM,
					      " %" PRIu64 "\n", line->samples);
	}
	if (f->n)
		qsort_r(f->lines, f->n, sizeof(*f->lines), by_text, f->text.data);
	for (size_t i = 0; i < f->n; i++)
		buf_add(out, f->text.data + f->lines[i].start, f->lines[i].len);
}

static int write_raw(const struct profile *p, struct buf *out)
{
	CLEANUP(folded_release) struct folded f = {0};
	CLEANUP(escaped_release) struct escaped e = {0};
	int rc = escaped_init(&e, p);
	for (uint32_t i = 0; !rc && i < p->n; i++) {
		if (p->nodes[i].self)
			rc = add_stack(&f, &e, p, i);
	}
	if (rc < 0)
		return rc;
	write_lines(&f, out);
	if (!f.n && p->info.note) {
		buf_str(out, "# ");
		escape_folded(out, p->info.note, strlen(p->info.note));
		buf_char(out, '\n');
	}
	return out->failed;
}

const struct format fmt_raw = {
	.name = "raw",
	.aliases = (const char *const[]){"folded", "collapsed", NULL},
	.suffixes = (const char *const[]){".folded", ".txt", ".collapsed", NULL},
	.summary = "folded stacks, root first, joined by ';', with counts",
	.write = write_raw,
};
