// SPDX-License-Identifier: MIT
// The memory of a running process, by a kept /proc/PID/mem and process_vm_readv.
#ifndef PYATTACH_TARGET_MEM_LIVE_H
#define PYATTACH_TARGET_MEM_LIVE_H

#include "target/mem.h"

#include <sys/types.h>

// How process_vm_readv names the process: by any thread that has not exited.
struct mem_live_thread {
	pid_t tid;
	// Yields a live thread of the same process after tid has exited, or -PA_EGONE.
	pid_t (*find)(void *ctx);
	void *ctx;
};

// fd is a read-only descriptor of /proc/PID/mem, or the -errno of its refusal; it belongs to the
// result from here on, also when this fails. Cold reads go through fd, hot ones through
// process_vm_readv, and each takes the other's way once its own turns out to be refused (ENOSYS,
// EPERM). Returns 0 or -ENOMEM.
//
// fd stays bound to the program that it was opened for: when that has ended or called execve, a
// cold read is -PA_EGONE. process_vm_readv goes by number and reads whatever program has it by
// then, so that what read_hot yields counts only if target_alive() holds afterwards.
int mem_live_new(const struct mem_live_thread *thread, int fd, struct mem **ret);

// Reads one byte at addr in every way that is open, to learn which are refused (a descriptor can
// be opened and yet not be read). Returns 0 (also when nothing is mapped there), -PA_EGONE, or
// the -errno of a refusal when no way is left.
int mem_live_probe(struct mem *m, uint64_t addr);

// The -errno with which each way was refused; 0 = it was not, or not yet tried.
void mem_live_refusals(struct mem *m, int *ret_file, int *ret_vectors);

#endif
