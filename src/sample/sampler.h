// SPDX-License-Identifier: MIT
// One tick of a recording.
#ifndef PYATTACH_SAMPLE_SAMPLER_H
#define PYATTACH_SAMPLE_SAMPLER_H

#include "kernel/kernel.h"
#include "model/stack.h"
#include "python/py.h"
#include "sample/filter.h"
#include "util/hash.h"

struct sampler {
	struct target *target;
	struct py *py;
	struct kernel *kernel;
	struct filter *filter;
	const struct record_options *options;
	struct profile *profile;
	struct record_stats *stats;
	struct stack stack;
	struct map seen;     // threads
	uint64_t checked_at; // when the target was last proven to be the same program
};

void sampler_release(struct sampler *s); // what the sampler itself owns: stack, seen

// Looks at every thread once and counts. Returns 0, -PA_EGONE (the target has ended or become
// another program), or another negative error that ends the recording.
int sampler_tick(struct sampler *s);

#endif
