/* SPDX-License-Identifier: GPL-2.0 */
/*
 * device.h - one open /dev/latewind.
 */
#ifndef LW_DEVICE_H
#define LW_DEVICE_H

#include "base/util.h"
#include "latewind.h"

struct perf_event_attr;

/* One CPU's ring as mapped here.  Consumer: one thread. */
struct lw_ring {
	struct lw_ring_consumer *consumer;
	const struct lw_ring_producer *producer;
	const u8 *data;
	u64 size;		/* bytes of data, a power of two */
	size_t map_len;		/* of the producer part */
};

struct lw_session {
	int fd;
	struct lw_info info;
	struct lw_ring *rings;
	u32 nr_rings;
};

int lw_session_open(struct lw_session *session);
void lw_session_close(struct lw_session *session);
int lw_session_setup(struct lw_session *session, u64 ring_size, u32 depth, u32 kernel_depth,
		     u32 mask, u32 flags);
int lw_session_filter_cgroup(struct lw_session *session, const char *dir);
int lw_session_filter_processes(struct lw_session *session, const s32 *pids, u32 nr, u32 flags);
int lw_session_add_syscall(struct lw_session *session, struct lw_add_syscall *add);
int lw_session_add_table(const struct lw_session *session, struct lw_table *table);
int lw_session_next_file(const struct lw_session *session, struct lw_missing_file *file);
void lw_session_file_done(const struct lw_session *session, u64 number);
int lw_session_add_event(struct lw_session *session, const struct perf_event_attr *attr,
			 u32 target, s32 pid, u64 *id);
int lw_session_enable(struct lw_session *session);
int lw_session_disable(struct lw_session *session);
int lw_session_stats(struct lw_session *session, struct lw_stats *stats);

#endif /* LW_DEVICE_H */
