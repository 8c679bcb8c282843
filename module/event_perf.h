/* SPDX-License-Identifier: GPL-2.0 */
/*
 * event_perf.h - every event source that perf can count.
 */
#ifndef LW_EVENT_PERF_H
#define LW_EVENT_PERF_H

#include <linux/types.h>

#include "latewind.h"

struct lw_session;
struct lw_session_part;

extern const struct lw_session_part lw_event_part;

int lw_event_init(void);
void lw_event_exit(void);
int lw_event_add(struct lw_session *session, struct lw_add_event *add);
int lw_event_request(struct lw_session *session, struct lw_request *request);

#endif /* LW_EVENT_PERF_H */
