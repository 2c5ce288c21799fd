// SPDX-License-Identifier: MIT
// Profiles and processes made in code, for the tests of every output.
#include "tests/lib/samples.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Running out of memory ends a test's program: nothing here returns an error.
static void must(int rc)
{
	if (rc < 0)
		abort();
}

static uint32_t text_n(struct frame_table *ft, const char *s, size_t len)
{
	uint32_t id;
	must(frame_table_string(ft, s, len, &id));
	return id;
}

static uint32_t text(struct frame_table *ft, const char *s)
{
	return text_n(ft, s, strlen(s));
}

static uint32_t mark(struct frame_table *ft, const char *s)
{
	uint32_t id;
	must(frame_table_mark(ft, s, &id));
	return id;
}

// short_file "pkg/mod.py" lies in /srv/app and is module pkg.mod.
static uint32_t function(struct frame_table *ft, const char *name, const char *short_file, int line,
			 int first_line)
{
	char file[256], module[256];
	snprintf(file, sizeof(file), "/srv/app/%s", short_file);
	snprintf(module, sizeof(module), "%.*s", (int)strcspn(short_file, "."), short_file);
	for (char *c = module; *c; c++) {
		if (*c == '/')
			*c = '.';
	}
	struct frame frame = {
		.kind = FRAME_PYTHON,
		.name = text(ft, name),
		.file = text(ft, file),
		.short_file = text(ft, short_file),
		.module = text(ft, module),
		.line = line,
		.first_line = first_line,
	};
	uint32_t id;
	must(frame_table_add(ft, &frame, &id));
	return id;
}

// "name@file:line" or a mark's text.
static uint32_t frame_of(struct frame_table *ft, char *spec)
{
	char *at = strchr(spec, '@');
	char *colon = at ? strchr(at, ':') : NULL;
	if (!colon)
		return mark(ft, spec);
	*at = *colon = '\0';
	int line = atoi(colon + 1);
	return function(ft, spec, at + 1, line, line > 10 ? line - 7 : line ? 1 : 0);
}

struct stack_row {
	const char *frames; // root first, separated by '|'
	uint64_t samples;
};

static void add_rows(struct profile *p, const struct stack_row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		char copy[1024], *save = NULL;
		uint32_t stack[64];
		size_t depth = 0;
		snprintf(copy, sizeof(copy), "%s", rows[i].frames);
		for (char *s = strtok_r(copy, "|", &save); s; s = strtok_r(NULL, "|", &save))
			stack[depth++] = frame_of(p->frames, s);
		must(profile_add(p, stack, depth, rows[i].samples));
	}
}

#define ADD_ROWS(p, rows) add_rows(p, rows, sizeof(rows) / sizeof((rows)[0]))

#define SERVE                                                                                      \
	"thread (4242): MainThread|<module>@server.py:88|main@server.py:81|"                       \
	"serve_forever@socketserver.py:238|_handle_request_noblock@socketserver.py:316|"
#define HANDLE                                                                                     \
	SERVE "process_request@socketserver.py:347|finish_request@socketserver.py:360|"            \
	      "Handler.handle@http/server.py:436|Handler.do_GET@server.py:52|"
#define WORKER                                                                                     \
	"thread (4250): parser|Thread._bootstrap@threading.py:995|"                                \
	"Thread._bootstrap_inner@threading.py:1038|Thread.run@threading.py:975|"                   \
	"parse_loop@feed/parser.py:40|"

