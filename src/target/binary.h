// SPDX-License-Identifier: MIT
// An ELF file mapped into the target: symbols, sections, load bias.
#ifndef PYATTACH_TARGET_BINARY_H
#define PYATTACH_TARGET_BINARY_H

#include "target/target.h"

struct binary;

// Opens the file behind a mapping. The load bias comes from the file offset of that mapping and
// the program header that holds it, never from "the first mapping": it is the one at which the
// file's segments really are mapped, so that any mapping of a loaded file will do, also a page of
// it that was mapped again somewhere else. The file must begin as what is in memory does; where
// none does (deleted, replaced, out of reach) the image in memory serves in its place, which has
// the dynamic symbols and no sections. Returns 0, -ENOENT (no such file), -PA_EELF or another
// negative error; err may be NULL.
int binary_open(struct target *t, const struct map_entry *entry, struct binary **ret,
		struct err *err);
void binary_close(struct binary *b); // NULL-safe

// Path as the target sees it.
const char *binary_path(const struct binary *b);
// 0 for a non-PIE executable.
uint64_t binary_bias(const struct binary *b);
// True when it is a 64-bit file for the machine that we were built for (EM_X86_64 or EM_AARCH64).
// Nothing is found in one that is not.
bool binary_is_native(const struct binary *b);

// Runtime address and size of an exported symbol (.dynsym, by its hash table). Some microseconds,
// whether it is there or not. Returns 0 or -ENOENT.
int binary_export(struct binary *b, const char *name, uint64_t *ret_addr, uint64_t *ret_size);
// Runtime address and size of a defined symbol, from .dynsym (by its hash table, or linearly),
// then .symtab: a name that is nowhere costs a pass over all symbols, once. Returns 0, -ENOENT, or
// -ENOMEM.
int binary_symbol(struct binary *b, const char *name, uint64_t *ret_addr, uint64_t *ret_size);
// Runtime address and size of an allocated section. Returns 0, -ENOENT (also when the section
// headers are missing or broken), or -ENOMEM.
int binary_section(struct binary *b, const char *name, uint64_t *ret_addr, uint64_t *ret_size);
// Copies bytes at a runtime address from the file's initialised data (not from memory).
// Returns 0 or -ENOENT (not in the file).
int binary_file_bytes(struct binary *b, uint64_t addr, void *local, size_t len);
// The k-th writable PT_LOAD segment: runtime address and size in memory, zeroed tail included.
// Returns 0 or -ENOENT.
int binary_writable(struct binary *b, size_t k, uint64_t *ret_addr, uint64_t *ret_size);

#endif
