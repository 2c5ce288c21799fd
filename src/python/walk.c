// SPDX-License-Identifier: MIT
// Frame chains: followed through the copies of a snap, compared, and agreed upon.
#include "python/walk.h"

#include "util/array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FRAME_OWNED_BY_CSTACK 3 // 3.12+: the first owner that is a shim
#define FRAME_EXECUTING       0 // 3.10: enum _framestate
#define GENERATOR_EXECUTING   0 // 3.11 to 3.13: enum _framestate

void chain_release(struct chain *c)
{
	free(c->items);
	*c = (struct chain){0};
}

static int chain_push(struct chain *c, const struct raw_frame *frame)
{
	if (ARRAY_RESERVE(c->items, c->cap, c->n + 1))
		return -ENOMEM;
	c->items[c->n++] = *frame;
	return 0;
}

static bool same_frame(const struct raw_frame *a, const struct raw_frame *b)
{
	return a->addr == b->addr && a->code == b->code && a->previous == b->previous &&
	       a->owner == b->owner;
}

int chain_copy(struct chain *to, const struct chain *from)
{
	if (ARRAY_RESERVE(to->items, to->cap, from->n))
		return -ENOMEM;
	if (from->n)
		memcpy(to->items, from->items, from->n * sizeof(*to->items));
	to->n = from->n;
	to->cut = from->cut;
	return 0;
}

static int chase_push(struct chase *c, const struct raw_frame *frame)
{
	if (ARRAY_RESERVE(c->items, c->cap, c->n + 1))
		return -ENOMEM;
	c->items[c->n++] = *frame;
	return 0;
}

static struct raw_frame *memo_slot(struct raw_frame *memo, uint64_t addr)
{
	return &memo[hash_mix(0, addr) % WALK_MEMO];
}

void walk_remember(struct raw_frame *memo, const struct snap *s, const struct chain *c)
{
	for (size_t i = 0; i < c->n; i++) {
		if (!snap_in_chunk(s, c->items[i].addr))
			*memo_slot(memo, c->items[i].addr) = c->items[i];
	}
}

static struct raw_frame parse(const struct layout *l, uint64_t addr, const char *bytes)
{
	struct raw_frame f = {
		.addr = addr,
		.code = load_u64(bytes, LAYOUT_OFF(l, frame, code)),
		.previous = load_u64(bytes, LAYOUT_OFF(l, frame, previous)),
	};
	if (LAYOUT_HAS(l, frame, heap)) {
		f.instr = load_u32(bytes, LAYOUT_OFF(l, frame, lasti));
		f.owner = FRAME_OWNED_BY_NOBODY;
		f.live = LAYOUT_OFF(l, frame, executing) >= 0
				 ? bytes[LAYOUT_OFF(l, frame, executing)] == 1
				 : bytes[LAYOUT_OFF(l, frame, state)] == FRAME_EXECUTING;
		return f;
	}
	f.instr = load_u64(bytes, LAYOUT_OFF(l, frame, instr));
	f.owner = (uint8_t)bytes[LAYOUT_OFF(l, frame, owner)];
	f.live = f.owner != FRAME_OWNED_BY_GENERATOR ||
		 bytes[LAYOUT_OFF(l, generator, state) - LAYOUT_OFF(l, generator, iframe)] ==
			 GENERATOR_EXECUTING;
	f.shim = l->version >= 312 && f.owner >= FRAME_OWNED_BY_CSTACK;
	f.entry = LAYOUT_OFF(l, frame, is_entry) >= 0 && bytes[LAYOUT_OFF(l, frame, is_entry)];
	f.running = LAYOUT_OFF(l, frame, stacktop) >= 0 &&
		    (int32_t)load_u32(bytes, LAYOUT_OFF(l, frame, stacktop)) < 0;
	return f;
}

// A frame from the copy, or with chase from what is remembered, or from the target. Returns enum
// walk or an error.
static int fetch(struct snap *s, int copy, uint64_t addr, struct chase *chase,
		 struct raw_frame *ret)
{
	const struct layout *l = &s->rt->layout;
	char scratch[LIMIT_SLICE + 8];
	if (!addr || addr & 7)
		return WALK_BAD;
	const char *bytes = snap_frame(s, copy, addr);
	if (bytes) {
		*ret = parse(l, addr, bytes);
		return WALK_WHOLE;
	}
	if (!chase)
		return WALK_MISSING;
	const struct raw_frame *known = chase->memo ? memo_slot(chase->memo, addr) : NULL;
	if (known && known->addr == addr) {
		*ret = *known;
	} else {
		uint32_t before = snap_before(s);
		struct mem_vec vec = {scratch, addr - before, l->frame_size + before};
		long got = mem_read_hot(s->rt->mem, &vec, 1);
		if (got < 1)
			return got < 0 ? (int)got : WALK_BAD;
		*ret = parse(l, addr, scratch + before);
	}
	ret->late = true;
	return WALK_WHOLE;
}

