// SPDX-License-Identifier: MIT
// What /proc/PID/status tells of a process.
#ifndef PYATTACH_TARGET_STATUS_H
#define PYATTACH_TARGET_STATUS_H

#include "target/target.h"

struct status {
	char name[64]; // of the command; the target's bytes
	pid_t tgid, ppid, tracer;
	uid_t uid[3]; // real, effective, saved
	gid_t gid[3];
	uint64_t cap_permitted, cap_effective;
	int seccomp;    // 0 none, 1 strict, 2 filter
	pid_t inner;    // last number of NSpid; 0 where the kernel does not tell
	unsigned depth; // how many numbers NSpid has
};

// Missing lines leave zeros. Returns 0, or -EINVAL when there is no Tgid.
int status_parse(const char *text, size_t len, struct status *ret);

#endif
