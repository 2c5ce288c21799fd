// SPDX-License-Identifier: MIT
// A view of another memory that keeps pages it has read until it is told to forget them.
#include "target/mem_cache.h"

#include <stdlib.h>
#include <string.h>

#define PAGE  4096u
#define PAGES 64u // direct-mapped

struct cache {
	struct mem mem; // first
	struct mem *under;
	uint64_t at[PAGES]; // address | 1 of the page in each slot; 0 = none
	char (*pages)[PAGE];
};

// Returns the bytes available at addr in its page, or a negative error.
static long page_at(struct cache *c, uint64_t addr, const char **ret)
{
	uint64_t page = addr & ~(uint64_t)(PAGE - 1);
	size_t slot = (size_t)(page / PAGE ^ page / PAGE / PAGES) % PAGES;
	if (c->at[slot] != (page | 1)) {
		c->at[slot] = 0;
		long got = mem_read_some(c->under, page, c->pages[slot], PAGE);
		if (got != PAGE) // never so for memory: a page is mapped or it is not
			return got < 0 ? got : 0;
		c->at[slot] = page | 1;
	}
	*ret = c->pages[slot] + (addr - page);
	return (long)(PAGE - (addr - page));
}

static long cache_read(struct mem *m, uint64_t addr, void *local, size_t len)
{
	struct cache *c = (struct cache *)m;
	size_t done = 0;
	if (len > PAGE)
		return mem_read_some(c->under, addr, local, len);
	while (done < len) {
		const char *bytes;
		long room = page_at(c, addr + done, &bytes);
		if (room <= 0 && !done)
			return room < 0 ? room : mem_read_some(c->under, addr, local, len);
		if (room <= 0)
			break;
		size_t n = len - done < (size_t)room ? len - done : (size_t)room;
		memcpy((char *)local + done, bytes, n);
		done += n;
	}
	return (long)done;
}

static long cache_read_hot(struct mem *m, const struct mem_vec *vec, size_t n)
{
	return mem_read_hot(((struct cache *)m)->under, vec, n);
}

static void cache_close(struct mem *m)
{
	free(((struct cache *)m)->pages);
	free(m);
}

static const struct mem_ops cache_ops = {cache_read, cache_read_hot, cache_close};

struct mem *mem_cache_new(struct mem *under)
{
	struct cache *c = calloc(1, sizeof(*c));
	if (!c)
		return NULL;
	c->mem.ops = &cache_ops;
	c->under = under;
	c->pages = malloc(sizeof(*c->pages) * PAGES);
	if (!c->pages) {
		free(c);
		return NULL;
	}
	return &c->mem;
}

void mem_cache_forget(struct mem *cache)
{
	memset(((struct cache *)cache)->at, 0, sizeof(((struct cache *)cache)->at));
}
