// SPDX-License-Identifier: MIT
// Strict parsing of what a person types: the whole text or nothing.
#include "util/parse.h"

#include "util/clock.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

int parse_u64(const char *s, uint64_t *ret_value)
{
	bool hex = s[0] == '0' && (s[1] == 'x' || s[1] == 'X');
	const char *digits = hex ? s + 2 : s;
	if (hex ? !isxdigit((unsigned char)*digits) : !isdigit((unsigned char)*digits))
		return -EINVAL;
	char *end;
	errno = 0;
	unsigned long long value = strtoull(digits, &end, hex ? 16 : 10);
	// Base 16 takes a second 0x as well.
	if (*end || (hex && (digits[1] == 'x' || digits[1] == 'X')))
		return -EINVAL;
	if (errno)
		return -errno;
	*ret_value = value;
	return 0;
}

// [0-9]+ or [0-9]*.[0-9]+ by hand, since strtod takes the locale's point, signs, hex and "inf".
static int parse_decimal(const char **s, double *ret_value)
{
	double value = 0, scale = 1;
	bool any = false;
	for (; isdigit((unsigned char)**s); (*s)++, any = true)
		value = value * 10 + (**s - '0');
	if (**s == '.') {
		for ((*s)++; isdigit((unsigned char)**s); (*s)++, any = true)
			value += (**s - '0') * (scale /= 10);
	}
	*ret_value = value;
	return any ? 0 : -EINVAL;
}

int parse_duration_ns(const char *s, uint64_t *ret_ns)
{
	if (!strcmp(s, "unlimited")) {
		*ret_ns = 0;
		return 0;
	}
	double value;
	if (parse_decimal(&s, &value) < 0)
		return -EINVAL;
	double unit = 1;
	if (*s == 's' || *s == 'm' || *s == 'h') {
		unit = *s == 's' ? 1 : *s == 'm' ? 60 : 3600;
		s++;
	}
	if (*s)
		return -EINVAL;
	value *= unit;
	if (value * 1e9 < 1 || value > 100.0 * 366 * 86400)
		return -ERANGE;
	*ret_ns = (uint64_t)(value * (double)NS_PER_SEC + 0.5);
	return 0;
}
