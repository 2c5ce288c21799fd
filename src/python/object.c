// SPDX-License-Identifier: MIT
// Python objects of the target: types, ints, lists, instance attributes.
#include "python/object.h"

#include "python/dict.h"
#include "python/limits.h"
#include "util/cleanup.h"

#include <errno.h>
#include <string.h>

// Include/object.h and Include/cpython/object.h.
#define TPFLAGS_INLINE_VALUES (UINT64_C(1) << 2)
#define TPFLAGS_MANAGED_DICT  (UINT64_C(1) << 4)

int object_type(const struct runtime *rt, uint64_t obj, uint64_t *ret_type)
{
	if (!obj || obj & 7)
		return -EFAULT;
	int rc = mem_read_u64(rt->cold, obj + (uint64_t)LAYOUT_OFF(&rt->layout, object, type),
			      ret_type);
	if (rc < 0)
		return rc;
	return *ret_type && !(*ret_type & 7) ? 0 : -EFAULT;
}

int object_type_name(const struct runtime *rt, uint64_t obj, char *ret, size_t size)
{
	uint64_t type, name;
	int rc = object_type(rt, obj, &type);
	if (rc >= 0)
		rc = mem_read_u64(rt->cold, type + (uint64_t)LAYOUT_OFF(&rt->layout, type, name),
				  &name);
	if (rc < 0)
		return rc;
	long len = mem_read_cstr(rt->cold, name, ret, size);
	return len < 0 ? (int)len : 0;
}

bool object_is_a(const struct runtime *rt, uint64_t obj, const char *type_name)
{
	char name[LIMIT_CODE_TYPE];
	uint64_t type, meta, meta_meta;
	return !object_type_name(rt, obj, name, sizeof(name)) && !strcmp(name, type_name) &&
	       !object_type(rt, obj, &type) && !object_type(rt, type, &meta) &&
	       !object_type(rt, meta, &meta_meta) && meta == meta_meta;
}

// Objects/longobject.c: digits of 30 bits; the sign and count are ob_size up to 3.11, lv_tag then.
int object_int(const struct runtime *rt, uint64_t obj, int64_t *ret_value)
{
	const struct layout *l = &rt->layout;
	bool tagged = LAYOUT_HAS(l, int, tagged);
	int32_t at = tagged ? LAYOUT_OFF(l, long, tag) : LAYOUT_OFF(l, long, size);
	uint64_t word;
	int rc = mem_read_u64(rt->cold, obj + (uint64_t)at, &word);
	if (rc < 0)
		return rc;
	uint64_t digits = tagged ? word >> 3 : word;
	int64_t sign = tagged ? 1 - (int64_t)(word & 3) : 1;
	if (!tagged && (int64_t)word < 0) {
		digits = -word;
		sign = -1;
	}
	if (digits > 3)
		return -PA_EBOUND;
	uint32_t d[3] = {0};
	if (digits) {
		rc = mem_read(rt->cold, obj + (uint64_t)LAYOUT_OFF(l, long, digits), d,
			      digits * sizeof(*d));
		if (rc < 0)
			return rc;
	}
	uint64_t value = d[0] | (uint64_t)d[1] << 30 | (uint64_t)d[2] << 60;
	*ret_value = sign < 0 ? (int64_t)-value : (int64_t)value;
	return 0;
}

int object_list(const struct runtime *rt, uint64_t obj, uint64_t **ret_items, size_t *ret_n)
{
	const struct layout *l = &rt->layout;
	uint64_t n, items;
	int rc = mem_read_u64(rt->cold, obj + (uint64_t)LAYOUT_OFF(l, object, size), &n);
	if (rc >= 0)
		rc = mem_read_u64(rt->cold, obj + (uint64_t)LAYOUT_OFF(l, list, items), &items);
	if (rc < 0)
		return rc;
	if (n > LIMIT_LIST_ITEMS)
		return -PA_EBOUND;
	CLEANUP(cleanup_free) uint64_t *copy = calloc(n + 1, sizeof(*copy));
	if (!copy)
		return -ENOMEM;
	rc = n ? mem_read(rt->cold, items, copy, n * sizeof(*copy)) : 0;
	if (rc < 0)
		return rc;
	*ret_items = TAKE(copy);
	*ret_n = n;
	return 0;
}

