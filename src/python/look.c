// SPDX-License-Identifier: MIT
// One look at one thread's frames: two copies, and what they agree on.
#include "python/look.h"

#include <errno.h>
#include <stdlib.h>

// Reads that may be needed until the prediction holds all pieces of a new stack.
#define ROUNDS 8

void look_release(struct look *k)
{
	chain_release(&k->a);
	chain_release(&k->b);
	chain_release(&k->first);
	free(k->chase.items);
	free(k->memo);
	*k = (struct look){0};
}

// Leaves in kept what the two copies agree on.
static int conclude(struct look *k, const struct snap *s, bool whole, struct chain *kept,
		    bool *ret_moving)
{
	// Only from 3.13 on do the current frame and the top of the stack lie side by side.
	bool loose = !whole || !LAYOUT_HAS(&s->rt->layout, frame, iframe);
	const struct chain *two[] = {&k->a, &k->b};
	int rc = walk_agree(two, 2, whole, loose, kept);
	if (rc < 0)
		return rc;
	*ret_moving = !rc;
	return 0;
}

// A thread has one root. While the one that is known stands, no other chain is the thread's.
static bool is_other_root(struct snap *s, const struct chain *seed, const struct chain *kept)
{
	if (!seed->n || !kept->n || kept->cut || seed->cut ||
	    kept->items[kept->n - 1].addr == seed->items[seed->n - 1].addr)
		return false;
	return walk_stands(s, 0, &seed->items[seed->n - 1]) &&
	       walk_stands(s, 1, &seed->items[seed->n - 1]);
}

// Reads until both copies can be read as stacks: C frames and chunks first, since all else hangs
// on them. Leaves enum walk of the copies in *wa and *wb.
static int settle(struct look *k, struct snap *s, int *wa, int *wb, bool *reread)
{
	for (int i = 0; i < ROUNDS; i++) {
		int rc = snap_learn_chunks(s, snap_tstate(s, 1));
		if (rc < 0)
			return rc;
		if (!s->changed) {
			*wa = walk_chain(s, 0, &k->a, NULL);
			*wb = *wa < 0 ? *wa : walk_chain(s, 1, &k->b, NULL);
			if (*wb < 0)
				return *wb;
			if (*wa != WALK_CFRAME && *wb != WALK_CFRAME && *wa != WALK_CHUNKS &&
			    *wb != WALK_CHUNKS)
				return 0;
		}
		rc = snap_read(s);
		if (rc < 0)
			return rc;
		*reread = true;
	}
	return -PA_ETORN;
}

// A copy that cannot be followed to the root is followed in the target, to learn which frames
// there are. Of such a chain only what lay in the copy counts.
static int chase(struct look *k, struct snap *s, int copy, struct chain *chain, int walked)
{
	if (walked != WALK_WHOLE)
		walked = walk_chain(s, copy, chain, &k->chase);
	return walked < 0 ? walked : walked == WALK_WHOLE ? 0 : -PA_ETORN;
}

// Puts what was chased into the prediction; the copies at hand cannot be followed after this.
static int learn(struct look *k, struct snap *s)
{
	int rc = 0;
	for (size_t i = 0; i < k->chase.n && rc >= 0; i++) {
		const struct raw_frame *frame = &k->chase.items[i];
		rc = frame->shim ? snap_add_shim(s, frame->addr) : snap_add_loose(s, frame->addr);
	}
	k->chase.n = 0;
	return rc;
}

// The thread went on between the copies: what both hold of its callers is all that can be known.
static int conclude_moved(struct look *k, struct snap *s, int wa, int wb, struct chain *kept,
			  bool *ret_moving)
{
	int rc = chase(k, s, 0, &k->a, wa);
	if (rc >= 0)
		rc = chase(k, s, 1, &k->b, wb);
	if (rc >= 0)
		rc = learn(k, s);
	if (rc < 0)
		return rc;
	walk_cut_late(&k->a);
	walk_cut_late(&k->b);
	return conclude(k, s, false, kept, ret_moving);
}

// Frames lie in pieces that were not predicted: learn them, and copy anew. What the thread did
// meanwhile must not replace what it did at first, or short calls would never be seen.
static int look_further(struct look *k, struct snap *s, int wa, int wb, struct chain *kept,
			bool *ret_moving)
{
	uint64_t start = walk_start(s, 0);
	bool reread = false;
	if (start != walk_start(s, 1))
		return conclude_moved(k, s, wa, wb, kept, ret_moving);
	if (!k->memo)
		k->memo = calloc(WALK_MEMO, sizeof(*k->memo));
	if (!k->memo)
		return -ENOMEM;
	k->chase.memo = k->memo;
	int rc = chase(k, s, 0, &k->a, wa);
	k->chase.memo = NULL;
	if (rc >= 0)
		rc = learn(k, s);
	if (rc < 0)
		return rc;
	struct chain first = k->first;
	k->first = k->a;
	k->a = first;
	walk_remember(k->memo, s, &k->first);
	rc = snap_read(s);
	if (rc >= 0)
		rc = settle(k, s, &wa, &wb, &reread);
	if (rc < 0)
		return rc;
	if (wa == WALK_WHOLE && wb == WALK_WHOLE)
		rc = conclude(k, s, true, kept, ret_moving);
	else
		rc = conclude_moved(k, s, wa, wb, kept, ret_moving);
	if (rc >= 0 && walk_start(s, 0) != start) {
		walk_limit(kept, &k->first);
		*ret_moving = true;
	}
	return rc;
}

// Follows the thread from its leaf.
static int look_from_leaf(struct look *k, struct snap *s, struct chain *kept, bool *ret_moving)
{
	int wa = WALK_BAD, wb = WALK_BAD;
	bool reread = false;
	uint64_t start = walk_start(s, 0);
	int rc = settle(k, s, &wa, &wb, &reread);
	if (rc < 0)
		return rc;
	reread &= walk_start(s, 0) != start;
	if (wa == WALK_WHOLE && wb == WALK_WHOLE)
		rc = conclude(k, s, true, kept, ret_moving);
	else
		rc = look_further(k, s, wa, wb, kept, ret_moving);
	*ret_moving |= reread;
	return rc;
}

// Keeps what still stands of an earlier stack, from the root.
static int look_from_root(struct look *k, struct snap *s, const struct chain *seed,
			  struct chain *kept, bool *ret_moving)
{
	int rc = s->changed ? snap_read(s) : 0;
	if (rc >= 0)
		rc = walk_again(s, 0, seed, &k->a);
	if (rc >= 0)
		rc = walk_again(s, 1, seed, &k->b);
	return rc < 0 ? rc : conclude(k, s, false, kept, ret_moving);
}

int look_once(struct look *k, struct snap *s, struct chain *seed, struct chain *kept,
	      bool *ret_moving)
{
	k->chase.n = 0;
	int rc = snap_read(s);
	if (rc < 0)
		return rc;
	rc = look_from_leaf(k, s, kept, ret_moving);
	if (rc == -PA_ETORN || (rc >= 0 && *ret_moving && !kept->n) ||
	    (rc >= 0 && is_other_root(s, seed, kept)))
		rc = look_from_root(k, s, seed, kept, ret_moving);
	else if (rc >= 0 && !walk_is_part(kept, seed))
		rc = chain_copy(seed, kept);
	snap_trim(s);
	return rc;
}
