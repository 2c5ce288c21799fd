// SPDX-License-Identifier: MIT
// Code objects of the target, read once and known by their content.
#include "python/code.h"

#include "python/cold.h"
#include "python/limits.h"
#include "python/lines.h"
#include "python/object.h"
#include "python/paths.h"
#include "util/array.h"
#include "util/cleanup.h"
#include "util/hash.h"

#include <errno.h>
#include <string.h>

// What tells one code object from another that took its place. All of it is compared.
struct key {
	uint64_t filename, name, qualname, linetable;
	uint64_t first_line;
	uint64_t units; // bytecode in code units; 0 where the version keeps it elsewhere
};

struct code {
	uint64_t addr;
	struct key key;
	uint32_t name, file, short_file, module;
	int32_t first_line;
	int32_t first_traceable; // code units
	uint8_t *table;
	size_t table_len;
	uint64_t round;   // of codes_check in which it was last found true
	struct map lines; // offset -> frame
	struct {
		int64_t offset;
		uint32_t frame;
	} last;
};

struct codes {
	struct runtime *rt;
	struct frame_table *frames;
	struct paths *paths;
	struct code *items;
	size_t n, cap;
	struct map map; // address -> index
	uint64_t round;
	struct {
		uint64_t addr, round;
		uint32_t id;
	} last_file; // the file name of the code object before, in the same round
	struct cold_item *batch;
	size_t batch_cap;
	char *slices;
	size_t slices_cap;
	struct buf text;
};

struct codes *codes_new(struct runtime *rt, struct frame_table *frames)
{
	struct codes *c = calloc(1, sizeof(*c));
	if (!c)
		return NULL;
	c->rt = rt;
	c->frames = frames;
	c->paths = paths_new(rt, frames);
	if (!c->paths) {
		codes_free(c);
		return NULL;
	}
	return c;
}

void codes_free(struct codes *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->n; i++) {
		free(c->items[i].table);
		map_release(&c->items[i].lines);
	}
	free(c->items);
	map_release(&c->map);
	paths_free(c->paths);
	free(c->batch);
	free(c->slices);
	buf_release(&c->text);
	free(c);
}

static uint64_t address_hash(uint64_t addr)
{
	return hash_mix(0, addr);
}

static int32_t find(const struct codes *c, uint64_t addr)
{
	uint64_t h = address_hash(addr);
	uint32_t at;
	for (uint32_t i = map_first(&c->map, h, &at); i != MAP_NONE;
	     i = map_next(&c->map, h, &at)) {
		if (c->items[i].addr == addr)
			return (int32_t)i;
	}
	return CODE_TORN;
}

static struct key key_of(const struct layout *l, const char *slice)
{
	return (struct key){
		.filename = load_u64(slice, LAYOUT_OFF(l, code, filename)),
		.name = load_u64(slice, LAYOUT_OFF(l, code, name)),
		.qualname = LAYOUT_OFF(l, code, qualname) < 0
				    ? 0
				    : load_u64(slice, LAYOUT_OFF(l, code, qualname)),
		.linetable = load_u64(slice, LAYOUT_OFF(l, code, linetable)),
		.first_line = load_u32(slice, LAYOUT_OFF(l, code, firstlineno)),
		.units = LAYOUT_HAS(l, lasti, pointer)
				 ? load_u64(slice, LAYOUT_OFF(l, object, size))
				 : 0,
	};
}

static bool same_key(const struct key *a, const struct key *b)
{
	return !memcmp(a, b, sizeof(*a));
}

// The allocator writes its own words over the first of a freed object, where the reference count
// was (Include/object.h; an immortal object's is at most UINT32_MAX).
static bool is_freed(const struct layout *l, const char *slice)
{
	uint64_t count = load_u64(slice, LAYOUT_OFF(l, object, type) - 8);
	return !count || count > UINT32_MAX;
}

// Is the object whose first bytes are in slice a code object? Learns the type's address.
static int32_t check_type(struct codes *c, const char *slice)
{
	struct runtime *rt = c->rt;
	uint64_t type = load_u64(slice, LAYOUT_OFF(&rt->layout, object, type)), name_at, meta;
	char name[LIMIT_CODE_TYPE];
	if (rt->code_type)
		if (type == rt->code_type)
			return 0;
	if (!type || type & 7 || object_type(rt, type, &meta) < 0 ||
	    mem_read_u64(rt->cold, type + (uint64_t)LAYOUT_OFF(&rt->layout, type, name), &name_at) <
		    0 ||
	    mem_read_cstr(rt->cold, name_at, name, sizeof(name)) < 0)
		return CODE_TORN;
	if (strcmp(name, "code"))
		return LAYOUT_HAS(&rt->layout, frame, iframe) ? CODE_SKIP : CODE_TORN;
	if (rt->code_type)
		return CODE_TORN; // some other type of that name
	rt->code_type = type;
	return 0;
}

