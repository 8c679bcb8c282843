/* SPDX-License-Identifier: GPL-2.0 */
/*
 * reader.h - the copies of the reader; not more than that, as it is included
 * in front of the reader's own source.
 */
#ifndef LW_FUZZ_READER_H
#define LW_FUZZ_READER_H

#include "../../tools/sframe/sframe_reader.h"

/* One copy of the reader; see Makefile. */
struct fuzz_reader {
	int (*open)(struct lw_sframe *sf, const struct lw_sframe_source *src,
		    const struct lw_sframe_place *place, unsigned int abi);
	int (*add_index)(struct lw_sframe *sf, __u32 *index, __u32 room, int (*pause)(void));
	int (*find)(const struct lw_sframe *sf, __u64 pc,
		    struct lw_rule *rule);
	int (*check_fde)(const struct lw_sframe *sf, __u32 idx, __u32 *budget);
	int (*get_fde)(const struct lw_sframe *sf, __u32 idx,
		       struct lw_sframe_fde *fde);
	void (*first_row)(struct lw_sframe_cursor *cursor,
			  const struct lw_sframe *sf,
			  const struct lw_sframe_fde *fde);
	int (*next_row)(struct lw_sframe_cursor *cursor,
			struct lw_sframe_row *row);
};

/* memcpy() of the one whose bytes change; a call for each */
void race_copy(void *to, const void *from, unsigned long len);

extern const struct fuzz_reader checked_reader, racing_reader, plain_reader;

#endif /* LW_FUZZ_READER_H */