static void fill_server(struct profile *p)
{
	static const struct stack_row rows[] = {
		{HANDLE "render@views/page.py:31|Template.render@views/template.py:120|"
			"Template._expand@views/template.py:98",
		 412},
		{HANDLE "render@views/page.py:31|Template.render@views/template.py:120|"
			"Template._expand@views/template.py:101|escape@html/__init__.py:19",
		 203},
		{HANDLE "render@views/page.py:31|Template.render@views/template.py:124", 37},
		{HANDLE "render@views/page.py:33|dumps@json/__init__.py:231|"
			"JSONEncoder.encode@json/encoder.py:200|"
			"JSONEncoder.iterencode@json/encoder.py:258",
		 190},
		{HANDLE "query@store/db.py:77|Cursor.execute@store/db.py:41|_bind@store/db.py:18",
		 88},
		{HANDLE "query@store/db.py:77|Cursor.execute@store/db.py:44|[moving]", 61},
		{HANDLE "log@server.py:60|Logger.info@logging/__init__.py:1489", 22},
		{SERVE "verify_request@socketserver.py:340", 3},
		{WORKER
		 "parse@feed/parser.py:21|tokens@feed/lexer.py:66|<genexpr>@feed/lexer.py:70",
		 301},
		{WORKER "parse@feed/parser.py:21|tokens@feed/lexer.py:66", 98},
		{WORKER "parse@feed/parser.py:24|parse@feed/parser.py:24|parse@feed/parser.py:21|"
			"tokens@feed/lexer.py:66",
		 45},
		{WORKER "parse@feed/parser.py:26", 37},
		{"thread (4251): C pool|[no Python frame]", 3},
	};
	ADD_ROWS(p, rows);
	must(profile_set_text(&p->info.title, "pid 4242: python3 server.py --port 8080"));
	p->info.duration_ns = UINT64_C(15000000000);
}

// Percentages that a person can check: a nested match, a match beside it, and recursion.
static void fill_shares(struct profile *p)
{
	static const struct stack_row rows[] = {
		{"main@app.py:10|hot@app.py:20|hot_inner@lib/core.py:5", 30},
		{"main@app.py:10|hot@app.py:20", 20},
		{"main@app.py:10|cold@app.py:30", 25},
		{"main@app.py:10|cold@app.py:30|a.b@lib/core.py:7", 5},
		{"main@app.py:10|fact@rec.py:2|fact@rec.py:2|fact@rec.py:2", 10},
		{"main@app.py:10", 10},
	};
	ADD_ROWS(p, rows);
}

static void fill_no_line(struct profile *p)
{
	static const struct stack_row rows[] = {
		{"main@app.py:0|run@lib/core.py:0", 3},
		{"main@app.py:0|[moving]", 2},
	};
	ADD_ROWS(p, rows);
	p->info.no_line = true;
}

static void fill_full_file(struct profile *p)
{
	static const struct stack_row rows[] = {
		{"main@app.py:4|run@lib/core.py:9", 3},
		{"main@app.py:4|unknown@lib/core.py:0", 1},
	};
	ADD_ROWS(p, rows);
	p->info.full_file = true;
}

// Samples that end at the root, as they would without any frame.
static void fill_root(struct profile *p)
{
	static const struct stack_row rows[] = {
		{"", 4},
		{"[no Python frame]", 2},
		{"main@app.py:1", 1},
	};
	ADD_ROWS(p, rows);
}

static void fill_nothing(struct profile *p)
{
	must(profile_set_text(&p->info.note,
			      "Nothing ran: in 5.0 s at 100 Hz all 3 threads of process 4242 were "
			      "idle at every one of 500 looks; use --idle to count idle threads "
			      "too, or record for longer than 5 s."));
	p->info.duration_ns = UINT64_C(5000000000);
}

// Text that would act if it were let through, and bytes that are none.
static const char *const hostile[] = {
	"<script>window.pwned=1;alert(1)</script>",
	"]]><script>window.pwned=2</script>",
	"</script></svg><svg onload=\"window.pwned=3\">",
	"\" onload=\"window.pwned=4\" x=\"",
	"' onmouseover='window.pwned=5",
	"&lt;b&gt;&#60;script&#62;&amp;",
	"<![CDATA[x]]>&quot;",
	"<!--<title>-->",
	"javascript:window.pwned=6",
	"a;b;c",
	"tab\there\r\nnewline",
	"bell\a escape\x1b[31m delete\x7f",
	"nul\\x00 \xc2\x9b csi \xc2\x85 nel",
	"bidi \xe2\x80\xae txt.exe \xe2\x80\xac",
	"\xef\xbf\xbe\xef\xbf\xbf nonchar",
	"\xed\xa0\x80 surrogate \\ud800",
	"\xff\xfe broken \xc3",
	"gr\xc3\xb6\xc3\x9f\x65 \xe5\x87\xbd\xe6\x95\xb0 \xf0\x9f\x90\x8d",
	"ends in blanks  \t ",
	"",
	" ",
	"%s%n%x {0} ${x}",
	" \xe2\x80\x94 9 samples, 100.00 %",
};

