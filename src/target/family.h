// SPDX-License-Identifier: MIT
// The processes below a process.
#ifndef PYATTACH_TARGET_FAMILY_H
#define PYATTACH_TARGET_FAMILY_H

#include <stddef.h>
#include <sys/types.h>

// Children, grandchildren and so on, nearest first, at most max. Returns their number; 0 also when
// the kernel does not tell.
size_t family_descendants(pid_t pid, pid_t *ret, size_t max);

#endif
