/* SPDX-License-Identifier: GPL-2.0 */
/*
 * event_modifiers.h - the letters behind an event.
 */
#ifndef LW_EVENT_MODIFIERS_H
#define LW_EVENT_MODIFIERS_H

#include "events/event_parse.h"

#define LW_MODIFIER_HELP \
"  Modifiers are of u k h (user, kernel, hypervisor only), p pp ppp P (precise), G H\n" \
"  (guest, host only), I (not when idle), D (pinned), e (exclusive)."

int lw_event_modifiers(struct lw_event *event, const char *letters);

#endif /* LW_EVENT_MODIFIERS_H */
