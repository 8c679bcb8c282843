// SPDX-License-Identifier: GPL-2.0
/*
 * main.c - the table of verbs.
 */
#include <stdio.h>
#include <string.h>

#include "base/did_you_mean.h"
#include "base/exit.h"
#include "base/util.h"
#include "cmd/verbs.h"
#include "latewind.h"

static const struct lw_verb *const verbs[] = {
	&lw_verb_record, &lw_verb_live, &lw_verb_top, &lw_verb_trace, &lw_verb_script,
	&lw_verb_report, &lw_verb_diff, &lw_verb_flame, &lw_verb_export, &lw_verb_doctor,
	&lw_verb_sframe, NULL
};

static void print_help(FILE *out)
{
	fputs("Usage: latewind VERB [OPTION]...\n\n", out);
	for (size_t i = 0; verbs[i]; i++)
		fprintf(out, "  %-8s %s\n", verbs[i]->name, verbs[i]->summary);
	fputs("\n'latewind help VERB' tells the options of one, 'latewind version' what this is,\n"
	      "'latewind completion bash' and 'zsh' what the shell is to know of all.\n"
	      "\nExit status: 0 done; 1 failed; 2 wrong command line; 'record', 'live',\n"
	      "'top' and 'trace' of a COMMAND return its own (128 + N if signal N ended it),\n"
	      "126 if it cannot be executed, 127 if it is not found.\n", out);
}

static int print_version(void)
{
	printf("latewind %s (ABI %d)\n", LW_TOOL_VERSION, LW_ABI_VERSION);
	return LW_EXIT_OK;
}

static const struct lw_verb *find_verb(const char *name)
{
	size_t i;

	for (i = 0; verbs[i] && strcmp(name, verbs[i]->name); i++)
		;
	return verbs[i];
}

/* Return: the exit status. */
static int unknown_verb(const char *name)
{
	static const char *const others[] = { "completion", "help", "version" };
	struct lw_did_you_mean near;

	lw_did_you_mean_init(&near, name);
	for (size_t i = 0; verbs[i]; i++)
		lw_did_you_mean_offer(&near, verbs[i]->name);
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		lw_did_you_mean_offer(&near, others[i]);
	fprintf(stderr, "latewind: '%s' is not a verb\n%s  Run 'latewind help' for the list.\n",
		name, lw_did_you_mean_text(&near));
	return LW_EXIT_USAGE;
}

/* "latewind help", or "latewind help VERB": as "latewind VERB --help". */
static int run_help(int argc, char **argv)
{
	const struct lw_verb *verb = argc > 1 ? find_verb(argv[1]) : NULL;

	if (argc > 2) {
		fprintf(stderr, "latewind: '%s' is not expected\n"
				"  'latewind help' takes one verb.\n", argv[2]);
		return LW_EXIT_USAGE;
	}
	if (verb)
		lw_verb_print_help(verb);
	else if (argc == 1 || !strcmp(argv[1], "help") || !strcmp(argv[1], "version") ||
		 !strcmp(argv[1], "completion"))
		print_help(stdout);
	else
		return unknown_verb(argv[1]);
	return LW_EXIT_OK;
}

static int run_completion(int argc, char **argv)
{
	if (argc == 2)
		return lw_completion(verbs, argv[1]);
	fputs("latewind: 'latewind completion' wants the name of a shell: bash or zsh\n", stderr);
	return LW_EXIT_USAGE;
}

/**
 * main - find the verb and run it
 * @argc: number of arguments
 * @argv: the arguments
 *
 * Return: the verb's exit status.
 */
int main(int argc, char **argv)
{
	const struct lw_verb *verb;

	if (argc < 2) {
		print_help(stderr);
		return LW_EXIT_USAGE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))
		return run_help(1, argv);
	if (!strcmp(argv[1], "help"))
		return run_help(argc - 1, argv + 1);
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "version"))
		return print_version();
	if (!strcmp(argv[1], "completion"))
		return run_completion(argc - 1, argv + 1);
	verb = find_verb(argv[1]);
	return verb ? verb->run(verb, argc - 1, argv + 1) : unknown_verb(argv[1]);
}
