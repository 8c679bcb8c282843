// SPDX-License-Identifier: GPL-2.0
/*
 * cmd_report.c - latewind report: who has how much, of a recording.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/exit.h"
#include "base/json.h"
#include "cmd/read_profile.h"
#include "cmd/report_graph.h"
#include "cmd/verbs.h"
#include "report/report_text.h"
#include "report/report_tui.h"
#include "ui/terminal.h"

#define DEFAULT_LIMIT	0.5
#define FLUSH_AT	(256U << 10)

enum {
	OPT_CHILDREN = 256,
	OPT_NO_CHILDREN,
	OPT_LIMIT,
	OPT_STDIO,
	OPT_TUI,
	OPT_PERCENTAGE,
};

struct command {
	struct lw_reading reading;
	struct lw_report_options report;
	const char *event;		/* NULL: all, one after the other */
	bool has_graph;
	bool hierarchy;
	bool json;
	bool text;			/* wanted, also on a terminal */
	bool screen;			/* nothing else is wanted */
};

static const struct lw_option own_options[] = {
	{ .help = "" },
	{ 's', "sort", "KEYS", "what samples of a row have in common, with commas\n"
	  "between: comm, pid, tid, cgroup, cpu, dso, symbol,\n"
	  "srcline; default comm,dso,symbol" },
	{ OPT_CHILDREN, "children", NULL, "also a row for each caller, with the time that was\n"
	  "spent below it; default" },
	{ OPT_NO_CHILDREN, "no-children", NULL, "rows only for functions in which time was spent" },
	{ 'F', "fields", "LIST", "columns: sort keys, and sample, period" },
	{ 'n', "show-nr-samples", NULL, "a column with the number of samples" },
	{ 'g', "call-graph", "[ HOW]", "with commas between: caller (what a row calls), callee\n"
	  "(who calls it) or none; graph (shares of all) or fractal\n"
	  "(of what is above); least share of a branch. Default\n"
	  "graph,0.5,caller, with --no-children callee" },
	{ 'G', "inverted", NULL, "as -g caller" },
	{ OPT_LIMIT, "percent-limit", "N", "least share of a row or branch, default 0.5" },
	{ 'H', "hierarchy", NULL, "sort keys below each other, as text" },
	{ OPT_PERCENTAGE, "percentage", "OF" },
	{ 'e', "event", "EVENT", "only this event" },
	{ 'j', "json", NULL, "print one JSON object" },
	{ OPT_STDIO, "stdio", NULL, "print text, also on a terminal; default there: an\n"
	  "interactive screen, whose key h prints the other keys" },
	{ OPT_TUI, "tui", NULL, "the interactive screen; an error without a terminal" },
	{ }
};

/* Of rows and branches, as perf has it; -g behind it says another of branches. */
static int take_limit(struct lw_report_options *report, const char *text)
{
	int ret = lw_take_percent(&report->percent_limit, text);

	report->branch_limit = report->percent_limit;
	return ret;
}

/* Samples that a filter leaves out are not read: nothing is known of all. */
static int take_percentage(const char *text)
{
	if (!strcmp(text, "relative"))
		return 0;
	return lw_fail(-EINVAL, "option --percentage: '%.100s' can't be had\n"
		       "  Shares are relative, of what filters leave.", text);
}

static int take_option(void *context, int option, const char *arg)
{
	struct command *command = context;

	switch (option) {
	case 's':
		return lw_report_parse_keys(&command->report, arg);
	case 'g':
		return lw_take_graph(&command->report, &command->has_graph, arg);
	case 'G':
		command->report.graph = LW_GRAPH_CALLER;
		command->has_graph = true;
		return 0;
	case 'n':
		command->report.shows_samples = true;
		return 0;
	case 'F':
		return lw_take_fields(&command->report, arg);
	case 'H':
		command->hierarchy = true;
		return 0;
	case OPT_PERCENTAGE:
		return take_percentage(arg);
	case 'e':
		command->event = arg;
		return 0;
	case 'j':
		command->json = true;
		return 0;
	case OPT_STDIO:
		command->text = true;
		return 0;
	case OPT_TUI:
		command->screen = true;
		return 0;
	case OPT_CHILDREN:
	case OPT_NO_CHILDREN:
		command->report.children = option == OPT_CHILDREN;
		return 0;
	case OPT_LIMIT:
		return take_limit(&command->report, arg);
	}
	return lw_reading_option(&command->reading, option, arg);
}

static int parse(struct command *command, int argc, char **argv)
{
	int ret = lw_verb_parse(&lw_verb_report, argc, argv, take_option, command);

	if (ret)
		return ret;
	ret = lw_reading_name(&command->reading, argc, argv);
	if (ret)
		return ret;
	if (command->screen && (command->text || command->json || command->reading.header))
		return lw_fail(-EINVAL, "option --tui: not with --stdio, --json or --header");
	if (command->json && command->reading.header)
		return lw_fail(-EINVAL, "option --header: not with --json");
	if (command->hierarchy && (command->screen || command->json))
		return lw_fail(-EINVAL, "option --hierarchy: not with --tui or --json\n"
			       "  It is a text.");
	/* as perf has it: callers are no part of it */
	if (command->hierarchy)
		command->report.children = false;
	command->reading.by_cgroup = lw_report_has_key(&command->report, LW_KEY_CGROUP);
	command->reading.by_cpu = lw_report_has_key(&command->report, LW_KEY_CPU);
	if (!command->has_graph)
		command->report.graph = command->report.children ? LW_GRAPH_CALLER :
								   LW_GRAPH_CALLEE;
	return 0;
}

