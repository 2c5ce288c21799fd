// SPDX-License-Identifier: MIT
// Where a recording goes: nothing before the end, all of it or nothing at the end.
#include "unit.h"

#include "cmd/outfile.h"
#include "util/cleanup.h"
#include "util/fs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOBODY 65534

static char folder[] = "/tmp/pyattach-outfile.XXXXXX";

static const char *in_folder(const char *name)
{
	static char paths[4][256];
	static size_t next;
	char *path = paths[next++ % ROWS(paths)];
	snprintf(path, sizeof(paths[0]), "%s/%s", folder, name);
	return path;
}

static void put(const char *path, const char *text, mode_t mode)
{
	CLEANUP(cleanup_fd) int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(fs_write_all(fd, text, strlen(text)), 0);
	assert_int_equal(fchmod(fd, mode), 0);
}

static void assert_content(const char *path, const char *text)
{
	CLEANUP(buf_release) struct buf b = {0};
	assert_int_equal(fs_read_file(path, 1 << 20, &b), 0);
	assert_string_equal(buf_text(&b), text);
}

static size_t count_entries(void)
{
	size_t n = 0;
	DIR *dir = opendir(folder);
	assert_non_null(dir);
	for (struct dirent *e; (e = readdir(dir));)
		n += strcmp(e->d_name, ".") && strcmp(e->d_name, "..");
	closedir(dir);
	return n;
}

static int make_folder(void **state)
{
	(void)state;
	memcpy(folder + sizeof(folder) - 7, "XXXXXX", 6);
	unsetenv("SUDO_UID");
	unsetenv("SUDO_GID");
	umask(022);
	return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
	(void)state;
	chmod(folder, 0700);
	DIR *dir = opendir(folder);
	for (struct dirent *e; dir && (e = readdir(dir));)
		unlinkat(dirfd(dir), e->d_name, 0);
	if (dir)
		closedir(dir);
	return rmdir(folder);
}

static struct outfile *must_open(const char *path, enum outfile_mode mode)
{
	struct outfile *f = NULL;
	struct err err = {0};
	if (outfile_open(path, mode, &f, &err) != 0)
		fail_msg("%s: %s", path, err.text);
	return f;
}

static void must_write(const char *path, enum outfile_mode mode, const char *text)
{
	CLEANUP(cleanup_outfile) struct outfile *f = must_open(path, mode);
	struct err err = {0};
	if (outfile_commit(f, text, strlen(text), &err) != 0)
		fail_msg("%s: %s", path, err.text);
}

static void assert_refused(const char *path, const char *part)
{
	struct outfile *f = NULL;
	struct err err = {0};
	assert_int_equal(outfile_open(path, OUTFILE_REPLACE, &f, &err), -PA_EOUTPUT);
	assert_int_equal(err.code, -PA_EOUTPUT);
	assert_null(f);
	if (!strstr(err.text, part) || !strstr(err.text, path))
		fail_msg("%s: %s", path, err.text);
}

// Runs the function as a user without any rights in a child; root would pass every check.
static void as_nobody(void (*function)(void))
{
	pid_t pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		if (geteuid() == 0 &&
		    (setgroups(0, NULL) < 0 || setgid(NOBODY) < 0 || setuid(NOBODY) < 0))
			_exit(99);
		function();
		_exit(0);
	}
	int status;
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

