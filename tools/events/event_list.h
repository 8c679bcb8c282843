/* SPDX-License-Identifier: GPL-2.0 */
/*
 * event_list.h - the text after -e, which may name several events.
 */
#ifndef LW_EVENT_LIST_H
#define LW_EVENT_LIST_H

#include "base/util.h"

/* @text is one event, for lw_event_parse(). */
typedef int (*lw_event_text_fn)(void *ctx, const char *text);

int lw_event_list(const char *root, const char *text, lw_event_text_fn fn, void *ctx);

#endif /* LW_EVENT_LIST_H */
