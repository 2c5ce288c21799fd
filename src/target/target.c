// SPDX-License-Identifier: MIT
// A process under inspection: identity, liveness, memory, mappings, threads, files.
#include "target/target.h"

#include "target/access.h"
#include "target/mem_live.h"
#include "target/proc.h"
#include "util/cleanup.h"
#include "util/fs.h"
#include "util/term.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PF_KTHREAD  0x00200000u // include/linux/sched.h
#define MAPS_MAX    (64u << 20) // bytes of text: the kernel's limit of 65530 mappings and long paths
#define CMDLINE_MAX (128u << 10)
#define PROBES      8

struct target {
	struct proc proc;
	uint64_t start_time;
	bool nested; // its threads have ids of their own in an inner pid namespace
	char *executable;
	int tasks_fd;
	int maps_fd; // stays bound to the program that was opened, as the one in mem does
	struct maps maps;
	struct mem *mem;
};

void target_close(struct target *t)
{
	if (!t)
		return;
	mem_close(t->mem);
	maps_release(&t->maps);
	cleanup_fd(&t->maps_fd);
	cleanup_fd(&t->tasks_fd);
	free(t->executable);
	proc_release(&t->proc);
	free(t);
}

static void target_cleanup(struct target **t)
{
	target_close(*t);
}

static int set_gone(pid_t pid, struct err *err)
{
	return err_set(err, -PA_EGONE, "Process %d ended while it was being opened.", pid);
}

// Why one of its files ("maps") could not be opened or read.
static int set_failed(const struct target *t, const char *tried, const char *file, int code,
		      struct err *err)
{
	char what[64];
	if (code == -EACCES || code == -EPERM)
		return access_refused(&t->proc, tried, file, code, err);
	if (code == -ENOENT || code == -ESRCH || code == -PA_EGONE)
		return set_gone(t->proc.pid, err);
	access_errno_text(code, what, sizeof(what));
	return err_set(err, code, "Cannot read process %d: %s /proc/%d/%s failed with %s.",
		       t->proc.pid, tried, t->proc.via, file, what);
}

// The command name of a process, escaped.
static void add_name(pid_t pid, struct buf *b)
{
	CLEANUP(buf_release) struct buf name = {0};
	char path[32];
	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	if (!fs_read_file(path, 256, &name))
		term_escape(b, buf_text(&name), strcspn(buf_text(&name), "\n"));
}

static int open_proc(struct target *t, pid_t pid, struct err *err)
{
	int r = proc_init(&t->proc, pid);
	if (!r)
		return 0;
	if (r != -ENOENT)
		return set_failed(t, "opening", "", r, err);
	if (access("/proc/self", F_OK))
		return err_set(err, -ENOENT,
			       "Cannot read process %d: /proc is not mounted here; "
			       "run `mount -t proc proc /proc`.",
			       pid);
	if (access_exists(pid))
		return access_refused(&t->proc, "opening", "", r, err);
	return err_set(err, -PA_ENOPROC, "There is no process %d.", pid);
}

// The name of any thread leads to its process.
static int open_leader(struct target *t, pid_t pid, struct status *st, struct err *err)
{
	int r = open_proc(t, pid, err);
	if (r)
		return r;
	r = proc_status(&t->proc, 0, st);
	if (!r && st->tgid != pid) {
		proc_release(&t->proc);
		pid = st->tgid;
		r = open_proc(t, pid, err);
		if (r)
			return r;
		r = proc_status(&t->proc, 0, st);
	}
	// The folder can be there and seem empty: that is hidepid too.
	if (r == -ENOENT && access_exists(pid))
		return access_refused(&t->proc, "opening", "status", r, err);
	return r ? set_failed(t, "reading", "status", r, err) : 0;
}

static int set_zombie(const struct status *st, struct err *err)
{
	CLEANUP(buf_release) struct buf name = {0}, parent = {0};
	term_escape(&name, st->name, strlen(st->name));
	add_name(st->ppid, &parent);
	return err_set(
		err, -PA_EGONE,
		"Process %d (%s) has ended: it is a zombie that its parent, process %d (%s), "
		"has not waited for.",
		st->tgid, buf_text(&name), st->ppid, buf_text(&parent));
}

