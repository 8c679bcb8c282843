// SPDX-License-Identifier: GPL-2.0
/*
 * cmd_live.c - latewind live: stacks as text while they come.
 */
#include <stdio.h>

#include "cmd/record_options.h"
#include "cmd/verbs.h"
#include "record/recorder.h"

static void print_more(void)
{
	printf("\nA block a sample: COMM PID/TID [CPU] SECONDS EVENT: end=HOW, then the frames,\n"
	       "topmost first: address, symbol+offset, (file), [how the frame was found].\n\n"
	       "Events:\n%s\n"
	       "Exit status: as 'latewind record'.\n", lw_event_help());
}

static int run(const struct lw_verb *verb, int argc, char **argv)
{
	struct lw_options options;
	int ret = lw_options_parse(&options, verb, argc, argv, NULL, NULL);

	if (ret) {
		ret = lw_verb_end(verb, ret);
	} else {
		options.text = "-";
		ret = lw_recorder_run(&options, argc + 1, argv - 1);
	}
	lw_options_free(&options);
	return ret;
}

const struct lw_verb lw_verb_live = {
	.name = "live",
	.summary = "print stacks as they come",
	.usage = "[OPTION]... -- COMMAND [ARG]...\n"
		 "[OPTION]... {-p PID | -t TID | -a} [-- COMMAND [ARG]...]",
	.about = "Prints each stack as symbolised text, to standard output. Ctrl-C ends it.",
	.tables = { lw_record_options },
	.bit = LW_VERB_LIVE,
	.runs_command = true,
	.print_more = print_more,
	.run = run,
};
