// SPDX-License-Identifier: MIT
// A process under inspection: identity, liveness, memory, mappings, threads, files.
#ifndef PYATTACH_TARGET_TARGET_H
#define PYATTACH_TARGET_TARGET_H

#include "target/maps.h"
#include "target/mem.h"
#include "util/buf.h"
#include "util/err.h"

#include <stdbool.h>
#include <sys/types.h>

struct target;

// Opens a live process. Checks, each with a sentence and code of its own: exists (ENOPROC), is
// not a zombie (EGONE), is no kernel thread (ENOTPYTHON), is not ourselves (ENOTPYTHON), may be
// read (EDENIED, naming the cause and the command that mends it). The id of a thread other than
// the main one stands for its process: see target_pid.
int target_open_pid(pid_t pid, struct target **ret, struct err *err);
void target_close(struct target *t); // NULL-safe

pid_t target_pid(const struct target *t); // the thread-group id
// Clock ticks since boot; with the pid it names the process for good.
uint64_t target_start_time(const struct target *t);
// Path of the executable as the target sees it, " (deleted)" removed; never NULL.
const char *target_executable(const struct target *t);
// Appends the arguments joined by blanks (the target's bytes, unescaped; at most 128 KiB). Returns
// 0 or -errno.
int target_cmdline(const struct target *t, struct buf *b);
// The tracer's pid and command name (unescaped) when another tool traces the target; 0 when none.
pid_t target_tracer(const struct target *t, char *name, size_t size);
// False once the process has ended (also a zombie), or called execve, or its pid is reused; true
// proves that every read before this call was of the program that target_open_pid found. Hot reads
// go by pid and would read a new program without a word: call this once after the reads of each
// tick (it costs about as much as one read) and before anything they yielded is counted.
bool target_alive(struct target *t);

struct mem *target_mem(struct target *t); // owned by the target
// The mappings as of the last target_refresh_maps (the first is done by open), which makes
// pointers to older entries invalid.
const struct maps *target_maps(const struct target *t);
int target_refresh_maps(struct target *t, struct err *err);

// Appends the ids of all live OS threads to *tids (array of pid_t, capacity in *cap); returns
// their number or -errno (-PA_EGONE).
long target_tasks(struct target *t, pid_t **tids, size_t *cap);
// The last number of NSpid of a thread (its id inside its own pid namespace); tid itself where
// the kernel does not tell.
pid_t target_inner_tid(struct target *t, pid_t tid);

// The one function that opens files of the target, read-only, close-on-exec. A regular file only
// for TARGET_FILE_MAPPED and TARGET_FILE_EXE.
enum target_file {
	TARGET_FILE_MEM,     // /proc/PID/mem
	TARGET_FILE_MAPS,    // /proc/PID/maps
	TARGET_FILE_CMDLINE, // /proc/PID/cmdline
	TARGET_FILE_STATUS,  // /proc/PID/task/TID/status; tid 0 = of the process
	TARGET_FILE_STAT,    // /proc/PID/task/TID/stat; tid 0 = /proc/PID/stat
	TARGET_FILE_TASKS,   // the folder /proc/PID/task
	TARGET_FILE_EXE,     // the executable's inode, also when deleted
	TARGET_FILE_MAPPED,  // the file behind a mapping: map_files, else below the target's root
};
// entry is for TARGET_FILE_MAPPED only; where neither map_files nor the inode proves which file it
// is, the caller compares the content (binary_open does). Returns a descriptor or -errno.
int target_open_file(struct target *t, enum target_file what, pid_t tid,
		     const struct map_entry *entry);

// One line of /proc/PID/task/TID/stat.
struct target_stat {
	char state; // R S D T t Z X I ...
	pid_t ppid;
	uint32_t flags;        // PF_* of the kernel
	uint64_t utime, stime; // clock ticks
	uint64_t start_time;   // clock ticks since boot
	int processor;         // CPU it last ran on
};
// Returns 0 or -EINVAL. The command name may hold anything, also blanks and parentheses.
int target_stat_parse(const char *text, size_t len, struct target_stat *ret);

#endif
