// SPDX-License-Identifier: GPL-2.0
/*
 * cmd_flame.c - latewind flame: a recording as a page with a flame graph.
 */
#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/exit.h"
#include "base/output.h"
#include "base/print.h"
#include "cmd/read_profile.h"
#include "cmd/verbs.h"
#include "export/flame_page.h"

#define DEFAULT_OUTPUT	"flame.html"
/* A pixel of 10,000. */
#define DEFAULT_LIMIT	0.01

enum { OPT_BASE = 256, OPT_SAMPLES, OPT_TITLE, OPT_PERCENT_LIMIT, OPT_OPEN };

static const struct lw_option own_options[] = {
	{ .help = "" },
	{ 'o', "output", "FILE", "the page, default flame.html; - is the standard output" },
	{ 'e', "event", "EVENT", "the event to show; default: most samples" },
	{ OPT_OPEN, "open", NULL, "show the page in the browser (xdg-open)" },
	{ OPT_BASE, "base", "FILE", "compare with this recording: red takes more than there,\n"
	  "blue takes less" },
	{ OPT_SAMPLES, "samples", NULL, "count samples; default: add up their periods, which are\n"
	  "nanoseconds of clocks and numbers of other events" },
	{ OPT_TITLE, "title", "TEXT", "title of the page; default: names of recording and event" },
	{ OPT_PERCENT_LIMIT, "percent-limit", "P",
	  "leave out boxes with a smaller share, default 0.01" },
	{ }
};

struct command {
	struct lw_reading reading;
	struct lw_flame_options flame;
	const char *output;
	const char *base;		/* NULL: no difference */
	bool open;
	const char *title;
	char *template;
};

static int take_option(void *context, int option, const char *arg)
{
	struct command *command = context;

	switch (option) {
	case 'o':
		command->output = arg;
		return 0;
	case 'e':
		command->flame.export.filter.event = arg;
		return 0;
	case OPT_BASE:
		command->base = arg;
		return 0;
	case OPT_OPEN:
		command->open = true;
		return 0;
	case OPT_SAMPLES:
		command->flame.export.samples = true;
		return 0;
	case OPT_TITLE:
		command->title = arg;
		return 0;
	case OPT_PERCENT_LIMIT:
		return lw_take_percent(&command->flame.percent_limit, arg);
	}
	return lw_reading_option(&command->reading, option, arg);
}

static int parse(struct command *command, int argc, char **argv)
{
	int ret = lw_verb_parse(&lw_verb_flame, argc, argv, take_option, command);

	if (ret)
		return ret;
	if (command->open && !strcmp(command->output, "-"))
		return lw_fail(-EINVAL, "option --open needs a file: give one with -o");
	return lw_reading_name(&command->reading, argc, argv);
}

/* Where nobody set periods, samples are all there is to add up. */
static int choose_event(struct command *command, const struct lw_profile *profile)
{
	struct lw_export_options *export = &command->flame.export;
	struct lw_event_sum *events;
	int nr = lw_reading_events(profile, export->filter.event, &events), most = 0;

	if (nr < 0)
		return nr;
	for (int i = 1; i < nr; i++) {
		if (events[i].samples > events[most].samples)
			most = i;
	}
	export->filter.event = lw_profile_string(profile, events[most].event);
	if (!events[most].weight)
		export->samples = true;
	if (nr > 1 && !command->reading.quiet) {
		fprintf(stderr, "latewind: the recording has %d events; this is '", nr);
		lw_print_plain(stderr, export->filter.event);
		fputs("', -e takes another\n", stderr);
	}
	free(events);
	return 0;
}

static int set_title(struct command *command, char **made)
{
	*made = NULL;
	if (command->title)
		return 0;
	if (asprintf(made, "%s: %s%s%s", command->reading.recording.path,
		     command->flame.export.filter.event, command->base ? ", compared with " : "",
		     command->base ? command->base : "") < 0)
		return lw_fail(-ENOMEM, "out of memory");
	command->title = *made;
	return 0;
}

