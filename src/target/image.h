// SPDX-License-Identifier: MIT
// The headers and the loaded bytes of an ELF file, taken from the file or from the target's memory.
#ifndef PYATTACH_TARGET_IMAGE_H
#define PYATTACH_TARGET_IMAGE_H

#include "target/mem.h"

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define IMAGE_SEGMENTS_MAX 64

// Files are read with pread and never mapped: one that is cut short meanwhile is a short read then
// and not a SIGBUS.
struct image {
	int fd;          // -1: read from memory
	struct mem *mem; // used when fd is -1; not owned
	uint64_t bias;   // runtime address - link address; set by the user once it is known
	bool native;     // of the class, byte order and machine that we were built for
	Elf64_Ehdr head;
	Elf64_Phdr segments[IMAGE_SEGMENTS_MAX];
	size_t n; // program headers; 0 when not native
};

// Reads and checks the headers of a file; fd is owned by the image from here on, also after a
// failure. Returns 0 or -PA_EELF.
int image_open_file(struct image *im, int fd);
// The same for a file whose first page lies at start in the target.
int image_open_memory(struct image *im, struct mem *mem, uint64_t start);
void image_release(struct image *im); // NULL-safe

// Copies len initialised bytes at a link-time address. Returns 0 or -ENOENT (they are not in one
// segment of the file, or cannot be read).
int image_read(const struct image *im, uint64_t vaddr, void *local, size_t len);
// The number of initialised bytes in the segment from vaddr on, 0 for none.
uint64_t image_bytes_at(const struct image *im, uint64_t vaddr);
// The first program header of the type, or NULL.
const Elf64_Phdr *image_segment(const struct image *im, uint32_t type);

#endif
