/* SPDX-License-Identifier: GPL-2.0 */
/*
 * sdt_event.h - sdt:PROVIDER:NAME, in whatever file of the target it is.
 */
#ifndef LW_SDT_EVENT_H
#define LW_SDT_EVENT_H

#include "options.h"

int lw_sdt_events(struct lw_options *options);

#endif /* LW_SDT_EVENT_H */
