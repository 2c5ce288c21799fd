// SPDX-License-Identifier: MIT
// The output formats of a recording, and the two writers of a dump.
#ifndef PYATTACH_OUTPUT_FORMAT_H
#define PYATTACH_OUTPUT_FORMAT_H

#include "model/process.h"
#include "model/profile.h"
#include "util/buf.h"

struct format {
	const char *name;            // as given to --format
	const char *const *aliases;  // NULL-terminated
	const char *const *suffixes; // of file names, with the dot, NULL-terminated; the first is
				     // that of default names
	const char *summary; // one line for --help
	// Appends the whole file. The profile is finished (profile_finish). Returns 0 or -ENOMEM.
	int (*write)(const struct profile *p, struct buf *out);
};

// All formats, NULL-terminated; the first is the default.
extern const struct format *const formats[];

// By name or alias, in any case; NULL when unknown.
const struct format *format_by_name(const char *name);
// By the suffix of a file name, in any case; NULL when none fits.
const struct format *format_by_path(const char *path);

// Appends "name (file:line)" for a Python frame, "name (file)" where the profile has no lines, the
// bare text of a mark; the file is the short one unless the profile says full_file; what is unknown
// is a question mark. Nothing is escaped.
void format_frame(const struct profile *p, uint32_t frame, struct buf *out);

struct dump_options {
	bool full_file; // full file names in the text form
};

// A dump as text (py-spy's line shapes) and as one JSON object (schema pyattach.dump/1).
int dump_text(const struct process *processes, size_t n, const struct dump_options *o,
	      struct buf *out);
int dump_json(const struct process *processes, size_t n, const struct dump_options *o,
	      struct buf *out);

#endif
