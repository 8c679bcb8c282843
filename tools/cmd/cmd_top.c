// SPDX-License-Identifier: GPL-2.0
/*
 * cmd_top.c - latewind top: which functions take the time, all the time.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "cmd/record_options.h"
#include "cmd/verbs.h"
#include "record/recorder.h"
#include "top/top_output.h"
#include "ui/screen.h"

#define DEFAULT_DELAY	(2 * NSEC_PER_SEC)
#define MOST_SECONDS	86400
#define MOST_ENTRIES	100000

enum {
	OPT_CHILDREN = LW_OWN_OPTION,
	OPT_NO_CHILDREN,
	OPT_ITERATIONS,
	OPT_NO_DEMANGLE,
};

static const struct option own_options[] = {
	{ "sort",		required_argument,	NULL, 's' },
	{ "delay",		required_argument,	NULL, 'd' },
	{ "entries",		required_argument,	NULL, 'E' },
	{ "zero",		no_argument,		NULL, 'z' },
	{ "json",		no_argument,		NULL, 'j' },
	{ "children",		no_argument,		NULL, OPT_CHILDREN },
	{ "no-children",	no_argument,		NULL, OPT_NO_CHILDREN },
	{ "iterations",		required_argument,	NULL, OPT_ITERATIONS },
	{ "no-demangle",	no_argument,		NULL, OPT_NO_DEMANGLE },
	{ NULL, 0, NULL, 0 }
};

static void print_help(void)
{
	printf("Usage: latewind top [OPTION]...\n"
	       "       latewind top [OPTION]... {-p PID | -t TID | -- COMMAND [ARG]...}\n\n"
	       "Shows which functions take the time, of the whole machine if nobody is named.\n"
	       "On a terminal in place: q ends it, h tells of the other keys. Elsewhere each\n"
	       "display is printed behind the one before it. Ctrl-C ends it, too.\n\n"
	       "Displays:\n"
	       "  -s, --sort KEYS       what samples of a row have in common, with commas\n"
	       "                        between: comm, pid, tid, cgroup, dso, symbol, srcline;\n"
	       "                        default dso,symbol\n"
	       "      --children        largest total first: with all that was called; default\n"
	       "                        largest self first: where time is spent\n"
	       "      --no-children     no rows for functions that only call others\n"
	       "  -d, --delay SECONDS   between displays, default 2; 0.1 at least\n"
	       "  -E, --entries N       most rows; default what fits the terminal, else 50\n"
	       "  -z, --zero            begin anew with each display; default: what was before\n"
	       "                        counts 7/8 of what it did in the one before\n"
	       "      --iterations N    end after N displays\n"
	       "  -j, --json            a line of JSON for each display\n"
	       "      --no-demangle     names of C++ and Rust as they are in the file\n\n"
	       "%s\n"
	       "Also:\n"
	       "      --max N           end after N samples\n"
	       "      --stats FILE      numbers about the recording, as a JSON object\n"
	       "  -v, --verbose         name the files that have no unwind table\n"
	       "  -q, --quiet           no summary and no warnings at the end\n\n"
	       "Events:\n%s\n"
	       "Exit status: as 'latewind record'.\n", lw_options_help(), lw_event_help());
}

static int take_delay(u64 *delay, const char *text)
{
	char *end;
	double seconds = strtod(text, &end);

	if (end == text || *end || !(seconds >= 0.1 && seconds <= MOST_SECONDS))
		return lw_fail(-EINVAL, "option --delay: '%s' is not a number from 0.1 to %d",
			       text, MOST_SECONDS);
	*delay = seconds * NSEC_PER_SEC;
	return 0;
}

static int take_option(void *context, int option, const char *arg)
{
	struct lw_top_settings *settings = context;

	switch (option) {
	case 's':
		return lw_report_parse_keys(&settings->report, arg);
	case 'd':
		return take_delay(&settings->delay, arg);
	case 'E':
		return lw_take_number(&settings->entries, "entries", arg, 1, MOST_ENTRIES);
	case 'z':
		settings->zero = true;
		return 0;
	case 'j':
		settings->json = true;
		return 0;
	case OPT_CHILDREN:
	case OPT_NO_CHILDREN:
		settings->report.children = option == OPT_CHILDREN;
		settings->by_total = option == OPT_CHILDREN;
		return 0;
	case OPT_ITERATIONS:
		return lw_take_number(&settings->iterations, "iterations", arg, 1, ~0ULL);
	case OPT_NO_DEMANGLE:
		settings->no_demangle = true;
		return 0;
	}
	return -EINVAL;
}

/**
 * lw_cmd_top - the verb
 * @argc: of the verb
 * @argv: argv[0] is its name
 *
 * Return: exit status.
 */
int lw_cmd_top(int argc, char **argv)
{
	struct lw_top_settings settings = {
		.report = {
			.keys = { LW_KEY_DSO, LW_KEY_SYMBOL },
			.nr_keys = 2,
			.children = true,
		},
		.delay = DEFAULT_DELAY,
	};
	const struct lw_own_options own = {
		.letters = "s:d:E:zj",
		.options = own_options,
		.take = take_option,
		.context = &settings,
		.all_cpus = true,
	};
	struct lw_options options;
	int ret = lw_options_parse(&options, "top", &own, argc, argv);

	if (ret) {
		fprintf(stderr, "latewind: %s\n", lw_fail_text());
		ret = lw_usage_error("top");
	} else if (options.help) {
		print_help();
	} else {
		options.top = &settings;
		options.sink = &lw_top_sink;
		options.has_terminal = !settings.json && lw_top_screen_is_there();
		options.all_cgroups |= lw_report_has_key(&settings.report, LW_KEY_CGROUP);
		ret = lw_recorder_run(&options, argc + 1, argv - 1);
	}
	lw_options_free(&options);
	return ret;
}
