// SPDX-License-Identifier: MIT
// How a frame is written, in every output.
#include "output/frame_text.h"

static void add_string(const struct frame_table *ft, uint32_t id, struct buf *out)
{
	size_t len = frame_table_text_len(ft, id);
	if (len)
		buf_add(out, frame_table_text(ft, id), len);
	else
		buf_char(out, '?');
}

void frame_text(const struct frame_table *ft, uint32_t id, struct frame_style style,
		struct buf *out)
{
	const struct frame *frame = frame_table_get(ft, id);
	add_string(ft, frame->name, out);
	if (frame->kind == FRAME_MARK)
		return;
	bool full = style.full_file || !frame_table_text_len(ft, frame->short_file);
	buf_str(out, " (");
	add_string(ft, full ? frame->file : frame->short_file, out);
	if (frame->line > 0)
		buf_printf(out, ":%d", frame->line);
	else if (!style.no_line)
		buf_str(out, ":?");
	buf_char(out, ')');
}
