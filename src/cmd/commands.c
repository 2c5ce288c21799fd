// SPDX-License-Identifier: MIT
// The list of all sub-commands, and finding one by its name.
#include "cmd/commands.h"

#include "cmd/options.h"
#include "util/parse.h"

#include <stddef.h>
#include <string.h>

const struct command *const commands[] = {
#define X(name) &cmd_##name,
	COMMANDS(X)
#undef X
		NULL,
};

static const struct command *nearest(const char *name)
{
	for (size_t i = 0; commands[i]; i++) {
		if (options_alike(name, commands[i]->name))
			return commands[i];
	}
	return NULL;
}

const struct command *command_find(const char *name, struct err *err)
{
	for (size_t i = 0; commands[i]; i++) {
		if (!strcmp(commands[i]->name, name))
			return commands[i];
	}
	uint64_t pid;
	const struct command *near = nearest(name);
	if (near)
		err_set(err, -PA_EUSAGE, "There is no command '%s'; did you mean '%s'?", name,
			near->name);
	else if (name[0] == '-')
		err_set(err, -PA_EUSAGE,
			"Unknown option '%s' before the command; see 'pyattach --help'.", name);
	else if (parse_u64(name, &pid) == 0)
		err_set(err, -PA_EUSAGE, "A command comes first; did you mean 'pyattach dump %s'?",
			name);
	else
		err_set(err, -PA_EUSAGE, "There is no command '%s'; see 'pyattach --help'.", name);
	return NULL;
}
