// SPDX-License-Identifier: MIT
// One thread's frames with its identity and state; the set of one tick.
#ifndef PYATTACH_MODEL_STACK_H
#define PYATTACH_MODEL_STACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct stack {
	pid_t tid;          // OS thread id as our own namespace sees it; 0 = unknown
	uint64_t thread_id; // the interpreter's ident (pthread_self)
	int64_t interp_id;  // 0 = the main interpreter
	uint32_t name;      // string in the frame table; 0 = unknown
	char state;         // as in /proc/PID/task/TID/stat: R S D T ...; '?' = unknown
	bool active;        // state R
	bool owns_gil;
	bool is_main;   // the main interpreter's main thread
	bool moving;    // two copies disagreed: frames are those on which both agree, from the root
	bool truncated; // more frames than we read: the cut is a mark among the frames
	size_t index;   // of the thread in the reader's list, for whoever filled the set
	uint32_t n;     // frames, leaf first; 0 = no Python frame
	uint32_t cap;
	uint32_t *frames; // frame ids
};

// Reused from tick to tick: stack_set_clear keeps the memory of the stacks.
struct stack_set {
	struct stack *stacks;
	size_t n, cap;
};

void stack_set_release(struct stack_set *set);
void stack_set_clear(struct stack_set *set);
// Appends an empty stack; NULL when out of memory. The pointer is valid until the next call.
struct stack *stack_set_add(struct stack_set *set);
// Appends one frame at the root's end. Returns 0 or -ENOMEM.
int stack_push(struct stack *stack, uint32_t frame);

#endif
