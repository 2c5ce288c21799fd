// SPDX-License-Identifier: MIT
// Opening processes of every kind, their identity and end, their threads and files.
#include "child.h"
#include "unit.h"

#include "target/target.h"
#include "util/cleanup.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>

static const char marker[] = "a text of the test program";
static char *program; // path of this test

static struct target *open_target(pid_t pid)
{
	struct target *t = NULL;
	struct err err = {0};
	int r = target_open_pid(pid, &t, &err);
	if (r)
		print_error("%s\n", err.text);
	assert_int_equal(r, 0);
	return t;
}

// Opening must fail with the code, in one sentence that holds the words.
static void refuse(pid_t pid, int code, const char *words)
{
	struct target *t = NULL;
	struct err err = {0};
	assert_int_equal(target_open_pid(pid, &t, &err), code);
	assert_null(t);
	assert_int_equal(err.code, code);
	if (!strstr(err.text, words))
		fail_msg("\"%s\" is not in: %s", words, err.text);
	assert_null(strchr(err.text, '\n'));
	assert_int_equal(target_open_pid(pid, &t, NULL), code);
}

static void read_marker(struct target *t)
{
	char text[sizeof(marker)];
	assert_int_equal(mem_read(target_mem(t), (uintptr_t)marker, text, sizeof(text)), 0);
	assert_string_equal(text, marker);
	memset(text, 0, sizeof(text));
	struct mem_vec vec = {text, (uintptr_t)marker, sizeof(text)};
	assert_int_equal(mem_read_hot(target_mem(t), &vec, 1), 1);
	assert_string_equal(text, marker);
}

static void a_child(void **state)
{
	(void)state;
	struct child c = child_start(child_rest, NULL);
	child_hear(&c);
	struct target *t = open_target(c.pid);
	assert_int_equal(target_pid(t), c.pid);
	assert_true(target_start_time(t) > 0);
	assert_string_equal(target_executable(t), program);
	assert_true(target_alive(t));
	read_marker(t);
	const struct map_entry *e = maps_find(target_maps(t), (uintptr_t)marker);
	assert_non_null(e);
	assert_string_equal(e->path, program);
	CLEANUP(cleanup_free) pid_t *tids = NULL;
	size_t cap = 0;
	assert_int_equal(target_tasks(t, &tids, &cap), 1);
	assert_int_equal(tids[0], c.pid);
	assert_int_equal(target_inner_tid(t, c.pid), c.pid);
	char name[32] = "x";
	assert_int_equal(target_tracer(t, name, sizeof(name)), 0);
	assert_string_equal(name, "");
	assert_int_equal(target_refresh_maps(t, NULL), 0);
	read_marker(t);
	target_close(t);
	target_close(NULL);
	child_end(&c);
}

static void new_mapping(const struct line *line, void *arg)
{
	(void)arg;
	line_say(line, 0);
	line_wait(line);
	line_say(line, (long)malloc(64u << 20));
	line_wait(line);
}

static void mappings_are_refreshed(void **state)
{
	(void)state;
	struct child c = child_start(new_mapping, NULL);
	child_hear(&c);
	struct target *t = open_target(c.pid);
	child_tell(&c);
	uint64_t addr = (uint64_t)child_hear(&c);
	assert_false(maps_readable(target_maps(t), addr, 1));
	assert_int_equal(target_refresh_maps(t, NULL), 0);
	assert_true(maps_readable(target_maps(t), addr, 1));
	target_close(t);
	child_end(&c);
}

#define RESTING_IN  100 // descriptors that exec_resting leaves to its program
#define RESTING_OUT 101

static void exec_resting(const struct line *line, void *argv)
{
	dup2(line->in, RESTING_IN);
	dup2(line->out, RESTING_OUT);
	execv("/proc/self/exe", argv);
	_exit(3);
}

static void command_lines(void **state)
{
	(void)state;
	char big[5000];
	memset(big, 'b', sizeof(big) - 1);
	big[sizeof(big) - 1] = '\0';
	char *const argv[] = {"resting", "a b", "", "\n\xff", big, "", NULL};
	struct child c = child_start(exec_resting, (void *)argv);
	child_hear(&c);
	struct target *t = open_target(c.pid);
	CLEANUP(buf_release) struct buf text = {0}, want = {0};
	buf_printf(&want, "<resting a b  \n\xff %s", big);
	buf_str(&text, "<");
	assert_int_equal(target_cmdline(t, &text), 0);
	assert_string_equal(buf_text(&text), buf_text(&want));
	target_close(t);
	child_end(&c);
}

