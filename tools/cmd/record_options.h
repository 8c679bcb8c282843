/* SPDX-License-Identifier: GPL-2.0 */
/*
 * record_options.h - the command line of the verbs that record.
 */
#ifndef LW_RECORD_OPTIONS_H
#define LW_RECORD_OPTIONS_H

#include <getopt.h>

#include "record/settings.h"

/* Long ones of a verb that have no letter begin here. */
#define LW_OWN_OPTION	1024

/* What a verb has besides those options. */
struct lw_own_options {
	const char *letters;		/* as getopt_long() has them */
	const struct option *options;	/* the last one all zero */
	int (*take)(void *context, int option, const char *arg);
	void *context;
	bool all_cpus;			/* whom, if nobody is named */
};

int lw_options_parse(struct lw_options *options, const char *verb,
		     const struct lw_own_options *own, int argc, char **argv);
void lw_options_free(struct lw_options *options);
const char *lw_options_help(void);
int lw_take_number(u64 *value, const char *name, const char *text, u64 least, u64 most);
int lw_take_ring_size(u64 *value, const char *text);
int lw_take_call_graph(u32 *mask, const char *text);
int lw_usage_error(const char *verb);

#endif /* LW_RECORD_OPTIONS_H */
