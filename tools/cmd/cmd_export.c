// SPDX-License-Identifier: GPL-2.0
/*
 * cmd_export.c - latewind export: a recording in the formats of other tools.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/exit.h"
#include "base/output.h"
#include "cmd/read_profile.h"
#include "cmd/verbs.h"
#include "export/export.h"

enum { OPT_SAMPLES = 256, OPT_FORMATS };

/* The option of each is its place behind OPT_FORMATS. */
static const struct format {
	const char *name;
	int (*write)(const struct lw_profile *profile, const struct lw_export_options *options,
		     int fd);
	bool times;			/* tells when samples were */
	bool one_event;			/* has room for no more */
	bool binary;
} formats[] = {
	{ "folded", lw_export_folded, false, true, false },
	{ "pprof", lw_export_pprof, true, false, true },
	{ "speedscope", lw_export_speedscope, true, false, false },
	{ "firefox", lw_export_firefox, true, false, false },
};

static const struct lw_option own_options[] = {
	{ .help = "" },
	{ OPT_FORMATS, "folded", NULL, "lines 'comm;root;...;leaf weight', for FlameGraph's and\n"
	  "other scripts; one event" },
	{ OPT_FORMATS + 1, "pprof", NULL, "profile.proto, packed by gzip, for pprof" },
	{ OPT_FORMATS + 2, "speedscope", NULL, "JSON for speedscope.app" },
	{ OPT_FORMATS + 3, "firefox", NULL, "JSON for profiler.firefox.com" },
	{ 'o', "output", "FILE", "where to, default the standard output" },
	{ 'e', "event", "EVENT", "only this event" },
	{ OPT_SAMPLES, "samples", NULL, "count samples; default: add up their periods, which are\n"
	  "nanoseconds of clocks and numbers of other events" },
	{ }
};

struct command {
	struct lw_reading reading;
	struct lw_export_options export;
	const struct format *format;
	const char *output;		/* NULL: the standard output */
};

static int take_format(struct command *command, const struct format *format)
{
	if (command->format && command->format != format)
		return lw_fail(-EINVAL, "--%s and --%s: one of them is enough",
			       command->format->name, format->name);
	command->format = format;
	return 0;
}

static int take_option(void *context, int option, const char *arg)
{
	struct command *command = context;

	switch (option) {
	case 'o':
		command->output = arg;
		return 0;
	case 'e':
		command->export.filter.event = arg;
		return 0;
	case OPT_SAMPLES:
		command->export.samples = true;
		return 0;
	}
	if (option >= OPT_FORMATS && option < OPT_FORMATS + (int)ARRAY_SIZE(formats))
		return take_format(command, &formats[option - OPT_FORMATS]);
	return lw_reading_option(&command->reading, option, arg);
}

static int check(struct command *command, int argc, char **argv)
{
	int ret = lw_reading_name(&command->reading, argc, argv);

	if (ret)
		return ret;
	if (!command->format)
		return lw_fail(-EINVAL, "no format is named\n"
			       "  There are: --folded, --pprof, --speedscope, --firefox.");
	if (command->format->binary && !command->output && isatty(STDOUT_FILENO))
		return lw_fail(-EINVAL, "--%s is nothing for a terminal: name a file with -o",
			       command->format->name);
	return 0;
}

static int parse(struct command *command, int argc, char **argv)
{
	int ret = lw_verb_parse(&lw_verb_export, argc, argv, take_option, command);

	if (ret)
		return ret;
	return check(command, argc, argv);
}

static int write_output(const struct command *command, const struct lw_profile *profile)
{
	int fd = STDOUT_FILENO, ret;

	if (command->output)
		fd = open(command->output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (fd < 0)
		return lw_fail(-errno, "cannot write to %s: %s", command->output,
			       strerror(errno));
	ret = command->format->write(profile, &command->export, fd);
	if (!command->output)
		return ret;
	if (close(fd) && !ret)
		ret = lw_fail(-errno, "cannot write to %s: %s", command->output,
			      strerror(errno));
	if (ret)
		lw_remove_regular(command->output);
	return ret;
}

/* Where nobody set periods, samples are all there is to add up. */
static int choose(struct command *command, const struct lw_profile *profile)
{
	struct lw_event_sum *events;
	int nr = lw_reading_events(profile, command->export.filter.event, &events), ret = 0;
	u64 weight = 0;

	if (nr < 0)
		return nr;
	for (int i = 0; i < nr; i++)
		weight |= events[i].weight;
	if (!weight)
		command->export.samples = true;
	if (nr > 1 && command->format->one_event)
		ret = lw_fail(-EINVAL, "--%s has room for one event, and there are %d\n"
			      "  Name one of them with -e, as '%s'.", command->format->name, nr,
			      lw_profile_string(profile, events[0].event));
	free(events);
	return ret;
}

static int run(struct command *command)
{
	struct lw_profile *profile;
	int ret = lw_reading_profile(&command->reading, command->format->times, &profile);

	if (ret)
		return ret;
	ret = choose(command, profile);
	if (!ret)
		ret = write_output(command, profile);
	lw_profile_free(profile);
	/* who reads it may have seen enough */
	return ret == -EPIPE && !command->output ? 0 : ret;
}

static int run_verb(const struct lw_verb *verb, int argc, char **argv)
{
	struct command command = { .export = { .filter = LW_FILTER_ALL } };
	int ret;

	lw_reading_init(&command.reading);
	ret = parse(&command, argc, argv);
	if (ret)
		return lw_verb_end(verb, ret);
	if (run(&command)) {
		fprintf(stderr, "latewind: %s\n", lw_fail_text());
		return LW_EXIT_FAILURE;
	}
	return LW_EXIT_OK;
}

const struct lw_verb lw_verb_export = {
	.name = "export",
	.summary = "turn a perf.data file into other tools' formats",
	.usage = "--FORMAT [OPTION]... [FILE]",
	.about = "Turns a perf.data file, of 'latewind record' or 'perf record', into a format of\n"
		 "other tools.",
	.tables = { own_options, lw_reading_options },
	.bit = LW_VERB_EXPORT,
	.run = run_verb,
};
