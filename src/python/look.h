// SPDX-License-Identifier: MIT
// One look at one thread's frames: two copies, and what they agree on.
#ifndef PYATTACH_PYTHON_LOOK_H
#define PYATTACH_PYTHON_LOOK_H

#include "python/walk.h"

// Working memory, shared by all threads of a session.
struct look {
	struct chain a, b, first;
	struct chase chase;
};

void look_release(struct look *k);

// Takes one look: whatever the thread does, the look is taken once and its weight is kept. kept
// receives the frames on which the copies agree from the root; *ret_moving is true when that is
// not the whole stack. Returns 0, -PA_ETORN (the thread state is gone or nothing could be
// followed), -ENOMEM, -PA_EGONE or -EPERM.
int look_once(struct look *k, struct snap *s, struct chain *kept, bool *ret_moving);

#endif