// What the process is, before anything of it is touched.
static int check_kind(struct target *t, const struct status *st, struct err *err)
{
	struct target_stat stat;
	int r = proc_stat(&t->proc, 0, &stat);
	if (r)
		return set_failed(t, "reading", "stat", r, err);
	t->start_time = stat.start_time;
	t->nested = st->depth > 1;
	if (st->tgid == getpid())
		return err_set(err, -PA_ENOTPYTHON,
			       "Process %d is pyattach itself, which is not "
			       "Python; name the process to be inspected.",
			       st->tgid);
	if (stat.flags & PF_KTHREAD) {
		CLEANUP(buf_release) struct buf name = {0};
		term_escape(&name, st->name, strlen(st->name));
		return err_set(err, -PA_ENOTPYTHON,
			       "Process %d (%s) is a thread of the kernel and runs no program, so "
			       "there is no Python in it.",
			       st->tgid, buf_text(&name));
	}
	if (stat.state != 'Z' && stat.state != 'X')
		return 0;
	// The main thread may have exited before the others.
	r = proc_find_live(&t->proc);
	if (r == -PA_EGONE)
		return set_zombie(st, err);
	return r ? set_failed(t, "reading", "task", r, err) : 0;
}

static int read_executable(struct target *t)
{
	static const char mark[] = " (deleted)";
	char path[PATH_MAX + sizeof(mark)];
	long len = proc_exe(&t->proc, path, sizeof(path));
	if (len < 0)
		return (int)len;
	size_t mark_len = sizeof(mark) - 1;
	if ((size_t)len > mark_len && !strcmp(path + len - mark_len, mark))
		path[(size_t)len - mark_len] = '\0';
	t->executable = strdup(path);
	return t->executable ? 0 : -ENOMEM;
}

// Learns which ways to the memory are open, where something is mapped.
static int probe_memory(struct target *t)
{
	size_t tried = 0;
	for (size_t i = 0; i < t->maps.n && tried < PROBES; i++) {
		const struct map_entry *e = &t->maps.entries[i];
		if (!e->read)
			continue;
		int r = mem_live_probe(t->mem, e->start);
		if (r)
			return r;
		tried++;
	}
	return 0;
}

// The main thread can exit while others go on.
static pid_t find_live_thread(void *ctx)
{
	struct target *t = ctx;
	int r = proc_find_live(&t->proc);
	return r ? r : t->proc.via;
}

static int open_memory(struct target *t, struct err *err)
{
	int fd = proc_open(&t->proc, TARGET_FILE_MEM, 0, NULL);
	if (fd < 0 && fd != -EACCES && fd != -EPERM)
		return set_failed(t, "opening", "mem", fd, err);
	struct mem_live_thread thread = {t->proc.via, find_live_thread, t};
	int r = mem_live_new(&thread, fd, &t->mem);
	if (!r)
		r = probe_memory(t);
	if (r == -EACCES || r == -EPERM || r == -ENOSYS) {
		int file, vectors;
		mem_live_refusals(t->mem, &file, &vectors);
		return access_refused(&t->proc, fd < 0 ? "opening" : "reading", "mem", file, err);
	}
	return r ? set_failed(t, "reading", "mem", r, err) : 0;
}

static int open_rest(struct target *t, struct err *err)
{
	pid_t pid = t->proc.pid;
	t->maps_fd = proc_open(&t->proc, TARGET_FILE_MAPS, 0, NULL);
	if (t->maps_fd < 0)
		return set_failed(t, "opening", "maps", t->maps_fd, err);
	t->tasks_fd = proc_open(&t->proc, TARGET_FILE_TASKS, 0, NULL);
	if (t->tasks_fd < 0)
		return set_failed(t, "opening", "task", t->tasks_fd, err);
	int r = target_refresh_maps(t, err);
	if (r)
		return r;
	r = read_executable(t);
	if (r)
		return set_failed(t, "reading", "exe", r, err);
	r = open_memory(t, err);
	if (r)
		return r;
	// What was opened before and after an execve would not belong together.
	if (!target_alive(t))
		return err_set(err, -PA_EGONE,
			       "Process %d ended or started another program while "
			       "it was being opened.",
			       pid);
	return 0;
}

