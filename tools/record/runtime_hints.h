/* SPDX-License-Identifier: GPL-2.0 */
/*
 * runtime_hints.h - flags that recorded programs should have been started with.
 */
#ifndef LW_RUNTIME_HINTS_H
#define LW_RUNTIME_HINTS_H

#include "base/util.h"

struct lw_runtime_hints;

struct lw_runtime_hints *lw_runtime_hints_new(const char *proc);
void lw_runtime_hints_free(struct lw_runtime_hints *hints);
void lw_runtime_hints_see(struct lw_runtime_hints *hints, u32 pid, const char *name);
void lw_runtime_hints_say(const struct lw_runtime_hints *hints, FILE *out);

#endif /* LW_RUNTIME_HINTS_H */
