// SPDX-License-Identifier: MIT
// The target's interpreters, thread states and GILs, as one consistent read.
#ifndef PYATTACH_PYTHON_THREADS_H
#define PYATTACH_PYTHON_THREADS_H

#include "python/look.h"
#include "python/py.h"

// A thread state with what belongs to it from tick to tick.
struct thread {
	struct py_thread pub;
	uint64_t next;     // address of the next thread state of the list
	pid_t inner;       // OS thread id in its own namespace; 0 = unknown
	struct snap snap;  // with the thread's identity
	struct chain kept; // of the last look
	struct chain seed; // of the last look that reached the root
	int32_t *codes;    // of kept, by codes_check
	size_t codes_cap;
	uint32_t name;      // 0 = not known yet
	uint64_t name_at;   // when to ask for it again
	uint64_t name_wait; // after that
	unsigned tries;     // ticks in which the seed was sought
	bool moving;
	int result; // of the last look: 0 or a negative error
};

struct interpreter {
	uint64_t addr;
	int64_t id;
	uint64_t head; // first thread state
	uint64_t gil;  // address of its GIL; 0 = unknown
	uint64_t next;
};

struct threads {
	const struct runtime *rt;
	struct thread **items; // in the order of the lists: newest first
	size_t n, cap;
	struct interpreter interps[LIMIT_INTERPRETERS];
	size_t interps_n;
	uint64_t head; // first interpreter
	struct mem_vec *vec;
	size_t vec_cap;
	char *buf;
	size_t buf_cap;
	struct snap *likely; // of the thread that is likely to be looked at next; NULL = none
	bool mapped_tids;    // the target's thread ids are those of an inner namespace
};

int threads_init(struct threads *t, const struct runtime *rt);
void threads_release(struct threads *t);

// Reads everything in one call and compares the lists with what is known; walks them anew when
// they differ. Sets owns_gil of each thread from that same read, which also
// takes the copies of the likely thread. Returns 0 or a negative error.
int threads_refresh(struct threads *t, bool *ret_changed);

// Walks the lists once more and tells of every known thread whether it is there still, with the
// identity that is known (py_thread.listed).
void threads_confirm(struct threads *t);

#endif
