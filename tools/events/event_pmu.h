/* SPDX-License-Identifier: GPL-2.0 */
/*
 * event_pmu.h - the events of -e that a PMU describes in sysfs.
 */
#ifndef LW_EVENT_PMU_H
#define LW_EVENT_PMU_H

#include "events/event_parse.h"

#define LW_PMU_DIR	"/sys/bus/event_source/devices"

size_t lw_event_pmu_len(const char *text);
int lw_event_pmu(struct lw_event *event, const char *root, const char *text);
int lw_event_pmu_alias(struct lw_event *event, const char *root, const char *name);

#endif /* LW_EVENT_PMU_H */
