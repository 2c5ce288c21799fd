// SPDX-License-Identifier: MIT
// The pieces of memory that hold one thread's frames, predicted from the look before, and two
// copies of them taken in one call.
#ifndef PYATTACH_PYTHON_SNAP_H
#define PYATTACH_PYTHON_SNAP_H

#include "python/limits.h"
#include "python/runtime.h"
#include "util/hash.h"

struct snap_chunk {
	uint64_t addr;
	uint32_t len;
	size_t off; // in a copy
};

struct snap_loose {
	uint64_t addr;
	uint64_t seen; // round in which a walk met it last
};

// A piece is: the thread state; the window, that part of the C stack in which its C frames (3.11,
// 3.12) and entry shims (3.12+) lie; C frames elsewhere; the chunks of the data stack (3.11+); and
// loose frames, which lie anywhere else: generators, and every frame up to 3.10.
// Which thread it is. A thread state is made by the creating thread, with that one's ids, and gets
// its own when it begins to run; its memory may be used again.
struct snap_identity {
	uint64_t interp, id, thread_id, native;
};

struct snap {
	const struct runtime *rt;
	uint64_t tstate;
	struct snap_identity identity;
	uint64_t window, window_end;     // addresses; equal when there is none
	uint64_t met, met_end;           // the part of it that was used lately
	uint64_t cframes[LIMIT_CFRAMES]; // most recently met first
	size_t cframes_n;
	struct snap_chunk *chunks; // newest first
	size_t chunks_n, chunks_cap;
	struct snap_loose *loose;
	size_t loose_n, loose_cap;
	struct map loose_map;
	uint64_t round;
	bool fresh;   // the copies were taken by another's read and not used yet
	double pace;  // of the fastest read of late, against what it should take
	bool changed; // the pieces differ from those of vec
	struct mem_vec *vec;
	size_t vec_cap, pieces; // pieces in one copy
	size_t window_off, cframes_off, loose_off, stride;
	char *buf; // two copies
	size_t buf_cap;
};

void snap_init(struct snap *s, const struct runtime *rt, uint64_t tstate);
// As a copy of a thread state says; native is 0 up to 3.10.
struct snap_identity snap_identify(const struct layout *l, const char *tstate);
bool snap_same(const struct snap_identity *a, const struct snap_identity *b);
void snap_release(struct snap *s);

// Copies every piece twice in one call. A piece that cannot be read is given up and the rest is
// read again. Returns 0, -PA_ETORN (the thread state is unreadable or
// another thread's), -ENOMEM, or another error of reading.
int snap_read(struct snap *s);

// The pieces of both copies, for a read that takes them along with its own; NULL when they are not
// laid out. snap_taken tells that all of it was read in the given time, and makes the next
// snap_read a look at what is there.
const struct mem_vec *snap_pieces(const struct snap *s, size_t *ret_n);
void snap_taken(struct snap *s, uint64_t took_ns);

// The copied thread state (copy 0 or 1).
const char *snap_tstate(const struct snap *s, int copy);
// len copied bytes at an address of a C frame, or of a frame; NULL when no piece holds them.
const char *snap_cframe(struct snap *s, int copy, uint64_t addr);
const char *snap_frame(struct snap *s, int copy, uint64_t addr);
// Bytes before a frame that are readable, too: a generator's state lies there (3.11+).
uint32_t snap_before(const struct snap *s);
// True when the address lies in a chunk's piece.
bool snap_in_chunk(const struct snap *s, uint64_t addr);

// Puts what lies at an address into the prediction: something on the C stack widens the window, if
// it is not too far away. The last two return 0 or a negative error.
void snap_add_cframe(struct snap *s, uint64_t addr);
int snap_add_shim(struct snap *s, uint64_t addr);
int snap_add_loose(struct snap *s, uint64_t addr);
// Follows the chunks of the data stack as that copy of the thread state has it, unless the
// prediction fits already. -PA_ETORN when they make no sense.
int snap_learn_chunks(struct snap *s, const char *tstate);
// Forgets loose frames that no walk has met for a while, when there are many, and the part of the
// window that was not used for a while.
void snap_trim(struct snap *s);

#endif
