// SPDX-License-Identifier: MIT
// Time in nanoseconds.
#ifndef PYATTACH_UTIL_CLOCK_H
#define PYATTACH_UTIL_CLOCK_H

#include <stdint.h>

#define NS_PER_SEC UINT64_C(1000000000)

uint64_t clock_now_ns(void);         // CLOCK_MONOTONIC
uint64_t clock_process_cpu_ns(void); // CPU time used by this process
// Sleeps until the deadline on CLOCK_MONOTONIC. Returns 0, or -EINTR when a signal came first.
int clock_sleep_until(uint64_t deadline_ns);

#endif
