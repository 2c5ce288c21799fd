// SPDX-License-Identifier: MIT
// The pieces of memory that hold one thread's frames, and two copies of them taken in one call.
#include "python/snap.h"

#include "util/array.h"
#include "util/clock.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

// The data stack may have grown since the top was read.
#define SLACK 1024u
// The C stack below the lowest address that was met is where the next calls will be.
#define BELOW 1024u
// Pieces given up in one read before the look is.
#define GIVE_UP 64
// Reads again when one was interrupted.
#define SLOW_TRIES        4
#define SHORTEST_PAUSE_NS 15000u
// Looks after which the window shrinks to what was used in them.
#define SHRINK_AFTER 256u

void snap_init(struct snap *s, const struct runtime *rt, uint64_t tstate)
{
	*s = (struct snap){.rt = rt, .tstate = tstate, .changed = true};
}

struct snap_identity snap_identify(const struct layout *l, const char *tstate)
{
	int32_t native = LAYOUT_OFF(l, thread, native_thread_id);
	return (struct snap_identity){
		.interp = load_u64(tstate, LAYOUT_OFF(l, thread, interp)),
		.id = load_u64(tstate, LAYOUT_OFF(l, thread, id)),
		.thread_id = load_u64(tstate, LAYOUT_OFF(l, thread, thread_id)),
		.native = native < 0 ? 0 : load_u64(tstate, native),
	};
}

bool snap_same(const struct snap_identity *a, const struct snap_identity *b)
{
	return !memcmp(a, b, sizeof(*a));
}

static bool is_same_thread(const struct snap *s)
{
	struct snap_identity first = snap_identify(&s->rt->layout, snap_tstate(s, 0));
	struct snap_identity second = snap_identify(&s->rt->layout, snap_tstate(s, 1));
	return snap_same(&first, &s->identity) && snap_same(&second, &s->identity);
}

void snap_release(struct snap *s)
{
	free(s->chunks);
	free(s->loose);
	map_release(&s->loose_map);
	free(s->vec);
	free(s->buf);
	*s = (struct snap){0};
}

uint32_t snap_before(const struct snap *s)
{
	return LAYOUT_HAS(&s->rt->layout, frame, heap) ? 0 : 8;
}

static uint32_t find_loose(const struct snap *s, uint64_t addr)
{
	uint64_t h = hash_mix(0, addr); // one to one
	uint32_t at;
	return map_first(&s->loose_map, h, &at);
}

static int index_loose(struct snap *s)
{
	map_release(&s->loose_map);
	for (size_t i = 0; i < s->loose_n; i++) {
		if (map_add(&s->loose_map, hash_mix(0, s->loose[i].addr), (uint32_t)i))
			return -ENOMEM;
	}
	return 0;
}

int snap_add_loose(struct snap *s, uint64_t addr)
{
	if (find_loose(s, addr) != MAP_NONE)
		return 0;
	if (s->loose_n == LIMIT_FRAMES)
		return -PA_EBOUND;
	if (ARRAY_RESERVE(s->loose, s->loose_cap, s->loose_n + 1) ||
	    map_add(&s->loose_map, hash_mix(0, addr), (uint32_t)s->loose_n))
		return -ENOMEM;
	s->loose[s->loose_n++] = (struct snap_loose){addr, s->round};
	s->changed = true;
	return 0;
}

// Notes that something at addr was used, widening the window. False when that would be too far.
static bool widen(struct snap *s, uint64_t addr, uint32_t len)
{
	uint64_t low = addr - BELOW, end = addr + len;
	if (addr & 7 || addr < BELOW || end < addr || addr - s->tstate < (uint64_t)LIMIT_SLICE * 8)
		return false;
	if (s->window == s->window_end) {
		s->window = s->met = low;
		s->window_end = s->met_end = end;
		s->changed = true;
		return true;
	}
	if (addr < s->window && s->window_end - low <= LIMIT_WINDOW) {
		s->window = s->met = low;
		s->changed = true;
	} else if (end > s->window_end && end - s->window <= LIMIT_WINDOW) {
		s->window_end = s->met_end = end;
		s->changed = true;
	}
	return addr >= s->window && end <= s->window_end;
}

