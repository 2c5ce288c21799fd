// SPDX-License-Identifier: MIT
// str objects of the target as UTF-8 (PEP 393 kinds, and legacy strings up to 3.11).
#include "python/limits.h"
#include "python/object.h"
#include "util/cleanup.h"
#include "util/term.h"

#include <errno.h>
#include <string.h>

// Bits of PyASCIIObject.state, Include/cpython/unicodeobject.h.
#define STATE_KIND(state) ((state) >> 2 & 7)
#define STATE_COMPACT     (1u << 5)
#define STATE_ASCII       (1u << 6)
#define STATE_READY       (1u << 7) // up to 3.11

struct text {
	uint64_t addr;
	uint64_t n;     // characters
	uint32_t width; // bytes a character
};

// Where a str's characters are; head holds its first bytes.
static int locate(const struct runtime *rt, uint64_t obj, const char *head, size_t got,
		  struct text *ret)
{
	const struct layout *l = &rt->layout;
	int32_t ascii_size = LAYOUT_OFF(l, unicode, ascii_size);
	int32_t compact_size = LAYOUT_OFF(l, unicode, compact_size);
	if (got < (size_t)LAYOUT_OFF(l, unicode, state) + 4)
		return -EFAULT;
	uint32_t state = load_u32(head, LAYOUT_OFF(l, unicode, state));
	ret->n = load_u64(head, LAYOUT_OFF(l, unicode, length));
	ret->width = STATE_KIND(state);
	if (LAYOUT_HAS(l, str, legacy) && !(state & STATE_READY)) {
		ret->width = 4; // wchar_t
		int rc = mem_read_u64(rt->cold, obj + (uint64_t)LAYOUT_OFF(l, unicode, wstr),
				      &ret->addr);
		return rc < 0 ? rc
			      : mem_read_u64(rt->cold,
					     obj + (uint64_t)LAYOUT_OFF(l, unicode, wstr_length),
					     &ret->n);
	}
	if (state & STATE_COMPACT) {
		ret->addr = obj + (uint64_t)(state & STATE_ASCII ? ascii_size : compact_size);
		return 0;
	}
	return mem_read_u64(rt->cold, obj + (uint64_t)LAYOUT_OFF(l, unicode, data), &ret->addr);
}

static void add_text(struct buf *b, const char *bytes, size_t n, uint32_t width)
{
	for (size_t i = 0; i < n; i++) {
		uint32_t c = 0;
		memcpy(&c, bytes + i * width, width); // little-endian, like the target
		utf8_add(b, c);
	}
}

int object_str(const struct runtime *rt, uint64_t obj, struct buf *ret)
{
	char head[256];
	if (!obj || obj & 7)
		return -EFAULT;
	long got = mem_read_some(rt->cold, obj, head, sizeof(head));
	if (got < 0)
		return (int)got;
	struct text text;
	int rc = locate(rt, obj, head, (size_t)got, &text);
	if (rc < 0)
		return rc;
	if ((text.width != 1 && text.width != 2 && text.width != 4) || text.n > UINT64_C(1) << 40)
		return -PA_EBOUND;
	size_t n = text.n < LIMIT_STRING ? (size_t)text.n : LIMIT_STRING;
	uint64_t off = text.addr - obj;
	if (text.addr >= obj && off + n * text.width <= (uint64_t)got) {
		add_text(ret, head + off, n, text.width);
	} else {
		CLEANUP(cleanup_free) char *bytes = malloc(n * text.width + 1);
		if (!bytes)
			return -ENOMEM;
		rc = mem_read(rt->cold, text.addr, bytes, n * text.width);
		if (rc < 0)
			return rc;
		add_text(ret, bytes, n, text.width);
	}
	if (n < text.n)
		buf_str(ret, "...");
	return ret->failed;
}
