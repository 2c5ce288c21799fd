// SPDX-License-Identifier: MIT
// One thread's frames with its identity and state; the set of one tick.
#include "model/stack.h"

#include "util/array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void stack_set_release(struct stack_set *set)
{
	if (!set)
		return;
	for (size_t i = 0; i < set->cap; i++)
		free(set->stacks[i].frames);
	free(set->stacks);
	*set = (struct stack_set){0};
}

void stack_set_clear(struct stack_set *set)
{
	set->n = 0;
}

struct stack *stack_set_add(struct stack_set *set)
{
	size_t had = set->cap;
	if (ARRAY_RESERVE(set->stacks, set->cap, set->n + 1))
		return NULL;
	if (set->cap > had)
		memset(set->stacks + had, 0, (set->cap - had) * sizeof(*set->stacks));
	struct stack *stack = &set->stacks[set->n++];
	*stack = (struct stack){.frames = stack->frames, .cap = stack->cap};
	return stack;
}

int stack_push(struct stack *stack, uint32_t frame)
{
	size_t cap = stack->cap;
	if (ARRAY_RESERVE(stack->frames, cap, (size_t)stack->n + 1))
		return -ENOMEM;
	stack->cap = (uint32_t)cap;
	stack->frames[stack->n++] = frame;
	return 0;
}