static void no_such_process(void **state)
{
	(void)state;
	struct child c = child_start(child_rest, NULL);
	child_end(&c);
	char words[64];
	snprintf(words, sizeof(words), "There is no process %d", c.pid);
	refuse(c.pid, -PA_ENOPROC, words);
	refuse(0, -PA_ENOPROC, "process 0");
	refuse(-5, -PA_ENOPROC, "process -5");
	refuse(0x7fffffff, -PA_ENOPROC, "process 2147483647");
}

static void ourselves(void **state)
{
	(void)state;
	refuse(getpid(), -PA_ENOTPYTHON, "is pyattach itself");
}

static void a_zombie(void **state)
{
	(void)state;
	struct child c = child_start(child_rest, NULL);
	child_hear(&c);
	struct target *t = open_target(c.pid);
	kill(c.pid, SIGKILL);
	siginfo_t info;
	assert_int_equal(waitid(P_PID, (id_t)c.pid, &info, WEXITED | WNOWAIT), 0);
	char words[64];
	snprintf(words, sizeof(words), "zombie that its parent, process %d (", getpid());
	refuse(c.pid, -PA_EGONE, words);
	assert_false(target_alive(t));
	assert_int_equal(target_refresh_maps(t, NULL), -PA_EGONE);
	child_end(&c);
	CLEANUP(cleanup_free) pid_t *tids = NULL;
	size_t cap = 0;
	assert_false(target_alive(t));
	assert_int_equal(target_tasks(t, &tids, &cap), -PA_EGONE);
	CLEANUP(buf_release) struct buf text = {0};
	assert_true(target_cmdline(t, &text) < 0);
	assert_int_equal(target_tracer(t, NULL, 0), 0);
	assert_true(target_open_file(t, TARGET_FILE_EXE, 0, NULL) < 0);
	target_close(t);
}

// Where there are kernel threads to be seen (not in a container).
static void a_kernel_thread(void **state)
{
	(void)state;
	char comm[32] = "";
	FILE *f = fopen("/proc/2/comm", "re");
	if (f && fgets(comm, sizeof(comm), f) && !strcmp(comm, "kthreadd\n"))
		refuse(2, -PA_ENOTPYTHON, "Process 2 (kthreadd) is a thread of the kernel");
	if (f)
		fclose(f);
}

static void *rest_in_thread(void *arg)
{
	line_say(arg, syscall(SYS_gettid));
	for (;;)
		line_wait(arg);
	return NULL;
}

static void two_threads(const struct line *line, void *arg)
{
	(void)arg;
	pthread_t thread;
	if (pthread_create(&thread, NULL, rest_in_thread, (void *)line))
		_exit(4);
	for (;;)
		pause();
}

static void a_thread_stands_for_its_process(void **state)
{
	(void)state;
	struct child c = child_start(two_threads, NULL);
	pid_t tid = (pid_t)child_hear(&c);
	assert_true(tid != c.pid);
	struct target *t = open_target(tid);
	assert_int_equal(target_pid(t), c.pid);
	CLEANUP(cleanup_free) pid_t *tids = NULL;
	size_t cap = 0;
	assert_int_equal(target_tasks(t, &tids, &cap), 2);
	assert_true(tids[0] == c.pid && tids[1] == tid);
	read_marker(t);
	target_close(t);
	child_end(&c);
}

// Says its own number, then, when told, ends the main thread and says so once it is a zombie.
static pthread_t main_thread;

static void *outlive_main(void *arg)
{
	line_say(arg, syscall(SYS_gettid));
	line_wait(arg);
	pthread_kill(main_thread, SIGUSR1);
	await_state(getpid(), getpid(), 'Z');
	line_say(arg, 0);
	for (;;)
		line_wait(arg);
	return NULL;
}

static void exit_main(int sig)
{
	(void)sig;
	syscall(SYS_exit, 0); // of this thread only
}

static void lose_main(const struct line *line, void *arg)
{
	(void)arg;
	pthread_t thread;
	main_thread = pthread_self();
	signal(SIGUSR1, exit_main);
	if (pthread_create(&thread, NULL, outlive_main, (void *)line))
		_exit(4);
	for (;;)
		pause();
}

static void check_without_leader(struct target *t, pid_t pid, pid_t tid)
{
	CLEANUP(cleanup_free) pid_t *tids = NULL;
	size_t cap = 0;
	assert_int_equal(target_pid(t), pid);
	assert_true(target_alive(t));
	read_marker(t);
	assert_int_equal(target_refresh_maps(t, NULL), 0);
	const struct map_entry *e = maps_find(target_maps(t), (uintptr_t)marker);
	assert_non_null(e);
	CLEANUP(cleanup_fd) int exe = target_open_file(t, TARGET_FILE_EXE, 0, NULL);
	CLEANUP(cleanup_fd) int mapped = target_open_file(t, TARGET_FILE_MAPPED, 0, e);
	CLEANUP(cleanup_fd) int mem = target_open_file(t, TARGET_FILE_MEM, 0, NULL);
	assert_true(exe >= 0 && mapped >= 0 && mem >= 0);
	assert_int_equal(target_tasks(t, &tids, &cap), 1);
	assert_int_equal(tids[0], tid);
	CLEANUP(buf_release) struct buf text = {0};
	assert_int_equal(target_cmdline(t, &text), 0);
	assert_non_null(strstr(buf_text(&text), program_invocation_short_name));
}

