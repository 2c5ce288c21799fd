// SPDX-License-Identifier: MIT
// Line tables: from an instruction's offset to its line.
#ifndef PYATTACH_PYTHON_LINES_H
#define PYATTACH_PYTHON_LINES_H

#include <stddef.h>
#include <stdint.h>

// Each takes the table's bytes (any bytes: a broken table ends early), the function's first line
// and the offset of the instruction in bytes from the start of the bytecode (negative: before the
// first). Returns the line, or 0 when the table says that the instruction has none.

// co_lnotab, up to 3.9 (Objects/lnotab_notes.txt).
int32_t lines_lnotab(const uint8_t *table, size_t len, int32_t first_line, int64_t offset);
// co_linetable of 3.10 (PEP 626).
int32_t lines_ranges(const uint8_t *table, size_t len, int32_t first_line, int64_t offset);
// co_linetable from 3.11 (Objects/locations.md).
int32_t lines_locations(const uint8_t *table, size_t len, int32_t first_line, int64_t offset);

#endif
