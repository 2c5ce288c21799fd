// SPDX-License-Identifier: MIT
// Scope-bound ownership: a local that owns something is released when it goes out of scope.
#ifndef PYATTACH_UTIL_CLEANUP_H
#define PYATTACH_UTIL_CLEANUP_H

#include <stdlib.h>
#include <unistd.h>

// Declares that fn(&variable) runs when the variable goes out of scope.
#define CLEANUP(fn) __attribute__((cleanup(fn)))

// Hands an owned pointer on: yields its value and leaves NULL behind.
#define TAKE(p)                                                                                    \
	({                                                                                         \
		__typeof__(p) take_ = (p);                                                         \
		(p) = NULL;                                                                        \
		take_;                                                                             \
	})

static inline void cleanup_free(void *pp)
{
	free(*(void **)pp);
}

// For descriptors; -1 means "none".
static inline void cleanup_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

#endif
