// SPDX-License-Identifier: MIT
// The dynamic symbols of an ELF image, found through its program headers alone.
#include "target/dynsym.h"

#include <errno.h>
#include <string.h>

#define ENTRIES_MAX 4096     // of the dynamic table
#define SYMBOLS_MAX 1000000u // looked at one by one
#define CHAIN_MAX   65536u   // symbols in one bucket of a hash table
#define NAME_SIZE   256u     // of a name that we look for
#define BLOCK       64u      // symbols or chain words fetched at once

// In memory some loaders have turned the addresses in the table into runtime ones.
static uint64_t link_address(const struct image *im, uint64_t value)
{
	if (im->fd < 0 && im->bias && value >= im->bias && !image_bytes_at(im, value))
		return value - im->bias;
	return value;
}

static bool take_entry(struct dynsym *dyn, const struct image *im, const Elf64_Dyn *d)
{
	uint64_t at = link_address(im, d->d_un.d_ptr);
	switch (d->d_tag) {
	case DT_NULL:
		return false;
	case DT_SYMTAB:
		dyn->symbols = at;
		break;
	case DT_STRTAB:
		dyn->strings = at;
		break;
	case DT_STRSZ:
		dyn->strings_size = d->d_un.d_val;
		break;
	case DT_GNU_HASH:
		dyn->gnu_hash = at;
		break;
	case DT_HASH:
		dyn->sysv_hash = at;
		break;
	default:
		break;
	}
	return true;
}

int dynsym_open(struct dynsym *dyn, const struct image *im)
{
	*dyn = (struct dynsym){0};
	const Elf64_Phdr *ph = image_segment(im, PT_DYNAMIC);
	if (!ph)
		return -ENOENT;
	uint64_t left = image_bytes_at(im, ph->p_vaddr) / sizeof(Elf64_Dyn);
	if (left > ENTRIES_MAX)
		left = ENTRIES_MAX;
	for (uint64_t at = ph->p_vaddr; left;) {
		Elf64_Dyn block[BLOCK];
		size_t n = left < BLOCK ? left : BLOCK;
		if (image_read(im, at, block, n * sizeof(block[0])))
			break;
		for (size_t i = 0; i < n; i++)
			if (!take_entry(dyn, im, &block[i]))
				n = left = 0;
		left -= n;
		at += n * sizeof(block[0]);
	}
	if (!image_bytes_at(im, dyn->symbols) || !image_bytes_at(im, dyn->strings))
		return -ENOENT;
	if (dyn->strings_size > image_bytes_at(im, dyn->strings))
		dyn->strings_size = image_bytes_at(im, dyn->strings);
	return 0;
}

bool dynsym_is_placed(const Elf64_Sym *sym)
{
	return sym->st_shndx != SHN_UNDEF && sym->st_shndx != SHN_ABS &&
	       ELF64_ST_TYPE(sym->st_info) != STT_TLS &&
	       ELF64_ST_TYPE(sym->st_info) != STT_SECTION &&
	       ELF64_ST_TYPE(sym->st_info) != STT_FILE;
}

// One lookup.
struct wanted {
	const struct dynsym *dyn;
	const struct image *im;
	const char *name;
	size_t size; // of the name with its NUL
};

static bool is_wanted(const struct wanted *w, const Elf64_Sym *sym)
{
	char name[NAME_SIZE];
	if (!dynsym_is_placed(sym) || sym->st_name >= w->dyn->strings_size ||
	    w->size > w->dyn->strings_size - sym->st_name)
		return false;
	return !image_read(w->im, w->dyn->strings + sym->st_name, name, w->size) &&
	       !memcmp(name, w->name, w->size);
}

static bool is_symbol(const struct wanted *w, uint32_t index, Elf64_Sym *ret)
{
	return !image_read(w->im, w->dyn->symbols + index * sizeof(*ret), ret, sizeof(*ret)) &&
	       is_wanted(w, ret);
}

static uint32_t gnu_hash(const char *name)
{
	uint32_t h = 5381;
	for (const unsigned char *p = (const unsigned char *)name; *p; p++)
		h = h * 33 + *p;
	return h;
}

