// SPDX-License-Identifier: MIT
// Attaching to the process that a command line names.
#include "cmd/attach.h"

#include "cmd/say.h"
#include "util/cleanup.h"

int attach(const struct options *o, struct session **ret, struct err *err)
{
	CLEANUP(buf_release) struct buf offsets = {0};
	int rc = o->offsets_path ? options_read_offsets(o->offsets_path, &offsets, err) : 0;
	if (rc < 0)
		return rc;
	const char *text = o->offsets_path ? buf_text(&offsets) : NULL;
	rc = session_open(o->pid, text, o->offsets_path, ret, err);
	if (rc < 0)
		return rc;
	char name[64];
	pid_t tracer = session_tracer(*ret, name, sizeof(name));
	if (tracer)
		say("Process %d (%s) is tracing it; it is read as usual.", (int)tracer, name);
	return 0;
}
