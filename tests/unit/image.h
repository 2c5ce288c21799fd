// SPDX-License-Identifier: MIT
// Memory that a test lays out itself, behind the interface through which a target is read.
#ifndef PYATTACH_TESTS_IMAGE_H
#define PYATTACH_TESTS_IMAGE_H

#include "target/mem.h"

#include <errno.h>
#include <string.h>

#define IMAGE_BASE UINT64_C(0x7f0000000000)
#define IMAGE_SIZE 65536u

struct image {
	struct mem mem; // first
	char bytes[IMAGE_SIZE];
	int reads;
	// Called before each piece of a hot read is copied: a target that goes on meanwhile.
	void (*between)(struct image *image, size_t piece);
};

static inline long image_read(struct mem *m, uint64_t addr, void *local, size_t len)
{
	struct image *image = (struct image *)m;
	image->reads++;
	if (addr < IMAGE_BASE || addr >= IMAGE_BASE + IMAGE_SIZE)
		return -EFAULT;
	uint64_t room = IMAGE_BASE + IMAGE_SIZE - addr;
	len = len < room ? len : (size_t)room;
	memcpy(local, image->bytes + (addr - IMAGE_BASE), len);
	return (long)len;
}

static inline long image_read_hot(struct mem *m, const struct mem_vec *vec, size_t n)
{
	struct image *image = (struct image *)m;
	for (size_t i = 0; i < n; i++) {
		if (image->between)
			image->between(image, i);
		if (vec[i].len &&
		    image_read(m, vec[i].addr, vec[i].local, vec[i].len) != (long)vec[i].len)
			return (long)i;
	}
	return (long)n;
}

static inline void image_close(struct mem *m)
{
	(void)m;
}

static const struct mem_ops image_ops = {image_read, image_read_hot, image_close};

static inline void image_init(struct image *image)
{
	memset(image, 0, sizeof(*image));
	image->mem.ops = &image_ops;
}

static inline void image_put(struct image *image, uint64_t addr, const void *data, size_t len)
{
	memcpy(image->bytes + (addr - IMAGE_BASE), data, len);
}

static inline void image_u64(struct image *image, uint64_t addr, uint64_t value)
{
	image_put(image, addr, &value, sizeof(value));
}

static inline void image_u32(struct image *image, uint64_t addr, uint32_t value)
{
	image_put(image, addr, &value, sizeof(value));
}

#endif
