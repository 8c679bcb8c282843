// SPDX-License-Identifier: GPL-2.0
/*
 * cmd_live.c - latewind live: stacks as text while they come.
 */
#include <stdio.h>

#include "cmd/record_options.h"
#include "cmd/verbs.h"
#include "record/recorder.h"

static void print_help(void)
{
	printf("Usage: latewind live [OPTION]... -- COMMAND [ARG]...\n"
	       "       latewind live [OPTION]... {-p PID | -a}\n\n"
	       "Prints each stack as symbolised text, to standard output. Ctrl-C ends it.\n\n"
	       "%s\n"
	       "How long:\n"
	       "      --max N           end after N samples\n\n"
	       "Also:\n"
	       "      --stats FILE      numbers about the recording, as a JSON object\n"
	       "  -v, --verbose         name the files that have no unwind table\n"
	       "  -q, --quiet           no summary and no warnings at the end\n\n"
	       "A block a sample: COMM PID/TID [CPU] SECONDS EVENT: end=HOW, then the frames,\n"
	       "topmost first: address, symbol+offset, (file), [how the frame was found].\n\n"
	       "Events:\n%s\n"
	       "Exit status: as 'latewind record'.\n", lw_options_help(), lw_event_help());
}

/**
 * lw_cmd_live - the verb
 * @argc: of the verb
 * @argv: argv[0] is its name
 *
 * Return: exit status.
 */
int lw_cmd_live(int argc, char **argv)
{
	struct lw_options options;
	int ret = lw_options_parse(&options, "live", NULL, argc, argv);

	if (ret) {
		fprintf(stderr, "latewind: %s\n", lw_fail_text());
		ret = lw_usage_error("live");
	} else if (options.help) {
		print_help();
	} else {
		options.text = "-";
		ret = lw_recorder_run(&options, argc + 1, argv - 1);
	}
	lw_options_free(&options);
	return ret;
}
