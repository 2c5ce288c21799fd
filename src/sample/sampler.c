// SPDX-License-Identifier: MIT
// One tick of a recording.
#include "sample/sampler.h"

#include "util/clock.h"

#include <errno.h>
#include <stdlib.h>

#define CHECK_NS (NS_PER_SEC / 10)

void sampler_release(struct sampler *s)
{
	free(s->stack.frames);
	map_release(&s->seen);
	s->stack = (struct stack){0};
}

static int note_thread(struct sampler *s, const struct py_thread *thread)
{
	uint64_t h = hash_mix(hash_mix(0, thread->tstate), thread->id);
	uint32_t at;
	if (map_first(&s->seen, h, &at) != MAP_NONE)
		return 0;
	s->stats->threads++;
	return map_add(&s->seen, h, 0);
}

// Decides before a thread is looked at whether and how it is; what is seen later changes nothing.
static int decide(struct sampler *s, struct py_thread *thread)
{
	struct kernel_thread state;
	thread->want = PY_SKIP;
	if (!thread->tid || kernel_thread_state(s->kernel, thread->tid, &state) < 0 ||
	    kernel_thread_ended(&state)) {
		s->stats->ended += !thread->ended;
		thread->ended = true;
		return 0;
	}
	bool counts = s->options->gil ? thread->owns_gil : s->options->idle || state.state == 'R';
	if (counts)
		thread->want = PY_LOOK;
	else
		s->stats->idle++;
	return note_thread(s, thread);
}

// A thread whose name is read for the first time counts only if it was there all the while.
static void name_threads(struct sampler *s, size_t n)
{
	bool any = false, fresh;
	for (size_t i = 0; i < n; i++) {
		if (py_thread_at(s->py, i)->want != PY_LOOK)
			continue;
		py_thread_name(s->py, i, &fresh);
		any |= fresh;
	}
	if (any)
		py_confirm(s->py);
	for (size_t i = 0; i < n && any; i++) {
		struct py_thread *thread = py_thread_at(s->py, i);
		if (thread->want != PY_LOOK || thread->listed)
			continue;
		thread->want = PY_SKIP;
		s->stats->ended += !thread->ended;
		thread->ended = true;
	}
}

// Returns 1 when a stack with frames was counted, which proves that the target still is what it
// was (its code objects were read from the memory that was opened), 0, or an error.
static int count(struct sampler *s, size_t i)
{
	const struct py_thread *thread = py_thread_at(s->py, i);
	const uint32_t *frames;
	size_t n;
	s->stack.n = 0;
	s->stack.tid = thread->tid;
	int rc = py_resolve(s->py, i, &s->stack);
	bool fresh;
	s->stack.name = s->options->threads ? py_thread_name(s->py, i, &fresh) : 0;
	if (rc == -ENOMEM)
		return rc;
	if (rc < 0) {
		s->stats->torn++;
		return 0;
	}
	if (!s->stack.n && !target_alive(s->target))
		return -PA_EGONE;
	rc = filter_stack(s->filter, &s->stack, &frames, &n);
	if (rc >= 0)
		rc = profile_add(s->profile, frames, n, 1);
	if (rc < 0)
		return rc;
	s->stats->samples++;
	s->stats->moving += s->stack.moving;
	return s->stack.n > 0;
}

int sampler_tick(struct sampler *s)
{
	bool changed, proven = false;
	s->stats->ticks++;
	long n = py_threads(s->py, &changed);
	if (n == -PA_ETORN) {
		s->stats->torn++;
		n = 0;
	}
	int rc = n < 0 ? (int)n : 0;
	for (long i = 0; i < n && rc >= 0; i++)
		rc = decide(s, py_thread_at(s->py, (size_t)i));
	if (rc >= 0 && n > 0)
		rc = py_capture(s->py);
	if (rc >= 0 && s->options->threads)
		name_threads(s, (size_t)n);
	for (long i = 0; i < n && rc >= 0; i++) {
		if (py_thread_at(s->py, (size_t)i)->want != PY_LOOK)
			continue;
		rc = count(s, (size_t)i);
		proven |= rc > 0;
	}
	uint64_t now = clock_now_ns();
	if (rc >= 0 && !proven && now - s->checked_at > CHECK_NS) {
		s->checked_at = now;
		rc = target_alive(s->target) ? 0 : -PA_EGONE;
	}
	return rc < 0 ? rc : 0;
}
