// SPDX-License-Identifier: MIT
// When to look: one instant, chosen uniformly, within each period of an absolute grid.
#include "sample/schedule.h"

#include "util/clock.h"

void schedule_start(struct schedule *s, uint64_t now_ns, double rate_hz, uint64_t seed)
{
	*s = (struct schedule){
		.start_ns = now_ns,
		.period_ns = (double)NS_PER_SEC / rate_hz,
		.random = seed | 1,
	};
}

// xorshift64*: Vigna, "An experimental exploration of Marsaglia's xorshift generators".
static double uniform(struct schedule *s)
{
	s->random ^= s->random >> 12;
	s->random ^= s->random << 25;
	s->random ^= s->random >> 27;
	return (double)(s->random * UINT64_C(0x2545F4914F6CDD1D) >> 11) * 0x1p-53;
}

uint64_t schedule_next(struct schedule *s, uint64_t now_ns, uint64_t *late)
{
	uint64_t current = (uint64_t)((double)(now_ns - s->start_ns) / s->period_ns);
	if (current > s->next) {
		*late += current - s->next;
		s->next = current;
	}
	double at = ((double)s->next + uniform(s)) * s->period_ns;
	s->next++;
	return s->start_ns + (uint64_t)at;
}
