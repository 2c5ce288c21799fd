// SPDX-License-Identifier: MIT
// The file that a recording goes to: checked before the work begins, written at its end.
#include "cmd/outfile.h"

#include "cmd/invoker.h"
#include "util/cleanup.h"
#include "util/fs.h"
#include "util/parse.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define MAX_NAME_TRIES 1000
#define FOLDER_MODE    (O_PATH | O_DIRECTORY | O_CLOEXEC)

// One of: a stream (fd only), or an entry of a folder (folder and name; fd too when a file that
// may be written exists under that name).
struct outfile {
	enum outfile_mode mode;
	struct invoker who;
	bool stream;
	int fd;     // -1 = none
	int folder; // -1 = none
	char *name;
	char *path;      // for people
	mode_t old_mode; // permissions of the file that gives way, 0 = none or not ours
};

// What a signal handler has to remove; folder -1 = nothing.
static struct {
	volatile sig_atomic_t folder;
	char name[40];
} temporary = {.folder = -1};

void outfile_abort(void)
{
	if (temporary.folder >= 0)
		unlinkat(temporary.folder, temporary.name, 0);
}

void outfile_default_name(pid_t pid, time_t now, const char *suffix, struct buf *name)
{
	struct tm utc;
	char text[32] = "";
	if (gmtime_r(&now, &utc))
		strftime(text, sizeof(text), "%Y%m%dT%H%M%SZ", &utc);
	buf_printf(name, "pyattach-%d-%s%s", (int)pid, text, suffix);
}

static int fault(const char *path, int code, struct err *err)
{
	return err_set(err, -PA_EOUTPUT, "Cannot write %s: %s.", path, err_message(code));
}

// The same, where rights were lent, and so may be the cause.
static int fault_as(const struct outfile *f, int code, struct err *err)
{
	if (!f->who.other || (code != -EACCES && code != -EPERM))
		return fault(f->path, code, err);
	return err_set(
		err, -PA_EOUTPUT,
		"Cannot write %s as user %u, who called this: %s. Name a place of that user's "
		"with --output, or unset SUDO_UID to write as root.",
		f->path, f->who.uid, err_message(code));
}

// The descriptor that a path stands for, or -1. Opened anew through /dev/fd these would lose their
// position, and a terminal or pipe of another user could not be opened at all.
static int descriptor_of(const char *path)
{
	static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/"};
	if (!strcmp(path, "-") || !strcmp(path, "/dev/stdout"))
		return STDOUT_FILENO;
	if (!strcmp(path, "/dev/stderr"))
		return STDERR_FILENO;
	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		uint64_t fd;
		size_t len = strlen(folders[i]);
		if (!strncmp(path, folders[i], len) && parse_u64(path + len, &fd) == 0 &&
		    fd <= INT_MAX)
			return (int)fd;
	}
	return -1;
}

static int open_descriptor(struct outfile *f, int fd, struct err *err)
{
	free(f->path);
	f->path = NULL;
	const char *standard = fd == STDOUT_FILENO   ? "standard output"
			       : fd == STDERR_FILENO ? "standard error"
						     : NULL;
	if (standard ? !(f->path = strdup(standard)) : asprintf(&f->path, "/dev/fd/%d", fd) < 0) {
		f->path = NULL;
		return err_set(err, -ENOMEM, "Out of memory.");
	}
	int flags = fcntl(fd, F_GETFL);
	if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY)
		return fault(f->path, -EBADF, err);
	f->stream = true;
	f->fd = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	return f->fd < 0 ? fault(f->path, -errno, err) : 0;
}

// Opens for writing what an O_PATH descriptor stands for.
static int reopen(int fd, int flags)
{
	char self[32];
	snprintf(self, sizeof(self), "/proc/self/fd/%d", fd);
	int again = open(self, O_WRONLY | O_CLOEXEC | O_NOCTTY | flags);
	return again < 0 ? -errno : again;
}

// Something that is neither a regular file nor a link, in the place of the output.
static int open_special(struct outfile *f, int found, const struct stat *st, struct err *err)
{
	bool null = S_ISCHR(st->st_mode) && st->st_rdev == makedev(1, 3);
	if (S_ISDIR(st->st_mode))
		return fault(f->path, -EISDIR, err);
	if (geteuid() == 0 && !null)
		return err_set(err, -PA_EOUTPUT,
			       "Not writing to %s as root: it is no regular file. Use '-o -' and "
			       "redirect the output.",
			       f->path);
	f->stream = true;
	f->fd = reopen(found, 0); // waits for the reader of a FIFO
	return f->fd < 0 ? fault_as(f, f->fd, err) : 0;
}

