// SPDX-License-Identifier: MIT
// The file that a recording goes to: checked before the work begins, written at its end.
#ifndef PYATTACH_CMD_OUTFILE_H
#define PYATTACH_CMD_OUTFILE_H

#include "util/buf.h"
#include "util/err.h"

#include <stddef.h>
#include <sys/types.h>
#include <time.h>

struct outfile;

enum outfile_mode {
	OUTFILE_REPLACE, // a name that the user chose: what is there gives way
	OUTFILE_NEW,     // a name of ours: NAME-1, NAME-2 and so on when it is taken
};

// Appends "pyattach-PID-20260821T031500Z" and the suffix.
void outfile_default_name(pid_t pid, time_t now, const char *suffix, struct buf *name);

// Makes sure that the path can be written, and changes nothing there. "-", /dev/stdout,
// /dev/stderr and /dev/fd/N are descriptors that we have already. Under sudo all of it happens with
// the rights of the user who called; as root a link in the file's place is refused, and so is what
// is no regular file, /dev/null excepted. Returns 0 or -PA_EOUTPUT.
int outfile_open(const char *path, enum outfile_mode mode, struct outfile **ret, struct err *err);

// Writes the whole content: a file appears under its name complete or not at all, unless only the
// existing file may be written and not its folder. Returns 0, -PA_EOUTPUT, or -EPIPE without a
// sentence when a reader has gone away.
int outfile_commit(struct outfile *f, const void *data, size_t len, struct err *err);

// The absolute path (after outfile_commit the one that was really taken), or "standard output".
const char *outfile_path(const struct outfile *f);
void outfile_close(struct outfile *f); // NULL-safe

static inline void cleanup_outfile(struct outfile **f)
{
	outfile_close(*f);
}

// Removes what outfile_commit has begun. For signal handlers just before _exit.
void outfile_abort(void);

#endif
