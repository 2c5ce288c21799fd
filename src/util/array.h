// SPDX-License-Identifier: MIT
// Growing plain arrays: one check before an element is appended.
#ifndef PYATTACH_UTIL_ARRAY_H
#define PYATTACH_UTIL_ARRAY_H

#include <stddef.h>

// Makes room for at least want elements of size bytes in *items (capacity in *cap), at least
// doubling it. Returns 0 or -ENOMEM, in which case *items is as it was.
int array_reserve(void *items, size_t *cap, size_t want, size_t size);

// array_reserve for a typed array: ARRAY_RESERVE(list->items, list->cap, list->n + 1).
#define ARRAY_RESERVE(items, cap, want) array_reserve(&(items), &(cap), (want), sizeof(*(items)))

#endif
