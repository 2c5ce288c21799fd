// SPDX-License-Identifier: MIT
// The memory of a running process, by a kept /proc/PID/mem and process_vm_readv.
#include "target/mem_live.h"

#include "util/err.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <unistd.h>

#define BATCH     1024 // UIO_MAXIOV of the kernel
#define TRIES_MAX 4    // threads that exit one after another while we look for a live one

struct mem_live {
	struct mem mem;
	struct mem_live_thread thread;
	int fd;           // -1: refused
	int file_refusal; // -errno of the way that is refused, 0 = it is open
	int vector_refusal;
};

static struct mem_live *live_of(struct mem *m)
{
	return (struct mem_live *)m;
}

static long read_file(struct mem_live *live, uint64_t addr, void *local, size_t len)
{
	ssize_t got;
	do {
		got = pread(live->fd, local, len, (off_t)addr);
	} while (got < 0 && errno == EINTR);
	if (got > 0)
		return got;
	if (!got)
		return -PA_EGONE;
	// EINVAL: an address above the middle is a negative position.
	return errno == EIO || errno == EINVAL ? -EFAULT : -errno;
}

// process_vm_readv, over the exit of the thread that stands for the process. Returns the bytes
// read or a negative error.
static long call_vectors(struct mem_live *live, struct iovec *to, struct iovec *from, size_t n)
{
	for (int tries = 0; tries < TRIES_MAX; tries++) {
		ssize_t got = process_vm_readv(live->thread.tid, to, n, from, n, 0);
		if (got >= 0)
			return got;
		if (errno != ESRCH)
			return errno == EINVAL ? -EFAULT : -errno;
		pid_t tid = live->thread.find(live->thread.ctx);
		if (tid <= 0)
			return -PA_EGONE;
		live->thread.tid = tid;
	}
	return -PA_EGONE;
}

static long read_vector(struct mem_live *live, uint64_t addr, void *local, size_t len)
{
	struct iovec to = {local, len};
	struct iovec from = {(void *)(uintptr_t)addr, len};
	long got = call_vectors(live, &to, &from, 1);
	return got ? got : -EFAULT;
}

static bool is_refusal(long r)
{
	return r == -EPERM || r == -EACCES || r == -ENOSYS;
}

static void drop_file(struct mem_live *live, long why)
{
	live->file_refusal = (int)why;
	close(live->fd);
	live->fd = -1;
}

static long live_read(struct mem *m, uint64_t addr, void *local, size_t len)
{
	struct mem_live *live = live_of(m);
	if (live->fd >= 0) {
		long r = read_file(live, addr, local, len);
		if (!is_refusal(r))
			return r;
		drop_file(live, r);
	}
	if (!live->vector_refusal) {
		long r = read_vector(live, addr, local, len);
		if (!is_refusal(r))
			return r;
		live->vector_refusal = (int)r;
	}
	return live->file_refusal;
}

// The pieces one by one.
static long hot_by_file(struct mem_live *live, const struct mem_vec *vec, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (!vec[i].len)
			continue;
		long r = read_file(live, vec[i].addr, vec[i].local, vec[i].len);
		if (r == -EFAULT || (r > 0 && (size_t)r < vec[i].len))
			return (long)i;
		if (r < 0)
			return r;
	}
	return (long)n;
}

// How many pieces from the first lie wholly within the bytes that were read.
static size_t whole_pieces(const struct mem_vec *vec, size_t n, size_t got)
{
	size_t i = 0;
	for (; i < n && vec[i].len <= got; i++)
		got -= vec[i].len;
	return i;
}

// At most BATCH pieces in one call. Returns whole pieces or a negative error.
static long hot_batch(struct mem_live *live, const struct mem_vec *vec, size_t n)
{
	struct iovec to[BATCH], from[BATCH];
	for (size_t i = 0; i < n; i++) {
		to[i] = (struct iovec){vec[i].local, vec[i].len};
		from[i] = (struct iovec){(void *)(uintptr_t)vec[i].addr, vec[i].len};
	}
	long got = call_vectors(live, to, from, n);
	if (got >= 0)
		return (long)whole_pieces(vec, n, (size_t)got);
	return got == -EFAULT ? 0 : got;
}

static long hot_by_vectors(struct mem_live *live, const struct mem_vec *vec, size_t n)
{
	size_t done = 0;
	while (done < n) {
		size_t want = n - done < BATCH ? n - done : BATCH;
		long r = hot_batch(live, vec + done, want);
		if (r < 0)
			return r;
		done += (size_t)r;
		if ((size_t)r < want)
			break;
	}
	return (long)done;
}

static long live_read_hot(struct mem *m, const struct mem_vec *vec, size_t n)
{
	struct mem_live *live = live_of(m);
	if (!live->vector_refusal) {
		long r = hot_by_vectors(live, vec, n);
		if (!is_refusal(r))
			return r;
		live->vector_refusal = (int)r;
	}
	return live->fd >= 0 ? hot_by_file(live, vec, n) : live->file_refusal;
}

static void live_close(struct mem *m)
{
	struct mem_live *live = live_of(m);
	if (live->fd >= 0)
		close(live->fd);
	free(live);
}

static const struct mem_ops live_ops = {live_read, live_read_hot, live_close};

int mem_live_new(const struct mem_live_thread *thread, int fd, struct mem **ret)
{
	struct mem_live *live = malloc(sizeof(*live));
	if (!live) {
		if (fd >= 0)
			close(fd);
		return -ENOMEM;
	}
	*live = (struct mem_live){.mem = {&live_ops}, .thread = *thread, .fd = fd};
	if (fd < 0) {
		live->fd = -1;
		live->file_refusal = fd;
	}
	*ret = &live->mem;
	return 0;
}

int mem_live_probe(struct mem *m, uint64_t addr)
{
	char byte;
	long r = live_read(m, addr, &byte, 1);
	return r >= 0 || r == -EFAULT ? 0 : (int)r;
}

void mem_live_refusals(struct mem *m, int *ret_file, int *ret_vectors)
{
	struct mem_live *live = live_of(m);
	*ret_file = live->file_refusal;
	*ret_vectors = live->vector_refusal;
}
