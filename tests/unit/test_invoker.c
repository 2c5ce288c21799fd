// SPDX-License-Identifier: MIT
// On whose behalf root acts, and with what rights files are then used.
#include "unit.h"

#include "cmd/invoker.h"
#include "util/cleanup.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define NOBODY 65534

static void set(const char *name, const char *value)
{
	if (value)
		setenv(name, value, 1);
	else
		unsetenv(name);
}

static void finding(void **state)
{
	(void)state;
	static const struct {
		const char *uid, *gid;
		bool other; // for root; anyone else acts for nobody but himself
		uid_t want_uid;
		gid_t want_gid;
	} cases[] = {
		{NULL, NULL, false, 0, 0},
		{"1000", NULL, false, 0, 0},
		{NULL, "1000", false, 0, 0},
		{"1000", "1001", true, 1000, 1001},
		{"0", "0", false, 0, 0},
		{"0", "1000", false, 0, 0},
		{"1000", "0", true, 1000, 0},
		{"4294967294", "4294967294", true, 4294967294u, 4294967294u},
		{"4294967295", "1000", false, 0, 0},
		{"1000", "4294967295", false, 0, 0},
		{"4294968296", "1000", false, 0, 0},
		{"18446744073709551616", "1000", false, 0, 0},
		{"", "", false, 0, 0},
		{"-1", "1000", false, 0, 0},
		{"+1000", "1000", false, 0, 0},
		{" 1000", "1000", false, 0, 0},
		{"1000 ", "1000", false, 0, 0},
		{"1000", "1000\n", false, 0, 0},
		{"0x3e8", "1000", false, 0, 0},
		{"root", "root", false, 0, 0},
	};
	for (size_t i = 0; i < ROWS(cases); i++) {
		set("SUDO_UID", cases[i].uid);
		set("SUDO_GID", cases[i].gid);
		struct invoker who = invoker_find();
		assert_int_equal(who.other, cases[i].other && geteuid() == 0);
		if (who.other) {
			assert_int_equal(who.uid, cases[i].want_uid);
			assert_int_equal(who.gid, cases[i].want_gid);
		}
	}
	set("SUDO_UID", NULL);
	set("SUDO_GID", NULL);
}

static void nobody_else(void **state)
{
	(void)state;
	struct invoker who = {0};
	struct invoker_scope scope;
	assert_int_equal(invoker_enter(&who, &scope, NULL), 0);
	assert_false(scope.entered);
	invoker_leave(&scope);
	invoker_leave(&scope);
}

static int make(const char *path)
{
	CLEANUP(cleanup_fd) int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	return fd < 0 ? -errno : 0;
}

// Only root can lend itself a user's rights; a user's own attempt must fail and change nothing.
static void rights(void **state)
{
	(void)state;
	char folder[] = "/tmp/pyattach-invoker.XXXXXX", path[64], closed[64];
	assert_non_null(mkdtemp(folder));
	assert_int_equal(chmod(folder, 0777), 0);
	snprintf(path, sizeof(path), "%s/file", folder);
	snprintf(closed, sizeof(closed), "%s/closed", folder);
	assert_int_equal(mkdir(closed, 0700), 0);
	gid_t before[64], after[64];
	int n = getgroups((int)ROWS(before), before);
	assert_true(n >= 0);

	struct invoker who = {true, NOBODY, NOBODY};
	struct invoker_scope scope;
	struct err err = {0};
	int rc = invoker_enter(&who, &scope, &err);
	if (geteuid() != 0) {
		assert_int_equal(rc, -PA_EOUTPUT);
		assert_int_equal(err.code, -PA_EOUTPUT);
	} else {
		assert_int_equal(rc, 0);
		assert_int_equal(make(path), 0);
		char inside[96];
		snprintf(inside, sizeof(inside), "%s/file", closed);
		assert_int_equal(make(inside), -EACCES);
		assert_int_equal(getgroups((int)ROWS(after), after), 1);
		assert_int_equal(after[0], NOBODY);
		errno = 1234;
		invoker_leave(&scope);
		assert_int_equal(errno, 1234);
		assert_int_equal(make(inside), 0);
		struct stat st;
		assert_int_equal(stat(path, &st), 0);
		assert_int_equal(st.st_uid, NOBODY);
		assert_int_equal(st.st_gid, NOBODY);
		assert_int_equal(stat(inside, &st), 0);
		assert_int_equal(st.st_uid, 0);
		assert_int_equal(unlink(path), 0);
		assert_int_equal(unlink(inside), 0);
	}
	assert_int_equal(getgroups((int)ROWS(after), after), n);
	assert_memory_equal(after, before, (size_t)n * sizeof(*after));
	assert_int_equal(rmdir(closed), 0);
	assert_int_equal(rmdir(folder), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finding),
		cmocka_unit_test(nobody_else),
		cmocka_unit_test(rights),
	};
	return unit_run("invoker", tests);
}
