// SPDX-License-Identifier: MIT
// ELF files as the target has them mapped: bias, symbols, sections, content; also spoiled ones.
#include "child.h"
#include "elf_file.h"
#include "unit.h"

#include "target/binary.h"
#include "util/cleanup.h"
#include "util/fs.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <sys/syscall.h>

// What can be found in this program itself.
__attribute__((used, section("test_section"))) static char in_section[24] = "as it was";
__attribute__((used)) static int lonely_number = 5;
static char zeroed[100000];

static char folder[] = "/tmp/test_binary.XXXXXX";
static char path[64];

static int write_file(const void *bytes, size_t len)
{
	unlink(path);
	int fd = open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0644);
	assert_true(fd >= 0);
	assert_int_equal(fs_write_all(fd, bytes, len), 0);
	return fd;
}

static struct target *open_target(pid_t pid)
{
	struct target *t = NULL;
	struct err err = {0};
	if (target_open_pid(pid, &t, &err))
		fail_msg("%s", err.text);
	return t;
}

static struct binary *open_at(struct target *t, const void *addr)
{
	const struct map_entry *e = maps_find(target_maps(t), (uintptr_t)addr);
	struct binary *b = NULL;
	struct err err = {0};
	assert_non_null(e);
	if (binary_open(t, e, &b, &err))
		fail_msg("%s", err.text);
	return b;
}

static void has_symbol(struct binary *b, const char *name, uint64_t addr, uint64_t size)
{
	uint64_t got_addr = 0, got_size = 0;
	assert_int_equal(binary_symbol(b, name, &got_addr, &got_size), 0);
	assert_true(got_addr == addr && got_size == size);
}

static void has_export(struct binary *b, const char *name, uint64_t addr, uint64_t size)
{
	uint64_t got_addr = 0, got_size = 0;
	assert_int_equal(binary_export(b, name, &got_addr, &got_size), 0);
	assert_true(got_addr == addr && got_size == size);
	has_symbol(b, name, addr, size);
}

static void has_no_symbol(struct binary *b, const char *name)
{
	uint64_t addr, size;
	assert_int_equal(binary_symbol(b, name, &addr, &size), -ENOENT);
	assert_int_equal(binary_symbol(b, name, &addr, &size), -ENOENT);
	assert_int_equal(binary_export(b, name, &addr, &size), -ENOENT);
}

static void spoil_data(const struct line *line, void *arg)
{
	strcpy(in_section, "changed");
	child_rest(line, arg);
}

static void our_program(void **state)
{
	(void)state;
	struct child c = child_start(spoil_data, NULL);
	child_hear(&c);
	struct target *t = open_target(c.pid);
	struct binary *b = open_at(t, in_section);
	uint64_t addr, size;
	assert_true(binary_is_native(b));
	assert_string_equal(binary_path(b), target_executable(t));
	has_symbol(b, "lonely_number", (uintptr_t)&lonely_number, sizeof(lonely_number));
	has_no_symbol(b, "there is no such symbol");
	assert_int_equal(binary_export(b, "lonely_number", &addr, &size), -ENOENT);
	assert_int_equal(binary_section(b, "test_section", &addr, &size), 0);
	assert_true(addr == (uintptr_t)in_section && size == sizeof(in_section));
	assert_int_equal(binary_section(b, ".nothing", &addr, &size), -ENOENT);
	char text[sizeof(in_section)];
	assert_int_equal(binary_file_bytes(b, addr, text, sizeof(text)), 0);
	assert_string_equal(text, "as it was");
	assert_int_equal(binary_file_bytes(b, (uintptr_t)zeroed + 50000, text, 1), -ENOENT);
	bool data = false, bss = false;
	for (size_t k = 0; !binary_writable(b, k, &addr, &size); k++) {
		data |= (uintptr_t)in_section - addr < size;
		bss |= (uintptr_t)zeroed + sizeof(zeroed) - 1 - addr < size;
	}
	assert_true(data && bss);
	binary_close(b);
	binary_close(NULL);
	target_close(t);
	child_end(&c);
}

