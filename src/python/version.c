// SPDX-License-Identifier: MIT
// Which CPython a mapped binary is.
#include "python/version.h"

#include "python/limits.h"
#include "util/cleanup.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

// PY_RELEASE_LEVEL of a final release, see Include/patchlevel.h.
#define LEVEL_FINAL 0xfu

static uint32_t hex_of(unsigned major, unsigned minor, unsigned micro, unsigned level,
		       unsigned serial)
{
	return major << 24 | minor << 16 | micro << 8 | level << 4 | serial;
}

void version_text(uint32_t hex, char *ret, size_t size)
{
	unsigned level = hex >> 4 & 0xf;
	const char *word = level == 0xa ? "a" : level == 0xb ? "b" : level == 0xc ? "rc" : "";
	int n = snprintf(ret, size, "%u.%u.%u", hex >> 24, hex >> 16 & 0xff, hex >> 8 & 0xff);
	if (*word && n > 0 && (size_t)n < size)
		snprintf(ret + n, size - (size_t)n, "%s%u", word, hex & 0xf);
}

static bool take_number(const char **s, const char *end, unsigned *ret)
{
	const char *start = *s;
	unsigned value = 0;
	while (*s < end && isdigit((unsigned char)**s) && *s - start < 3)
		value = value * 10 + (unsigned)(*(*s)++ - '0');
	*ret = value;
	return *s > start && value < 256;
}

// "3.8.18 (default, ...) \n[GCC ...": the static buffer of Py_GetVersion(), Python/getversion.c.
static bool match_at(const char *s, const char *end, uint32_t *ret_hex)
{
	unsigned major, minor, micro, level = LEVEL_FINAL, serial = 0;
	if (!take_number(&s, end, &major) || s == end || *s++ != '.' ||
	    !take_number(&s, end, &minor) || s == end || *s++ != '.' ||
	    !take_number(&s, end, &micro))
		return false;
	if (s < end && (*s == 'a' || *s == 'b' || *s == 'c' || *s == 'r')) {
		level = *s == 'a' ? 0xa : *s == 'b' ? 0xb : 0xc;
		s += *s == 'r' && s + 1 < end ? 2 : 1;
		if (!take_number(&s, end, &serial))
			return false;
	}
	if (s < end && *s == '+')
		s++;
	if (end - s < 3 || *s++ != ' ' || *s++ != '(')
		return false;
	size_t room = (size_t)(end - s) < 256 ? (size_t)(end - s) : 256;
	const char *open = memchr(s, '[', room);
	if (!open || memchr(s, '\0', (size_t)(open - s)) || !memchr(s, ')', (size_t)(open - s)))
		return false;
	*ret_hex = hex_of(major, minor, micro, level, serial & 0xf);
	return true;
}

bool version_search(const char *data, size_t len, uint32_t *ret_hex)
{
	const char *end = data + len;
	for (const char *dot = data; (dot = memchr(dot, '.', (size_t)(end - dot))); dot++) {
		const char *s = dot - 1;
		if (s < data || (*s != '2' && *s != '3'))
			continue;
		if (s > data && (isdigit((unsigned char)s[-1]) || s[-1] == '.'))
			continue;
		if (match_at(s, end, ret_hex))
			return true;
	}
	return false;
}

// Looks through the binary's writable segments, in pieces that overlap by more than the text.
static bool scan_data(struct target *t, struct binary *b, uint32_t *ret_hex)
{
	enum { PIECE = 65536, OVERLAP = 512 };
	CLEANUP(cleanup_free) char *piece = malloc(PIECE);
	uint64_t addr, size, read = 0;
	for (size_t k = 0; piece && !binary_writable(b, k, &addr, &size); k++) {
		for (uint64_t at = 0; at < size && read < LIMIT_VERSION_SCAN;
		     at += PIECE - OVERLAP) {
			size_t want = size - at < PIECE ? (size_t)(size - at) : PIECE;
			long got = mem_read_some(target_mem(t), addr + at, piece, want);
			if (got <= 0)
				continue;
			read += (uint64_t)got;
			if (version_search(piece, (size_t)got, ret_hex))
				return true;
		}
	}
	return false;
}

// "libpython3.8.so.1.0", "python3.11d": the minor version only.
static bool from_name(const char *path, uint32_t *ret_hex)
{
	const char *slash = strrchr(path, '/');
	const char *name = strstr(slash ? slash : path, "python");
	unsigned major, minor;
	if (!name || sscanf(name, "python%1u.%2u", &major, &minor) != 2)
		return false;
	*ret_hex = hex_of(major, minor, 0, 0, 0);
	return true;
}

static bool exports(struct binary *b, const char *symbol)
{
	uint64_t addr, size;
	return !binary_export(b, symbol, &addr, &size);
}

// A binary that exports its runtime exports Py_Version, too, if it has one.
static int find_version(struct binary *b, uint64_t *ret_addr, uint64_t *ret_size)
{
	return exports(b, "_PyRuntime") ? binary_export(b, "Py_Version", ret_addr, ret_size)
					: binary_symbol(b, "Py_Version", ret_addr, ret_size);
}

int version_detect(struct target *t, struct binary *b, uint64_t runtime, struct py_build *ret)
{
	*ret = (struct py_build){0};
	uint64_t head[3];
	if (!mem_read(target_mem(t), runtime, head, sizeof(head)) && !memcmp(head, "xdebugpy", 8) &&
	    head[1] >> 24 == 3) {
		ret->has_cookie = true;
		ret->hex = (uint32_t)head[1];
		ret->free_threaded = head[2] != 0;
	}
	uint64_t addr, size, value;
	if (!ret->hex && !find_version(b, &addr, &size) && size == 8 &&
	    !mem_read_u64(target_mem(t), addr, &value) && value >> 24 == 3)
		ret->hex = (uint32_t)value;
	if (!ret->hex && !scan_data(t, b, &ret->hex))
		ret->minor_only = from_name(binary_path(b), &ret->hex);
	if (!ret->hex)
		return -ENOENT;
	// Exported by builds with Py_DEBUG (before 3.12 and from then on), never by release builds.
	ret->debug = exports(b, "_Py_NegativeRefcount") &&
		     (exports(b, "_Py_RefTotal") || exports(b, "_Py_INCREF_IncRefTotal"));
	return 0;
}
