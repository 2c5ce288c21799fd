// SPDX-License-Identifier: MIT
// The states of threads, and how many descriptors are kept for them.
#include "child.h"
#include "unit.h"

#include "kernel/kernel.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#define THREADS 200

// The threads of the child: resting ones, which end one by one when told, and one that spins.
struct many {
	struct line line;
	pthread_barrier_t all;
	pid_t tids[THREADS];
};

static struct many *many;

static void *rest(void *arg)
{
	int i = (int)(intptr_t)arg;
	many->tids[i] = (pid_t)syscall(SYS_gettid);
	pthread_barrier_wait(&many->all);
	line_wait(&many->line);
	return NULL;
}

static void *spin(void *arg)
{
	int i = (int)(intptr_t)arg;
	many->tids[i] = (pid_t)syscall(SYS_gettid);
	pthread_barrier_wait(&many->all);
	for (volatile unsigned n = 0;; n++)
		;
	return NULL;
}

static void start_threads(const struct line *line, void *arg)
{
	int n = *(int *)arg;
	pthread_t thread;
	many = calloc(1, sizeof(*many));
	many->line = *line;
	pthread_barrier_init(&many->all, NULL, (unsigned)n + 1);
	for (int i = 0; i < n; i++)
		if (pthread_create(&thread, NULL, i ? rest : spin, (void *)(intptr_t)i))
			_exit(4);
	pthread_barrier_wait(&many->all);
	for (int i = 0; i < n; i++)
		line_say(line, many->tids[i]);
	for (;;)
		pause();
}

struct scene {
	struct child child;
	struct target *target;
	struct kernel *kernel;
	int n;
	pid_t tids[THREADS]; // the first one spins
};

static void open_scene(struct scene *s, int n, size_t max_fds)
{
	s->n = n;
	s->child = child_start(start_threads, &n);
	for (int i = 0; i < n; i++)
		s->tids[i] = (pid_t)child_hear(&s->child);
	struct err err = {0};
	assert_int_equal(target_open_pid(s->child.pid, &s->target, &err), 0);
	assert_int_equal(kernel_open(s->target, max_fds, &s->kernel), 0);
}

static void close_scene(struct scene *s)
{
	kernel_close(s->kernel);
	target_close(s->target);
	child_end(&s->child);
}

