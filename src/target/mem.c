// SPDX-License-Identifier: MIT
// Reading another process's memory: what every kind of memory has in common.
#include "target/mem.h"

#include "util/err.h"

#include <errno.h>
#include <string.h>

long mem_read_some(struct mem *m, uint64_t addr, void *local, size_t len)
{
	if (!len)
		return -EINVAL;
	return m->ops->read(m, addr, local, len);
}

int mem_read(struct mem *m, uint64_t addr, void *local, size_t len)
{
	if (!len)
		return 0;
	long got = m->ops->read(m, addr, local, len);
	if (got < 0)
		return (int)got;
	return (size_t)got == len ? 0 : -EFAULT;
}

int mem_read_u64(struct mem *m, uint64_t addr, uint64_t *ret_value)
{
	return mem_read(m, addr, ret_value, sizeof(*ret_value));
}

int mem_read_u32(struct mem *m, uint64_t addr, uint32_t *ret_value)
{
	return mem_read(m, addr, ret_value, sizeof(*ret_value));
}

long mem_read_cstr(struct mem *m, uint64_t addr, char *local, size_t size)
{
	// Most texts are short: a second read is rarer than the copy of a whole page is dear.
	size_t step = 256;
	for (size_t have = 0; have < size;) {
		size_t want = size - have < step ? size - have : step;
		long got = m->ops->read(m, addr + have, local + have, want);
		if (got < 0)
			return got;
		char *nul = memchr(local + have, '\0', (size_t)got);
		if (nul)
			return nul - local;
		if ((size_t)got < want)
			return -EFAULT;
		have += want;
		step = 4096;
	}
	return -PA_EBOUND;
}

long mem_read_hot(struct mem *m, const struct mem_vec *vec, size_t n)
{
	return n ? m->ops->read_hot(m, vec, n) : 0;
}

void mem_close(struct mem *m)
{
	if (m)
		m->ops->close(m);
}
