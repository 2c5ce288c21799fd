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

// A piece is: the thread state; C frames (3.11, 3.12); the chunks of the data stack (3.11+); and
// loose frames, which lie elsewhere: generators and entry shims, and every frame up to 3.10.
struct snap {
	const struct runtime *rt;
	uint64_t tstate;
	uint64_t cframes[LIMIT_CFRAMES]; // most recently met first
	size_t cframes_n;
	struct snap_chunk *chunks; // newest first
	size_t chunks_n, chunks_cap;
	struct snap_loose *loose;
	size_t loose_n, loose_cap;
	struct map loose_map;
	uint64_t round;
	bool changed; // the pieces differ from those of vec
	struct mem_vec *vec;
	size_t vec_cap, pieces; // pieces in one copy
	size_t cframes_off, loose_off, stride;
	char *buf; // two copies
	size_t buf_cap;
};

void snap_init(struct snap *s, const struct runtime *rt, uint64_t tstate);
void snap_release(struct snap *s);

// Copies every piece twice in one call. A loose piece or C frame that cannot be read is given up
// and the rest is read again. Returns 0, -PA_ETORN (the thread state itself is unreadable),
// -ENOMEM, or another error of reading.
int snap_read(struct snap *s);

// The copied thread state (copy 0 or 1).
const char *snap_tstate(const struct snap *s, int copy);
// len copied bytes at an address of a C frame, or of a frame; NULL when no piece holds them.
const char *snap_cframe(const struct snap *s, int copy, uint64_t addr);
const char *snap_frame(struct snap *s, int copy, uint64_t addr);
// True when the address lies in a chunk's piece.
bool snap_in_chunk(const struct snap *s, uint64_t addr);

// Puts a piece into the prediction. Each returns 0 or a negative error.
void snap_add_cframe(struct snap *s, uint64_t addr);
int snap_add_loose(struct snap *s, uint64_t addr);
// Follows the chunks of the data stack as that copy of the thread state has it, unless the
// prediction fits already. -PA_ETORN when they make no sense.
int snap_learn_chunks(struct snap *s, const char *tstate);
// Forgets loose frames that no walk has met for a while, when there are many.
void snap_trim(struct snap *s);

#endif
