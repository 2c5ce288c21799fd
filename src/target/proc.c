// SPDX-License-Identifier: MIT
// The folder of one process in /proc, held open: paths below it never reach a reused pid.
#include "target/proc.h"

#include "util/array.h"
#include "util/cleanup.h"
#include "util/fs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>

#define STATUS_MAX 65536 // bytes; the lists of groups and NUMA nodes can make it long

static int open_folder(pid_t pid)
{
	char path[32];
	snprintf(path, sizeof(path), "/proc/%d", pid);
	int fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

int proc_init(struct proc *p, pid_t pid)
{
	*p = (struct proc){.pid = pid, .via = pid, .dir = -1, .via_dir = -1};
	int fd = open_folder(pid);
	if (fd < 0)
		return fd;
	p->dir = fd;
	p->via_dir = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	return p->via_dir < 0 ? -errno : 0;
}

void proc_release(struct proc *p)
{
	cleanup_fd(&p->dir);
	cleanup_fd(&p->via_dir);
	p->dir = p->via_dir = -1;
}

static int open_at(int dir, const char *name, int flags)
{
	int fd = openat(dir, name, flags | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

// Opens for reading what an O_PATH descriptor stands for, if it is a regular file: opening a
// device or a fifo has effects. Consumes path_fd, which may be a -errno.
static int reopen_regular(int path_fd)
{
	if (path_fd < 0)
		return path_fd;
	CLEANUP(cleanup_fd) int fd = path_fd;
	struct stat st;
	if (fstat(fd, &st))
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -ENOEXEC;
	char name[40];
	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	return open_at(AT_FDCWD, name, O_RDONLY | O_NONBLOCK | O_NOCTTY);
}

// Whether a descriptor is of the very inode that the kernel says is mapped. On overlays and the
// like the numbers differ although the file is right.
static bool is_inode(int fd, const struct map_entry *entry)
{
	struct stat st;
	return !fstat(fd, &st) && st.st_ino == entry->inode &&
	       major(st.st_dev) == entry->dev_major && minor(st.st_dev) == entry->dev_minor;
}

static int keep_if_inode(int path_fd, const struct map_entry *entry)
{
	if (path_fd >= 0 && !is_inode(path_fd, entry)) {
		close(path_fd);
		return -ESTALE;
	}
	return path_fd;
}

// Needs CAP_CHECKPOINT_RESTORE or CAP_SYS_ADMIN. There is no such folder below task/.
static int open_map_file(const struct proc *p, const struct map_entry *entry)
{
	char name[64];
	snprintf(name, sizeof(name), "map_files/%lx-%lx", (unsigned long)entry->start,
		 (unsigned long)entry->end);
	return open_at(p->via_dir, name, O_PATH);
}

// The path of a mapping has no symbolic links; one that is there now was planted.
static int open_below_root(const struct proc *p, const struct map_entry *entry)
{
	CLEANUP(cleanup_fd) int root = open_at(p->via_dir, "root", O_PATH | O_DIRECTORY);
	if (root < 0)
		return root;
	struct open_how how = {.flags = O_PATH | O_CLOEXEC,
			       .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_SYMLINKS};
	long fd = syscall(SYS_openat2, root, entry->path, &how, sizeof(how));
	if (fd >= 0)
		return entry->deleted ? keep_if_inode((int)fd, entry) : (int)fd;
	if (errno != ENOSYS && errno != EPERM)
		return -errno;
	// A kernel before 5.6, or a filter that does not know the call: only a proven file will do.
	const char *relative = entry->path + strspn(entry->path, "/");
	return keep_if_inode(open_at(root, relative, O_PATH | O_NOFOLLOW), entry);
}

// The ways to the file behind a mapping, the surest first.
static int open_mapped(const struct proc *p, const struct map_entry *entry)
{
	if (!entry->path || entry->path[0] != '/')
		return -ENOENT;
	int fd = reopen_regular(open_map_file(p, entry));
	if (fd >= 0)
		return fd;
	int below = open_below_root(p, entry);
	if (below >= 0 && is_inode(below, entry))
		return reopen_regular(below);
	// The executable has an entry of its own, which also serves when it was deleted. In a
	// chroot the path is as we see it, not as the target does.
	fd = keep_if_inode(open_at(p->via_dir, "exe", O_PATH), entry);
	if (fd < 0)
		fd = keep_if_inode(open_at(AT_FDCWD, entry->path, O_PATH | O_NOFOLLOW), entry);
	if (fd < 0)
		return reopen_regular(below);
	if (below >= 0)
		close(below);
	return reopen_regular(fd);
}

static int open_of_task(const struct proc *p, pid_t tid, const char *name)
{
	char path[48];
	if (!tid)
		return open_at(p->dir, name, O_RDONLY);
	snprintf(path, sizeof(path), "task/%d/%s", tid, name);
	return open_at(p->dir, path, O_RDONLY);
}

int proc_open(const struct proc *p, enum target_file what, pid_t tid, const struct map_entry *entry)
{
	switch (what) {
	case TARGET_FILE_MEM:
		return open_at(p->via_dir, "mem", O_RDONLY);
	case TARGET_FILE_MAPS:
		return open_at(p->via_dir, "maps", O_RDONLY);
	case TARGET_FILE_CMDLINE:
		return open_at(p->via_dir, "cmdline", O_RDONLY);
	case TARGET_FILE_STATUS:
		return open_of_task(p, tid, "status");
	case TARGET_FILE_STAT:
		return open_of_task(p, tid, "stat");
	case TARGET_FILE_TASKS:
		return open_at(p->dir, "task", O_RDONLY | O_DIRECTORY);
	case TARGET_FILE_EXE:
		return reopen_regular(open_at(p->via_dir, "exe", O_PATH));
	case TARGET_FILE_MAPPED:
		return open_mapped(p, entry);
	}
	return -EINVAL;
}

static int read_text(const struct proc *p, enum target_file what, pid_t tid, struct buf *b)
{
	CLEANUP(cleanup_fd) int fd = proc_open(p, what, tid, NULL);
	if (fd < 0)
		return fd;
	return fs_read_all(fd, STATUS_MAX, b);
}

int proc_status(const struct proc *p, pid_t tid, struct status *ret)
{
	CLEANUP(buf_release) struct buf b = {0};
	int r = read_text(p, TARGET_FILE_STATUS, tid, &b);
	return r ? r : status_parse(buf_text(&b), b.len, ret);
}

int proc_stat(const struct proc *p, pid_t tid, struct target_stat *ret)
{
	CLEANUP(buf_release) struct buf b = {0};
	int r = read_text(p, TARGET_FILE_STAT, tid, &b);
	return r ? r : target_stat_parse(buf_text(&b), b.len, ret);
}

struct tid_list {
	pid_t **tids;
	size_t *cap;
	size_t n;
};

static int add_tids(const char *names, size_t len, struct tid_list *list)
{
	for (size_t at = 0; at < len;) {
		const struct dirent64 *d = (const void *)(names + at);
		at += d->d_reclen;
		char *end;
		unsigned long tid = strtoul(d->d_name, &end, 10);
		if (*end || !tid)
			continue;
		if (ARRAY_RESERVE(*list->tids, *list->cap, list->n + 1))
			return -ENOMEM;
		(*list->tids)[list->n++] = (pid_t)tid;
	}
	return 0;
}

long proc_tasks(int tasks_fd, pid_t **tids, size_t *cap)
{
	_Alignas(struct dirent64) char names[8192];
	struct tid_list list = {tids, cap, 0};
	if (lseek(tasks_fd, 0, SEEK_SET) < 0)
		return -errno;
	for (;;) {
		ssize_t len = getdents64(tasks_fd, names, sizeof(names));
		if (len < 0)
			return errno == ENOENT || errno == ESRCH ? -PA_EGONE : -errno;
		if (!len)
			return list.n ? (long)list.n : -PA_EGONE;
		int r = add_tids(names, (size_t)len, &list);
		if (r)
			return r;
	}
}

static bool is_live(const struct proc *p, pid_t tid)
{
	struct target_stat st;
	return !proc_stat(p, tid, &st) && st.state != 'Z' && st.state != 'X';
}

static int use_thread(struct proc *p, pid_t tid)
{
	CLEANUP(cleanup_fd) int fd = open_folder(tid);
	if (fd < 0)
		return fd;
	// Checked after the folder was opened: from here on the number cannot name another.
	if (!is_live(p, tid))
		return -ESRCH;
	close(p->via_dir);
	p->via_dir = fd;
	p->via = tid;
	fd = -1;
	return 0;
}

int proc_find_live(struct proc *p)
{
	CLEANUP(cleanup_fd) int tasks = proc_open(p, TARGET_FILE_TASKS, 0, NULL);
	if (tasks < 0)
		return tasks == -ENOENT || tasks == -ESRCH ? -PA_EGONE : tasks;
	CLEANUP(cleanup_free) pid_t *tids = NULL;
	size_t cap = 0;
	long n = proc_tasks(tasks, &tids, &cap);
	if (n < 0)
		return (int)n;
	for (long i = 0; i < n; i++)
		if (is_live(p, tids[i]) && !use_thread(p, tids[i]))
			return 0;
	return -PA_EGONE;
}

long proc_exe(const struct proc *p, char *path, size_t size)
{
	ssize_t n = readlinkat(p->via_dir, "exe", path, size - 1);
	if (n < 0)
		return -errno;
	path[n] = '\0';
	return n;
}

int proc_owner(const struct proc *p, uid_t *ret)
{
	struct stat st;
	if (fstatat(p->dir, "mem", &st, 0))
		return -errno;
	*ret = st.st_uid;
	return 0;
}
