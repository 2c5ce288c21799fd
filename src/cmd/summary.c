// SPDX-License-Identifier: MIT
// What a recording says at its end.
#include "cmd/summary.h"

#include "util/clock.h"
#include "util/term.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define TOP_FUNCTIONS 5

void summary_seconds(uint64_t ns, struct buf *out)
{
	uint64_t tenths = (ns + NS_PER_SEC / 20) / (NS_PER_SEC / 10);
	buf_printf(out, "%llu", (unsigned long long)(tenths / 10));
	if (tenths % 10)
		buf_printf(out, ".%llu", (unsigned long long)(tenths % 10));
}

double summary_rate(const struct record_stats *stats)
{
	if (!stats->elapsed_ns)
		return 0;
	return (double)stats->ticks * (double)NS_PER_SEC / (double)stats->elapsed_ns;
}

void summary_title(pid_t pid, const char *python, const struct record_options *o,
		   const struct record_stats *stats, struct buf *out)
{
	buf_printf(out, "pyattach: pid %d, Python %s, ", (int)pid, python);
	summary_seconds(stats->elapsed_ns, out);
	buf_printf(out, " s at %.6g Hz", o->rate_hz);
}

static void add_count(struct buf *out, uint64_t n, const char *one, const char *many)
{
	buf_printf(out, "%llu %s", (unsigned long long)n, n == 1 ? one : many);
}

void summary_note(const struct record_options *o, const struct record_stats *stats, struct buf *out)
{
	if (stats->samples)
		return;
	buf_str(out, "Nothing was sampled: ");
	uint64_t looks = stats->idle + stats->torn + stats->ended;
	if (!looks && stats->end == RECORD_EXITED) {
		buf_str(out, "the process ended before the first sample.");
	} else if (!stats->ticks) {
		buf_str(out, "the recording ended before the first look at the process.");
	} else if (!looks) {
		buf_str(out, "the process had no Python thread.");
	} else if (!stats->idle) {
		add_count(out, looks, "look", "looks");
		buf_str(out, " at the process, none could be read whole.");
	} else {
		add_count(out, stats->idle, "look", "looks");
		buf_str(out, " at ");
		add_count(out, stats->threads, "thread", "threads");
		if (o->gil)
			buf_str(out, ", none held the GIL.");
		else
			buf_str(out, ", none was running. Use --idle to count idle threads.");
	}
}

// ", 3 WHAT" for each count that is not zero.
static void add_part(struct buf *out, uint64_t n, const char *what, bool *first)
{
	if (!n)
		return;
	buf_printf(out, "%s%llu %s", *first ? "" : ", ", (unsigned long long)n, what);
	*first = false;
}

static double share(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

static void add_counts(struct buf *out, const struct record_options *o,
		       const struct record_stats *stats)
{
	buf_str(out, "Recorded ");
	add_count(out, stats->samples, "sample", "samples");
	buf_str(out, " of ");
	add_count(out, stats->threads, "thread", "threads");
	buf_str(out, " in ");
	summary_seconds(stats->elapsed_ns, out);
	buf_printf(out, " s; rate %.4g Hz, asked %.6g Hz; own CPU %.2f %% of a core\n",
		   summary_rate(stats), o->rate_hz, share(stats->cpu_ns, stats->elapsed_ns));
	bool first = true;
	buf_str(out, "Dropped: ");
	add_part(out, stats->late, "too late", &first);
	add_part(out, stats->torn, "changed while read", &first);
	add_part(out, stats->ended, "at the end of a thread", &first);
	buf_str(out, first ? "nothing\n" : "\n");
	if (stats->idle)
		buf_printf(out, "Left out: %llu looks at threads %s\n",
			   (unsigned long long)stats->idle,
			   o->gil ? "without the GIL" : "that were not running");
	if (stats->moving)
		buf_printf(out, "Moving: %.1f %% of the samples, their leaf counts as [moving]\n",
			   share(stats->moving, stats->samples));
}

static void add_function(struct buf *out, const struct profile *p, const struct profile_top *top)
{
	const struct frame *f = frame_table_get(p->frames, top->frame);
	uint32_t file = p->info.full_file ? f->file : f->short_file;
	buf_printf(out, "  %5.1f %% self  %5.1f %% total  ", share(top->self, p->samples),
		   share(top->total, p->samples));
	term_escape(out, frame_table_text(p->frames, f->name),
		    frame_table_text_len(p->frames, f->name));
	buf_str(out, " (");
	term_escape(out, frame_table_text(p->frames, file), frame_table_text_len(p->frames, file));
	int line = f->first_line > 0 ? f->first_line : f->line;
	if (line > 0)
		buf_printf(out, ":%d", line);
	buf_str(out, ")\n");
}

int summary_text(const struct profile *p, const struct record_options *o,
		 const struct record_stats *stats, const char *output, struct buf *out)
{
	struct profile_top top[TOP_FUNCTIONS];
	size_t n = 0;
	int rc = profile_top(p, top, TOP_FUNCTIONS, &n);
	if (rc < 0)
		return rc;
	if (p->info.note)
		buf_printf(out, "%s\n", p->info.note);
	if (stats->end == RECORD_EXITED)
		buf_str(out,
			"The process ended, or executed another program, during the recording\n");
	add_counts(out, o, stats);
	if (n)
		buf_str(out, "Functions with most samples:\n");
	for (size_t i = 0; i < n; i++)
		add_function(out, p, &top[i]);
	buf_str(out, "Output: ");
	term_escape(out, output, strlen(output));
	buf_char(out, '\n');
	return out->failed;
}