// Every mapping of a library leads to the same bias and the same symbols.
static void a_library(void **state)
{
	(void)state;
	struct child c = child_start(child_rest, NULL);
	child_hear(&c);
	struct target *t = open_target(c.pid);
	const void *symbol = dlsym(RTLD_DEFAULT, "getppid");
	const struct map_entry *of_symbol = maps_find(target_maps(t), (uintptr_t)symbol);
	assert_non_null(of_symbol);
	Dl_info info;
	assert_true(dladdr(symbol, &info));
	const struct maps *maps = target_maps(t);
	int seen = 0;
	for (size_t i = 0; i < maps->n; i++) {
		if (!maps->entries[i].path || strcmp(maps->entries[i].path, of_symbol->path) != 0)
			continue;
		struct binary *b = open_at(t, (void *)maps->entries[i].start);
		uint64_t addr, size;
		assert_true(binary_bias(b) == (uintptr_t)info.dli_fbase);
		assert_int_equal(binary_export(b, "getppid", &addr, &size), 0);
		assert_true(addr == (uintptr_t)symbol && size > 0);
		assert_int_equal(binary_export(b, "getppidx", &addr, &size), -ENOENT);
		binary_close(b);
		seen++;
	}
	assert_true(seen > 2);
	target_close(t);
	child_end(&c);
}

// A child that maps the file of that descriptor where it is told, before it rests.
struct places {
	int fd;
	unsigned char *at[2];
	bool relocate; // as loaders do that write runtime addresses into the dynamic table
	uint64_t bias;
	unsigned char *stray; // one more page of the file, of no meaning
};

static void load(const struct line *line, void *arg)
{
	const struct places *p = arg;
	for (size_t i = 0; i < ROWS(p->at); i++)
		if (p->at[i] && !elf_load(p->fd, p->at[i]))
			_exit(5);
	if (p->stray && mmap(p->stray, 0x1000, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED,
			     p->fd, 0x1000) == MAP_FAILED)
		_exit(6);
	Elf64_Dyn *d = (Elf64_Dyn *)(void *)(p->at[0] + SHIFT + AT_DYNAMIC);
	for (; p->relocate && d->d_tag != DT_NULL; d++)
		if (d->d_tag != DT_STRSZ)
			d->d_un.d_ptr += p->bias;
	child_rest(line, NULL);
}

// Room that a child finds free, since we have it.
static unsigned char *room;
#define ROOM 0x100000

static void check_small_file(struct binary *b, uint64_t bias, uint64_t base)
{
	uint64_t addr, size, data = bias + base + SHIFT;
	char text[16];
	assert_true(binary_is_native(b));
	assert_true(binary_bias(b) == bias);
	has_export(b, "alpha", data + AT_VALUE, 16);
	has_export(b, "beta", bias + base + BETA, 32);
	has_no_symbol(b, "undefined_one");
	has_no_symbol(b, "tls_one");
	has_no_symbol(b, "absolute");
	has_no_symbol(b, "");
	has_no_symbol(b, "alph");
	has_no_symbol(b, "alphabet");
	assert_int_equal(binary_export(b, "local_one", &addr, &size), -ENOENT);
	assert_int_equal(binary_writable(b, 0, &addr, &size), 0);
	assert_true(addr == data + AT_DATA && size == DATA_MEMSZ);
	assert_int_equal(binary_writable(b, 1, &addr, &size), -ENOENT);
	assert_int_equal(binary_file_bytes(b, bias + base, text, 4), 0);
	assert_memory_equal(text, ELFMAG, 4);
	static const uint64_t outside[] = {0, UINT64_MAX, 0x8000000000000000};
	for (size_t i = 0; i < ROWS(outside); i++)
		assert_int_equal(binary_file_bytes(b, outside[i], text, 4), -ENOENT);
}

static void check_small_sections(struct binary *b, uint64_t bias, uint64_t base)
{
	uint64_t addr, size;
	char text[14];
	has_symbol(b, "local_one", bias + base + LOCAL, 4);
	assert_int_equal(binary_section(b, ".test", &addr, &size), 0);
	assert_true(addr == bias + base + SHIFT + AT_VALUE && size == 16);
	assert_int_equal(binary_section(b, ".comment", &addr, &size), -ENOENT);
	assert_int_equal(binary_file_bytes(b, bias + base + SHIFT + AT_VALUE, text, 14), 0);
	assert_string_equal(text, "initial value");
}

