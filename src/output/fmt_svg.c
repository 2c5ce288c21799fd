// SPDX-License-Identifier: MIT
// The flame graph as one SVG file: root on top, readable as it is, and alive in a browser.
#include "output/escape.h"
#include "output/flamegraph.h"
#include "output/formats.h"
#include "util/cleanup.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

// The same numbers are in flamegraph.js.
#define WIDTH    1200
#define MARGIN   10
#define INNER    (WIDTH - 2 * MARGIN)
#define HEAD     86 // height above the boxes
#define ROW      18 // height of a row, of which a box takes BOX
#define BOX      17
#define BASELINE 1250 // of a box's text, from its top; hundredths
#define INDENT   4    // of a box's text
#define COLUMN   730  // width of one character, rounded up; hundredths
#define FRAMED   3    // a box of this width gets an edge

// Boxes narrower than a tenth of a pixel are left out.
#define PARTS (INNER * UINT64_C(10))

// Made from the files of that name.
extern const char flamegraph_css[], flamegraph_js[];
extern const size_t flamegraph_css_len, flamegraph_js_len;

struct picture {
	const struct profile *p;
	struct flamegraph fg;
	struct buf plain; // scratch: a frame's text
	struct buf shown; // scratch: the same without controls
	struct buf cut;   // scratch: as much of it as fits
};

static void picture_release(struct picture *pic)
{
	flamegraph_release(&pic->fg);
	buf_release(&pic->plain);
	buf_release(&pic->shown);
	buf_release(&pic->cut);
}

// To hundredths, of what is not negative.
static long long hundredths_of(double value)
{
	return (long long)(value * 100 + 0.5);
}

// A number with at most two decimals and a point, whatever the locale.
static void add_number(struct buf *out, long long hundredths)
{
	buf_printf(out, "%lld", hundredths / 100);
	if (hundredths % 10)
		buf_printf(out, ".%02lld", hundredths % 100);
	else if (hundredths % 100)
		buf_printf(out, ".%lld", hundredths % 100 / 10);
}

static void add_percent(struct buf *out, uint64_t part, uint64_t whole)
{
	long long hundredths = whole ? hundredths_of((double)part * 100 / (double)whole) : 0;
	buf_printf(out, "%lld.%02lld %%", hundredths / 100, hundredths % 100);
}

static void add_samples(struct buf *out, uint64_t samples)
{
	buf_printf(out, "%" PRIu64 " sample%s", samples, samples == 1 ? "" : "s");
}

// Where a box that begins after so many samples begins, in hundredths of a pixel: it ends exactly
// where the next one begins.
static long long left_of(const struct picture *pic, uint64_t start)
{
	return hundredths_of(MARGIN + (double)start * INNER / (double)pic->p->samples);
}

static void set_shown(struct picture *pic, uint32_t node)
{
	buf_clear(&pic->plain);
	buf_clear(&pic->shown);
	if (node)
		format_frame(pic->p, pic->p->nodes[node].frame, &pic->plain);
	else
		buf_str(&pic->plain, "all");
	escape_visible(&pic->shown, buf_text(&pic->plain), pic->plain.len);
}

// What the box's width has room for; nothing when that is too little.
static void add_box_text(struct picture *pic, long long x, long long y, long long width,
			 struct buf *out)
{
	if (width < 200 * INDENT + COLUMN)
		return;
	buf_clear(&pic->cut);
	text_cut(&pic->cut, buf_text(&pic->shown), pic->shown.len,
		 (size_t)((width - 200 * INDENT) / COLUMN));
	if (!pic->cut.len)
		return;
	buf_str(out, "<text x=\"");
	add_number(out, x + 100 * INDENT);
	buf_str(out, "\" y=\"");
	add_number(out, y + BASELINE);
	buf_str(out, "\">");
	escape_xml(out, buf_text(&pic->cut), pic->cut.len);
	buf_str(out, "</text>");
}

static void add_box(struct picture *pic, const struct flamegraph_box *box, struct buf *out)
{
	const struct profile_node *node = &pic->p->nodes[box->node];
	long long x = left_of(pic, box->start), end = left_of(pic, box->start + node->total);
	long long y = 100 * (HEAD + (long long)box->depth * ROW), width = end - x;
	set_shown(pic, box->node);
	buf_printf(out, "<g data-x=\"%" PRIu64 "\" data-samples=\"%" PRIu64 "\"", box->start,
		   node->total);
	if (node->self)
		buf_printf(out, " data-self=\"%" PRIu64 "\"", node->self);
	buf_printf(out, " data-depth=\"%u\"><title>", box->depth);
	escape_xml(out, buf_text(&pic->shown), pic->shown.len);
	buf_str(out, " \xe2\x80\x94 ");
	add_samples(out, node->total);
	buf_str(out, ", ");
	add_percent(out, node->total, pic->p->samples);
	buf_printf(out, "</title><rect%s x=\"", width < 100 * FRAMED ? "" : " class=\"w\"");
	add_number(out, x);
	buf_str(out, "\" y=\"");
	add_number(out, y);
	buf_str(out, "\" width=\"");
	add_number(out, width);
	buf_printf(out, "\" height=\"%d\" fill=\"%s\"/>", BOX,
		   box->node ? flamegraph_colour(pic->p, node->frame) : "#dfe1e5");
	add_box_text(pic, x, y, width, out);
	buf_str(out, "</g>\n");
}