int snap_add_shim(struct snap *s, uint64_t addr)
{
	return widen(s, addr, s->rt->layout.frame_size) ? 0 : snap_add_loose(s, addr);
}

void snap_add_cframe(struct snap *s, uint64_t addr)
{
	size_t i = 0;
	if (widen(s, addr, s->rt->layout.cframe_size))
		return;
	while (i < s->cframes_n && s->cframes[i] != addr)
		i++;
	if (i < s->cframes_n)
		return;
	if (s->cframes_n < LIMIT_CFRAMES)
		s->cframes_n++;
	memmove(s->cframes + 1, s->cframes, (s->cframes_n - 1) * sizeof(*s->cframes));
	s->cframes[0] = addr;
	s->changed = true;
}

static void trim_window(struct snap *s)
{
	if (s->round % SHRINK_AFTER)
		return;
	if (s->met > s->window || s->met_end < s->window_end) {
		s->window = s->met;
		s->window_end = s->met_end > s->met ? s->met_end : s->met;
		s->changed = true;
	}
	s->met = s->window_end;
	s->met_end = s->window;
}

void snap_trim(struct snap *s)
{
	size_t met = 0, kept = 0;
	trim_window(s);
	for (size_t i = 0; i < s->loose_n; i++)
		met += s->loose[i].seen == s->round;
	if (s->loose_n <= met + LIMIT_LOOSE)
		return;
	for (size_t i = 0; i < s->loose_n; i++) {
		if (s->loose[i].seen + LIMIT_LOOSE / 2 >= s->round && kept < met + LIMIT_LOOSE / 2)
			s->loose[kept++] = s->loose[i];
		else if (s->loose[i].seen == s->round)
			s->loose[kept++] = s->loose[i];
	}
	s->loose_n = kept;
	s->changed = true;
	index_loose(s);
}

static int set_chunk(struct snap *s, size_t i, uint64_t addr, uint32_t len)
{
	if (ARRAY_RESERVE(s->chunks, s->chunks_cap, i + 1))
		return -ENOMEM;
	s->chunks[i] = (struct snap_chunk){.addr = addr, .len = len};
	s->chunks_n = i + 1;
	s->changed = true;
	return 0;
}

// Bytes in use of a chunk whose header is at hand; 0 when it makes no sense. Only chunks that are
// not the newest know their own top, in words from their data.
static uint64_t used_of(const struct layout *l, const char *header, uint64_t addr, uint64_t top)
{
	uint64_t size = load_u64(header, LAYOUT_OFF(l, chunk, size));
	uint64_t data = (uint64_t)LAYOUT_OFF(l, chunk, data);
	uint64_t used =
		top ? top - addr + SLACK : data + 8 * load_u64(header, LAYOUT_OFF(l, chunk, top));
	if (size < data || size > LIMIT_CHUNK_BYTES || (top && (top < addr || top > addr + size)) ||
	    (!top && used > size))
		return 0;
	return used < size ? used : size;
}

static bool chunks_fit(const struct snap *s, uint64_t chunk, uint64_t top)
{
	return s->chunks_n && s->chunks[0].addr == chunk && top >= chunk &&
	       top <= chunk + s->chunks[0].len;
}

int snap_learn_chunks(struct snap *s, const char *tstate)
{
	const struct layout *l = &s->rt->layout;
	if (LAYOUT_HAS(l, frame, heap))
		return 0;
	uint64_t addr = load_u64(tstate, LAYOUT_OFF(l, thread, datastack_chunk));
	uint64_t top = load_u64(tstate, LAYOUT_OFF(l, thread, datastack_top));
	if (chunks_fit(s, addr, top))
		return 0;
	s->chunks_n = 0;
	s->changed = true;
	uint64_t total = 0;
	for (size_t i = 0; addr; i++, top = 0) {
		char header[64];
		struct mem_vec vec = {header, addr, (size_t)LAYOUT_OFF(l, chunk, data)};
		if (i == LIMIT_CHUNKS || addr & 7 || vec.len > sizeof(header))
			return -PA_ETORN;
		long got = mem_read_hot(s->rt->mem, &vec, 1);
		if (got != 1)
			return got < 0 ? (int)got : -PA_ETORN;
		uint64_t used = used_of(l, header, addr, top);
		total += used;
		if (!used || total > LIMIT_STACK_BYTES)
			return -PA_ETORN;
		int rc = set_chunk(s, i, addr, (uint32_t)used);
		if (rc < 0)
			return rc;
		addr = load_u64(header, LAYOUT_OFF(l, chunk, previous));
	}
	return 0;
}

