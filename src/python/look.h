// SPDX-License-Identifier: MIT
// One look at one thread's frames: two copies, and what they agree on.
#ifndef PYATTACH_PYTHON_LOOK_H
#define PYATTACH_PYTHON_LOOK_H

#include "python/walk.h"

// Working memory, shared by all threads of a session.
struct look {
	struct chain a, b, first;
	struct chase chase;
	struct raw_frame *memo; // WALK_MEMO frames, or NULL until it is needed
};

void look_release(struct look *k);

// Takes one look: whatever the thread does, the look is taken once and its weight is kept. kept
// receives the frames on which the copies agree from the root; *ret_moving is true when that is
// not the whole stack. seed is kept from look to look: where a thread moves too fast to be followed
// from its leaf, what of the last stack still stands in both copies is all that is known. Returns
// 0, -PA_ETORN (the thread state is gone), -ENOMEM, -PA_EGONE or -EPERM.
int look_once(struct look *k, struct snap *s, struct chain *seed, struct chain *kept,
	      bool *ret_moving);

#endif
