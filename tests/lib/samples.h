// SPDX-License-Identifier: MIT
// Profiles and processes made in code, for the tests of every output.
#ifndef PYATTACH_TESTS_SAMPLES_H
#define PYATTACH_TESTS_SAMPLES_H

#include "model/process.h"
#include "model/profile.h"

// The names, NULL-terminated.
extern const char *const sample_profiles[];
extern const char *const sample_processes[];

// A finished profile or a process of that name with a frame table of its own; NULL when the name
// is unknown. sample_*_free also frees the table.
struct profile *sample_profile(const char *name);
void sample_profile_free(struct profile *p);
struct process *sample_process(const char *name);
void sample_process_free(struct process *p);

#endif
