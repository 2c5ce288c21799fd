// SPDX-License-Identifier: MIT
// Error codes of our own, and the one sentence that tells a person what happened.
#ifndef PYATTACH_UTIL_ERR_H
#define PYATTACH_UTIL_ERR_H

#include <stdbool.h>

// Exit codes of the program (see pyattach.1).
enum pa_exit {
	PA_EXIT_OK = 0,
	PA_EXIT_RUNTIME = 1,
	PA_EXIT_USAGE = 2,
	PA_EXIT_EMPTY = 3,
	PA_EXIT_PERMISSION = 4,
	PA_EXIT_NO_TARGET = 5,
	PA_EXIT_PARTIAL = 6,
	PA_EXIT_ABORTED = 130,
};

// X(name, message, transient, exit code). A function returns >= 0 when all is fine, otherwise
// -errno or one of -PA_*; transient ones may succeed when tried again a moment later.
#define PA_ERRORS(X)                                                                               \
	X(ETORN, "the target changed while it was read", true, PA_EXIT_RUNTIME)                    \
	X(EBOUND, "a size or count in the target is out of bounds", true, PA_EXIT_RUNTIME)         \
	X(EGONE, "the process has ended", false, PA_EXIT_NO_TARGET)                                \
	X(ENOPROC, "no such process", false, PA_EXIT_NO_TARGET)                                    \
	X(ENOTPYTHON, "not a Python process", false, PA_EXIT_NO_TARGET)                            \
	X(EVERSION, "this version of Python is not supported", false, PA_EXIT_NO_TARGET)           \
	X(EDENIED, "not permitted", false, PA_EXIT_PERMISSION)                                     \
	X(ELAYOUT, "bad offsets table", false, PA_EXIT_USAGE)                                      \
	X(EUSAGE, "bad usage", false, PA_EXIT_USAGE)                                               \
	X(EOUTPUT, "cannot write the output", false, PA_EXIT_RUNTIME)                              \
	X(EELF, "not a usable ELF file", false, PA_EXIT_RUNTIME)                                   \
	X(EABORTED, "aborted", false, PA_EXIT_ABORTED)

enum pa_error {
	PA_ERROR_BASE_ = 4096, // above every errno
#define X(name, message, transient, exit) PA_##name,
	PA_ERRORS(X)
#undef X
		PA_ERROR_END_,
};

// One whole sentence for a person: what was tried, on what, why it failed, what to do.
struct err {
	int code; // what the function returned, negative; 0 when nothing was written
	char text[1024];
};

// Writes the sentence (printf-like) and returns code, so that a caller can "return err_set(...)".
// err may be NULL. Control bytes in the text are the caller's to escape (util/term.h).
int err_set(struct err *err, int code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

// The short message for -errno or -PA_*; never NULL, valid for ever.
const char *err_message(int code);

// True for errors that a later try may not meet.
bool err_is_transient(int code);

// The exit code that belongs to -errno or -PA_*; 0 for code >= 0.
int err_exit_code(int code);

#endif
