// SPDX-License-Identifier: MIT
// What a dump shows of one process.
#include "model/process.h"

#include <stdlib.h>

void process_release(struct process *p)
{
	if (!p)
		return;
	free(p->cmdline);
	free(p->executable);
	stack_set_release(&p->threads);
	*p = (struct process){0};
}
