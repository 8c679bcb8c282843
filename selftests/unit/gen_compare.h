/* SPDX-License-Identifier: GPL-2.0 */
/*
 * gen_compare.h - a table that was made of a file, against the file as elfutils
 * reads it, byte by byte.
 */
#ifndef LW_GEN_COMPARE_H
#define LW_GEN_COMPARE_H

#include <elfutils/libdw.h>

#include "../../tools/sframe/gen.h"

/**
 * struct gen_compared - what was compared
 * @bytes: of code that both have the same rule for
 * @rows: of elfutils
 * @outside: bytes of code that elfutils has no rule for, and neither has the table
 * @holes: bytes of code that only elfutils has a rule for, rightly
 * @entry: bytes of code that only the table has a rule for: that there is no caller
 * @outermost: rows without caller
 * @repeated: bytes of PLTs
 * @differences: pieces of code that are not the same; the first few are printed
 */
struct gen_compared {
	u64 bytes, rows, outside, holes, entry, outermost, repeated, differences;
};

int gen_compare(const struct lw_gen *gen, Dwarf_CFI *eh_frame, Dwarf_CFI *debug_frame,
		struct gen_compared *compared);
int gen_walk(const struct lw_gen *gen);

#endif /* LW_GEN_COMPARE_H */