static int open_link(struct outfile *f, struct err *err)
{
	if (geteuid() == 0)
		return err_set(err, -PA_EOUTPUT,
			       "Not writing to %s as root: it is a symbolic link. Name the file "
			       "itself, or remove the link.",
			       f->path);
	CLEANUP(cleanup_fd) int behind = openat(f->folder, f->name, O_PATH | O_CLOEXEC);
	struct stat st;
	if (behind < 0 || fstat(behind, &st) < 0)
		return fault(f->path, -errno, err);
	if (!S_ISREG(st.st_mode))
		return open_special(f, behind, &st, err);
	// The link stays, so the file behind it is written in its place.
	close(f->folder);
	f->folder = -1;
	f->fd = reopen(behind, 0);
	return f->fd < 0 ? fault(f->path, f->fd, err) : 0;
}

// What is there already under the name: nothing at all is fine.
static int look_at_existing(struct outfile *f, struct err *err)
{
	CLEANUP(cleanup_fd)
	int found = openat(f->folder, f->name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;
	if (found < 0 && errno == ENOENT)
		return 0;
	if (found < 0 || fstat(found, &st) < 0)
		return fault_as(f, -errno, err);
	if (S_ISLNK(st.st_mode))
		return open_link(f, err);
	if (!S_ISREG(st.st_mode))
		return open_special(f, found, &st, err);
	f->fd = reopen(found, 0);
	if (f->fd < 0)
		return fault_as(f, f->fd, err);
	if (st.st_uid == (f->who.other ? f->who.uid : geteuid()))
		f->old_mode = st.st_mode & 0777;
	return 0;
}

static void remove_temporary(const struct outfile *f)
{
	unlinkat(f->folder, temporary.name, 0);
	temporary.folder = -1;
}

// A new empty file beside the final one, known to outfile_abort. Returns a descriptor or -errno.
static int create_temporary(const struct outfile *f)
{
	for (;;) {
		uint64_t word;
		if (getrandom(&word, sizeof(word), 0) != sizeof(word))
			return -errno;
		snprintf(temporary.name, sizeof(temporary.name), ".pyattach-%016llx.tmp",
			 (unsigned long long)word);
		temporary.folder = f->folder;
		int fd = openat(f->folder, temporary.name,
				O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
		if (fd >= 0)
			return fd;
		temporary.folder = -1;
		if (errno != EEXIST)
			return -errno;
	}
}

// Errors that mean "not in this folder", after which an existing file can still be written itself.
static bool folder_refuses(int code)
{
	return code == -EACCES || code == -EPERM || code == -EROFS || code == -EBUSY;
}

static int probe_folder(struct outfile *f, struct err *err)
{
	CLEANUP(cleanup_fd) int fd = create_temporary(f);
	if (fd >= 0)
		remove_temporary(f);
	else if (f->fd < 0 || !folder_refuses(fd))
		return fault_as(f, fd, err);
	return 0;
}

// Replaces f->path, a path as given, by an absolute one as far as that can be told.
static int make_absolute(struct outfile *f)
{
	char self[32], folder[PATH_MAX];
	snprintf(self, sizeof(self), "/proc/self/fd/%d", f->folder);
	ssize_t n = readlink(self, folder, sizeof(folder) - 1);
	if (n <= 0 || folder[0] != '/')
		return 0;
	folder[n] = '\0';
	char *path;
	if (asprintf(&path, "%s/%s", n == 1 ? "" : folder, f->name) < 0)
		return -ENOMEM;
	free(f->path);
	f->path = path;
	return 0;
}

static int open_folder(struct outfile *f, const char *path, struct err *err)
{
	const char *slash = strrchr(path, '/');
	f->name = strdup(slash ? slash + 1 : path);
	CLEANUP(cleanup_free)
	char *folder =
		slash ? strndup(path, slash == path ? 1 : (size_t)(slash - path)) : strdup(".");
	if (!f->name || !folder)
		return err_set(err, -ENOMEM, "Out of memory.");
	if (!f->name[0] || !strcmp(f->name, ".") || !strcmp(f->name, ".."))
		return fault(path, -EISDIR, err);
	f->folder = open(folder, FOLDER_MODE);
	if (f->folder < 0 && (errno == ENOENT || errno == ENOTDIR))
		return err_set(err, -PA_EOUTPUT, "Cannot write %s: there is no folder %s.", path,
			       folder);
	if (f->folder < 0)
		return fault_as(f, -errno, err);
	return make_absolute(f) < 0 ? err_set(err, -ENOMEM, "Out of memory.") : 0;
}

static int open_path(struct outfile *f, const char *path, struct err *err)
{
	f->who = invoker_find();
	CLEANUP(invoker_leave) struct invoker_scope scope;
	int rc = invoker_enter(&f->who, &scope, err);
	if (rc < 0)
		return rc;
	rc = open_folder(f, path, err);
	if (rc == 0 && f->mode == OUTFILE_REPLACE)
		rc = look_at_existing(f, err);
	if (rc == 0 && !f->stream && f->folder >= 0)
		rc = probe_folder(f, err);
	return rc;
}

int outfile_open(const char *path, enum outfile_mode mode, struct outfile **ret, struct err *err)
{
	CLEANUP(cleanup_outfile) struct outfile *f = calloc(1, sizeof(*f));
	if (!f)
		return err_set(err, -ENOMEM, "Out of memory.");
	*f = (struct outfile){.mode = mode, .fd = -1, .folder = -1, .path = strdup(path)};
	if (!f->path)
		return err_set(err, -ENOMEM, "Out of memory.");
	int known = descriptor_of(path);
	int rc = known >= 0 ? open_descriptor(f, known, err) : open_path(f, path, err);
	if (rc < 0)
		return rc;
	*ret = TAKE(f);
	return 0;
}

// Gives the temporary file its final name, never taking one that exists.
static int rename_new(struct outfile *f)
{
	const char *dot = strrchr(f->name, '.');
	int stem = dot ? (int)(dot - f->name) : (int)strlen(f->name);
	int rc = -EEXIST;
	for (int i = 0; i < MAX_NAME_TRIES && rc == -EEXIST; i++) {
		CLEANUP(cleanup_free) char *name = NULL;
		if ((i ? asprintf(&name, "%.*s-%d%s", stem, f->name, i, dot ? dot : "")
		       : asprintf(&name, "%s", f->name)) < 0)
			return -ENOMEM;
		rc = renameat2(f->folder, temporary.name, f->folder, name, RENAME_NOREPLACE);
		if (rc < 0 && errno == EINVAL) { // a file system that can't; links can't replace
			rc = linkat(f->folder, temporary.name, f->folder, name, 0);
			if (rc == 0)
				unlinkat(f->folder, temporary.name, 0);
		}
		if (rc < 0) {
			rc = -errno;
			continue;
		}
		free(f->name);
		f->name = TAKE(name);
	}
	return rc < 0 ? rc : make_absolute(f);
}

static int fill_temporary(const struct outfile *f, int fd, const void *data, size_t len)
{
	if (f->old_mode && fchmod(fd, f->old_mode) < 0)
		return -errno;
	int rc = fs_write_all(fd, data, len);
	if (rc < 0)
		return rc;
	// Some file systems tell only now that there is no room.
	return fsync(fd) < 0 && errno != EINVAL && errno != EROFS ? -errno : 0;
}

// Returns 0 or -errno; *ret_refused: it was the folder's fault, nothing has been written.
static int commit_beside(struct outfile *f, const void *data, size_t len, bool *ret_refused)
{
	CLEANUP(cleanup_fd) int fd = create_temporary(f);
	if (fd < 0) {
		*ret_refused = folder_refuses(fd);
		return fd;
	}
	int rc = fill_temporary(f, fd, data, len);
	if (rc == 0 && f->mode == OUTFILE_NEW) {
		rc = rename_new(f);
	} else if (rc == 0 && renameat(f->folder, temporary.name, f->folder, f->name) < 0) {
		rc = -errno;
		*ret_refused = folder_refuses(rc);
	}
	if (rc < 0)
		remove_temporary(f);
	temporary.folder = -1;
	return rc;
}

static int commit_in_place(const struct outfile *f, const void *data, size_t len)
{
	if (ftruncate(f->fd, 0) < 0)
		return -errno;
	return fs_write_all(f->fd, data, len);
}

int outfile_commit(struct outfile *f, const void *data, size_t len, struct err *err)
{
	if (f->stream) {
		int rc = fs_write_all(f->fd, data, len);
		return rc == -EPIPE ? rc : rc < 0 ? fault(f->path, rc, err) : 0;
	}
	CLEANUP(invoker_leave) struct invoker_scope scope;
	int rc = invoker_enter(&f->who, &scope, err);
	if (rc < 0)
		return rc;
	bool refused = f->folder < 0;
	if (!refused)
		rc = commit_beside(f, data, len, &refused);
	if (refused && f->fd >= 0)
		rc = commit_in_place(f, data, len);
	return rc < 0 ? fault_as(f, rc, err) : 0;
}

const char *outfile_path(const struct outfile *f)
{
	return f->path;
}

void outfile_close(struct outfile *f)
{
	if (!f)
		return;
	cleanup_fd(&f->fd);
	cleanup_fd(&f->folder);
	free(f->name);
	free(f->path);
	free(f);
}
