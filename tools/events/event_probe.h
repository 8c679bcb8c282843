/* SPDX-License-Identifier: GPL-2.0 */
/*
 * event_probe.h - the events of -e that are places in code.
 */
#ifndef LW_EVENT_PROBE_H
#define LW_EVENT_PROBE_H

#include "events/event_parse.h"

int lw_event_probe_user(struct lw_event *event, const char *text, char *name, bool at_return);
int lw_event_probe_kernel(struct lw_event *event, const char *text, char *name, bool at_return);
int lw_event_probe_usdt(struct lw_event *event, const char *text, char *name);
int lw_probe_look_for_usdt(struct lw_event *event, const char *both, const char *path);
int lw_probe_begin_usdt(struct lw_event *event);

#endif /* LW_EVENT_PROBE_H */
