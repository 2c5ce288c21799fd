// SPDX-License-Identifier: MIT
// Where in memory an ELF image lies: the load bias that its mappings agree on.
#ifndef PYATTACH_TARGET_PLACEMENT_H
#define PYATTACH_TARGET_PLACEMENT_H

#include "target/image.h"
#include "target/maps.h"

// The load bias of a native image that entry maps: that at which most of the segments of the file
// lie where its other mappings are. Between equals the one that entry itself suggests wins, so
// that a library which was loaded twice has the bias of that copy. 0 for ET_EXEC.
uint64_t placement_bias(const struct image *im, const struct maps *maps,
			const struct map_entry *entry);

// The readable mapping of the beginning of entry's file that is nearest below it, or NULL.
const struct map_entry *placement_head(const struct maps *maps, const struct map_entry *entry);

#endif
