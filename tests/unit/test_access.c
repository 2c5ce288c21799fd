// SPDX-License-Identifier: MIT
// Reading status and stat, and naming the one cause of a refusal.
#include "unit.h"

#include "target/access.h"
#include "util/cleanup.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void a_status(void **state)
{
	(void)state;
	static const char text[] = "Name:\tpy thon\\n: x\n"
				   "Umask:\t0022\n"
				   "State:\tS (sleeping)\n"
				   "Tgid:\t4711\n"
				   "Ngid:\t0\n"
				   "Pid:\t4712\n"
				   "PPid:\t1\n"
				   "TracerPid:\t77\n"
				   "Uid:\t1000\t1001\t1002\t1003\n"
				   "Gid:\t10\t11\t12\t13\n"
				   "FDSize:\t64\n"
				   "Groups:\t4 24 27 \n"
				   "NSpid:\t4712\t31\t2\n"
				   "CapPrm:\t000001fffeffffff\n"
				   "CapEff:\t0000000000080000\n"
				   "Seccomp:\t2\n"
				   "Seccomp_filters:\t1\n";
	struct status st;
	assert_int_equal(status_parse(text, sizeof(text) - 1, &st), 0);
	assert_string_equal(st.name, "py thon\\n: x");
	assert_int_equal(st.tgid, 4711);
	assert_int_equal(st.ppid, 1);
	assert_int_equal(st.tracer, 77);
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(st.uid[i], 1000 + i);
		assert_int_equal(st.gid[i], 10 + i);
	}
	assert_int_equal(st.inner, 2);
	assert_int_equal(st.depth, 3);
	assert_true(st.cap_permitted == 0x1fffeffffff);
	assert_true(st.cap_effective == 1u << CAP_SYS_PTRACE);
	assert_int_equal(st.seccomp, 2);
}

static void poor_statuses(void **state)
{
	(void)state;
	struct status st;
	char text[512];
	assert_int_equal(status_parse("", 0, &st), -EINVAL);
	assert_int_equal(status_parse("Tgid:", 5, &st), -EINVAL);
	assert_int_equal(status_parse("Tgid:\tx\n", 8, &st), -EINVAL);
	assert_int_equal(status_parse("tgid:\t7\n", 8, &st), -EINVAL);
	assert_int_equal(status_parse("Tgid:\t7", 7, &st), 0);
	assert_int_equal(st.tgid, 7);
	assert_int_equal(st.depth, 0);
	// A name that is too long is cut, and a command cannot forge a line.
	memset(text, 'n', sizeof(text));
	memcpy(text, "Tgid:\t7\nName:\t", 14);
	assert_int_equal(status_parse(text, sizeof(text), &st), 0);
	assert_int_equal(strlen(st.name), sizeof(st.name) - 1);
}

static void stats(void **state)
{
	(void)state;
	static const char tail[] = " 1 2 3 0 -1 4194304 5 6 7 8 111 222 9 10 20 0 1 0 987654321 "
				   "11 12 18446744073709551615 13 14 15 16 17 18 19 20 21 22 23 24 "
				   "17 5 25 26";
	static const char *const heads[] = {"7 (python3) S", "7 () S", "7 (a b) (c) R) S",
					    "7 (\n\xff) S", ") S"};
	for (size_t i = 0; i < ROWS(heads); i++) {
		char text[512];
		struct target_stat st;
		snprintf(text, sizeof(text), "%s%s", heads[i], tail);
		assert_int_equal(target_stat_parse(text, strlen(text), &st), 0);
		assert_int_equal(st.state, 'S');
		assert_int_equal(st.ppid, 1);
		assert_int_equal(st.flags, 4194304);
		assert_int_equal(st.utime, 111);
		assert_int_equal(st.stime, 222);
		assert_int_equal(st.start_time, 987654321);
		assert_int_equal(st.processor, 5);
	}
}

static void cut_stats(void **state)
{
	(void)state;
	static const char text[] = "7 (x) R 1 2 3 0 -1 4194304 5 6 7 8 111 222 9 10 20 0 1 0 99 11 "
				   "12 1 13 14 15 16 17 18 19 20 21 22 23 24 17 3";
	struct target_stat st;
	for (size_t len = 0; len < sizeof(text) - 1; len++) {
		CLEANUP(cleanup_free) char *copy = malloc(len ? len : 1);
		memcpy(copy, text, len);
		assert_int_equal(target_stat_parse(copy, len, &st), -EINVAL);
	}
	assert_int_equal(target_stat_parse(text, sizeof(text) - 1, &st), 0);
	assert_int_equal(st.processor, 3);
	assert_int_equal(target_stat_parse("no parenthesis", 14, &st), -EINVAL);
}

#define PTRACE_CAP (UINT64_C(1) << CAP_SYS_PTRACE)
#define ALL_CAPS   UINT64_C(0x1ffffffffff)

// The facts of a process that may be read; each case changes what it is about.
static struct access_facts plain(uid_t ours, uint64_t our_caps, uid_t theirs)
{
	struct access_facts f = {.pid = 7, .tried = "opening /proc/7/mem", .refusal = -EACCES};
	for (int i = 0; i < 3; i++) {
		f.ours.uid[i] = ours;
		f.status.uid[i] = theirs;
	}
	f.ours.cap_effective = f.ours.cap_permitted = our_caps;
	f.owner = theirs;
	return f;
}