static int follow(struct snap *s, int copy, uint64_t start, struct chain *out, struct chase *chase)
{
	const struct layout *l = &s->rt->layout;
	struct raw_frame frame;
	uint64_t brake = 0; // Brent: an address met before, moved on at powers of two
	out->n = 0;
	out->cut = false;
	for (uint64_t addr = start; addr;) {
		if (out->n == LIMIT_FRAMES) {
			out->cut = true;
			break;
		}
		if (addr == brake)
			return WALK_BAD;
		if (!(out->n & (out->n - 1)))
			brake = addr;
		int rc = fetch(s, copy, addr, chase, &frame);
		if (rc != WALK_WHOLE)
			return rc;
		// A thread's own frames lie in its data stack and nowhere else.
		if (l->version >= 311 && frame.owner == FRAME_OWNED_BY_THREAD &&
		    !snap_in_chunk(s, addr))
			return WALK_CHUNKS;
		rc = chain_push(out, &frame);
		if (rc >= 0 && frame.late)
			rc = chase_push(chase, &frame);
		if (rc < 0)
			return rc;
		addr = frame.previous;
	}
	// From 3.12 on every entry from C has a frame of its own, below all others of that call.
	bool rooted = l->version < 312 || !out->n || out->cut || out->items[out->n - 1].shim;
	return rooted ? WALK_WHOLE : WALK_BAD;
}

uint64_t walk_start(const struct snap *s, int copy)
{
	const struct layout *l = &s->rt->layout;
	const char *ts = snap_tstate(s, copy);
	if (LAYOUT_HAS(l, frame, heap))
		return load_u64(ts, LAYOUT_OFF(l, thread, frame));
	if (LAYOUT_HAS(l, frame, cframe_iframe))
		return load_u64(ts, LAYOUT_OFF(l, thread, cframe));
	return load_u64(ts, LAYOUT_OFF(l, thread, current_frame));
}

static bool passes(const struct chain *c, uint64_t addr)
{
	for (size_t i = 0; i < c->n; i++) {
		if (c->items[i].addr == addr)
			return true;
	}
	return false;
}

// 3.11 and 3.12: the evaluation loop publishes its C frame a moment before it sets that frame's
// current_frame, which is garbage until then. What the C frame before it holds must be on the
// chain; if it is not, the chain begins there.
static int follow_cframe(struct snap *s, int copy, struct chain *out, struct chase *chase)
{
	const struct layout *l = &s->rt->layout;
	uint64_t addr = walk_start(s, copy), outer = 0;
	out->n = 0;
	if (!addr)
		return WALK_WHOLE;
	const char *cframe = snap_cframe(s, copy, addr);
	if (!cframe) {
		snap_add_cframe(s, addr);
		return WALK_CFRAME;
	}
	uint64_t previous = load_u64(cframe, LAYOUT_OFF(l, cframe, previous));
	if (previous) {
		const char *before = snap_cframe(s, copy, previous);
		if (!before) {
			snap_add_cframe(s, previous);
			return WALK_CFRAME;
		}
		outer = load_u64(before, LAYOUT_OFF(l, cframe, current_frame));
	}
	int rc =
		follow(s, copy, load_u64(cframe, LAYOUT_OFF(l, cframe, current_frame)), out, chase);
	if (outer && (rc == WALK_BAD || (rc == WALK_WHOLE && !passes(out, outer))))
		rc = follow(s, copy, outer, out, chase);
	return rc;
}

// A frame that was left may still be current, or seem to be, for a moment. Its caller, if it is not
// C, tells: it keeps its stack pointer in its frame while something that it called runs.
static void judge_callers(struct chain *out)
{
	for (size_t i = 0; i + 1 < out->n; i++) {
		struct raw_frame *callee = &out->items[i];
		const struct raw_frame *caller = &out->items[i + 1];
		if (!callee->shim && !callee->entry && !caller->shim && caller->running)
			callee->live = false;
	}
}

// A function that returns gives its frame's memory back before it stops being current: such a leaf
// is dropped. Elsewhere on a chain, a frame above the top is none that the thread is in.
static void judge_popped(const struct snap *s, int copy, struct chain *out)
{
	const struct layout *l = &s->rt->layout;
	size_t gone = 0;
	if (LAYOUT_HAS(l, frame, heap) || !s->chunks_n)
		return;
	uint64_t top = load_u64(snap_tstate(s, copy), LAYOUT_OFF(l, thread, datastack_top));
	uint64_t start = s->chunks[0].addr, end = start + s->chunks[0].len;
	for (size_t i = 0; i < out->n; i++) {
		struct raw_frame *f = &out->items[i];
		f->live &= f->owner != FRAME_OWNED_BY_THREAD || f->addr < start || f->addr >= end ||
			   f->addr < top;
		gone += !f->live && f->owner == FRAME_OWNED_BY_THREAD && gone == i;
	}
	out->n -= gone;
	if (gone && out->n)
		memmove(out->items, out->items + gone, out->n * sizeof(*out->items));
}

