// SPDX-License-Identifier: MIT
// A view of another memory that keeps pages it has read until it is told to forget them.
#ifndef PYATTACH_TARGET_MEM_CACHE_H
#define PYATTACH_TARGET_MEM_CACHE_H

#include "target/mem.h"

// For cold objects that lie close together and are followed pointer by pointer. What is read may
// be as old as the last mem_cache_forget; hot reads pass through.
// Returns NULL when out of memory. under is not owned; close with mem_close.
struct mem *mem_cache_new(struct mem *under);
void mem_cache_forget(struct mem *cache);

#endif
