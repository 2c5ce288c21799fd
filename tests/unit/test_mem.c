// SPDX-License-Identifier: MIT
// Reading memory: the wrappers over made-up memory, the live kind on our own children.
#include "child.h"
#include "unit.h"

#include "target/mem.h"
#include "target/mem_live.h"
#include "util/cleanup.h"
#include "util/err.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>

// Made-up memory: bytes from 0x1000 on.
struct fake {
	struct mem mem;
	const char *bytes;
	size_t len;
	int calls;
};

static long fake_read(struct mem *m, uint64_t addr, void *local, size_t len)
{
	struct fake *f = (struct fake *)m;
	f->calls++;
	if (addr < 0x1000 || addr - 0x1000 >= f->len)
		return -EFAULT;
	size_t left = f->len - (addr - 0x1000);
	if (len > left)
		len = left;
	memcpy(local, f->bytes + (addr - 0x1000), len);
	return (long)len;
}

static long fake_read_hot(struct mem *m, const struct mem_vec *vec, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (fake_read(m, vec[i].addr, vec[i].local, vec[i].len) != (long)vec[i].len)
			return (long)i;
	return (long)n;
}

static void fake_close(struct mem *m)
{
	((struct fake *)m)->calls = -1;
}

static const struct mem_ops fake_ops = {fake_read, fake_read_hot, fake_close};

static void exact_reads(void **state)
{
	(void)state;
	struct fake f = {{&fake_ops}, "\x01\x02\x03\x04\x05\x06\x07\x08\x09", 9, 0};
	char out[9];
	uint64_t word = 0;
	uint32_t half = 0;
	assert_int_equal(mem_read(&f.mem, 0x1000, out, 9), 0);
	assert_memory_equal(out, f.bytes, 9);
	assert_int_equal(mem_read(&f.mem, 0x1001, out, 9), -EFAULT);
	assert_int_equal(mem_read(&f.mem, 0x1009, out, 1), -EFAULT);
	assert_int_equal(mem_read(&f.mem, 0, out, 0), 0);
	assert_int_equal(mem_read_u64(&f.mem, 0x1001, &word), 0);
	assert_true(word == 0x0908070605040302);
	assert_int_equal(mem_read_u64(&f.mem, 0x1002, &word), -EFAULT);
	assert_int_equal(mem_read_u32(&f.mem, 0x1005, &half), 0);
	assert_true(half == 0x09080706);
	assert_int_equal(mem_read_u32(&f.mem, 0x1006, &half), -EFAULT);
	assert_int_equal(mem_read_some(&f.mem, 0x1007, out, 9), 2);
	assert_int_equal(mem_read_some(&f.mem, 0x1009, out, 9), -EFAULT);
	assert_int_equal(mem_read_hot(&f.mem, NULL, 0), 0);
	mem_close(&f.mem);
	assert_int_equal(f.calls, -1);
	mem_close(NULL);
}

static void texts(void **state)
{
	(void)state;
	char bytes[6000], out[6000];
	memset(bytes, 'x', sizeof(bytes));
	static const struct {
		size_t nul; // where the text ends
		size_t size;
		long result;
	} cases[] = {
		{0, 1, 0},          {0, 100, 0},
		{5, 6, 5},          {5, 5, -PA_EBOUND},
		{5, 0, -PA_EBOUND}, {255, 6000, 255},
		{256, 6000, 256},   {256, 256, -PA_EBOUND},
		{256, 257, 256},    {5998, 6000, 5998},
		{4999, 5000, 4999}, {5000, 5000, -PA_EBOUND},
	};
	for (size_t i = 0; i < ROWS(cases); i++) {
		struct fake f = {{&fake_ops}, bytes, sizeof(bytes), 0};
		bytes[cases[i].nul] = '\0';
		assert_int_equal(mem_read_cstr(&f.mem, 0x1000, out, cases[i].size),
				 cases[i].result);
		if (cases[i].result >= 0)
			assert_string_equal(out, bytes);
		bytes[cases[i].nul] = 'x';
	}
	// No NUL before the memory ends.
	struct fake f = {{&fake_ops}, bytes, 300, 0};
	assert_int_equal(mem_read_cstr(&f.mem, 0x1000, out, sizeof(out)), -EFAULT);
	assert_int_equal(mem_read_cstr(&f.mem, 0x2000, out, sizeof(out)), -EFAULT);
	f.calls = 0;
	assert_int_equal(mem_read_cstr(&f.mem, 0x1000, out, 200), -PA_EBOUND);
	assert_int_equal(f.calls, 1);
}

// Five pages that a child has at the same address as we do: the second is gone there, the fourth
// may not be read.
#define PAGES 5
static size_t page;
static unsigned char *area;

