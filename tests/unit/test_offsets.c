// SPDX-License-Identifier: MIT
// Every value of every offsets table, against what was measured of CPython's structures.
#include "tests/unit/unit.h"

#include "python/fields.h"
#include "python/tables.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct field {
	const char *name;
	int width, since, until;
};

static const struct field fields[] = {
#define X(section, field, width, since, until) {#section "." #field, width, since, until},
	PY_FIELDS(X)
#undef X
};

struct place {
	const char *name;
	int since, until;
	const char *type, *member;
};

static const struct place places[] = {
#define X(section, field, since, until, type, member)                                              \
	{#section "." #field, since, until, #type, #member},
	PY_PLACES(X)
#undef X
};

struct trait {
	const char *name, *value;
	int since, until;
};

static const struct trait traits[] = {
#define X(trait, value, since, until) {#trait, #value, since, until},
	PY_TRAITS(X)
#undef X
};

// A line of measured.tsv or aarch64.tsv; width -1 = a size was measured, not a member.
struct measure {
	char release[16], flags[4], type[40], member[40];
	int version, value, width;
};

static struct measure measured[2000], aarch64[200];
static size_t n_measured, n_aarch64;

// An entry of the target's own table: where it stands there, and what it tells.
struct entry {
	char version[8], name[64], type[40], member[40];
	int byte;
};

static struct entry entries[200];
static size_t n_entries;

static size_t read_measures(const char *path, struct measure *rows, size_t max)
{
	FILE *f = fopen(path, "re");
	char line[256], width[16];
	size_t n = 0;
	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		struct measure *m = &rows[n];
		int minor;
		if (line[0] == '#')
			continue;
		assert_true(n++ < max);
		assert_int_equal(sscanf(line, "%15s %3s %39s %39s %d %15s", m->release, m->flags,
					m->type, m->member, &m->value, width),
				 6);
		assert_int_equal(sscanf(m->release, "3.%d.", &minor), 1);
		m->version = 300 + minor;
		m->width = strcmp(width, "-") ? atoi(width) : -1;
	}
	fclose(f);
	return n;
}

static int read_fixtures(void **state)
{
	(void)state;
	char line[256];
	n_measured = read_measures("fixtures/offsets/measured.tsv", measured, ROWS(measured));
	n_aarch64 = read_measures("fixtures/offsets/aarch64.tsv", aarch64, ROWS(aarch64));
	FILE *f = fopen("fixtures/offsets/debug-offsets.tsv", "re");
	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		struct entry *e = &entries[n_entries];
		if (line[0] == '#')
			continue;
		assert_true(n_entries++ < ROWS(entries));
		assert_int_equal(sscanf(line, "%7s %d %63s %39s %39s", e->version, &e->byte,
					e->name, e->type, e->member),
				 5);
	}
	fclose(f);
	return 0;
}

// The measured member of a release; fails when there is none.
static const struct measure *find_measure(const struct measure *release, const char *type,
					  const char *member)
{
	for (size_t i = 0; i < n_measured; i++) {
		const struct measure *m = &measured[i];
		if (!strcmp(m->release, release->release) && !strcmp(m->flags, release->flags) &&
		    !strcmp(m->type, type) && !strcmp(m->member, member))
			return m;
	}
	fail_msg("%s %s: %s.%s was not measured", release->release, release->flags, type, member);
	return NULL;
}

static const struct place *find_place(const char *name, int version)
{
	for (size_t i = 0; i < ROWS(places); i++) {
		const struct place *p = &places[i];
		if (!strcmp(p->name, name) && p->since <= version && version <= p->until)
			return p;
	}
	fail_msg("%s has no place in %d", name, version);
	return NULL;
}

static const char *bare_type(const struct place *p)
{
	return strncmp(p->type, "struct ", 7) ? p->type : p->type + 7;
}

// What a table's value comes to in that release: a number, or "@BYTE", "@BYTE+K", "@BYTE-K".
static int resolve(const struct measure *release, const char *text)
{
	char *end;
	if (text[0] != '@') {
		long value = strtol(text, &end, 10);
		assert_true(end != text && !*end);
		return (int)value;
	}
	long byte = strtol(text + 1, &end, 10);
	long distance = *end ? strtol(end, &end, 10) : 0;
	assert_true(!*end);
	for (size_t i = 0; i < n_entries; i++) {
		const struct entry *e = &entries[i];
		int minor;
		assert_int_equal(sscanf(e->version, "3.%d", &minor), 1);
		if (e->byte == byte && 300 + minor == release->version)
			return find_measure(release, e->type, e->member)->value + (int)distance;
	}
	fail_msg("%s: no entry is known at byte %ld", release->release, byte);
	return -1;
}

