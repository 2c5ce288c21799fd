// SPDX-License-Identifier: MIT
// Runs a program several times from a small process: what is measured is the program's own.
//
// usage: launch COUNT PROGRAM ARG...
// Its output is thrown away. One line a run: wall time (us), CPU time (us), resident size (KiB),
// exit code. PYATTACH_BENCH_START is set to the instant before the fork (ns, CLOCK_MONOTONIC).
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static uint64_t now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000ull + (uint64_t)t.tv_nsec;
}

static uint64_t micros(struct timeval t)
{
	return (uint64_t)t.tv_sec * 1000000ull + (uint64_t)t.tv_usec;
}

static void run(char **argv, int null)
{
	char start[32];
	snprintf(start, sizeof(start), "%llu", (unsigned long long)now_ns());
	setenv("PYATTACH_BENCH_START", start, 1);
	dup2(null, STDOUT_FILENO);
	execv(argv[0], argv);
	_exit(127);
}

int main(int argc, char **argv)
{
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	if (argc < 3 || null < 0) {
		fprintf(stderr, "usage: launch COUNT PROGRAM ARG...\n");
		return 2;
	}
	for (int i = atoi(argv[1]); i > 0; i--) {
		fflush(stdout);
		uint64_t before = now_ns();
		pid_t pid = fork();
		if (pid == 0)
			run(argv + 2, null);
		int status;
		struct rusage used;
		if (pid < 0 || wait4(pid, &status, 0, &used) != pid) {
			perror("launch");
			return 1;
		}
		printf("%llu %llu %ld %d\n", (unsigned long long)(now_ns() - before) / 1000,
		       (unsigned long long)(micros(used.ru_utime) + micros(used.ru_stime)),
		       used.ru_maxrss, WIFEXITED(status) ? WEXITSTATUS(status) : 128);
	}
	return 0;
}
