// SPDX-License-Identifier: MIT
// Preloaded: at the first sleep to a deadline writes the time since PYATTACH_BENCH_START (us) to
// the file PYATTACH_BENCH_OUT and ends the program.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

int clock_nanosleep(clockid_t clock, int flags, const struct timespec *until,
		    struct timespec *rest);

int clock_nanosleep(clockid_t clock, int flags, const struct timespec *until, struct timespec *rest)
{
	(void)clock;
	(void)flags;
	(void)until;
	(void)rest;
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	const char *start = getenv("PYATTACH_BENCH_START");
	const char *out = getenv("PYATTACH_BENCH_OUT");
	FILE *f = out ? fopen(out, "a") : NULL;
	uint64_t ns = (uint64_t)now.tv_sec * 1000000000ull + (uint64_t)now.tv_nsec;
	if (f && start) {
		fprintf(f, "%llu\n", (unsigned long long)(ns - strtoull(start, NULL, 10)) / 1000);
		fclose(f);
	}
	_exit(0);
}
