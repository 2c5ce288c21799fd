// SPDX-License-Identifier: MIT
// The formats of a recording, over profiles made in code.
//
// usage: test_formats                  the tests
//        test_formats PROFILE FORMAT   prints that profile, for the golden and the browser test
//        test_formats -l               lists the profiles
#include "unit.h"

#include "output/format.h"
#include "tests/lib/samples.h"
#include "util/cleanup.h"
#include "util/fs.h"
#include "util/term.h"

#include <regex.h>
#include <stdio.h>
#include <string.h>

extern const char flamegraph_css[], flamegraph_js[];
extern const size_t flamegraph_css_len, flamegraph_js_len;

static void by_name(void **state)
{
	(void)state;
	static const struct {
		const char *name, *want;
	} cases[] = {
		{"svg", "svg"}, {"SVG", "svg"},    {"flamegraph", "svg"}, {"FlameGraph", "svg"},
		{"raw", "raw"}, {"Folded", "raw"}, {"collapsed", "raw"},  {"", NULL},
		{"sv", NULL},   {"svgz", NULL},    {"speedscope", NULL},  {".svg", NULL},
	};
	for (size_t i = 0; i < ROWS(cases); i++) {
		const struct format *f = format_by_name(cases[i].name);
		assert_true(cases[i].want ? f && !strcmp(f->name, cases[i].want) : !f);
	}
	assert_string_equal(formats[0]->name, "svg");
}

static void by_path(void **state)
{
	(void)state;
	static const struct {
		const char *path, *want;
	} cases[] = {
		{"flame.svg", "svg"},   {"/tmp/x.SVG", "svg"}, {"a.txt", "raw"},
		{"a.b.folded", "raw"},  {".svg", "svg"},       {"a.collapsed", "raw"},
		{"svg", NULL},          {"a.svg.gz", NULL},    {"", NULL},
		{"dir.svg/file", NULL}, {"-", NULL},           {"a.svg ", NULL},
	};
	for (size_t i = 0; i < ROWS(cases); i++) {
		const struct format *f = format_by_path(cases[i].path);
		assert_true(cases[i].want ? f && !strcmp(f->name, cases[i].want) : !f);
	}
}

// Names, aliases and suffixes are found, and each belongs to one format.
static void rows_are_complete(void **state)
{
	(void)state;
	for (const struct format *const *f = formats; *f; f++) {
		assert_ptr_equal(format_by_name((*f)->name), *f);
		for (const char *const *alias = (*f)->aliases; *alias; alias++)
			assert_ptr_equal(format_by_name(*alias), *f);
		assert_non_null((*f)->suffixes[0]);
		for (const char *const *suffix = (*f)->suffixes; *suffix; suffix++) {
			assert_int_equal((*suffix)[0], '.');
			assert_ptr_equal(format_by_path(*suffix), *f);
		}
		assert_true(strlen((*f)->summary) > 5);
	}
}

static void frame_texts(void **state)
{
	(void)state;
	static const struct {
		const char *name, *file, *short_file;
		int line;
		bool mark, no_line, full_file;
		const char *want;
	} cases[] = {
		{"f", "/a/b.py", "b.py", 3, false, false, false, "f (b.py:3)"},
		{"f", "/a/b.py", "b.py", 3, false, false, true, "f (/a/b.py:3)"},
		{"f", "/a/b.py", "", 3, false, false, false, "f (/a/b.py:3)"},
		{"f", "/a/b.py", "b.py", 0, false, false, false, "f (b.py:?)"},
		{"f", "/a/b.py", "b.py", 0, false, true, false, "f (b.py)"},
		{"f", "/a/b.py", "b.py", -5, false, false, false, "f (b.py:?)"},
		{"", "", "", 0, false, false, false, "? (?:?)"},
		{"", "", "", 0, false, true, true, "? (?)"},
		{"[moving]", "", "", 0, true, false, false, "[moving]"},
		{"", "", "", 0, true, false, false, "?"},
	};
	for (size_t i = 0; i < ROWS(cases); i++) {
		struct frame_table *ft = frame_table_new();
		struct profile *p = profile_new(ft);
		CLEANUP(buf_release) struct buf b = {0};
		struct frame f = {.kind = cases[i].mark ? FRAME_MARK : FRAME_PYTHON,
				  .line = cases[i].line};
		uint32_t id;
		frame_table_string(ft, cases[i].name, strlen(cases[i].name), &f.name);
		frame_table_string(ft, cases[i].file, strlen(cases[i].file), &f.file);
		frame_table_string(ft, cases[i].short_file, strlen(cases[i].short_file),
				   &f.short_file);
		assert_int_equal(frame_table_add(ft, &f, &id), 0);
		p->info.no_line = cases[i].no_line;
		p->info.full_file = cases[i].full_file;
		format_frame(p, id, &b);
		assert_string_equal(buf_text(&b), cases[i].want);
		profile_free(p);
		frame_table_free(ft);
	}
}

