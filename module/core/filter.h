/* SPDX-License-Identifier: GPL-2.0 */
/*
 * filter.h - which tasks a session is for.
 */
#ifndef LW_FILTER_H
#define LW_FILTER_H

#include <linux/types.h>

#include "latewind.h"

#define LW_FILTER_FLAGS		(LW_FILTER_INVERT | LW_FILTER_CHILDREN)

struct lw_filter_set;

struct lw_filter_set *lw_filter_make(const struct lw_filter *filter, atomic64_t *missing);
void lw_filter_free(struct lw_filter_set *set);
void lw_filter_exit(void);
bool lw_filter_wants(const struct lw_filter_set *set);

#endif /* LW_FILTER_H */
