// SPDX-License-Identifier: MIT
// The target's interpreters, thread states and GILs, as one consistent read.
#include "python/threads.h"

#include "util/array.h"
#include "util/cleanup.h"
#include "util/clock.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

// Walks of lists that change meanwhile, until one is consistent.
#define WALK_TRIES 16

int threads_init(struct threads *t, const struct runtime *rt)
{
	*t = (struct threads){.rt = rt};
	pid_t pid = target_pid(rt->target);
	t->mapped_tids = target_inner_tid(rt->target, pid) != pid;
	return 0;
}

static void free_thread(struct thread *thread)
{
	if (!thread)
		return;
	snap_release(&thread->snap);
	chain_release(&thread->kept);
	chain_release(&thread->seed);
	free(thread->codes);
	free(thread);
}

void threads_release(struct threads *t)
{
	for (size_t i = 0; i < t->n; i++)
		free_thread(t->items[i]);
	free(t->items);
	free(t->vec);
	free(t->buf);
	*t = (struct threads){0};
}

static int hot_u64(const struct runtime *rt, uint64_t addr, uint64_t *ret)
{
	struct mem_vec vec = {ret, addr, sizeof(*ret)};
	long got = mem_read_hot(rt->mem, &vec, 1);
	return got < 0 ? (int)got : got == 1 ? 0 : -PA_ETORN;
}

// Up to 3.10 only the C library knows the OS thread id: in struct pthread, at thread_id.
static pid_t tid_from_pthread(const struct runtime *rt, uint64_t thread_id)
{
	uint32_t tid = 0;
	if (rt->pthread_tid_off < 0 || !thread_id ||
	    mem_read_u32(rt->mem, thread_id + (uint64_t)rt->pthread_tid_off, &tid) < 0 ||
	    tid > INT32_MAX)
		return 0;
	return (pid_t)tid;
}

static pid_t outer_tid(struct threads *t, pid_t inner)
{
	CLEANUP(cleanup_free) pid_t *tids = NULL;
	size_t cap = 0;
	long n = target_tasks(t->rt->target, &tids, &cap);
	for (long i = 0; i < n; i++) {
		if (target_inner_tid(t->rt->target, tids[i]) == inner)
			return tids[i];
	}
	return 0;
}

static void identify(struct threads *t, struct thread *thread)
{
	bool native = LAYOUT_OFF(&t->rt->layout, thread, native_thread_id) >= 0;
	uint64_t id = thread->snap.identity.native;
	pid_t tid = native ? id <= INT32_MAX ? (pid_t)id : 0
			   : tid_from_pthread(t->rt, thread->pub.thread_id);
	thread->pub.tid = t->mapped_tids && tid ? outer_tid(t, tid) : tid;
	thread->pub.is_main =
		!thread->pub.interp_id && thread->pub.tid == target_pid(t->rt->target);
}

// The thread with that address and identity if it was known before, taken out of the old list.
static struct thread *reuse(struct thread **old, size_t n, uint64_t tstate,
			    const struct snap_identity *identity)
{
	for (size_t i = 0; i < n; i++) {
		if (old[i] && old[i]->pub.tstate == tstate &&
		    snap_same(&old[i]->snap.identity, identity))
			return TAKE(old[i]);
	}
	return NULL;
}

static struct thread *new_thread(struct threads *t, const struct interpreter *interp,
				 uint64_t tstate, const struct snap_identity *identity)
{
	struct thread *thread = calloc(1, sizeof(*thread));
	if (!thread)
		return NULL;
	snap_init(&thread->snap, t->rt, tstate);
	thread->snap.identity = *identity;
	thread->pub = (struct py_thread){.tstate = tstate,
					 .thread_id = identity->thread_id,
					 .id = identity->id,
					 .interp_id = interp->id};
	identify(t, thread);
	return thread;
}

static int take_thread(struct threads *t, const struct interpreter *interp, uint64_t tstate,
		       const char *slice, struct thread **old, size_t old_n)
{
	const struct layout *l = &t->rt->layout;
	struct snap_identity identity = snap_identify(l, slice);
	struct thread *thread = reuse(old, old_n, tstate, &identity);
	if (!thread)
		thread = new_thread(t, interp, tstate, &identity);
	if (!thread || ARRAY_RESERVE(t->items, t->cap, t->n + 1)) {
		free_thread(thread);
		return -ENOMEM;
	}
	thread->next = load_u64(slice, LAYOUT_OFF(l, thread, next));
	t->items[t->n++] = thread;
	return 0;
}