static size_t count_descriptors(void)
{
	size_t n = 0;
	for (int fd = 0; fd < 1024; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

static void states(void **state)
{
	(void)state;
	struct scene s;
	struct kernel_thread th = {0};
	open_scene(&s, 3, 16);
	pid_t pid = s.child.pid;
	await_state(pid, s.tids[1], 'S');
	assert_int_equal(kernel_thread_state(s.kernel, s.tids[0], &th), 0);
	assert_int_equal(th.state, 'R');
	assert_true(th.start_time >= target_start_time(s.target));
	assert_true(th.processor >= 0 && th.processor < sysconf(_SC_NPROCESSORS_CONF));
	assert_int_equal(kernel_thread_state(s.kernel, s.tids[1], &th), 0);
	assert_int_equal(th.state, 'S');
	assert_int_equal(kernel_thread_state(s.kernel, pid, &th), 0);
	assert_true(th.start_time == target_start_time(s.target));
	kill(pid, SIGSTOP);
	await_state(pid, s.tids[0], 'T');
	assert_int_equal(kernel_thread_state(s.kernel, s.tids[0], &th), 0);
	assert_int_equal(th.state, 'T');
	close_scene(&s);
}

static void time_goes_on(void **state)
{
	(void)state;
	struct scene s;
	struct kernel_thread th;
	open_scene(&s, 2, 16);
	assert_int_equal(kernel_thread_state(s.kernel, s.tids[0], &th), 0);
	uint64_t first = th.cpu_ticks;
	do {
		assert_int_equal(kernel_thread_state(s.kernel, s.tids[0], &th), 0);
		assert_true(th.cpu_ticks >= first);
	} while (th.cpu_ticks < first + 2);
	close_scene(&s);
}

static void strangers(void **state)
{
	(void)state;
	struct scene s;
	struct kernel_thread th;
	open_scene(&s, 1, 16);
	size_t before = count_descriptors();
	static const pid_t none[] = {0, -1, 1, 0x7fffffff};
	for (size_t i = 0; i < ROWS(none); i++)
		assert_int_equal(kernel_thread_state(s.kernel, none[i], &th), -ESRCH);
	assert_int_equal(kernel_thread_state(s.kernel, getpid(), &th), -ESRCH);
	assert_int_equal(count_descriptors(), before);
	close_scene(&s);
}

static void ended_threads(void **state)
{
	(void)state;
	struct scene s;
	struct kernel_thread th;
	open_scene(&s, 5, 16);
	for (int i = 0; i < s.n; i++)
		assert_int_equal(kernel_thread_state(s.kernel, s.tids[i], &th), 0);
	size_t before = count_descriptors();
	for (int i = 1; i < s.n; i++)
		child_tell(&s.child);
	for (int i = 1; i < s.n; i++) {
		int r;
		do {
			r = kernel_thread_state(s.kernel, s.tids[i], &th);
		} while (!r);
		assert_int_equal(r, -ESRCH);
		assert_int_equal(kernel_thread_state(s.kernel, s.tids[i], &th), -ESRCH);
	}
	assert_int_equal(count_descriptors(), before - 4);
	kill(s.child.pid, SIGKILL);
	siginfo_t info;
	assert_int_equal(waitid(P_PID, (id_t)s.child.pid, &info, WEXITED | WNOWAIT), 0);
	assert_int_equal(kernel_thread_state(s.kernel, s.tids[0], &th), -ESRCH);
	assert_int_equal(kernel_thread_state(s.kernel, s.child.pid, &th), 0);
	assert_int_equal(th.state, 'Z');
	close_scene(&s);
}

// Every thread is answered for, in any order, and no more descriptors are kept than allowed.
static void few_descriptors(void **state)
{
	(void)state;
	static const size_t limits[] = {0, 1, 2, 7, THREADS - 1, THREADS, 1000};
	for (size_t k = 0; k < ROWS(limits); k++) {
		struct scene s;
		struct kernel_thread th;
		open_scene(&s, THREADS, limits[k]);
		size_t before = count_descriptors(), max = limits[k] ? limits[k] : 1;
		uint64_t start[THREADS];
		for (int round = 0; round < 4; round++) {
			for (int i = 0; i < s.n; i++) {
				int at = round & 1 ? s.n - 1 - i : i * 7 % s.n;
				assert_int_equal(kernel_thread_state(s.kernel, s.tids[at], &th), 0);
				if (round == 0)
					start[at] = th.start_time;
				assert_true(th.start_time == start[at]);
				if (i % 16 == 0)
					assert_true(count_descriptors() - before <= max);
			}
		}
		size_t kept = count_descriptors() - before;
		assert_int_equal(kept, max < THREADS ? max : THREADS);
		kernel_close(s.kernel);
		s.kernel = NULL;
		assert_int_equal(count_descriptors(), before);
		close_scene(&s);
	}
}

// The thread that was asked for longest ago makes room.
static void the_oldest_goes(void **state)
{
	(void)state;
	struct scene s;
	struct kernel_thread th;
	open_scene(&s, 4, 2);
	assert_int_equal(kernel_thread_state(s.kernel, s.tids[1], &th), 0);
	assert_int_equal(kernel_thread_state(s.kernel, s.tids[2], &th), 0);
	assert_int_equal(kernel_thread_state(s.kernel, s.tids[1], &th), 0);
	assert_int_equal(kernel_thread_state(s.kernel, s.tids[3], &th), 0); // in place of 2
	struct rlimit none = {0, 0}, old;
	getrlimit(RLIMIT_NOFILE, &old);
	none.rlim_max = old.rlim_max;
	setrlimit(RLIMIT_NOFILE, &none);
	int kept = kernel_thread_state(s.kernel, s.tids[1], &th);
	int also = kernel_thread_state(s.kernel, s.tids[3], &th);
	int gone = kernel_thread_state(s.kernel, s.tids[2], &th);
	setrlimit(RLIMIT_NOFILE, &old);
	assert_int_equal(kept, 0);
	assert_int_equal(also, 0);
	assert_int_equal(gone, -EMFILE);
	close_scene(&s);
}

// A limit of the process that is lower than the one we were told.
static void descriptors_run_out(void **state)
{
	(void)state;
	struct scene s;
	struct kernel_thread th;
	open_scene(&s, 50, 1000);
	struct rlimit old, low;
	getrlimit(RLIMIT_NOFILE, &old);
	int next = dup(0);
	close(next);
	low = (struct rlimit){(rlim_t)next + 5, old.rlim_max};
	setrlimit(RLIMIT_NOFILE, &low);
	int bad = 0;
	for (int round = 0; round < 2; round++)
		for (int i = 0; i < s.n; i++)
			bad |= kernel_thread_state(s.kernel, s.tids[i], &th);
	setrlimit(RLIMIT_NOFILE, &old);
	assert_int_equal(bad, 0);
	close_scene(&s);
}

int main(void)
{
	alarm(100);
	kernel_close(NULL);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(states),
		cmocka_unit_test(time_goes_on),
		cmocka_unit_test(strangers),
		cmocka_unit_test(ended_threads),
		cmocka_unit_test(few_descriptors),
		cmocka_unit_test(the_oldest_goes),
		cmocka_unit_test(descriptors_run_out),
	};
	return unit_run("kernel", tests);
}
