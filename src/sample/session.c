// SPDX-License-Identifier: MIT
// One inspection of one process: attach, then a dump or a recording.
#include "sample/session.h"

#include "kernel/kernel.h"
#include "python/py.h"
#include "sample/explain.h"
#include "sample/sampler.h"
#include "sample/schedule.h"
#include "util/cleanup.h"
#include "util/clock.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#define FDS_FOR_OTHERS 64
#define FDS_AT_LEAST   16
#define STILL_NS       (NS_PER_SEC / 50) // how long a dump tries a moving thread
#define NAP_NS         (NS_PER_SEC / 10) // the longest sleep that cannot see a request to stop
#define PROGRESS_NS    (NS_PER_SEC / 4)

struct session {
	struct target *target;
	struct py *py;
	struct kernel *kernel;
	struct frame_table *frames;
};

static void cleanup_session(struct session **s)
{
	session_close(*s);
}

// As many descriptors as may be had. Returns how many files of threads may be kept open.
static size_t raise_nofile(void)
{
	struct rlimit limit;
	if (getrlimit(RLIMIT_NOFILE, &limit))
		return FDS_AT_LEAST;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur < FDS_FOR_OTHERS + FDS_AT_LEAST)
		return FDS_AT_LEAST;
	return (size_t)limit.rlim_cur - FDS_FOR_OTHERS;
}

int session_open(pid_t pid, const char *offsets_text, const char *offsets_name,
		 struct session **ret, struct err *err)
{
	CLEANUP(cleanup_session) struct session *s = calloc(1, sizeof(*s));
	if (s)
		s->frames = frame_table_new();
	if (!s || !s->frames)
		return err_set(err, -ENOMEM, "Out of memory.");
	size_t fds = raise_nofile();
	int rc = target_open_pid(pid, &s->target, err);
	if (rc >= 0)
		rc = py_open(s->target, s->frames, offsets_text, offsets_name, &s->py, err);
	if (rc == -PA_ENOTPYTHON && s->target)
		explain_children(target_pid(s->target), err);
	if (rc < 0)
		return rc;
	if (kernel_open(s->target, fds, &s->kernel) < 0)
		return err_set(err, -ENOMEM, "Out of memory.");
	*ret = TAKE(s);
	return 0;
}

void session_close(struct session *s)
{
	if (!s)
		return;
	kernel_close(s->kernel);
	py_close(s->py);
	target_close(s->target);
	frame_table_free(s->frames);
	free(s);
}

const char *session_python(const struct session *s)
{
	return py_version(s->py);
}

pid_t session_tracer(const struct session *s, char *name, size_t size)
{
	return target_tracer(s->target, name, size);
}

struct frame_table *session_frames(struct session *s)
{
	return s->frames;
}

static int gone(const struct session *s, struct err *err)
{
	return err_set(err, -PA_EGONE,
		       "Process %d ended, or became another program, while it was "
		       "read.",
		       target_pid(s->target));
}

static int fail(const struct session *s, int rc, struct err *err)
{
	if (rc == -PA_EGONE || rc == -ESRCH)
		return gone(s, err);
	return err_set(err, rc, "Cannot read the threads of process %d: %s.", target_pid(s->target),
		       err_message(rc));
}

// Looks at thread i until it is still. Returns 1 when it was added to p, 0 when it has ended.
static int dump_thread(struct session *s, size_t i, struct process *p)
{
	const struct py_thread *thread = py_thread_at(s->py, i);
	struct kernel_thread state;
	if (!thread->tid || kernel_thread_state(s->kernel, thread->tid, &state) < 0 ||
	    kernel_thread_ended(&state))
		return 0; // listed still, or not yet running
	struct stack *stack = stack_set_add(&p->threads);
	if (!stack)
		return -ENOMEM;
	stack->tid = thread->tid;
	stack->thread_id = thread->thread_id;
	stack->interp_id = thread->interp_id;
	stack->state = state.state;
	stack->active = state.state == 'R';
	stack->owns_gil = thread->owns_gil;
	stack->is_main = thread->is_main;
	bool fresh;
	int rc = py_look_until_still(s->py, i, STILL_NS, stack);
	stack->name = rc < 0 ? 0 : py_thread_name(s->py, i, &fresh);
	stack->index = i;
	if (rc < 0)
		p->threads.n--;
	return rc == -PA_ETORN ? 0 : rc < 0 ? rc : 1;
}

// Idents and thread states are used again: only what was there all the while was one thread's.
static void drop_ended(struct session *s, struct process *p)
{
	size_t kept = 0;
	py_confirm(s->py);
	for (size_t i = 0; i < p->threads.n; i++) {
		struct stack stack = p->threads.stacks[i];
		if (!py_thread_at(s->py, stack.index)->listed)
			continue;
		p->threads.stacks[i] = p->threads.stacks[kept];
		p->threads.stacks[kept++] = stack;
	}
	p->threads.n = kept;
}

