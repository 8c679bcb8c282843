/* SPDX-License-Identifier: GPL-2.0 */
/*
 * record_options.h - the command line of the verbs that record.
 */
#ifndef LW_RECORD_OPTIONS_H
#define LW_RECORD_OPTIONS_H

#include "cmd/verbs.h"
#include "record/settings.h"

/* Long ones of a verb that have no letter begin here. */
#define LW_OWN_OPTION	1024

extern const struct lw_option lw_record_options[];

int lw_options_parse(struct lw_options *options, const struct lw_verb *verb, int argc,
		     char **argv, lw_take_option *take_own, void *own);
void lw_options_free(struct lw_options *options);
int lw_take_number(u64 *value, const char *name, const char *text, u64 least, u64 most);
int lw_take_seconds(u64 *time, const char *name, const char *text);
int lw_take_ring_size(u64 *value, const char *text);
int lw_take_call_graph(u32 *mask, const char *text);

#endif /* LW_RECORD_OPTIONS_H */