bool walk_stands(struct snap *s, int copy, const struct raw_frame *frame)
{
	const char *bytes = snap_frame(s, copy, frame->addr);
	if (!bytes)
		return false;
	struct raw_frame now = parse(&s->rt->layout, frame->addr, bytes);
	return same_frame(&now, frame) && now.live;
}

int walk_again(struct snap *s, int copy, const struct chain *seed, struct chain *out)
{
	size_t kept = 0;
	int rc = chain_copy(out, seed);
	while (rc >= 0 && !seed->cut && kept < seed->n) {
		struct raw_frame *old = &out->items[seed->n - 1 - kept];
		const char *bytes = snap_frame(s, copy, old->addr);
		if (!bytes)
			break;
		struct raw_frame now = parse(&s->rt->layout, old->addr, bytes);
		if (!same_frame(&now, old))
			break;
		*old = now;
		kept++;
	}
	if (rc < 0)
		return rc;
	if (kept)
		memmove(out->items, out->items + (out->n - kept), kept * sizeof(*out->items));
	out->n = kept;
	judge_popped(s, copy, out);
	judge_callers(out);
	return 0;
}

int walk_chain(struct snap *s, int copy, struct chain *out, struct chase *chase)
{
	int rc = LAYOUT_HAS(&s->rt->layout, frame, cframe_iframe)
			 ? follow_cframe(s, copy, out, chase)
			 : follow(s, copy, walk_start(s, copy), out, chase);
	if (rc == WALK_WHOLE)
		judge_popped(s, copy, out);
	if (rc == WALK_WHOLE)
		judge_callers(out);
	return rc;
}

// A frame that is not live has not begun (a tracing function may run for its call), or was left
// while the chain was read.
static bool plausible(const struct chain *c)
{
	for (size_t i = 0; i < c->n; i++) {
		const struct raw_frame *f = &c->items[i];
		bool begun = f->owner != FRAME_OWNED_BY_NOBODY || (int32_t)f->instr >= 0;
		if (!f->live && begun)
			return false;
	}
	return true;
}

int walk_agree(const struct chain *const *chains, size_t k, bool whole, bool loose,
	       struct chain *ret)
{
	const struct chain *first = chains[0];
	size_t least = first->n, most = first->n, kept = 0;
	for (size_t c = 1; c < k; c++) {
		least = chains[c]->n < least ? chains[c]->n : least;
		most = chains[c]->n > most ? chains[c]->n : most;
	}
	bool equal = true;
	size_t live = 0; // frames from the root that are live in every chain
	while (kept < least && equal) {
		const struct raw_frame *a = &first->items[first->n - 1 - kept];
		bool same = true, leaf = kept + 1 == most, alive = a->live;
		for (size_t c = 1; c < k; c++) {
			const struct raw_frame *b = &chains[c]->items[chains[c]->n - 1 - kept];
			same &= same_frame(a, b);
			alive &= b->live;
			bool moved = !leaf && !a->shim && a->instr != b->instr;
			equal &= same && !moved;
			// Frames up to 3.10 are not copied at one instant: a caller that has gone
			// on says nothing about what it called.
			same &= !moved || a->owner != FRAME_OWNED_BY_NOBODY;
		}
		live += same && alive && live == kept;
		kept += same;
	}
	equal &= whole && least == most && plausible(first);
	// What stands behind the last caller may be left over from its call before; where each
	// frame is a piece of its own (up to 3.10), what stands behind the one before it, too.
	size_t margin = first->n && first->items[0].owner == FRAME_OWNED_BY_NOBODY ? 2 : 1;
	if (!equal && loose)
		live -= live < margin ? live : margin;
	kept = equal ? kept : live;
	ret->n = 0;
	ret->cut = first->cut;
	if (ARRAY_RESERVE(ret->items, ret->cap, kept))
		return -ENOMEM;
	if (kept)
		memcpy(ret->items, first->items + (first->n - kept), kept * sizeof(*ret->items));
	ret->n = kept;
	return equal;
}

// Frames from the root that are the same in both.
static size_t common(const struct chain *a, const struct chain *b)
{
	size_t n = 0;
	while (n < a->n && n < b->n && same_frame(&a->items[a->n - 1 - n], &b->items[b->n - 1 - n]))
		n++;
	return n;
}

bool walk_is_part(const struct chain *part, const struct chain *whole)
{
	return common(part, whole) == part->n;
}

void walk_limit(struct chain *c, const struct chain *other)
{
	size_t kept = common(c, other);
	if (kept)
		memmove(c->items, c->items + (c->n - kept), kept * sizeof(*c->items));
	c->n = kept;
}

void walk_cut_late(struct chain *c)
{
	size_t cut = 0;
	for (size_t i = 0; i < c->n; i++)
		cut = c->items[i].late ? i + 1 : cut;
	if (cut < c->n)
		memmove(c->items, c->items + cut, (c->n - cut) * sizeof(*c->items));
	c->n -= cut;
}
