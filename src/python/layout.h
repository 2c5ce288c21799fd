// SPDX-License-Identifier: MIT
// An offsets table: parse, validate, choose for a version and its build flags.
#ifndef PYATTACH_PYTHON_LAYOUT_H
#define PYATTACH_PYTHON_LAYOUT_H

#include "python/fields.h"
#include "util/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum py_field {
#define X(section, field, width, since, until) PY_##section##_##field,
	PY_FIELDS(X)
#undef X
		PY_FIELD_COUNT,
};

enum py_trait {
#define X(trait, value, since, until) PY_TRAIT_##trait##_##value,
	PY_TRAITS(X)
#undef X
		PY_TRAIT_COUNT,
};

struct layout {
	int version; // major * 100 + minor
	bool debug, free_threaded;
	bool from_target;            // at least one value comes from the target's own table
	int32_t off[PY_FIELD_COUNT]; // bytes from the start of the structure; -1 = absent
	uint32_t traits;             // bit set of enum py_trait
	uint32_t thread_size;        // bytes of each structure that hold every field in use
	uint32_t frame_size;
	uint32_t cframe_size;
	uint32_t code_size;
	uint32_t gil_size;
};

#define LAYOUT_OFF(l, section, field) ((l)->off[PY_##section##_##field])
#define LAYOUT_HAS(l, trait, value)   (((l)->traits >> PY_TRAIT_##trait##_##value & 1) != 0)

// Parses a table's text. debug_table: the bytes of the target's _Py_DebugOffsets, for '@' values;
// NULL when there are none. name is for the error's text. Checks that every field which the
// table's version must have is present, that each trait has one value, and all bounds, so that a
// reader can trust it. Returns 0 or -PA_ELAYOUT.
int layout_parse(const char *text, size_t len, const char *name, const uint8_t *debug_table,
		 size_t debug_len, struct layout *ret, struct err *err);

// What a table says it is for, without reading its values. Returns 0 or -PA_ELAYOUT.
struct layout_head {
	int version;
	bool debug, free_threaded;
};
int layout_head(const char *text, size_t len, const char *name, struct layout_head *ret,
		struct err *err);

// The built-in table for a version (a debug build is served by the release table where it has
// none of its own). Returns 0 or -ENOENT.
int layout_builtin(int version, bool debug, bool free_threaded, const char **ret_name,
		   const char **ret_text, size_t *ret_len);

// Unaligned loads from a copied structure.
static inline uint64_t load_u64(const void *base, int32_t off)
{
	uint64_t v;
	__builtin_memcpy(&v, (const char *)base + off, sizeof(v));
	return v;
}

static inline uint32_t load_u32(const void *base, int32_t off)
{
	uint32_t v;
	__builtin_memcpy(&v, (const char *)base + off, sizeof(v));
	return v;
}

#endif