// Finds the value of "KEY VALUE" or "KEY NAME VALUE" lines; false when there is no such line.
static bool table_value(const char *text, const char *key, char value[64])
{
	size_t len = strlen(key);
	for (const char *line = text; *line;) {
		const char *end = strchr(line, '\n');
		assert_non_null(end);
		if (!strncmp(line, key, len) && line[len] == ' ')
			return sscanf(line + len, "%63s", value) == 1;
		line = end + 1;
	}
	return false;
}

static int table_version(const struct embedded_table *table)
{
	char value[64];
	int minor;
	assert_true(table_value(table->text, "python", value));
	assert_int_equal(sscanf(value, "3.%d", &minor), 1);
	return 300 + minor;
}

static const struct embedded_table *table_of(int version)
{
	for (size_t i = 0; i < embedded_tables_n; i++) {
		if (table_version(&embedded_tables[i]) == version)
			return &embedded_tables[i];
	}
	return NULL;
}

static void holds_release(const struct embedded_table *table, const struct measure *release)
{
	char value[64];
	for (size_t i = 0; i < ROWS(fields); i++) {
		const struct field *f = &fields[i];
		bool wanted = f->since <= release->version && release->version <= f->until;
		bool there = table_value(table->text, f->name, value);
		if (wanted != there)
			fail_msg("%s: %s is %s", table->name, f->name, there ? "extra" : "missing");
		if (!wanted)
			continue;
		const struct place *p = find_place(f->name, release->version);
		const struct measure *m = find_measure(release, bare_type(p), p->member);
		if (resolve(release, value) != m->value)
			fail_msg("%s: %s is %s, but %s %s has %d", table->name, f->name, value,
				 release->release, release->flags, m->value);
		if (f->width && f->width != m->width)
			fail_msg("%s: %d bytes are read, but %s %s has %d", f->name, f->width,
				 release->release, release->flags, m->width);
	}
}

// Also the debug builds, which have no tables of their own, and late patch releases.
static void hold_every_release(void **state)
{
	(void)state;
	size_t releases = 0;
	for (size_t i = 0; i < n_measured; i++) {
		const struct measure *m = &measured[i];
		if (i && !strcmp(m->release, m[-1].release) && !strcmp(m->flags, m[-1].flags))
			continue;
		const struct embedded_table *table = table_of(m->version);
		if (!table)
			fail_msg("%s was measured, but has no table", m->release);
		holds_release(table, m);
		releases++;
	}
	assert_true(releases > embedded_tables_n);
}

static void every_table_was_measured(void **state)
{
	(void)state;
	assert_true(embedded_tables_n > 0);
	for (size_t i = 0; i < embedded_tables_n; i++) {
		int version = table_version(&embedded_tables[i]);
		bool found = false;
		for (size_t k = 0; k < n_measured; k++)
			found |= measured[k].version == version;
		if (!found)
			fail_msg("%s: nothing was measured for it", embedded_tables[i].name);
	}
}

static void traits_fit(void **state)
{
	(void)state;
	for (size_t i = 0; i < embedded_tables_n; i++) {
		int version = table_version(&embedded_tables[i]);
		for (size_t k = 0; k < ROWS(traits); k++) {
			const struct trait *t = &traits[k];
			char line[80];
			snprintf(line, sizeof(line), "trait    %-10s %s\n", t->name, t->value);
			bool wanted = t->since <= version && version <= t->until;
			if (wanted != !!strstr(embedded_tables[i].text, line))
				fail_msg("%s: %s %s", embedded_tables[i].name, t->name, t->value);
		}
	}
}

// The tables name no machine: nothing that they use may differ between the two.
static void same_on_aarch64(void **state)
{
	(void)state;
	char value[64];
	for (size_t i = 0; i < embedded_tables_n; i++)
		assert_false(table_value(embedded_tables[i].text, "arch", value));
	assert_true(n_aarch64 > 0);
	for (size_t i = 0; i < n_aarch64; i++) {
		const struct measure *m = &aarch64[i];
		for (size_t k = 0; k < ROWS(places); k++) {
			const struct place *p = &places[k];
			if (p->since <= m->version && m->version <= p->until &&
			    !strcmp(bare_type(p), m->type) && !strcmp(p->member, m->member))
				fail_msg("%s differs on aarch64 in %s", p->name, m->release);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hold_every_release),
		cmocka_unit_test(every_table_was_measured),
		cmocka_unit_test(traits_fit),
		cmocka_unit_test(same_on_aarch64),
	};
	return cmocka_run_group_tests_name("offsets", tests, read_fixtures, NULL);
}
