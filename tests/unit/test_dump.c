// SPDX-License-Identifier: MIT
// The two writers of a dump, over processes made in code.
//
// usage: test_dump                      the tests
//        test_dump PROCESS text|json    prints that process, for the golden test
//        test_dump -l                   lists the processes
#include "unit.h"

#include "output/format.h"
#include "tests/lib/samples.h"
#include "util/cleanup.h"
#include "util/fs.h"
#include "util/term.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

typedef int write_fn(const struct process *processes, size_t n, const struct dump_options *o,
		     struct buf *out);

static write_fn *const writers[] = {dump_text, dump_json};

static const struct dump_options plain;

static void clean_text(void **state)
{
	(void)state;
	for (const char *const *name = sample_processes; *name; name++) {
		struct process *p = sample_process(*name);
		for (size_t w = 0; w < ROWS(writers); w++) {
			CLEANUP(buf_release) struct buf b = {0};
			assert_int_equal(writers[w](p, 1, &plain, &b), 0);
			assert_true(b.len > 0 && b.data[b.len - 1] == '\n');
			assert_null(strstr(b.data, "\n\n\n"));
			for (size_t i = 0, n; i < b.len; i += n) {
				uint32_t c = 0;
				n = utf8_next(b.data + i, b.len - i, &c);
				assert_true(n && (c == '\n' || !term_is_control(c)));
			}
		}
		sample_process_free(p);
	}
}

static json_t *loaded(const struct process *processes, size_t n)
{
	CLEANUP(buf_release) struct buf b = {0};
	assert_int_equal(dump_json(processes, n, &plain, &b), 0);
	json_error_t error;
	json_t *root = json_loadb(b.data, b.len, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &error);
	if (!root)
		fail_msg("%s in line %d", error.text, error.line);
	assert_string_equal(json_string_value(json_object_get(root, "schema")), "pyattach.dump/1");
	return root;
}

static const char *string_at(const json_t *object, const char *key)
{
	const char *s = json_string_value(json_object_get(object, key));
	assert_non_null(s);
	return s;
}

// Names come back as they were, controls and all; only bytes that are no UTF-8 are rewritten.
static void json_keeps_names(void **state)
{
	(void)state;
	struct process *p = sample_process("hostile");
	json_t *root = loaded(p, 1);
	json_t *process = json_array_get(json_object_get(root, "processes"), 0);
	json_t *threads = json_object_get(process, "threads");
	assert_int_equal(json_array_size(threads), p->threads.n);
	assert_string_equal(string_at(process, "cmdline"), "python\n-c\x1b]0;owned\a \"\\ \\xff");
	assert_string_equal(string_at(process, "executable"), "/tmp/\xe2\x80\xae(deleted)\\x9b");
	size_t same = 0;
	for (size_t i = 0; i < p->threads.n; i++) {
		const struct stack *stack = &p->threads.stacks[i];
		json_t *thread = json_array_get(threads, i);
		const char *name = json_string_value(json_object_get(thread, "thread_name"));
		assert_int_equal(!name, !frame_table_text_len(p->frames, stack->name));
		if (!name)
			continue;
		json_t *frame = json_array_get(json_object_get(thread, "frames"), 0);
		same += !strcmp(name, frame_table_text(p->frames, stack->name));
		if (i + 1 < p->threads.n)
			assert_string_equal(string_at(frame, "name"), name);
	}
	assert_true(same >= p->threads.n - 4); // all but the empty one and two that are no UTF-8
	json_t *last = json_array_get(threads, p->threads.n - 1);
	assert_int_equal(json_string_length(json_object_get(last, "thread_name")), 8);
	assert_true(json_is_null(json_object_get(last, "thread_id")));
	assert_true(json_is_null(json_object_get(last, "os_thread_id")));
	json_decref(root);
	sample_process_free(p);
}

