/* SPDX-License-Identifier: GPL-2.0 */
/*
 * write_behind.h - a stream whose bytes a thread writes, so that a slow file holds up nobody.
 */
#ifndef LW_WRITE_BEHIND_H
#define LW_WRITE_BEHIND_H

#include "base/util.h"

struct lw_write_behind;

FILE *lw_write_behind_open(int fd, size_t max_bytes, struct lw_write_behind **behind);
int lw_write_behind_error(struct lw_write_behind *behind);
int lw_write_behind_at(struct lw_write_behind *behind, u64 at, const void *bytes, size_t len);
int lw_write_behind_sync(struct lw_write_behind *behind);

#endif /* LW_WRITE_BEHIND_H */