static void holes(const struct line *line, void *arg)
{
	munmap(area + page, page);
	mprotect(area + 3 * page, page, PROT_NONE);
	child_rest(line, arg);
}

static int make_area(void **state)
{
	(void)state;
	page = (size_t)sysconf(_SC_PAGESIZE);
	// Between two pages that keep it apart from its neighbours.
	unsigned char *all =
		mmap(NULL, (PAGES + 2) * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (all == MAP_FAILED || mprotect(all + page, PAGES * page, PROT_READ | PROT_WRITE))
		return -1;
	area = all + page;
	for (size_t i = 0; i < PAGES * page; i++)
		area[i] = (unsigned char)(i * 7 + i / page);
	return 0;
}

static pid_t no_other_thread(void *ctx)
{
	(void)ctx;
	return -PA_EGONE;
}

static int open_mem_file(pid_t pid)
{
	char path[64];
	snprintf(path, sizeof(path), "/proc/%d/mem", pid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static struct mem *open_live(pid_t pid, int fd)
{
	struct mem *m = NULL;
	struct mem_live_thread thread = {pid, no_other_thread, NULL};
	assert_int_equal(mem_live_new(&thread, fd, &m), 0);
	return m;
}

static void read_cold(struct mem *m, bool by_file)
{
	unsigned char out[5 * 65536];
	uint64_t at = (uintptr_t)area;
	assert_int_equal(mem_read(m, at, out, page), 0);
	assert_memory_equal(out, area, page);
	assert_int_equal(mem_read(m, at + 5, out, 1), 0);
	assert_int_equal(out[0], area[5]);
	assert_int_equal(mem_read_some(m, at + page - 10, out, 100), 10);
	assert_memory_equal(out, area + page - 10, 10);
	assert_int_equal(mem_read(m, at + page - 10, out, 100), -EFAULT);
	assert_int_equal(mem_read(m, at + page, out, 1), -EFAULT);
	assert_int_equal(mem_read(m, at, out, 2 * page), -EFAULT);
	// The file reads also what its owner may not.
	assert_int_equal(mem_read(m, at + 3 * page, out, 1), by_file ? 0 : -EFAULT);
	static const uint64_t nowhere[] = {
		0, 1, 0x7fffffffffffffff, 0x8000000000000000, 0xfffffffffffff000, UINT64_MAX};
	for (size_t i = 0; i < ROWS(nowhere); i++)
		assert_int_equal(mem_read(m, nowhere[i], out, 8), -EFAULT);
}

static void cold_by_file(void **state)
{
	(void)state;
	struct child c = child_start(holes, NULL);
	child_hear(&c);
	struct mem *m = open_live(c.pid, open_mem_file(c.pid));
	assert_int_equal(mem_live_probe(m, (uintptr_t)area), 0);
	assert_int_equal(mem_live_probe(m, (uintptr_t)area + page), 0);
	read_cold(m, true);
	mem_close(m);
	child_end(&c);
}

static void cold_without_file(void **state)
{
	(void)state;
	struct child c = child_start(holes, NULL);
	child_hear(&c);
	struct mem *m = open_live(c.pid, -EACCES);
	assert_int_equal(mem_live_probe(m, (uintptr_t)area), 0);
	read_cold(m, false);
	int file, vectors;
	mem_live_refusals(m, &file, &vectors);
	assert_int_equal(file, -EACCES);
	assert_int_equal(vectors, 0);
	mem_close(m);
	child_end(&c);
}

static void read_hot(struct mem *m)
{
	unsigned char out[4096];
	uint64_t at = (uintptr_t)area;
	struct mem_vec vec[] = {
		{out, at + 1, 7},
		{out + 7, at + page - 3, 3},
		{out + 10, at + page - 1, 2}, // straddles the hole
		{out + 20, at + 2 * page, 5},
		{out + 25, 0, 0},
		{out + 25, at + 4 * page, 1},
	};
	assert_int_equal(mem_read_hot(m, vec, 2), 2);
	assert_memory_equal(out, area + 1, 7);
	assert_memory_equal(out + 7, area + page - 3, 3);
	assert_int_equal(mem_read_hot(m, vec, 6), 2);
	assert_int_equal(mem_read_hot(m, vec + 2, 4), 0);
	assert_int_equal(mem_read_hot(m, vec + 3, 3), 3);
	assert_memory_equal(out + 20, area + 2 * page, 5);
	assert_int_equal(out[25], area[4 * page]);
	vec[0].addr = 0;
	assert_int_equal(mem_read_hot(m, vec, 2), 0);
	vec[0].addr = UINT64_MAX - 2;
	assert_int_equal(mem_read_hot(m, vec, 2), 0);
	vec[0].addr = 0xffffffff80000000;
	assert_int_equal(mem_read_hot(m, vec, 2), 0);
}

// More pieces than one system call takes, with a bad one at several places.
static void read_many(struct mem *m)
{
	enum { N = 3000 };
	static unsigned char out[N];
	static struct mem_vec vec[N];
	uint64_t at = (uintptr_t)area;
	for (size_t i = 0; i < N; i++)
		vec[i] = (struct mem_vec){&out[i], at + i % page, 1};
	assert_int_equal(mem_read_hot(m, vec, N), N);
	for (size_t i = 0; i < N; i++)
		assert_int_equal(out[i], area[i % page]);
	static const size_t bad[] = {0, 1, 1023, 1024, 1025, 2048, 2999};
	for (size_t i = 0; i < ROWS(bad); i++) {
		uint64_t good = vec[bad[i]].addr;
		vec[bad[i]].addr = at + page;
		assert_int_equal(mem_read_hot(m, vec, N), bad[i]);
		vec[bad[i]].addr = good;
	}
}

static void hot_by_vectors(void **state)
{
	(void)state;
	struct child c = child_start(holes, NULL);
	child_hear(&c);
	struct mem *m = open_live(c.pid, open_mem_file(c.pid));
	read_hot(m);
	read_many(m);
	int file, vectors;
	mem_live_refusals(m, &file, &vectors);
	assert_int_equal(file, 0);
	assert_int_equal(vectors, 0);
	mem_close(m);
	child_end(&c);
}

// From here on process_vm_readv fails with that errno in this process.
static bool forbid_vectors(int code)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)code),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {ROWS(filter), filter};
	return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) &&
	       !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

