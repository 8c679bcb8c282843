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
#include "ui/terminal.h"

#define DEFAULT_DELAY	(2 * NSEC_PER_SEC)
#define MOST_ENTRIES	100000

enum {
	OPT_CHILDREN = LW_OWN_OPTION,
	OPT_NO_CHILDREN,
	OPT_ITERATIONS,
	OPT_NO_DEMANGLE,
	OPT_STDIO,
};

static const struct lw_option own_options[] = {
	{ .help = "\nDisplays:" },
	{ 's', "sort", "KEYS", "what samples of a row have in common, with commas\n"
	  "between: comm, pid, tid, cgroup, cpu, dso, symbol,\n"
	  "srcline; default dso,symbol" },
	{ OPT_CHILDREN, "children", NULL, "largest total first: with all that was called; default\n"
	  "largest self first: where time is spent" },
	{ OPT_NO_CHILDREN, "no-children", NULL, "no rows for functions that only call others" },
	{ 'd', "delay", "SECONDS", "between displays, default 2; 0.1 at least" },
	{ 'E', "entries", "N", "most rows; default what fits the terminal, else 50" },
	{ 'z', "zero", NULL, "begin anew with each display; default: what was before\n"
	  "counts 7/8 of what it did in the one before" },
	{ OPT_ITERATIONS, "iterations", "N", "end after N displays" },
	{ OPT_STDIO, "stdio", NULL, "displays behind each other, on a terminal, too" },
	{ 'K' },
	{ 'U' },
	{ 'j', "json", NULL, "a line of JSON for each display" },
	{ OPT_NO_DEMANGLE, "no-demangle", NULL, "names of C++ and Rust as they are in the file" },
	{ }
};

static void print_more(void)
{
	printf("\nEvents:\n%s\nExit status: as 'latewind record'.\n", lw_event_help());
}

static int take_option(void *context, int option, const char *arg)
{
	struct lw_top_settings *settings = context;

	switch (option) {
	case 's':
		return lw_report_parse_keys(&settings->report, arg);
	case 'd':
		return lw_take_seconds(&settings->delay, "delay", arg);
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
	case OPT_STDIO:
		settings->stdio = true;
		return 0;
	case 'K':
	case 'U':
		return lw_fail(-EINVAL, "option -%c is not here\n  Use %s.", option, option == 'K' ?
			       "'-e EVENT:u', which has samples of programs only" :
			       "'-e EVENT:k', which has samples of the kernel only");
	case OPT_NO_DEMANGLE:
		settings->no_demangle = true;
		return 0;
	}
	return -ENOENT;
}

static int run(const struct lw_verb *verb, int argc, char **argv)
{
	struct lw_top_settings settings = {
		.report = {
			.keys = { LW_KEY_DSO, LW_KEY_SYMBOL },
			.nr_keys = 2,
			.children = true,
		},
		.delay = DEFAULT_DELAY,
	};
	struct lw_options options;
	int ret = lw_options_parse(&options, verb, argc, argv, take_option, &settings);

	if (ret) {
		ret = lw_verb_end(verb, ret);
	} else {
		options.top = &settings;
		options.sink = &lw_top_sink;
		options.has_terminal = !settings.json && !settings.stdio && lw_terminal_is_there();
		options.all_cgroups |= lw_report_has_key(&settings.report, LW_KEY_CGROUP);
		ret = lw_recorder_run(&options, argc + 1, argv - 1);
	}
	lw_options_free(&options);
	return ret;
}

const struct lw_verb lw_verb_top = {
	.name = "top",
	.summary = "show which functions take the time now",
	.usage = "[OPTION]...\n"
		 "[OPTION]... {-p PID | -t TID | -- COMMAND [ARG]...}",
	.about = "Shows which functions take the time, of the whole machine if nobody is named.\n"
		 "On a terminal in place: q ends it, h tells of the other keys. Elsewhere each\n"
		 "display is printed behind the one before it. Ctrl-C ends it, too.",
	.tables = { own_options, lw_record_options },
	.bit = LW_VERB_TOP,
	.runs_command = true,
	.print_more = print_more,
	.run = run,
};
