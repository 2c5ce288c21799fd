// SPDX-License-Identifier: MIT
// The dynamic symbols of an ELF image, found through its program headers alone.
#ifndef PYATTACH_TARGET_DYNSYM_H
#define PYATTACH_TARGET_DYNSYM_H

#include "target/image.h"

// Link-time addresses of the tables that PT_DYNAMIC names; 0 = there is none.
struct dynsym {
	uint64_t symbols, strings, strings_size;
	uint64_t gnu_hash, sysv_hash;
};

// Returns 0, or -ENOENT when the image has no usable dynamic table.
int dynsym_open(struct dynsym *dyn, const struct image *im);

// A defined symbol by its name: by a hash table, else one by one. A few reads of a few bytes, no
// table is copied. Returns 0 or -ENOENT.
int dynsym_find(const struct dynsym *dyn, const struct image *im, const char *name, Elf64_Sym *ret);

// True for what has an address in the image: defined, neither thread-local nor absolute.
bool dynsym_is_placed(const Elf64_Sym *sym);

#endif
