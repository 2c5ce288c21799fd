// SPDX-License-Identifier: MIT
// What of a stack is counted, and under which names.
#include "sample/filter.h"

#include "util/array.h"
#include "util/buf.h"
#include "util/cleanup.h"

#include <errno.h>
#include <stdlib.h>

#define UNMAPPED UINT32_MAX

struct filter {
	struct frame_table *frames;
	struct record_options options;
	uint32_t *mapped; // frame -> merged frame
	size_t mapped_n, mapped_cap;
	uint32_t *out;
	size_t n, cap;
	uint32_t moving, no_frame;
};

struct filter *filter_new(struct frame_table *frames, const struct record_options *o)
{
	struct filter *f = calloc(1, sizeof(*f));
	if (!f)
		return NULL;
	f->frames = frames;
	f->options = *o;
	if (frame_table_mark(frames, "[moving]", &f->moving) < 0 ||
	    frame_table_mark(frames, "[no Python frame]", &f->no_frame) < 0) {
		filter_free(f);
		return NULL;
	}
	return f;
}

void filter_free(struct filter *f)
{
	if (!f)
		return;
	free(f->mapped);
	free(f->out);
	free(f);
}

static int push(struct filter *f, uint32_t frame)
{
	if (ARRAY_RESERVE(f->out, f->cap, f->n + 1))
		return -ENOMEM;
	f->out[f->n++] = frame;
	return 0;
}

static int map_frame(struct filter *f, uint32_t id, uint32_t *ret)
{
	while (f->mapped_n <= id) {
		if (ARRAY_RESERVE(f->mapped, f->mapped_cap, f->mapped_n + 1))
			return -ENOMEM;
		f->mapped[f->mapped_n++] = UNMAPPED;
	}
	if (f->mapped[id] == UNMAPPED) {
		struct frame frame = *frame_table_get(f->frames, id);
		if (f->options.no_line)
			frame.line = frame.first_line = 0;
		else if (f->options.functions)
			frame.line = frame.first_line;
		int rc = frame_table_add(f->frames, &frame, &f->mapped[id]);
		if (rc < 0)
			return rc;
	}
	*ret = f->mapped[id];
	return 0;
}

static int push_thread(struct filter *f, const struct stack *stack)
{
	CLEANUP(buf_release) struct buf text = {0};
	struct frame mark = {.kind = FRAME_MARK};
	uint32_t id;
	buf_printf(&text, "thread (%d)", stack->tid);
	if (stack->name) {
		buf_str(&text, ": ");
		buf_add(&text, frame_table_text(f->frames, stack->name),
			frame_table_text_len(f->frames, stack->name));
	}
	if (text.failed)
		return text.failed;
	// A name may hold any character, also NUL.
	int rc = frame_table_string(f->frames, buf_text(&text), text.len, &mark.name);
	if (rc >= 0)
		rc = frame_table_add(f->frames, &mark, &id);
	return rc < 0 ? rc : push(f, id);
}

int filter_stack(struct filter *f, const struct stack *stack, const uint32_t **ret, size_t *ret_n)
{
	f->n = 0;
	int rc = f->options.threads ? push_thread(f, stack) : 0;
	for (uint32_t i = stack->n; rc >= 0 && i > 0; i--) {
		uint32_t frame;
		bool plain = !f->options.no_line && !f->options.functions;
		rc = plain ? 0 : map_frame(f, stack->frames[i - 1], &frame);
		if (rc >= 0)
			rc = push(f, plain ? stack->frames[i - 1] : frame);
	}
	if (rc >= 0 && !stack->n && !stack->moving)
		rc = push(f, f->no_frame);
	if (rc >= 0 && stack->moving)
		rc = push(f, f->moving);
	*ret = f->out;
	*ret_n = f->n;
	return rc;
}
