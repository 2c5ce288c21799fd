// SPDX-License-Identifier: MIT
// The target's memory mappings (/proc/PID/maps).
#ifndef PYATTACH_TARGET_MAPS_H
#define PYATTACH_TARGET_MAPS_H

#include "util/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct map_entry {
	uint64_t start, end; // [start, end)
	uint64_t offset;     // in the file, bytes
	uint64_t inode;      // 0 = anonymous
	uint32_t dev_major, dev_minor;
	bool read, write, exec;
	char *path; // decoded (octal escapes undone, " (deleted)" kept apart); NULL when anonymous
	bool deleted;
};

struct maps {
	struct map_entry *entries; // ascending
	size_t n, cap;
};

void maps_release(struct maps *maps);
// Parses the text of a maps file; lines that are none are passed over. Returns 0 or -ENOMEM.
int maps_parse(struct maps *maps, const char *text, size_t len);
// The entry that holds addr, or NULL.
const struct map_entry *maps_find(const struct maps *maps, uint64_t addr);
// True when all of [addr, addr + len) is mapped readable.
bool maps_readable(const struct maps *maps, uint64_t addr, uint64_t len);

#endif
