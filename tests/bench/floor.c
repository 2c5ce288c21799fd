// SPDX-License-Identifier: MIT
// The least that a sample of one thread costs: a sleep, its state, two copies of its frames.
//
// usage: floor PID TID ADDRESS SIZE RATE_HZ SECONDS
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define NS 1000000000ull

static int sample(int stat_fd, pid_t pid, const struct iovec *remote, char *copies)
{
	char text[1024];
	if (pread(stat_fd, text, sizeof(text), 0) <= 0)
		return -1;
	struct iovec local[] = {{copies, remote->iov_len},
				{copies + remote->iov_len, remote->iov_len}};
	struct iovec twice[] = {*remote, *remote};
	ssize_t n = process_vm_readv(pid, local, 2, twice, 2, 0);
	return n == (ssize_t)(2 * remote->iov_len) ? 0 : -1;
}

int main(int argc, char **argv)
{
	if (argc != 7) {
		fprintf(stderr, "usage: floor PID TID ADDRESS SIZE RATE_HZ SECONDS\n");
		return 2;
	}
	pid_t pid = atoi(argv[1]);
	struct iovec remote = {(void *)(uintptr_t)strtoull(argv[3], NULL, 10),
			       strtoull(argv[4], NULL, 10)};
	uint64_t period = NS / strtoull(argv[5], NULL, 10);
	uint64_t ticks = strtoull(argv[6], NULL, 10) * NS / period;
	char path[64];
	snprintf(path, sizeof(path), "/proc/%d/task/%s/stat", pid, argv[2]);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char *copies = calloc(2, remote.iov_len);
	struct timespec next;
	if (fd < 0 || !copies || clock_gettime(CLOCK_MONOTONIC, &next)) {
		perror(path);
		return 1;
	}
	for (uint64_t i = 0; i < ticks; i++) {
		uint64_t ns = (uint64_t)next.tv_nsec + period;
		next.tv_sec += (time_t)(ns / NS);
		next.tv_nsec = (long)(ns % NS);
		while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL) == EINTR)
			;
		if (sample(fd, pid, &remote, copies)) {
			perror("sample");
			return 1;
		}
	}
	free(copies);
	close(fd);
	return 0;
}