static int read_string(struct codes *c, uint64_t addr, uint32_t *ret_id)
{
	buf_clear(&c->text);
	int rc = object_str(c->rt, addr, &c->text);
	return rc < 0 ? rc : frame_table_string(c->frames, buf_text(&c->text), c->text.len, ret_id);
}

static int read_file(struct codes *c, struct code *code)
{
	if (c->last_file.addr != code->key.filename || c->last_file.round != c->round) {
		int rc = read_string(c, code->key.filename, &c->last_file.id);
		if (rc < 0)
			return rc;
		c->last_file.addr = code->key.filename;
		c->last_file.round = c->round;
	}
	code->file = c->last_file.id;
	return paths_shorten(c->paths, code->file, &code->short_file, &code->module);
}

static int read_table(struct codes *c, struct code *code)
{
	const struct layout *l = &c->rt->layout;
	char head[512];
	long got = mem_read_some(c->rt->cold, code->key.linetable, head, sizeof(head));
	if (got < LAYOUT_OFF(l, bytes, value))
		return got < 0 ? (int)got : -EFAULT;
	uint64_t len = load_u64(head, LAYOUT_OFF(l, object, size));
	uint64_t start = (uint64_t)LAYOUT_OFF(l, bytes, value);
	if (len > LIMIT_LINETABLE)
		return -PA_EBOUND;
	uint8_t *table = malloc(len + 1);
	if (!table)
		return -ENOMEM;
	free(code->table);
	code->table = table;
	code->table_len = len;
	if (start + len <= (uint64_t)got) {
		memcpy(table, head + start, len);
		return 0;
	}
	return mem_read(c->rt->cold, code->key.linetable + start, table, len);
}

// Fills code from the object at its address; the object is read again at the end, so that what
// was followed belonged to one and the same object.
static int read_code(struct codes *c, struct code *code, const char *slice)
{
	const struct layout *l = &c->rt->layout;
	char again[LIMIT_SLICE];
	code->key = key_of(l, slice);
	code->first_line = (int32_t)code->key.first_line;
	code->first_traceable =
		LAYOUT_OFF(l, code, firsttraceable) < 0
			? 0
			: (int32_t)load_u32(slice, LAYOUT_OFF(l, code, firsttraceable));
	map_release(&code->lines);
	code->last.frame = UINT32_MAX;
	int rc = read_string(c, code->key.qualname ? code->key.qualname : code->key.name,
			     &code->name);
	if (rc >= 0)
		rc = read_file(c, code);
	if (rc >= 0)
		rc = read_table(c, code);
	if (rc >= 0)
		rc = mem_read(c->rt->mem, code->addr, again, l->code_size);
	if (rc < 0)
		return rc;
	struct key now = key_of(l, again);
	return same_key(&now, &code->key) && !is_freed(l, again) ? 0 : -PA_ETORN;
}

static bool fatal(int rc)
{
	return rc == -ENOMEM || rc == -PA_EGONE || rc == -EPERM;
}

// Reads the object for the first time, or anew because another one took its place.
static int load(struct codes *c, uint64_t addr, const char *slice, int32_t *ret)
{
	int32_t index = find(c, addr);
	*ret = check_type(c, slice);
	if (*ret < 0)
		return 0;
	if (index < 0) {
		if (ARRAY_RESERVE(c->items, c->cap, c->n + 1) ||
		    map_add(&c->map, address_hash(addr), (uint32_t)c->n))
			return -ENOMEM;
		index = (int32_t)c->n++;
		c->items[index] = (struct code){.addr = addr};
	}
	struct code *code = &c->items[index];
	code->round = 0;
	int rc = read_code(c, code, slice);
	if (rc < 0) {
		memset(&code->key, 0, sizeof(code->key));
		*ret = CODE_TORN;
		return fatal(rc) ? rc : 0;
	}
	code->round = c->round;
	*ret = index;
	return 0;
}