// Loaded twice, with a page of it mapped once more below both.
static void check_loaded(enum elf_hash hash, uint64_t base)
{
	struct elf_file f;
	elf_make(&f, ET_DYN, base, hash);
	CLEANUP(cleanup_fd) int fd = write_file(f.bytes, ELF_SIZE);
	struct places p = {.fd = fd, .at = {room + 0x10000, room + 0x40000}, .stray = room};
	struct child c = child_start(load, &p);
	child_hear(&c);
	struct target *t = open_target(c.pid);
	for (size_t k = 0; k < ROWS(p.at); k++) {
		// By its code, by the page that code and data share, by its data.
		static const size_t in[] = {0, 0x1000, SHIFT + 0x1000};
		for (size_t i = 0; i < ROWS(in); i++) {
			struct binary *b = open_at(t, p.at[k] + in[i]);
			check_small_file(b, (uintptr_t)p.at[k] - base, base);
			check_small_sections(b, (uintptr_t)p.at[k] - base, base);
			binary_close(b);
		}
	}
	struct binary *b = open_at(t, p.stray);
	check_small_file(b, (uintptr_t)p.at[0] - base, base);
	binary_close(b);
	target_close(t);
	child_end(&c);
}

static void small_files(void **state)
{
	(void)state;
	static const uint64_t bases[] = {0, 0x10000, 0x7000};
	for (int hash = ELF_HASH_GNU; hash <= ELF_HASH_NONE; hash++)
		for (size_t i = 0; i < ROWS(bases); i++)
			check_loaded((enum elf_hash)hash, bases[i]);
}

static void fixed_executables(void **state)
{
	(void)state;
	struct elf_file f;
	elf_make(&f, ET_EXEC, (uintptr_t)room + 0x10000, ELF_HASH_GNU);
	CLEANUP(cleanup_fd) int fd = write_file(f.bytes, ELF_SIZE);
	struct places p = {.fd = fd, .at = {room + 0x10000}, .stray = room};
	struct child c = child_start(load, &p);
	child_hear(&c);
	struct target *t = open_target(c.pid);
	struct binary *b = open_at(t, p.stray);
	check_small_file(b, 0, f.base);
	binary_close(b);
	target_close(t);
	child_end(&c);
}

static bool drop_capabilities(void)
{
	struct __user_cap_header_struct head = {_LINUX_CAPABILITY_VERSION_3, 0};
	struct __user_cap_data_struct data[2];
	if (syscall(SYS_capget, &head, data))
		return false;
	data[0].effective &= 1u << CAP_SYS_PTRACE;
	data[1].effective = 0;
	return !syscall(SYS_capset, &head, data);
}

struct unreachable {
	pid_t pid;
	uint64_t bias;
	unsigned char *at;
	bool unmarked; // the mapping does not say that the file is deleted
};

// Without the right to open map_files.
static int open_unreachable(void *arg)
{
	const struct unreachable *u = arg;
	struct target *t = NULL;
	struct binary *b = NULL;
	struct err err = {0};
	uint64_t addr, size;
	char text[4];
	CHECK(drop_capabilities());
	CHECK(!target_open_pid(u->pid, &t, NULL));
	const struct map_entry *e = maps_find(target_maps(t), (uintptr_t)u->at + SHIFT + 0x1000);
	CHECK(e && e->deleted);
	struct map_entry entry = *e;
	entry.deleted = !u->unmarked;
	CHECK(!binary_open(t, &entry, &b, &err));
	CHECK(binary_bias(b) == u->bias);
	CHECK(!binary_symbol(b, "alpha", &addr, &size));
	CHECK(addr == (uintptr_t)u->at + SHIFT + AT_VALUE && size == 16);
	CHECK(!binary_symbol(b, "beta", &addr, &size));
	CHECK(addr == (uintptr_t)u->at + BETA);
	CHECK(binary_symbol(b, "local_one", &addr, &size) == -ENOENT);
	CHECK(binary_section(b, ".test", &addr, &size) == -ENOENT);
	CHECK(!binary_file_bytes(b, (uintptr_t)u->at, text, 4) && !memcmp(text, ELFMAG, 4));
	CHECK(binary_file_bytes(b, (uintptr_t)u->at + SHIFT + AT_VALUE, text, 4) == -ENOENT);
	CHECK(!binary_writable(b, 0, &addr, &size) && size == DATA_MEMSZ);
	binary_close(b);
	target_close(t);
	return 0;
}

