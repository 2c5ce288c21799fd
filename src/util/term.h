// SPDX-License-Identifier: MIT
// What may go to a terminal or into a line of text: hostile bytes made harmless.
#ifndef PYATTACH_UTIL_TERM_H
#define PYATTACH_UTIL_TERM_H

#include "util/buf.h"

// Appends text of a target to b: valid UTF-8 stays, C0, DEL, C1 and bidirectional controls and
// bytes that are no UTF-8 become \xNN (bytes) or \uNNNN (characters), a backslash stays.
void term_escape(struct buf *b, const char *s, size_t len);

// Length in bytes of the UTF-8 character at s (1 to 4), 0 if it is malformed, an encoded
// surrogate or above U+10FFFF; *ret_char receives the code point.
size_t utf8_next(const char *s, size_t len, uint32_t *ret_char);

// Appends a code point as UTF-8; surrogates and values above U+10FFFF become \uNNNN / \UNNNNNNNN.
void utf8_add(struct buf *b, uint32_t c);

// True for characters that must not reach a terminal raw.
int term_is_control(uint32_t c);

#endif
