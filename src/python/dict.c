// SPDX-License-Identifier: MIT
// The key tables and value arrays behind dicts and instance attributes.
#include "python/dict.h"

#include "python/limits.h"
#include "util/cleanup.h"

#include <errno.h>
#include <string.h>

struct keys_head {
	uint64_t entries; // address of the first
	size_t n;
	uint32_t entry_size; // 24: hash, key, value; 16: key, value
};

// Up to 3.10: dk_size indices of 1, 2, 4 or 8 bytes, then entries (Objects/dict-common.h).
static int keys_sized(const struct runtime *rt, uint64_t keys, struct keys_head *ret)
{
	const struct layout *l = &rt->layout;
	uint64_t size;
	int rc = mem_read_u64(rt->cold, keys + (uint64_t)LAYOUT_OFF(l, dictkeys, size), &size);
	if (rc < 0)
		return rc;
	if (!size || size > UINT64_C(1) << 40)
		return -PA_EBOUND;
	uint64_t width = size <= 0xff ? 1 : size <= 0xffff ? 2 : size <= 0xffffffff ? 4 : 8;
	ret->entries = keys + (uint64_t)LAYOUT_OFF(l, dictkeys, indices) + size * width;
	ret->entry_size = 24;
	return 0;
}

// From 3.11: logarithms, and entries without a hash when every key is a str
// (Include/internal/pycore_dict.h).
static int keys_log2(const struct runtime *rt, uint64_t keys, struct keys_head *ret)
{
	const struct layout *l = &rt->layout;
	uint8_t index_log2, kind;
	int rc = mem_read(rt->cold, keys + (uint64_t)LAYOUT_OFF(l, dictkeys, index_log2),
			  &index_log2, 1);
	if (rc >= 0)
		rc = mem_read(rt->cold, keys + (uint64_t)LAYOUT_OFF(l, dictkeys, kind), &kind, 1);
	if (rc < 0)
		return rc;
	if (index_log2 > 40)
		return -PA_EBOUND;
	ret->entries =
		keys + (uint64_t)LAYOUT_OFF(l, dictkeys, indices) + (UINT64_C(1) << index_log2);
	ret->entry_size = kind ? 16 : 24;
	return 0;
}

static int keys_head(const struct runtime *rt, uint64_t keys, struct keys_head *ret)
{
	if (!keys || keys & 7)
		return -EFAULT;
	int rc = LAYOUT_HAS(&rt->layout, keys, sized) ? keys_sized(rt, keys, ret)
						      : keys_log2(rt, keys, ret);
	if (rc < 0)
		return rc;
	uint64_t n;
	rc = mem_read_u64(rt->cold, keys + (uint64_t)LAYOUT_OFF(&rt->layout, dictkeys, nentries),
			  &n);
	if (rc < 0)
		return rc;
	if (n > UINT64_C(1) << 32)
		return -PA_EBOUND;
	ret->n = n < LIMIT_DICT_ENTRIES ? (size_t)n : LIMIT_DICT_ENTRIES;
	return 0;
}

// The array of a split table; from 3.13 on it tells how many values it has room for.
static int read_values(const struct runtime *rt, uint64_t values, uint64_t *array, size_t *n)
{
	const struct layout *l = &rt->layout;
	if (LAYOUT_OFF(l, dictvalues, capacity) >= 0) {
		uint8_t capacity;
		int rc = mem_read(rt->cold, values + (uint64_t)LAYOUT_OFF(l, dictvalues, capacity),
				  &capacity, 1);
		if (rc < 0)
			return rc;
		*n = *n < capacity ? *n : capacity;
	}
	int32_t off = LAYOUT_OFF(l, dictvalues, values);
	if (off < 0)
		off = 0; // up to 3.10 ma_values is the array itself
	return *n ? mem_read(rt->cold, values + (uint64_t)off, array, *n * sizeof(*array)) : 0;
}

static int read_entries(const struct runtime *rt, uint64_t keys, uint64_t values,
			struct dict_entry **ret, size_t *ret_n)
{
	struct keys_head head;
	int rc = keys_head(rt, keys, &head);
	if (rc < 0)
		return rc;
	CLEANUP(cleanup_free) char *raw = malloc(head.n * head.entry_size + 1);
	CLEANUP(cleanup_free) uint64_t *array = malloc(head.n * sizeof(*array) + 1);
	CLEANUP(cleanup_free) struct dict_entry *out = calloc(head.n + 1, sizeof(*out));
	if (!raw || !array || !out)
		return -ENOMEM;
	rc = head.n ? mem_read(rt->cold, head.entries, raw, head.n * head.entry_size) : 0;
	size_t values_n = head.n;
	if (rc >= 0 && values)
		rc = read_values(rt, values, array, &values_n);
	if (rc < 0)
		return rc;
	size_t n = 0;
	for (size_t i = 0; i < head.n; i++) {
		const char *entry = raw + i * head.entry_size + (head.entry_size == 24 ? 8 : 0);
		uint64_t value = !values ? load_u64(entry, 8) : i < values_n ? array[i] : 0;
		out[n] = (struct dict_entry){load_u64(entry, 0), value};
		n += out[n].key && out[n].value;
	}
	*ret = TAKE(out);
	*ret_n = n;
	return 0;
}

int object_dict(const struct runtime *rt, uint64_t dict, struct dict_entry **ret, size_t *ret_n)
{
	const struct layout *l = &rt->layout;
	uint64_t keys, values;
	int rc = mem_read_u64(rt->cold, dict + (uint64_t)LAYOUT_OFF(l, dict, keys), &keys);
	if (rc >= 0)
		rc = mem_read_u64(rt->cold, dict + (uint64_t)LAYOUT_OFF(l, dict, values), &values);
	return rc < 0 ? rc : read_entries(rt, keys, values, ret, ret_n);
}

// A compact ASCII str holds its text right behind its header.
static int find_key(const struct runtime *rt, const struct dict_entry *entries, size_t n,
		    const char *key, uint64_t *ret_value)
{
	const struct layout *l = &rt->layout;
	char str[LIMIT_SLICE];
	size_t len = strlen(key), head = (size_t)LAYOUT_OFF(l, unicode, ascii_size);
	if (head + len > sizeof(str))
		return -PA_EBOUND;
	for (size_t i = 0; i < n; i++) {
		if (mem_read(rt->cold, entries[i].key, str, head + len) < 0 ||
		    load_u64(str, LAYOUT_OFF(l, unicode, length)) != len ||
		    memcmp(str + head, key, len))
			continue;
		*ret_value = entries[i].value;
		return 0;
	}
	return -ENOENT;
}

int dict_find_in(const struct runtime *rt, uint64_t keys, uint64_t values, const char *key,
		 uint64_t *ret_value)
{
	CLEANUP(cleanup_free) struct dict_entry *entries = NULL;
	size_t n = 0;
	int rc = read_entries(rt, keys, values, &entries, &n);
	return rc < 0 ? rc : find_key(rt, entries, n, key, ret_value);
}

int object_dict_find(const struct runtime *rt, uint64_t dict, const char *key, uint64_t *ret_value)
{
	CLEANUP(cleanup_free) struct dict_entry *entries = NULL;
	size_t n = 0;
	int rc = object_dict(rt, dict, &entries, &n);
	return rc < 0 ? rc : find_key(rt, entries, n, key, ret_value);
}
