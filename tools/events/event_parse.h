/* SPDX-License-Identifier: GPL-2.0 */
/*
 * event_parse.h - from the text after -e to a perf_event_attr.
 */
#ifndef LW_EVENT_PARSE_H
#define LW_EVENT_PARSE_H

#include <linux/perf_event.h>

#include "base/util.h"

#define LW_OFF_CPU_EVENT	"sched:sched_switch"

struct lw_probe_place {
	char *name;			/* file or kernel function */
	u64 offset;			/* in that */
	u64 semaphore;			/* in the file, or 0 */
};

struct lw_event_rate {
	u64 freq;			/* samples per second, or 0 */
	u64 period;			/* events per sample, or 0 */
};

struct lw_event {
	char *name;			/* as given */
	char *tracepoint;		/* SYSTEM/NAME of it, or NULL */
	struct lw_probe_place *places;	/* of a probe; each is counted on its own */
	u32 nr_places;
	bool at_return;			/* of a probe: where its function returns */
	bool everywhere;		/* counted on all CPUs, for a target of few */
	bool in_user;			/* a probe of a file: it never hits in the kernel */
	bool counted;			/* each hit is a sample unless -c is given */
	bool off_cpu;			/* a switch; its samples stand for the time blocked */
	bool as_precise_as_can_be;	/* see lw_event_less_precise() */
	struct lw_event_rate rate;	/* of its own, or zero */
	struct perf_event_attr attr;
};

bool lw_event_has_fields(const struct lw_event *event);
bool lw_event_take_off_cpu(struct lw_event *event);
int lw_event_parse(struct lw_event *event, const char *text);
void lw_event_aim(const struct lw_event *event, u32 index, struct perf_event_attr *attr);
void lw_event_set_rate(struct lw_event *event, const struct lw_event_rate *rate);
bool lw_event_less_precise(struct lw_event *event);
void lw_event_free(struct lw_event *event);
const char *lw_event_help(void);
const char *lw_event_known(u32 index, u32 *type, const char **alias);

#endif /* LW_EVENT_PARSE_H */
