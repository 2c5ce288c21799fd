// SPDX-License-Identifier: MIT
// Reading small files.
#ifndef PYATTACH_UTIL_FS_H
#define PYATTACH_UTIL_FS_H

#include "util/buf.h"

// Appends everything that can be read from fd, at most max bytes. Returns 0, -errno, or -EFBIG
// when there is more.
int fs_read_all(int fd, size_t max, struct buf *b);
// The same for a path.
int fs_read_file(const char *path, size_t max, struct buf *b);
// Writes everything, also over short writes and signals. Returns 0 or -errno.
int fs_write_all(int fd, const void *data, size_t len);

#endif
