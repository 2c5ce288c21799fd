// SPDX-License-Identifier: MIT
// One inspection of one process: attach, then a dump or a recording.
#ifndef PYATTACH_SAMPLE_SESSION_H
#define PYATTACH_SAMPLE_SESSION_H

#include "model/process.h"
#include "model/profile.h"
#include "util/err.h"

struct session;

// Attaches (target_open_pid, py_open). offsets_text: the text of an offsets table that replaces
// the built-in choice, or NULL; offsets_name names it in errors. Raises RLIMIT_NOFILE.
int session_open(pid_t pid, const char *offsets_text, const char *offsets_name,
		 struct session **ret, struct err *err);
void session_close(struct session *s); // NULL-safe

// "3.11.7"; valid until close.
const char *session_python(const struct session *s);
// The pid and name of another tool that traces the target; 0 = none.
pid_t session_tracer(const struct session *s, char *name, size_t size);

// One look at every thread. p is filled; release it with process_release before the session is
// closed (its frames belong to the session).
int session_dump(struct session *s, struct process *p, struct err *err);

struct record_options {
	uint64_t duration_ns; // wall time; 0 = until stopped
	double rate_hz;
	bool threads;   // a root "thread (TID): NAME" per thread
	bool gil;       // only the thread that holds its interpreter's GIL, also when blocked
	bool idle;      // also threads that are not running
	bool functions; // merge by function: every line becomes the function's first
	bool no_line;   // merge by function and file: no line at all
	bool full_file;
};

enum record_end {
	RECORD_DONE,    // the duration is over
	RECORD_STOPPED, // asked to
	RECORD_EXITED,  // the target ended or called execve
};

// What happened; also what the progress line shows.
struct record_stats {
	uint64_t elapsed_ns;
	uint64_t ticks;   // instants at which the target was looked at
	uint64_t late;    // instants missed because an earlier one took too long
	uint64_t samples; // stacks counted
	uint64_t moving;  // of these: leaf unknown, counted as [moving]
	uint64_t torn;    // thread looks dropped: nothing in both copies agreed, or unreadable
	uint64_t idle;    // thread looks left out as not running (or not holding the GIL)
	uint64_t ended;   // threads whose end was met while they were still listed
	uint64_t threads; // distinct threads seen
	uint64_t cpu_ns;  // our own CPU time during the recording
	enum record_end end;
};

// Called a few times a second between two ticks, with the statistics so far.
typedef void record_progress_fn(const struct record_stats *stats, void *arg);

// Records into p (not finished; its frame table must be session_frames). stop is polled and also
// ends a sleep (signal handlers set it). What was sampled is in p whatever is returned.
int session_record(struct session *s, const struct record_options *o, const volatile int *stop,
		   record_progress_fn *progress, void *arg, struct profile *p,
		   struct record_stats *stats, struct err *err);

struct frame_table *session_frames(struct session *s);

#endif