// The addresses that this round has not looked at yet, each once.
static int gather(struct codes *c, const uint64_t *addrs, size_t n, size_t *ret_n)
{
	uint32_t size = c->rt->layout.code_size;
	if (ARRAY_RESERVE(c->batch, c->batch_cap, n) ||
	    array_reserve(&c->slices, &c->slices_cap, n * size, 1))
		return -ENOMEM;
	size_t k = 0;
	for (size_t i = 0; i < n; i++) {
		int32_t index = find(c, addrs[i]);
		if (index >= 0 && c->items[index].round == c->round)
			continue;
		if (index >= 0)
			c->items[index].round = c->round; // taken back below when it differs
		c->batch[k] = (struct cold_item){addrs[i], c->slices + k * size, size, 0};
		k++;
	}
	*ret_n = k;
	return 0;
}

static int settle(struct codes *c, const struct cold_item *item)
{
	int32_t index = find(c, item->addr), ignored;
	if (item->got != item->len) {
		if (index >= 0)
			c->items[index].round = 0;
		return 0;
	}
	struct key now = key_of(&c->rt->layout, item->local);
	if (index >= 0 && same_key(&now, &c->items[index].key) &&
	    load_u64(item->local, LAYOUT_OFF(&c->rt->layout, object, type)) == c->rt->code_type)
		return 0;
	if (index >= 0)
		c->items[index].round = 0;
	return load(c, item->addr, item->local, &ignored);
}

int codes_check(struct codes *c, const uint64_t *addrs, size_t n, int32_t *ret)
{
	size_t k;
	c->round++;
	runtime_forget(c->rt);
	int rc = gather(c, addrs, n, &k);
	if (rc >= 0)
		rc = cold_read(c->rt->mem, c->batch, k);
	for (size_t i = 0; i < k && rc >= 0; i++)
		rc = settle(c, &c->batch[i]);
	for (size_t i = 0; i < n && rc >= 0; i++) {
		ret[i] = find(c, addrs[i]);
		if (ret[i] >= 0 && c->items[ret[i]].round != c->round)
			ret[i] = CODE_TORN;
		if (ret[i] < 0 && LAYOUT_HAS(&c->rt->layout, frame, iframe)) {
			char type[LIMIT_CODE_TYPE];
			if (!object_type_name(c->rt, addrs[i], type, sizeof(type)) &&
			    strcmp(type, "code"))
				ret[i] = CODE_SKIP;
		}
	}
	return rc < 0 ? rc : 0;
}

static int32_t line_at(const struct codes *c, const struct code *code, int64_t offset)
{
	const struct layout *l = &c->rt->layout;
	if (LAYOUT_HAS(l, linetable, lnotab))
		return lines_lnotab(code->table, code->table_len, code->first_line, offset);
	if (LAYOUT_HAS(l, linetable, ranges))
		return lines_ranges(code->table, code->table_len, code->first_line, offset);
	return lines_locations(code->table, code->table_len, code->first_line, offset);
}

static int make_frame(struct codes *c, struct code *code, int64_t offset, uint32_t *ret_frame)
{
	uint64_t h = hash_mix(1, (uint64_t)offset);
	struct frame frame = {
		.kind = FRAME_PYTHON,
		.name = code->name,
		.file = code->file,
		.short_file = code->short_file,
		.module = code->module,
		.line = line_at(c, code, offset),
		.first_line = code->first_line,
	};
	int rc = frame_table_add(c->frames, &frame, ret_frame);
	return rc < 0 ? rc : map_add(&code->lines, h, *ret_frame);
}

int codes_frame(struct codes *c, int32_t index, uint64_t instr, uint32_t *ret_frame,
		bool *ret_incomplete)
{
	const struct layout *l = &c->rt->layout;
	struct code *code = &c->items[index];
	int64_t offset = (int32_t)instr;
	if (LAYOUT_HAS(l, lasti, units))
		offset *= 2;
	if (LAYOUT_HAS(l, lasti, pointer)) {
		offset = (int64_t)(instr - code->addr - (uint64_t)LAYOUT_OFF(l, code, bytecode));
		if (offset < -2 || offset & 1 || (uint64_t)(offset + 2) / 2 > code->key.units + 1)
			return -PA_ETORN;
	} else if (offset < -2) {
		return -PA_ETORN;
	}
	*ret_incomplete = LAYOUT_OFF(l, code, firsttraceable) >= 0 &&
			  offset < 2 * (int64_t)code->first_traceable;
	if (code->last.frame != UINT32_MAX && code->last.offset == offset) {
		*ret_frame = code->last.frame;
		return 0;
	}
	uint32_t at;
	*ret_frame = map_first(&code->lines, hash_mix(1, (uint64_t)offset), &at);
	int rc = *ret_frame == MAP_NONE ? make_frame(c, code, offset, ret_frame) : 0;
	code->last.offset = offset;
	code->last.frame = *ret_frame;
	return rc;
}