static void main_thread_had_exited(void **state)
{
	(void)state;
	struct child c = child_start(lose_main, NULL);
	pid_t tid = (pid_t)child_hear(&c);
	child_tell(&c);
	child_hear(&c);
	struct target *t = open_target(c.pid);
	assert_string_equal(target_executable(t), program);
	check_without_leader(t, c.pid, tid);
	child_end(&c);
	assert_false(target_alive(t));
	target_close(t);
}

static void main_thread_exits_later(void **state)
{
	(void)state;
	struct child c = child_start(lose_main, NULL);
	pid_t tid = (pid_t)child_hear(&c);
	struct target *t = open_target(c.pid);
	read_marker(t);
	child_tell(&c);
	child_hear(&c);
	check_without_leader(t, c.pid, tid);
	target_close(t);
	child_end(&c);
}

static void exec_self(const struct line *line, void *arg)
{
	char in[16], out[16];
	(void)arg;
	snprintf(in, sizeof(in), "%d", line->in);
	snprintf(out, sizeof(out), "%d", line->out);
	line_say(line, 0);
	line_wait(line);
	execl("/proc/self/exe", "speaking", in, out, (char *)NULL);
	_exit(3);
}

static void another_program(void **state)
{
	(void)state;
	struct child c = child_start(exec_self, NULL);
	child_hear(&c);
	struct target *t = open_target(c.pid);
	read_marker(t);
	child_tell(&c);
	child_hear(&c);
	char byte;
	assert_false(target_alive(t));
	assert_int_equal(mem_read(target_mem(t), (uintptr_t)marker, &byte, 1), -PA_EGONE);
	assert_int_equal(target_refresh_maps(t, NULL), -PA_EGONE);
	target_close(t);
	t = open_target(c.pid); // the new one can be opened as any other
	assert_true(target_alive(t));
	target_close(t);
	child_end(&c);
}

static void a_stopped_process(void **state)
{
	(void)state;
	struct child c = child_start(child_rest, NULL);
	child_hear(&c);
	kill(c.pid, SIGSTOP);
	await_state(c.pid, c.pid, 'T');
	struct target *t = open_target(c.pid);
	read_marker(t);
	target_close(t);
	assert_int_equal(state_letter(c.pid, c.pid), 'T');
	child_end(&c);
}

static void a_traced_process(void **state)
{
	(void)state;
	char name[32], ours[32] = "", small[3];
	prctl(PR_GET_NAME, ours);
	struct child c = child_start(child_rest, NULL);
	child_hear(&c);
	assert_int_equal(ptrace(PTRACE_SEIZE, c.pid, 0, 0), 0);
	struct target *t = open_target(c.pid);
	assert_int_equal(target_tracer(t, name, sizeof(name)), getpid());
	assert_string_equal(name, ours);
	assert_int_equal(target_tracer(t, small, sizeof(small)), getpid());
	assert_memory_equal(small, ours, 2);
	assert_int_equal(target_tracer(t, NULL, 0), getpid());
	read_marker(t);
	target_close(t);
	child_end(&c);
}

static void files(void **state)
{
	(void)state;
	struct child c = child_start(child_rest, NULL);
	child_hear(&c);
	struct target *t = open_target(c.pid);
	static const enum target_file all[] = {
		TARGET_FILE_MEM,  TARGET_FILE_MAPS,  TARGET_FILE_CMDLINE, TARGET_FILE_STATUS,
		TARGET_FILE_STAT, TARGET_FILE_TASKS, TARGET_FILE_EXE};
	for (size_t i = 0; i < ROWS(all); i++) {
		CLEANUP(cleanup_fd) int fd = target_open_file(t, all[i], 0, NULL);
		assert_true(fd >= 0);
		assert_int_equal(fcntl(fd, F_GETFL) & O_ACCMODE, O_RDONLY);
		assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
	}
	assert_int_equal(target_open_file(t, TARGET_FILE_STAT, getpid(), NULL), -ENOENT);
	assert_int_equal(target_open_file(t, (enum target_file)99, 0, NULL), -EINVAL);
	target_close(t);
	child_end(&c);
}

