// SPDX-License-Identifier: MIT
// Reading another process's memory: one struct of operations, live or recorded.
#ifndef PYATTACH_TARGET_MEM_H
#define PYATTACH_TARGET_MEM_H

#include <stddef.h>
#include <stdint.h>

struct mem;

struct mem_vec {
	void *local;
	uint64_t addr;
	size_t len;
};

struct mem_ops {
	// Reads up to len bytes from addr. Returns the bytes read (short where the mapping ends),
	// or -EFAULT (nothing there), -PA_EGONE (the target has ended or has called execve),
	// -EPERM.
	long (*read)(struct mem *m, uint64_t addr, void *local, size_t len);
	// Reads the pieces in order in as few system calls as possible, for memory that the
	// target itself writes all the time. Returns the number of whole pieces read before the
	// first that failed, or a negative error as above (never -EFAULT).
	long (*read_hot)(struct mem *m, const struct mem_vec *vec, size_t n);
	void (*close)(struct mem *m);
};

struct mem {
	const struct mem_ops *ops;
};

// Reads exactly len bytes of cold memory. Returns 0 or a negative error; a short read is -EFAULT.
int mem_read(struct mem *m, uint64_t addr, void *local, size_t len);
// Up to len bytes; returns the number read, at least 1, or a negative error.
long mem_read_some(struct mem *m, uint64_t addr, void *local, size_t len);
int mem_read_u64(struct mem *m, uint64_t addr, uint64_t *ret_value);
int mem_read_u32(struct mem *m, uint64_t addr, uint32_t *ret_value);
// A NUL-terminated text of at most size - 1 bytes. Returns its length, or a negative error
// (-PA_EBOUND when no NUL was met).
long mem_read_cstr(struct mem *m, uint64_t addr, char *local, size_t size);
// See mem_ops.read_hot.
long mem_read_hot(struct mem *m, const struct mem_vec *vec, size_t n);
void mem_close(struct mem *m); // NULL-safe

#endif
