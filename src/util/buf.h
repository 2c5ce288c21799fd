// SPDX-License-Identifier: MIT
// A growing byte buffer; the way in which every output is put together.
#ifndef PYATTACH_UTIL_BUF_H
#define PYATTACH_UTIL_BUF_H

#include <stddef.h>
#include <stdint.h>

// Zero-initialise ({0}) or buf_init; always NUL-terminated once anything was added. A failed
// allocation is remembered in "failed" and makes every later call a no-op, so that a writer
// checks once, at its end.
struct buf {
	char *data;
	size_t len;
	size_t cap;
	int failed; // 0 or -ENOMEM
};

void buf_release(struct buf *b); // frees; NULL-safe; the buffer can be used again
void buf_clear(struct buf *b);   // length 0, keeps the memory
void buf_add(struct buf *b, const void *data, size_t len);
void buf_str(struct buf *b, const char *s);
void buf_char(struct buf *b, char c);
void buf_printf(struct buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
// The text so far, never NULL.
const char *buf_text(const struct buf *b);

#endif
