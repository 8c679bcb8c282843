// SPDX-License-Identifier: GPL-2.0
/*
 * main.c - the table of verbs.
 */
#include <stdio.h>
#include <string.h>

#include "base/exit.h"
#include "base/util.h"
#include "cmd/verbs.h"
#include "latewind.h"

static const struct {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *summary;
} verbs[] = {
	{ "record", lw_cmd_record, "record stacks into a perf.data file" },
	{ "live", lw_cmd_live, "print stacks as they come" },
	{ "top", lw_cmd_top, "show which functions take the time, all the time" },
	{ "trace", lw_cmd_trace, "print system calls as strace does" },
	{ "script", lw_cmd_script, "print the samples of a perf.data file" },
	{ "report", lw_cmd_report, "add a perf.data file up: who has how much" },
	{ "diff", lw_cmd_diff, "compare two perf.data files, function by function" },
	{ "flame", lw_cmd_flame, "turn a perf.data file into a page with a flame graph" },
	{ "export", lw_cmd_export, "turn a perf.data file into other tools' formats" },
	{ "doctor", lw_cmd_doctor, "check what is needed, and say what to do" },
	{ "sframe", lw_cmd_sframe, "show, check or make the SFrame section of a file" },
};

static void print_help(FILE *out)
{
	fputs("Usage: latewind VERB [OPTION]...\n\n", out);
	for (size_t i = 0; i < ARRAY_SIZE(verbs); i++)
		fprintf(out, "  %-8s %s\n", verbs[i].name, verbs[i].summary);
	fputs("\n'latewind VERB --help' tells the options of one.\n"
	      "\nExit status: 0 done; 1 failed; 2 wrong command line; 'record', 'live',\n"
	      "'top' and 'trace' of a COMMAND return its own (128 + N if signal N ended it),\n"
	      "126 if it cannot be executed, 127 if it is not found.\n", out);
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
	if (argc < 2) {
		print_help(stderr);
		return LW_EXIT_USAGE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
		print_help(stdout);
		return LW_EXIT_OK;
	}
	if (!strcmp(argv[1], "--version")) {
		printf("latewind %s (ABI %d)\n", LW_TOOL_VERSION, LW_ABI_VERSION);
		return LW_EXIT_OK;
	}
	for (size_t i = 0; i < ARRAY_SIZE(verbs); i++) {
		if (!strcmp(argv[1], verbs[i].name))
			return verbs[i].run(argc - 1, argv + 1);
	}
	fprintf(stderr, "latewind: '%s' is not a verb\n  Run 'latewind --help' for the list.\n",
		argv[1]);
	return LW_EXIT_USAGE;
}