static int walk_interp(struct threads *t, struct interpreter *interp, struct thread **old,
		       size_t old_n)
{
	const struct layout *l = &t->rt->layout;
	char slice[LIMIT_SLICE];
	uint64_t ts = interp->head;
	for (size_t i = 0; ts; i++) {
		struct mem_vec vec = {slice, ts, l->thread_size};
		if (i == LIMIT_THREADS || ts & 7)
			return -PA_ETORN;
		long got = mem_read_hot(t->rt->mem, &vec, 1);
		if (got != 1)
			return got < 0 ? (int)got : -PA_ETORN;
		if (load_u64(slice, LAYOUT_OFF(l, thread, interp)) != interp->addr)
			return -PA_ETORN;
		int rc = take_thread(t, interp, ts, slice, old, old_n);
		if (rc < 0)
			return rc;
		ts = load_u64(slice, LAYOUT_OFF(l, thread, next));
	}
	return 0;
}

static int read_interp(const struct runtime *rt, uint64_t addr, struct interpreter *ret)
{
	const struct layout *l = &rt->layout;
	uint64_t id;
	*ret = (struct interpreter){.addr = addr};
	int rc = hot_u64(rt, addr + (uint64_t)LAYOUT_OFF(l, interp, next), &ret->next);
	if (rc >= 0)
		rc = hot_u64(rt, addr + (uint64_t)LAYOUT_OFF(l, interp, threads_head), &ret->head);
	if (rc >= 0)
		rc = hot_u64(rt, addr + (uint64_t)LAYOUT_OFF(l, interp, id), &id);
	if (rc < 0)
		return rc;
	ret->id = (int64_t)id;
	if (LAYOUT_HAS(l, gil, runtime))
		ret->gil = rt->addr + (uint64_t)LAYOUT_OFF(l, runtime, gil);
	else
		rc = hot_u64(rt, addr + (uint64_t)LAYOUT_OFF(l, interp, gil), &ret->gil);
	return rc;
}

static int walk_once(struct threads *t, struct thread **old, size_t old_n)
{
	t->n = t->interps_n = 0;
	int rc = hot_u64(t->rt,
			 t->rt->addr +
				 (uint64_t)LAYOUT_OFF(&t->rt->layout, runtime, interpreters_head),
			 &t->head);
	uint64_t addr = t->head;
	while (rc >= 0 && addr) {
		if (t->interps_n == LIMIT_INTERPRETERS || addr & 7)
			return -PA_ETORN;
		struct interpreter *interp = &t->interps[t->interps_n];
		rc = read_interp(t->rt, addr, interp);
		if (rc < 0)
			return rc;
		t->interps_n++;
		rc = walk_interp(t, interp, old, old_n);
		addr = interp->next;
	}
	return rc;
}

// Walks all lists; what is known of threads that are still there is kept.
static int walk_lists(struct threads *t)
{
	size_t old_n = t->n;
	struct thread **old = t->items;
	t->likely = NULL;
	t->items = NULL;
	t->n = t->cap = 0;
	int rc = walk_once(t, old, old_n);
	for (size_t i = 0; i < old_n; i++)
		free_thread(old[i]);
	free(old);
	return rc;
}

static void want(struct threads *t, size_t *n, size_t *bytes, uint64_t addr, size_t len)
{
	t->vec[(*n)++] = (struct mem_vec){t->buf + *bytes, addr, len};
	*bytes += (len + 7) & ~(size_t)7;
}

// One read of the list heads, the GILs and every thread state, in that order.
static long read_all(struct threads *t)
{
	const struct layout *l = &t->rt->layout;
	size_t n = 0, bytes = 0;
	if (ARRAY_RESERVE(t->vec, t->vec_cap, 1 + 4 * t->interps_n + t->n) ||
	    array_reserve(&t->buf, &t->buf_cap,
			  64 + t->interps_n * (32 + (size_t)l->gil_size) +
				  t->n * (size_t)(l->thread_size + 8),
			  1))
		return -ENOMEM;
	want(t, &n, &bytes, t->rt->addr + (uint64_t)LAYOUT_OFF(l, runtime, interpreters_head), 8);
	for (size_t i = 0; i < t->interps_n; i++) {
		const struct interpreter *interp = &t->interps[i];
		want(t, &n, &bytes, interp->addr + (uint64_t)LAYOUT_OFF(l, interp, next), 8);
		want(t, &n, &bytes, interp->addr + (uint64_t)LAYOUT_OFF(l, interp, threads_head),
		     8);
		if (interp->gil)
			want(t, &n, &bytes, interp->gil, l->gil_size);
	}
	for (size_t i = 0; i < t->n; i++)
		want(t, &n, &bytes, t->items[i]->pub.tstate, l->thread_size);
	size_t extra = 0;
	const struct mem_vec *pieces = t->likely ? snap_pieces(t->likely, &extra) : NULL;
	if (pieces && ARRAY_RESERVE(t->vec, t->vec_cap, n + extra))
		return -ENOMEM;
	if (pieces)
		memcpy(t->vec + n, pieces, extra * sizeof(*pieces));
	else
		extra = 0;
	uint64_t start = clock_now_ns();
	long got = mem_read_hot(t->rt->mem, t->vec, n + extra);
	if (extra && (size_t)(got > 0 ? got : 0) == n + extra)
		snap_taken(t->likely, clock_now_ns() - start);
	t->likely = NULL;
	return got < 0 ? got : (size_t)got >= n;
}

