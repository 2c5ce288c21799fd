// SPDX-License-Identifier: MIT
// An offsets table: parse, validate, choose for a version and its build flags.
#include "python/layout.h"

#include "python/limits.h"
#include "python/tables.h"
#include "util/parse.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

struct field_row {
	const char *section, *field;
	uint32_t width;
	int since, until;
};

static const struct field_row field_rows[] = {
#define X(section, field, width, since, until) {#section, #field, width, since, until},
	PY_FIELDS(X)
#undef X
};

struct trait_row {
	const char *trait, *value;
};

static const struct trait_row trait_rows[] = {
#define X(trait, value, since, until) {#trait, #value},
	PY_TRAITS(X)
#undef X
};

struct line {
	const char *words[3];
	size_t n;
	char text[160];
};

struct reader {
	const char *at, *end;
	const char *name; // of the table, for errors
	unsigned number;  // of the line
	const uint8_t *debug_table;
	size_t debug_len;
	struct err *err;
};

static int fault(struct reader *r, const char *what)
{
	return err_set(r->err, -PA_ELAYOUT, "Offsets table %s, line %u: %s.", r->name, r->number,
		       what);
}

// Splits the next line that holds something into words. Returns 1, 0 at the end, or an error.
static int next_line(struct reader *r, struct line *line)
{
	while (r->at < r->end) {
		const char *nl = memchr(r->at, '\n', (size_t)(r->end - r->at));
		const char *stop = nl ? nl : r->end;
		size_t len = (size_t)(stop - r->at);
		const char *hash = memchr(r->at, '#', len);
		if (hash)
			len = (size_t)(hash - r->at);
		r->number++;
		if (len >= sizeof(line->text) || memchr(r->at, '\0', len))
			return fault(r, "the line is no line of a table");
		memcpy(line->text, r->at, len);
		line->text[len] = '\0';
		r->at = nl ? nl + 1 : r->end;
		line->n = 0;
		char *save = NULL;
		for (char *w = strtok_r(line->text, " \t\r", &save); w;
		     w = strtok_r(NULL, " \t\r", &save)) {
			if (line->n == 3)
				return fault(r, "too many words");
			line->words[line->n++] = w;
		}
		if (line->n)
			return 1;
	}
	return 0;
}

static int parse_version(struct reader *r, const char *s, int *ret)
{
	unsigned major, minor;
	char rest;
	if (sscanf(s, "%1u.%2u%c", &major, &minor, &rest) != 2)
		return fault(r, "the version is not of the form 3.11");
	*ret = (int)(major * 100 + minor);
	return 0;
}

// "144", "@64" or "@208+8".
static int parse_value(struct reader *r, struct layout *l, const char *s, int32_t *ret)
{
	int64_t value = 0;
	if (*s == '@') {
		unsigned long at;
		long delta = 0;
		char rest;
		int got = sscanf(s + 1, "%5lu%6ld%c", &at, &delta, &rest);
		if (got != 1 && got != 2)
			return fault(r, "a value is a number, @N, @N+K or @N-K");
		if (!r->debug_table || at + 8 > r->debug_len)
			return fault(r, "the value needs an entry that the target's own table does "
					"not have");
		uint64_t own = load_u64(r->debug_table, (int32_t)at);
		if (own > LIMIT_OFFSET)
			return fault(r, "the target's own table holds no offset there");
		value = (int64_t)own + delta;
		l->from_target = true;
	} else {
		uint64_t number;
		if (parse_u64(s, &number) < 0 || number > LIMIT_OFFSET)
			return fault(r, "a value is a number, @N, @N+K or @N-K");
		value = (int64_t)number;
	}
	if (value < 0 || value > (int64_t)LIMIT_OFFSET)
		return fault(r, "the offset is out of bounds");
	*ret = (int32_t)value;
	return 0;
}

static int take_trait(struct reader *r, struct layout *l, const struct line *line)
{
	if (line->n != 3)
		return fault(r, "a trait has a name and a value");
	bool known = false;
	for (size_t i = 0; i < PY_TRAIT_COUNT; i++) {
		if (strcmp(trait_rows[i].trait, line->words[1]))
			continue;
		if (l->traits >> i & 1)
			return fault(r, "the trait has a value already");
		if (!strcmp(trait_rows[i].value, line->words[2])) {
			l->traits |= 1u << i;
			known = true;
		}
	}
	return known ? 0 : fault(r, "unknown trait");
}

static int take_field(struct reader *r, struct layout *l, const struct line *line)
{
	const char *dot = strchr(line->words[0], '.');
	if (line->n != 2 || !dot)
		return fault(r, "a field is section.field and one value");
	size_t section = (size_t)(dot - line->words[0]);
	for (size_t i = 0; i < PY_FIELD_COUNT; i++) {
		const struct field_row *row = &field_rows[i];
		if (strlen(row->section) != section ||
		    strncmp(row->section, line->words[0], section) || strcmp(row->field, dot + 1))
			continue;
		if (l->off[i] >= 0)
			return fault(r, "the field has a value already");
		return parse_value(r, l, line->words[1], &l->off[i]);
	}
	return fault(r, "unknown field");
}