// The file that was loaded is deleted, or another has its path: what was loaded is what counts.
static void files_out_of_reach(void **state)
{
	(void)state;
	for (int i = 0; i < 8; i++) {
		bool replaced = i & 1, relocate = i & 2, unmarked = i & 4;
		struct elf_file f;
		elf_make(&f, ET_DYN, 0x10000, ELF_HASH_GNU);
		CLEANUP(cleanup_fd) int fd = write_file(f.bytes, ELF_SIZE);
		struct places p = {.fd = fd,
				   .at = {room + 0x10000},
				   .relocate = relocate,
				   .bias = (uintptr_t)room};
		struct child c = child_start(load, &p);
		child_hear(&c);
		unlink(path);
		if (replaced) {
			elf_make(&f, ET_DYN, 0x20000, ELF_HASH_SYSV);
			close(write_file(f.bytes, ELF_SIZE));
		}
		struct unreachable u = {c.pid, (uintptr_t)room, p.at[0], unmarked};
		assert_int_equal(run_apart(open_unreachable, &u), 0);
		child_end(&c);
	}
}

static void map_and_rest(const struct line *line, void *arg)
{
	const struct places *p = arg;
	if (mmap(p->at[0], 0x1000, PROT_READ, MAP_PRIVATE | MAP_FIXED, p->fd, 0) == MAP_FAILED)
		_exit(5);
	child_rest(line, NULL);
}

static int open_content(const void *bytes, size_t len, struct binary **ret, struct err *err)
{
	CLEANUP(cleanup_fd) int fd = write_file(bytes, len);
	struct places p = {.fd = fd, .at = {room}};
	struct child c = child_start(map_and_rest, &p);
	child_hear(&c);
	struct target *t = open_target(c.pid);
	const struct map_entry *e = maps_find(target_maps(t), (uintptr_t)room);
	assert_non_null(e);
	int r = binary_open(t, e, ret, err);
	child_end(&c);
	target_close(t);
	return r;
}

static void other_files(void **state)
{
	(void)state;
	static const struct {
		size_t at, size;
		uint64_t value;
		bool opens; // as something that we do not understand
	} cases[] = {
		{EI_CLASS, 1, ELFCLASS32, true},
		{EI_CLASS, 1, 0, true},
		{EI_DATA, 1, ELFDATA2MSB, true},
		{offsetof(Elf64_Ehdr, e_machine), 2, EM_S390, true},
		{0, 1, 0, false},
		{offsetof(Elf64_Ehdr, e_type), 2, ET_REL, false},
		{offsetof(Elf64_Ehdr, e_phentsize), 2, 32, false},
		{offsetof(Elf64_Ehdr, e_phnum), 2, 0, false},
		{offsetof(Elf64_Ehdr, e_phnum), 2, 0xffff, false},
		{offsetof(Elf64_Ehdr, e_phoff), 8, 0x2020, false},
		{offsetof(Elf64_Ehdr, e_phoff), 8, UINT64_MAX - 8, false},
	};
	for (size_t i = 0; i < ROWS(cases); i++) {
		struct elf_file f;
		struct binary *b = NULL;
		struct err err = {0};
		elf_make(&f, ET_DYN, 0, ELF_HASH_GNU);
		memcpy(f.bytes + cases[i].at, &cases[i].value, cases[i].size);
		int r = open_content(f.bytes, ELF_SIZE, &b, &err);
		if (cases[i].opens) {
			uint64_t addr, size;
			assert_int_equal(r, 0);
			assert_false(binary_is_native(b));
			has_no_symbol(b, "alpha");
			assert_int_equal(binary_section(b, ".test", &addr, &size), -ENOENT);
			assert_int_equal(binary_writable(b, 0, &addr, &size), -ENOENT);
		} else {
			assert_int_equal(r, -PA_EELF);
			assert_non_null(strstr(err.text, path));
			assert_non_null(strstr(err.text, "is not a usable ELF file"));
		}
		binary_close(b);
	}
	struct binary *b = NULL;
	struct err err = {0};
	assert_int_equal(open_content("text\n", 5, &b, &err), -PA_EELF);
}

