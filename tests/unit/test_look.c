// SPDX-License-Identifier: MIT
// Looks at a thread whose memory a test lays out, and changes between two copies.
#include "image.h"
#include "unit.h"

#include "python/look.h"

#include <stdbool.h>
#include <stdlib.h>

// A layout of our own: where things lie does not matter, only that the table is obeyed.
enum { TS_CFRAME = 8, TS_CURRENT = 16, TS_CHUNK = 24, TS_TOP = 32, TS_INTERP = 40 };
enum { TS_ID = 48, TS_THREAD_ID = 56, TS_SIZE = 64 };
enum { F_PREVIOUS = 0, F_CODE = 8, F_INSTR = 16, F_OWNER = 24, F_SIZE = 32 };
enum { CF_CURRENT = 0, CF_PREVIOUS = 8 };

#define TS     IMAGE_BASE
#define CFRAME (IMAGE_BASE + 0x800)
#define CHUNK  (IMAGE_BASE + 0x1000)
#define DATA   (CHUNK + 24)
#define HEAP   (IMAGE_BASE + 0x8000) // loose frames
#define SHIM   (IMAGE_BASE + 0x900)  // the entry from C below all frames of 3.13
#define CODE   UINT64_C(0x10000)

enum kind { HEAP_FRAMES, CFRAME_IFRAME, IFRAME };

struct bed {
	struct image image;
	struct runtime rt;
	struct snap snap;
	struct look look;
	struct chain seed, kept;
	bool moving;
	enum kind kind;
};

static struct bed *bed; // of the test at hand

static uint64_t slot(size_t i)
{
	return DATA + i * F_SIZE;
}

static void put_frame(uint64_t addr, uint64_t previous, uint64_t code, uint64_t instr,
		      uint8_t owner)
{
	image_u64(&bed->image, addr + F_PREVIOUS, previous);
	image_u64(&bed->image, addr + F_CODE, code);
	image_u64(&bed->image, addr + F_INSTR, instr);
	image_put(&bed->image, addr + F_OWNER, &owner, 1);
}

static void set_current(uint64_t frame, uint64_t top)
{
	if (bed->kind == CFRAME_IFRAME)
		image_u64(&bed->image, CFRAME + CF_CURRENT, frame);
	else
		image_u64(&bed->image, TS + TS_CURRENT, frame);
	image_u64(&bed->image, TS + TS_TOP, top);
}

static void set_layout(struct layout *l, enum kind kind)
{
	for (size_t i = 0; i < PY_FIELD_COUNT; i++)
		l->off[i] = -1;
	l->version = kind == HEAP_FRAMES ? 308 : kind == CFRAME_IFRAME ? 311 : 313;
	l->traits = kind == HEAP_FRAMES     ? 1u << PY_TRAIT_frame_heap
		    : kind == CFRAME_IFRAME ? 1u << PY_TRAIT_frame_cframe_iframe
					    : 1u << PY_TRAIT_frame_iframe;
	l->off[PY_thread_frame] = l->off[PY_thread_current_frame] = TS_CURRENT;
	l->off[PY_thread_cframe] = TS_CFRAME;
	l->off[PY_thread_datastack_chunk] = TS_CHUNK;
	l->off[PY_thread_datastack_top] = TS_TOP;
	l->off[PY_frame_previous] = F_PREVIOUS;
	l->off[PY_frame_code] = F_CODE;
	l->off[PY_frame_instr] = l->off[PY_frame_lasti] = F_INSTR;
	l->off[PY_frame_owner] = F_OWNER;
	l->off[PY_frame_executing] = kind == HEAP_FRAMES ? F_OWNER : -1;
	l->off[PY_cframe_current_frame] = CF_CURRENT;
	l->off[PY_cframe_previous] = CF_PREVIOUS;
	l->off[PY_chunk_previous] = 0;
	l->off[PY_chunk_size] = 8;
	l->off[PY_chunk_top] = 16;
	l->off[PY_chunk_data] = 24;
	l->off[PY_thread_interp] = TS_INTERP;
	l->off[PY_thread_id] = TS_ID;
	l->off[PY_thread_thread_id] = TS_THREAD_ID;
	l->off[PY_generator_iframe] = 8;
	l->off[PY_generator_state] = 3;
	l->thread_size = TS_SIZE;
	l->frame_size = F_SIZE;
	l->cframe_size = 16;
}

