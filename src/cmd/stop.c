// SPDX-License-Identifier: MIT
// The signals that end a recording.
#include "cmd/stop.h"

#include "cmd/outfile.h"
#include "cmd/progress.h"
#include "util/err.h"

#include <signal.h>
#include <stddef.h>
#include <unistd.h>

static volatile int stop;
static volatile sig_atomic_t asked;

static void on_signal(int number)
{
	stop = number;
	if (number == SIGHUP)
		return;
	if (asked) {
		outfile_abort();
		progress_abort();
		_exit(PA_EXIT_ABORTED);
	}
	asked = 1;
}

void stop_install(void)
{
	// Without SA_RESTART, so that sleeps and blocked writes end.
	struct sigaction action = {.sa_handler = on_signal}, old;
	sigemptyset(&action.sa_mask);
	sigaddset(&action.sa_mask, SIGINT);
	sigaddset(&action.sa_mask, SIGTERM);
	sigaddset(&action.sa_mask, SIGHUP);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	if (sigaction(SIGHUP, NULL, &old) == 0 && old.sa_handler != SIG_IGN)
		sigaction(SIGHUP, &action, NULL);
}

const volatile int *stop_flag(void)
{
	return &stop;
}
