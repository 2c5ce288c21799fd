// SPDX-License-Identifier: MIT
// The list of formats, and how one is found.
#include "output/formats.h"

#include "output/frame_text.h"

#include <string.h>
#include <strings.h>

const struct format *const formats[] = {
#define X(name) &fmt_##name,
	FORMATS(X)
#undef X
		NULL,
};

const struct format *format_by_name(const char *name)
{
	for (const struct format *const *f = formats; *f; f++) {
		if (!strcasecmp((*f)->name, name))
			return *f;
		for (const char *const *alias = (*f)->aliases; *alias; alias++) {
			if (!strcasecmp(*alias, name))
				return *f;
		}
	}
	return NULL;
}

const struct format *format_by_path(const char *path)
{
	size_t len = strlen(path);
	for (const struct format *const *f = formats; *f; f++) {
		for (const char *const *suffix = (*f)->suffixes; *suffix; suffix++) {
			size_t n = strlen(*suffix);
			if (len >= n && !strcasecmp(path + len - n, *suffix))
				return *f;
		}
	}
	return NULL;
}

void format_frame(const struct profile *p, uint32_t frame, struct buf *out)
{
	struct frame_style style = {
		.full_file = p->info.full_file,
		.no_line = p->info.no_line,
	};
	frame_text(p->frames, frame, style, out);
}
