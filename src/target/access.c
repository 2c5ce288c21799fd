// SPDX-License-Identifier: MIT
// Why the kernel refuses to let us read a process, and what mends it.
#include "target/access.h"

#include "util/cleanup.h"
#include "util/fs.h"
#include "util/parse.h"
#include "util/term.h"

#include <errno.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#define SUDO "run `sudo pyattach ...`"
#define CONTAINER                                                                                  \
	"start the container with `docker run --cap-add=SYS_PTRACE ...` or, in Kubernetes, use "   \
	"`kubectl debug -it POD --image=IMAGE --target=CONTAINER --profile=sysadmin`"

enum cause {
	CAUSE_NONE,
	CAUSE_UID,
	CAUSE_GID,
	CAUSE_NOT_DUMPABLE,
	CAUSE_YAMA,
	CAUSE_CAPS,
};

void access_errno_text(int code, char *text, size_t size)
{
	const char *name = strerrorname_np(-code);
	if (name)
		snprintf(text, size, "%s (%s)", name, err_message(code));
	else
		snprintf(text, size, "%s", err_message(code));
}

// The first of the kernel's rules that CAP_SYS_PTRACE would lift.
static enum cause find_cause(const struct access_facts *f)
{
	const struct status *st = &f->status;
	for (int i = 0; i < 3; i++)
		if (st->uid[i] != f->ours.uid[1])
			return CAUSE_UID;
	for (int i = 0; i < 3; i++)
		if (st->gid[i] != f->ours.gid[1])
			return CAUSE_GID;
	if (f->owner != st->uid[1])
		return CAUSE_NOT_DUMPABLE;
	if (f->yama == 1 || f->yama == 2)
		return CAUSE_YAMA;
	return st->cap_permitted & ~f->ours.cap_permitted ? CAUSE_CAPS : CAUSE_NONE;
}

// As a clause.
static void add_cause(const struct access_facts *f, enum cause cause, struct buf *b)
{
	const struct status *st = &f->status;
	uid_t uid = st->uid[1] != f->ours.uid[1] ? st->uid[1] : st->uid[2];
	switch (cause) {
	case CAUSE_UID:
		buf_printf(b, "the process belongs to uid %u and pyattach runs as uid %u",
			   uid != f->ours.uid[1] ? uid : st->uid[0], f->ours.uid[1]);
		break;
	case CAUSE_GID:
		buf_printf(b, "the process runs with gid %u and pyattach with gid %u", st->gid[1],
			   f->ours.gid[1]);
		break;
	case CAUSE_NOT_DUMPABLE:
		buf_str(b, "the process is not dumpable (it called prctl(PR_SET_DUMPABLE) or "
			   "gained privileges when it was started)");
		break;
	case CAUSE_YAMA:
		buf_printf(b, "kernel.yama.ptrace_scope is %d, which lets only %s read it", f->yama,
			   f->yama == 1 ? "the ancestors of a process"
					: "processes with CAP_SYS_PTRACE");
		break;
	case CAUSE_CAPS:
		buf_str(b, "the process holds capabilities that pyattach lacks");
		break;
	case CAUSE_NONE:
		break;
	}
}

// CAP_SYS_PTRACE is missing and would help.
static void explain_missing(const struct access_facts *f, enum cause cause, struct buf *b)
{
	if (!f->ours.uid[1]) {
		buf_str(b, "pyattach runs as root but lacks the capability CAP_SYS_PTRACE, which "
			   "it needs since ");
		add_cause(f, cause, b);
		buf_str(b, "; " CONTAINER);
		return;
	}
	add_cause(f, cause, b);
	buf_str(b, "; " SUDO);
	if (cause == CAUSE_YAMA && f->yama == 1)
		buf_str(b, " or, until the next restart, "
			   "`sudo sysctl kernel.yama.ptrace_scope=0`");
}

// CAP_SYS_PTRACE is there or would not help.
static void explain_other(const struct access_facts *f, struct buf *b)
{
	if (f->other_user_ns)
		buf_str(b, "the process belongs to a user namespace in which the capabilities of "
			   "pyattach do not count; on the host, outside of the container, " SUDO);
	else if (f->vectors_blocked)
		buf_str(b, "the system call process_vm_readv, which would do instead, is blocked "
			   "by a seccomp filter; start the container with `docker run "
			   "--security-opt seccomp=unconfined --cap-add=SYS_PTRACE ...`");
	else if (f->selinux)
		buf_str(b, "SELinux forbids it; run `sudo setsebool deny_ptrace 0`");
	else if (f->our_label[0])
		buf_printf(b,
			   "AppArmor confines pyattach (%s); start the container with `docker run "
			   "--security-opt apparmor=unconfined ...`",
			   f->our_label);
	else if (f->ours.uid[1])
		buf_str(b, "the kernel does not tell why; " SUDO);
	else
		buf_str(b, "the kernel does not tell why, as pyattach holds every right that it "
			   "needs; look for a security module's message with `dmesg`");
}

