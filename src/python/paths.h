// SPDX-License-Identifier: MIT
// Short file names and module names, by the target's own sys.path.
#ifndef PYATTACH_PYTHON_PATHS_H
#define PYATTACH_PYTHON_PATHS_H

#include "model/frame.h"
#include "python/runtime.h"

struct paths;

struct paths *paths_new(const struct runtime *rt, struct frame_table *frames); // NULL: no memory
void paths_free(struct paths *p);

// The file's name relative to the longest entry of sys.path that holds it (itself when none does),
// and the dotted form of that ("pkg/mod.py" -> "pkg.mod", "pkg/__init__.py" -> "pkg"; 0 for
// "<string>" and the like). Strings of the frame table. sys.path is read anew, now and then, when
// a file below none of its entries turns up. Returns 0 or -ENOMEM.
int paths_shorten(struct paths *p, uint32_t file, uint32_t *ret_short, uint32_t *ret_module);

#endif
