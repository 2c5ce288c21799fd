// SPDX-License-Identifier: MIT
// Who may read whom, tried with processes that have given their rights away.
#include "child.h"
#include "unit.h"

#include "target/target.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <sys/stat.h>
#include <sys/syscall.h>

static const char marker[] = "a text of the test program";

// A process as uid and gid of nobody that keeps one capability, or none (-1).
static bool become_nobody(int cap)
{
	struct __user_cap_header_struct head = {_LINUX_CAPABILITY_VERSION_3, 0};
	struct __user_cap_data_struct data[2] = {0};
	if (prctl(PR_SET_KEEPCAPS, 1) || setresgid(65534, 65534, 65534) ||
	    setresuid(65534, 65534, 65534))
		return false;
	if (cap >= 0)
		data[0].effective = data[0].permitted = 1u << cap;
	return !syscall(SYS_capset, &head, data) && !prctl(PR_SET_DUMPABLE, 1);
}

static bool drop_capability(int cap)
{
	struct __user_cap_header_struct head = {_LINUX_CAPABILITY_VERSION_3, 0};
	struct __user_cap_data_struct data[2];
	if (syscall(SYS_capget, &head, data))
		return false;
	data[0].effective &= ~(1u << cap);
	data[0].permitted &= ~(1u << cap);
	return !syscall(SYS_capset, &head, data);
}

// Opening pid is refused with a sentence that has the words and not the others.
static int is_denied(pid_t pid, const char *words, const char *not_words)
{
	struct target *t = NULL;
	struct err err = {0};
	int r = target_open_pid(pid, &t, &err);
	if (r != -PA_EDENIED || !strstr(err.text, words) || strstr(err.text, not_words))
		fprintf(stderr, "# %d: %s\n", r, err.text);
	CHECK(r == -PA_EDENIED);
	CHECK(err_exit_code(r) == PA_EXIT_PERMISSION);
	CHECK(strstr(err.text, words));
	CHECK(!strstr(err.text, not_words));
	return 0;
}

static int nobody_opens_root(void *arg)
{
	CHECK(become_nobody(-1));
	return is_denied(*(pid_t *)arg,
			 "EACCES (Permission denied): the process belongs to uid 0 and pyattach "
			 "runs as uid 65534; run `sudo pyattach ...`",
			 "docker");
}

static int root_lacks_the_capability(void *arg)
{
	CHECK(drop_capability(CAP_SYS_PTRACE));
	return is_denied(*(pid_t *)arg, "docker run --cap-add=SYS_PTRACE", "sudo");
}

static int nobody_opens_undumpable(void *arg)
{
	CHECK(become_nobody(-1));
	return is_denied(*(pid_t *)arg, "not dumpable", "docker");
}

// CAP_SYS_PTRACE does not open the mem of another user, but process_vm_readv works.
static int only_ptrace(void *arg)
{
	pid_t pid = *(pid_t *)arg;
	struct target *t = NULL;
	char text[sizeof(marker)] = "", path[64];
	CHECK(become_nobody(CAP_SYS_PTRACE));
	snprintf(path, sizeof(path), "/proc/%d/mem", pid);
	CHECK(open(path, O_RDONLY) < 0 && errno == EACCES);
	CHECK(!target_open_pid(pid, &t, NULL));
	CHECK(!mem_read(target_mem(t), (uintptr_t)marker, text, sizeof(text)));
	CHECK(!strcmp(text, marker));
	struct mem_vec vec = {text, (uintptr_t)marker, sizeof(text)};
	CHECK(mem_read_hot(target_mem(t), &vec, 1) == 1);
	CHECK(mem_read(target_mem(t), 8, text, 1) == -EFAULT);
	CHECK(target_alive(t));
	kill(pid, SIGKILL); // not permitted: it must live on
	CHECK(target_alive(t));
	target_close(t);
	return 0;
}

static void rest_as_nobody(const struct line *line, void *arg)
{
	bool *dumpable = arg;
	if (!become_nobody(-1) || prctl(PR_SET_DUMPABLE, *dumpable))
		_exit(4);
	child_rest(line, NULL);
}

// The rights to give away are root's. Without them there is one refusal to be had.
static bool as_root(void)
{
	struct stat st;
	struct err err = {0};
	struct target *t = NULL;
	if (!geteuid())
		return true;
	if (!stat("/proc/1", &st) && st.st_uid != geteuid()) {
		assert_int_equal(target_open_pid(1, &t, &err), -PA_EDENIED);
		assert_non_null(strstr(err.text, "run `sudo pyattach ...`"));
	}
	return false;
}

static void of_another_user(void **state)
{
	(void)state;
	if (!as_root())
		return;
	bool dumpable = true;
	struct child root = child_start(child_rest, NULL);
	child_hear(&root);
	struct child nobody = child_start(rest_as_nobody, &dumpable);
	child_hear(&nobody);
	assert_int_equal(run_apart(nobody_opens_root, &root.pid), 0);
	assert_int_equal(run_apart(root_lacks_the_capability, &nobody.pid), 0);
	child_end(&root);
	child_end(&nobody);
}

static void not_dumpable(void **state)
{
	(void)state;
	if (!as_root())
		return;
	bool dumpable = false;
	struct child secret = child_start(rest_as_nobody, &dumpable);
	child_hear(&secret);
	assert_int_equal(run_apart(nobody_opens_undumpable, &secret.pid), 0);
	struct target *t = NULL;
	char text[sizeof(marker)];
	assert_int_equal(target_open_pid(secret.pid, &t, NULL), 0);
	assert_int_equal(mem_read(target_mem(t), (uintptr_t)marker, text, sizeof(text)), 0);
	assert_string_equal(text, marker);
	target_close(t);
	child_end(&secret);
}

static void with_one_capability(void **state)
{
	(void)state;
	if (!as_root())
		return;
	struct child root = child_start(child_rest, NULL);
	child_hear(&root);
	assert_int_equal(run_apart(only_ptrace, &root.pid), 0);
	child_end(&root);
}

int main(void)
{
	alarm(100);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_another_user),
		cmocka_unit_test(not_dumpable),
		cmocka_unit_test(with_one_capability),
	};
	return unit_run("rights", tests);
}
