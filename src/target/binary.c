// SPDX-License-Identifier: MIT
// An ELF file mapped into the target: symbols, sections, load bias.
#include "target/binary.h"

#include "target/dynsym.h"
#include "target/image.h"
#include "target/placement.h"
#include "target/sections.h"
#include "util/cleanup.h"
#include "util/term.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define HEAD_SIZE                                                                                  \
	4096 // bytes by which a file is told from another: headers, build-id, first hashes

struct binary {
	char *path;
	struct image image;
	bool has_dynsym;
	struct dynsym dynsym;
	bool sections_tried;
	struct sections *sections; // NULL: none
};

void binary_close(struct binary *b)
{
	if (!b)
		return;
	sections_close(b->sections);
	image_release(&b->image);
	free(b->path);
	free(b);
}

static void binary_cleanup(struct binary **b)
{
	binary_close(*b);
}

// Whether the file begins with the bytes that the target has mapped from it. Programs are replaced
// while they run, and another container has other files under the same paths.
static bool is_mapped_file(const struct image *im, struct mem *mem)
{
	char file[HEAD_SIZE], memory[HEAD_SIZE];
	for (size_t i = 0; i < im->n; i++) {
		const Elf64_Phdr *ph = &im->segments[i];
		if (ph->p_type != PT_LOAD || ph->p_offset || ph->p_flags & PF_W)
			continue;
		size_t len = ph->p_filesz < HEAD_SIZE ? ph->p_filesz : HEAD_SIZE;
		if (mem_read(mem, ph->p_vaddr + im->bias, memory, len))
			return true; // nothing to compare with
		return !image_read(im, ph->p_vaddr, file, len) && !memcmp(file, memory, len);
	}
	return true;
}

static int open_file(struct binary *b, struct target *t, const struct map_entry *entry)
{
	int fd = target_open_file(t, TARGET_FILE_MAPPED, 0, entry);
	if (fd < 0)
		return fd;
	int r = image_open_file(&b->image, fd);
	if (r || !b->image.native)
		return r;
	b->image.bias = placement_bias(&b->image, target_maps(t), entry);
	return is_mapped_file(&b->image, target_mem(t)) ? 0 : -ESTALE;
}

static int open_memory(struct binary *b, struct target *t, const struct map_entry *entry)
{
	const struct map_entry *first = placement_head(target_maps(t), entry);
	if (!first)
		return -ENOENT;
	image_release(&b->image);
	int r = image_open_memory(&b->image, target_mem(t), first->start);
	if (r || !b->image.native)
		return r;
	b->image.bias = placement_bias(&b->image, target_maps(t), first);
	return 0;
}

static int set_unusable(struct target *t, const struct map_entry *entry, int code, struct err *err)
{
	CLEANUP(buf_release) struct buf path = {0};
	term_escape(&path, entry->path, strlen(entry->path));
	if (code == -PA_EELF)
		return err_set(err, code,
			       "%s, which process %d has mapped, is not a usable ELF file.",
			       buf_text(&path), target_pid(t));
	if (code == -ESTALE)
		return err_set(err, -ENOENT,
			       "%s is not the file that process %d has mapped: it was replaced.",
			       buf_text(&path), target_pid(t));
	return err_set(err, code, "Cannot open %s, which process %d has mapped%s: %s.",
		       buf_text(&path), target_pid(t),
		       entry->deleted ? " and which is deleted" : "", err_message(code));
}

int binary_open(struct target *t, const struct map_entry *entry, struct binary **ret,
		struct err *err)
{
	if (!entry->path || entry->path[0] != '/')
		return err_set(err, -ENOENT, "No file is mapped at 0x%llx in process %d.",
			       (unsigned long long)entry->start, target_pid(t));
	CLEANUP(binary_cleanup) struct binary *b = calloc(1, sizeof(*b));
	if (!b)
		return err_set(err, -ENOMEM, "Cannot open a file of process %d: out of memory.",
			       target_pid(t));
	b->image.fd = -1;
	b->path = strdup(entry->path);
	if (!b->path)
		return err_set(err, -ENOMEM, "Cannot open a file of process %d: out of memory.",
			       target_pid(t));
	int r = open_file(b, t, entry);
	if (r && open_memory(b, t, entry))
		return set_unusable(t, entry, r, err);
	b->has_dynsym = b->image.native && !dynsym_open(&b->dynsym, &b->image);
	*ret = TAKE(b);
	return 0;
}

const char *binary_path(const struct binary *b)
{
	return b->path;
}

uint64_t binary_bias(const struct binary *b)
{
	return b->image.bias;
}

bool binary_is_native(const struct binary *b)
{
	return b->image.native;
}

static int place(const struct binary *b, const Elf64_Sym *sym, uint64_t *ret_addr,
		 uint64_t *ret_size)
{
	*ret_addr = sym->st_value + b->image.bias;
	*ret_size = sym->st_size;
	return 0;
}

int binary_export(struct binary *b, const char *name, uint64_t *ret_addr, uint64_t *ret_size)
{
	Elf64_Sym sym;
	if (!b->has_dynsym || dynsym_find(&b->dynsym, &b->image, name, &sym))
		return -ENOENT;
	return place(b, &sym, ret_addr, ret_size);
}

// Most lookups are answered without the sections.
static int need_sections(struct binary *b)
{
	if (!b->sections_tried) {
		int r = sections_open(&b->image, &b->sections);
		if (r == -ENOMEM)
			return r;
		b->sections_tried = true;
	}
	return b->sections ? 0 : -ENOENT;
}

int binary_symbol(struct binary *b, const char *name, uint64_t *ret_addr, uint64_t *ret_size)
{
	if (!binary_export(b, name, ret_addr, ret_size))
		return 0;
	Elf64_Sym sym;
	int r = need_sections(b);
	if (!r)
		r = sections_symbol(b->sections, name, &sym);
	return r ? r : place(b, &sym, ret_addr, ret_size);
}

int binary_section(struct binary *b, const char *name, uint64_t *ret_addr, uint64_t *ret_size)
{
	uint64_t vaddr;
	int r = need_sections(b);
	if (!r)
		r = sections_find(b->sections, name, &vaddr, ret_size);
	if (!r)
		*ret_addr = vaddr + b->image.bias;
	return r;
}

int binary_file_bytes(struct binary *b, uint64_t addr, void *local, size_t len)
{
	uint64_t vaddr = addr - b->image.bias;
	// What memory holds in a writable segment may have changed since it was loaded.
	for (size_t i = 0; i < b->image.n && b->image.fd < 0; i++) {
		const Elf64_Phdr *ph = &b->image.segments[i];
		if (ph->p_type == PT_LOAD && ph->p_flags & PF_W && vaddr >= ph->p_vaddr &&
		    vaddr - ph->p_vaddr < ph->p_memsz)
			return -ENOENT;
	}
	return image_read(&b->image, vaddr, local, len);
}

int binary_writable(struct binary *b, size_t k, uint64_t *ret_addr, uint64_t *ret_size)
{
	for (size_t i = 0; i < b->image.n; i++) {
		const Elf64_Phdr *ph = &b->image.segments[i];
		if (ph->p_type != PT_LOAD || !(ph->p_flags & PF_W) || k--)
			continue;
		*ret_addr = ph->p_vaddr + b->image.bias;
		*ret_size = ph->p_memsz;
		return 0;
	}
	return -ENOENT;
}
