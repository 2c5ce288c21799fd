// SPDX-License-Identifier: MIT
// The key tables and value arrays behind dicts and instance attributes.
#ifndef PYATTACH_PYTHON_DICT_H
#define PYATTACH_PYTHON_DICT_H

#include "python/object.h"

// Where an instance keeps its attributes: a dict, or a bare array of values whose keys are the
// type's (ht_cached_keys).
struct attr_place {
	uint64_t type;
	uint64_t dict;
	uint64_t values;
};

// As object_dict_find, for a PyDictKeysObject and a PyDictValues (0: values lie in the keys).
int dict_find_in(const struct runtime *rt, uint64_t keys, uint64_t values, const char *key,
		 uint64_t *ret_value);

#endif