// Main first, then the others in the order in which they were started.
static int dump_threads(struct session *s, size_t n, struct process *p)
{
	for (int others = 0; others < 2; others++) {
		for (size_t i = n; i > 0; i--) {
			if (py_thread_at(s->py, i - 1)->is_main == others)
				continue;
			int rc = dump_thread(s, i - 1, p);
			if (rc < 0)
				return rc;
		}
	}
	return 0;
}

static int count_others(struct session *s, struct process *p)
{
	CLEANUP(cleanup_free) pid_t *tids = NULL;
	size_t cap = 0;
	long n = target_tasks(s->target, &tids, &cap);
	for (long i = 0; i < n; i++) {
		bool python = false;
		for (size_t k = 0; k < p->threads.n && !python; k++)
			python = p->threads.stacks[k].tid == tids[i];
		p->no_python += !python;
	}
	return n < 0 ? (int)n : 0;
}

static int describe(struct session *s, struct process *p)
{
	CLEANUP(buf_release) struct buf cmdline = {0};
	p->pid = target_pid(s->target);
	p->frames = s->frames;
	strncpy(p->python, py_version(s->py), sizeof(p->python) - 1);
	p->executable = strdup(target_executable(s->target));
	int rc = target_cmdline(s->target, &cmdline);
	if (rc < 0 || cmdline.failed)
		buf_clear(&cmdline); // gone meanwhile: the threads say so
	p->cmdline_len = cmdline.len;
	p->cmdline = strndup(buf_text(&cmdline), cmdline.len);
	return p->executable && p->cmdline ? 0 : -ENOMEM;
}

int session_dump(struct session *s, struct process *p, struct err *err)
{
	bool changed;
	long n = py_threads(s->py, &changed);
	int rc = n < 0 ? (int)n : describe(s, p);
	if (rc >= 0)
		rc = dump_threads(s, (size_t)n, p);
	if (rc >= 0)
		drop_ended(s, p);
	if (rc >= 0)
		rc = count_others(s, p);
	if (rc >= 0 && !target_alive(s->target))
		rc = -PA_EGONE;
	return rc < 0 ? fail(s, rc, err) : 0;
}

// Sleeps until the instant or a request to stop. Returns true when asked to stop.
static bool sleep_until(uint64_t at, const volatile int *stop)
{
	while (!*stop) {
		uint64_t now = clock_now_ns();
		if (now >= at)
			return false;
		clock_sleep_until(at - now < NAP_NS ? at : now + NAP_NS);
	}
	return true;
}

struct recording {
	uint64_t start, end, cpu_start;
	uint64_t progress_at;
	record_progress_fn *progress;
	void *arg;
	struct record_stats *stats;
};

static void show_progress(struct recording *r, uint64_t now)
{
	r->stats->elapsed_ns = now - r->start;
	if (!r->progress || now < r->progress_at)
		return;
	r->progress_at = now + PROGRESS_NS;
	r->stats->cpu_ns = clock_process_cpu_ns() - r->cpu_start;
	r->progress(r->stats, r->arg);
}

static int record_loop(struct recording *r, struct sampler *sampler, double rate_hz,
		       const volatile int *stop)
{
	struct schedule schedule;
	schedule_start(&schedule, r->start, rate_hz, r->start ^ (uint64_t)getpid() << 32);
	for (;;) {
		uint64_t now = clock_now_ns();
		show_progress(r, now);
		uint64_t at = schedule_next(&schedule, now, &r->stats->late);
		bool last = r->end && at >= r->end;
		if (sleep_until(last ? r->end : at, stop)) {
			r->stats->end = RECORD_STOPPED;
			return 0;
		}
		if (last) {
			r->stats->end = RECORD_DONE;
			return 0;
		}
		int rc = sampler_tick(sampler);
		if (rc == -PA_EGONE || rc == -ESRCH) {
			r->stats->end = RECORD_EXITED;
			return 0;
		}
		if (rc < 0)
			return rc;
	}
}

int session_record(struct session *s, const struct record_options *o, const volatile int *stop,
		   record_progress_fn *progress, void *arg, struct profile *p,
		   struct record_stats *stats, struct err *err)
{
	*stats = (struct record_stats){0};
	struct recording r = {
		.start = clock_now_ns(),
		.cpu_start = clock_process_cpu_ns(),
		.progress = progress,
		.arg = arg,
		.stats = stats,
	};
	r.end = o->duration_ns ? r.start + o->duration_ns : 0;
	struct sampler sampler = {
		.target = s->target,
		.py = s->py,
		.kernel = s->kernel,
		.filter = filter_new(s->frames, o),
		.options = o,
		.profile = p,
		.stats = stats,
	};
	int rc = sampler.filter ? record_loop(&r, &sampler, o->rate_hz, stop) : -ENOMEM;
	stats->elapsed_ns = clock_now_ns() - r.start;
	stats->cpu_ns = clock_process_cpu_ns() - r.cpu_start;
	filter_free(sampler.filter);
	sampler_release(&sampler);
	return rc < 0 ? fail(s, rc, err) : 0;
}
