// SPDX-License-Identifier: MIT
// The processes below a process.
#include "target/family.h"

#include "util/cleanup.h"
#include "util/fs.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#define CHILDREN_TEXT (1u << 16)

static void close_dir(DIR **dir)
{
	if (*dir)
		closedir(*dir);
}

// "12 34 56 ": /proc/PID/task/TID/children, one file for each thread that forked.
static size_t add_children(const char *path, pid_t *ret, size_t n, size_t max)
{
	CLEANUP(buf_release) struct buf text = {0};
	if (fs_read_file(path, CHILDREN_TEXT, &text) < 0)
		return n;
	const char *s = buf_text(&text);
	while (n < max) {
		char *end;
		long pid = strtol(s, &end, 10);
		if (end == s || pid <= 0)
			break;
		ret[n++] = (pid_t)pid;
		s = end;
	}
	return n;
}

static size_t children_of(pid_t pid, pid_t *ret, size_t n, size_t max)
{
	char path[64];
	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	CLEANUP(close_dir) DIR *dir = opendir(path);
	const struct dirent *entry;
	while (dir && n < max && (entry = readdir(dir))) {
		if (!isdigit((unsigned char)entry->d_name[0]))
			continue;
		snprintf(path, sizeof(path), "/proc/%d/task/%d/children", pid, atoi(entry->d_name));
		n = add_children(path, ret, n, max);
	}
	return n;
}

size_t family_descendants(pid_t pid, pid_t *ret, size_t max)
{
	size_t n = children_of(pid, ret, 0, max);
	for (size_t i = 0; i < n; i++)
		n = children_of(ret[i], ret, n, max);
	return n;
}
