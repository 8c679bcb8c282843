/* SPDX-License-Identifier: GPL-2.0 */
/*
 * sideband.h - what the kernel tells of mappings, names, forks and exits.
 */
#ifndef LW_SIDEBAND_H
#define LW_SIDEBAND_H

#include <linux/perf_event.h>

#include "base/perf_records.h"
#include "base/util.h"
#include "sideband/target.h"

/* Bits that a kernel may not know; dropped one by one when it refuses. */
#define LW_SIDEBAND_BUILD_ID	(1U << 0)
#define LW_SIDEBAND_KSYMBOL	(1U << 1)
#define LW_SIDEBAND_BPF_EVENT	(1U << 2)
#define LW_SIDEBAND_NAMESPACES	(1U << 3)

struct lw_sideband_ring {
	struct perf_event_mmap_page *page;
	size_t size;			/* bytes of data, a power of two */
	int fd;				/* for poll() */
};

struct lw_sideband {
	struct lw_sideband_ring *rings;
	u32 nr_rings;
	int *fds;			/* of these the first of each CPU is mapped */
	u64 *ids;
	u32 nr_fds;
	size_t ring_size;		/* bytes of data of each */
	size_t fd_room, id_room;
	u32 features;			/* LW_SIDEBAND_* that the kernel took */
	struct perf_event_attr attr;
	u8 *bounce;			/* for records that wrap */
	u64 lost;
	bool was_full;			/* a ring of switches was, when it was read last */
};

/* Which mappings it tells of. */
enum lw_sideband_maps {
	LW_SIDEBAND_NO_MAPS,
	LW_SIDEBAND_CODE,
	LW_SIDEBAND_ALL_MAPS,
};

int lw_sideband_open(struct lw_sideband *sb, const struct lw_target *target,
		     enum lw_sideband_maps maps, bool namespaces);
int lw_sideband_open_cgroups(struct lw_sideband *sb);
int lw_sideband_open_switches(struct lw_sideband *sb, const struct lw_target *target);
int lw_sideband_open_tracepoint(struct lw_sideband *sb, const struct lw_target *target, u64 id);
int lw_sideband_read(struct lw_sideband *sb, lw_perf_event_fn fn, void *ctx);
void lw_sideband_stop(struct lw_sideband *sb);
void lw_sideband_close(struct lw_sideband *sb);
const char *lw_sideband_hint(void);
int lw_sideband_probe(u32 *features);

#endif /* LW_SIDEBAND_H */
