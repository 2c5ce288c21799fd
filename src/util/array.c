// SPDX-License-Identifier: MIT
// Growing plain arrays: one check before an element is appended.
#include "util/array.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int array_reserve(void *items, size_t *cap, size_t want, size_t size)
{
	if (want <= *cap)
		return 0;
	if (want > PTRDIFF_MAX / size)
		return -ENOMEM;
	size_t grown = *cap ? *cap * 2 : 16;
	if (grown < want)
		grown = want;
	void *old;
	memcpy(&old, items, sizeof(old));
	void *fresh = reallocarray(old, grown, size);
	if (!fresh)
		return -ENOMEM;
	memcpy(items, &fresh, sizeof(fresh));
	*cap = grown;
	return 0;
}
