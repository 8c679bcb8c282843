/* SPDX-License-Identifier: GPL-2.0 */
/*
 * lw_session.h - sessions of the library, with texts of what went wrong.
 */
#ifndef LW_SESSION_H
#define LW_SESSION_H

#include <latewind.h>
#include <liblatewind.h>

#include "base/util.h"

/**
 * lw_session_can - has the module all of some features?
 * @session: opened
 * @features: LW_FEATURE_*
 *
 * Return: true if it has.
 */
static inline bool lw_session_can(const struct latewind_session *session, u64 features)
{
	return (latewind_session_info(session)->features & features) == features;
}

int lw_session_open(struct latewind_session **session);
int lw_session_setup(struct latewind_session *session, u64 ring_size, u32 depth,
		     u32 kernel_depth, u32 mask, u32 flags);
int lw_session_filter_cgroup(struct latewind_session *session, const char *dir);
int lw_session_filter_processes(struct latewind_session *session, const s32 *pids, u32 nr,
				u32 flags);
int lw_session_enable(struct latewind_session *session);
int lw_session_disable(struct latewind_session *session);
int lw_session_stats(const struct latewind_session *session, struct lw_stats *stats);

#endif /* LW_SESSION_H */