// Without section headers, or with broken ones, the dynamic symbols are still found.
static void no_sections(void **state)
{
	(void)state;
	static const struct {
		size_t at;
		uint64_t value;
		size_t size;
	} cases[] = {
		{offsetof(Elf64_Ehdr, e_shoff), 0, 8},
		{offsetof(Elf64_Ehdr, e_shoff), 0x2030, 8},
		{offsetof(Elf64_Ehdr, e_shoff), 0x7fffffffffffff00, 8},
		{offsetof(Elf64_Ehdr, e_shoff), UINT64_MAX, 8},
		{offsetof(Elf64_Ehdr, e_shnum), 0, 2},
		{offsetof(Elf64_Ehdr, e_shnum), 0xfeff, 2},
		{offsetof(Elf64_Ehdr, e_shentsize), 63, 2},
	};
	for (size_t i = 0; i < ROWS(cases); i++) {
		struct elf_file f;
		uint64_t addr, size;
		elf_make(&f, ET_DYN, 0x10000, ELF_HASH_GNU);
		memcpy(f.bytes + cases[i].at, &cases[i].value, cases[i].size);
		CLEANUP(cleanup_fd) int fd = write_file(f.bytes, ELF_SIZE);
		struct places p = {.fd = fd, .at = {room + 0x10000}};
		struct child c = child_start(load, &p);
		child_hear(&c);
		struct target *t = open_target(c.pid);
		struct binary *b = open_at(t, p.at[0]);
		check_small_file(b, (uintptr_t)room, 0x10000);
		assert_int_equal(binary_section(b, ".test", &addr, &size), -ENOENT);
		has_no_symbol(b, "local_one");
		binary_close(b);
		target_close(t);
		child_end(&c);
	}
}

// With a dynamic table that leads nowhere, the sections still serve.
static void only_sections(void **state)
{
	(void)state;
	static const Elf64_Xword tags[] = {DT_NULL, DT_DEBUG};
	for (size_t i = 0; i < ROWS(tags); i++) {
		struct elf_file f;
		elf_make(&f, ET_DYN, 0, ELF_HASH_GNU);
		memcpy(f.bytes + AT_DYNAMIC, &tags[i], sizeof(tags[i]));
		CLEANUP(cleanup_fd) int fd = write_file(f.bytes, ELF_SIZE);
		struct places p = {.fd = fd, .at = {room}};
		struct child c = child_start(load, &p);
		child_hear(&c);
		struct target *t = open_target(c.pid);
		struct binary *b = open_at(t, room);
		uint64_t addr, size;
		assert_int_equal(binary_export(b, "beta", &addr, &size), -ENOENT);
		has_symbol(b, "beta", (uintptr_t)room + BETA, 32);
		has_symbol(b, "alpha", (uintptr_t)room + SHIFT + AT_VALUE, 16);
		has_no_symbol(b, "absolute");
		binary_close(b);
		target_close(t);
		child_end(&c);
	}
}

static int set_up(void **state)
{
	(void)state;
	room = mmap(NULL, ROOM, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (room == MAP_FAILED || !mkdtemp(folder))
		return -1;
	snprintf(path, sizeof(path), "%s/file.so", folder);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	unlink(path);
	return rmdir(folder);
}

int main(void)
{
	alarm(100);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(our_program),        cmocka_unit_test(a_library),
		cmocka_unit_test(small_files),        cmocka_unit_test(fixed_executables),
		cmocka_unit_test(files_out_of_reach), cmocka_unit_test(other_files),
		cmocka_unit_test(no_sections),        cmocka_unit_test(only_sections),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("binary", tests, set_up, tear_down);
}