struct type_head {
	uint64_t type, flags;
	int64_t basicsize, dictoffset;
};

static int type_head(const struct runtime *rt, uint64_t obj, struct type_head *ret)
{
	const struct layout *l = &rt->layout;
	int rc = object_type(rt, obj, &ret->type);
	if (rc < 0)
		return rc;
	uint64_t basicsize, dictoffset;
	rc = mem_read_u64(rt->cold, ret->type + (uint64_t)LAYOUT_OFF(l, type, flags), &ret->flags);
	if (rc >= 0)
		rc = mem_read_u64(rt->cold, ret->type + (uint64_t)LAYOUT_OFF(l, type, basicsize),
				  &basicsize);
	if (rc >= 0)
		rc = mem_read_u64(rt->cold, ret->type + (uint64_t)LAYOUT_OFF(l, type, dictoffset),
				  &dictoffset);
	if (rc < 0)
		return rc;
	if (basicsize > LIMIT_OFFSET)
		return -PA_EBOUND;
	ret->basicsize = (int64_t)basicsize;
	ret->dictoffset = (int64_t)dictoffset;
	return 0;
}

// 3.11: PyDictValues* at -4 words, dict* at -3 (Objects/dictobject.c, _PyObject_DictPointer).
static int managed_311(const struct runtime *rt, uint64_t obj, struct attr_place *ret)
{
	uint64_t words[2];
	int rc = mem_read(rt->cold, obj - 32, words, sizeof(words));
	if (rc < 0)
		return rc;
	ret->values = words[0];
	ret->dict = words[0] ? 0 : words[1];
	return 0;
}

// 3.12: one word at -3: the values with the low bit set and one less, or the dict.
static int managed_312(const struct runtime *rt, uint64_t obj, struct attr_place *ret)
{
	uint64_t word;
	int rc = mem_read_u64(rt->cold, obj - 24, &word);
	if (rc < 0)
		return rc;
	ret->values = word & 1 ? word + 1 : 0;
	ret->dict = word & 1 ? 0 : word;
	return 0;
}

// 3.13: the dict at -3 words; without one, values follow the object's basic size.
static int managed_313(const struct runtime *rt, uint64_t obj, const struct type_head *head,
		       struct attr_place *ret)
{
	int rc = mem_read_u64(rt->cold, obj - 24, &ret->dict);
	if (rc < 0)
		return rc;
	ret->values = !ret->dict && head->flags & TPFLAGS_INLINE_VALUES
			      ? obj + (uint64_t)head->basicsize
			      : 0;
	return 0;
}

static int attr_place(const struct runtime *rt, uint64_t obj, struct attr_place *ret)
{
	const struct layout *l = &rt->layout;
	struct type_head head;
	int rc = type_head(rt, obj, &head);
	if (rc < 0)
		return rc;
	*ret = (struct attr_place){.type = head.type};
	if (!LAYOUT_HAS(l, attrs, dictoffset) && head.flags & TPFLAGS_MANAGED_DICT) {
		if (LAYOUT_HAS(l, attrs, values_before))
			return managed_311(rt, obj, ret);
		if (LAYOUT_HAS(l, attrs, tagged_before))
			return managed_312(rt, obj, ret);
		return managed_313(rt, obj, &head, ret);
	}
	if (head.dictoffset <= 0 || head.dictoffset > (int64_t)LIMIT_OFFSET)
		return -ENOENT;
	return mem_read_u64(rt->cold, obj + (uint64_t)head.dictoffset, &ret->dict);
}

int object_attr(const struct runtime *rt, uint64_t obj, const char *name, uint64_t *ret_value)
{
	struct attr_place place;
	int rc = attr_place(rt, obj, &place);
	if (rc < 0)
		return rc;
	if (place.dict)
		return object_dict_find(rt, place.dict, name, ret_value);
	if (!place.values)
		return -ENOENT;
	uint64_t keys;
	rc = mem_read_u64(rt->cold,
			  place.type + (uint64_t)LAYOUT_OFF(&rt->layout, type, cached_keys), &keys);
	if (rc < 0)
		return rc;
	return dict_find_in(rt, keys, place.values, name, ret_value);
}
