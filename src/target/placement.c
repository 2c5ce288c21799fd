// SPDX-License-Identifier: MIT
// Where in memory an ELF image lies: the load bias that its mappings agree on.
#include "target/placement.h"

#include <string.h>
#include <unistd.h>

static bool is_same_file(const struct map_entry *a, const struct map_entry *b)
{
	return a->inode == b->inode && a->dev_major == b->dev_major &&
	       a->dev_minor == b->dev_minor && a->path && b->path && !strcmp(a->path, b->path);
}

static bool is_loaded(const Elf64_Phdr *ph)
{
	return ph->p_type == PT_LOAD && ph->p_filesz;
}

// Whether the first page of the segment would, with this bias, lie where the file is mapped at the
// offset of that page.
static bool is_in_place(const Elf64_Phdr *ph, uint64_t bias, uint64_t page, const struct maps *maps,
			const struct map_entry *entry)
{
	uint64_t addr = (ph->p_vaddr + bias) & ~(page - 1);
	const struct map_entry *e = maps_find(maps, addr);
	return e && is_same_file(e, entry) &&
	       e->offset + (addr - e->start) == (ph->p_offset & ~(page - 1));
}

struct choice {
	uint64_t bias;
	size_t score; // segments in place; 0 = no choice yet
};

static size_t score_of(const struct image *im, uint64_t bias, uint64_t page,
		       const struct maps *maps, const struct map_entry *entry)
{
	size_t score = 0;
	for (size_t i = 0; i < im->n; i++)
		if (is_loaded(&im->segments[i]))
			score += is_in_place(&im->segments[i], bias, page, maps, entry);
	return score;
}

// Every bias that one mapping can mean: its offset lies in one segment or, where two share a page,
// in either.
static void consider(const struct image *im, const struct map_entry *e, const struct maps *maps,
		     struct choice *best)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	for (size_t i = 0; i < im->n; i++) {
		const Elf64_Phdr *ph = &im->segments[i];
		uint64_t from = ph->p_offset & ~(page - 1);
		if (!is_loaded(ph) || e->offset < from ||
		    e->offset - from >= ph->p_filesz + (ph->p_offset - from))
			continue;
		uint64_t bias = e->start - (ph->p_vaddr + (e->offset - ph->p_offset));
		size_t score = score_of(im, bias, page, maps, e);
		// A mapping that is not executable does not stand for code, nor the other way
		// round.
		score = 2 * score + (e->exec == !!(ph->p_flags & PF_X));
		if (!(bias & (page - 1)) && score > best->score)
			*best = (struct choice){bias, score};
	}
}

uint64_t placement_bias(const struct image *im, const struct maps *maps,
			const struct map_entry *entry)
{
	if (im->head.e_type == ET_EXEC)
		return 0;
	size_t loaded = 0;
	for (size_t i = 0; i < im->n; i++)
		loaded += is_loaded(&im->segments[i]);
	struct choice best = {0, 0};
	consider(im, entry, maps, &best);
	for (size_t i = 0; i < maps->n && best.score / 2 < loaded; i++)
		if (is_same_file(&maps->entries[i], entry))
			consider(im, &maps->entries[i], maps, &best);
	return best.bias;
}

const struct map_entry *placement_head(const struct maps *maps, const struct map_entry *entry)
{
	const struct map_entry *found = NULL;
	for (size_t i = 0; i < maps->n; i++) {
		const struct map_entry *e = &maps->entries[i];
		if (!e->read || e->offset || !is_same_file(e, entry))
			continue;
		if (!found || e->start <= entry->start)
			found = e;
	}
	return found;
}