struct apart {
	pid_t pid;
	int code;
};

static int hot_through_file(void *arg)
{
	struct apart *a = arg;
	struct mem_live_thread thread = {a->pid, no_other_thread, NULL};
	struct mem *m = NULL;
	char out[16];
	int file, vectors;
	CHECK(!mem_live_new(&thread, open_mem_file(a->pid), &m));
	CHECK(forbid_vectors(a->code));
	uint64_t at = (uintptr_t)area;
	struct mem_vec vec[] = {
		{out, at, 8}, {out + 8, at + page - 1, 2}, {out, at, 8}, {out, 0, 0}};
	CHECK(mem_read_hot(m, vec, 4) == 1);
	CHECK(!memcmp(out, area, 8));
	CHECK(mem_read_hot(m, vec + 1, 3) == 0);
	CHECK(mem_read_hot(m, vec + 2, 2) == 2);
	mem_live_refusals(m, &file, &vectors);
	CHECK(!file && vectors == -a->code);
	mem_close(m);
	return 0;
}

static int nothing_left(void *arg)
{
	struct apart *a = arg;
	struct mem_live_thread thread = {a->pid, no_other_thread, NULL};
	struct mem *m = NULL;
	char out[16];
	CHECK(!mem_live_new(&thread, -EACCES, &m));
	CHECK(forbid_vectors(a->code));
	struct mem_vec vec = {out, (uintptr_t)area, 8};
	CHECK(mem_live_probe(m, (uintptr_t)area) == -EACCES);
	CHECK(mem_read(m, (uintptr_t)area, out, 1) == -EACCES);
	CHECK(mem_read_hot(m, &vec, 1) == -EACCES);
	mem_close(m);
	return 0;
}

static void vectors_refused(void **state)
{
	(void)state;
	struct child c = child_start(holes, NULL);
	child_hear(&c);
	static const int codes[] = {ENOSYS, EPERM};
	for (size_t i = 0; i < ROWS(codes); i++) {
		struct apart a = {c.pid, codes[i]};
		assert_int_equal(run_apart(hot_through_file, &a), 0);
		assert_int_equal(run_apart(nothing_left, &a), 0);
	}
	child_end(&c);
}

// A descriptor can be opened and yet not be read, as that of mem under Yama. The kernel stack is
// such a file everywhere.
static int read_is_refused(void *arg)
{
	struct apart *a = arg;
	struct mem_live_thread thread = {a->pid, no_other_thread, NULL};
	struct __user_cap_header_struct head = {_LINUX_CAPABILITY_VERSION_3, 0};
	struct __user_cap_data_struct none[2] = {0};
	struct mem *m = NULL;
	char path[64], out[8];
	int file, vectors;
	snprintf(path, sizeof(path), "/proc/%d/stack", a->pid);
	none[0].effective = 1u << CAP_SYS_PTRACE & (geteuid() ? 0 : UINT32_MAX);
	none[0].permitted = none[0].effective;
	CHECK(!syscall(SYS_capset, &head, none));
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 && errno == ENOENT)
		return 0; // a kernel without that file
	CHECK(fd >= 0 && pread(fd, out, 1, 0) < 0);
	CHECK(!mem_live_new(&thread, fd, &m));
	CHECK(!mem_live_probe(m, (uintptr_t)area));
	mem_live_refusals(m, &file, &vectors);
	CHECK(file && !vectors);
	CHECK(!mem_read(m, (uintptr_t)area, out, sizeof(out)));
	CHECK(!memcmp(out, area, sizeof(out)));
	mem_close(m);
	return 0;
}