/* The trees of deep stacks may be more than there is memory. */
static int drain(struct lw_strbuf *out)
{
	return out->len >= FLUSH_AT ? lw_flush_output(out) : 0;
}

static int add_report(const struct command *command, const struct lw_profile *profile,
		      const char *event, struct lw_strbuf *out)
{
	struct lw_report_options options = command->report;
	struct lw_report report;
	int ret;

	options.filter = LW_FILTER_ALL;
	options.filter.event = event;
	ret = lw_report_make(&report, profile, &options);
	if (ret)
		return ret;
	if (command->json)
		ret = lw_report_json(&report, out);
	else
		ret = (command->hierarchy ? lw_report_hierarchy : lw_report_text)(&report, out);
	lw_report_free(&report);
	return ret;
}

static int print_events(const struct command *command, const struct lw_profile *profile,
			const struct lw_event_sum *events, int nr)
{
	struct lw_strbuf out = { 0 };
	struct lw_json json = { .out = &out };
	int ret = 0;

	if (command->json) {
		lw_json_open(&json, NULL, '{');
		lw_json_open(&json, "events", '[');
	}
	for (int i = 0; !ret && i < nr; i++) {
		if (command->json)
			lw_json_name(&json, NULL);
		else if (i)
			lw_strbuf_char(&out, '\n');
		ret = add_report(command, profile, lw_profile_string(profile, events[i].event),
				 &out);
		if (!ret)
			ret = lw_flush_output(&out);
	}
	if (command->json) {
		lw_json_close(&json, ']');
		lw_json_close(&json, '}');
		lw_strbuf_char(&out, '\n');
	}
	if (!ret)
		ret = lw_flush_output(&out);
	lw_strbuf_free(&out);
	return ret;
}

static int show_events(const struct command *command, const struct lw_profile *profile,
		       const struct lw_event_sum *events, int nr)
{
	struct lw_report_screen screen = {
		.profile = profile,
		.events = events,
		.nr_events = nr,
		.report = command->report,
		.color = command->reading.color,
	};

	screen.report.filter = LW_FILTER_ALL;
	return lw_report_screen(&screen);
}

static int run(struct command *command)
{
	struct lw_event_sum *events;
	struct lw_profile *profile;
	int nr, ret;

	if (command->reading.header_only)
		return lw_reading_header_only(&command->reading);
	ret = lw_reading_profile(&command->reading, false, &profile);
	if (ret)
		return ret;
	nr = lw_reading_events(profile, command->event, &events);
	if (nr < 0)
		ret = nr;
	else
		ret = (command->screen ? show_events : print_events)(command, profile, events, nr);
	free(events);
	lw_profile_free(profile);
	return ret;
}

/* --no-pager means text. */
static int choose_output(struct command *command)
{
	bool text = command->text || command->json || command->reading.no_pager ||
		    command->reading.header || command->hierarchy;

	if (command->screen && !lw_terminal_is_there())
		return lw_fail(-ENOTTY, "option --tui: the standard output is no terminal for it\n"
			       "  --stdio prints the report.");
	command->screen |= !text && lw_terminal_is_there();
	if (command->screen)
		lw_reading_show_progress(&command->reading);
	else
		lw_reading_use_terminal(&command->reading);
	return 0;
}

static int run_verb(const struct lw_verb *verb, int argc, char **argv)
{
	struct command command = {
		.report = {
			.keys = { LW_KEY_COMM, LW_KEY_DSO, LW_KEY_SYMBOL },
			.nr_keys = 3,
			.children = true,
			.percent_limit = DEFAULT_LIMIT,
			.branch_limit = DEFAULT_LIMIT,
			.drain = drain,
		},
	};
	int ret;

	lw_reading_init(&command.reading);
	ret = parse(&command, argc, argv);
	if (ret)
		return lw_verb_end(verb, ret);
	command.report.color = command.reading.color && !command.json;
	if (choose_output(&command) || run(&command)) {
		fprintf(stderr, "latewind: %s\n", lw_fail_text());
		return LW_EXIT_FAILURE;
	}
	return LW_EXIT_OK;
}

const struct lw_verb lw_verb_report = {
	.name = "report",
	.summary = "show which functions of a perf.data file took the time",
	.usage = "[OPTION]... [FILE]",
	.about = "Adds up the samples of a perf.data file, of 'latewind record' or 'perf record'.",
	.tables = { own_options, lw_reading_options },
	.bit = LW_VERB_REPORT,
	.run = run_verb,
};