static void check(const struct access_facts *f, const char *words, const char *not_words)
{
	struct err err = {0};
	assert_int_equal(access_explain(f, &err), -PA_EDENIED);
	assert_int_equal(err.code, -PA_EDENIED);
	static const char start[] = "Cannot read process 7: opening /proc/7/mem failed with "
				    "EACCES (Permission denied): ";
	assert_memory_equal(err.text, start, sizeof(start) - 1);
	if (!strstr(err.text, words))
		fail_msg("\"%s\" is not in: %s", words, err.text);
	if (not_words && strstr(err.text, not_words))
		fail_msg("\"%s\" is in: %s", not_words, err.text);
	assert_true(strlen(err.text) < sizeof(err.text) - 1);
	assert_int_equal(access_explain(f, NULL), -PA_EDENIED);
}

static void other_users(void **state)
{
	(void)state;
	struct access_facts f = plain(1000, 0, 0);
	check(&f, "belongs to uid 0 and pyattach runs as uid 1000; run `sudo pyattach ...`",
	      "sysctl");
	f.yama = 1; // would not help
	check(&f, "run `sudo pyattach ...`", "sysctl");
	f = plain(1000, 0, 1000);
	f.status.uid[0] = 1001;
	check(&f, "belongs to uid 1001 and", "docker");
	f = plain(1000, 0, 1000);
	f.status.uid[2] = 0;
	check(&f, "belongs to uid 0 and", "docker");
	f = plain(1000, 0, 1000);
	f.status.gid[1] = 5;
	check(&f, "runs with gid 5 and pyattach with gid 0; run `sudo", "docker");
}

static void same_user(void **state)
{
	(void)state;
	struct access_facts f = plain(1000, 0, 1000);
	f.owner = 0;
	check(&f, "not dumpable", "docker");
	f.owner = 1000;
	f.yama = 1;
	check(&f, "kernel.yama.ptrace_scope is 1", "docker");
	check(&f, "`sudo sysctl kernel.yama.ptrace_scope=0`", "docker");
	check(&f, "run `sudo pyattach ...` or", "docker");
	f.yama = 2;
	check(&f, "kernel.yama.ptrace_scope is 2", "sysctl");
	check(&f, "run `sudo pyattach ...`", "sysctl");
	f.yama = 0;
	f.status.cap_permitted = 1;
	check(&f, "holds capabilities that pyattach lacks; run `sudo", "docker");
	f.status.cap_permitted = 0;
	check(&f, "does not tell why; run `sudo", "docker");
}

static void root(void **state)
{
	(void)state;
	uint64_t docker = ALL_CAPS & ~PTRACE_CAP;
	struct access_facts f = plain(0, docker, 1000);
	check(&f, "lacks the capability CAP_SYS_PTRACE", "sudo");
	check(&f, "docker run --cap-add=SYS_PTRACE", "sudo");
	check(&f, "kubectl debug", "sudo");
	f = plain(0, docker, 0);
	f.yama = 1;
	check(&f, "lacks the capability CAP_SYS_PTRACE, which it needs since kernel.yama", "sudo");
	f.yama = 0;
	f.status.cap_permitted = ALL_CAPS;
	check(&f, "since the process holds capabilities", "sudo");
	f = plain(0, ALL_CAPS, 1000);
	f.other_user_ns = true;
	check(&f, "on the host, outside of the container", "cap-add");
	f = plain(0, ALL_CAPS, 1000);
	check(&f, "`dmesg`", "sudo");
}

static void for_all(void **state)
{
	(void)state;
	struct access_facts f = plain(0, ALL_CAPS, 0);
	f.yama = 3;
	check(&f, "ptrace_scope is 3", "sudo");
	f = plain(1000, 0, 0);
	f.yama = 3;
	check(&f, "ptrace_scope is 3", "sudo");
	f = plain(1000, 0, 0);
	f.hidden = true;
	check(&f, "hidepid", "docker");
	check(&f, "run `sudo", "uid 0");
	f = plain(0, ALL_CAPS & ~PTRACE_CAP, 0);
	f.hidden = true;
	check(&f, "hidepid", "sudo");
}

static void filters_and_modules(void **state)
{
	(void)state;
	struct access_facts f = plain(1000, PTRACE_CAP, 0);
	f.vectors_blocked = true;
	check(&f, "seccomp", "sudo");
	check(&f, "docker run --security-opt seccomp=unconfined", "sudo");
	f = plain(0, ALL_CAPS, 0);
	snprintf(f.our_label, sizeof(f.our_label), "docker-default (enforce)");
	check(&f, "AppArmor confines pyattach (docker-default (enforce))", "sudo");
	f.selinux = true;
	check(&f, "`sudo setsebool deny_ptrace 0`", "AppArmor");
}

static void errno_texts(void **state)
{
	(void)state;
	char text[64];
	access_errno_text(-EMFILE, text, sizeof(text));
	assert_string_equal(text, "EMFILE (Too many open files)");
	access_errno_text(-PA_EGONE, text, sizeof(text));
	assert_string_equal(text, "the process has ended");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_status),
		cmocka_unit_test(poor_statuses),
		cmocka_unit_test(stats),
		cmocka_unit_test(cut_stats),
		cmocka_unit_test(other_users),
		cmocka_unit_test(same_user),
		cmocka_unit_test(root),
		cmocka_unit_test(for_all),
		cmocka_unit_test(filters_and_modules),
		cmocka_unit_test(errno_texts),
	};
	return unit_run("access", tests);
}