static void add_piece(struct snap *s, uint64_t addr, size_t len)
{
	s->vec[s->pieces++] = (struct mem_vec){s->buf + s->stride, addr, len};
	s->stride += (len + 7) & ~(size_t)7;
}

// Lays the pieces of copy 0 out, those of copy 1 behind them.
static int build(struct snap *s)
{
	const struct layout *l = &s->rt->layout;
	size_t n = 2 + s->cframes_n + s->chunks_n + s->loose_n;
	size_t bytes = l->thread_size + 8 + (s->window_end - s->window) + 8 +
		       s->cframes_n * (l->cframe_size + 8) +
		       s->loose_n * (size_t)(l->frame_size + 16);
	for (size_t i = 0; i < s->chunks_n; i++)
		bytes += s->chunks[i].len + 8;
	if (ARRAY_RESERVE(s->vec, s->vec_cap, 2 * n) ||
	    array_reserve(&s->buf, &s->buf_cap, 2 * bytes, 1))
		return -ENOMEM;
	s->pieces = s->stride = 0;
	add_piece(s, s->tstate, l->thread_size);
	for (size_t i = 0; i < s->chunks_n; i++) {
		s->chunks[i].off = s->stride;
		add_piece(s, s->chunks[i].addr, s->chunks[i].len);
	}
	s->window_off = s->stride;
	add_piece(s, s->window ? s->window : s->tstate, s->window_end - s->window);
	s->cframes_off = s->stride;
	for (size_t i = 0; i < s->cframes_n; i++)
		add_piece(s, s->cframes[i], l->cframe_size);
	s->loose_off = s->stride;
	for (size_t i = 0; i < s->loose_n; i++)
		add_piece(s, s->loose[i].addr - snap_before(s), l->frame_size + snap_before(s));
	// Where the frames are many pieces the second copy goes backwards: no two pieces are then
	// read the same time apart, which a target that repeats itself could fit into. Where they
	// are one piece it must not: the two copies of it would come too close to each other.
	bool backwards = LAYOUT_HAS(l, frame, heap);
	for (size_t i = 0; i < s->pieces; i++) {
		struct mem_vec *again = &s->vec[s->pieces + (backwards ? s->pieces - 1 - i : i)];
		*again = s->vec[i];
		again->local = (char *)s->vec[i].local + s->stride;
	}
	s->changed = false;
	return 0;
}

// Takes an unreadable piece out of the prediction. A chunk that went away takes all of them along.
static int give_up(struct snap *s, size_t failed)
{
	// In copy 1 the same address failed as one of copy 0, but later.
	size_t piece = 0;
	while (s->vec[piece].addr != s->vec[failed].addr)
		piece++;
	s->changed = true;
	if (!piece)
		return -PA_ETORN;
	piece -= 1;
	if (piece < s->chunks_n) {
		s->chunks_n = 0;
		return 0;
	}
	piece -= s->chunks_n;
	if (!piece) {
		s->window = s->window_end = 0;
		return 0;
	}
	piece -= 1;
	if (piece < s->cframes_n) {
		memmove(s->cframes + piece, s->cframes + piece + 1,
			(--s->cframes_n - piece) * sizeof(*s->cframes));
		return 0;
	}
	piece -= s->cframes_n;
	memmove(s->loose + piece, s->loose + piece + 1, (--s->loose_n - piece) * sizeof(*s->loose));
	return index_loose(s);
}

// What a read should take: a part for the call, one for each piece, one for the bytes. Only the
// ratios matter.
static double expected(const struct snap *s)
{
	return 2000 + 500 * (double)s->pieces + 0.2 * (double)s->stride;
}

