// SPDX-License-Identifier: MIT
// What may go to a terminal or into a line of text: hostile bytes made harmless.
#include "util/term.h"

#include <string.h>

size_t utf8_next(const char *s, size_t len, uint32_t *ret_char)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	const unsigned char *p = (const unsigned char *)s;
	if (!len)
		return 0;
	size_t n = p[0] < 0x80       ? 1
		   : p[0] >> 5 == 6  ? 2
		   : p[0] >> 4 == 14 ? 3
		   : p[0] >> 3 == 30 ? 4
				     : 0;
	if (!n || n > len)
		return 0;
	uint32_t c = n == 1 ? p[0] : p[0] & (0x7f >> n);
	for (size_t i = 1; i < n; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (p[i] & 0x3f);
	}
	if (c < least[n] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
		return 0;
	*ret_char = c;
	return n;
}

void utf8_add(struct buf *b, uint32_t c)
{
	if (c < 0x80) {
		buf_char(b, (char)c);
	} else if (c < 0x800) {
		buf_char(b, (char)(0xc0 | c >> 6));
		buf_char(b, (char)(0x80 | (c & 0x3f)));
	} else if (c >= 0xd800 && c <= 0xdfff) {
		buf_printf(b, "\\u%04x", c);
	} else if (c < 0x10000) {
		buf_char(b, (char)(0xe0 | c >> 12));
		buf_char(b, (char)(0x80 | (c >> 6 & 0x3f)));
		buf_char(b, (char)(0x80 | (c & 0x3f)));
	} else if (c <= 0x10ffff) {
		buf_char(b, (char)(0xf0 | c >> 18));
		buf_char(b, (char)(0x80 | (c >> 12 & 0x3f)));
		buf_char(b, (char)(0x80 | (c >> 6 & 0x3f)));
		buf_char(b, (char)(0x80 | (c & 0x3f)));
	} else {
		buf_printf(b, "\\U%08x", c);
	}
}

int term_is_control(uint32_t c)
{
	return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x061c || c == 0x200e || c == 0x200f ||
	       c == 0x2028 || c == 0x2029 || (c >= 0x202a && c <= 0x202e) ||
	       (c >= 0x2066 && c <= 0x2069) || c == 0xfeff;
}

void term_escape(struct buf *b, const char *s, size_t len)
{
	for (size_t i = 0; i < len;) {
		uint32_t c;
		size_t n = utf8_next(s + i, len - i, &c);
		if (!n) {
			buf_printf(b, "\\x%02x", (unsigned char)s[i]);
			n = 1;
		} else if (!term_is_control(c)) {
			buf_add(b, s + i, n);
		} else if (c < 0x80) {
			buf_printf(b, "\\x%02x", c);
		} else {
			buf_printf(b, "\\u%04x", c);
		}
		i += n;
	}
}
