// SPDX-License-Identifier: MIT
// Strings stored once and known by a number.
#ifndef PYATTACH_UTIL_INTERN_H
#define PYATTACH_UTIL_INTERN_H

#include "util/hash.h"

struct intern; // id 0 is always the empty string

struct intern *intern_new(void); // NULL when out of memory
void intern_free(struct intern *in);
// Copies the bytes (any bytes, also NULs) unless they are known. Returns 0 or -ENOMEM.
int intern_add(struct intern *in, const char *s, size_t len, uint32_t *ret_id);
// NUL-terminated; valid until the table is freed. An unknown id yields "".
const char *intern_get(const struct intern *in, uint32_t id);
size_t intern_len(const struct intern *in, uint32_t id);

#endif
