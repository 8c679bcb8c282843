// SPDX-License-Identifier: GPL-2.0
/*
 * verbs.c - the options of a verb: read, explained, and refused.
 */
#include <errno.h>
#include <getopt.h>
#include <string.h>

#include "base/did_you_mean.h"
#include "base/exit.h"
#include "cmd/verbs.h"

#define MOST_OPTIONS	64
/* Where the text of an option begins. */
#define HELP_COLUMN	24

static bool is_end(const struct lw_option *line)
{
	return !line->id && !line->help;
}

static bool is_of(const struct lw_option *line, const struct lw_verb *verb)
{
	return !line->verbs || line->verbs & verb->bit;
}

/* Of all tables, also what the verb does not have; @line: NULL to begin. */
static const struct lw_option *next_of_tables(const struct lw_verb *verb,
					      const struct lw_option *line)
{
	for (u32 table = 0; table < LW_MAX_TABLES && verb->tables[table]; table++) {
		for (const struct lw_option *at = verb->tables[table]; !is_end(at); at++) {
			if (!line)
				return at;
			if (at == line)
				line = NULL;
		}
	}
	return NULL;
}

/**
 * lw_verb_next_line - go through the options of a verb, and the text between them
 * @verb: the verb
 * @line: the one before; NULL: begin
 *
 * Return: the next, or NULL.
 */
const struct lw_option *lw_verb_next_line(const struct lw_verb *verb,
					  const struct lw_option *line)
{
	do {
		line = next_of_tables(verb, line);
	} while (line && !is_of(line, verb));
	return line;
}

static int getopt_argument(const struct lw_option *option)
{
	if (!option->value)
		return no_argument;
	return option->value[0] == '[' ? optional_argument : required_argument;
}

/* Make getopt_long()'s tables; long options beyond their room are unknown. */
static void make_getopt(const struct lw_verb *verb, char *letters, struct option *options)
{
	const struct lw_option *line = NULL;
	u32 nr = 0;

	if (verb->runs_command)
		*letters++ = '+';
	*letters++ = ':';
	while ((line = lw_verb_next_line(verb, line))) {
		int argument = getopt_argument(line);

		if (line->id > 0 && line->id < 128) {
			*letters++ = line->id;
			for (int i = 0; i < argument; i++)
				*letters++ = ':';
		}
		if (line->id && line->name && nr < MOST_OPTIONS - 2)
			options[nr++] = (struct option) { line->name, argument, NULL, line->id };
	}
	*letters++ = 'h';
	*letters = 0;
	options[nr++] = (struct option) { "help", no_argument, NULL, 'h' };
	options[nr] = (struct option) { NULL, 0, NULL, 0 };
}

/* Is "[ VALUE]" what is behind the option? */
static bool takes_next(const struct lw_verb *verb, int id)
{
	const struct lw_option *line = NULL;

	while ((line = lw_verb_next_line(verb, line))) {
		if (line->id == id && line->value)
			return !strncmp(line->value, "[ ", 2);
	}
	return false;
}

/* By its name, or by its letter if that is NULL; what the verb itself has comes first. */
static const struct lw_option *find(const struct lw_verb *verb, const char *name, int letter)
{
	const struct lw_option *line = NULL, *found = NULL;

	while ((line = next_of_tables(verb, line))) {
		if (!line->id || !(name ? line->name && !strcmp(line->name, name) :
					  line->id == letter))
			continue;
		if (!found || is_of(line, verb))
			found = line;
	}
	return found;
}

/* Another verb that shares a table has it: which is no reason to offer another name. */
static int of_another(const struct lw_verb *verb, const char *option)
{
	return lw_fail(-EINVAL, "option %s is not one of '%s %s'", option, lw_program.name,
		       verb->name);
}

static int refuse_letter(const struct lw_verb *verb, const char *arg)
{
	const struct lw_option *line;
	char text[64];

	/* one letter of several behind a dash, or a word of its own */
	if (optopt <= ' ' || optopt >= 0x7f)
		return lw_fail(-EINVAL, "unknown option %s", arg);
	line = find(verb, NULL, optopt);
	if (line && line->name)
		snprintf(text, sizeof(text), "--%s", line->name);
	else
		snprintf(text, sizeof(text), "-%c", optopt);
	return line ? of_another(verb, text) : lw_fail(-EINVAL, "unknown option %s", text);
}