static bool same_thread(const struct layout *l, const struct thread *thread, const char *slice)
{
	struct snap_identity identity = snap_identify(l, slice);
	return snap_same(&identity, &thread->snap.identity);
}

// Does the copy show the lists as they are known? Collects each GIL's holder on the way. A thread
// that is not the one it was is none that can be looked at.
static bool matches(const struct threads *t, uint64_t *holders)
{
	const struct layout *l = &t->rt->layout;
	size_t v = 0;
	bool same = load_u64(t->vec[v++].local, 0) == t->head;
	for (size_t i = 0; i < t->interps_n; i++) {
		const struct interpreter *interp = &t->interps[i];
		same &= load_u64(t->vec[v++].local, 0) == interp->next;
		same &= load_u64(t->vec[v++].local, 0) == interp->head;
		holders[i] = 0;
		if (!interp->gil)
			continue;
		const char *gil = t->vec[v++].local;
		if ((int32_t)load_u32(gil, LAYOUT_OFF(l, gil, locked)) > 0)
			holders[i] = load_u64(gil, LAYOUT_OFF(l, gil, last_holder));
	}
	for (size_t i = 0; i < t->n; i++) {
		const char *slice = t->vec[v++].local;
		bool mine = same_thread(l, t->items[i], slice);
		if (!mine)
			t->items[i]->pub.tid = 0;
		same &= mine && load_u64(slice, LAYOUT_OFF(l, thread, next)) == t->items[i]->next;
	}
	return same;
}

// A thread that has not begun to run bears its creator's ids; so may one whose ids are not known
// yet.
static void sort_out(struct threads *t)
{
	for (size_t i = 0; i < t->n; i++) {
		struct thread *thread = t->items[i];
		if (!thread->pub.tid)
			identify(t, thread);
		for (size_t k = i + 1; k < t->n; k++) { // older ones
			if (t->items[k]->pub.tid == thread->pub.tid &&
			    t->items[k]->snap.identity.interp == thread->snap.identity.interp)
				thread->pub.tid = 0;
		}
	}
}

static void set_holders(struct threads *t, const uint64_t *holders)
{
	for (size_t i = 0; i < t->n; i++) {
		t->items[i]->pub.owns_gil = false;
		for (size_t k = 0; k < t->interps_n; k++)
			t->items[i]->pub.owns_gil |= holders[k] == t->items[i]->pub.tstate;
	}
}

int threads_refresh(struct threads *t, bool *ret_changed)
{
	uint64_t holders[LIMIT_INTERPRETERS];
	long rc = t->interps_n ? read_all(t) : 0;
	if (rc < 0)
		return (int)rc;
	*ret_changed = !rc || !matches(t, holders);
	for (int i = 0; *ret_changed && i < WALK_TRIES; i++) {
		rc = walk_lists(t);
		if (rc < 0 && rc != -PA_ETORN)
			return (int)rc;
		rc = rc < 0 ? 0 : read_all(t);
		if (rc < 0)
			return (int)rc;
		if (!rc)
			continue;
		// What began or ended since the walk is met by the next one.
		sort_out(t);
		matches(t, holders);
		break;
	}
	if (!rc)
		return -PA_ETORN;
	set_holders(t, holders);
	return 0;
}

// The known thread at that address; lists keep their order, so the search goes on where it was.
static struct thread *find_thread(const struct threads *t, uint64_t tstate, size_t *at)
{
	for (size_t i = 0; i < t->n; i++) {
		struct thread *thread = t->items[(*at + i) % t->n];
		if (thread->pub.tstate == tstate) {
			*at = (*at + i + 1) % t->n;
			return thread;
		}
	}
	return NULL;
}

static void confirm_interp(struct threads *t, const struct interpreter *interp, size_t *at)
{
	const struct layout *l = &t->rt->layout;
	char slice[LIMIT_SLICE];
	uint64_t ts;
	if (hot_u64(t->rt, interp->addr + (uint64_t)LAYOUT_OFF(l, interp, threads_head), &ts) < 0)
		return;
	for (size_t i = 0; ts && i < LIMIT_THREADS; i++) {
		struct mem_vec vec = {slice, ts, l->thread_size};
		if (ts & 7 || mem_read_hot(t->rt->mem, &vec, 1) != 1)
			return;
		struct thread *thread = find_thread(t, ts, at);
		if (thread)
			thread->pub.listed = same_thread(l, thread, slice);
		ts = load_u64(slice, LAYOUT_OFF(l, thread, next));
	}
}

void threads_confirm(struct threads *t)
{
	size_t at = 0;
	for (size_t i = 0; i < t->n; i++)
		t->items[i]->pub.listed = false;
	for (size_t i = 0; i < t->interps_n; i++)
		confirm_interp(t, &t->interps[i], &at);
}
