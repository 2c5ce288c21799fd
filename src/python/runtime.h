// SPDX-License-Identifier: MIT
// The runtime of a CPython in the target: where it is, which version, which layout.
#ifndef PYATTACH_PYTHON_RUNTIME_H
#define PYATTACH_PYTHON_RUNTIME_H

#include "python/layout.h"
#include "target/binary.h"
#include "target/target.h"

struct runtime {
	struct target *target;
	struct mem *mem;  // the target's
	struct mem *cold; // the same through a cache; see runtime_forget
	struct layout layout;
	uint64_t addr;           // of _PyRuntime
	uint32_t hex;            // as sys.hexversion
	char version[32];        // "3.11.7", "3.12.0rc1"
	char table[64];          // the offsets table in use
	uint64_t code_type;      // address of PyCode_Type; 0 until the first code object is met
	int32_t pthread_tid_off; // of the tid in struct pthread; -1 = unknown
};

// Finds the runtime that is alive in the target: candidates are libpython, the executable, and
// every other mapped file that has a _PyRuntime; one counts only when the self-check passes (its
// thread states point back to their interpreter, its sys dict is a dict). See python/version.h
// for the version. Errors: ENOTPYTHON, EVERSION, ELAYOUT, and those of reading.
// Release it with runtime_release, also after a failure.
int runtime_find(struct target *t, const char *offsets_text, const char *offsets_name,
		 struct runtime *ret, struct err *err);

void runtime_release(struct runtime *rt);

// What was read of objects (python/object.h) before is not believed any more. Objects that were
// known to exist before this call are then read as they are.
void runtime_forget(const struct runtime *rt);

// The first interpreter of the list, and the next one; 0 at the end.
int runtime_interpreters(const struct runtime *rt, uint64_t *ret_head);
int runtime_next_interpreter(const struct runtime *rt, uint64_t interp, uint64_t *ret_next);
// The main interpreter: the oldest, last of the list.
int runtime_main_interpreter(const struct runtime *rt, uint64_t *ret_interp);

#endif
