// SPDX-License-Identifier: MIT
// Text of a target made fit for XML, for folded stacks and for JSON.
#ifndef PYATTACH_OUTPUT_ESCAPE_H
#define PYATTACH_OUTPUT_ESCAPE_H

#include "util/buf.h"

// term_escape, and what XML 1.0 forbids (U+FFFE, U+FFFF) as \uNNNN: safe to show anywhere, and
// unchanged by a second time.
void escape_visible(struct buf *b, const char *s, size_t len);

// escape_visible with & < > " ' as entities: for text and attribute values.
void escape_xml(struct buf *b, const char *s, size_t len);

// One frame of a folded stack: ';' becomes ':', CR, LF and TAB a blank, other controls \xNN; no
// blank at its end, none before a number at its end ("worker 7" would be read as two counts:
// "worker_7"), never empty.
void escape_folded(struct buf *b, const char *s, size_t len);

// Valid UTF-8 as it is, controls too; any other byte as the text \xNN.
void escape_utf8(struct buf *b, const char *s, size_t len);

// Columns that valid UTF-8 takes in a fixed-width font, at most: characters from U+1100 on count
// as two.
size_t text_columns(const char *s, size_t len);

// Appends as much of valid UTF-8 as fits into that many columns, with an ellipsis where it was cut;
// nothing when not even two characters and the ellipsis fit.
void text_cut(struct buf *b, const char *s, size_t len, size_t columns);

#endif
