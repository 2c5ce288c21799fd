// SPDX-License-Identifier: MIT
// What the kernel knows of the target's threads.
#ifndef PYATTACH_KERNEL_KERNEL_H
#define PYATTACH_KERNEL_KERNEL_H

#include "target/target.h"

struct kernel;

struct kernel_thread {
	char state;          // R S D T t Z X I ...
	uint64_t start_time; // clock ticks since boot: tells a reused tid from the old one
	uint64_t cpu_ticks;  // utime + stime
	int processor;       // CPU it last ran on
};

// At most about max_fds descriptors are kept open (an LRU beyond that). Returns 0 or -ENOMEM.
int kernel_open(struct target *t, size_t max_fds, struct kernel **ret);
void kernel_close(struct kernel *k); // NULL-safe
// The thread runs nothing any more: a zombie that waits for the others of its process, or dead.
static inline bool kernel_thread_ended(const struct kernel_thread *thread)
{
	return thread->state == 'Z' || thread->state == 'X';
}
// One pread of a kept descriptor. Returns 0, -ESRCH when the thread has ended, or -errno.
int kernel_thread_state(struct kernel *k, pid_t tid, struct kernel_thread *ret);

#endif