// What holds for every profile in every format: UTF-8, no control byte but newlines.
static void clean_text(void **state)
{
	(void)state;
	for (const char *const *name = sample_profiles; *name; name++) {
		struct profile *p = sample_profile(*name);
		for (const struct format *const *f = formats; *f; f++) {
			CLEANUP(buf_release) struct buf b = {0};
			assert_int_equal((*f)->write(p, &b), 0);
			assert_true(b.len > 0);
			assert_int_equal(b.data[b.len - 1], '\n');
			for (size_t i = 0, n; i < b.len; i += n) {
				uint32_t c = 0;
				n = utf8_next(b.data + i, b.len - i, &c);
				assert_true(n > 0);
				assert_true(c == '\n' || c == '\t' || !term_is_control(c));
				assert_true(c != 0xfffe && c != 0xffff);
			}
		}
		sample_profile_free(p);
	}
}

// Lines in order, each a stack, one blank and a whole number; no frame that a reader of
// differential profiles would take for two counts; nothing lost.
static void raw_lines(void **state)
{
	(void)state;
	regex_t line, count;
	assert_int_equal(regcomp(&line, "^([^;]+;)*[^;]+ [1-9][0-9]*$", REG_EXTENDED), 0);
	assert_int_equal(regcomp(&count, "[[:space:]][0-9]+(\\.[0-9]*)?(;|$)", REG_EXTENDED), 0);
	for (const char *const *name = sample_profiles; *name; name++) {
		struct profile *p = sample_profile(*name);
		CLEANUP(buf_release) struct buf b = {0};
		assert_int_equal(format_by_name("raw")->write(p, &b), 0);
		uint64_t sum = 0;
		char *save = NULL, *before = NULL;
		for (char *s = strtok_r(b.data, "\n", &save); s; s = strtok_r(NULL, "\n", &save)) {
			if (!p->samples) {
				assert_memory_equal(s, "# Nothing ran: ", 15);
				continue;
			}
			if (regexec(&line, s, 0, NULL, 0))
				fail_msg("no stack and count: %s", s);
			char *blank = strrchr(s, ' ');
			sum += strtoull(blank + 1, NULL, 10);
			if (before)
				assert_true(strcmp(before, s) < 0);
			before = s;
			CLEANUP(cleanup_free) char *stack = strndup(s, (size_t)(blank - s));
			if (!regexec(&count, stack, 0, NULL, 0))
				fail_msg("a frame ends in a count: %s", stack);
		}
		assert_int_equal(sum, p->samples);
		sample_profile_free(p);
	}
	regfree(&line);
	regfree(&count);
}

static void same_text_is_one_line(void **state)
{
	(void)state;
	struct frame_table *ft = frame_table_new();
	struct profile *p = profile_new(ft);
	static const char *const marks[] = {"a;b", "a:b", "a\tb", "a b", "a\nb"};
	for (size_t i = 0; i < ROWS(marks); i++) {
		uint32_t id;
		assert_int_equal(frame_table_mark(ft, marks[i], &id), 0);
		assert_int_equal(profile_add(p, &id, 1, UINT64_C(1) << (4 * i)), 0);
	}
	uint32_t id;
	assert_int_equal(frame_table_mark(ft, "long", &id), 0);
	assert_int_equal(profile_add(p, &id, 1, UINT64_MAX / 2), 0);
	assert_int_equal(profile_finish(p), 0);
	CLEANUP(buf_release) struct buf b = {0};
	assert_int_equal(format_by_name("raw")->write(p, &b), 0);
	assert_string_equal(buf_text(&b), "a b 69888\na:b 17\nlong 9223372036854775807\n");
	profile_free(p);
	frame_table_free(ft);
}

// By hand: under the address sanitizer every strstr looks at all that is left.
static size_t count_of(const struct buf *b, const char *what)
{
	size_t n = 0, len = strlen(what);
	const char *s = buf_text(b), *end = s + b->len;
	while ((s = memchr(s, what[0], (size_t)(end - s)))) {
		bool hit = (size_t)(end - s) >= len && !memcmp(s, what, len);
		n += hit;
		s += hit ? len : 1;
	}
	return n;
}

