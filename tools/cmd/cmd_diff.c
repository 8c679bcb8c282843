// SPDX-License-Identifier: GPL-2.0
/*
 * cmd_diff.c - latewind diff: two recordings, function by function.
 */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "base/exit.h"
#include "base/json.h"
#include "cmd/read_profile.h"
#include "cmd/verbs.h"
#include "report/report_diff.h"

#define DEFAULT_LIMIT	0.1

enum { OPT_LIMIT = 256 };

static const struct lw_option own_options[] = {
	{ .help = "" },
	{ 'e', "event", "EVENT", "only this event; default each that is in both" },
	{ OPT_LIMIT, "percent-limit", "N", "least share in one of both, default 0.1" },
	{ 'j', "json", NULL, "as one JSON object" },
	{ .help = "\nOptions of the verbs that read one recording, which is A and B here:" },
	{ }
};

struct command {
	struct lw_reading reading;
	const char *names[2];
	const char *event;		/* NULL: each that both have */
	double percent_limit;
	bool json;
};

static int take_option(void *context, int option, const char *arg)
{
	struct command *command = context;

	switch (option) {
	case 'e':
		command->event = arg;
		return 0;
	case 'j':
		command->json = true;
		return 0;
	case OPT_LIMIT:
		return lw_take_percent(&command->percent_limit, arg);
	}
	return lw_reading_option(&command->reading, option, arg);
}

static int take_names(struct command *command, int argc, char **argv)
{
	if (argc - optind != 2)
		return lw_fail(-EINVAL, "name two recordings: latewind diff A B");
	command->names[0] = argv[optind];
	command->names[1] = argv[optind + 1];
	return 0;
}

static int parse(struct command *command, int argc, char **argv)
{
	int ret = lw_verb_parse(&lw_verb_diff, argc, argv, take_option, command);

	if (ret)
		return ret;
	return take_names(command, argc, argv);
}

static int add_diff(const struct command *command, struct lw_profile * const *profiles,
		    const char *event, struct lw_strbuf *out)
{
	struct lw_diff diff;
	int ret = lw_diff_make(&diff, profiles[0], profiles[1], event, command->percent_limit);

	if (ret)
		return ret;
	if (command->json)
		lw_diff_json(&diff, command->names, out);
	else
		lw_diff_text(&diff, command->names, out);
	lw_diff_free(&diff);
	return 0;
}

static bool has_event(const struct lw_profile *profile, const char *event)
{
	struct lw_event_sum *events;
	struct lw_profile_filter filter = LW_FILTER_ALL;
	int nr;

	filter.event = event;
	nr = lw_sum_events(profile, &filter, &events);
	free(events);
	return nr > 0;
}

static int add_events(const struct command *command, struct lw_profile * const *profiles,
		      const struct lw_event_sum *events, int nr, struct lw_json *json)
{
	int done = 0;

	for (int i = 0; i < nr; i++) {
		const char *event = lw_profile_string(profiles[0], events[i].event);
		int ret;

		if (!has_event(profiles[1], event))
			continue;
		if (done)
			lw_json_line(json);
		if (command->json)
			lw_json_name(json, NULL);
		else if (done)
			lw_strbuf_char(json->out, '\n');
		done++;
		ret = add_diff(command, profiles, event, json->out);
		if (ret)
			return ret;
	}
	return done ? 0 : lw_fail(-ENOENT, "%s has no event that %s has", command->names[1],
				  command->names[0]);
}

static int print_diff(const struct command *command, struct lw_profile * const *profiles)
{
	struct lw_event_sum *events;
	struct lw_strbuf out = { 0 };
	struct lw_json json = { .out = &out };
	int nr = lw_reading_events(profiles[0], command->event, &events), ret = nr;

	if (command->json) {
		lw_json_open(&json, NULL, '{');
		lw_json_open(&json, "events", '[');
	}
	if (nr > 0)
		ret = add_events(command, profiles, events, nr, &json);
	if (command->json) {
		lw_json_close(&json, ']');
		lw_json_close(&json, '}');
		lw_strbuf_char(&out, '\n');
	}
	if (!ret)
		ret = lw_flush_output(&out);
	free(events);
	lw_strbuf_free(&out);
	return ret;
}

static int run(struct command *command)
{
	struct lw_profile *profiles[2] = { NULL, NULL };
	int ret = 0;

	for (int i = 0; !ret && i < 2; i++) {
		command->reading.recording.path = command->names[i];
		ret = lw_reading_profile(&command->reading, false, &profiles[i]);
		if (ret)
			profiles[i] = NULL;
	}
	if (!ret)
		ret = print_diff(command, profiles);
	lw_profile_free(profiles[0]);
	lw_profile_free(profiles[1]);
	return ret;
}

static int run_verb(const struct lw_verb *verb, int argc, char **argv)
{
	struct command command = { .percent_limit = DEFAULT_LIMIT };
	int ret;

	lw_reading_init(&command.reading);
	ret = parse(&command, argc, argv);
	if (ret)
		return lw_verb_end(verb, ret);
	lw_reading_use_terminal(&command.reading);
	if (run(&command)) {
		fprintf(stderr, "latewind: %s\n", lw_fail_text());
		return LW_EXIT_FAILURE;
	}
	return LW_EXIT_OK;
}

const struct lw_verb lw_verb_diff = {
	.name = "diff",
	.summary = "compare two perf.data files, function by function",
	.usage = "[OPTION]... A B",
	.about = "Compares two perf.data files: the share of each function by itself, in A, in B,\n"
		 "and the difference, the largest first.",
	.tables = { own_options, lw_reading_options },
	.bit = LW_VERB_DIFF,
	.run = run_verb,
};
