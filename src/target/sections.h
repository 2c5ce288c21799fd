// SPDX-License-Identifier: MIT
// The section headers of an ELF file and the symbol tables that only they lead to, by libelf.
#ifndef PYATTACH_TARGET_SECTIONS_H
#define PYATTACH_TARGET_SECTIONS_H

#include "target/image.h"

struct sections;

// im is an image that was opened from a file and outlives the result. Returns 0, -ENOENT (there
// are no usable section headers), or -ENOMEM.
int sections_open(const struct image *im, struct sections **ret);
void sections_close(struct sections *s); // NULL-safe

// An allocated section by its name. Returns 0 or -ENOENT.
int sections_find(struct sections *s, const char *name, uint64_t *ret_vaddr, uint64_t *ret_size);
// A defined symbol, from .symtab, then .dynsym, one by one. A name that is not there is looked for
// only once. Returns 0 or -ENOENT.
int sections_symbol(struct sections *s, const char *name, Elf64_Sym *ret);

#endif
