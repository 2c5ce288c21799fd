// SPDX-License-Identifier: MIT
// Strict parsing of what a person types: the whole text or nothing.
#ifndef PYATTACH_UTIL_PARSE_H
#define PYATTACH_UTIL_PARSE_H

#include <stdint.h>

// Decimal, or hexadecimal with 0x; no sign, no blanks. Returns 0, -EINVAL or -ERANGE.
int parse_u64(const char *s, uint64_t *ret_value);
// "30", "1.5", "30s", "5m", "1h" (also fractions), "unlimited" (0). Returns 0, -EINVAL or -ERANGE
// (zero, or more than a hundred years).
int parse_duration_ns(const char *s, uint64_t *ret_ns);

#endif