static int write_output(const struct command *command, struct lw_profile *profile,
			const struct lw_profile *base)
{
	bool to_stdout = !strcmp(command->output, "-");
	FILE *file = to_stdout ? stdout : fopen(command->output, "we");
	int ret;

	if (!file)
		return lw_fail(-errno, "cannot create %s: %s\n  Choose another place with -o FILE.",
			       command->output, strerror(errno));
	ret = lw_flame_page(file, command->template, command->title, profile, base,
			    &command->flame);
	if (to_stdout)
		return ret;
	if (fclose(file) && !ret)
		ret = lw_fail(-EIO, "cannot write to %s: %s", command->output, strerror(errno));
	if (ret)
		lw_remove_regular(command->output);
	else if (!command->reading.quiet)
		fprintf(stderr, "latewind: wrote %s\n", command->output);
	return ret;
}

/* A desktop's opener returns when the browser has the page; its words are its own. */
static int open_page(const char *path)
{
	const char *const argv[] = { "xdg-open", path, NULL };
	int ret, status = 0;
	pid_t pid;

	if (!getenv("DISPLAY") && !getenv("WAYLAND_DISPLAY"))
		return lw_fail(-ENXIO, "there is no display to show %s on\n"
			       "  Open the file in a browser where there is one.", path);
	ret = posix_spawnp(&pid, argv[0], NULL, NULL, (char **)argv, environ);
	if (ret)
		return lw_fail(-ret, "cannot run xdg-open: %s\n  Open %s in a browser.",
			       strerror(ret), path);
	waitpid(pid, &status, 0);
	return status ? lw_fail(-EIO, "xdg-open failed\n  Open %s in a browser.", path) : 0;
}

static int read_base(const struct command *command, struct lw_profile **base)
{
	struct lw_reading reading = command->reading;
	struct lw_event_sum *events;
	int ret;

	reading.recording.path = command->base;
	ret = lw_reading_profile(&reading, false, base);
	if (ret)
		return ret;
	ret = lw_reading_events(*base, command->flame.export.filter.event, &events);
	if (ret < 0) {
		lw_profile_free(*base);
		return ret;
	}
	free(events);
	return 0;
}

static int write_page(struct command *command, struct lw_profile *profile)
{
	struct lw_profile *base = NULL;
	char *title = NULL;
	int ret = choose_event(command, profile);

	if (!ret && command->base)
		ret = read_base(command, &base);
	if (ret)
		return ret;
	ret = set_title(command, &title);
	if (!ret)
		ret = write_output(command, profile, base);
	if (base)
		lw_profile_free(base);
	free(title);
	return ret;
}

static int run(struct command *command)
{
	struct lw_profile *profile;
	int ret;

	command->template = lw_flame_template(NULL);
	if (!command->template)
		return -ENOENT;
	ret = lw_reading_profile(&command->reading, false, &profile);
	if (!ret) {
		ret = write_page(command, profile);
		lw_profile_free(profile);
	}
	if (!ret && command->open)
		ret = open_page(command->output);
	free(command->template);
	return ret;
}

static int run_verb(const struct lw_verb *verb, int argc, char **argv)
{
	struct command command = {
		.flame.export.filter = LW_FILTER_ALL,
		.flame.percent_limit = DEFAULT_LIMIT,
		.output = DEFAULT_OUTPUT,
	};
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

const struct lw_verb lw_verb_flame = {
	.name = "flame",
	.summary = "turn a perf.data file into a page with a flame graph",
	.usage = "[OPTION]... [-o FILE] [FILE]",
	.about = "Writes a page with the flame graph of a perf.data file, of 'latewind record' or\n"
		 "'perf record': one file that loads nothing.",
	.tables = { own_options, lw_reading_options },
	.bit = LW_VERB_FLAME,
	.run = run_verb,
};
