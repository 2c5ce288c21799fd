// SPDX-License-Identifier: MIT
// The folder of one process in /proc, held open: paths below it never reach a reused pid.
#ifndef PYATTACH_TARGET_PROC_H
#define PYATTACH_TARGET_PROC_H

#include "target/status.h"
#include "target/target.h"

struct proc {
	pid_t pid;
	pid_t via;   // the thread whose entries are used: pid, unless that thread has exited
	int dir;     // /proc/PID
	int via_dir; // /proc/VIA
};

// Returns 0 or -errno. Release it with proc_release, also after a failure.
int proc_init(struct proc *p, pid_t pid);
void proc_release(struct proc *p);

// See target_open_file.
int proc_open(const struct proc *p, enum target_file what, pid_t tid,
	      const struct map_entry *entry);

// The status of the process (tid 0) or of one of its threads. Returns 0 or -errno.
int proc_status(const struct proc *p, pid_t tid, struct status *ret);
int proc_stat(const struct proc *p, pid_t tid, struct target_stat *ret);

// Appends the ids of the threads that the folder of tasks (kept open by the caller) lists. Returns
// their number or -errno.
long proc_tasks(int tasks_fd, pid_t **tids, size_t *cap);

// Looks for a thread that has not exited, the main one first, and uses its entries from then on.
// Returns 0, -PA_EGONE when there is none, or -errno.
int proc_find_live(struct proc *p);

// Where exe points to, NUL-terminated. Returns the length or -errno.
long proc_exe(const struct proc *p, char *path, size_t size);

// The uid that the files in the folder belong to (not the folder itself): that of root when the
// process may not be dumped (task_dump_owner in fs/proc/base.c). Returns 0 or -errno.
int proc_owner(const struct proc *p, uid_t *ret);

#endif
