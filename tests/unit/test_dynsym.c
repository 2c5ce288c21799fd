// SPDX-License-Identifier: MIT
// Spoiled ELF files: whatever they say, looking into them ends and stays within bounds.
#include "elf_file.h"
#include "unit.h"

#include "target/dynsym.h"
#include "target/image.h"
#include "target/sections.h"
#include "util/cleanup.h"
#include "util/fs.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>

static int memory_file(const void *bytes, size_t len)
{
	int fd = memfd_create("spoiled", MFD_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(fs_write_all(fd, bytes, len), 0);
	return fd;
}

static uint64_t next_random(uint64_t *random)
{
	*random ^= *random << 13;
	*random ^= *random >> 7;
	*random ^= *random << 17;
	return *random;
}

// Everything that can be asked of a file. The answers are of no interest, only that they come.
static void ask_all(int file)
{
	struct image im;
	struct dynsym dyn;
	Elf64_Sym sym;
	uint64_t addr, size;
	char byte;
	struct sections *s = NULL;
	static const char *const names[] = {"alpha", "beta", "local_one", "nothing", ""};
	if (image_open_file(&im, dup(file))) {
		image_release(&im);
		return;
	}
	bool dynamic = !dynsym_open(&dyn, &im);
	bool sections = !sections_open(&im, &s);
	for (size_t i = 0; i < ROWS(names); i++) {
		if (dynamic && !dynsym_find(&dyn, &im, names[i], &sym))
			image_read(&im, sym.st_value, &byte, 1);
		if (sections)
			sections_symbol(s, names[i], &sym);
	}
	if (sections)
		sections_find(s, ".test", &addr, &size);
	sections_close(s);
	image_release(&im);
}

static void spoiled_bytes(void **state)
{
	(void)state;
	for (int hash = ELF_HASH_GNU; hash <= ELF_HASH_NONE; hash++) {
		struct elf_file f;
		elf_make(&f, ET_DYN, 0x10000, (enum elf_hash)hash);
		CLEANUP(cleanup_fd) int fd = memory_file(f.bytes, ELF_SIZE);
		for (size_t at = 0; at < ELF_SIZE; at++) {
			unsigned char old = f.bytes[at];
			if (!old && at > 0x900 && at < AT_DATA)
				continue; // padding that nothing refers to
			const unsigned char values[] = {0, 0xff, old ^ 0x80,
							(unsigned char)(old + 1)};
			for (size_t i = 0; i < sizeof(values); i++) {
				assert_int_equal(pwrite(fd, &values[i], 1, (off_t)at), 1);
				ask_all(fd);
			}
			assert_int_equal(pwrite(fd, &old, 1, (off_t)at), 1);
		}
	}
}

// Whole words, so that sums overflow; two at a time, so that one fault does not hide the other.
static void spoiled_words(void **state)
{
	(void)state;
	static const uint64_t values[] = {UINT64_MAX,         UINT64_MAX - 0x1000, INT64_MAX,
					  0x8000000000000000, 0xfffffffffffff000,  1,
					  ELF_SIZE,           0x10000 + ELF_SIZE,  0x100000000};
	struct elf_file f;
	uint64_t random = 88172645463325252u;
	elf_make(&f, ET_DYN, 0x10000, ELF_HASH_GNU);
	CLEANUP(cleanup_fd) int fd = memory_file(f.bytes, ELF_SIZE);
	for (int round = 0; round < 20000; round++) {
		for (int i = 0; i < 2; i++) {
			next_random(&random);
			size_t at = random % 0x900 / 4 * 4;
			if (random >> 60 == 0)
				at = AT_DYNAMIC + at % 0x80;
			ssize_t n = pwrite(fd, &values[random >> 32 & 7], 8, (off_t)at);
			assert_int_equal(n, 8);
		}
		ask_all(fd);
		assert_int_equal(pwrite(fd, f.bytes, ELF_SIZE, 0), ELF_SIZE);
	}
}

static void cut_files(void **state)
{
	(void)state;
	struct elf_file f;
	elf_make(&f, ET_DYN, 0x10000, ELF_HASH_GNU);
	CLEANUP(cleanup_fd) int fd = memory_file(f.bytes, ELF_SIZE);
	for (size_t len = ELF_SIZE; len-- > 0;) {
		assert_int_equal(ftruncate(fd, (off_t)len), 0);
		ask_all(fd);
	}
}

// A chain that leads back to itself ends.
static void endless_chains(void **state)
{
	(void)state;
	struct elf_file f;
	elf_make(&f, ET_DYN, 0, ELF_HASH_SYSV);
	const uint32_t words[] = {1, SYMBOLS, 1, 0, 1, 1, 1, 1, 1};
	ELF_PUT(&f, AT_HASH, words);
	CLEANUP(cleanup_fd) int fd = memory_file(f.bytes, ELF_SIZE);
	ask_all(fd);
}

// A library as it comes from a linker, with bytes changed at its ends, where the headers are, and
// anywhere.
static void a_spoiled_library(void **state)
{
	(void)state;
	Dl_info info;
	assert_true(dladdr(dlsym(RTLD_DEFAULT, "getppid"), &info));
	CLEANUP(buf_release) struct buf b = {0};
	assert_int_equal(fs_read_file(info.dli_fname, 64 << 20, &b), 0);
	CLEANUP(cleanup_fd) int fd = memory_file(b.data, b.len);
	uint64_t random = 88172645463325252u;
	for (int round = 0; round < 1500; round++) {
		size_t at[12];
		for (size_t i = 0; i < ROWS(at); i++) {
			size_t where = next_random(&random) % b.len;
			at[i] = i < 4 ? where % 1024 : i < 8 ? b.len - 1 - where % 4096 : where;
			char byte = (char)next_random(&random);
			assert_int_equal(pwrite(fd, &byte, 1, (off_t)at[i]), 1);
			if (i % 4 == (size_t)round % 4)
				ask_all(fd);
		}
		for (size_t i = 0; i < ROWS(at); i++)
			assert_int_equal(pwrite(fd, b.data + at[i], 1, (off_t)at[i]), 1);
	}
}

// What the tests above spoil can be read as it is.
static void unspoiled(void **state)
{
	(void)state;
	for (int hash = ELF_HASH_GNU; hash <= ELF_HASH_NONE; hash++) {
		struct elf_file f;
		struct image im;
		struct dynsym dyn;
		struct sections *s = NULL;
		Elf64_Sym sym;
		elf_make(&f, ET_DYN, 0x10000, (enum elf_hash)hash);
		assert_int_equal(image_open_file(&im, memory_file(f.bytes, ELF_SIZE)), 0);
		assert_int_equal(dynsym_open(&dyn, &im), 0);
		assert_int_equal(dynsym_find(&dyn, &im, "alpha", &sym), 0);
		assert_int_equal(sections_open(&im, &s), 0);
		assert_int_equal(sections_symbol(s, "local_one", &sym), 0);
		assert_int_equal(sections_symbol(s, "beta", &sym), 0);
		assert_int_equal(sections_symbol(s, "nothing", &sym), -ENOENT);
		char *long_name = calloc(1, 100000);
		assert_non_null(long_name);
		memset(long_name, 'n', 99999);
		assert_int_equal(dynsym_find(&dyn, &im, long_name, &sym), -ENOENT);
		assert_int_equal(sections_symbol(s, long_name, &sym), -ENOENT);
		free(long_name);
		sections_close(s);
		image_release(&im);
	}
	image_release(NULL);
	sections_close(NULL);
}

int main(void)
{
	alarm(100);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(unspoiled),     cmocka_unit_test(spoiled_bytes),
		cmocka_unit_test(spoiled_words), cmocka_unit_test(a_spoiled_library),
		cmocka_unit_test(cut_files),     cmocka_unit_test(endless_chains),
	};
	return unit_run("dynsym", tests);
}
