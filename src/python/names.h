// SPDX-License-Identifier: MIT
// The names that the threading module gave to threads.
#ifndef PYATTACH_PYTHON_NAMES_H
#define PYATTACH_PYTHON_NAMES_H

#include "model/frame.h"
#include "python/runtime.h"

struct names;

struct names *names_new(const struct runtime *rt, struct frame_table *frames); // NULL: no memory
void names_free(struct names *n);

// Call when time has passed: which Thread belongs to which ident is read anew by the next find.
void names_stale(struct names *n);
// The name of the thread with that ident in an interpreter's threading._active: a string of the
// frame table; 0 = it has none (started without threading, or not yet registered). Not cached by
// ident, which the C library uses again: the caller keeps the name with its thread.
uint32_t names_find(struct names *n, uint64_t interp, uint64_t ident);

#endif
