// SPDX-License-Identifier: MIT
// Time in nanoseconds.
#include "util/clock.h"

#include <time.h>

static uint64_t read_ns(clockid_t id)
{
	struct timespec ts;
	clock_gettime(id, &ts);
	return (uint64_t)ts.tv_sec * NS_PER_SEC + (uint64_t)ts.tv_nsec;
}

uint64_t clock_now_ns(void)
{
	return read_ns(CLOCK_MONOTONIC);
}

uint64_t clock_process_cpu_ns(void)
{
	return read_ns(CLOCK_PROCESS_CPUTIME_ID);
}

int clock_sleep_until(uint64_t deadline_ns)
{
	struct timespec ts = {
		.tv_sec = (time_t)(deadline_ns / NS_PER_SEC),
		.tv_nsec = (long)(deadline_ns % NS_PER_SEC),
	};
	return -clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL);
}
