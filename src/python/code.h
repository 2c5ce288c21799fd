// SPDX-License-Identifier: MIT
// Code objects of the target, read once and known by their content.
#ifndef PYATTACH_PYTHON_CODE_H
#define PYATTACH_PYTHON_CODE_H

#include "model/frame.h"
#include "python/runtime.h"

struct codes;

// What codes_check says of an address.
enum {
	CODE_SKIP = -1, // not a code object, but an object: never shown (3.13+)
	CODE_TORN = -2, // no object, or it changed while it was read
};

struct codes *codes_new(struct runtime *rt, struct frame_table *frames); // NULL: no memory
void codes_free(struct codes *c);

// Makes sure that the cache describes what lies at each of the n addresses now: a code object
// that was never met is read, a known one is compared by what identifies it (name, qualified
// name, file, line table, first line), since a freed one's place is used again. ret[i] receives an
// index, CODE_SKIP or CODE_TORN. Call it while the frames that hold the objects are thought to
// live. Returns 0, -ENOMEM, -PA_EGONE or -EPERM.
int codes_check(struct codes *c, const uint64_t *addrs, size_t n, int32_t *ret);

// The frame for an instruction of a code object that codes_check accepted. instr is what the
// frame holds: f_lasti up to 3.10, an address then. *ret_incomplete: the function has not reached
// its first traceable instruction, so the interpreter itself does not show the frame. Returns 0,
// -PA_ETORN (the instruction lies outside the code) or -ENOMEM.
int codes_frame(struct codes *c, int32_t index, uint64_t instr, uint32_t *ret_frame,
		bool *ret_incomplete);

#endif
