// SPDX-License-Identifier: MIT
// Forked children for tests that look at another process: they say over a pipe when they are where
// they should be, and end with the test.
#ifndef PYATTACH_TESTS_CHILD_H
#define PYATTACH_TESTS_CHILD_H

#include "unit.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

struct child {
	pid_t pid;
	int to;   // closed or written to let the child go on
	int from; // what the child says
};

// The two ends inside the child.
struct line {
	int in, out;
};

// Runs fn(line, arg) in a forked process, which then ends with status 0.
static inline struct child child_start(void (*fn)(const struct line *, void *), void *arg)
{
	int down[2], up[2];
	assert_int_equal(pipe(down), 0);
	assert_int_equal(pipe(up), 0);
	pid_t parent = getpid(), pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		struct line line = {down[0], up[1]};
		close(down[1]);
		close(up[0]);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent)
			_exit(1);
		fn(&line, arg);
		_exit(0);
	}
	close(down[0]);
	close(up[1]);
	return (struct child){pid, down[1], up[0]};
}

// In the child: says a number, or waits for a word.
static inline void line_say(const struct line *line, long number)
{
	if (write(line->out, &number, sizeof(number)) != sizeof(number))
		_exit(2);
}

static inline void line_wait(const struct line *line)
{
	char byte;
	ssize_t n;
	do {
		n = read(line->in, &byte, 1);
	} while (n < 0 && errno == EINTR);
	if (n != 1)
		_exit(0); // the test has ended
}

// In the test: the next number that the child says, or a word to it.
static inline long child_hear(const struct child *c)
{
	long number = -1;
	assert_int_equal(read(c->from, &number, sizeof(number)), sizeof(number));
	return number;
}

static inline void child_tell(const struct child *c)
{
	assert_int_equal(write(c->to, "", 1), 1);
}

// Kills the child and returns its wait status.
static inline int child_end(struct child *c)
{
	int status = 0;
	kill(c->pid, SIGKILL);
	assert_int_equal(waitpid(c->pid, &status, 0), c->pid);
	close(c->to);
	close(c->from);
	return status;
}

// Rests until it is ended.
static inline void child_rest(const struct line *line, void *arg)
{
	(void)arg;
	line_say(line, 0);
	for (;;)
		line_wait(line);
}

// The state letter of a thread of this or another process, 0 when it has none.
static inline char state_letter(pid_t pid, pid_t tid)
{
	char path[64], text[1024] = "";
	snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", pid, tid);
	FILE *f = fopen(path, "re");
	if (!f)
		return 0;
	size_t n = fread(text, 1, sizeof(text) - 1, f);
	fclose(f);
	const char *end = n ? strrchr(text, ')') : NULL;
	return end && end[1] ? end[2] : 0;
}

// Waits for a state that the thread is bound to reach.
static inline void await_state(pid_t pid, pid_t tid, char state)
{
	while (state_letter(pid, tid) != state)
		sched_yield();
}

// Runs fn in a process of its own, for what cannot be taken back (rights, filters). fn returns 0,
// or the number of the line that failed; so does this.
static inline int run_apart(int (*fn)(void *), void *arg)
{
	pid_t pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		int line = fn(arg);
		if (line)
			fprintf(stderr, "# line %d failed\n", line);
		_exit(line != 0);
	}
	int status = -1;
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

// For fn of run_apart.
#define CHECK(condition)                                                                           \
	do {                                                                                       \
		if (!(condition))                                                                  \
			return __LINE__;                                                           \
	} while (0)

#endif
