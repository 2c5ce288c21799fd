// SPDX-License-Identifier: MIT
// Python objects of the target: types, dicts, lists, ints, instance attributes, strings.
#ifndef PYATTACH_PYTHON_OBJECT_H
#define PYATTACH_PYTHON_OBJECT_H

#include "python/runtime.h"
#include "util/buf.h"

// All take addresses of objects in the target, return 0 or a negative error (-EFAULT unreadable,
// -PA_EBOUND a size that cannot be, -ENOENT not found) and never trust what they read.

int object_type(const struct runtime *rt, uint64_t obj, uint64_t *ret_type);
// The type's name: "dict", "module", "threading.Thread".
int object_type_name(const struct runtime *rt, uint64_t obj, char *ret, size_t size);
// True when the object's type has that name and the type's own type is a type (1.3 of a
// self-check: type(type) is type).
bool object_is_a(const struct runtime *rt, uint64_t obj, const char *type_name);

int object_int(const struct runtime *rt, uint64_t obj, int64_t *ret_value);
// Appends a str as UTF-8; a lone surrogate becomes \udcXX, what lies beyond LIMIT_STRING
// characters becomes "...". The caller has checked that it is a str where that matters.
int object_str(const struct runtime *rt, uint64_t obj, struct buf *ret);

// The items of a list; the array is the caller's to free.
int object_list(const struct runtime *rt, uint64_t obj, uint64_t **ret_items, size_t *ret_n);

struct dict_entry {
	uint64_t key, value;
};
// The live entries of a dict in insertion order; the array is the caller's to free.
int object_dict(const struct runtime *rt, uint64_t dict, struct dict_entry **ret, size_t *ret_n);
// The value of a str key.
int object_dict_find(const struct runtime *rt, uint64_t dict, const char *key, uint64_t *ret_value);

// An attribute in the instance's own dictionary, in whatever form the version keeps it.
int object_attr(const struct runtime *rt, uint64_t obj, const char *name, uint64_t *ret_value);

#endif
