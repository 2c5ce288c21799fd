// SPDX-License-Identifier: MIT
// The headers and the loaded bytes of an ELF file, taken from the file or from the target's memory.
#include "target/image.h"

#include "util/err.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#if defined(__x86_64__)
#define MACHINE EM_X86_64
#elif defined(__aarch64__)
#define MACHINE EM_AARCH64
#else
#error "this machine is not supported"
#endif

static int read_file(int fd, uint64_t offset, void *local, size_t len)
{
	char *to = local;
	while (len) {
		ssize_t got = pread(fd, to, len, (off_t)offset);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return -ENOENT;
		to += got;
		offset += (uint64_t)got;
		len -= (size_t)got;
	}
	return 0;
}

// Reads at an offset of the file, or, in memory, relative to its first page.
static int read_head(const struct image *im, uint64_t start, uint64_t offset, void *local,
		     size_t len)
{
	if (im->fd >= 0)
		return read_file(im->fd, offset, local, len);
	return mem_read(im->mem, start + offset, local, len);
}

// A segment whose numbers do not add up is left out.
static bool is_sound(const Elf64_Phdr *ph)
{
	return ph->p_filesz <= ph->p_memsz && ph->p_memsz <= UINT64_MAX - ph->p_vaddr &&
	       ph->p_filesz <= UINT64_MAX - ph->p_offset;
}

static int read_headers(struct image *im, uint64_t start)
{
	Elf64_Ehdr *head = &im->head;
	if (read_head(im, start, 0, head, sizeof(*head)) ||
	    memcmp(head->e_ident, ELFMAG, SELFMAG) != 0)
		return -PA_EELF;
	im->native = head->e_ident[EI_CLASS] == ELFCLASS64 &&
		     head->e_ident[EI_DATA] == ELFDATA2LSB && head->e_machine == MACHINE;
	if (!im->native)
		return 0;
	if (head->e_phentsize != sizeof(Elf64_Phdr) || head->e_phnum > IMAGE_SEGMENTS_MAX ||
	    (head->e_type != ET_EXEC && head->e_type != ET_DYN))
		return -PA_EELF;
	if (read_head(im, start, head->e_phoff, im->segments, head->e_phnum * sizeof(Elf64_Phdr)))
		return -PA_EELF;
	for (size_t i = 0; i < head->e_phnum; i++)
		if (is_sound(&im->segments[i]))
			im->segments[im->n++] = im->segments[i];
	return image_segment(im, PT_LOAD) ? 0 : -PA_EELF;
}

int image_open_file(struct image *im, int fd)
{
	*im = (struct image){.fd = fd};
	return read_headers(im, 0);
}

int image_open_memory(struct image *im, struct mem *mem, uint64_t start)
{
	*im = (struct image){.fd = -1, .mem = mem};
	return read_headers(im, start);
}

void image_release(struct image *im)
{
	if (!im)
		return;
	if (im->fd >= 0)
		close(im->fd);
	im->fd = -1;
}

const Elf64_Phdr *image_segment(const struct image *im, uint32_t type)
{
	for (size_t i = 0; i < im->n; i++)
		if (im->segments[i].p_type == type)
			return &im->segments[i];
	return NULL;
}

static const Elf64_Phdr *load_at(const struct image *im, uint64_t vaddr)
{
	for (size_t i = 0; i < im->n; i++) {
		const Elf64_Phdr *ph = &im->segments[i];
		if (ph->p_type == PT_LOAD && vaddr >= ph->p_vaddr &&
		    vaddr - ph->p_vaddr < ph->p_filesz)
			return ph;
	}
	return NULL;
}

uint64_t image_bytes_at(const struct image *im, uint64_t vaddr)
{
	const Elf64_Phdr *ph = load_at(im, vaddr);
	return ph ? ph->p_filesz - (vaddr - ph->p_vaddr) : 0;
}

int image_read(const struct image *im, uint64_t vaddr, void *local, size_t len)
{
	const Elf64_Phdr *ph = load_at(im, vaddr);
	if (!ph || len > ph->p_filesz - (vaddr - ph->p_vaddr))
		return -ENOENT;
	if (im->fd >= 0)
		return read_file(im->fd, ph->p_offset + (vaddr - ph->p_vaddr), local, len);
	return mem_read(im->mem, vaddr + im->bias, local, len) ? -ENOENT : 0;
}
