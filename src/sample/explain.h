// SPDX-License-Identifier: MIT
// Which processes near one that is not Python are.
#ifndef PYATTACH_SAMPLE_EXPLAIN_H
#define PYATTACH_SAMPLE_EXPLAIN_H

#include "util/err.h"

#include <sys/types.h>

// Adds a sentence to err that names the Python processes below pid, if there are any.
void explain_children(pid_t pid, struct err *err);

#endif
