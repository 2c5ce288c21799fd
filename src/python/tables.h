// SPDX-License-Identifier: MIT
// The tables of offsets/, embedded in the program as they are (made by the Makefile).
#ifndef PYATTACH_PYTHON_TABLES_H
#define PYATTACH_PYTHON_TABLES_H

#include <stddef.h>

struct embedded_table {
	const char *name; // of the file: "cpython-3.11.tbl"
	const char *text; // NUL-terminated
	size_t len;       // without the NUL
};

extern const struct embedded_table embedded_tables[]; // in the order of their names
extern const size_t embedded_tables_n;

#endif