static void json_values(void **state)
{
	(void)state;
	struct process *p = sample_process("app");
	json_t *root = loaded(p, 1), *process, *threads, *frame;
	process = json_array_get(json_object_get(root, "processes"), 0);
	threads = json_object_get(process, "threads");
	assert_int_equal(json_integer_value(json_object_get(process, "pid")), 4242);
	assert_int_equal(json_integer_value(json_object_get(process, "os_threads_without_python")),
			 2);
	assert_string_equal(string_at(process, "python"), "3.11.7");
	json_t *t = json_array_get(threads, 0);
	assert_int_equal(json_integer_value(json_object_get(t, "thread_id")), 0x7f0000002092);
	assert_int_equal(json_integer_value(json_object_get(t, "os_thread_id")), 4242);
	assert_true(json_is_true(json_object_get(t, "active")));
	assert_true(json_is_true(json_object_get(t, "owns_gil")));
	assert_true(json_is_true(json_object_get(t, "is_main")));
	assert_string_equal(string_at(t, "state"), "R");
	frame = json_array_get(json_object_get(t, "frames"), 0);
	assert_string_equal(string_at(frame, "name"), "Template._expand");
	assert_string_equal(string_at(frame, "filename"), "/srv/app/views/template.py");
	assert_string_equal(string_at(frame, "short_filename"), "views/template.py");
	assert_string_equal(string_at(frame, "module"), "views.template");
	assert_int_equal(json_integer_value(json_object_get(frame, "line")), 98);
	assert_true(json_is_null(json_object_get(frame, "locals")));
	t = json_array_get(threads, 1);
	assert_true(json_is_false(json_object_get(t, "active")));
	frame = json_array_get(json_object_get(t, "frames"), 1);
	assert_true(json_is_null(json_object_get(frame, "line")));
	t = json_array_get(threads, 2);
	assert_true(json_is_true(json_object_get(t, "moving")));
	assert_true(json_is_null(json_object_get(t, "thread_name")));
	t = json_array_get(threads, 3);
	assert_int_equal(json_array_size(json_object_get(t, "frames")), 0);
	assert_int_equal(json_integer_value(json_object_get(t, "interpreter")), 3);
	t = json_array_get(threads, 4);
	assert_true(json_is_null(json_object_get(t, "state")));
	assert_true(json_is_true(json_object_get(t, "truncated")));
	frame = json_array_get(json_object_get(t, "frames"), 1);
	assert_string_equal(string_at(frame, "kind"), "mark");
	json_decref(root);
	sample_process_free(p);
}

static void text_lines(void **state)
{
	(void)state;
	struct process *p = sample_process("app");
	CLEANUP(buf_release) struct buf b = {0}, full = {0};
	static const char *const lines[] = {
		"Process 4242: python3 server.py --port 8080\n",
		"\nPython v3.11.7 (/usr/bin/python3.11)\n\nThread ",
		"\nThread 4242 (active+gil): \"MainThread\"\n    Template._expand (views/",
		"\nThread 4250 (idle): \"worker-1\"\n",
		"\n    unknown (threading.py:?)\n",
		"\nThread 4251 (active, moving)\n",
		"\nThread 4252 (idle+gil): \"C pool\" [interpreter 3]\n    [no Python frame]\n",
		"\nThread 0x7F0000001000 (idle) [interpreter 4]\n",
		"\n2 OS threads without Python\n",
	};
	assert_int_equal(dump_text(p, 1, &plain, &b), 0);
	for (size_t i = 0; i < ROWS(lines); i++) {
		if (!strstr(buf_text(&b), lines[i]))
			fail_msg("not in the dump: %s", lines[i]);
	}
	p->no_python = 1;
	assert_int_equal(dump_text(p, 1, &(struct dump_options){.full_file = true}, &full), 0);
	assert_non_null(strstr(buf_text(&full), "    run (/srv/app/pool.py:12)\n"));
	assert_non_null(strstr(buf_text(&full), "\n1 OS thread without Python\n"));
	sample_process_free(p);
}

static void several_processes(void **state)
{
	(void)state;
	struct process *a = sample_process("app"), *b = sample_process("bare");
	struct process both[] = {*a, *b};
	CLEANUP(buf_release) struct buf text = {0};
	assert_int_equal(dump_text(both, 2, &plain, &text), 0);
	assert_non_null(strstr(buf_text(&text), "Python\n\nProcess 4242\nPython v3.8.20\n"));
	json_t *root = loaded(both, 2);
	assert_int_equal(json_array_size(json_object_get(root, "processes")), 2);
	json_decref(root);
	root = loaded(NULL, 0);
	assert_int_equal(json_array_size(json_object_get(root, "processes")), 0);
	json_decref(root);
	sample_process_free(a);
	sample_process_free(b);
}

static int print(const char *name, const char *form)
{
	struct process *p = sample_process(name);
	CLEANUP(buf_release) struct buf b = {0};
	if (!p) {
		fprintf(stderr, "test_dump: no %s\n", name);
		return 2;
	}
	int rc = writers[!strcmp(form, "json")](p, 1, &plain, &b);
	sample_process_free(p);
	return rc < 0 || fs_write_all(1, b.data, b.len) < 0;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(clean_text),        cmocka_unit_test(json_keeps_names),
		cmocka_unit_test(json_values),       cmocka_unit_test(text_lines),
		cmocka_unit_test(several_processes),
	};
	if (argc == 3)
		return print(argv[1], argv[2]);
	if (argc == 2 && !strcmp(argv[1], "-l")) {
		for (const char *const *name = sample_processes; *name; name++)
			puts(*name);
		return 0;
	}
	return unit_run("dump", tests);
}