// "1500 samples, 100 Hz, 15 s", and what is not shown.
static void add_summary(const struct picture *pic, struct buf *out)
{
	const struct profile_info *info = &pic->p->info;
	add_samples(out, pic->p->samples);
	if (info->rate_hz > 0 && info->rate_hz < 1e12) {
		buf_str(out, ", ");
		add_number(out, hundredths_of(info->rate_hz));
		buf_str(out, " Hz");
	}
	if (info->duration_ns) {
		buf_str(out, ", ");
		add_number(out, hundredths_of((double)info->duration_ns / 1e9));
		buf_str(out, " s");
	}
	if (!pic->fg.left_out)
		return;
	buf_printf(out, "; %zu box%s (", pic->fg.left_out, pic->fg.left_out == 1 ? "" : "es");
	add_percent(out, pic->fg.left_out_sum, pic->p->samples);
	buf_str(out, ") too narrow to draw");
}

static const char *title_of(const struct profile *p)
{
	return p->info.title && *p->info.title ? p->info.title : "Flame graph";
}

static void add_script_or_style(const char *tag, const char *text, size_t len, struct buf *out)
{
	buf_printf(out, "<%s><![CDATA[\n", tag);
	buf_add(out, text, len);
	buf_printf(out, "]]></%s>\n", tag);
}

static void add_opening(const struct picture *pic, long height, struct buf *out)
{
	const char *title = title_of(pic->p);
	buf_str(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
	buf_printf(out,
		   "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"pyattach\" width=\"%d\" "
		   "height=\"%ld\" viewBox=\"0 0 %d %ld\" data-samples=\"%" PRIu64 "\">\n<title>",
		   WIDTH, height, WIDTH, height, pic->p->samples);
	escape_xml(out, title, strlen(title));
	buf_str(out, "</title>\n<desc>");
	add_summary(pic, out);
	buf_str(out,
		". A box is a function on a line; what it calls lies below it. Its width is its "
		"share of the samples. Boxes narrower than a tenth of a pixel are left out; "
		"their samples count in the boxes above them.</desc>\n");
	add_script_or_style("style", flamegraph_css, flamegraph_css_len, out);
	buf_str(out, "<rect class=\"page\" width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n");
}

// One line of the head, cut to the width.
static void add_head_line(const char *kind, int y, int column, const struct buf *text,
			  struct buf *out)
{
	CLEANUP(buf_release) struct buf shown = {0}, cut = {0};
	escape_visible(&shown, buf_text(text), text->len);
	text_cut(&cut, buf_text(&shown), shown.len, INNER / (size_t)column);
	buf_printf(out, "<text class=\"%s\" x=\"%d\" y=\"%d\">", kind, MARGIN, y);
	escape_xml(out, buf_text(&cut), cut.len);
	buf_str(out, "</text>\n");
	if (shown.failed || cut.failed)
		out->failed = -ENOMEM;
}

// Behind the boxes, so that it covers them when it stays in place while they scroll.
static void add_head(const struct picture *pic, struct buf *out)
{
	CLEANUP(buf_release) struct buf title = {0}, summary = {0};
	buf_str(&title, title_of(pic->p));
	add_summary(pic, &summary);
	buf_printf(out,
		   "<g class=\"head\">\n<rect class=\"page\" width=\"100%%\" height=\"%d\" "
		   "fill=\"#fff\"/>\n",
		   HEAD - 4);
	add_head_line("name", 28, 10, &title, out);
	add_head_line("summary", 50, 7, &summary, out);
	buf_str(out, "</g>\n");
	if (title.failed || summary.failed)
		out->failed = -ENOMEM;
}

// Why there are no boxes, broken into lines at blanks. Returns the height it takes.
static int add_note(const char *note, struct buf *out)
{
	CLEANUP(buf_release) struct buf shown = {0};
	const size_t columns = 110;
	int y = HEAD + 24;
	escape_visible(&shown, note, strlen(note));
	const char *s = buf_text(&shown), *end = s + shown.len;
	while (s < end) {
		size_t len = 0, last = 0;
		while (s + len < end && text_columns(s, len + 1) <= columns) {
			len++;
			if (s[len - 1] == ' ')
				last = len;
		}
		if (s + len < end && last)
			len = last;
		while (s + len < end && (s[len] & 0xc0) == 0x80)
			len++;
		buf_printf(out, "<text class=\"note\" x=\"%d\" y=\"%d\">", MARGIN, y);
		escape_xml(out, s, len);
		buf_str(out, "</text>\n");
		s += len;
		y += 22;
	}
	if (shown.failed)
		out->failed = -ENOMEM;
	return y - HEAD;
}

static void add_boxes(struct picture *pic, struct buf *out)
{
	buf_str(out, "<g class=\"boxes\">\n");
	for (size_t i = 0; i < pic->fg.n; i++)
		add_box(pic, &pic->fg.boxes[i], out);
	buf_str(out, "</g>\n");
	if (pic->plain.failed || pic->shown.failed || pic->cut.failed)
		out->failed = -ENOMEM;
}

static int write_svg(const struct profile *p, struct buf *out)
{
	CLEANUP(picture_release) struct picture pic = {.p = p};
	CLEANUP(buf_release) struct buf note = {0};
	int rc = flamegraph_layout(p, PARTS, &pic.fg);
	if (rc < 0)
		return rc;
	long height = HEAD + (long)pic.fg.rows * ROW + MARGIN;
	if (!p->samples)
		height += add_note(p->info.note ? p->info.note : "Nothing was sampled.", &note);
	add_opening(&pic, height, out);
	add_boxes(&pic, out);
	buf_add(out, buf_text(&note), note.len);
	add_head(&pic, out);
	add_script_or_style("script", flamegraph_js, flamegraph_js_len, out);
	buf_str(out, "</svg>\n");
	return note.failed ? note.failed : out->failed;
}

const struct format fmt_svg = {
	.name = "svg",
	.aliases = (const char *const[]){"flamegraph", NULL},
	.suffixes = (const char *const[]){".svg", NULL},
	.summary = "flame graph to open in a browser",
	.write = write_svg,
};
