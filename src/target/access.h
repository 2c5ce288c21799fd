// SPDX-License-Identifier: MIT
// Why the kernel refuses to let us read a process, and what mends it.
#ifndef PYATTACH_TARGET_ACCESS_H
#define PYATTACH_TARGET_ACCESS_H

#include "target/proc.h"

// What decides in __ptrace_may_access (kernel/ptrace.c) and in the security modules behind it.
struct access_facts {
	pid_t pid;
	char tried[64]; // "opening /proc/7/mem"
	int refusal;    // the -errno of that

	struct status ours;
	char our_label[128];  // of the security module that confines us; "" = none
	bool vectors_blocked; // process_vm_readv fails even on ourselves
	int yama;             // kernel.yama.ptrace_scope; 0 also where there is no such thing
	bool selinux;         // it is enforcing

	bool hidden; // not even the status of the target can be read; what follows is unknown
	struct status status;
	uid_t owner;        // of the files in /proc/PID
	bool other_user_ns; // the target is in a user namespace that is not ours
};

// Writes the one cause that the facts show and the command that mends it. Returns -PA_EDENIED.
int access_explain(const struct access_facts *facts, struct err *err);

// Collects the facts and explains them: what was tried ("opening", "reading"), on which file of
// the process, and the -errno. Returns -PA_EDENIED, or -PA_EGONE when it has ended meanwhile.
int access_refused(const struct proc *p, const char *tried, const char *file, int refusal,
		   struct err *err);

// Asks by a signal that is not sent: hidepid can hide a process from the view of /proc.
bool access_exists(pid_t pid);

// "EACCES (Permission denied)", for messages.
void access_errno_text(int code, char *text, size_t size);

#endif
