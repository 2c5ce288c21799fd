// SPDX-License-Identifier: MIT
// Which processes near one that is not Python are.
#include "sample/explain.h"

#include "python/py.h"
#include "target/family.h"
#include "target/target.h"
#include "util/buf.h"
#include "util/cleanup.h"

#include <stdio.h>
#include <string.h>

#define LOOK_AT 64 // processes
#define NAME    8

static bool is_python(pid_t pid, struct buf *text)
{
	struct target *t = NULL;
	struct py *py = NULL;
	struct frame_table *frames = frame_table_new();
	bool yes = frames && !target_open_pid(pid, &t, NULL) &&
		   !py_open(t, frames, NULL, NULL, &py, NULL);
	if (yes)
		buf_printf(text, "%s%d (Python %s)", text->len ? ", " : "", pid, py_version(py));
	py_close(py);
	target_close(t);
	frame_table_free(frames);
	return yes;
}

void explain_children(pid_t pid, struct err *err)
{
	CLEANUP(buf_release) struct buf text = {0};
	pid_t pids[LOOK_AT];
	size_t n = family_descendants(pid, pids, LOOK_AT), named = 0;
	for (size_t i = 0; i < n && named < NAME; i++)
		named += is_python(pids[i], &text);
	if (!named || !err)
		return;
	size_t len = strlen(err->text);
	snprintf(err->text + len, sizeof(err->text) - len,
		 " Python runs below it: %s; attach to %s.", buf_text(&text),
		 named > 1 ? "one of these" : "that");
}
