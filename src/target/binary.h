// SPDX-License-Identifier: MIT
// An ELF file mapped into the target: symbols, sections, load bias.
#ifndef PYATTACH_TARGET_BINARY_H
#define PYATTACH_TARGET_BINARY_H

#include "target/target.h"

struct binary;

// Opens the file behind a mapping. The load bias comes from the file offset of that mapping and
// the program header that holds it, never from "the first mapping". err may be NULL.
int binary_open(struct target *t, const struct map_entry *entry, struct binary **ret,
		struct err *err);
void binary_close(struct binary *b); // NULL-safe

// Path as the target sees it.
const char *binary_path(const struct binary *b);
// 0 for a non-PIE executable.
uint64_t binary_bias(const struct binary *b);
// True when the machine is the one that we were built for (EM_X86_64 or EM_AARCH64).
bool binary_is_native(const struct binary *b);

// Runtime address and size of a defined symbol, from .dynsym (by its hash table, or linearly),
// then .symtab. Returns 0, -ENOENT, or -PA_EELF.
int binary_symbol(struct binary *b, const char *name, uint64_t *ret_addr, uint64_t *ret_size);
// Runtime address and size of an allocated section. Returns 0, -ENOENT, or -PA_EELF.
int binary_section(struct binary *b, const char *name, uint64_t *ret_addr, uint64_t *ret_size);
// Copies bytes at a runtime address from the file's initialised data (not from memory).
// Returns 0, -ENOENT (not in the file), or -PA_EELF.
int binary_file_bytes(struct binary *b, uint64_t addr, void *local, size_t len);
// The k-th writable PT_LOAD segment: runtime address and size in memory. Returns 0 or -ENOENT.
int binary_writable(struct binary *b, size_t k, uint64_t *ret_addr, uint64_t *ret_size);

#endif
