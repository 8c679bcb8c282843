/* SPDX-License-Identifier: GPL-2.0 */
/*
 * event_perf.h - events of perf.
 */
#ifndef LW_EVENT_PERF_H
#define LW_EVENT_PERF_H

#include <linux/types.h>

#include "latewind.h"

struct lw_session;

int lw_event_init(void);
void lw_event_exit(void);
void lw_event_make_session(struct lw_session *session);
int lw_event_add(struct lw_session *session, struct lw_add_event *add);
void lw_event_enable_all(struct lw_session *session, bool enable);
void lw_event_release_all(struct lw_session *session);
int lw_event_request(struct lw_session *session, struct lw_request *request);

#endif /* LW_EVENT_PERF_H */
