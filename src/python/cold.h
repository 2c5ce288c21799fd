// SPDX-License-Identifier: MIT
// Many small cold reads as few system calls: neighbours are read together.
#ifndef PYATTACH_PYTHON_COLD_H
#define PYATTACH_PYTHON_COLD_H

#include "target/mem.h"

#include <stdbool.h>

struct cold_item {
	uint64_t addr;
	void *local;
	uint32_t len;
	uint32_t got; // bytes read; fewer than len where the mapping ends or nothing is there
};

// Reads every item; sorts the array by address. Returns 0 (an item that could not be read has
// got == 0) or -PA_EGONE, -ENOMEM, -EPERM.
int cold_read(struct mem *m, struct cold_item *items, size_t n);

#endif
