// SPDX-License-Identifier: MIT
// Text made fit for XML, folded stacks and JSON, and cut to a width.
#include "unit.h"

#include "output/escape.h"
#include "util/cleanup.h"
#include "util/term.h"

#include <string.h>

struct row {
	const char *s;
	const char *want;
};

typedef void escape_fn(struct buf *b, const char *s, size_t len);

static void check(const struct row *rows, size_t n, escape_fn *escape)
{
	for (size_t i = 0; i < n; i++) {
		CLEANUP(buf_release) struct buf b = {0};
		buf_str(&b, "> ");
		escape(&b, rows[i].s, strlen(rows[i].s));
		assert_string_equal(buf_text(&b) + 2, rows[i].want);
		assert_int_equal(b.len, strlen(rows[i].want) + 2);
	}
}

static void visible(void **state)
{
	(void)state;
	static const struct row rows[] = {
		{"", ""},
		{"f (a.py:1)", "f (a.py:1)"},
		{"gr\xc3\xb6\xc3\x9f\x1b[m", "gr\xc3\xb6\xc3\x9f\\x1b[m"},
		{"\xef\xbf\xbd\xef\xbf\xbe\xef\xbf\xbf", "\xef\xbf\xbd\\ufffe\\uffff"},
		{"a\xff"
		 "b",
		 "a\\xffb"},
		{"\xed\xa0\x80", "\\xed\\xa0\\x80"},
	};
	check(rows, ROWS(rows), escape_visible);
}

static void xml(void **state)
{
	(void)state;
	static const struct row rows[] = {
		{"", ""},
		{"<module>", "&lt;module&gt;"},
		{"a & 'b' \"c\"", "a &amp; &#39;b&#39; &quot;c&quot;"},
		{"]]>", "]]&gt;"},
		{"&amp;", "&amp;amp;"},
		{"\t\n\r", "\\x09\\x0a\\x0d"},
		{"\x01\x7f\xc2\x85\xe2\x80\xae", "\\x01\\x7f\\u0085\\u202e"},
		{"\xef\xbf\xbe<\xef\xbf\xbf", "\\ufffe&lt;\\uffff"},
		{"\xf0\x9f\x90\x8d\xc3", "\xf0\x9f\x90\x8d\\xc3"},
	};
	check(rows, ROWS(rows), escape_xml);
}

static void folded(void **state)
{
	(void)state;
	static const struct row rows[] = {
		{"f (a.py:1)", "f (a.py:1)"},
		{"a;b", "a:b"},
		{"a\tb\r\nc", "a b  c"},
		{"esc\x1b[m", "esc\\x1b[m"},
		{"\xe2\x80\xa8", "\\u2028"},
		{"ends  ", "ends"},
		{"ends\t\n", "ends"},
		{"ends\xc2\xa0\xe3\x80\x80", "ends"},
		{"", "?"},
		{" ", "?"},
		{"\n\n", "?"},
		{"thread (7): worker 12", "thread (7): worker_12"},
		{"worker\t12", "worker_12"},
		{"worker  12", "worker _12"},
		{"worker 12 ", "worker_12"},
		{"worker 12.", "worker_12."},
		{"worker 12.5", "worker_12.5"},
		{"worker .5", "worker .5"},
		{"worker 1.2.3", "worker 1.2.3"},
		{"worker-12", "worker-12"},
		{"worker 12a", "worker 12a"},
		{"worker 12)", "worker 12)"},
		{"worker\xc2\xa0"
		 "3",
		 "worker_3"},
		{"worker\xe3\x80\x80"
		 "44",
		 "worker_44"},
		{"12", "12"},
		{" 12", "_12"},
		{"1 2", "1_2"},
		{".", "."},
		{"5.", "5."},
		{"v 6 7", "v 6_7"},
	};
	check(rows, ROWS(rows), escape_folded);
}

static void utf8(void **state)
{
	(void)state;
	static const struct row rows[] = {
		{"", ""},
		{"\x01\n\"\\", "\x01\n\"\\"},
		{"gr\xc3\xb6\xc3\x9f\xef\xbf\xbf", "gr\xc3\xb6\xc3\x9f\xef\xbf\xbf"},
		{"\xff\xc3(\xed\xa0\x80", "\\xff\\xc3(\\xed\\xa0\\x80"},
	};
	check(rows, ROWS(rows), escape_utf8);
	CLEANUP(buf_release) struct buf b = {0};
	escape_utf8(&b, "a\0b", 3);
	assert_int_equal(b.len, 3);
}

// Whatever three bytes come: valid XML characters come out, and a second pass changes nothing.
static void any_bytes(void **state)
{
	(void)state;
	static const unsigned char third[] = {0, 'x', ' ', '5', 0x80, 0xbf, 0xc3, 0xff};
	CLEANUP(buf_release) struct buf once = {0}, twice = {0}, fold = {0};
	for (unsigned int v = 0; v < 0x10000 * ROWS(third); v++) {
		char in[] = {(char)(v >> 8), (char)v, (char)third[v >> 16]};
		buf_clear(&once);
		buf_clear(&twice);
		buf_clear(&fold);
		escape_visible(&once, in, sizeof(in));
		escape_visible(&twice, once.data, once.len);
		assert_string_equal(once.data, twice.data);
		escape_folded(&fold, in, sizeof(in));
		assert_true(fold.len > 0 && !strpbrk(fold.data, ";\r\n\t"));
		assert_int_equal(fold.len, strlen(fold.data));
		assert_int_not_equal(fold.data[fold.len - 1], ' ');
		for (size_t i = 0, n; i < once.len; i += n) {
			uint32_t c = 0;
			n = utf8_next(once.data + i, once.len - i, &c);
			assert_true(n && c >= 0x20 && c != 0xfffe && c != 0xffff);
		}
	}
}

static void cuts(void **state)
{
	(void)state;
	static const struct {
		const char *s;
		size_t columns;
		const char *want;
	} cases[] = {
		{"", 0, ""},
		{"abc", 3, "abc"},
		{"ab", 2, "ab"},
		{"abc", 2, ""},
		{"abcd", 3, "ab\xe2\x80\xa6"},
		{"abcdefgh", 7, "abcdef\xe2\x80\xa6"},
		{"\xc3\xb6\xc3\xb6\xc3\xb6\xc3\xb6", 4, "\xc3\xb6\xc3\xb6\xc3\xb6\xc3\xb6"},
		{"\xc3\xb6\xc3\xb6\xc3\xb6\xc3\xb6", 3, "\xc3\xb6\xc3\xb6\xe2\x80\xa6"},
		{"\xe5\x87\xbd\xe6\x95\xb0", 4, "\xe5\x87\xbd\xe6\x95\xb0"},
		{"\xe5\x87\xbd\xe6\x95\xb0", 3, "\xe5\x87\xbd\xe2\x80\xa6"},
		{"x\xe5\x87\xbd\xe6\x95\xb0", 4, "x\xe5\x87\xbd\xe2\x80\xa6"},
	};
	for (size_t i = 0; i < ROWS(cases); i++) {
		CLEANUP(buf_release) struct buf b = {0};
		text_cut(&b, cases[i].s, strlen(cases[i].s), cases[i].columns);
		assert_string_equal(buf_text(&b), cases[i].want);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(visible), cmocka_unit_test(xml),       cmocka_unit_test(folded),
		cmocka_unit_test(utf8),    cmocka_unit_test(any_bytes), cmocka_unit_test(cuts),
	};
	return unit_run("escape", tests);
}
