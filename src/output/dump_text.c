// SPDX-License-Identifier: MIT
// A dump as text, in the line shapes that py-spy's users know.
#include "output/format.h"

#include "output/frame_text.h"
#include "util/cleanup.h"
#include "util/term.h"

#include <inttypes.h>
#include <string.h>

static void add_frame(const struct process *p, uint32_t frame, struct frame_style style,
		      struct buf *scratch, struct buf *out)
{
	buf_clear(scratch);
	frame_text(p->frames, frame, style, scratch);
	buf_str(out, "    ");
	term_escape(out, buf_text(scratch), scratch->len);
	buf_char(out, '\n');
	if (scratch->failed)
		out->failed = scratch->failed;
}

static void add_thread_head(const struct process *p, const struct stack *stack, struct buf *out)
{
	if (stack->tid)
		buf_printf(out, "Thread %d (", stack->tid);
	else
		buf_printf(out, "Thread 0x%" PRIX64 " (", stack->thread_id);
	buf_str(out, stack->active ? "active" : "idle");
	if (stack->owns_gil)
		buf_str(out, "+gil");
	if (stack->moving)
		buf_str(out, ", moving");
	buf_char(out, ')');
	size_t len = frame_table_text_len(p->frames, stack->name);
	if (len) {
		buf_str(out, ": \"");
		term_escape(out, frame_table_text(p->frames, stack->name), len);
		buf_char(out, '"');
	}
	if (stack->interp_id)
		buf_printf(out, " [interpreter %" PRId64 "]", stack->interp_id);
	buf_char(out, '\n');
}

static void add_process(const struct process *p, struct frame_style style, struct buf *out)
{
	CLEANUP(buf_release) struct buf scratch = {0};
	buf_printf(out, "Process %d", p->pid);
	if (p->cmdline_len) {
		buf_str(out, ": ");
		term_escape(out, p->cmdline, p->cmdline_len);
	}
	buf_str(out, "\nPython v");
	term_escape(out, p->python, strnlen(p->python, sizeof(p->python)));
	if (p->executable) {
		buf_str(out, " (");
		term_escape(out, p->executable, strlen(p->executable));
		buf_char(out, ')');
	}
	buf_str(out, "\n\n");
	for (size_t i = 0; i < p->threads.n; i++) {
		const struct stack *stack = &p->threads.stacks[i];
		add_thread_head(p, stack, out);
		for (uint32_t k = 0; k < stack->n; k++)
			add_frame(p, stack->frames[k], style, &scratch, out);
		if (!stack->n)
			buf_str(out, "    [no Python frame]\n");
	}
	if (p->no_python)
		buf_printf(out, "%" PRIu32 " OS thread%s without Python\n", p->no_python,
			   p->no_python == 1 ? "" : "s");
}

int dump_text(const struct process *processes, size_t n, const struct dump_options *o,
	      struct buf *out)
{
	for (size_t i = 0; i < n; i++) {
		if (i)
			buf_char(out, '\n');
		add_process(&processes[i], (struct frame_style){.full_file = o->full_file}, out);
	}
	return out->failed;
}
