// SPDX-License-Identifier: MIT
// The user on whose behalf root acts, and borrowing that user's rights on files.
#include "cmd/invoker.h"

#include "util/array.h"
#include "util/cleanup.h"
#include "util/parse.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <unistd.h>

#define MAX_GROUPS 65536 // NGROUPS_MAX of the kernel

// (id_t)-1 means "no change" to the kernel, so it can't be anyone's.
static bool parse_id(const char *text, uint32_t *ret_id)
{
	uint64_t value;
	if (!text || strspn(text, "0123456789") != strlen(text) || parse_u64(text, &value) < 0 ||
	    value >= UINT32_MAX)
		return false;
	*ret_id = (uint32_t)value;
	return true;
}

struct invoker invoker_find(void)
{
	struct invoker who = {0};
	if (geteuid() != 0)
		return who;
	if (getuid() != 0)
		return (struct invoker){true, getuid(), getgid()};
	uint32_t uid, gid;
	if (parse_id(getenv("SUDO_UID"), &uid) && parse_id(getenv("SUDO_GID"), &gid) && uid != 0)
		who = (struct invoker){true, uid, gid};
	return who;
}

static void close_file(FILE **file)
{
	if (*file)
		fclose(*file);
}

// The login name of a user of this machine. Returns 0, -ENOENT, or -ENOMEM.
static int name_of(uid_t uid, char **ret_name)
{
	CLEANUP(close_file) FILE *file = fopen("/etc/passwd", "re");
	for (struct passwd *user; file && (user = fgetpwent(file));) {
		if (user->pw_uid != uid)
			continue;
		*ret_name = strdup(user->pw_name);
		return *ret_name ? 0 : -ENOMEM;
	}
	return -ENOENT;
}

static bool is_member(const struct group *group, const char *name)
{
	for (char **member = group->gr_mem; *member; member++) {
		if (!strcmp(*member, name))
			return true;
	}
	return false;
}

// The groups of the invoker: the given one, and those of /etc/group. No other database is asked:
// that may hang, and brings foreign code into a process of root's.
static int groups_of(const struct invoker *who, gid_t **ret_groups, size_t *ret_n)
{
	CLEANUP(cleanup_free) char *name = NULL;
	CLEANUP(cleanup_free) gid_t *groups = NULL;
	CLEANUP(close_file) FILE *file = NULL;
	size_t n = 0, cap = 0;
	int rc = name_of(who->uid, &name);
	if (rc == -ENOMEM || ARRAY_RESERVE(groups, cap, 1))
		return -ENOMEM;
	groups[n++] = who->gid;
	if (name)
		file = fopen("/etc/group", "re");
	for (struct group *group; file && n < MAX_GROUPS && (group = fgetgrent(file));) {
		if (!is_member(group, name) || group->gr_gid == who->gid)
			continue;
		if (ARRAY_RESERVE(groups, cap, n + 1))
			return -ENOMEM;
		groups[n++] = group->gr_gid;
	}
	*ret_groups = TAKE(groups);
	*ret_n = n;
	return 0;
}

static int save_groups(struct invoker_scope *scope)
{
	int n = getgroups(0, NULL);
	if (n < 0)
		return -errno;
	scope->groups = calloc((size_t)n + 1, sizeof(*scope->groups));
	if (!scope->groups)
		return -ENOMEM;
	n = getgroups(n, scope->groups);
	scope->n_groups = n < 0 ? 0 : (size_t)n;
	return n < 0 ? -errno : 0;
}

// setfsuid reports no error: what counts is what a second call finds.
static bool set_fs_ids(uid_t uid, gid_t gid)
{
	setfsgid(gid);
	setfsuid(uid);
	return (uid_t)setfsuid((uid_t)-1) == uid && (gid_t)setfsgid((gid_t)-1) == gid;
}

static int enter(const struct invoker *who, struct invoker_scope *scope)
{
	CLEANUP(cleanup_free) gid_t *groups = NULL;
	size_t n;
	int rc = groups_of(who, &groups, &n);
	if (rc < 0)
		return rc;
	rc = save_groups(scope);
	if (rc < 0)
		return rc;
	scope->uid = geteuid();
	scope->gid = getegid();
	if (setgroups(n, groups) < 0)
		return -errno;
	scope->entered = true;
	return set_fs_ids(who->uid, who->gid) ? 0 : -EPERM;
}

int invoker_enter(const struct invoker *who, struct invoker_scope *scope, struct err *err)
{
	*scope = (struct invoker_scope){0};
	if (!who->other)
		return 0;
	int rc = enter(who, scope);
	if (rc == 0)
		return 0;
	invoker_leave(scope);
	return err_set(
		err, -PA_EOUTPUT,
		"Cannot write files as user %u, who called this: %s. Use '-o -' and redirect "
		"the output, or unset SUDO_UID to write as root.",
		who->uid, err_message(rc));
}

void invoker_leave(struct invoker_scope *scope)
{
	int saved = errno;
	if (scope->entered &&
	    (!set_fs_ids(scope->uid, scope->gid) || setgroups(scope->n_groups, scope->groups) < 0))
		abort();
	free(scope->groups);
	*scope = (struct invoker_scope){0};
	errno = saved;
}
