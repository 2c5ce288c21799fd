// SPDX-License-Identifier: MIT
// A small ELF file put together byte by byte, so that a test knows where everything is and can
// spoil it; and what a loader would do with it.
#ifndef PYATTACH_TESTS_ELF_FILE_H
#define PYATTACH_TESTS_ELF_FILE_H

#include "unit.h"

#include <elf.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>

enum elf_hash { ELF_HASH_GNU, ELF_HASH_SYSV, ELF_HASH_NONE };

// Offsets in the file. The code ends and the data begins inside one page of the file, which is
// therefore mapped twice, as linkers do without "separate-code".
enum {
	AT_SEGMENTS = 0x40,
	AT_SYMBOLS = 0x200,
	AT_STRINGS = 0x300,
	AT_HASH = 0x400,
	AT_SYMTAB = 0x500,
	AT_STRTAB = 0x600,
	AT_SECTION_NAMES = 0x680,
	AT_SECTIONS = 0x700,
	AT_DATA = 0x1f40,
	AT_DYNAMIC = AT_DATA,
	AT_VALUE = 0x1fe0, // what "alpha" names
	ELF_SIZE = 0x2040,
	// Link addresses, relative to the first: the data lies one page further up.
	SHIFT = 0x1000,
	DATA_MEMSZ = 0x3000,
	BETA = 0x180,  // relative address and size of "beta", which is code
	LOCAL = 0x1c0, // of "local_one", which is in .symtab only
	SYMBOLS = 6,
};

#if defined(__x86_64__)
#define ELF_MACHINE EM_X86_64
#else
#define ELF_MACHINE EM_AARCH64
#endif

struct elf_file {
	uint64_t base; // link address of offset 0
	unsigned char bytes[ELF_SIZE];
};

// At offset at, copies a struct or an array.
#define ELF_PUT(f, at, thing) memcpy((f)->bytes + (at), &(thing), sizeof(thing))

static inline void elf_put_symbols(struct elf_file *f)
{
	static const char strings[] = "\0alpha\0beta\0undefined_one\0tls_one\0absolute";
	uint64_t data = f->base + SHIFT;
	unsigned char object = ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT);
	const Elf64_Sym symbols[SYMBOLS] = {
		{0},
		{.st_name = 12, .st_info = object, .st_shndx = SHN_UNDEF, .st_value = 1},
		{1, object, 0, 2, data + AT_VALUE, 16},
		{26, ELF64_ST_INFO(STB_GLOBAL, STT_TLS), 0, 2, 8, 8},
		{34, object, 0, SHN_ABS, 0x77, 8},
		{7, ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), 0, 1, f->base + BETA, 32},
	};
	static const char more[] = "\0local_one\0alpha";
	const Elf64_Sym symtab[] = {
		{0},
		{1, ELF64_ST_INFO(STB_LOCAL, STT_OBJECT), 0, 1, f->base + LOCAL, 4},
		{11, object, 0, 2, data + AT_VALUE, 16},
	};
	ELF_PUT(f, AT_STRINGS, strings);
	ELF_PUT(f, AT_SYMBOLS, symbols);
	ELF_PUT(f, AT_STRTAB, more);
	ELF_PUT(f, AT_SYMTAB, symtab);
}

static inline uint32_t elf_gnu_hash(const char *name)
{
	uint32_t h = 5381;
	while (*name)
		h = (h << 5) + h + (unsigned char)*name++;
	return h;
}

// One bucket, which holds every symbol but the undefined one.
static inline void elf_put_hash(struct elf_file *f, enum elf_hash hash)
{
	static const char *const names[] = {"alpha", "tls_one", "absolute", "beta"};
	if (hash == ELF_HASH_GNU) {
		uint32_t words[4 + 2 + 1 + 4] = {1, 2, 1, 6, 0, 0, 2};
		uint64_t bloom = 0;
		for (size_t i = 0; i < ROWS(names); i++) {
			uint32_t h = elf_gnu_hash(names[i]);
			bloom |= UINT64_C(1) << h % 64 | UINT64_C(1) << (h >> 6) % 64;
			words[7 + i] = (h & ~1u) | (i == ROWS(names) - 1);
		}
		memcpy(&words[4], &bloom, sizeof(bloom));
		ELF_PUT(f, AT_HASH, words);
	} else if (hash == ELF_HASH_SYSV) {
		const uint32_t words[] = {1, SYMBOLS, 1, 0, 2, 3, 4, 5, 0};
		ELF_PUT(f, AT_HASH, words);
	}
}

