// SPDX-License-Identifier: MIT
// The stacks of one tick.
#include "unit.h"

#include "model/process.h"
#include "model/stack.h"

#include <string.h>

static void push(void **state)
{
	(void)state;
	struct stack_set set = {0};
	struct stack *stack = stack_set_add(&set);
	assert_non_null(stack);
	assert_int_equal(stack->n, 0);
	for (uint32_t i = 0; i < 5000; i++)
		assert_int_equal(stack_push(stack, i), 0);
	assert_int_equal(stack->n, 5000);
	for (uint32_t i = 0; i < 5000; i++)
		assert_int_equal(stack->frames[i], i);
	stack_set_release(&set);
	stack_set_release(&set);
	stack_set_release(NULL);
}

// Every stack begins empty, whatever the one before it at that place held.
static void clear_forgets_but_keeps_memory(void **state)
{
	(void)state;
	struct stack_set set = {0};
	for (int tick = 0; tick < 3; tick++) {
		uint32_t *frames = tick ? set.stacks[0].frames : NULL;
		for (uint32_t t = 0; t < 100; t++) {
			struct stack *stack = stack_set_add(&set);
			struct stack empty = {.frames = stack->frames, .cap = stack->cap};
			assert_memory_equal(stack, &empty, sizeof(empty));
			memset(stack, 0xff, offsetof(struct stack, n));
			for (uint32_t i = 0; i < t; i++)
				assert_int_equal(stack_push(stack, t * 1000 + i), 0);
		}
		if (tick)
			assert_ptr_equal(set.stacks[0].frames, frames);
		assert_int_equal(set.n, 100);
		for (uint32_t t = 0; t < 100; t++) {
			assert_int_equal(set.stacks[t].n, t);
			for (uint32_t i = 0; i < t; i++)
				assert_int_equal(set.stacks[t].frames[i], t * 1000 + i);
		}
		stack_set_clear(&set);
		assert_int_equal(set.n, 0);
	}
	stack_set_release(&set);
}

static void process_owns_its_parts(void **state)
{
	(void)state;
	struct process p = {.pid = 1, .cmdline = strdup("python"), .executable = strdup("/x")};
	struct stack *stack = stack_set_add(&p.threads);
	assert_int_equal(stack_push(stack, 1), 0);
	process_release(&p);
	assert_null(p.cmdline);
	assert_int_equal(p.threads.n, 0);
	process_release(&p);
	process_release(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(push),
		cmocka_unit_test(clear_forgets_but_keeps_memory),
		cmocka_unit_test(process_owns_its_parts),
	};
	return unit_run("stack", tests);
}
