// SPDX-License-Identifier: MIT
// The user on whose behalf root acts, and borrowing that user's rights on files.
#ifndef PYATTACH_CMD_INVOKER_H
#define PYATTACH_CMD_INVOKER_H

#include "util/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct invoker {
	bool other; // someone else than the effective user; otherwise nothing is ever changed
	uid_t uid;
	gid_t gid;
};

// As root: the real user of a set-user-ID program, else the one that SUDO_UID and SUDO_GID name
// (ignored unless both are plain decimal numbers). Otherwise nobody.
struct invoker invoker_find(void);

// What was before invoker_enter.
struct invoker_scope {
	bool entered;
	uid_t uid;
	gid_t gid;
	gid_t *groups;
	size_t n_groups;
};

// From here to invoker_leave the kernel applies the invoker's rights to every use of files.
// Returns 0 or -PA_EOUTPUT (then nothing is changed).
int invoker_enter(const struct invoker *who, struct invoker_scope *scope, struct err *err);
// Puts everything back, or ends the program: it must not go on with half an identity. errno is
// kept. Safe for a scope that is {0}; fits CLEANUP.
void invoker_leave(struct invoker_scope *scope);

#endif
