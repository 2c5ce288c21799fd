// SPDX-License-Identifier: MIT
// Lines for a person, on stderr.
#include "cmd/say.h"

#include "util/buf.h"
#include "util/cleanup.h"
#include "util/fs.h"
#include "util/term.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void say(const char *fmt, ...)
{
	char text[2048];
	va_list args;
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	CLEANUP(buf_release) struct buf line = {0};
	buf_str(&line, "pyattach: ");
	term_escape(&line, text, strlen(text));
	buf_char(&line, '\n');
	fs_write_all(STDERR_FILENO, buf_text(&line), line.len);
}
