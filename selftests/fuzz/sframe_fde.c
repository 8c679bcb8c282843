// SPDX-License-Identifier: GPL-2.0
/* sframe_fde - lw_sframe_get_fde(), of some FDEs of a section */
#include <string.h>

#include "fuzz.h"

static int same_fde(const struct lw_sframe_fde *a,
		    const struct lw_sframe_fde *b)
{
	return a->start == b->start && a->size == b->size &&
	       a->rows == b->rows && a->num_rows == b->num_rows &&
	       a->start_size == b->start_size && a->type == b->type &&
	       a->mask == b->mask && a->rep_size == b->rep_size &&
	       a->signal == b->signal && a->pauth_b == b->pauth_b;
}

/* A sound one, whatever the reads gave. */
static void check_fields(const struct lw_sframe *sf,
			 const struct lw_sframe_fde *fde)
{
	if (fde->start < sf->place.text_start ||
	    fde->start + fde->size > sf->place.text_end ||
	    fde->rows > sf->fre_len ||
	    (fde->type > 1 && (fde->type != 31 || !sf->place.paths)) ||
	    fde->start_size - 1U > 3 || fde->start_size == 3 ||
	    (fde->mask && fde->rep_size - 1U >= fde->size))
		die("FDE: fields that can't be");
}

static void look_at(struct input *in, const struct lw_sframe *direct,
		    const struct lw_sframe *reads, __u32 idx)
{
	struct lw_sframe_fde fde, other, expected;
	int result, again;
	__u64 wrong;

	watched_reset(&in->reads);
	result = reader->get_fde(reads, idx, &fde);
	watched_check(&in->reads, MAX_FDE_READS);
	if (!is_result(in, result))
		die("FDE: result %d", result);
	tell_of(result);
	if (!result)
		check_fields(reads, &fde);
	if (in->mode == MODE_PLAIN) {
		again = reader->get_fde(direct, idx, &other);
		if (again != result || (!result && !same_fde(&fde, &other)))
			die("FDE: result %d in memory, %d by read()", again,
			    result);
	}
	if (in->mode == MODE_FLIP || result < 0)
		return;
	wrong = expect_fde(in, reads, idx, &expected);
	expect_result("FDE", result, wrong);
	if (!result && !same_fde(&fde, &expected))
		die("FDE: other fields than expected");
	tell.compared++;
}

int fuzz_one(struct input *in)
{
	struct lw_sframe direct, reads;
	unsigned int i;

	if (open_both(in, &direct, &reads))
		return -1;
	for (i = 0; i < NUM_PCS; i++)
		look_at(in, &direct, &reads, input_fde(in, &reads, i));
	/* past the array, by a little and by much */
	look_at(in, &direct, &reads, reads.num_fdes);
	look_at(in, &direct, &reads, ~0U - in->control[CTL_PC]);
	return 0;
}
