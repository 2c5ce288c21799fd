// SPDX-License-Identifier: MIT
// The line on a terminal that tells how a recording goes.
#ifndef PYATTACH_CMD_PROGRESS_H
#define PYATTACH_CMD_PROGRESS_H

#include "sample/session.h"
#include "util/buf.h"

struct progress {
	bool enabled;
	uint64_t duration_ns; // 0 = unlimited
};

// Enabled only when stderr is a terminal that understands escapes, and hide is false.
void progress_init(struct progress *p, uint64_t duration_ns, bool hide);
// A record_progress_fn; arg is the struct progress. Draws in the foreground only.
void progress_draw(const struct record_stats *stats, void *arg);
// Removes the line.
void progress_clear(struct progress *p);
// The same for signal handlers.
void progress_abort(void);

// Appends the text of the line without any control bytes, cut to the columns.
void progress_text(const struct record_stats *stats, uint64_t duration_ns, unsigned columns,
		   struct buf *line);

#endif
