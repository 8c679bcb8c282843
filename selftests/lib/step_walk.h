/* SPDX-License-Identifier: GPL-2.0 */
/*
 * step_walk.h - the module's walk, done in user space over a tracee.
 */
#ifndef LW_SELFTESTS_STEP_WALK_H
#define LW_SELFTESTS_STEP_WALK_H

#include "step_tables.h"

/**
 * struct step_walk - a walk and its result
 * @frames: addresses, topmost first
 * @nr: of them
 * @end: LW_END_*
 */
struct step_walk {
	__u64 frames[1024];
	__u32 nr;
	__u32 end;
};

void step_walk(struct step_walk *walk, const struct step_tables *tables,
	       const struct tracee *t);

#endif /* LW_SELFTESTS_STEP_WALK_H */
