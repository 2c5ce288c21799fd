// SPDX-License-Identifier: MIT
// Many small cold reads as few system calls: neighbours are read together.
#include "python/cold.h"

#include "util/err.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

// A system call costs about as much as copying this many bytes.
#define GAP   2048u
#define GROUP 16384u

static int by_addr(const void *a, const void *b)
{
	const struct cold_item *x = a, *y = b;
	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

static bool fatal(long rc)
{
	return rc == -PA_EGONE || rc == -EPERM;
}

static long read_one(struct mem *m, struct cold_item *item)
{
	long got = mem_read_some(m, item->addr, item->local, item->len);
	item->got = got > 0 ? (uint32_t)got : 0;
	return fatal(got) ? got : 0;
}

// The items [0, n) lie within one group: one read, and single ones where that fails.
static long read_group(struct mem *m, struct cold_item *items, size_t n, uint64_t end)
{
	char group[GROUP];
	uint64_t start = items[0].addr;
	long got = mem_read_some(m, start, group, (size_t)(end - start));
	if (fatal(got))
		return got;
	for (size_t i = 0; i < n; i++) {
		uint64_t off = items[i].addr - start;
		if (got > 0 && off + items[i].len <= (uint64_t)got) {
			memcpy(items[i].local, group + off, items[i].len);
			items[i].got = items[i].len;
			continue;
		}
		long rc = read_one(m, &items[i]);
		if (rc < 0)
			return rc;
	}
	return 0;
}

static bool is_sorted(const struct cold_item *items, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		if (items[i].addr < items[i - 1].addr)
			return false;
	}
	return true;
}

int cold_read(struct mem *m, struct cold_item *items, size_t n)
{
	if (!is_sorted(items, n))
		qsort(items, n, sizeof(*items), by_addr);
	for (size_t i = 0; i < n;) {
		uint64_t start = items[i].addr, end = start + items[i].len;
		size_t k = i + 1;
		for (; k < n; k++) {
			uint64_t stop = items[k].addr + items[k].len;
			stop = stop > end ? stop : end;
			if (items[k].addr > end + GAP || stop - start > GROUP)
				break;
			end = stop;
		}
		long rc = k - i > 1 ? read_group(m, items + i, k - i, end) : read_one(m, &items[i]);
		if (rc < 0)
			return (int)rc;
		i = k;
	}
	return 0;
}
