// SPDX-License-Identifier: GPL-2.0
/* sframe_header - lw_sframe_open() */
#include "fuzz.h"

int fuzz_one(struct input *in)
{
	struct lw_sframe direct, reads;

	open_both(in, &direct, &reads);
	tell.compared++;
	return 0;
}
