// SPDX-License-Identifier: MIT
// A dump as one JSON object, schema pyattach.dump/1: py-spy's keys and ours.
#include "output/format.h"

#include "output/escape.h"
#include "util/cleanup.h"
#include "util/term.h"

#include <errno.h>
#include <jansson.h>
#include <string.h>

// Every function that makes a value yields NULL when out of memory, and the functions that put a
// value into another one fail on NULL: a failure anywhere ends in "no object".

static void release_json(json_t **value)
{
	json_decref(*value);
}

static json_t *text(const char *s, size_t len)
{
	CLEANUP(buf_release) struct buf valid = {0};
	escape_utf8(&valid, s, len);
	return valid.failed ? NULL : json_stringn(buf_text(&valid), valid.len);
}

static json_t *table_text(const struct frame_table *ft, uint32_t id)
{
	return text(frame_table_text(ft, id), frame_table_text_len(ft, id));
}

static json_t *text_or_null(const struct frame_table *ft, uint32_t id)
{
	return frame_table_text_len(ft, id) ? table_text(ft, id) : json_null();
}

static json_t *line_or_null(int32_t line)
{
	return line > 0 ? json_integer(line) : json_null();
}

// JSON integers end at 2^63 here; no address of a program does.
static json_t *ident_or_null(uint64_t ident)
{
	return ident <= INT64_MAX ? json_integer((json_int_t)ident) : json_null();
}

static json_t *state_or_null(char state)
{
	char s[] = {state, '\0'};
	return state && state != '?' ? text(s, 1) : json_null();
}

struct member {
	const char *key;
	json_t *value; // taken over
};

// An object of these members in that order; takes the values in any case.
static json_t *object_of(const struct member *members, size_t n)
{
	CLEANUP(release_json) json_t *object = json_object();
	int rc = 0;
	for (size_t i = 0; i < n; i++)
		rc |= json_object_set_new(object, members[i].key, members[i].value);
	return rc ? NULL : TAKE(object);
}

static json_t *frame_object(const struct frame_table *ft, uint32_t id)
{
	const struct frame *f = frame_table_get(ft, id);
	const struct member members[] = {
		{"name", table_text(ft, f->name)},
		{"filename", table_text(ft, f->file)},
		{"module", text_or_null(ft, f->module)},
		{"short_filename", text_or_null(ft, f->short_file)},
		{"line", line_or_null(f->line)},
		{"first_line", line_or_null(f->first_line)},
		{"locals", json_null()},
		{"kind", json_string(f->kind == FRAME_MARK ? "mark" : "python")},
	};
	return object_of(members, sizeof(members) / sizeof(members[0]));
}

static json_t *frames_array(const struct frame_table *ft, const struct stack *stack)
{
	CLEANUP(release_json) json_t *array = json_array();
	int rc = 0;
	for (uint32_t i = 0; i < stack->n && !rc; i++)
		rc = json_array_append_new(array, frame_object(ft, stack->frames[i]));
	return rc ? NULL : TAKE(array);
}

static json_t *thread_object(const struct process *p, const struct stack *stack)
{
	const struct member members[] = {
		{"pid", json_integer(p->pid)},
		{"thread_id", ident_or_null(stack->thread_id)},
		{"thread_name", text_or_null(p->frames, stack->name)},
		{"os_thread_id", stack->tid ? json_integer(stack->tid) : json_null()},
		{"active", json_boolean(stack->active)},
		{"owns_gil", json_boolean(stack->owns_gil)},
		{"state", state_or_null(stack->state)},
		{"moving", json_boolean(stack->moving)},
		{"truncated", json_boolean(stack->truncated)},
		{"is_main", json_boolean(stack->is_main)},
		{"interpreter", json_integer(stack->interp_id)},
		{"frames", frames_array(p->frames, stack)},
		{"process_info", json_null()},
	};
	return object_of(members, sizeof(members) / sizeof(members[0]));
}

static json_t *process_object(const struct process *p)
{
	CLEANUP(release_json) json_t *threads = json_array();
	int rc = 0;
	for (size_t i = 0; i < p->threads.n && !rc; i++)
		rc = json_array_append_new(threads, thread_object(p, &p->threads.stacks[i]));
	if (rc)
		return NULL;
	const char *exe = p->executable;
	const struct member members[] = {
		{"pid", json_integer(p->pid)},
		{"cmdline", text(p->cmdline, p->cmdline_len)},
		{"python", text(p->python, strnlen(p->python, sizeof(p->python)))},
		{"executable", exe ? text(exe, strlen(exe)) : json_null()},
		{"os_threads_without_python", json_integer(p->no_python)},
		{"threads", TAKE(threads)},
	};
	return object_of(members, sizeof(members) / sizeof(members[0]));
}

static json_t *dump_object(const struct process *processes, size_t n)
{
	CLEANUP(release_json) json_t *array = json_array();
	int rc = 0;
	for (size_t i = 0; i < n && !rc; i++)
		rc = json_array_append_new(array, process_object(&processes[i]));
	if (rc)
		return NULL;
	const struct member members[] = {
		{"schema", json_string("pyattach.dump/1")},
		{"processes", TAKE(array)},
	};
	return object_of(members, sizeof(members) / sizeof(members[0]));
}

// Newlines aside, controls can stand only within strings, where \uNNNN means the same and cannot
// harm a terminal.
static void add_harmless(struct buf *out, const char *s, size_t len)
{
	for (size_t i = 0; i < len;) {
		uint32_t c = 0;
		size_t n = utf8_next(s + i, len - i, &c);
		if (n && c > ' ' && term_is_control(c))
			buf_printf(out, "\\u%04x", c);
		else
			buf_add(out, s + i, n ? n : 1);
		i += n ? n : 1;
	}
}

int dump_json(const struct process *processes, size_t n, const struct dump_options *o,
	      struct buf *out)
{
	(void)o;
	CLEANUP(release_json) json_t *object = dump_object(processes, n);
	CLEANUP(cleanup_free) char *dumped = object ? json_dumps(object, JSON_INDENT(2)) : NULL;
	if (!dumped)
		return -ENOMEM;
	add_harmless(out, dumped, strlen(dumped));
	buf_char(out, '\n');
	return out->failed;
}
