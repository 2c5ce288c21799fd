// SPDX-License-Identifier: MIT
// What /proc/PID/status and /proc/PID/stat tell of a process.
#include "target/status.h"

#include <errno.h>
#include <string.h>

// Moves *p behind blanks and one number and yields the number; false where there is none.
static bool take_u64(const char **p, const char *end, unsigned base, uint64_t *ret)
{
	const char *at = *p;
	while (at < end && (*at == ' ' || *at == '\t'))
		at++;
	const char *first = at;
	uint64_t value = 0;
	for (; at < end; at++) {
		unsigned digit = *at >= '0' && *at <= '9'   ? (unsigned)(*at - '0')
				 : *at >= 'a' && *at <= 'f' ? (unsigned)(*at - 'a') + 10
							    : 16;
		if (digit >= base)
			break;
		value = value * base + digit;
	}
	if (at == first)
		return false;
	*p = at;
	*ret = value;
	return true;
}

static void take_ids(const char *p, const char *end, unsigned ids[3])
{
	uint64_t value;
	for (int i = 0; i < 3 && take_u64(&p, end, 10, &value); i++)
		ids[i] = (unsigned)value;
}

static void take_ns_pids(const char *p, const char *end, struct status *ret)
{
	uint64_t value;
	while (take_u64(&p, end, 10, &value)) {
		ret->inner = (pid_t)value;
		ret->depth++;
	}
}

static void take_line(const char *key, size_t key_len, const char *p, const char *end,
		      struct status *ret)
{
#define IS(text) (key_len == sizeof(text) - 1 && !memcmp(key, text, key_len))
	uint64_t value = 0;
	if (IS("Name")) {
		while (p < end && *p == '\t')
			p++;
		size_t len = (size_t)(end - p);
		if (len >= sizeof(ret->name))
			len = sizeof(ret->name) - 1;
		memcpy(ret->name, p, len);
	} else if (IS("Uid")) {
		take_ids(p, end, ret->uid);
	} else if (IS("Gid")) {
		take_ids(p, end, ret->gid);
	} else if (IS("NSpid")) {
		take_ns_pids(p, end, ret);
	} else if (IS("CapPrm")) {
		take_u64(&p, end, 16, &ret->cap_permitted);
	} else if (IS("CapEff")) {
		take_u64(&p, end, 16, &ret->cap_effective);
	} else if (take_u64(&p, end, 10, &value)) {
		if (IS("Tgid"))
			ret->tgid = (pid_t)value;
		else if (IS("PPid"))
			ret->ppid = (pid_t)value;
		else if (IS("TracerPid"))
			ret->tracer = (pid_t)value;
		else if (IS("Seccomp"))
			ret->seccomp = (int)value;
	}
#undef IS
}

int status_parse(const char *text, size_t len, struct status *ret)
{
	*ret = (struct status){0};
	for (const char *line = text, *end = text + len; line < end;) {
		const char *stop = memchr(line, '\n', (size_t)(end - line));
		if (!stop)
			stop = end;
		const char *colon = memchr(line, ':', (size_t)(stop - line));
		if (colon)
			take_line(line, (size_t)(colon - line), colon + 1, stop, ret);
		line = stop + 1;
	}
	return ret->tgid > 0 ? 0 : -EINVAL;
}

int target_stat_parse(const char *text, size_t len, struct target_stat *ret)
{
	// Fields as proc(5) numbers them; the state is 3, the first behind the name.
	enum { PPID = 4, FLAGS = 9, UTIME = 14, STIME = 15, START = 22, PROCESSOR = 39 };
	const char *p = memrchr(text, ')', len);
	const char *end = text + len;
	if (!p || end - p < 3 || p[1] != ' ')
		return -EINVAL;
	*ret = (struct target_stat){.state = p[2]};
	p += 3;
	for (int field = PPID; field <= PROCESSOR; field++) {
		uint64_t value;
		bool negative = p < end - 1 && p[0] == ' ' && p[1] == '-';
		if (negative)
			p += 2;
		if (!take_u64(&p, end, 10, &value))
			return -EINVAL;
		if (field == PPID)
			ret->ppid = (pid_t)value;
		else if (field == FLAGS)
			ret->flags = (uint32_t)value;
		else if (field == UTIME)
			ret->utime = value;
		else if (field == STIME)
			ret->stime = value;
		else if (field == START)
			ret->start_time = value;
		else if (field == PROCESSOR)
			ret->processor = negative ? -1 : (int)value;
	}
	return 0;
}
