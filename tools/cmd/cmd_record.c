// SPDX-License-Identifier: GPL-2.0
/*
 * cmd_record.c - latewind record: stacks into a perf.data file.
 */
#include <stdio.h>

#include "cmd/record_options.h"
#include "cmd/verbs.h"
#include "record/recorder.h"

static void print_help(void)
{
	printf("Usage: latewind record [OPTION]... -- COMMAND [ARG]...\n"
	       "       latewind record [OPTION]... {-p PID | -a}\n\n"
	       "Records stacks into a perf.data file for perf report and perf script.\n"
	       "Ctrl-C ends it and completes the file.\n\n"
	       "%s      --all-cgroups     tell of each sample's cgroup, for report -s cgroup\n"
	       "      --data            tell of mappings of data, too\n"
	       "      --namespaces      tell of the namespaces of processes, too\n"
	       "      --overwrite       a flight recorder: keep the newest that fits the rings,\n"
	       "                        write it at the end\n\n"
	       "Where to:\n"
	       "  -o, --output FILE     default perf.data; an old one becomes FILE.old;\n"
	       "                        - for the standard output, to lead it into a pipe\n"
	       "  -z[LEVEL]             pack the data by zstd; default level 1\n"
	       "      --compressed2     with -z: in records for perf >= 6.16\n"
	       "      --deferred        user stacks as records of their own, for perf >= 6.19\n"
	       "      --text FILE       also as symbolised text; - for standard output\n"
	       "      --stats FILE      numbers about the recording, as a JSON object\n"
	       "  -v, --verbose         name the files that have no unwind table\n"
	       "  -q, --quiet           no summary and no warnings at the end\n\n"
	       "Events:\n%s\n"
	       "Exit status: 0 done; 1 the recording failed; 2 wrong command line. With a\n"
	       "command, its own status; 128 + N if signal N ended it; 126 if it cannot be\n"
	       "executed; 127 if it is not found.\n", lw_options_help(), lw_event_help());
}

/**
 * lw_cmd_record - the verb
 * @argc: of the verb
 * @argv: argv[0] is its name
 *
 * Return: exit status.
 */
int lw_cmd_record(int argc, char **argv)
{
	struct lw_options options;
	int ret = lw_options_parse(&options, "record", NULL, argc, argv);

	if (ret) {
		fprintf(stderr, "latewind: %s\n", lw_fail_text());
		ret = lw_usage_error("record");
	} else if (options.help) {
		print_help();
	} else {
		if (!options.output)
			options.output = "perf.data";
		/* the word before the verb is the tool's own name */
		ret = lw_recorder_run(&options, argc + 1, argv - 1);
	}
	lw_options_free(&options);
	return ret;
}