// Walks the chain of one bucket: words of which the lowest bit marks the last.
static int walk_gnu_chain(const struct wanted *w, uint64_t chain, uint32_t first, uint32_t base,
			  uint32_t hash, Elf64_Sym *ret)
{
	for (uint32_t at = first; at - first < CHAIN_MAX && at >= first;) {
		uint32_t words[BLOCK / 4];
		uint64_t from = chain + (uint64_t)(at - base) * 4;
		uint64_t n = image_bytes_at(w->im, from) / 4;
		if (n > BLOCK / 4)
			n = BLOCK / 4;
		if (!n || image_read(w->im, from, words, n * 4))
			return -ENOENT;
		for (size_t i = 0; i < n; i++) {
			if ((words[i] | 1) == (hash | 1) && is_symbol(w, at + (uint32_t)i, ret))
				return 0;
			if (words[i] & 1)
				return -ENOENT;
		}
		at += (uint32_t)n;
	}
	return -ENOENT;
}

static int find_by_gnu_hash(const struct wanted *w, Elf64_Sym *ret)
{
	struct {
		uint32_t buckets, base, bloom_words, bloom_shift;
	} head;
	uint64_t at = w->dyn->gnu_hash;
	if (image_read(w->im, at, &head, sizeof(head)) || !head.buckets || !head.bloom_words)
		return -ENOENT;
	uint32_t hash = gnu_hash(w->name), first;
	uint64_t bloom, word = hash / 64 % head.bloom_words;
	at += sizeof(head);
	if (image_read(w->im, at + word * 8, &bloom, 8))
		return -ENOENT;
	uint64_t bits = UINT64_C(1) << hash % 64 | UINT64_C(1)
							   << (hash >> head.bloom_shift % 32) % 64;
	if ((bloom & bits) != bits)
		return -ENOENT;
	at += (uint64_t)head.bloom_words * 8;
	if (image_read(w->im, at + (uint64_t)(hash % head.buckets) * 4, &first, 4) ||
	    first < head.base)
		return -ENOENT;
	at += (uint64_t)head.buckets * 4;
	return walk_gnu_chain(w, at, first, head.base, hash, ret);
}

static uint32_t sysv_hash(const char *name)
{
	uint32_t h = 0;
	for (const unsigned char *p = (const unsigned char *)name; *p; p++) {
		h = (h << 4) + *p;
		h = (h ^ (h >> 24 & 0xf0)) & 0x0fffffff;
	}
	return h;
}

static int find_by_sysv_hash(const struct wanted *w, Elf64_Sym *ret)
{
	uint32_t head[2], index;
	uint64_t at = w->dyn->sysv_hash;
	if (image_read(w->im, at, head, sizeof(head)) || !head[0])
		return -ENOENT;
	uint64_t slot = 2 + (uint64_t)(sysv_hash(w->name) % head[0]);
	for (uint32_t steps = 0; steps < CHAIN_MAX; steps++) {
		if (image_read(w->im, at + slot * 4, &index, 4) || !index || index >= head[1])
			return -ENOENT;
		if (is_symbol(w, index, ret))
			return 0;
		slot = 2 + (uint64_t)head[0] + index;
	}
	return -ENOENT;
}

// Without a hash table the number of symbols is not written anywhere; linkers put the names
// right behind them.
static int find_one_by_one(const struct wanted *w, Elf64_Sym *ret)
{
	uint64_t at = w->dyn->symbols;
	uint64_t left = (w->dyn->strings - at) / sizeof(*ret);
	if (w->dyn->strings <= at)
		return -ENOENT;
	if (left > SYMBOLS_MAX)
		left = SYMBOLS_MAX;
	while (left) {
		Elf64_Sym block[BLOCK];
		size_t n = left < BLOCK ? left : BLOCK;
		if (image_read(w->im, at, block, n * sizeof(block[0])))
			return -ENOENT;
		for (size_t i = 0; i < n; i++) {
			if (is_wanted(w, &block[i])) {
				*ret = block[i];
				return 0;
			}
		}
		left -= n;
		at += n * sizeof(block[0]);
	}
	return -ENOENT;
}

int dynsym_find(const struct dynsym *dyn, const struct image *im, const char *name, Elf64_Sym *ret)
{
	struct wanted w = {dyn, im, name, strlen(name) + 1};
	if (w.size > NAME_SIZE)
		return -ENOENT;
	if (dyn->gnu_hash)
		return find_by_gnu_hash(&w, ret);
	if (dyn->sysv_hash)
		return find_by_sysv_hash(&w, ret);
	return find_one_by_one(&w, ret);
}
