// SPDX-License-Identifier: MIT
// How a frame is written, in every output.
#ifndef PYATTACH_OUTPUT_FRAME_TEXT_H
#define PYATTACH_OUTPUT_FRAME_TEXT_H

#include "model/frame.h"
#include "util/buf.h"

#include <stdbool.h>

struct frame_style {
	bool full_file; // the file as the code object has it
	bool no_line;   // lines were dropped on purpose
};

// Appends "name (file:line)", "name (file)" or a mark's text, not escaped. What is unknown is a
// question mark.
void frame_text(const struct frame_table *ft, uint32_t id, struct frame_style style,
		struct buf *out);

#endif