static void file_refused(void **state)
{
	(void)state;
	struct child c = child_start(holes, NULL);
	child_hear(&c);
	struct apart a = {c.pid, 0};
	assert_int_equal(run_apart(read_is_refused, &a), 0);
	child_end(&c);
}

static void check_gone(struct mem *m)
{
	char out[8];
	struct mem_vec vec = {out, (uintptr_t)area, sizeof(out)};
	assert_int_equal(mem_read(m, (uintptr_t)area, out, 1), -PA_EGONE);
	assert_int_equal(mem_read_some(m, (uintptr_t)area + page, out, 1), -PA_EGONE);
	assert_int_equal(mem_read_cstr(m, (uintptr_t)area, out, sizeof(out)), -PA_EGONE);
	assert_int_equal(mem_read_hot(m, &vec, 1), -PA_EGONE);
	assert_int_equal(mem_live_probe(m, (uintptr_t)area), -PA_EGONE);
}

static void ended(void **state)
{
	(void)state;
	struct child c = child_start(holes, NULL);
	child_hear(&c);
	struct mem *file = open_live(c.pid, open_mem_file(c.pid));
	struct mem *vectors = open_live(c.pid, -EACCES);
	kill(c.pid, SIGKILL);
	siginfo_t info;
	assert_int_equal(waitid(P_PID, (id_t)c.pid, &info, WEXITED | WNOWAIT), 0);
	check_gone(file); // a zombie
	check_gone(vectors);
	child_end(&c);
	check_gone(file);
	check_gone(vectors);
	mem_close(file);
	mem_close(vectors);
}

static void exec_self(const struct line *line, void *arg)
{
	(void)arg;
	char in[16], out[16];
	snprintf(in, sizeof(in), "%d", line->in);
	snprintf(out, sizeof(out), "%d", line->out);
	line_say(line, 0);
	line_wait(line);
	execl("/proc/self/exe", "test_mem", in, out, (char *)NULL);
	_exit(3);
}

static void another_program(void **state)
{
	(void)state;
	struct child c = child_start(exec_self, NULL);
	child_hear(&c);
	struct mem *m = open_live(c.pid, open_mem_file(c.pid));
	char byte;
	assert_int_equal(mem_read(m, (uintptr_t)area, &byte, 1), 0);
	child_tell(&c);
	child_hear(&c); // the new program
	assert_int_equal(mem_read(m, (uintptr_t)area, &byte, 1), -PA_EGONE);
	mem_close(m);
	child_end(&c);
}

// A shared page of a forked child stays shared: a cold read does not copy it.
static long private_kb(pid_t pid)
{
	char path[64], text[256];
	snprintf(path, sizeof(path), "/proc/%d/smaps", pid);
	FILE *f = fopen(path, "re");
	assert_non_null(f);
	unsigned long start = 0;
	long kb = -1, n;
	bool ours = false;
	while (fgets(text, sizeof(text), f)) {
		if (sscanf(text, "%lx-%*x ", &start) == 1 && strchr(text, '-'))
			ours = start == (uintptr_t)area;
		if (ours && sscanf(text, "Private_Dirty: %ld kB", &n) == 1)
			kb = n;
	}
	fclose(f);
	return kb;
}

static void cold_reads_copy_nothing(void **state)
{
	(void)state;
	struct child c = child_start(child_rest, NULL);
	child_hear(&c);
	struct mem *m = open_live(c.pid, open_mem_file(c.pid));
	static unsigned char out[5 * 65536];
	assert_int_equal(private_kb(c.pid), 0);
	assert_int_equal(mem_read(m, (uintptr_t)area, out, PAGES * page), 0);
	assert_int_equal(private_kb(c.pid), 0);
	mem_close(m);
	child_end(&c);
}

int main(int argc, char **argv)
{
	alarm(100);
	if (argc == 3) {
		struct line line = {atoi(argv[1]), atoi(argv[2])};
		child_rest(&line, NULL);
	}
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(exact_reads),     cmocka_unit_test(texts),
		cmocka_unit_test(cold_by_file),    cmocka_unit_test(cold_without_file),
		cmocka_unit_test(hot_by_vectors),  cmocka_unit_test(vectors_refused),
		cmocka_unit_test(file_refused),    cmocka_unit_test(ended),
		cmocka_unit_test(another_program), cmocka_unit_test(cold_reads_copy_nothing),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("mem", tests, make_area, NULL);
}