static int refuse_name(const struct lw_verb *verb, const char *arg, const char *name)
{
	const struct lw_option *line = find(verb, name, 0);
	struct lw_did_you_mean near;
	char text[LW_DID_YOU_MEAN_LEN + 2];

	snprintf(text, sizeof(text), "--%s", name);
	if (line && !is_of(line, verb))
		return of_another(verb, text);
	if (line || !strcmp(name, "help"))
		return lw_fail(-EINVAL, "option %s takes no value", text);
	lw_did_you_mean_init(&near, name);
	while ((line = lw_verb_next_line(verb, line))) {
		if (line->id && line->name)
			lw_did_you_mean_offer(&near, line->name);
	}
	if (!near.nr)
		return lw_fail(-EINVAL, "unknown option %s", arg);
	return lw_fail(-EINVAL, "unknown option %s\n  Did you mean --%s?", arg, near.name[0]);
}

static int refuse(const struct lw_verb *verb, const char *arg)
{
	char name[LW_DID_YOU_MEAN_LEN];
	size_t len = strcspn(arg, "=");

	if (strncmp(arg, "--", 2) || len - 2 >= sizeof(name))
		return refuse_letter(verb, arg);
	snprintf(name, sizeof(name), "%.*s", (int)len - 2, arg + 2);
	return refuse_name(verb, arg, name);
}

/**
 * lw_verb_parse - take the options of a verb
 * @verb: whose
 * @argc: of the verb
 * @argv: likewise; optind is the first that is no option
 * @take: called with each
 * @context: handed to @take
 *
 * Return: 0; 1 when help was asked for and printed; -EINVAL with lw_fail_text().
 */
int lw_verb_parse(const struct lw_verb *verb, int argc, char **argv, lw_take_option *take,
		  void *context)
{
	struct option options[MOST_OPTIONS];
	char letters[3 * MOST_OPTIONS];
	int id, ret;

	make_getopt(verb, letters, options);
	opterr = 0;
	optind = 1;
	for (;;) {
		/* it moves on behind the last letter of a word only */
		int at = optind;

		id = getopt_long(argc, argv, letters, options, NULL);
		if (id == -1)
			return 0;
		if (!optarg && optind < argc && argv[optind][0] != '-' && takes_next(verb, id))
			optarg = argv[optind++];
		if (id == 'h') {
			lw_verb_print_help(verb);
			return 1;
		}
		if (id == ':')
			return lw_fail(-EINVAL, "option %s needs a value", argv[optind - 1]);
		if (id == '?')
			return refuse(verb, argv[optind == at ? at : optind - 1]);
		ret = take(context, id, optarg);
		if (ret)
			return ret;
	}
}

/**
 * lw_verb_end - what becomes of a command line that is not to be run
 * @verb: whose
 * @ret: of lw_verb_parse(), or of what looked at the command line behind it; not 0
 *
 * Return: the exit status; an error was told.
 */
int lw_verb_end(const struct lw_verb *verb, int ret)
{
	if (ret > 0)
		return LW_EXIT_OK;
	fprintf(stderr, "%s: %s\n  Run '%s %s --help' for the options.\n", lw_program.name,
		lw_fail_text(), lw_program.name, verb->name);
	return LW_EXIT_USAGE;
}

/* Return: columns. */
static int print_name(const struct lw_option *line)
{
	bool may = line->value && line->value[0] == '[';
	int len;

	if (line->id >= 128)
		len = printf("      --%s", line->name);
	else
		len = printf(line->name ? "  -%c, --%s" : "  -%c", line->id, line->name);
	if (may && line->value[1] == ' ')
		return len + printf(" [%s", line->value + 2);
	if (may && line->name)
		return len + printf("[=%s", line->value + 1);
	return line->value ? len + printf(may ? "%s" : " %s", line->value) : len;
}

static void print_option(const struct lw_option *line)
{
	int column = print_name(line);

	if (column >= HELP_COLUMN) {
		putchar('\n');
		column = 0;
	}
	for (const char *text = line->help; *text; column = 0) {
		int len = strcspn(text, "\n");

		printf("%*s%.*s\n", HELP_COLUMN - column, "", len, text);
		text += len + !!text[len];
	}
}

/**
 * lw_verb_print_help - say what a verb does, and with which options
 * @verb: the verb
 */
void lw_verb_print_help(const struct lw_verb *verb)
{
	const struct lw_option *line = NULL;
	const char *usage = verb->usage, *begin = "Usage:";

	for (; *usage; begin = "      ") {
		int len = strcspn(usage, "\n");

		printf("%s %s %s %.*s\n", begin, lw_program.name, verb->name, len, usage);
		usage += len + !!usage[len];
	}
	printf("\n%s\n", verb->about);
	while ((line = lw_verb_next_line(verb, line))) {
		if (!line->id)
			puts(line->help);
		else if (line->help)
			print_option(line);
	}
	if (verb->print_more)
		verb->print_more();
}