static void make_bed(enum kind kind)
{
	bed = calloc(1, sizeof(*bed));
	assert_non_null(bed);
	bed->kind = kind;
	image_init(&bed->image);
	bed->rt.mem = &bed->image.mem;
	set_layout(&bed->rt.layout, kind);
	snap_init(&bed->snap, &bed->rt, TS);
	image_u64(&bed->image, TS + TS_CFRAME, CFRAME);
	image_u64(&bed->image, TS + TS_CHUNK, CHUNK);
	image_u64(&bed->image, CHUNK + 8, 0x4000);
	put_frame(SHIM, 0, 0, 0, 3);
}

// What the root's frame says comes before it.
static uint64_t before_root(void)
{
	return bed->kind == IFRAME ? SHIM : 0;
}

static void free_bed(void)
{
	snap_release(&bed->snap);
	look_release(&bed->look);
	chain_release(&bed->kept);
	chain_release(&bed->seed);
	free(bed);
	bed = NULL;
}

// n frames of the data stack, root at slot 0, code CODE + i.
static void put_stack(size_t n)
{
	for (size_t i = 0; i < n; i++)
		put_frame(slot(i), i ? slot(i - 1) : before_root(), CODE + i, 100 + i,
			  FRAME_OWNED_BY_THREAD);
	set_current(slot(n - 1), slot(n));
}

static int look(void)
{
	return look_once(&bed->look, &bed->snap, &bed->seed, &bed->kept, &bed->moving);
}

// kept holds the frames root .. root + n - 1 of put_stack.
static void expect(size_t n, bool moving)
{
	assert_int_equal(bed->moving, moving);
	if (bed->kept.n && bed->kept.items[bed->kept.n - 1].shim)
		bed->kept.n--;
	assert_int_equal(bed->kept.n, n);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(bed->kept.items[n - 1 - i].code, CODE + i);
}

// Pieces of a copy that are not empty.
static size_t filled_pieces(void)
{
	size_t n = 0;
	for (size_t i = 0; i < bed->snap.pieces; i++)
		n += bed->snap.vec[i].len > 0;
	return n;
}

static void still(void **state)
{
	(void)state;
	for (int kind = CFRAME_IFRAME; kind <= IFRAME; kind++) {
		make_bed((enum kind)kind);
		put_stack(20);
		assert_int_equal(look(), 0);
		expect(20, false);
		// From then on one call with both copies is enough.
		bed->image.reads = 0;
		assert_int_equal(look(), 0);
		expect(20, false);
		assert_int_equal(bed->image.reads, 2 * (int)filled_pieces());
		free_bed();
	}
}

// A generator's frame on the heap and the entry of a C call lie outside the data stack.
static void loose_frames(void **state)
{
	(void)state;
	make_bed(IFRAME);
	put_stack(3);
	put_frame(HEAP, slot(2), CODE + 3, 7, FRAME_OWNED_BY_GENERATOR);
	put_frame(HEAP + 64, HEAP, 0, 0, 3); // shim
	put_frame(slot(3), HEAP + 64, CODE + 4, 9, FRAME_OWNED_BY_THREAD);
	set_current(slot(3), slot(4));
	for (int i = 0; i < 3; i++) {
		assert_int_equal(look(), 0);
		assert_int_equal(bed->kept.n, 7);
		assert_false(bed->moving);
		assert_true(bed->kept.items[1].shim);
		assert_int_equal(bed->kept.items[2].code, CODE + 3);
	}
	free_bed();
}

// Between the copies the leaf returns and its caller calls something else at the same place.
static void other_call(struct image *image, size_t piece)
{
	(void)image;
	if (piece != bed->snap.pieces)
		return;
	put_frame(slot(3), slot(2), CODE + 77, 5, FRAME_OWNED_BY_THREAD);
	image_u64(&bed->image, slot(2) + F_INSTR, 555);
}

