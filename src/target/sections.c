// SPDX-License-Identifier: MIT
// The section headers of an ELF file and the symbol tables that only they lead to, by libelf.
#include "target/sections.h"

#include "target/dynsym.h"
#include "util/cleanup.h"
#include "util/hash.h"

#include <errno.h>
#include <gelf.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>

#define TABLE_MAX (UINT64_C(256) << 20) // bytes of symbols or of their names

struct sections {
	Elf *elf;
	size_t names;       // index of the section that holds the sections' names
	struct map missing; // hashes of symbols that were looked for in vain
};

void sections_close(struct sections *s)
{
	if (!s)
		return;
	elf_end(s->elf);
	map_release(&s->missing);
	free(s);
}

static void sections_cleanup(struct sections **s)
{
	sections_close(*s);
}

int sections_open(const struct image *im, struct sections **ret)
{
	// A number that does not fit e_shnum stands in the first section: nothing that we look at
	// has as many, and libelf would allocate by it.
	if (im->fd < 0 || !im->native || !im->head.e_shnum ||
	    im->head.e_shentsize != sizeof(Elf64_Shdr))
		return -ENOENT;
	CLEANUP(sections_cleanup) struct sections *s = calloc(1, sizeof(*s));
	if (!s)
		return -ENOMEM;
	if (elf_version(EV_CURRENT) == EV_NONE)
		return -ENOENT;
	// Not ELF_C_READ_MMAP: see image.h.
	s->elf = elf_begin(im->fd, ELF_C_READ, NULL);
	if (!s->elf || elf_kind(s->elf) != ELF_K_ELF || elf_getshdrstrndx(s->elf, &s->names))
		return -ENOENT;
	*ret = TAKE(s);
	return 0;
}

int sections_find(struct sections *s, const char *name, uint64_t *ret_vaddr, uint64_t *ret_size)
{
	GElf_Shdr sh;
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(s->elf, scn));) {
		if (!gelf_getshdr(scn, &sh) || !(sh.sh_flags & SHF_ALLOC))
			continue;
		const char *have = elf_strptr(s->elf, s->names, sh.sh_name);
		if (!have || strcmp(have, name) != 0)
			continue;
		*ret_vaddr = sh.sh_addr;
		*ret_size = sh.sh_size;
		return 0;
	}
	return -ENOENT;
}

// The content of a section that is not larger than it may be, or NULL.
static const Elf_Data *data_of(Elf_Scn *scn)
{
	GElf_Shdr sh;
	if (!scn || !gelf_getshdr(scn, &sh) || sh.sh_size > TABLE_MAX || sh.sh_type == SHT_NOBITS ||
	    sh.sh_flags & SHF_COMPRESSED)
		return NULL;
	const Elf_Data *data = elf_getdata(scn, NULL);
	return data && data->d_buf ? data : NULL;
}

static int find_in_table(const Elf_Data *symbols, const Elf_Data *strings, const char *name,
			 Elf64_Sym *ret)
{
	size_t size = strlen(name) + 1;
	const char *text = strings->d_buf;
	for (size_t at = 0; at + sizeof(*ret) <= symbols->d_size; at += sizeof(*ret)) {
		Elf64_Sym sym;
		memcpy(&sym, (const char *)symbols->d_buf + at, sizeof(sym));
		if (sym.st_name >= strings->d_size || size > strings->d_size - sym.st_name ||
		    memcmp(text + sym.st_name, name, size) != 0 || !dynsym_is_placed(&sym))
			continue;
		*ret = sym;
		return 0;
	}
	return -ENOENT;
}

static int find_by_type(struct sections *s, uint32_t type, const char *name, Elf64_Sym *ret)
{
	GElf_Shdr sh;
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(s->elf, scn));) {
		if (!gelf_getshdr(scn, &sh) || sh.sh_type != type)
			continue;
		const Elf_Data *symbols = data_of(scn);
		const Elf_Data *strings = data_of(elf_getscn(s->elf, sh.sh_link));
		if (symbols && strings && !find_in_table(symbols, strings, name, ret))
			return 0;
	}
	return -ENOENT;
}

int sections_symbol(struct sections *s, const char *name, Elf64_Sym *ret)
{
	uint32_t at;
	uint64_t hash = hash_bytes(name, strlen(name));
	if (map_first(&s->missing, hash, &at) != MAP_NONE)
		return -ENOENT;
	if (!find_by_type(s, SHT_SYMTAB, name, ret) || !find_by_type(s, SHT_DYNSYM, name, ret))
		return 0;
	// Without memory for it the next search is slow again, no more.
	(void)map_add(&s->missing, hash, 0);
	return -ENOENT;
}