static void fill_hostile(struct profile *p)
{
	struct frame_table *ft = p->frames;
	for (size_t i = 0; i < sizeof(hostile) / sizeof(hostile[0]); i++) {
		const char *h = hostile[i];
		struct frame frame = {
			.name = text(ft, h), .file = text(ft, h), .module = text(ft, h), .line = 1};
		uint32_t stack[3];
		must(frame_table_add(ft, &frame, &stack[0]));
		frame.short_file = text(ft, "x.py");
		must(frame_table_add(ft, &frame, &stack[1]));
		stack[2] = mark(ft, h);
		must(profile_add(p, stack, 3, 10));
	}
	static const char *const marks[] = {"thread (7): worker 12",
					    "pool 1.5",
					    "pool 2.",
					    "\xc2\xa0"
					    "3",
					    "wide\xe3\x80\x80"
					    "4",
					    "5",
					    "v 6 7"};
	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		uint32_t m = mark(ft, marks[i]);
		must(profile_add(p, &m, 1, 1));
	}
	uint32_t nul = text_n(ft, "nul\0byte", 8);
	struct frame frame = {.name = nul, .file = nul, .line = INT32_MAX};
	uint32_t id;
	must(frame_table_add(ft, &frame, &id));
	must(profile_add(p, &id, 1, 1));
	must(profile_set_text(&p->info.title, "python </title><script>window.pwned=7</script> ]]> "
					      "\x1b[2J \xff"));
}

// Boxes of all widths down to those that are left out.
static void fill_narrow(struct profile *p)
{
	struct frame_table *ft = p->frames;
	uint32_t stack[3] = {function(ft, "main", "app.py", 1, 1)};
	for (int i = 0; i < 40; i++) {
		stack[1] = function(ft, "step", "app.py", i + 2, 2);
		stack[2] = function(ft, "leaf", "lib/leaf.py", i + 1, 1);
		must(profile_add(p, stack, 3, UINT64_C(1) << (i / 2)));
	}
}

#define DEEP 3000

static void fill_deep(struct profile *p)
{
	struct frame_table *ft = p->frames;
	uint32_t *stack = calloc(DEEP, sizeof(*stack));
	if (!stack)
		abort();
	for (int i = 0; i < DEEP; i++)
		stack[i] = function(ft, i == DEEP - 1 ? "bottom" : "descend", "deep.py", i % 50 + 1,
				    1);
	must(profile_add(p, stack, DEEP, 9));
	must(profile_add(p, stack, DEEP / 2, 1));
	free(stack);
}

// 100,000 nodes, all of them wide enough to be drawn.
static void fill_large(struct profile *p)
{
	struct frame_table *ft = p->frames;
	uint32_t stack[50];
	for (int column = 0; column < 2000; column++) {
		for (int row = 0; row < 50; row++)
			stack[row] = function(ft, row % 2 ? "Worker.dispatch" : "handle_item",
					      "pkg/long_module_name.py", column + row * 7 + 1, 1);
		must(profile_add(p, stack, 50, 3));
	}
}

static const struct {
	const char *name;
	void (*fill)(struct profile *p);
} fillers[] = {
	{"server", fill_server}, {"shares", fill_shares},       {"no_line", fill_no_line},
	{"root", fill_root},     {"full_file", fill_full_file}, {"nothing", fill_nothing},
	{"deep", fill_deep},     {"hostile", fill_hostile},     {"narrow", fill_narrow},
	{"large", fill_large},
};

const char *const sample_profiles[] = {"server",    "shares",  "no_line", "root",
				       "full_file", "nothing", "deep",    "hostile",
				       "narrow",    "large",   NULL};

struct profile *sample_profile(const char *name)
{
	for (size_t i = 0; i < sizeof(fillers) / sizeof(fillers[0]); i++) {
		if (strcmp(fillers[i].name, name) != 0)
			continue;
		struct frame_table *ft = frame_table_new();
		struct profile *p = ft ? profile_new(ft) : NULL;
		if (!p)
			abort();
		must(profile_set_text(&p->info.title, name));
		p->info.rate_hz = 100;
		fillers[i].fill(p);
		must(profile_finish(p));
		return p;
	}
	return NULL;
}

void sample_profile_free(struct profile *p)
{
	struct frame_table *ft = p->frames;
	profile_free(p);
	frame_table_free(ft);
}

