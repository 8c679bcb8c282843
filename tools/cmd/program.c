// SPDX-License-Identifier: GPL-2.0
/*
 * program.c - a program of verbs: which one it is, help, version, completion.
 */
#include <stdio.h>
#include <string.h>

#include "base/did_you_mean.h"
#include "base/exit.h"
#include "cmd/verbs.h"
#include "latewind.h"
#include "version.inc"

static const char *const others[] = { "completion", "help", "version" };

static void print_help(const struct lw_program *program, FILE *out)
{
	const char *name = program->name;

	fprintf(out, "Usage: %s VERB [OPTION]...\n\n", name);
	for (size_t i = 0; program->verbs[i]; i++)
		fprintf(out, "  %-8s %s\n", program->verbs[i]->name, program->verbs[i]->summary);
	fprintf(out, "\n'%s help VERB' prints the options of a verb,\n'%s version' the version,\n"
		"'%s completion bash' or 'zsh' a completion script for that shell.\n\n%s", name,
		name, name, program->status);
}

static const struct lw_verb *find_verb(const struct lw_program *program, const char *name)
{
	size_t i;

	for (i = 0; program->verbs[i] && strcmp(name, program->verbs[i]->name); i++)
		;
	return program->verbs[i];
}

static const char *find_instead(const struct lw_program *program, const char *name)
{
	const struct lw_foreign_verb *foreign = program->foreign;

	for (; foreign && foreign->name; foreign++) {
		if (!strcmp(name, foreign->name))
			return foreign->instead;
	}
	return NULL;
}

/* Return: the exit status. */
static int unknown_verb(const struct lw_program *program, const char *name)
{
	const char *instead = find_instead(program, name);
	struct lw_did_you_mean near;

	lw_did_you_mean_init(&near, name);
	for (size_t i = 0; program->verbs[i]; i++)
		lw_did_you_mean_offer(&near, program->verbs[i]->name);
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		lw_did_you_mean_offer(&near, others[i]);
	if (instead) {
		fprintf(stderr, "%s: '%s' is not a verb\n  %s\n", program->name, name, instead);
		return LW_EXIT_USAGE;
	}
	fprintf(stderr, "%s: '%s' is not a verb\n%s  Run '%s help' for the list.\n",
		program->name, name, lw_did_you_mean_text(&near), program->name);
	return LW_EXIT_USAGE;
}

/* "latewind help", or "latewind help VERB": as "latewind VERB --help". */
static int run_help(const struct lw_program *program, int argc, char **argv)
{
	const struct lw_verb *verb = argc > 1 ? find_verb(program, argv[1]) : NULL;
	bool of_all = argc == 1;

	if (argc > 2) {
		fprintf(stderr, "%s: '%s' is not expected\n  '%s help' takes one verb.\n",
			program->name, argv[2], program->name);
		return LW_EXIT_USAGE;
	}
	for (size_t i = 0; !of_all && i < ARRAY_SIZE(others); i++)
		of_all = !strcmp(argv[1], others[i]);
	if (verb)
		lw_verb_print_help(verb);
	else if (of_all)
		print_help(program, stdout);
	else
		return unknown_verb(program, argv[1]);
	return LW_EXIT_OK;
}

/**
 * lw_tool_version - the release that this tool is of
 *
 * Return: as in VERSION.
 */
const char *lw_tool_version(void)
{
	return LW_VERSION;
}

static int print_version(const struct lw_program *program)
{
	printf("%s %s (ABI %d%s%s)\n", program->name, LW_VERSION, LW_ABI_VERSION,
	       *LW_COMMIT ? ", commit " : "", LW_COMMIT);
	return LW_EXIT_OK;
}

static int run_completion(const struct lw_program *program, int argc, char **argv)
{
	if (argc == 2)
		return lw_completion(program, argv[1]);
	fprintf(stderr, "%s: '%s completion' wants the name of a shell: bash or zsh\n",
		program->name, program->name);
	return LW_EXIT_USAGE;
}

/**
 * lw_program_run - find the verb and run it
 * @program: whose
 * @argc: of main()
 * @argv: likewise
 *
 * Return: the verb's exit status.
 */
int lw_program_run(const struct lw_program *program, int argc, char **argv)
{
	const struct lw_verb *verb;

	if (argc < 2) {
		print_help(program, stderr);
		return LW_EXIT_USAGE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))
		return run_help(program, 1, argv);
	if (!strcmp(argv[1], "help"))
		return run_help(program, argc - 1, argv + 1);
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "version"))
		return print_version(program);
	if (!strcmp(argv[1], "completion"))
		return run_completion(program, argc - 1, argv + 1);
	verb = find_verb(program, argv[1]);
	return verb ? verb->run(verb, argc - 1, argv + 1) : unknown_verb(program, argv[1]);
}
