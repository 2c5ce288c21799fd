// SPDX-License-Identifier: MIT
// The runtime of a CPython in the target: where it is, which version, which layout.
#include "python/runtime.h"

#include "python/limits.h"
#include "python/object.h"
#include "python/version.h"
#include "target/mem_cache.h"
#include "util/cleanup.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

// Looks at a list that changes while it is read.
#define CHECK_TRIES 8

static void close_binary(struct binary **b)
{
	binary_close(*b);
}

void runtime_release(struct runtime *rt)
{
	mem_close(rt->cold);
	rt->cold = NULL;
}

void runtime_forget(const struct runtime *rt)
{
	mem_cache_forget(rt->cold);
}

int runtime_interpreters(const struct runtime *rt, uint64_t *ret_head)
{
	return mem_read_u64(
		rt->mem, rt->addr + (uint64_t)LAYOUT_OFF(&rt->layout, runtime, interpreters_head),
		ret_head);
}

int runtime_next_interpreter(const struct runtime *rt, uint64_t interp, uint64_t *ret_next)
{
	return mem_read_u64(rt->mem, interp + (uint64_t)LAYOUT_OFF(&rt->layout, interp, next),
			    ret_next);
}

int runtime_main_interpreter(const struct runtime *rt, uint64_t *ret_interp)
{
	uint64_t interp, next;
	int rc = runtime_interpreters(rt, &interp);
	for (unsigned i = 0; rc >= 0 && interp && i < LIMIT_INTERPRETERS; i++) {
		rc = runtime_next_interpreter(rt, interp, &next);
		if (rc >= 0 && !next) {
			*ret_interp = interp;
			return 0;
		}
		interp = next;
	}
	return rc < 0 ? rc : -ENOENT;
}

static int check_threads(const struct runtime *rt, uint64_t interp)
{
	const struct layout *l = &rt->layout;
	uint64_t ts, owner;
	int rc = mem_read_u64(rt->mem, interp + (uint64_t)LAYOUT_OFF(l, interp, threads_head), &ts);
	for (unsigned i = 0; rc >= 0 && ts; i++) {
		if (ts & 7 || i == LIMIT_THREADS)
			return -PA_ETORN;
		rc = mem_read_u64(rt->mem, ts + (uint64_t)LAYOUT_OFF(l, thread, interp), &owner);
		if (rc >= 0 && owner != interp)
			return -PA_ETORN;
		if (rc >= 0)
			rc = mem_read_u64(rt->mem, ts + (uint64_t)LAYOUT_OFF(l, thread, next), &ts);
	}
	return rc;
}

// What a true runtime fulfils and a look-alike does not. -ENOENT: no interpreter lives in it.
static int self_check(const struct runtime *rt)
{
	uint64_t interp, sysdict;
	int rc = runtime_interpreters(rt, &interp);
	if (rc >= 0 && !interp)
		return -ENOENT;
	for (unsigned i = 0; rc >= 0 && interp; i++) {
		if (interp & 7 || i == LIMIT_INTERPRETERS)
			return -PA_ETORN;
		rc = mem_read_u64(rt->mem,
				  interp + (uint64_t)LAYOUT_OFF(&rt->layout, interp, sysdict),
				  &sysdict);
		if (rc < 0)
			return rc;
		if (!sysdict)
			return -ENOENT;
		if (!object_is_a(rt, sysdict, "dict"))
			return -PA_ETORN;
		rc = check_threads(rt, interp);
		if (rc >= 0)
			rc = runtime_next_interpreter(rt, interp, &interp);
	}
	return rc;
}

static int read_hexversion(const struct runtime *rt, uint32_t *ret_hex)
{
	uint64_t interp, sysdict, value;
	int64_t hex;
	int rc = runtime_main_interpreter(rt, &interp);
	if (rc >= 0)
		rc = mem_read_u64(rt->mem,
				  interp + (uint64_t)LAYOUT_OFF(&rt->layout, interp, sysdict),
				  &sysdict);
	if (rc >= 0)
		rc = object_dict_find(rt, sysdict, "hexversion", &value);
	if (rc >= 0)
		rc = object_int(rt, value, &hex);
	if (rc >= 0)
		*ret_hex = (uint32_t)hex;
	return rc;
}

static void supported_text(char *ret, size_t size)
{
	const char *name, *text;
	size_t len;
	int first = 0, last = 0;
	for (int version = 200; version < 400; version++) {
		if (layout_builtin(version, false, false, &name, &text, &len) < 0)
			continue;
		first = first ? first : version;
		last = version;
	}
	snprintf(ret, size, "CPython %d.%d to %d.%d", first / 100, first % 100, last / 100,
		 last % 100);
}

