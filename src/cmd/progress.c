// SPDX-License-Identifier: MIT
// The line on a terminal that tells how a recording goes.
#include "cmd/progress.h"

#include "cmd/summary.h"
#include "util/cleanup.h"
#include "util/fs.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define DEFAULT_COLUMNS 80
#define ERASE_LINE      "\r\x1b[K"

static volatile sig_atomic_t drawn;

void progress_init(struct progress *p, uint64_t duration_ns, bool hide)
{
	const char *term = getenv("TERM");
	*p = (struct progress){
		.enabled = !hide && isatty(STDERR_FILENO) && term && *term && strcmp(term, "dumb"),
		.duration_ns = duration_ns,
	};
}

// A background job must leave the terminal alone: it would be stopped, or disturb what is shown.
static bool in_foreground(void)
{
	return tcgetpgrp(STDERR_FILENO) == getpgrp();
}

void progress_text(const struct record_stats *stats, uint64_t duration_ns, unsigned columns,
		   struct buf *line)
{
	size_t start = line->len;
	buf_str(line, "Recording: ");
	summary_seconds(stats->elapsed_ns, line);
	if (duration_ns) {
		buf_str(line, " of ");
		summary_seconds(duration_ns, line);
	}
	buf_printf(line, " s, %llu samples, %.4g Hz", (unsigned long long)stats->samples,
		   summary_rate(stats));
	if (stats->late)
		buf_printf(line, ", %llu late", (unsigned long long)stats->late);
	if (stats->torn + stats->ended)
		buf_printf(line, ", %llu dropped",
			   (unsigned long long)(stats->torn + stats->ended));
	if (!duration_ns)
		buf_str(line, "; Ctrl-C ends it");
	if (!line->failed && line->len - start > columns) {
		line->len = start + columns;
		line->data[line->len] = '\0';
	}
}

void progress_draw(const struct record_stats *stats, void *arg)
{
	const struct progress *p = arg;
	if (!p->enabled || !in_foreground())
		return;
	struct winsize size = {0};
	unsigned columns = DEFAULT_COLUMNS;
	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
		columns = size.ws_col;
	CLEANUP(buf_release) struct buf line = {0};
	buf_str(&line, ERASE_LINE);
	// The last column stays free: some terminals wrap as soon as it is filled.
	progress_text(stats, p->duration_ns, columns - 1, &line);
	drawn = 1;
	fs_write_all(STDERR_FILENO, buf_text(&line), line.len);
}

void progress_clear(struct progress *p)
{
	if (drawn && in_foreground())
		fs_write_all(STDERR_FILENO, ERASE_LINE, strlen(ERASE_LINE));
	drawn = 0;
	p->enabled = false;
}

void progress_abort(void)
{
	if (drawn && in_foreground() && write(STDERR_FILENO, ERASE_LINE, strlen(ERASE_LINE)) < 0)
		drawn = 0;
}
