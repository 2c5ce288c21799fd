// SPDX-License-Identifier: MIT
// Reading and writing whole files.
#include "unit.h"

#include "util/cleanup.h"
#include "util/fs.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int memory_file(size_t size)
{
	int fd = memfd_create("test", MFD_CLOEXEC);
	assert_true(fd >= 0);
	CLEANUP(buf_release) struct buf b = {0};
	for (size_t i = 0; i < size; i++)
		buf_char(&b, (char)(i % 251));
	assert_int_equal(fs_write_all(fd, b.data, b.len), 0);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	return fd;
}

static void any_size(void **state)
{
	(void)state;
	static const size_t sizes[] = {0, 1, 16383, 16384, 16385, 100000};
	for (size_t i = 0; i < ROWS(sizes); i++) {
		CLEANUP(cleanup_fd) int fd = memory_file(sizes[i]);
		CLEANUP(buf_release) struct buf b = {0};
		buf_str(&b, "<");
		assert_int_equal(fs_read_all(fd, sizes[i], &b), 0);
		assert_int_equal(b.len, sizes[i] + 1);
		for (size_t k = 0; k < sizes[i]; k++)
			assert_int_equal((unsigned char)b.data[k + 1], k % 251);
	}
}

static void too_big(void **state)
{
	(void)state;
	CLEANUP(cleanup_fd) int fd = memory_file(100);
	CLEANUP(buf_release) struct buf b = {0};
	assert_int_equal(fs_read_all(fd, 99, &b), -EFBIG);
}

static void endless(void **state)
{
	(void)state;
	CLEANUP(buf_release) struct buf b = {0};
	assert_int_equal(fs_read_file("/dev/zero", 1 << 20, &b), -EFBIG);
	assert_true(b.len <= (1 << 20));
}

static void no_file(void **state)
{
	(void)state;
	CLEANUP(buf_release) struct buf b = {0};
	assert_int_equal(fs_read_file("/nonexistent/file", 10, &b), -ENOENT);
	assert_int_equal(fs_read_file("/", 10, &b), -EISDIR);
	assert_int_equal(fs_read_all(-1, 10, &b), -EBADF);
	assert_int_equal(fs_write_all(-1, "x", 1), -EBADF);
	assert_int_equal(fs_write_all(-1, "", 0), 0);
	CLEANUP(cleanup_fd) int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
	assert_int_equal(fs_write_all(full, "x", 1), -ENOSPC);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_size),
		cmocka_unit_test(too_big),
		cmocka_unit_test(endless),
		cmocka_unit_test(no_file),
	};
	return unit_run("fs", tests);
}
