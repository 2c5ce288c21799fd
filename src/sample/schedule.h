// SPDX-License-Identifier: MIT
// When to look: one instant, chosen uniformly, within each period of an absolute grid.
#ifndef PYATTACH_SAMPLE_SCHEDULE_H
#define PYATTACH_SAMPLE_SCHEDULE_H

#include <stdint.h>

// A fixed phase would see a periodic target at the same point of its period again and again.
struct schedule {
	uint64_t start_ns; // of period 0
	double period_ns;
	uint64_t next; // number of the next period
	uint64_t random;
};

void schedule_start(struct schedule *s, uint64_t now_ns, double rate_hz, uint64_t seed);
// The next instant (CLOCK_MONOTONIC). Periods that have wholly passed are skipped and added to
// *late: they are counted, never made up for.
uint64_t schedule_next(struct schedule *s, uint64_t now_ns, uint64_t *late);

#endif
