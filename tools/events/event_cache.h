/* SPDX-License-Identifier: GPL-2.0 */
/*
 * event_cache.h - the events of -e that are of caches.
 */
#ifndef LW_EVENT_CACHE_H
#define LW_EVENT_CACHE_H

#include "events/event_parse.h"

int lw_event_cache(struct lw_event *event, const char *name);

#endif /* LW_EVENT_CACHE_H */
