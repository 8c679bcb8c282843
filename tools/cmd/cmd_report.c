// SPDX-License-Identifier: GPL-2.0
/*
 * cmd_report.c - latewind report: who has how much, of a recording.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/exit.h"
#include "cmd/read_profile.h"
#include "cmd/record_options.h"
#include "cmd/verbs.h"
#include "report/report_text.h"
#include "report/report_tui.h"

#define DEFAULT_LIMIT	0.5
#define FLUSH_AT	(256U << 10)

enum {
	OPT_CHILDREN = 256,
	OPT_NO_CHILDREN,
	OPT_LIMIT,
	OPT_STDIO,
	OPT_TUI,
};

struct command {
	struct lw_reading reading;
	struct lw_report_options report;
	const char *event;		/* NULL: all, one after the other */
	bool has_graph;
	bool json;
	bool text;			/* wanted, also on a terminal */
	bool screen;			/* nothing else is wanted */
};

static const struct option own_options[] = {
	{ "sort",		required_argument,	NULL, 's' },
	{ "call-graph",		required_argument,	NULL, 'g' },
	{ "event",		required_argument,	NULL, 'e' },
	{ "children",		no_argument,		NULL, OPT_CHILDREN },
	{ "no-children",	no_argument,		NULL, OPT_NO_CHILDREN },
	{ "percent-limit",	required_argument,	NULL, OPT_LIMIT },
	{ "json",		no_argument,		NULL, 'j' },
	{ "stdio",		no_argument,		NULL, OPT_STDIO },
	{ "tui",		no_argument,		NULL, OPT_TUI },
	{ NULL, 0, NULL, 0 }
};

static void print_help(void)
{
	printf("Usage: latewind report [OPTION]...\n\n"
	       "Adds up the samples of a perf.data file, of 'latewind record' or 'perf record'.\n\n"
	       "  -s, --sort KEYS       what samples of a row have in common, with commas\n"
	       "                        between: comm, pid, tid, cgroup, dso, symbol, srcline;\n"
	       "                        default comm,dso,symbol\n"
	       "      --no-children     rows only for where time was spent, by that; else also\n"
	       "                        for their callers, by all that was spent below them\n"
	       "  -g, --call-graph HOW  caller (what a row calls), callee (who calls it), none;\n"
	       "                        default caller, with --no-children callee\n"
	       "      --percent-limit N least share of a row or branch, default %g\n"
	       "  -e, --event EVENT     only this event\n"
	       "  -j, --json            as one JSON object\n"
	       "      --stdio           as text, also on a terminal, where else the report is on\n"
	       "                        the whole of it, to walk about in: h is its help\n"
	       "      --tui             on a terminal or not at all\n"
	       "%s", DEFAULT_LIMIT, lw_reading_help());
}

static int take_graph(struct command *command, const char *text)
{
	static const struct {
		const char *name;
		enum lw_report_graph graph;
	} graphs[] = {
		{ "caller", LW_GRAPH_CALLER }, { "callee", LW_GRAPH_CALLEE },
		{ "none", LW_GRAPH_NONE },
	};

	for (u32 i = 0; i < ARRAY_SIZE(graphs); i++) {
		if (!strcmp(text, graphs[i].name)) {
			command->report.graph = graphs[i].graph;
			command->has_graph = true;
			return 0;
		}
	}
	return lw_fail(-EINVAL, "option --call-graph: '%s' is none of caller, callee, none",
		       text);
}

static int take_option(void *context, int option, const char *arg)
{
	struct command *command = context;

	switch (option) {
	case 's':
		return lw_report_parse_keys(&command->report, arg);
	case 'g':
		return take_graph(command, arg);
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
		return lw_take_percent(&command->report.percent_limit, arg);
	}
	return lw_reading_option(&command->reading, option, arg);
}

static int parse(struct command *command, int argc, char **argv)
{
	int ret = lw_reading_parse(&command->reading, argc, argv, ":s:g:e:j" LW_READING_LETTERS,
				   own_options, take_option, command);

	if (ret || command->reading.help)
		return ret;
	ret = lw_reading_no_names(argc, argv);
	if (ret)
		return ret;
	if (command->screen && (command->text || command->json))
		return lw_fail(-EINVAL, "option --tui: not with --stdio or --json");
	command->reading.by_cgroup = lw_report_has_key(&command->report, LW_KEY_CGROUP);
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
	ret = command->json ? lw_report_json(&report, out) : lw_report_text(&report, out);
	lw_report_free(&report);
	return ret;
}

static int print_events(const struct command *command, const struct lw_profile *profile,
			const struct lw_event_sum *events, int nr)
{
	struct lw_strbuf out = { 0 };
	int ret = 0;

	if (command->json)
		lw_strbuf_str(&out, "{\"events\":[");
	for (int i = 0; !ret && i < nr; i++) {
		if (i)
			lw_strbuf_str(&out, command->json ? "," : "\n");
		ret = add_report(command, profile, lw_profile_string(profile, events[i].event),
				 &out);
		if (!ret)
			ret = lw_flush_output(&out);
	}
	if (command->json)
		lw_strbuf_str(&out, "]}\n");
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
	int nr, ret = lw_reading_profile(&command->reading, false, &profile);

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

/* Who wants no pager wants text. */
static int choose_output(struct command *command)
{
	bool text = command->text || command->json || command->reading.no_pager;

	if (command->screen && !lw_report_screen_is_there())
		return lw_fail(-ENOTTY, "option --tui: the standard output is no terminal for it\n"
			       "  --stdio prints the report.");
	command->screen |= !text && lw_report_screen_is_there();
	if (command->screen)
		lw_reading_show_progress(&command->reading);
	else
		lw_reading_use_terminal(&command->reading);
	return 0;
}

/**
 * lw_cmd_report - the verb
 * @argc: of the verb
 * @argv: argv[0] is its name
 *
 * Return: exit status.
 */
int lw_cmd_report(int argc, char **argv)
{
	struct command command = {
		.report = {
			.keys = { LW_KEY_COMM, LW_KEY_DSO, LW_KEY_SYMBOL },
			.nr_keys = 3,
			.children = true,
			.percent_limit = DEFAULT_LIMIT,
			.drain = drain,
		},
	};

	lw_reading_init(&command.reading);
	if (parse(&command, argc, argv)) {
		fprintf(stderr, "latewind: %s\n", lw_fail_text());
		return lw_usage_error("report");
	}
	if (command.reading.help) {
		print_help();
		return LW_EXIT_OK;
	}
	command.report.color = command.reading.color && !command.json;
	if (choose_output(&command) || run(&command)) {
		fprintf(stderr, "latewind: %s\n", lw_fail_text());
		return LW_EXIT_FAILURE;
	}
	return LW_EXIT_OK;
}
