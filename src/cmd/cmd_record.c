// SPDX-License-Identifier: MIT
// pyattach record: samples a process for a while and writes a profile.
#include "cmd/attach.h"
#include "cmd/command.h"
#include "cmd/outfile.h"
#include "cmd/progress.h"
#include "cmd/record_args.h"
#include "cmd/stop.h"
#include "cmd/summary.h"
#include "util/cleanup.h"
#include "util/fs.h"

#include <errno.h>
#include <time.h>
#include <unistd.h>

static void cleanup_profile(struct profile **p)
{
	profile_free(*p);
}

static int no_memory(struct err *err)
{
	return err_set(err, -ENOMEM, "Out of memory.");
}

static int open_output(const struct record_args *args, struct outfile **ret, struct err *err)
{
	if (args->output)
		return outfile_open(args->output, OUTFILE_REPLACE, ret, err);
	CLEANUP(buf_release) struct buf name = {0};
	outfile_default_name(args->common.pid, time(NULL), args->format->suffixes[0], &name);
	if (name.failed)
		return no_memory(err);
	return outfile_open(buf_text(&name), OUTFILE_NEW, ret, err);
}

// What the profile says of itself.
static int describe(const struct record_args *args, const struct session *s,
		    const struct record_stats *stats, struct profile *p)
{
	CLEANUP(buf_release) struct buf title = {0}, note = {0};
	p->info.no_line = args->record.no_line;
	p->info.full_file = args->record.full_file;
	p->info.rate_hz = args->record.rate_hz;
	p->info.duration_ns = stats->elapsed_ns;
	summary_title(args->common.pid, session_python(s), &args->record, stats, &title);
	summary_note(&args->record, stats, &note);
	if (title.failed || note.failed || profile_set_text(&p->info.title, buf_text(&title)) < 0)
		return -ENOMEM;
	return note.len ? profile_set_text(&p->info.note, buf_text(&note)) : 0;
}

static int write_profile(const struct record_args *args, struct profile *p, struct outfile *f,
			 struct err *err)
{
	CLEANUP(buf_release) struct buf content = {0};
	int rc = profile_finish(p);
	if (rc == 0)
		rc = args->format->write(p, &content);
	if (rc < 0 || content.failed)
		return no_memory(err);
	return outfile_commit(f, buf_text(&content), content.len, err);
}

static int print_summary(const struct record_args *args, const struct record_stats *stats,
			 const struct profile *p, const struct outfile *f, struct err *err)
{
	CLEANUP(buf_release) struct buf text = {0};
	if (summary_text(p, &args->record, stats, outfile_path(f), &text) < 0)
		return no_memory(err);
	fs_write_all(STDERR_FILENO, buf_text(&text), text.len);
	return 0;
}

static int record(const struct record_args *args, struct session *s, struct outfile *f,
		  struct err *err)
{
	CLEANUP(cleanup_profile) struct profile *p = profile_new(session_frames(s));
	if (!p)
		return no_memory(err);
	struct progress progress;
	struct record_stats stats = {0};
	progress_init(&progress, args->record.duration_ns, args->hide_progress);
	int recorded = session_record(s, &args->record, stop_flag(), progress_draw, &progress, p,
				      &stats, err);
	progress_clear(&progress);
	if (recorded < 0 && !stats.samples)
		return recorded;
	if (describe(args, s, &stats, p) < 0)
		return no_memory(err);
	// An error of the recording is the one to be told, but what was sampled is not lost.
	int rc = write_profile(args, p, f, recorded < 0 ? NULL : err);
	if (rc == 0)
		rc = print_summary(args, &stats, p, f, recorded < 0 ? NULL : err);
	if (recorded < 0)
		return recorded;
	if (rc < 0)
		return rc;
	return p->info.note ? PA_EXIT_EMPTY : PA_EXIT_OK;
}

static int run(int argc, char **argv, struct err *err)
{
	struct record_args args;
	int rc = record_args_parse(argc, argv, &args, err);
	if (rc != 0)
		return rc < 0 ? rc : PA_EXIT_OK;
	stop_install();
	CLEANUP(cleanup_session) struct session *s = NULL;
	rc = attach(&args.common, &s, err);
	if (rc < 0)
		return rc;
	CLEANUP(cleanup_outfile) struct outfile *f = NULL;
	rc = open_output(&args, &f, err);
	if (rc < 0)
		return rc;
	return record(&args, s, f, err);
}

const struct command cmd_record = {
	"record",
	"sample a process for a while and write a flame graph",
	run,
};
