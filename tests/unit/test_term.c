// SPDX-License-Identifier: MIT
// Hostile bytes made harmless, and UTF-8 both ways.
#include "unit.h"

#include "util/cleanup.h"
#include "util/term.h"

#include <string.h>

static void decodes(void **state)
{
	(void)state;
	static const struct {
		const char *s;
		size_t len, n;
		uint32_t c;
	} cases[] = {
		{"A", 1, 1, 'A'},
		{"", 1, 1, 0},
		{"\x7f", 1, 1, 0x7f},
		{"\xc2\x80", 2, 2, 0x80},
		{"\xdf\xbf", 2, 2, 0x7ff},
		{"\xe0\xa0\x80", 3, 3, 0x800},
		{"\xed\x9f\xbf", 3, 3, 0xd7ff},
		{"\xee\x80\x80", 3, 3, 0xe000},
		{"\xef\xbf\xbf", 3, 3, 0xffff},
		{"\xf0\x90\x80\x80", 4, 4, 0x10000},
		{"\xf4\x8f\xbf\xbf", 4, 4, 0x10ffff},
		{"A", 0, 0, 0},
		{"\x80", 1, 0, 0},             // a lone continuation
		{"\xc0\x80", 2, 0, 0},         // overlong NUL
		{"\xc1\xbf", 2, 0, 0},         // overlong DEL
		{"\xe0\x9f\xbf", 3, 0, 0},     // overlong
		{"\xf0\x8f\xbf\xbf", 4, 0, 0}, // overlong
		{"\xed\xa0\x80", 3, 0, 0},     // surrogates
		{"\xed\xbf\xbf", 3, 0, 0},
		{"\xf4\x90\x80\x80", 4, 0, 0}, // above U+10FFFF
		{"\xf8\x88\x80\x80\x80", 5, 0, 0},
		{"\xfe", 1, 0, 0},
		{"\xff", 1, 0, 0},
		{"\xc2", 1, 0, 0}, // cut short
		{"\xe2\x82", 2, 0, 0},
		{"\xf0\x9f\x98", 3, 0, 0},
		{"\xe2\x82\xac", 2, 0, 0}, // the third byte is not ours
		{"\xe2\x28\xa1", 3, 0, 0}, // not a continuation
		{"\xe2\x82\x28", 3, 0, 0},
	};
	for (size_t i = 0; i < ROWS(cases); i++) {
		uint32_t c = 0;
		size_t n = utf8_next(cases[i].s, cases[i].len, &c);
		if (n != cases[i].n || c != cases[i].c)
			fail_msg("row %zu: %zu bytes, U+%04X", i, n, c);
	}
}

static void every_character_comes_back(void **state)
{
	(void)state;
	CLEANUP(buf_release) struct buf b = {0};
	for (uint32_t c = 0; c <= 0x10ffff; c++) {
		buf_clear(&b);
		utf8_add(&b, c);
		uint32_t back = 0;
		size_t n = utf8_next(b.data, b.len, &back);
		if (c >= 0xd800 && c <= 0xdfff) {
			assert_int_equal(b.len, 6);
			assert_int_equal(b.data[0], '\\');
		} else {
			assert_int_equal(n, b.len);
			assert_int_equal(back, c);
		}
	}
}

static void no_character(void **state)
{
	(void)state;
	CLEANUP(buf_release) struct buf b = {0};
	utf8_add(&b, 0xdc80);
	utf8_add(&b, 0x110000);
	utf8_add(&b, UINT32_MAX);
	assert_string_equal(buf_text(&b), "\\udc80\\U00110000\\Uffffffff");
}

static void escapes(void **state)
{
	(void)state;
	static const struct {
		const char *s;
		size_t len;
		const char *want;
	} cases[] = {
		{"", 0, ""},
		{"plain (a.py:1)", 14, "plain (a.py:1)"},
		{"back\\slash", 10, "back\\slash"},
		{"gr\xc3\xb6\xc3\x9f"
		 "e",
		 7,
		 "gr\xc3\xb6\xc3\x9f"
		 "e"},
		{"\xf0\x9f\x90\x8d", 4, "\xf0\x9f\x90\x8d"},
		{"\xe5\x87\xbd", 3, "\xe5\x87\xbd"},
		{"\x1b[2J", 4, "\\x1b[2J"},
		{"a\0b", 3, "a\\x00b"},
		{"\r\n\t\b\x7f", 5, "\\x0d\\x0a\\x09\\x08\\x7f"},
		{"\xc2\x9b", 2, "\\u009b"},                        // CSI as one character
		{"\x9b", 1, "\\x9b"},                              // and as a byte
		{"\xe2\x80\xae", 3, "\\u202e"},                    // right-to-left override
		{"\xe2\x81\xa6\xe2\x81\xa9", 6, "\\u2066\\u2069"}, // isolates
		{"\xe2\x80\xa8", 3, "\\u2028"},                    // line separator
		{"\xef\xbb\xbf", 3, "\\ufeff"},
		{"\xed\xb2\x80", 3, "\\xed\\xb2\\x80"}, // an encoded surrogate
		{"ok\xe2\x82", 4, "ok\\xe2\\x82"},
		{"\xff\xfe", 2, "\\xff\\xfe"},
	};
	for (size_t i = 0; i < ROWS(cases); i++) {
		CLEANUP(buf_release) struct buf b = {0};
		term_escape(&b, cases[i].s, cases[i].len);
		assert_string_equal(buf_text(&b), cases[i].want);
	}
}

// Whatever the bytes, what comes out is UTF-8 without a control character.
static void any_two_bytes(void **state)
{
	(void)state;
	CLEANUP(buf_release) struct buf b = {0};
	for (unsigned int v = 0; v < 0x10000; v++) {
		char in[] = {(char)(v >> 8), (char)v};
		buf_clear(&b);
		term_escape(&b, in, sizeof(in));
		assert_true(b.len >= 2);
		for (size_t i = 0; i < b.len;) {
			uint32_t c = 0;
			size_t n = utf8_next(b.data + i, b.len - i, &c);
			assert_true(n > 0);
			assert_false(term_is_control(c));
			i += n;
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(decodes),       cmocka_unit_test(every_character_comes_back),
		cmocka_unit_test(no_character),  cmocka_unit_test(escapes),
		cmocka_unit_test(any_two_bytes),
	};
	return unit_run("term", tests);
}
