// SPDX-License-Identifier: MIT
// The state of the target's threads, from stat files that are kept open.
#include "kernel/kernel.h"

#include "util/array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STAT_SIZE 1024 // bytes; 52 numbers and a name
#define NONE      UINT32_MAX

// One kept descriptor. Slots form chains by hash of tid, and a ring by age through slot 0, which
// stands for no thread: its "newer" is the oldest, its "older" the newest.
struct slot {
	pid_t tid;
	int fd;
	uint32_t next; // in the chain, or in the list of free slots
	uint32_t newer, older;
};

struct kernel {
	struct target *target;
	size_t max; // slots, slot 0 included
	struct slot *slots;
	size_t n, cap;
	uint32_t free; // NONE = none
	uint32_t *chains;
	size_t n_chains; // a power of two
};

static uint32_t *chain_of(struct kernel *k, pid_t tid)
{
	return &k->chains[(uint32_t)tid * 2654435761u >> 7 & (k->n_chains - 1)];
}

static void unlink_age(struct kernel *k, uint32_t i)
{
	struct slot *s = &k->slots[i];
	k->slots[s->newer].older = s->older;
	k->slots[s->older].newer = s->newer;
}

static void link_newest(struct kernel *k, uint32_t i)
{
	uint32_t last = k->slots[0].older;
	k->slots[i].older = last;
	k->slots[i].newer = 0;
	k->slots[last].newer = i;
	k->slots[0].older = i;
}

static uint32_t find_slot(struct kernel *k, pid_t tid)
{
	uint32_t i = *chain_of(k, tid);
	while (i != NONE && k->slots[i].tid != tid)
		i = k->slots[i].next;
	return i;
}

static void drop_slot(struct kernel *k, uint32_t i)
{
	uint32_t *link = chain_of(k, k->slots[i].tid);
	while (*link != i)
		link = &k->slots[*link].next;
	*link = k->slots[i].next;
	unlink_age(k, i);
	close(k->slots[i].fd);
	k->slots[i].next = k->free;
	k->free = i;
}

// Doubles the number of chains once there are more slots than that.
static int grow_chains(struct kernel *k)
{
	size_t n = k->n_chains ? k->n_chains * 2 : 64;
	uint32_t *chains = reallocarray(NULL, n, sizeof(*chains));
	if (!chains)
		return -ENOMEM;
	memset(chains, 0xff, n * sizeof(*chains));
	free(k->chains);
	k->chains = chains;
	k->n_chains = n;
	for (uint32_t i = k->slots[0].newer; i; i = k->slots[i].newer) {
		uint32_t *head = chain_of(k, k->slots[i].tid);
		k->slots[i].next = *head;
		*head = i;
	}
	return 0;
}

// Yields a slot that is in no chain: a free one, a fresh one, or that of the thread that was asked
// for longest ago.
static int take_slot(struct kernel *k, uint32_t *ret)
{
	if (k->free == NONE && k->n < k->max) {
		if (ARRAY_RESERVE(k->slots, k->cap, k->n + 1))
			return -ENOMEM;
		if (k->n >= k->n_chains && grow_chains(k))
			return -ENOMEM;
		*ret = (uint32_t)k->n++;
		return 0;
	}
	if (k->free == NONE)
		drop_slot(k, k->slots[0].newer);
	*ret = k->free;
	k->free = k->slots[k->free].next;
	return 0;
}

static int add_slot(struct kernel *k, pid_t tid, int fd, uint32_t *ret)
{
	int r = take_slot(k, ret);
	if (r) {
		close(fd);
		return r;
	}
	uint32_t *head = chain_of(k, tid);
	k->slots[*ret] = (struct slot){.tid = tid, .fd = fd, .next = *head};
	*head = *ret;
	link_newest(k, *ret);
	return 0;
}

static int open_stat(struct kernel *k, pid_t tid, uint32_t *ret)
{
	int fd = target_open_file(k->target, TARGET_FILE_STAT, tid, NULL);
	if ((fd == -EMFILE || fd == -ENFILE) && k->slots[0].newer) {
		// The limit is lower than we were told, or others use descriptors too.
		drop_slot(k, k->slots[0].newer);
		fd = target_open_file(k->target, TARGET_FILE_STAT, tid, NULL);
	}
	if (fd < 0)
		return fd == -ENOENT ? -ESRCH : fd;
	return add_slot(k, tid, fd, ret);
}

int kernel_thread_state(struct kernel *k, pid_t tid, struct kernel_thread *ret)
{
	if (tid <= 0)
		return -ESRCH;
	uint32_t i = find_slot(k, tid);
	if (i == NONE) {
		int r = open_stat(k, tid, &i);
		if (r)
			return r;
	} else if (k->slots[0].older != i) {
		unlink_age(k, i);
		link_newest(k, i);
	}
	char text[STAT_SIZE];
	ssize_t len = pread(k->slots[i].fd, text, sizeof(text), 0);
	if (len <= 0) {
		int r = len < 0 ? -errno : -ESRCH;
		drop_slot(k, i);
		return r;
	}
	struct target_stat st;
	int r = target_stat_parse(text, (size_t)len, &st);
	if (r)
		return r;
	*ret = (struct kernel_thread){
		.state = st.state,
		.start_time = st.start_time,
		.cpu_ticks = st.utime + st.stime,
		.processor = st.processor,
	};
	return 0;
}

int kernel_open(struct target *t, size_t max_fds, struct kernel **ret)
{
	struct kernel *k = calloc(1, sizeof(*k));
	if (!k)
		return -ENOMEM;
	k->target = t;
	k->max = (max_fds ? max_fds < NONE / 2 ? max_fds : NONE / 2 : 1) + 1;
	k->free = NONE;
	if (ARRAY_RESERVE(k->slots, k->cap, 1)) {
		kernel_close(k);
		return -ENOMEM;
	}
	k->slots[0] = (struct slot){.fd = -1};
	k->n = 1;
	if (grow_chains(k)) {
		kernel_close(k);
		return -ENOMEM;
	}
	*ret = k;
	return 0;
}

void kernel_close(struct kernel *k)
{
	if (!k)
		return;
	for (uint32_t i = k->n ? k->slots[0].newer : 0; i; i = k->slots[i].newer)
		close(k->slots[i].fd);
	free(k->slots);
	free(k->chains);
	free(k);
}