static struct stack *thread(struct process *p, pid_t tid, char state, const char *name)
{
	struct stack *stack = stack_set_add(&p->threads);
	if (!stack)
		abort();
	stack->tid = tid;
	stack->thread_id = UINT64_C(0x7f0000001000) + (uint64_t)tid;
	stack->state = state;
	stack->active = state == 'R';
	stack->name = text(p->frames, name);
	return stack;
}

static void push(struct process *p, struct stack *stack, const char *spec)
{
	char copy[256];
	snprintf(copy, sizeof(copy), "%s", spec);
	must(stack_push(stack, frame_of(p->frames, copy)));
}

static void set_texts(struct process *p, const char *cmdline, const char *executable,
		      const char *python)
{
	p->cmdline = strdup(cmdline);
	p->cmdline_len = strlen(cmdline);
	p->executable = strdup(executable);
	if (!p->cmdline || !p->executable)
		abort();
	snprintf(p->python, sizeof(p->python), "%s", python);
}

static void fill_app(struct process *p)
{
	set_texts(p, "python3 server.py --port 8080", "/usr/bin/python3.11", "3.11.7");
	p->no_python = 2;
	struct stack *s = thread(p, 4242, 'R', "MainThread");
	s->is_main = s->owns_gil = true;
	push(p, s, "Template._expand@views/template.py:98");
	push(p, s, "render@views/page.py:31");
	push(p, s, "<module>@server.py:88");
	s = thread(p, 4250, 'S', "worker-1");
	push(p, s, "wait@threading.py:327");
	push(p, s, "unknown@threading.py:0");
	s = thread(p, 4251, 'R', "");
	s->moving = true;
	push(p, s, "run@pool.py:12");
	s = thread(p, 4252, 'D', "C pool");
	s->owns_gil = true;
	s->interp_id = 3;
	s = thread(p, 0, '?', "");
	s->interp_id = 4;
	s->truncated = true;
	push(p, s, "f@rec.py:2");
	push(p, s, "[1000 more frames]");
}

static void fill_hostile_process(struct process *p)
{
	set_texts(p, "python\n-c\x1b]0;owned\a \"\\ \xff", "/tmp/\xe2\x80\xae(deleted)\x9b",
		  "3.12.0");
	p->no_python = 1;
	for (size_t i = 0; i < sizeof(hostile) / sizeof(hostile[0]); i++) {
		struct stack *s = thread(p, (pid_t)(100 + i), 'S', hostile[i]);
		uint32_t h = text(p->frames, hostile[i]), id;
		struct frame frame = {
			.name = h, .file = h, .short_file = h, .module = h, .line = 9};
		must(frame_table_add(p->frames, &frame, &id));
		must(stack_push(s, id));
		frame.short_file = frame.module = 0;
		must(frame_table_add(p->frames, &frame, &id));
		must(stack_push(s, id));
	}
	struct stack *s = thread(p, 0, 'S', "");
	s->thread_id = UINT64_MAX;
	s->name = text_n(p->frames, "nul\0byte", 8);
	s->interp_id = INT64_MIN;
	must(stack_push(s, UINT32_MAX)); // a frame that nobody knows
}

// A process of which next to nothing is known.
static void fill_bare(struct process *p)
{
	snprintf(p->python, sizeof(p->python), "3.8.20");
}

static const struct {
	const char *name;
	void (*fill)(struct process *p);
} process_fillers[] = {
	{"app", fill_app},
	{"hostile", fill_hostile_process},
	{"bare", fill_bare},
};

const char *const sample_processes[] = {"app", "hostile", "bare", NULL};

struct process *sample_process(const char *name)
{
	for (size_t i = 0; i < sizeof(process_fillers) / sizeof(process_fillers[0]); i++) {
		if (strcmp(process_fillers[i].name, name) != 0)
			continue;
		struct process *p = calloc(1, sizeof(*p));
		if (!p)
			abort();
		p->pid = 4242;
		p->frames = frame_table_new();
		if (!p->frames)
			abort();
		process_fillers[i].fill(p);
		return p;
	}
	return NULL;
}

void sample_process_free(struct process *p)
{
	struct frame_table *ft = p->frames;
	process_release(p);
	free(p);
	frame_table_free(ft);
}