static inline void elf_put_dynamic(struct elf_file *f, enum elf_hash hash)
{
	// Without a hash table the number of symbols follows from the names behind them.
	const Elf64_Dyn dynamic[] = {
		{DT_STRTAB, {f->base + AT_STRINGS}},
		{DT_STRSZ, {0x40}},
		{DT_SYMTAB, {f->base + AT_SYMBOLS}},
		{hash == ELF_HASH_NONE   ? DT_DEBUG
		 : hash == ELF_HASH_SYSV ? DT_HASH
					 : DT_GNU_HASH,
		 {hash == ELF_HASH_NONE ? 0 : f->base + AT_HASH}},
		{DT_NULL, {0}},
	};
	ELF_PUT(f, AT_DYNAMIC, dynamic);
}

static inline void elf_put_sections(struct elf_file *f)
{
	static const char names[] = "\0.test\0.symtab\0.strtab\0.dynsym\0.dynstr\0.names\0.comment";
	const Elf64_Shdr sections[] = {
		{0},
		{1, SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, f->base + SHIFT + AT_VALUE, AT_VALUE, 16,
		 0, 0, 8, 0},
		{7, SHT_SYMTAB, 0, 0, AT_SYMTAB, 3 * sizeof(Elf64_Sym), 3, 2, 8, sizeof(Elf64_Sym)},
		{15, SHT_STRTAB, 0, 0, AT_STRTAB, 0x20, 0, 0, 1, 0},
		{23, SHT_DYNSYM, SHF_ALLOC, f->base + AT_SYMBOLS, AT_SYMBOLS,
		 SYMBOLS * sizeof(Elf64_Sym), 5, 1, 8, sizeof(Elf64_Sym)},
		{31, SHT_STRTAB, SHF_ALLOC, f->base + AT_STRINGS, AT_STRINGS, 0x40, 0, 0, 1, 0},
		{39, SHT_STRTAB, 0, 0, AT_SECTION_NAMES, sizeof(names), 0, 0, 1, 0},
		{46, SHT_PROGBITS, 0, 0, AT_STRTAB, 4, 0, 0, 1, 0}, // not allocated
	};
	ELF_PUT(f, AT_SECTION_NAMES, names);
	ELF_PUT(f, AT_SECTIONS, sections);
}

static inline void elf_make(struct elf_file *f, uint16_t type, uint64_t base, enum elf_hash hash)
{
	*f = (struct elf_file){.base = base};
	const Elf64_Ehdr head = {
		.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
			    EV_CURRENT},
		.e_type = type,
		.e_machine = ELF_MACHINE,
		.e_version = EV_CURRENT,
		.e_phoff = AT_SEGMENTS,
		.e_shoff = AT_SECTIONS,
		.e_ehsize = sizeof(Elf64_Ehdr),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = 3,
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = 8,
		.e_shstrndx = 6,
	};
	uint64_t data = base + SHIFT + AT_DATA;
	const Elf64_Phdr segments[] = {
		{PT_LOAD, PF_R | PF_X, 0, base, base, AT_DATA, AT_DATA, 0x1000},
		{PT_LOAD, PF_R | PF_W, AT_DATA, data, data, ELF_SIZE - AT_DATA, DATA_MEMSZ, 0x1000},
		{PT_DYNAMIC, PF_R | PF_W, AT_DYNAMIC, data, data, 5 * sizeof(Elf64_Dyn),
		 5 * sizeof(Elf64_Dyn), 8},
	};
	ELF_PUT(f, 0, head);
	ELF_PUT(f, AT_SEGMENTS, segments);
	elf_put_symbols(f);
	elf_put_hash(f, hash);
	elf_put_dynamic(f, hash);
	elf_put_sections(f);
	memcpy(f->bytes + AT_VALUE, "initial value", 14);
}

// Maps the file at an address as a loader would: code, data, zeroed tail. Returns false where that
// fails. at is where offset 0 goes.
static inline bool elf_load(int fd, unsigned char *at)
{
	int fixed = MAP_PRIVATE | MAP_FIXED;
	return mmap(at, 0x2000, PROT_READ | PROT_EXEC, fixed, fd, 0) != MAP_FAILED &&
	       mmap(at + SHIFT + 0x1000, 0x2000, PROT_READ | PROT_WRITE, fixed, fd, 0x1000) !=
		       MAP_FAILED &&
	       mmap(at + SHIFT + 0x3000, 0x2000, PROT_READ | PROT_WRITE, fixed | MAP_ANONYMOUS, -1,
		    0) != MAP_FAILED;
}

#endif
