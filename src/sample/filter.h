// SPDX-License-Identifier: MIT
// What of a stack is counted, and under which names.
#ifndef PYATTACH_SAMPLE_FILTER_H
#define PYATTACH_SAMPLE_FILTER_H

#include "model/profile.h"
#include "model/stack.h"
#include "sample/session.h"

struct filter;

struct filter *filter_new(struct frame_table *frames, const struct record_options *o); // or NULL
void filter_free(struct filter *f);

// Puts the stack root first: the thread's root when asked for, each frame merged as the options
// say, a mark when there is no frame, "[moving]" as one leaf more. The array is the filter's,
// until the next call. Returns 0 or -ENOMEM.
int filter_stack(struct filter *f, const struct stack *stack, const uint32_t **ret, size_t *ret_n);

#endif