// In a read that took much longer than others did, the reader was not on a processor, and what is
// equal in both copies may have been something else in between. To read again does no harm to what
// is counted: it does not depend on what the thread does.
static bool was_interrupted(struct snap *s, uint64_t took)
{
	double pace = (double)took / expected(s);
	bool interrupted = took > SHORTEST_PAUSE_NS && s->pace > 0 && pace > 2.5 * s->pace;
	if (s->pace <= 0 || pace < s->pace)
		s->pace = pace;
	else
		s->pace *= 1.02; // the machine may have become slower
	return interrupted;
}

const struct mem_vec *snap_pieces(const struct snap *s, size_t *ret_n)
{
	*ret_n = 2 * s->pieces;
	return s->changed ? NULL : s->vec;
}

void snap_taken(struct snap *s, uint64_t took_ns)
{
	s->fresh = !was_interrupted(s, took_ns);
}

int snap_read(struct snap *s)
{
	s->round++;
	if (s->fresh && !s->changed) {
		s->fresh = false;
		return is_same_thread(s) ? 0 : -PA_ETORN;
	}
	for (int i = 0; i < GIVE_UP; i++) {
		int rc = s->changed ? build(s) : 0;
		if (rc < 0)
			return rc;
		uint64_t start = clock_now_ns();
		long got = mem_read_hot(s->rt->mem, s->vec, 2 * s->pieces);
		if (got < 0)
			return (int)got;
		if (was_interrupted(s, clock_now_ns() - start) && i < SLOW_TRIES)
			continue;
		if ((size_t)got == 2 * s->pieces)
			return is_same_thread(s) ? 0 : -PA_ETORN;
		rc = give_up(s, (size_t)got);
		if (rc < 0)
			return rc;
	}
	return -PA_ETORN;
}

const char *snap_tstate(const struct snap *s, int copy)
{
	return s->buf + (copy ? s->stride : 0);
}

// The copied bytes of something on the C stack, or NULL.
static const char *in_window(struct snap *s, int copy, uint64_t addr, uint32_t len)
{
	if (addr < s->window || addr >= s->window_end || len > s->window_end - addr)
		return NULL;
	s->met = addr - BELOW < s->met ? addr - BELOW : s->met;
	s->met = s->met > s->window ? s->met : s->window;
	s->met_end = addr + len > s->met_end ? addr + len : s->met_end;
	return snap_tstate(s, copy) + s->window_off + (addr - s->window);
}

const char *snap_cframe(struct snap *s, int copy, uint64_t addr)
{
	const char *bytes = s->changed ? NULL : in_window(s, copy, addr, s->rt->layout.cframe_size);
	if (bytes)
		return bytes;
	size_t step = (s->rt->layout.cframe_size + 7) & ~7u;
	for (size_t i = 0; i < s->cframes_n && !s->changed; i++) {
		if (s->cframes[i] == addr)
			return snap_tstate(s, copy) + s->cframes_off + i * step;
	}
	return NULL;
}

bool snap_in_chunk(const struct snap *s, uint64_t addr)
{
	for (size_t i = 0; i < s->chunks_n; i++) {
		if (addr >= s->chunks[i].addr && addr < s->chunks[i].addr + s->chunks[i].len)
			return true;
	}
	return false;
}

const char *snap_frame(struct snap *s, int copy, uint64_t addr)
{
	uint32_t size = s->rt->layout.frame_size;
	for (size_t i = 0; i < s->chunks_n && !s->changed; i++) {
		const struct snap_chunk *chunk = &s->chunks[i];
		if (addr >= chunk->addr && chunk->len >= size &&
		    addr - chunk->addr <= chunk->len - size)
			return snap_tstate(s, copy) + chunk->off + (addr - chunk->addr);
	}
	const char *shim = s->changed ? NULL : in_window(s, copy, addr, size);
	if (shim)
		return shim;
	uint32_t i = s->changed ? MAP_NONE : find_loose(s, addr);
	if (i == MAP_NONE)
		return NULL;
	s->loose[i].seen = s->round;
	uint32_t before = snap_before(s);
	return snap_tstate(s, copy) + s->loose_off + i * (size_t)((size + before + 7) & ~7u) +
	       before;
}