// In children cmocka's assertions would run the other tests on: these end the child instead.
#define CHECK(condition)                                                                           \
	do {                                                                                       \
		if (!(condition)) {                                                                \
			fprintf(stderr, "# %s:%d: %s\n", __FILE__, __LINE__, #condition);          \
			_exit(1);                                                                  \
		}                                                                                  \
	} while (0)

static int write_quietly(const char *path, const char *text)
{
	CLEANUP(cleanup_outfile) struct outfile *f = NULL;
	struct err err = {0};
	int rc = outfile_open(path, OUTFILE_REPLACE, &f, &err);
	return rc < 0 ? rc : outfile_commit(f, text, strlen(text), &err);
}

static void default_names(void **state)
{
	(void)state;
	CLEANUP(buf_release) struct buf b = {0};
	outfile_default_name(1234, 1787281200, ".svg", &b);
	assert_string_equal(buf_text(&b), "pyattach-1234-20260821T030000Z.svg");
	buf_clear(&b);
	outfile_default_name(1, 0, ".txt", &b);
	assert_string_equal(buf_text(&b), "pyattach-1-19700101T000000Z.txt");
}

static void nothing_until_commit(void **state)
{
	(void)state;
	CLEANUP(cleanup_outfile)
	struct outfile *f = must_open(in_folder("new.svg"), OUTFILE_REPLACE);
	assert_int_equal(count_entries(), 0);
	struct err err = {0};
	assert_int_equal(outfile_commit(f, "<svg/>\n", 7, &err), 0);
	assert_int_equal(count_entries(), 1);
	assert_content(in_folder("new.svg"), "<svg/>\n");
	assert_string_equal(outfile_path(f), in_folder("new.svg"));
	struct stat st;
	assert_int_equal(stat(in_folder("new.svg"), &st), 0);
	assert_int_equal(st.st_mode & 0777, 0644);
}

static void without_commit(void **state)
{
	(void)state;
	put(in_folder("old.svg"), "old", 0600);
	outfile_close(must_open(in_folder("new.svg"), OUTFILE_REPLACE));
	outfile_close(must_open(in_folder("old.svg"), OUTFILE_REPLACE));
	outfile_close(NULL);
	assert_int_equal(count_entries(), 1);
	assert_content(in_folder("old.svg"), "old");
}

static void replaced(void **state)
{
	(void)state;
	put(in_folder("x.svg"), "a longer old content", 0640);
	assert_int_equal(link(in_folder("x.svg"), in_folder("other-name")), 0);
	must_write(in_folder("x.svg"), OUTFILE_REPLACE, "new");
	assert_content(in_folder("x.svg"), "new");
	assert_content(in_folder("other-name"), "a longer old content");
	struct stat st;
	assert_int_equal(stat(in_folder("x.svg"), &st), 0);
	assert_int_equal(st.st_mode & 07777, 0640);
	assert_int_equal(count_entries(), 2);
}

static void default_name_is_taken(void **state)
{
	(void)state;
	put(in_folder("p.svg"), "first", 0600);
	assert_int_equal(symlink("nowhere", in_folder("p-1.svg")), 0);
	CLEANUP(cleanup_outfile) struct outfile *f = must_open(in_folder("p.svg"), OUTFILE_NEW);
	struct err err = {0};
	assert_int_equal(outfile_commit(f, "second", 6, &err), 0);
	assert_string_equal(outfile_path(f), in_folder("p-2.svg"));
	assert_content(in_folder("p.svg"), "first");
	assert_content(in_folder("p-2.svg"), "second");
	assert_int_equal(count_entries(), 3);
}

static void relative_paths(void **state)
{
	(void)state;
	CLEANUP(cleanup_fd) int before = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	assert_int_equal(chdir(folder), 0);
	CLEANUP(cleanup_outfile) struct outfile *f = must_open("r.svg", OUTFILE_REPLACE);
	CLEANUP(cleanup_outfile) struct outfile *g = must_open("./..//r.svg", OUTFILE_REPLACE);
	// The folder is held: where the program stands at the end does not matter.
	assert_int_equal(fchdir(before), 0);
	struct err err = {0};
	assert_int_equal(outfile_commit(f, "r", 1, &err), 0);
	assert_string_equal(outfile_path(f), in_folder("r.svg"));
	assert_string_equal(outfile_path(g), "/tmp/r.svg");
	assert_content(in_folder("r.svg"), "r");
}

static void bad_paths(void **state)
{
	(void)state;
	put(in_folder("file"), "", 0600);
	assert_refused(folder, "Is a directory");
	assert_refused(in_folder(""), "Is a directory");
	assert_refused(in_folder("."), "Is a directory");
	assert_refused(in_folder("no/x.svg"), "there is no folder");
	assert_refused(in_folder("file/x.svg"), "there is no folder");
	assert_refused("/proc/x.svg", "Cannot write");
	char name[300];
	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	char path[sizeof(folder) + sizeof(name) + 1];
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	assert_refused(path, "File name too long");
	assert_int_equal(count_entries(), 1);
}

static void unwritable_folder(void)
{
	CHECK(write_quietly(in_folder("new.svg"), "x") == -PA_EOUTPUT);
	CHECK(write_quietly(in_folder("mine.svg"), "new") == 0);
	CHECK(write_quietly(in_folder("read-only.svg"), "x") == -PA_EOUTPUT);
}

// A file that may be written in a folder that may not.
static void in_place(void **state)
{
	(void)state;
	put(in_folder("mine.svg"), "a longer old content", 0666);
	put(in_folder("read-only.svg"), "old", 0444);
	assert_int_equal(chmod(folder, 0555), 0);
	as_nobody(unwritable_folder);
	assert_content(in_folder("mine.svg"), "new");
	assert_content(in_folder("read-only.svg"), "old");
	assert_int_equal(count_entries(), 2);
}

static void follow_link(void)
{
	CHECK(write_quietly(in_folder("link.svg"), "new") == 0);
	CHECK(write_quietly(in_folder("dangling.svg"), "new") == -PA_EOUTPUT);
}

static void links(void **state)
{
	(void)state;
	put(in_folder("behind.svg"), "a longer old content", 0666);
	assert_int_equal(symlink("behind.svg", in_folder("link.svg")), 0);
	assert_int_equal(symlink("nowhere", in_folder("dangling.svg")), 0);
	if (geteuid() == 0) {
		assert_refused(in_folder("link.svg"), "symbolic link");
		assert_refused(in_folder("dangling.svg"), "symbolic link");
		assert_content(in_folder("behind.svg"), "a longer old content");
	}
	assert_int_equal(chmod(folder, 0755), 0);
	as_nobody(follow_link);
	assert_content(in_folder("behind.svg"), "new");
	struct stat st;
	assert_int_equal(lstat(in_folder("link.svg"), &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	assert_int_equal(count_entries(), 3);
}

static void write_fifo(void)
{
	CHECK(write_quietly(in_folder("fifo"), "through") == 0);
}

static void fifos(void **state)
{
	(void)state;
	assert_int_equal(mkfifo(in_folder("fifo"), 0600), 0);
	assert_int_equal(chmod(in_folder("fifo"), 0666), 0);
	assert_int_equal(chmod(folder, 0755), 0);
	if (geteuid() == 0)
		assert_refused(in_folder("fifo"), "no regular file");
	CLEANUP(cleanup_fd)
	int fd = open(in_folder("fifo"), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	assert_true(fd >= 0);
	as_nobody(write_fifo);
	char text[16] = "";
	assert_int_equal(read(fd, text, sizeof(text)), 7);
	assert_string_equal(text, "through");
}

static void devices(void **state)
{
	(void)state;
	must_write("/dev/null", OUTFILE_REPLACE, "gone");
	struct stat st;
	assert_int_equal(stat("/dev/null", &st), 0);
	assert_true(S_ISCHR(st.st_mode));
	if (geteuid() == 0)
		assert_refused("/dev/full", "no regular file");
}

// /dev/fd/N goes on where that descriptor stands, and truncates nothing.
static void descriptors(void **state)
{
	(void)state;
	CLEANUP(cleanup_fd)
	int fd = open(in_folder("log"), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(fs_write_all(fd, "before ", 7), 0);
	char path[32];
	snprintf(path, sizeof(path), "/dev/fd/%d", fd);
	must_write(path, OUTFILE_REPLACE, "after");
	assert_content(in_folder("log"), "before after");
	CLEANUP(cleanup_outfile) struct outfile *f = must_open("-", OUTFILE_REPLACE);
	assert_string_equal(outfile_path(f), "standard output");

	CLEANUP(cleanup_fd) int other = open(in_folder("log"), O_RDONLY | O_CLOEXEC);
	snprintf(path, sizeof(path), "/dev/fd/%d", other);
	assert_refused(path, "Bad file descriptor");
	assert_refused("/dev/fd/1000000", "Bad file descriptor");
}

static void broken_pipe(void **state)
{
	(void)state;
	int ends[2];
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	char path[32];
	snprintf(path, sizeof(path), "/proc/self/fd/%d", ends[1]);
	CLEANUP(cleanup_outfile) struct outfile *f = must_open(path, OUTFILE_REPLACE);
	close(ends[0]);
	struct err err = {0};
	signal(SIGPIPE, SIG_IGN);
	assert_int_equal(outfile_commit(f, "x", 1, &err), -EPIPE);
	assert_int_equal(err.code, 0);
	close(ends[1]);
}

static void give_up(int number)
{
	(void)number;
	outfile_abort();
	_exit(130);
}

// Writes more than the process may, with that handler for the signal that it gets. Returns how the
// child ended.
static int write_too_much(void (*on_limit)(int))
{
	static char big[1 << 16];
	pid_t pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		struct err err = {0};
		struct outfile *f = NULL;
		signal(SIGXFSZ, on_limit);
		if (setrlimit(RLIMIT_FSIZE, &(struct rlimit){4096, 4096}) < 0)
			_exit(99);
		CHECK(outfile_open(in_folder("old.svg"), OUTFILE_REPLACE, &f, &err) == 0);
		CHECK(outfile_commit(f, big, sizeof(big), &err) == -PA_EOUTPUT);
		CHECK(strstr(err.text, "File too large"));
		outfile_close(f);
		_exit(0);
	}
	int status;
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

// A full disk, as far as a process can have its own: the old file must survive.
static void no_room(void **state)
{
	(void)state;
	put(in_folder("old.svg"), "old", 0600);
	assert_int_equal(write_too_much(SIG_IGN), 0);
	assert_content(in_folder("old.svg"), "old");
	assert_int_equal(count_entries(), 1);
}

// A signal in the middle of writing, which ends the program.
static void given_up(void **state)
{
	(void)state;
	outfile_abort(); // nothing to remove yet
	put(in_folder("old.svg"), "old", 0600);
	assert_int_equal(write_too_much(give_up), 130);
	assert_content(in_folder("old.svg"), "old");
	assert_int_equal(count_entries(), 1);
}

#define T(function) cmocka_unit_test_setup_teardown(function, make_folder, remove_folder)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(default_names),
		T(nothing_until_commit),
		T(without_commit),
		T(replaced),
		T(default_name_is_taken),
		T(relative_paths),
		T(bad_paths),
		T(in_place),
		T(links),
		T(fifos),
		T(devices),
		T(descriptors),
		T(broken_pipe),
		T(no_room),
		T(given_up),
	};
	alarm(120); // a FIFO that is not refused would hang
	return unit_run("outfile", tests);
}
