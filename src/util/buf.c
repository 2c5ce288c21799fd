// SPDX-License-Identifier: MIT
// A growing byte buffer; the way in which every output is put together.
#include "util/buf.h"

#include "util/array.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void buf_release(struct buf *b)
{
	if (!b)
		return;
	free(b->data);
	*b = (struct buf){0};
}

void buf_clear(struct buf *b)
{
	b->len = 0;
	if (b->data)
		b->data[0] = '\0';
}

void buf_add(struct buf *b, const void *data, size_t len)
{
	if (b->failed)
		return;
	if (array_reserve(&b->data, &b->cap, b->len + len + 1, 1)) {
		b->failed = -ENOMEM;
		return;
	}
	if (len)
		memcpy(b->data + b->len, data, len);
	b->len += len;
	b->data[b->len] = '\0';
}

void buf_str(struct buf *b, const char *s)
{
	buf_add(b, s, strlen(s));
}

void buf_char(struct buf *b, char c)
{
	buf_add(b, &c, 1);
}

void buf_printf(struct buf *b, const char *fmt, ...)
{
	char small[256];
	va_list args, again;
	va_start(args, fmt);
	va_copy(again, args);
	int n = vsnprintf(small, sizeof(small), fmt, args);
	va_end(args);
	if (n >= 0 && (size_t)n < sizeof(small)) {
		buf_add(b, small, (size_t)n);
	} else if (n >= 0 && !b->failed) {
		if (array_reserve(&b->data, &b->cap, b->len + (size_t)n + 1, 1)) {
			b->failed = -ENOMEM;
		} else {
			vsnprintf(b->data + b->len, (size_t)n + 1, fmt, again);
			b->len += (size_t)n;
		}
	}
	va_end(again);
}

const char *buf_text(const struct buf *b)
{
	return b->data ? b->data : "";
}