// Between the copies a caller goes on to another instruction, and calls the same function again.
static void next_line(struct image *image, size_t piece)
{
	(void)image;
	if (piece == bed->snap.pieces)
		image_u64(&bed->image, slot(1) + F_INSTR, 555);
}

static void leaf_returns(struct image *image, size_t piece)
{
	(void)image;
	if (piece == bed->snap.pieces)
		set_current(slot(2), slot(3));
}

static void leaf_moves_on(struct image *image, size_t piece)
{
	(void)image;
	if (piece == bed->snap.pieces)
		image_u64(&bed->image, slot(3) + F_INSTR, 555);
}

static void moving(void **state)
{
	(void)state;
	static const struct {
		void (*between)(struct image *image, size_t piece);
		size_t kept;
		bool moving;
	} cases[] = {
		{other_call, 3, true},
		{next_line, 2, true},
		{leaf_returns, 3, true},
		{leaf_moves_on, 4, false}, // the same stack; the first copy's instruction counts
	};
	for (size_t i = 0; i < ROWS(cases); i++) {
		make_bed(IFRAME);
		put_stack(4);
		assert_int_equal(look(), 0);
		bed->image.between = cases[i].between;
		assert_int_equal(look(), 0);
		expect(cases[i].kept, cases[i].moving);
		// The line that counts is the first copy's.
		assert_int_equal(bed->kept.items[0].instr, 100 + cases[i].kept - 1);
		free_bed();
	}
}

// A function that was just left still is current, its memory given back already.
static void popped(void **state)
{
	(void)state;
	make_bed(IFRAME);
	put_stack(4);
	set_current(slot(3), slot(3));
	assert_int_equal(look(), 0);
	expect(3, false);
	free_bed();
}

static void no_frame(void **state)
{
	(void)state;
	for (int kind = HEAP_FRAMES; kind <= IFRAME; kind++) {
		make_bed((enum kind)kind);
		set_current(0, DATA);
		assert_int_equal(look(), 0);
		expect(0, false);
		free_bed();
	}
}

static void garbage(void **state)
{
	(void)state;
	static const uint64_t places[] = {
		1, 8, 0x123456, IMAGE_BASE + IMAGE_SIZE, ~UINT64_C(7), IMAGE_BASE + IMAGE_SIZE - 8};
	for (int kind = HEAP_FRAMES; kind <= IFRAME; kind++) {
		for (size_t i = 0; i < ROWS(places); i++) {
			make_bed((enum kind)kind);
			set_current(places[i], slot(1));
			assert_int_equal(look(), 0);
			expect(0, true);
			free_bed();
		}
		make_bed((enum kind)kind);
		put_stack(4);
		put_frame(slot(0), slot(3), CODE, 1, FRAME_OWNED_BY_THREAD); // a cycle
		assert_int_equal(look(), 0);
		expect(0, true);
		free_bed();
	}
}

// A leaf that leads nowhere: what still stands of the stack before is kept, as moving.
static void from_the_root(void **state)
{
	(void)state;
	for (int kind = CFRAME_IFRAME; kind <= IFRAME; kind++) {
		make_bed((enum kind)kind);
		put_stack(6);
		assert_int_equal(look(), 0);
		expect(6, false);
		set_current(0x123456, slot(6));
		for (int i = 0; i < 3; i++) {
			assert_int_equal(look(), 0);
			expect(5, true); // less the last: nothing leads to it
		}
		put_frame(slot(4), slot(3), CODE + 77, 1, FRAME_OWNED_BY_THREAD);
		assert_int_equal(look(), 0);
		expect(3, true);
		set_current(0x123456, slot(2)); // two of them were left since
		assert_int_equal(look(), 0);
		expect(1, true);
		free_bed();
	}
}

// Another thread's state at the same place is not this thread's.
static void identity(void **state)
{
	(void)state;
	static const int fields[] = {TS_INTERP, TS_ID, TS_THREAD_ID};
	for (size_t i = 0; i < ROWS(fields); i++) {
		make_bed(IFRAME);
		put_stack(3);
		assert_int_equal(look(), 0);
		image_u64(&bed->image, TS + (uint64_t)fields[i], 99);
		assert_int_equal(look(), -PA_ETORN);
		free_bed();
	}
}

