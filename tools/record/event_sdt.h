/* SPDX-License-Identifier: GPL-2.0 */
/*
 * event_sdt.h - sdt:PROVIDER:NAME, in whatever file of the target it is.
 */
#ifndef LW_EVENT_SDT_H
#define LW_EVENT_SDT_H

#include "record/settings.h"

int lw_sdt_events(struct lw_options *options);

#endif /* LW_EVENT_SDT_H */
