// SPDX-License-Identifier: MIT
// Text of a target made fit for XML, for folded stacks and for JSON.
#include "output/escape.h"

#include "util/term.h"

#include <string.h>

// Appends what escape_visible makes of the character at s; returns its length.
static size_t add_visible(struct buf *b, const char *s, size_t len)
{
	uint32_t c;
	size_t n = utf8_next(s, len, &c);
	if (n && (c == 0xfffe || c == 0xffff))
		buf_printf(b, "\\u%04x", c);
	else
		term_escape(b, s, n ? n : 1);
	return n ? n : 1;
}

static int is_plain(char c)
{
	return c >= 0x20 && c < 0x7f;
}

void escape_visible(struct buf *b, const char *s, size_t len)
{
	for (size_t i = 0; i < len;) {
		size_t run = i;
		while (run < len && is_plain(s[run]))
			run++;
		buf_add(b, s + i, run - i);
		i = run;
		if (i < len)
			i += add_visible(b, s + i, len - i);
	}
}

static const char *entity_of(char c)
{
	switch (c) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '"':
		return "&quot;";
	case '\'':
		return "&#39;";
	default:
		return NULL;
	}
}

void escape_xml(struct buf *b, const char *s, size_t len)
{
	for (size_t i = 0; i < len;) {
		size_t run = i;
		while (run < len && is_plain(s[run]) && !entity_of(s[run]))
			run++;
		buf_add(b, s + i, run - i);
		i = run;
		if (i == len)
			break;
		const char *entity = entity_of(s[i]);
		if (entity)
			buf_str(b, entity);
		i += entity ? 1 : add_visible(b, s + i, len - i);
	}
}

// Unicode's blanks (Zs), which some consumers' \s matches; the ASCII ones beside ' ' are gone.
static int is_blank(uint32_t c)
{
	return c == ' ' || c == 0xa0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200a) ||
	       c == 0x202f || c == 0x205f || c == 0x3000;
}

// Length of the blank that ends s, or 0.
static size_t blank_at_end(const char *s, size_t len)
{
	for (size_t n = 1; n <= 3 && n <= len; n++) {
		uint32_t c;
		if (utf8_next(s + len - n, n, &c) == n && is_blank(c))
			return n;
	}
	return 0;
}

// Where the number at the end of s (12, 12. or 12.5) begins; len when there is none.
static size_t number_at_end(const char *s, size_t len)
{
	size_t digits = len, at;
	while (digits && s[digits - 1] >= '0' && s[digits - 1] <= '9')
		digits--;
	at = digits;
	if (at && s[at - 1] == '.') {
		size_t whole = --at;
		while (at && s[at - 1] >= '0' && s[at - 1] <= '9')
			at--;
		if (at < whole)
			return at;
	}
	return digits;
}

void escape_folded(struct buf *b, const char *s, size_t len)
{
	size_t start = b->len;
	for (size_t i = 0; i < len;) {
		if (s[i] == ';')
			buf_char(b, ':');
		else if (s[i] == '\r' || s[i] == '\n' || s[i] == '\t')
			buf_char(b, ' ');
		if (s[i] == ';' || s[i] == '\r' || s[i] == '\n' || s[i] == '\t')
			i++;
		else
			i += add_visible(b, s + i, len - i);
	}
	if (b->failed)
		return;
	size_t n;
	while ((n = blank_at_end(buf_text(b) + start, b->len - start)))
		b->len -= n;
	size_t number = start + number_at_end(buf_text(b) + start, b->len - start);
	n = blank_at_end(buf_text(b) + start, number - start);
	if (number < b->len && n) {
		memmove(b->data + number - n + 1, b->data + number, b->len - number);
		b->data[number - n] = '_';
		b->len -= n - 1;
	}
	if (b->data)
		b->data[b->len] = '\0';
	if (b->len == start)
		buf_char(b, '?');
}

void escape_utf8(struct buf *b, const char *s, size_t len)
{
	for (size_t i = 0; i < len;) {
		uint32_t c;
		size_t n = utf8_next(s + i, len - i, &c);
		if (n)
			buf_add(b, s + i, n);
		else
			buf_printf(b, "\\x%02x", (unsigned char)s[i]);
		i += n ? n : 1;
	}
}

static size_t columns_of(const char *s, size_t len, size_t *ret_bytes)
{
	uint32_t c = 0;
	size_t n = utf8_next(s, len, &c);
	*ret_bytes = n ? n : 1;
	return c >= 0x1100 ? 2 : 1;
}

size_t text_columns(const char *s, size_t len)
{
	size_t columns = 0, n;
	for (size_t i = 0; i < len; i += n)
		columns += columns_of(s + i, len - i, &n);
	return columns;
}

void text_cut(struct buf *b, const char *s, size_t len, size_t columns)
{
	if (text_columns(s, len) <= columns) {
		buf_add(b, s, len);
		return;
	}
	if (columns < 3)
		return;
	size_t used = 0, i = 0;
	while (i < len) {
		size_t n, c = columns_of(s + i, len - i, &n);
		if (used + c > columns - 1)
			break;
		used += c;
		i += n;
	}
	buf_add(b, s, i);
	buf_str(b, "\xe2\x80\xa6");
}