int target_open_pid(pid_t pid, struct target **ret, struct err *err)
{
	if (pid <= 0)
		return err_set(err, -PA_ENOPROC, "There is no process %d.", pid);
	CLEANUP(target_cleanup) struct target *t = calloc(1, sizeof(*t));
	if (!t)
		return err_set(err, -ENOMEM, "Cannot open process %d: out of memory.", pid);
	t->proc.dir = t->proc.via_dir = t->maps_fd = t->tasks_fd = -1;
	struct status st;
	int r = open_leader(t, pid, &st, err);
	if (!r)
		r = check_kind(t, &st, err);
	if (!r)
		r = open_rest(t, err);
	if (r)
		return r;
	*ret = TAKE(t);
	return 0;
}

pid_t target_pid(const struct target *t)
{
	return t->proc.pid;
}

uint64_t target_start_time(const struct target *t)
{
	return t->start_time;
}

const char *target_executable(const struct target *t)
{
	return t->executable;
}

int target_cmdline(const struct target *t, struct buf *b)
{
	CLEANUP(buf_release) struct buf raw = {0};
	CLEANUP(cleanup_fd) int fd = proc_open(&t->proc, TARGET_FILE_CMDLINE, 0, NULL);
	if (fd < 0)
		return fd;
	int r = fs_read_all(fd, CMDLINE_MAX, &raw);
	if (r && r != -EFBIG)
		return r;
	const char *text = buf_text(&raw);
	size_t len = raw.len;
	while (len && !text[len - 1])
		len--;
	for (size_t i = 0; i < len; i++)
		buf_char(b, text[i] ? text[i] : ' ');
	return b->failed;
}

pid_t target_tracer(const struct target *t, char *name, size_t size)
{
	struct status st;
	if (size)
		name[0] = '\0';
	if (proc_status(&t->proc, t->proc.via == t->proc.pid ? 0 : t->proc.via, &st) || !st.tracer)
		return 0;
	CLEANUP(buf_release) struct buf comm = {0};
	char path[32];
	snprintf(path, sizeof(path), "/proc/%d/comm", st.tracer);
	if (!fs_read_file(path, 256, &comm))
		snprintf(name, size, "%.*s", (int)strcspn(buf_text(&comm), "\n"), buf_text(&comm));
	return st.tracer;
}

bool target_alive(struct target *t)
{
	char byte;
	// One byte makes the kernel format one mapping. It yields none once the memory is gone.
	return pread(t->maps_fd, &byte, 1, 0) == 1;
}

struct mem *target_mem(struct target *t)
{
	return t->mem;
}

const struct maps *target_maps(const struct target *t)
{
	return &t->maps;
}

int target_refresh_maps(struct target *t, struct err *err)
{
	CLEANUP(buf_release) struct buf text = {0};
	pid_t pid = t->proc.pid;
	if (lseek(t->maps_fd, 0, SEEK_SET) < 0)
		return set_failed(t, "reading", "maps", -errno, err);
	int r = fs_read_all(t->maps_fd, MAPS_MAX, &text);
	if (!r && !text.len)
		return err_set(err, -PA_EGONE, "Process %d has ended.", pid);
	if (!r)
		r = maps_parse(&t->maps, buf_text(&text), text.len);
	return r ? set_failed(t, "reading", "maps", r, err) : 0;
}

long target_tasks(struct target *t, pid_t **tids, size_t *cap)
{
	long n = proc_tasks(t->tasks_fd, tids, cap);
	if (t->proc.via == t->proc.pid)
		return n;
	// The main thread is a zombie until the others have ended.
	long kept = 0;
	for (long i = 0; i < n; i++)
		if ((*tids)[i] != t->proc.pid)
			(*tids)[kept++] = (*tids)[i];
	return n < 0 ? n : kept ? kept : -PA_EGONE;
}

pid_t target_inner_tid(struct target *t, pid_t tid)
{
	struct status st;
	if (!t->nested || proc_status(&t->proc, tid, &st) || st.inner <= 0)
		return tid;
	return st.inner;
}

int target_open_file(struct target *t, enum target_file what, pid_t tid,
		     const struct map_entry *entry)
{
	int fd = proc_open(&t->proc, what, tid, entry);
	if (fd >= 0 || tid)
		return fd;
	struct target_stat st;
	if (!proc_stat(&t->proc, t->proc.via, &st) && st.state != 'Z' && st.state != 'X')
		return fd;
	return proc_find_live(&t->proc) ? fd : proc_open(&t->proc, what, tid, entry);
}
