// SPDX-License-Identifier: MIT
// Which CPython a mapped binary is: Py_Version, the cookie of _Py_DebugOffsets, the text of
// Py_GetVersion() in its data, its name.
#ifndef PYATTACH_PYTHON_VERSION_H
#define PYATTACH_PYTHON_VERSION_H

#include "target/binary.h"

struct py_build {
	uint32_t hex; // PY_VERSION_HEX; only the upper 16 bits are known when minor_only
	bool minor_only;
	bool debug;         // Py_DEBUG
	bool free_threaded; // from the cookie
	bool has_cookie;    // _Py_DebugOffsets stands at the start of _PyRuntime (3.13+)
};

// runtime: address of _PyRuntime. Returns 0, -ENOENT when no way tells a version, or an error.
int version_detect(struct target *t, struct binary *b, uint64_t runtime, struct py_build *ret);
// "3.11.7", "3.12.0rc1" from PY_VERSION_HEX.
void version_text(uint32_t hex, char *ret, size_t size);
// Searches bytes for what Py_GetVersion() returns; *ret_hex receives PY_VERSION_HEX.
bool version_search(const char *data, size_t len, uint32_t *ret_hex);

#endif
