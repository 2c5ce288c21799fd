// SPDX-License-Identifier: MIT
// Attaching to the process that a command line names.
#ifndef PYATTACH_CMD_ATTACH_H
#define PYATTACH_CMD_ATTACH_H

#include "cmd/options.h"
#include "sample/session.h"

// Reads the file of --offsets, attaches, and tells of another tool that traces the process. The
// caller closes the session. Returns as session_open, or -PA_EUSAGE for the file.
int attach(const struct options *o, struct session **ret, struct err *err);

static inline void cleanup_session(struct session **s)
{
	session_close(*s);
}

#endif
