// SPDX-License-Identifier: MIT
// Reading small files.
#include "util/fs.h"

#include "util/cleanup.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

int fs_read_all(int fd, size_t max, struct buf *b)
{
	char chunk[16384];
	size_t got = 0;
	for (;;) {
		ssize_t n = read(fd, chunk, sizeof(chunk));
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (!n)
			return b->failed;
		got += (size_t)n;
		if (got > max)
			return -EFBIG;
		buf_add(b, chunk, (size_t)n);
	}
}

int fs_read_file(const char *path, size_t max, struct buf *b)
{
	CLEANUP(cleanup_fd) int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	return fs_read_all(fd, max, b);
}

int fs_write_all(int fd, const void *data, size_t len)
{
	const char *p = data;
	while (len) {
		ssize_t n = write(fd, p, len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN) {
			// Standard output may be somebody's non-blocking pipe.
			poll(&(struct pollfd){.fd = fd, .events = POLLOUT}, 1, -1);
			continue;
		}
		if (n < 0)
			return -errno;
		p += n;
		len -= (size_t)n;
	}
	return 0;
}