static int refuse_version(struct target *t, const struct py_build *build, struct err *err)
{
	char version[32], supported[64];
	version_text(build->hex, version, sizeof(version));
	supported_text(supported, sizeof(supported));
	return err_set(err, -PA_EVERSION,
		       "Process %d runs CPython %s%s, for which pyattach has no offsets table (it "
		       "supports %s); give one with --offsets FILE.",
		       target_pid(t), version,
		       build->free_threaded ? ", a free-threaded build" : "", supported);
}

static int choose_layout(struct runtime *rt, const struct py_build *build, const char *text,
			 const char *name, struct err *err)
{
	uint8_t own[4096];
	long own_len = 0;
	size_t len = text ? strlen(text) : 0;
	int version = (int)(build->hex >> 24) * 100 + (int)(build->hex >> 16 & 0xff);
	if (!text &&
	    layout_builtin(version, build->debug, build->free_threaded, &name, &text, &len) < 0)
		return refuse_version(rt->target, build, err);
	if (build->has_cookie) {
		own_len = mem_read_some(rt->mem, rt->addr, own, sizeof(own));
		if (own_len < 0)
			return err_set(err, (int)own_len,
				       "Cannot read the offsets that process %d keeps of itself: "
				       "%s.",
				       target_pid(rt->target), err_message((int)own_len));
	}
	snprintf(rt->table, sizeof(rt->table), "%s", name);
	int rc = layout_parse(text, len, name, own_len ? own : NULL, (size_t)own_len, &rt->layout,
			      err);
	if (rc >= 0 && rt->layout.version != version)
		return err_set(err, -PA_ELAYOUT,
			       "Offsets table %s is for Python %d.%d, but process %d runs %d.%d.",
			       name, rt->layout.version / 100, rt->layout.version % 100,
			       target_pid(rt->target), version / 100, version % 100);
	return rc;
}

// The runtime's address in one mapped binary: exported, by section, or by a symbol of its own.
static int locate_runtime(struct binary *b, uint64_t *ret_addr)
{
	uint64_t size;
	if (!binary_export(b, "_PyRuntime", ret_addr, &size) ||
	    !binary_section(b, ".PyRuntime", ret_addr, &size))
		return 0;
	return binary_symbol(b, "_PyRuntime", ret_addr, &size);
}

enum verdict {
	NOT_PYTHON, // no runtime in this binary, or a look-alike
	NOT_ALIVE,  // a runtime without an interpreter
	FOUND,
	REFUSED, // err says why
};

static enum verdict try_binary(struct runtime *rt, struct binary *b, const char *text,
			       const char *name, struct err *err)
{
	struct py_build build;
	uint64_t addr = 0, size;
	bool located = !locate_runtime(b, &addr);
	if (!located) {
		// Before 3.7 there is no _PyRuntime: name the version that is refused.
		uint64_t any;
		if (binary_export(b, "PyInterpreterState_Head", &any, &size) < 0 ||
		    version_detect(rt->target, b, 0, &build) < 0 || build.hex >= 0x03070000)
			return NOT_PYTHON;
		refuse_version(rt->target, &build, err);
		return REFUSED;
	}
	rt->addr = addr;
	if (version_detect(rt->target, b, addr, &build) < 0)
		return NOT_PYTHON;
	if (choose_layout(rt, &build, text, name, err) < 0)
		return REFUSED;
	int rc = -PA_ETORN;
	for (int i = 0; i < CHECK_TRIES && rc < 0 && rc != -ENOENT; i++) {
		runtime_forget(rt);
		rc = self_check(rt);
	}
	if (rc == -ENOENT)
		return NOT_ALIVE;
	uint32_t hex = 0;
	if (rc >= 0)
		rc = read_hexversion(rt, &hex);
	if (rc < 0 || hex >> 16 != build.hex >> 16 || (!build.minor_only && hex != build.hex))
		return NOT_PYTHON;
	rt->hex = hex;
	version_text(hex, rt->version, sizeof(rt->version));
	if (binary_export(b, "PyCode_Type", &rt->code_type, &size) < 0)
		rt->code_type = 0;
	return FOUND;
}

static bool same_file(const struct map_entry *a, const struct map_entry *b)
{
	return a->inode == b->inode && a->dev_major == b->dev_major && a->dev_minor == b->dev_minor;
}

