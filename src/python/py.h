// SPDX-License-Identifier: MIT
// A CPython runtime inside a target, seen from outside.
#ifndef PYATTACH_PYTHON_PY_H
#define PYATTACH_PYTHON_PY_H

#include "model/frame.h"
#include "model/stack.h"
#include "target/target.h"
#include "util/err.h"

struct py;

// Finds the interpreter, its version and its offsets table, and checks that what was found is one
// (python/runtime.h). offsets_text: the text of a table that replaces the built-in choice, or
// NULL. frames receives every string and frame and outlives the result. Errors: ENOTPYTHON,
// EVERSION, ELAYOUT, EDENIED, EGONE.
int py_open(struct target *t, struct frame_table *frames, const char *offsets_text,
	    const char *offsets_name, struct py **ret, struct err *err);
void py_close(struct py *py); // NULL-safe

// "3.11.7"; valid until close.
const char *py_version(const struct py *py);

// How one thread is to be looked at in this tick.
enum py_want {
	PY_SKIP, // identity only
	PY_LOOK, // frames
};

// A Python thread state as the last py_threads found it. Index and pointer are valid until the
// next py_threads.
struct py_thread {
	uint64_t tstate;    // address
	uint64_t thread_id; // ident (pthread_self)
	uint64_t id; // the interpreter's own counter: tells a reused address from the old one
	pid_t tid;   // OS thread id in our namespace; 0 when it is not one of the target's
	int64_t interp_id;
	bool is_main; // the oldest thread state of the main interpreter
	bool owns_gil;
	enum py_want want; // set by the caller before py_capture
	bool ended;        // the caller's note that it has met the thread's end
	bool listed;       // set by py_confirm: the interpreter still has it
};

// Re-reads the list of interpreters and threads if it may have changed (else one read), and the
// GIL words. Returns the number of threads or a negative error. *ret_changed: the list differs
// from that of the call before.
long py_threads(struct py *py, bool *ret_changed);
struct py_thread *py_thread_at(struct py *py, size_t i);

// Captures the frames of every thread with want == PY_LOOK: two copies each, compared; no names
// are looked up except those of code objects that were never seen. Returns 0 or a negative error
// (-PA_EGONE, -ENOMEM, -EPERM); what failed for one thread alone is told by py_resolve.
int py_capture(struct py *py);

// What py_capture found of thread i, resolved to frame ids, leaf first, appended to stack.
// Returns 0, -PA_ETORN (nothing in the copies agreed), -ENOMEM, or another negative error.
int py_resolve(struct py *py, size_t i, struct stack *stack);

// Looks at thread i alone, again and again until two copies agree, at most budget_ns.
// Returns as py_resolve; stack->moving tells that they never agreed.
int py_look_until_still(struct py *py, size_t i, uint64_t budget_ns, struct stack *stack);

// The name that threading gave to thread i: a string of the frame table, 0 = unknown. Read once for
// each thread state: *ret_fresh tells that it was now. Idents are used again, so a fresh name is
// the thread's only if py_confirm finds the thread listed afterwards.
uint32_t py_thread_name(struct py *py, size_t i, bool *ret_fresh);
// Sets "listed" of every thread.
void py_confirm(struct py *py);

#endif
