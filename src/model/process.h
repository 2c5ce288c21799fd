// SPDX-License-Identifier: MIT
// What a dump shows of one process.
#ifndef PYATTACH_MODEL_PROCESS_H
#define PYATTACH_MODEL_PROCESS_H

#include "model/frame.h"
#include "model/stack.h"

// Texts are NUL-terminated bytes of the target: hostile, of any encoding.
struct process {
	pid_t pid;
	char *cmdline; // arguments joined by blanks; owned
	size_t cmdline_len;
	char *executable;           // path as the target sees it; owned
	char python[32];            // "3.11.7"
	uint32_t no_python;         // OS threads that have no Python thread state
	struct frame_table *frames; // not owned
	struct stack_set threads;   // in the order in which they are shown
};

void process_release(struct process *p);

#endif
