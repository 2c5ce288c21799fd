// SPDX-License-Identifier: MIT
// What a recording says at its end.
#ifndef PYATTACH_CMD_SUMMARY_H
#define PYATTACH_CMD_SUMMARY_H

#include "model/profile.h"
#include "sample/session.h"
#include "util/buf.h"

// Seconds with one decimal, without a trailing ".0".
void summary_seconds(uint64_t ns, struct buf *out);
// Looks a second that were reached; 0 when there was no time.
double summary_rate(const struct record_stats *stats);

// One line for the top of a picture: which process, which Python, how long, how often. Nothing of
// the target's arguments, which may hold secrets.
void summary_title(pid_t pid, const char *python, const struct record_options *o,
		   const struct record_stats *stats, struct buf *out);

// When nothing was sampled: one sentence that says why. Otherwise adds nothing.
void summary_note(const struct record_options *o, const struct record_stats *stats,
		  struct buf *out);

// The whole summary in lines, ready for a terminal; the last one names the output. p is finished.
// Returns 0 or -ENOMEM.
int summary_text(const struct profile *p, const struct record_options *o,
		 const struct record_stats *stats, const char *output, struct buf *out);

#endif
