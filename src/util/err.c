// SPDX-License-Identifier: MIT
// Error codes of our own, and the one sentence that tells a person what happened.
#include "util/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

struct error_row {
	const char *message;
	bool transient;
	int exit_code;
};

static const struct error_row rows[] = {
#define X(name, message, transient, exit) [PA_##name - PA_ERROR_BASE_] = {message, transient, exit},
	PA_ERRORS(X)
#undef X
};

static const struct error_row *row_of(int code)
{
	if (code < -PA_ERROR_BASE_ && code > -PA_ERROR_END_)
		return &rows[-code - PA_ERROR_BASE_];
	return NULL;
}

int err_set(struct err *err, int code, const char *fmt, ...)
{
	if (!err)
		return code;
	va_list args;
	va_start(args, fmt);
	vsnprintf(err->text, sizeof(err->text), fmt, args);
	va_end(args);
	err->code = code;
	return code;
}

const char *err_message(int code)
{
	const struct error_row *row = row_of(code);
	if (row)
		return row->message;
	const char *text = code <= 0 && code >= -PA_ERROR_BASE_ ? strerrordesc_np(-code) : NULL;
	return text ? text : "unknown error";
}

bool err_is_transient(int code)
{
	const struct error_row *row = row_of(code);
	return row ? row->transient : code == -EINTR || code == -EAGAIN;
}

int err_exit_code(int code)
{
	if (code >= 0)
		return PA_EXIT_OK;
	const struct error_row *row = row_of(code);
	if (row)
		return row->exit_code;
	if (code == -EPERM || code == -EACCES)
		return PA_EXIT_PERMISSION;
	return code == -ESRCH ? PA_EXIT_NO_TARGET : PA_EXIT_RUNTIME;
}