static struct map_entry entry_of(const char *path)
{
	struct stat st;
	assert_int_equal(stat(path, &st), 0);
	return (struct map_entry){
		.start = 0x1000,
		.end = 0x2000,
		.inode = st.st_ino,
		.dev_major = (uint32_t)(st.st_dev >> 8 & 0xfff),
		.dev_minor = (uint32_t)((st.st_dev & 0xff) | (st.st_dev >> 12 & 0xfff00)),
		.path = (char *)path};
}

// What lies at the path of a mapping may be anything by now.
static void mapped_files(void **state)
{
	(void)state;
	char folder[] = "/tmp/test_target.XXXXXX", file[64], link[64], fifo[64], other[64];
	assert_non_null(mkdtemp(folder));
	snprintf(file, sizeof(file), "%s/file", folder);
	snprintf(link, sizeof(link), "%s/link", folder);
	snprintf(fifo, sizeof(fifo), "%s/fifo", folder);
	snprintf(other, sizeof(other), "%s/other", folder);
	assert_int_equal(close(open(file, O_CREAT | O_WRONLY, 0600)), 0);
	assert_int_equal(close(open(other, O_CREAT | O_WRONLY, 0600)), 0);
	assert_int_equal(symlink(file, link), 0);
	assert_int_equal(mkfifo(fifo, 0600), 0);
	struct child c = child_start(child_rest, NULL);
	child_hear(&c);
	struct target *t = open_target(c.pid);
	struct map_entry e = entry_of(file);
	int fd = target_open_file(t, TARGET_FILE_MAPPED, 0, &e);
	assert_true(fd >= 0);
	close(fd);
	// Without the inode it may be the file all the same: the content decides.
	e.inode++;
	fd = target_open_file(t, TARGET_FILE_MAPPED, 0, &e);
	assert_true(fd >= 0);
	close(fd);
	// But not when the mapped one is known to be deleted.
	e.deleted = true;
	assert_true(target_open_file(t, TARGET_FILE_MAPPED, 0, &e) < 0);
	e.inode--;
	fd = target_open_file(t, TARGET_FILE_MAPPED, 0, &e);
	assert_true(fd >= 0);
	close(fd);
	e = entry_of(link);
	assert_true(target_open_file(t, TARGET_FILE_MAPPED, 0, &e) < 0);
	e = entry_of(fifo);
	assert_int_equal(target_open_file(t, TARGET_FILE_MAPPED, 0, &e), -ENOEXEC);
	e = entry_of("/dev/zero");
	assert_int_equal(target_open_file(t, TARGET_FILE_MAPPED, 0, &e), -ENOEXEC);
	e = entry_of(folder);
	assert_int_equal(target_open_file(t, TARGET_FILE_MAPPED, 0, &e), -ENOEXEC);
	e = entry_of(other);
	unlink(other);
	assert_int_equal(target_open_file(t, TARGET_FILE_MAPPED, 0, &e), -ENOENT);
	e.path = "[heap]";
	assert_int_equal(target_open_file(t, TARGET_FILE_MAPPED, 0, &e), -ENOENT);
	e.path = NULL;
	assert_int_equal(target_open_file(t, TARGET_FILE_MAPPED, 0, &e), -ENOENT);
	target_close(t);
	child_end(&c);
	unlink(file);
	unlink(link);
	unlink(fifo);
	rmdir(folder);
}

static void no_descriptor_is_left(void **state)
{
	(void)state;
	int before = dup(0);
	close(before);
	a_child(state);
	a_zombie(state);
	ourselves(state);
	mapped_files(state);
	main_thread_exits_later(state);
	int after = dup(0);
	close(after);
	assert_int_equal(before, after);
}

int main(int argc, char **argv)
{
	alarm(100);
	if (!strcmp(argv[0], "resting")) {
		struct line line = {RESTING_IN, RESTING_OUT};
		child_rest(&line, NULL);
	}
	if (!strcmp(argv[0], "speaking") && argc == 3) {
		struct line line = {atoi(argv[1]), atoi(argv[2])};
		child_rest(&line, NULL);
	}
	program = realpath("/proc/self/exe", NULL);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_child),
		cmocka_unit_test(mappings_are_refreshed),
		cmocka_unit_test(command_lines),
		cmocka_unit_test(no_such_process),
		cmocka_unit_test(ourselves),
		cmocka_unit_test(a_zombie),
		cmocka_unit_test(a_kernel_thread),
		cmocka_unit_test(a_thread_stands_for_its_process),
		cmocka_unit_test(main_thread_had_exited),
		cmocka_unit_test(main_thread_exits_later),
		cmocka_unit_test(another_program),
		cmocka_unit_test(a_stopped_process),
		cmocka_unit_test(a_traced_process),
		cmocka_unit_test(files),
		cmocka_unit_test(mapped_files),
		cmocka_unit_test(no_descriptor_is_left),
	};
	int failed = unit_run("target", tests);
	free(program);
	return failed;
}
