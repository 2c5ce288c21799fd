// SPDX-License-Identifier: MIT
// The rows of the format list; the first is the default.
#ifndef PYATTACH_OUTPUT_FORMATS_H
#define PYATTACH_OUTPUT_FORMATS_H

#include "output/format.h"

// X(name): the format is "const struct format fmt_NAME" in fmt_NAME.c.
#define FORMATS(X)                                                                                 \
	X(svg)                                                                                     \
	X(raw)

#define X(name) extern const struct format fmt_##name;
FORMATS(X)
#undef X

#endif
