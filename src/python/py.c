// SPDX-License-Identifier: MIT
// A CPython runtime inside a target, seen from outside: the door.
#include "python/py.h"

#include "python/code.h"
#include "python/names.h"
#include "python/threads.h"
#include "util/array.h"
#include "util/clock.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

// A moving thread is looked at back to back this often, then with pauses.
#define LOOKS_AT_ONCE 32
#define PAUSE_NS      50000
// Looks at a thread whose stack was never seen, at each of its first ticks.
#define FIRST_LOOKS 64
#define FIRST_TICKS 50
// Waits between two searches for a thread's name.
#define NAME_FIRST_NS (NS_PER_SEC / 100)
#define NAME_LAST_NS  (10 * NS_PER_SEC)

struct py {
	struct runtime rt;
	struct threads threads;
	struct codes *codes;
	struct names *names;
	struct frame_table *frames;
	struct look look;
	uint64_t *addrs; // of code objects of the stack at hand
	size_t addrs_cap;
	uint32_t cut_mark;
};

int py_open(struct target *t, struct frame_table *frames, const char *offsets_text,
	    const char *offsets_name, struct py **ret, struct err *err)
{
	struct py *py = calloc(1, sizeof(*py));
	if (!py)
		return err_set(err, -ENOMEM, "Out of memory.");
	int rc = runtime_find(t, offsets_text, offsets_name, &py->rt, err);
	if (rc < 0) {
		runtime_release(&py->rt);
		free(py);
		return rc;
	}
	py->frames = frames;
	threads_init(&py->threads, &py->rt);
	py->codes = codes_new(&py->rt, frames);
	py->names = names_new(&py->rt, frames);
	if (!py->codes || !py->names || frame_table_mark(frames, "[cut]", &py->cut_mark)) {
		py_close(py);
		return err_set(err, -ENOMEM, "Out of memory.");
	}
	*ret = py;
	return 0;
}

void py_close(struct py *py)
{
	if (!py)
		return;
	threads_release(&py->threads);
	codes_free(py->codes);
	names_free(py->names);
	look_release(&py->look);
	runtime_release(&py->rt);
	free(py->addrs);
	free(py);
}

const char *py_version(const struct py *py)
{
	return py->rt.version;
}

long py_threads(struct py *py, bool *ret_changed)
{
	int rc = threads_refresh(&py->threads, ret_changed);
	names_stale(py->names);
	return rc < 0 ? rc : (long)py->threads.n;
}

struct py_thread *py_thread_at(struct py *py, size_t i)
{
	return &py->threads.items[i]->pub;
}

// Reads or checks the code objects of what was kept, while its frames still hold them.
static int check_codes(struct py *py, struct thread *thread)
{
	size_t n = thread->kept.n;
	if (ARRAY_RESERVE(py->addrs, py->addrs_cap, n + 1) ||
	    ARRAY_RESERVE(thread->codes, thread->codes_cap, n + 1))
		return -ENOMEM;
	size_t k = 0;
	for (size_t i = 0; i < n; i++) {
		if (!thread->kept.items[i].shim)
			py->addrs[k++] = thread->kept.items[i].code;
	}
	return codes_check(py->codes, py->addrs, k, thread->codes);
}

// Before a thread's stack was seen once, nothing stands by which a part of it could be told. These
// looks are for that alone and are not counted.
static int first_looks(struct py *py, struct thread *thread)
{
	int rc = 0;
	for (int i = 0; i < FIRST_LOOKS && rc >= 0 && !thread->seed.n; i++)
		rc = look_once(&py->look, &thread->snap, &thread->seed, &thread->kept,
			       &thread->moving);
	return rc;
}

static int capture(struct py *py, struct thread *thread)
{
	int rc = thread->seed.n || thread->tries++ >= FIRST_TICKS ? 0 : first_looks(py, thread);
	if (rc >= 0)
		rc = look_once(&py->look, &thread->snap, &thread->seed, &thread->kept,
			       &thread->moving);
	if (rc >= 0)
		rc = check_codes(py, thread);
	thread->result = rc;
	return rc;
}

int py_capture(struct py *py)
{
	for (size_t i = 0; i < py->threads.n; i++) {
		struct thread *thread = py->threads.items[i];
		if (thread->pub.want != PY_LOOK) {
			thread->snap.fresh = false;
			continue;
		}
		int rc = capture(py, thread);
		if (rc == -PA_EGONE || rc == -ENOMEM || rc == -EPERM)
			return rc;
		py->threads.likely = &thread->snap;
	}
	return 0;
}

int py_resolve(struct py *py, size_t i, struct stack *stack)
{
	struct thread *thread = py->threads.items[i];
	if (thread->result < 0)
		return thread->result;
	stack->moving = thread->moving;
	for (size_t f = 0, k = 0; f < thread->kept.n; f++) {
		const struct raw_frame *raw = &thread->kept.items[f];
		uint32_t frame;
		bool incomplete = false;
		if (raw->shim)
			continue;
		int32_t code = thread->codes[k++];
		if (code == CODE_SKIP)
			continue;
		int rc = code == CODE_TORN
				 ? -PA_ETORN
				 : codes_frame(py->codes, code, raw->instr, &frame, &incomplete);
		if (rc == -PA_ETORN) {
			// Not to be trusted, and nothing that it called is: the callers stay.
			stack->n = 0;
			stack->moving = true;
			continue;
		}
		if (rc >= 0 && (!incomplete || raw->owner == FRAME_OWNED_BY_GENERATOR))
			rc = stack_push(stack, frame);
		if (rc < 0)
			return rc;
	}
	if (!thread->kept.cut)
		return 0;
	stack->truncated = true;
	return stack_push(stack, py->cut_mark);
}

int py_look_until_still(struct py *py, size_t i, uint64_t budget_ns, struct stack *stack)
{
	struct thread *thread = py->threads.items[i];
	uint64_t end = clock_now_ns() + budget_ns;
	for (unsigned looks = 1;; looks++) {
		stack->n = 0;
		stack->truncated = false;
		capture(py, thread);
		int rc = py_resolve(py, i, stack);
		if (rc < 0 || !stack->moving || clock_now_ns() >= end)
			return rc;
		if (looks >= LOOKS_AT_ONCE)
			nanosleep(&(struct timespec){.tv_nsec = PAUSE_NS}, NULL);
	}
}

uint32_t py_thread_name(struct py *py, size_t i, bool *ret_fresh)
{
	struct thread *thread = py->threads.items[i];
	uint64_t now = clock_now_ns();
	*ret_fresh = !thread->name && now >= thread->name_at;
	if (!*ret_fresh)
		return thread->name;
	thread->name = names_find(py->names, thread->snap.identity.interp, thread->pub.thread_id);
	// A thread that threading does not know is asked for less and less often.
	thread->name_wait = thread->name_wait ? thread->name_wait * 4 : NAME_FIRST_NS;
	if (thread->name_wait > NAME_LAST_NS)
		thread->name_wait = NAME_LAST_NS;
	thread->name_at = now + thread->name_wait;
	return thread->name;
}

void py_confirm(struct py *py)
{
	threads_confirm(&py->threads);
}