// A suspended generator is on no stack, though it looks like a frame that has no caller.
static void suspended_generator(void **state)
{
	(void)state;
	make_bed(CFRAME_IFRAME);
	put_stack(3);
	put_frame(HEAP, slot(2), CODE + 3, 7, FRAME_OWNED_BY_GENERATOR);
	set_current(HEAP, slot(3));
	assert_int_equal(look(), 0);
	expect(4, false);
	put_frame(HEAP, 0, CODE + 3, 7, FRAME_OWNED_BY_GENERATOR);
	image_put(&bed->image, HEAP - 5, &(uint8_t){0xff}, 1);
	assert_int_equal(look(), 0);
	expect(2, true);
	free_bed();
}

// 3.12 publishes a C frame before it says which frame is current: what the C frame before it holds
// is the truth then.
static void cframe_window(void **state)
{
	(void)state;
	make_bed(CFRAME_IFRAME);
	put_stack(5);
	uint64_t fresh = CFRAME + 0x40;
	image_u64(&bed->image, fresh + CF_PREVIOUS, CFRAME);
	image_u64(&bed->image, TS + TS_CFRAME, fresh);
	static const uint64_t stale[] = {0x123456, HEAP, HEAP + 0x100};
	put_frame(HEAP, 0, CODE + 9, 1, FRAME_OWNED_BY_GENERATOR); // a chain of its own
	put_frame(HEAP + 0x100, HEAP + 0x100, CODE + 9, 1, FRAME_OWNED_BY_GENERATOR);
	for (size_t i = 0; i < ROWS(stale); i++) {
		image_u64(&bed->image, fresh + CF_CURRENT, stale[i]);
		assert_int_equal(look(), 0);
		expect(5, false);
	}
	// Once it is set, the new frame is on top of the old chain.
	put_frame(slot(5), slot(4), CODE + 5, 1, FRAME_OWNED_BY_THREAD);
	image_u64(&bed->image, TS + TS_TOP, slot(6));
	image_u64(&bed->image, fresh + CF_CURRENT, slot(5));
	assert_int_equal(look(), 0);
	expect(6, false);
	free_bed();
}

static void heap_chain(void **state)
{
	(void)state;
	make_bed(HEAP_FRAMES);
	for (uint64_t i = 0; i < 300; i++)
		put_frame(HEAP + i * 64, i ? HEAP + (i - 1) * 64 : 0, CODE + i, i, 1);
	set_current(HEAP + 299 * 64, 0);
	assert_int_equal(look(), 0);
	expect(300, false);
	bed->image.reads = 0;
	assert_int_equal(look(), 0);
	expect(300, false);
	assert_int_equal(bed->image.reads, 2 * (int)filled_pieces());
	free_bed();
}

// Frames that come and go do not pile up in the prediction.
static void prediction_is_bounded(void **state)
{
	(void)state;
	make_bed(HEAP_FRAMES);
	put_frame(HEAP, 0, CODE, 1, 1);
	for (uint64_t i = 0; i < 400; i++) {
		uint64_t leaf = HEAP + 64 + i % 200 * 64;
		put_frame(leaf, HEAP, CODE + 1, 1, 1);
		set_current(leaf, 0);
		assert_int_equal(look(), 0);
		expect(2, false);
		assert_true(bed->snap.loose_n <= 2 + LIMIT_LOOSE + 1);
	}
	free_bed();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(still),
		cmocka_unit_test(loose_frames),
		cmocka_unit_test(moving),
		cmocka_unit_test(popped),
		cmocka_unit_test(no_frame),
		cmocka_unit_test(garbage),
		cmocka_unit_test(from_the_root),
		cmocka_unit_test(identity),
		cmocka_unit_test(suspended_generator),
		cmocka_unit_test(cframe_window),
		cmocka_unit_test(heap_chain),
		cmocka_unit_test(prediction_is_bounded),
	};
	return unit_run("look", tests);
}
