// SPDX-License-Identifier: MIT
// Short file names and module names, by the target's own sys.path.
#include "python/paths.h"

#include "python/object.h"
#include "util/array.h"
#include "util/cleanup.h"
#include "util/clock.h"

#include <errno.h>
#include <string.h>

#define REFRESH_NS (NS_PER_SEC / 10)

struct entry {
	char *path; // without a final slash
	size_t len;
};

struct paths {
	const struct runtime *rt;
	struct frame_table *frames;
	struct entry *entries;
	size_t n, cap;
	uint64_t read_at; // 0: never
};

static void clear(struct paths *p)
{
	for (size_t i = 0; i < p->n; i++)
		free(p->entries[i].path);
	p->n = 0;
}

struct paths *paths_new(const struct runtime *rt, struct frame_table *frames)
{
	struct paths *p = calloc(1, sizeof(*p));
	if (p) {
		p->rt = rt;
		p->frames = frames;
	}
	return p;
}

void paths_free(struct paths *p)
{
	if (!p)
		return;
	clear(p);
	free(p->entries);
	free(p);
}

static int add_entry(struct paths *p, struct buf *text)
{
	size_t len = text->len;
	while (len && text->data[len - 1] == '/')
		len--;
	if (!len || text->data[0] != '/')
		return 0; // '' and relative entries say nothing of an absolute name
	if (ARRAY_RESERVE(p->entries, p->cap, p->n + 1))
		return -ENOMEM;
	char *copy = strndup(text->data, len);
	if (!copy)
		return -ENOMEM;
	p->entries[p->n++] = (struct entry){copy, len};
	return 0;
}

static int read_path(struct paths *p)
{
	const struct layout *l = &p->rt->layout;
	CLEANUP(cleanup_free) uint64_t *items = NULL;
	uint64_t interp, sysdict, path;
	size_t n = 0;
	int rc = runtime_main_interpreter(p->rt, &interp);
	if (rc >= 0)
		rc = mem_read_u64(p->rt->mem, interp + (uint64_t)LAYOUT_OFF(l, interp, sysdict),
				  &sysdict);
	if (rc >= 0)
		rc = object_dict_find(p->rt, sysdict, "path", &path);
	if (rc >= 0)
		rc = object_is_a(p->rt, path, "list") ? object_list(p->rt, path, &items, &n)
						      : -ENOENT;
	if (rc < 0)
		return rc;
	clear(p);
	for (size_t i = 0; i < n; i++) {
		CLEANUP(buf_release) struct buf text = {0};
		if (!object_is_a(p->rt, items[i], "str") || object_str(p->rt, items[i], &text) < 0)
			continue;
		if (text.len && add_entry(p, &text) < 0)
			return -ENOMEM;
	}
	return 0;
}

// Length of the longest entry that holds the file, with its slash; 0 = none does.
static size_t prefix_of(const struct paths *p, const char *file, size_t len)
{
	size_t best = 0;
	for (size_t i = 0; i < p->n; i++) {
		const struct entry *e = &p->entries[i];
		if (e->len > best && len > e->len + 1 && file[e->len] == '/' &&
		    !memcmp(file, e->path, e->len))
			best = e->len;
	}
	return best ? best + 1 : 0;
}

static bool ends_with(const char *s, size_t len, const char *end)
{
	size_t n = strlen(end);
	return len >= n && !memcmp(s + len - n, end, n);
}

static int module_of(struct paths *p, const char *file, size_t len, uint32_t *ret_module)
{
	static const char frozen[] = "<frozen ";
	*ret_module = 0;
	if (len > sizeof(frozen) && !memcmp(file, frozen, sizeof(frozen) - 1) &&
	    file[len - 1] == '>')
		return frame_table_string(p->frames, file + sizeof(frozen) - 1,
					  len - sizeof(frozen), ret_module);
	if (!len || file[0] == '<' || file[0] == '/')
		return 0;
	if (ends_with(file, len, ".py"))
		len -= 3;
	if (ends_with(file, len, "/__init__"))
		len -= 9;
	CLEANUP(cleanup_free) char *dotted = strndup(file, len);
	if (!dotted)
		return -ENOMEM;
	for (size_t i = 0; i < len; i++)
		dotted[i] = dotted[i] == '/' ? '.' : dotted[i];
	return frame_table_string(p->frames, dotted, len, ret_module);
}

int paths_shorten(struct paths *p, uint32_t file, uint32_t *ret_short, uint32_t *ret_module)
{
	size_t len = frame_table_text_len(p->frames, file);
	// Adding strings moves the store's index, never the texts.
	const char *text = frame_table_text(p->frames, file);
	size_t cut = text[0] == '/' ? prefix_of(p, text, len) : 0;
	if (!cut && text[0] == '/') {
		uint64_t now = clock_now_ns();
		if (!p->read_at || now - p->read_at > REFRESH_NS) {
			p->read_at = now;
			if (read_path(p) == -ENOMEM)
				return -ENOMEM;
			cut = prefix_of(p, text, len);
		}
	}
	int rc = frame_table_string(p->frames, text + cut, len - cut, ret_short);
	return rc < 0 ? rc : module_of(p, text + cut, len - cut, ret_module);
}
