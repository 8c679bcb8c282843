/* SPDX-License-Identifier: GPL-2.0 */
/*
 * rules.h - rules that a CPU keeps from walk to walk.
 */
#ifndef LW_RULES_H
#define LW_RULES_H

#include "sframe/rulecache.h"

/* log2 of a CPU's homes: 8,192, for some 2,000 return addresses; 197 KB. */
#define LW_RULES_BITS	13

void lw_rules_make(void);
struct lw_rule_cache *lw_rules_here(void);
void lw_rules_exit(void);

#endif /* LW_RULES_H */