static int take_line(struct reader *r, struct layout *l, const struct line *line)
{
	const char *key = line->words[0];
	if (!strcmp(key, "python"))
		return line->n == 2 ? parse_version(r, line->words[1], &l->version)
				    : fault(r, "python has one version");
	if (!strcmp(key, "flags")) {
		if (line->n != 2 || line->words[1][strspn(line->words[1], "-dt")])
			return fault(r, "flags are d, t, dt or -");
		l->debug = strchr(line->words[1], 'd');
		l->free_threaded = strchr(line->words[1], 't');
		return 0;
	}
	if (!strcmp(key, "arch")) {
#if defined(__x86_64__)
		const char *ours = "x86_64";
#elif defined(__aarch64__)
		const char *ours = "aarch64";
#else
#error "no offsets tables for this architecture"
#endif
		if (line->n != 2 || strcmp(line->words[1], ours))
			return fault(r, "the table is for another architecture");
		return 0;
	}
	if (!strcmp(key, "trait"))
		return take_trait(r, l, line);
	return take_field(r, l, line);
}

// Bytes from a structure's start that hold all of its fields.
static uint32_t span_of(const struct layout *l, const char *section)
{
	uint32_t span = 0;
	for (size_t i = 0; i < PY_FIELD_COUNT; i++) {
		if (l->off[i] < 0 || strcmp(field_rows[i].section, section))
			continue;
		uint32_t end = (uint32_t)l->off[i] + field_rows[i].width;
		span = end > span ? end : span;
	}
	return (span + 7) & ~7u;
}

static int check_traits(struct reader *r, const struct layout *l)
{
	for (size_t i = 0; i < PY_TRAIT_COUNT; i++) {
		bool any = false;
		for (size_t k = 0; k < PY_TRAIT_COUNT; k++)
			any |= !strcmp(trait_rows[k].trait, trait_rows[i].trait) &&
			       (l->traits >> k & 1);
		if (!any)
			return err_set(r->err, -PA_ELAYOUT,
				       "Offsets table %s: trait %s is missing.", r->name,
				       trait_rows[i].trait);
	}
	return 0;
}

static int check_layout(struct reader *r, struct layout *l)
{
	if (!l->version)
		return err_set(r->err, -PA_ELAYOUT,
			       "Offsets table %s: the line 'python X.Y' is "
			       "missing.",
			       r->name);
	for (size_t i = 0; i < PY_FIELD_COUNT; i++) {
		const struct field_row *row = &field_rows[i];
		if (l->version >= row->since && l->version <= row->until && l->off[i] < 0)
			return err_set(r->err, -PA_ELAYOUT, "Offsets table %s: %s.%s is missing.",
				       r->name, row->section, row->field);
	}
	int rc = check_traits(r, l);
	if (rc < 0)
		return rc;
	l->thread_size = span_of(l, "thread");
	l->frame_size = span_of(l, "frame");
	l->cframe_size = span_of(l, "cframe");
	l->code_size = span_of(l, "code");
	l->gil_size = span_of(l, "gil");
	if (l->thread_size > LIMIT_SLICE || l->frame_size > LIMIT_SLICE ||
	    l->cframe_size > LIMIT_SLICE || l->code_size > LIMIT_SLICE || l->gil_size > LIMIT_SLICE)
		return err_set(r->err, -PA_ELAYOUT,
			       "Offsets table %s: a structure is larger than "
			       "%u bytes.",
			       r->name, LIMIT_SLICE);
	return 0;
}

int layout_parse(const char *text, size_t len, const char *name, const uint8_t *debug_table,
		 size_t debug_len, struct layout *ret, struct err *err)
{
	struct reader r = {.at = text,
			   .end = text + len,
			   .name = name,
			   .debug_table = debug_table,
			   .debug_len = debug_len,
			   .err = err};
	*ret = (struct layout){0};
	for (size_t i = 0; i < PY_FIELD_COUNT; i++)
		ret->off[i] = -1;
	struct line line;
	int rc;
	while ((rc = next_line(&r, &line)) > 0) {
		rc = take_line(&r, ret, &line);
		if (rc < 0)
			return rc;
	}
	return rc < 0 ? rc : check_layout(&r, ret);
}

int layout_head(const char *text, size_t len, const char *name, struct layout_head *ret,
		struct err *err)
{
	struct reader r = {.at = text, .end = text + len, .name = name, .err = err};
	struct layout l = {0};
	struct line line;
	int rc;
	while ((rc = next_line(&r, &line)) > 0) {
		if (strcmp(line.words[0], "python") && strcmp(line.words[0], "flags"))
			continue;
		rc = take_line(&r, &l, &line);
		if (rc < 0)
			return rc;
	}
	if (rc < 0)
		return rc;
	*ret = (struct layout_head){l.version, l.debug, l.free_threaded};
	if (!l.version)
		return err_set(err, -PA_ELAYOUT,
			       "Offsets table %s: the line 'python X.Y' is "
			       "missing.",
			       name);
	return 0;
}

int layout_builtin(int version, bool debug, bool free_threaded, const char **ret_name,
		   const char **ret_text, size_t *ret_len)
{
	const struct embedded_table *best = NULL;
	for (size_t i = 0; i < embedded_tables_n; i++) {
		const struct embedded_table *table = &embedded_tables[i];
		struct layout_head head;
		if (layout_head(table->text, table->len, table->name, &head, NULL) < 0 ||
		    head.version != version || head.free_threaded != free_threaded ||
		    (head.debug && !debug))
			continue;
		if (!best || head.debug)
			best = table;
	}
	if (!best)
		return -ENOENT;
	*ret_name = best->name;
	*ret_text = best->text;
	*ret_len = best->len;
	return 0;
}
