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
	free(k->chase.addrs);
	*k = (struct look){0};
}

static int conclude(const struct chain *const *chains, size_t n, struct chain *kept,
		    bool *ret_moving)
{
	int rc = walk_agree(chains, n, kept);
	if (rc < 0)
		return rc;
	*ret_moving = !rc;
	return 0;
}

static int keep_chased(struct look *k, struct snap *s)
{
	for (size_t i = 0; i < k->chase.n; i++) {
		int rc = snap_add_loose(s, k->chase.addrs[i]);
		if (rc < 0)
			return rc;
	}
	return 0;
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

// Frames lie in pieces that were not predicted. Where the thread went on between the copies both
// are followed in the target, which is all that can be known of that instant; where it did not,
// the pieces are copied anew and compared.
static int look_further(struct look *k, struct snap *s, int wa, int wb, struct chain *kept,
			bool *ret_moving)
{
	uint64_t start = walk_start(s, 0);
	bool stayed = start == walk_start(s, 1);
	k->chase.n = 0;
	if (wa != WALK_WHOLE)
		wa = walk_chain(s, 0, &k->a, &k->chase);
	if (wb != WALK_WHOLE && !stayed)
		wb = walk_chain(s, 1, &k->b, &k->chase);
	if (wa < 0 || wb < 0)
		return wa < 0 ? wa : wb;
	int rc = keep_chased(k, s);
	if (rc < 0)
		return rc;
	if (!stayed) {
		if (wa != WALK_WHOLE || wb != WALK_WHOLE)
			return -PA_ETORN;
		const struct chain *two[] = {&k->a, &k->b};
		return conclude(two, 2, kept, ret_moving);
	}
	bool have_first = wa == WALK_WHOLE, reread = false;
	struct chain first = k->first;
	k->first = k->a;
	k->a = first;
	rc = snap_read(s);
	if (rc >= 0)
		rc = settle(k, s, &wa, &wb, &reread);
	if (rc < 0)
		return rc;
	if (wa != WALK_WHOLE || wb != WALK_WHOLE) {
		k->chase.n = 0;
		wa = wa == WALK_WHOLE ? wa : walk_chain(s, 0, &k->a, &k->chase);
		wb = wb == WALK_WHOLE ? wb : walk_chain(s, 1, &k->b, &k->chase);
		if (wa != WALK_WHOLE || wb != WALK_WHOLE)
			return wa < 0 ? wa : wb < 0 ? wb : -PA_ETORN;
		rc = keep_chased(k, s);
		if (rc < 0)
			return rc;
	}
	bool moved = walk_start(s, 0) != start;
	const struct chain *three[] = {&k->a, &k->b, &k->first};
	rc = conclude(three, moved && have_first ? 3 : 2, kept, ret_moving);
	*ret_moving |= moved;
	return rc;
}

int look_once(struct look *k, struct snap *s, struct chain *kept, bool *ret_moving)
{
	int wa = WALK_BAD, wb = WALK_BAD;
	bool reread = false;
	int rc = snap_read(s);
	if (rc < 0)
		return rc;
	uint64_t start = walk_start(s, 0);
	rc = settle(k, s, &wa, &wb, &reread);
	if (rc < 0)
		return rc;
	if (wa == WALK_WHOLE && wb == WALK_WHOLE) {
		const struct chain *two[] = {&k->a, &k->b};
		rc = conclude(two, 2, kept, ret_moving);
	} else {
		rc = look_further(k, s, wa, wb, kept, ret_moving);
	}
	*ret_moving |= reread && walk_start(s, 0) != start;
	snap_trim(s);
	return rc;
}
