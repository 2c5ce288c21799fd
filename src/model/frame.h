// SPDX-License-Identifier: MIT
// A frame of a stack, interned to a number; the strings and frames that one session knows.
#ifndef PYATTACH_MODEL_FRAME_H
#define PYATTACH_MODEL_FRAME_H

#include <stddef.h>
#include <stdint.h>

enum frame_kind {
	FRAME_PYTHON, // a Python function
	FRAME_MARK,   // a word of ours: "[moving]", "[no Python frame]", "thread (7): name"
};

// Strings are numbers in the table's string store; 0 is the empty string and means "unknown".
// They hold UTF-8 in which lone surrogates are written \udcXX; nothing else is escaped there, so
// each output escapes for its own consumer.
struct frame {
	uint32_t kind;       // enum frame_kind
	uint32_t name;       // function, qualified where the interpreter tells (3.11+)
	uint32_t file;       // as the code object has it
	uint32_t short_file; // relative to the longest entry of the target's sys.path
	uint32_t module;     // dotted form of short_file
	int32_t line;        // 1-based; 0 = unknown
	int32_t first_line;  // of the function; 0 = unknown
};

// Owns the strings and frames; everything else refers to them by number. Grows only.
struct frame_table;

struct frame_table *frame_table_new(void); // NULL when out of memory
void frame_table_free(struct frame_table *ft);
// Each returns 0 or -ENOMEM.
int frame_table_string(struct frame_table *ft, const char *s, size_t len, uint32_t *ret_id);
int frame_table_add(struct frame_table *ft, const struct frame *frame, uint32_t *ret_id);
// A FRAME_MARK with that text.
int frame_table_mark(struct frame_table *ft, const char *text, uint32_t *ret_id);
// A frame is valid until the next add, a text for ever; an unknown id yields an empty frame or "".

const struct frame *frame_table_get(const struct frame_table *ft, uint32_t id);
const char *frame_table_text(const struct frame_table *ft, uint32_t string_id);
size_t frame_table_text_len(const struct frame_table *ft, uint32_t string_id);

#endif
