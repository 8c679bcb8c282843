// SPDX-License-Identifier: GPL-2.0
/* sframe_lookup - lw_sframe_find(), at some addresses */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

#define MAX_SCAN	64	/* FDEs that are looked through one by one */
#define MAX_WALK	256	/* rows, likewise */
#define UNKNOWN		(-1)	/* what the result must be */

/*
 * The FDE that a search must end at, or the result if there is none; UNKNOWN
 * if they are too many or not sorted, so that it depends on the search.
 */
static int scan(const struct input *in, const struct lw_sframe *sf, __u64 pc,
		__u32 *idx)
{
	__u64 starts[MAX_SCAN];
	struct lw_sframe_fde fde;
	__u32 i, last = 0;

	if (sf->num_fdes > MAX_SCAN)
		return UNKNOWN;
	for (i = 0; i < sf->num_fdes; i++) {
		expect_fde(in, sf, i, &fde);
		starts[i] = fde.start;
		if (i && starts[i] < starts[i - 1])
			return UNKNOWN;
		if (starts[i] <= pc)
			last = i;
	}
	for (i = 0; i <= LW_SFRAME_MAX_EMPTY; i++) {
		if (i > last || starts[last - i] != starts[last])
			return LW_SFRAME_NO_RULE;
		expect_fde(in, sf, last - i, &fde);
		/* one that wraps covers too, and will be found to be outside */
		if (pc - fde.start < fde.size) {
			*idx = last - i;
			return LW_SFRAME_OK;
		}
	}
	return LW_SFRAME_TOO_MANY_EMPTY;
}

/* Set of what is wrong with the array as a whole. */
static __u64 expect_order(const struct input *in, const struct lw_sframe *sf)
{
	struct lw_sframe_fde fde;
	__u64 before = 0;
	__u32 i;

	for (i = 0; i < sf->num_fdes; i++) {
		expect_fde(in, sf, i, &fde);
		if (fde.start < before)
			return 1ULL << LW_SFRAME_BAD_ORDER;
		before = fde.start;
	}
	return 0;
}

/* The last row that does not start behind key, by the cursor. */
static int walk(const struct lw_sframe *sf, const struct lw_sframe_fde *fde,
		__u32 key, struct lw_rule *rule)
{
	struct lw_sframe_cursor cursor;
	struct lw_sframe_row row;
	int result = LW_SFRAME_NO_RULE, err;
	__u32 i;

	reader->first_row(&cursor, sf, fde);
	for (i = 0; i < MAX_WALK; i++) {
		err = reader->next_row(&cursor, &row);
		if (err == LW_SFRAME_NO_RULE)
			return result;
		/* of rows that are only passed by no words are read */
		if (err >= LW_SFRAME_BAD_FLEX)
			return UNKNOWN;
		if (err || row.start > key)
			return err ? err : result;
		*rule = row.rule;
		result = LW_SFRAME_OK;
	}
	return UNKNOWN;
}

/* What the look-up must give, put together from the other calls. */
static int expect(const struct input *in, const struct lw_sframe *sf, __u64 pc,
		  struct lw_rule *rule)
{
	struct lw_sframe_fde fde;
	__u32 idx, key;
	int result;

	memset(rule, 0, sizeof(*rule));
	if (pc < sf->place.text_start || pc >= sf->place.text_end)
		return LW_SFRAME_NO_RULE;
	result = scan(in, sf, pc, &idx);
	if (!result)
		result = reader->get_fde(sf, idx, &fde);
	if (result)
		return result;
	if ((sf->place.entry && sf->place.entry == fde.start) ||
	    (sf->version == 3 && !fde.num_rows && !fde.type)) {
		rule->flags = LW_RULE_OUTERMOST;
		return LW_SFRAME_OK;
	}
	key = pc - fde.start;
	return walk(sf, &fde, fde.mask ? key % fde.rep_size : key, rule);
}

static int find(struct input *in, const struct lw_sframe *sf, __u64 pc,
		struct lw_rule *rule)
{
	struct lw_rule untouched;
	int result;

	memset(rule, 0x5a, sizeof(*rule));
	memset(&untouched, 0x5a, sizeof(untouched));
	watched_reset(&in->reads);
	result = reader->find(sf, pc, rule);
	watched_check(&in->reads, LW_SFRAME_MAX_READS);
	if (!is_result(in, result))
		die("look-up: result %d", result);
	if (!result)
		expect_sense(sf, rule);
	else if (!same_rule(rule, &untouched))
		die("look-up: result %d, and a rule was written", result);
	tell_of(result);
	return result;
}

/* The same section with an index; memory for it that ends with it. */
struct indexed {
	struct lw_sframe sf;
	__u32	*first;
};

/* In memory if it is all there, by read() otherwise; untouched on failure. */
static void add_index(struct input *in, const struct lw_sframe *direct,
		      const struct lw_sframe *reads, struct indexed *indexed)
{
	__u32 room = input_room(in);
	int result;

	indexed->sf = in->mode == MODE_PLAIN ? *direct : *reads;
	indexed->first = NULL;
	if (reads->num_fdes > MAX_INDEXED)
		return;
	indexed->first = malloc((room + 1) * sizeof(__u32));
	watched_reset(&in->reads);
	result = reader->add_index(&indexed->sf, indexed->first, room, NULL);
	watched_check(&in->reads, reads->num_fdes);
	if (!is_result(in, result))
		die("index: result %d", result);
	if (!result != !!indexed->sf.index)
		die("index: result %d, and it is used, or not", result);
	if (in->mode == MODE_FLIP || result < 0)
		return;
	expect_result("index", result, expect_order(in, reads));
	tell.indexed += !result;
}

static void look_up(struct input *in, const struct lw_sframe *direct,
		    const struct lw_sframe *reads,
		    const struct lw_sframe *indexed, __u64 pc)
{
	struct lw_rule rule, other;
	int result, again;

	result = find(in, reads, pc, &rule);
	/* these are the longest walks, and there is a limit on the time */
	if (in->mode == MODE_STRETCH)
		return;
	again = find(in, indexed, pc, &other);
	if (in->mode == MODE_FLIP)
		return;
	/* other reads, other faults */
	if (in->mode != MODE_FAULT &&
	    (again != result || !same_rule(&rule, &other)))
		die("look-up: result %d, and %d with an index", result, again);
	/* the same again, from memory if it is all there */
	again = find(in, in->mode == MODE_PLAIN ? direct : reads, pc, &other);
	if (again != result || !same_rule(&rule, &other))
		die("look-up: result %d, then %d", result, again);
	if (in->mode != MODE_PLAIN)
		return;
	again = expect(in, direct, pc, &other);
	if (again == UNKNOWN)
		return;
	tell.compared++;
	if (again != result || (!result && !same_rule(&rule, &other)))
		die("look-up: result %d, FDEs and rows give %d%s", result, again,
		    result ? "" : ", or another rule");
}

int fuzz_one(struct input *in)
{
	struct lw_sframe direct, reads;
	struct indexed indexed;
	unsigned int i, n = NUM_PCS;

	if (open_both(in, &direct, &reads))
		return -1;
	if (in->mode == MODE_STRETCH)
		n = 1;
	add_index(in, &direct, &reads, &indexed);
	for (i = 0; i < n; i++)
		look_up(in, &direct, &reads, &indexed.sf,
			input_pc(in, &reads, i));
	free(indexed.first);
	return 0;
}