int access_explain(const struct access_facts *f, struct err *err)
{
	CLEANUP(buf_release) struct buf b = {0};
	bool capable = f->ours.cap_effective >> CAP_SYS_PTRACE & 1;
	enum cause cause = f->hidden || capable ? CAUSE_NONE : find_cause(f);
	if (f->yama == 3)
		buf_str(&b, "kernel.yama.ptrace_scope is 3, which lets no process read another and "
			    "stays until the next restart; find where it is set with `grep -r "
			    "ptrace_scope /etc/sysctl.d`, remove it and restart the machine");
	else if (f->hidden)
		buf_printf(&b,
			   "/proc is mounted with hidepid, which hides the processes of others; %s",
			   f->ours.uid[1] ? SUDO : CONTAINER);
	else if (cause != CAUSE_NONE)
		explain_missing(f, cause, &b);
	else
		explain_other(f, &b);
	char what[64];
	access_errno_text(f->refusal, what, sizeof(what));
	return err_set(err, -PA_EDENIED, "Cannot read process %d: %s failed with %s: %s.", f->pid,
		       f->tried, what, buf_text(&b));
}

// The first line of a small file of our own; "" when it cannot be read.
static void read_line(const char *path, char *line, size_t size)
{
	CLEANUP(buf_release) struct buf text = {0}, shown = {0};
	line[0] = '\0';
	if (fs_read_file(path, 4096, &text))
		return;
	term_escape(&shown, buf_text(&text), strcspn(buf_text(&text), "\n"));
	snprintf(line, size, "%s", buf_text(&shown));
}

static int read_number(const char *path)
{
	char line[32];
	uint64_t value;
	read_line(path, line, sizeof(line));
	return parse_u64(line, &value) || value > 99 ? 0 : (int)value;
}

static bool are_vectors_blocked(void)
{
	char from = 0, to;
	struct iovec local = {&to, 1}, remote = {&from, 1};
	return process_vm_readv(getpid(), &local, 1, &remote, 1, 0) < 0;
}

// In the first user namespace every id stands for itself.
static bool is_inner_user_ns(void)
{
	CLEANUP(buf_release) struct buf map = {0};
	unsigned first, outer, count;
	if (fs_read_file("/proc/self/uid_map", 65536, &map) ||
	    sscanf(buf_text(&map), "%u %u %u", &first, &outer, &count) != 3)
		return false;
	return first || outer || count != UINT32_MAX;
}

static bool is_other_user_ns(const struct proc *p)
{
	char ours[64] = "", theirs[64] = "";
	ssize_t n = readlink("/proc/self/ns/user", ours, sizeof(ours) - 1);
	ssize_t m = readlinkat(p->via_dir, "ns/user", theirs, sizeof(theirs) - 1);
	// Whoever has the capability in the namespace of the process can read its link.
	if (m <= 0)
		return is_inner_user_ns();
	return n > 0 && strcmp(ours, theirs);
}

bool access_exists(pid_t pid)
{
	return !kill(pid, 0) || errno == EPERM;
}

// Returns 0, or -PA_EGONE when the process has ended.
static int collect(const struct proc *p, struct access_facts *f)
{
	CLEANUP(buf_release) struct buf ours = {0};
	if (!fs_read_file("/proc/self/status", 65536, &ours))
		status_parse(buf_text(&ours), ours.len, &f->ours);
	read_line("/proc/self/attr/current", f->our_label, sizeof(f->our_label));
	if (!strcmp(f->our_label, "unconfined"))
		f->our_label[0] = '\0';
	f->yama = read_number("/proc/sys/kernel/yama/ptrace_scope");
	f->selinux = read_number("/sys/fs/selinux/enforce") == 1;
	f->vectors_blocked = are_vectors_blocked();
	f->other_user_ns = is_other_user_ns(p);
	f->hidden = proc_status(p, 0, &f->status) || proc_owner(p, &f->owner);
	return access_exists(p->pid) ? 0 : -PA_EGONE;
}

int access_refused(const struct proc *p, const char *tried, const char *file, int refusal,
		   struct err *err)
{
	struct access_facts f = {.pid = p->pid, .refusal = refusal};
	snprintf(f.tried, sizeof(f.tried), "%s /proc/%d/%s", tried, p->via, file);
	if (collect(p, &f))
		return err_set(err, -PA_EGONE, "Process %d ended while it was being opened.",
			       p->pid);
	return access_explain(&f, err);
}
