// SPDX-License-Identifier: MIT
// Finds the command, runs it, and turns its result into an exit code.
#include "cmd/commands.h"
#include "cmd/say.h"
#include "util/err.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

// Opens the standard descriptors that are closed, so that no file of ours gets the number 1 or 2
// and receives what was meant for a person. They are opened the wrong way round on purpose: their
// use stays an error.
static void guard_descriptors(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF &&
		    open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0)
			_exit(PA_EXIT_RUNTIME);
	}
}

static int report(int rc, const struct err *err)
{
	if (rc >= 0)
		return rc;
	if (rc != -EPIPE || err->code)
		say("%s", err->code ? err->text : err_message(rc));
	return err_exit_code(rc);
}

static int version(void)
{
	printf("pyattach %s\nReads CPython 3.8 to 3.13.\n", PYATTACH_VERSION);
	return PA_EXIT_OK;
}

static int run(int argc, char **argv)
{
	struct err err = {0};
	if (argc < 2) {
		fputs("Usage: pyattach COMMAND [OPTION...]; see 'pyattach --help'.\n", stderr);
		return PA_EXIT_USAGE;
	}
	const char *word = argv[1];
	if (!strcmp(word, "--version") || !strcmp(word, "-V"))
		return version();
	if (!strcmp(word, "--help") || !strcmp(word, "-h"))
		return report(cmd_help.run(1, argv, &err), &err);
	const struct command *command = command_find(word, &err);
	if (!command)
		return report(-PA_EUSAGE, &err);
	return report(command->run(argc - 1, argv + 1, &err), &err);
}

// What is still buffered for stdout counts as the product as well.
static int flush(int code)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return code;
	if (errno != EPIPE)
		say("Cannot write standard output: %s.", strerror(errno));
	return code ? code : PA_EXIT_RUNTIME;
}

int main(int argc, char **argv)
{
	guard_descriptors();
	signal(SIGPIPE, SIG_IGN); // a failed write is an error like any other
	signal(SIGXFSZ, SIG_IGN);
	return flush(run(argc, argv));
}
