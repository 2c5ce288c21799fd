// SPDX-License-Identifier: MIT
// pyattach help: what there is, or the help of one command.
#include "cmd/commands.h"

#include <stdio.h>

static void print_all(void)
{
	fputs("Usage: pyattach COMMAND [OPTION...]\n"
	      "Reads a running Python process from outside: without a restart, a stop, or a change "
	      "to it.\n"
	      "\n"
	      "Examples:\n"
	      "  pyattach dump --pid 1234                    what is every thread doing now?\n"
	      "  pyattach record --pid 1234 --duration 30    where does the time go? a flame "
	      "graph\n"
	      "  pyattach help record                        the options of a command\n"
	      "\n"
	      "Commands:\n",
	      stdout);
	for (size_t i = 0; commands[i]; i++)
		printf("  %-10s %s\n", commands[i]->name, commands[i]->summary);
	fputs("\n"
	      "Options:\n"
	      "  -h, --help       show this help\n"
	      "  -V, --version    show the version, and which Python versions can be read\n",
	      stdout);
}

static int run(int argc, char **argv, struct err *err)
{
	if (argc < 2 || argv[1][0] == '-') {
		print_all();
		return PA_EXIT_OK;
	}
	if (argc > 2)
		return err_set(err, -PA_EUSAGE, "'help' takes one command, not %d words.",
			       argc - 1);
	const struct command *command = command_find(argv[1], err);
	if (!command)
		return -PA_EUSAGE;
	char help[] = "--help";
	char *args[] = {argv[1], help, NULL};
	return command->run(2, args, err);
}

const struct command cmd_help = {
	"help",
	"show this help, or that of one command",
	run,
};
