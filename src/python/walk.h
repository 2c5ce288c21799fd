// SPDX-License-Identifier: MIT
// Frame chains: followed through the copies of a snap, compared, and agreed upon.
#ifndef PYATTACH_PYTHON_WALK_H
#define PYATTACH_PYTHON_WALK_H

#include "python/snap.h"

// A frame as it lies in memory, before any name is known.
struct raw_frame {
	uint64_t addr;
	uint64_t code; // code object, or another executable
	uint64_t previous;
	uint64_t instr; // f_lasti up to 3.10; the address of an instruction from 3.11 on
	uint8_t owner;  // enum _frameowner, or FRAME_OWNED_BY_NOBODY
	bool shim;      // 3.12+: the entry of a C call, no function
	bool entry;     // 3.11: called from C
	bool running;   // 3.11 to 3.13: runs itself, so it has called nothing without C in between
	bool late;      // read by itself, some time after the thread state
	bool live;      // nothing says that it was left already
};

#define FRAME_OWNED_BY_THREAD    0
#define FRAME_OWNED_BY_GENERATOR 1
#define FRAME_OWNED_BY_NOBODY    255 // up to 3.10: an object of its own

struct chain {
	struct raw_frame *items; // leaf first
	size_t n, cap;
	bool cut; // LIMIT_FRAMES ended it
};

void chain_release(struct chain *c);
int chain_copy(struct chain *to, const struct chain *from); // 0 or -ENOMEM

enum walk {
	WALK_WHOLE,   // reached the root
	WALK_MISSING, // a frame lies in no piece
	WALK_CFRAME,  // a C frame lies in no piece (it is added to the prediction)
	WALK_CHUNKS,  // the data stack has other chunks than were predicted
	WALK_BAD,     // garbage: a cycle, an unreadable frame
};

// Follows the frames of one copy. With chase, frames that lie in no piece are taken from what is
// remembered of them, or read from the target, and appended to it. Returns enum walk or a negative
// error of reading (-ENOMEM, -PA_EGONE).
#define WALK_MEMO 1024 // frames that are remembered, by address
struct chase {
	struct raw_frame *items;
	size_t n, cap;
	struct raw_frame *memo; // NULL: only the target is asked
};
int walk_chain(struct snap *s, int copy, struct chain *out, struct chase *chase);

// The frames of an earlier chain that still stand in a copy, each called by the one before it, from
// the root. Returns 0 or -ENOMEM.
int walk_again(struct snap *s, int copy, const struct chain *seed, struct chain *out);

// Remembers frames that lie outside of the data stack: who was called by whom is likely to be so
// again, and to learn that from the target takes a system call for each frame.
void walk_remember(struct raw_frame *memo, const struct snap *s, const struct chain *c);

// What the copied thread state says is current: the frame, or the C frame in 3.11 and 3.12.
uint64_t walk_start(const struct snap *s, int copy);

// The frames on which all k chains agree from the root: the same frame, code, predecessor and
// (unless it is every chain's leaf) instruction. The last one kept may differ in its instruction
// (3.11+); chains[0]'s counts. whole: the chains begin at the current frame. Where they do not, or
// are not equal, a frame that was left already ends what is kept; loose: and one frame less is.
// Returns 1 when ret is the whole stack, 0 when it is a part, or -ENOMEM.
int walk_agree(const struct chain *const *chains, size_t k, bool whole, bool loose,
	       struct chain *ret);

// Cuts c back to the frames from the root that are also, as frames, in other; instructions do not
// count.
void walk_limit(struct chain *c, const struct chain *other);

// True when the frame is in the copy as it was, and was not left.
bool walk_stands(struct snap *s, int copy, const struct raw_frame *frame);

// True when part holds the same frames as whole from the root, or fewer.
bool walk_is_part(const struct chain *part, const struct chain *whole);

// Cuts a chain back to what was copied together with the thread state: from the root up to the
// late frames.
void walk_cut_late(struct chain *c);

#endif