static bool seen_before(const struct maps *maps, size_t i)
{
	for (size_t k = 0; k < i; k++) {
		if (maps->entries[k].path && same_file(&maps->entries[k], &maps->entries[i]))
			return true;
	}
	return false;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

// The rank in which files are tried: 0 libpython, 1 the executable, 2 anything else.
static int rank_of(const struct target *t, const struct map_entry *entry)
{
	if (!strncmp(base_name(entry->path), "libpython", 9))
		return 0;
	return strcmp(entry->path, target_executable(t)) ? 2 : 1;
}

// Tries one file, with the load bias of each of its mappings until one fits: a page of it may be
// mapped a second time elsewhere.
static enum verdict try_file(struct runtime *rt, size_t first, const char *text, const char *name,
			     struct err *err)
{
	const struct maps *maps = target_maps(rt->target);
	uint64_t tried[8];
	size_t n = 0;
	enum verdict best = NOT_PYTHON;
	for (size_t i = first; i < maps->n && n < 8; i++) {
		const struct map_entry *entry = &maps->entries[i];
		if (!entry->path || !same_file(entry, &maps->entries[first]))
			continue;
		CLEANUP(close_binary) struct binary *b = NULL;
		if (binary_open(rt->target, entry, &b, NULL) < 0)
			continue;
		bool again = false;
		for (size_t k = 0; k < n; k++)
			again |= tried[k] == binary_bias(b);
		if (again)
			continue;
		tried[n++] = binary_bias(b);
		enum verdict verdict = try_binary(rt, b, text, name, err);
		if (verdict == FOUND || verdict == REFUSED)
			return verdict;
		best = verdict > best ? verdict : best;
		uint64_t addr;
		if (verdict == NOT_PYTHON && locate_runtime(b, &addr) < 0)
			break; // the bias does not matter: there is nothing in the file
	}
	return best;
}

static int find_tid_offset(struct target *t)
{
	const struct maps *maps = target_maps(t);
	for (size_t i = 0; i < maps->n; i++) {
		const struct map_entry *entry = &maps->entries[i];
		const char *name = entry->path ? base_name(entry->path) : "";
		if (seen_before(maps, i) ||
		    (strncmp(name, "libc.so", 7) && strncmp(name, "libc-2", 6) &&
		     strncmp(name, "libpthread", 10)))
			continue;
		CLEANUP(close_binary) struct binary *b = NULL;
		uint64_t addr, size;
		uint32_t descriptor[3]; // bits, count, offset: nptl_db, for debuggers
		if (binary_open(t, entry, &b, NULL) < 0 ||
		    binary_export(b, "_thread_db_pthread_tid", &addr, &size) < 0 ||
		    binary_file_bytes(b, addr, descriptor, sizeof(descriptor)) < 0)
			continue;
		if (descriptor[0] == 32 && descriptor[1] == 1 && descriptor[2] < 4096)
			return (int)descriptor[2];
	}
	return -1;
}

static int explain_none(struct target *t, bool not_alive, struct err *err)
{
	if (not_alive)
		return err_set(err, -PA_ENOTPYTHON,
			       "Process %d (%s) holds a Python runtime in which no interpreter "
			       "lives: it is still starting or has finished; try again.",
			       target_pid(t), target_executable(t));
	return err_set(err, -PA_ENOTPYTHON,
		       "Process %d (%s) is not a Python process: no live CPython runtime in its "
		       "executable or libraries.",
		       target_pid(t), target_executable(t));
}

int runtime_find(struct target *t, const char *offsets_text, const char *offsets_name,
		 struct runtime *ret, struct err *err)
{
	const struct maps *maps = target_maps(t);
	bool not_alive = false;
	struct err refusal = {0};
	*ret = (struct runtime){.target = t, .mem = target_mem(t), .pthread_tid_off = -1};
	ret->cold = mem_cache_new(ret->mem);
	if (!ret->cold)
		return err_set(err, -ENOMEM, "Out of memory.");
	for (int rank = 0; rank < 3; rank++) {
		for (size_t i = 0; i < maps->n; i++) {
			const struct map_entry *entry = &maps->entries[i];
			if (!entry->path || !entry->inode || rank_of(t, entry) != rank ||
			    seen_before(maps, i))
				continue;
			enum verdict verdict = try_file(ret, i, offsets_text, offsets_name,
							refusal.code ? NULL : &refusal);
			if (verdict == FOUND) {
				if (LAYOUT_OFF(&ret->layout, thread, native_thread_id) < 0)
					ret->pthread_tid_off = find_tid_offset(t);
				return 0;
			}
			not_alive |= verdict == NOT_ALIVE;
		}
		// A refused version of an interpreter is the answer unless another one lives.
		if (rank == 1 && refusal.code)
			break;
	}
	if (!target_alive(t))
		return err_set(err, -PA_EGONE, "Process %d ended while it was being opened.",
			       target_pid(t));
	if (refusal.code) {
		if (err)
			*err = refusal;
		return refusal.code;
	}
	return explain_none(t, not_alive, err);
}
