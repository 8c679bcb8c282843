// SPDX-License-Identifier: GPL-2.0
/*
 * cmd_record.c - latewind record: stacks into a perf.data file; latewind live: as text while
 * they come.
 */
#include <stdio.h>

#include "cmd/record_options.h"
#include "cmd/verbs.h"
#include "record/recorder.h"

#define USAGE	"[OPTION]... -- COMMAND [ARG]...\n" \
		"[OPTION]... {-p PID | -t TID | -a} [-- COMMAND [ARG]...]"

static void print_more_of_record(void)
{
	printf("\nEvents:\n%s\n"
	       "Exit status: 0 done; 1 the recording failed; 2 wrong command line. With a\n"
	       "command, its own status; 128 + N if signal N ended it; 126 if it cannot be\n"
	       "executed; 127 if it is not found.\n", lw_event_help());
}

static void print_more_of_live(void)
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
		if (verb == &lw_verb_live)
			options.text = "-";
		else if (!options.output)
			options.output = "perf.data";
		/* the word before the verb is the tool's own name */
		ret = lw_recorder_run(&options, argc + 1, argv - 1);
	}
	lw_options_free(&options);
	return ret;
}

const struct lw_verb lw_verb_record = {
	.name = "record",
	.summary = "record stacks into a perf.data file",
	.usage = USAGE,
	.about = "Records stacks into a perf.data file for perf report and perf script.\n"
		 "Ctrl-C ends it and completes the file.",
	.tables = { lw_record_options },
	.bit = LW_VERB_RECORD,
	.runs_command = true,
	.print_more = print_more_of_record,
	.run = run,
};

const struct lw_verb lw_verb_live = {
	.name = "live",
	.summary = "print stacks as they come",
	.usage = USAGE,
	.about = "Prints each stack as symbolised text, to standard output. Ctrl-C ends it.",
	.tables = { lw_record_options },
	.bit = LW_VERB_LIVE,
	.runs_command = true,
	.print_more = print_more_of_live,
	.run = run,
};
