// SPDX-License-Identifier: MIT
// The probe of tools/gen-offsets: compiled against a Python's headers, prints its offsets table.
#include <Python.h>

#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#if PY_VERSION_HEX < 0x030b0000
#include <frameobject.h>
#include <longintrepr.h>
#endif
#if PY_VERSION_HEX < 0x03090000
#include <internal/pycore_pystate.h>
#else
#include <internal/pycore_interp.h>
#include <internal/pycore_runtime.h>
#endif
#include <internal/pycore_gil.h>
#if PY_VERSION_HEX >= 0x030b0000
#include <internal/pycore_code.h>
#include <internal/pycore_dict.h>
#include <internal/pycore_frame.h>
#endif

#if PY_VERSION_HEX < 0x030b0000
// Up to 3.10 the structure stands in no installed header (Objects/dict-common.h).
struct probe_dict_keys {
	Py_ssize_t dk_refcnt;
	Py_ssize_t dk_size;
	void *dk_lookup;
	Py_ssize_t dk_usable;
	Py_ssize_t dk_nentries;
	char dk_indices[];
};
#define PyDictKeysObject struct probe_dict_keys
#endif

// The target's own table, as words (empty before 3.13).
static const uint64_t words[] = {
#include "words.h"
};

// A member named "sizeof" asks for a size; such rows have no width.
#define WIDTH(type, member, width)                                                                 \
	_Static_assert(sizeof(((type *)0)->member) == (width), #type "." #member ": width")

static void trait(const char *name, const char *value)
{
	printf("trait    %-10s %s\n", name, value);
}

static void literal(const char *name, size_t offset)
{
	printf("%-26s %zu\n", name, offset);
}

// A field whose place follows from the entry at byte "at" of the target's table.
static void entry(const char *name, size_t offset, size_t at)
{
	int64_t distance;

	if (at % 8 || at / 8 >= sizeof(words) / sizeof(words[0])) {
		fprintf(stderr, "gen-offsets: %s: no entry at byte %zu\n", name, at);
		exit(1);
	}
	distance = (int64_t)(offset - words[at / 8]);
	if (distance)
		printf("%-26s @%zu%+" PRId64 "\n", name, at, distance);
	else
		printf("%-26s @%zu\n", name, at);
}

int main(void)
{
#include "rows.h"
	return fflush(stdout) || ferror(stdout);
}