// One script and one style, which are ours to the byte; no reference to anything outside.
static void svg_is_self_contained(void **state)
{
	(void)state;
	assert_null(strstr(flamegraph_js, "]]>"));
	assert_null(strstr(flamegraph_css, "]]>"));
	assert_int_equal(strlen(flamegraph_js), flamegraph_js_len);
	assert_int_equal(strlen(flamegraph_css), flamegraph_css_len);
	for (const char *const *name = sample_profiles; *name; name++) {
		struct profile *p = sample_profile(*name);
		CLEANUP(buf_release) struct buf b = {0};
		assert_int_equal(format_by_name("svg")->write(p, &b), 0);
		assert_int_equal(count_of(&b, "<script"), 1);
		assert_int_equal(count_of(&b, "<style"), 1);
		assert_int_equal(count_of(&b, "<![CDATA["), 2);
		assert_int_equal(count_of(&b, flamegraph_js), 1);
		assert_int_equal(count_of(&b, flamegraph_css), 1);
		assert_int_equal(count_of(&b, "href"), 0);
		assert_int_equal(count_of(&b, "url("), 0);
		assert_int_equal(count_of(&b, "://"), 3); // the names of SVG (twice) and HTML
		sample_profile_free(p);
	}
}

static void svg_has_every_box(void **state)
{
	(void)state;
	struct profile *p = sample_profile("large");
	CLEANUP(buf_release) struct buf b = {0};
	assert_int_equal(p->n, 100001);
	assert_int_equal(format_by_name("svg")->write(p, &b), 0);
	assert_int_equal(count_of(&b, "<g data-x="), 100001);
	assert_true(b.len < 30 * 1000 * 1000);
	sample_profile_free(p);
}

static void svg_says_what_is_left_out(void **state)
{
	(void)state;
	struct profile *p = sample_profile("narrow");
	CLEANUP(buf_release) struct buf b = {0};
	assert_int_equal(format_by_name("svg")->write(p, &b), 0);
	// A tenth of a pixel of 1180 is 177.7 samples: 2^0 to 2^7, twice, with their callees.
	assert_int_equal(count_of(&b, "; 32 boxes (0.02 %) too narrow to draw"), 2);
	assert_int_equal(count_of(&b, "<g data-x="), p->n - 32);
	sample_profile_free(p);
}

static void svg_of_nothing_says_why(void **state)
{
	(void)state;
	struct profile *p = sample_profile("nothing");
	CLEANUP(buf_release) struct buf b = {0};
	assert_int_equal(format_by_name("svg")->write(p, &b), 0);
	assert_non_null(strstr(buf_text(&b), ">Nothing ran: in 5.0 s at 100 Hz"));
	assert_int_equal(count_of(&b, "<g data-x="), 0);
	buf_clear(&b);
	free(p->info.note);
	p->info.note = NULL;
	assert_int_equal(format_by_name("svg")->write(p, &b), 0);
	assert_non_null(strstr(buf_text(&b), ">Nothing was sampled.<"));
	sample_profile_free(p);
}

static int print(const char *name, const char *format_name)
{
	const struct format *format = format_by_name(format_name);
	struct profile *p = sample_profile(name);
	CLEANUP(buf_release) struct buf b = {0};
	if (!p || !format) {
		fprintf(stderr, "test_formats: no %s or no %s\n", name, format_name);
		return 2;
	}
	int rc = format->write(p, &b);
	sample_profile_free(p);
	return rc < 0 || fs_write_all(1, b.data, b.len) < 0;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_name),
		cmocka_unit_test(by_path),
		cmocka_unit_test(rows_are_complete),
		cmocka_unit_test(frame_texts),
		cmocka_unit_test(clean_text),
		cmocka_unit_test(raw_lines),
		cmocka_unit_test(same_text_is_one_line),
		cmocka_unit_test(svg_is_self_contained),
		cmocka_unit_test(svg_has_every_box),
		cmocka_unit_test(svg_says_what_is_left_out),
		cmocka_unit_test(svg_of_nothing_says_why),
	};
	if (argc == 3)
		return print(argv[1], argv[2]);
	if (argc == 2 && !strcmp(argv[1], "-l")) {
		for (const char *const *name = sample_profiles; *name; name++)
			puts(*name);
		return 0;
	}
	return unit_run("formats", tests);
}
