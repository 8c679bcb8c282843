// SPDX-License-Identifier: GPL-2.0
/*
 * cmd_trace.c - latewind trace: system calls, as strace prints them.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "base/did_you_mean.h"
#include "base/exit.h"
#include "cmd/record_options.h"
#include "cmd/verbs.h"
#include "trace/tracer.h"

#define DEFAULT_LIMIT	32

enum {
	OPT_JSON = 256,
	OPT_DEPTH,
	OPT_CALL_GRAPH,
	OPT_NO_TABLES,
	OPT_VERBOSE,
};

static const struct option long_options[] = {
	{ "trace",		required_argument,	NULL, 'e' },
	{ "pid",		required_argument,	NULL, 'p' },
	{ "attach",		required_argument,	NULL, 'p' },
	{ "all-cpus",		no_argument,		NULL, 'a' },
	{ "stack",		no_argument,		NULL, 'k' },
	{ "stack-traces",	no_argument,		NULL, 'k' },
	{ "json",		no_argument,		NULL, OPT_JSON },
	{ "output",		required_argument,	NULL, 'o' },
	{ "string-limit",	required_argument,	NULL, 's' },
	{ "ring-size",		required_argument,	NULL, 'm' },
	{ "depth",		required_argument,	NULL, OPT_DEPTH },
	{ "call-graph",		required_argument,	NULL, OPT_CALL_GRAPH },
	{ "summary-only",	no_argument,		NULL, 'c' },
	{ "relative-timestamps", no_argument,		NULL, 'r' },
	{ "syscall-times",	no_argument,		NULL, 'T' },
	{ "follow-forks",	no_argument,		NULL, 'f' },
	{ "decode-fds",		no_argument,		NULL, 'y' },
	{ "no-tables",		no_argument,		NULL, OPT_NO_TABLES },
	{ "verbose",		no_argument,		NULL, OPT_VERBOSE },
	{ "quiet",		no_argument,		NULL, 'q' },
	{ "help",		no_argument,		NULL, 'h' },
	{ NULL, 0, NULL, 0 }
};

static void print_help(void)
{
	printf("Usage: latewind trace [OPTION]... [--] COMMAND [ARG]...\n"
	       "       latewind trace [OPTION]... {-p PID | -a}\n\n"
	       "Prints system calls as strace does, without stopping anybody.\n"
	       "Ctrl-C ends it.\n\n"
	       "Whom (one of them; -a also goes with a command, whose end ends it):\n"
	       "  -- COMMAND [ARG]...   run COMMAND; it and what it starts\n"
	       "  -p, --pid PID         all threads of a process, and what they start later\n"
	       "  -a, --all-cpus        every task on every CPU\n"
	       "  -f                    taken and ignored: children are always followed\n\n"
	       "What:\n"
	       "  -e, --trace LIST      names with commas between; ! first: all but these; all;\n"
	       "                        %%file, %%desc, %%process, %%network, %%memory, %%signal,\n"
	       "                        %%clock, %%ipc; may be given several times\n"
	       "  -s, --string-limit N  bytes of a string or buffer, default 32; paths are whole\n"
	       "  -k, --stack           the user stack of each call\n"
	       "      --depth N         most frames of it, default 127, up to 1024\n"
	       "      --call-graph HOW  auto (default), sframe (no guesses), fp (all guesses)\n"
	       "      --no-tables       no unwind tables for files that have no .sframe\n"
	       "  -m, --ring-size SIZE  bytes of each CPU's ring, a power of two; K, M, G\n\n"
	       "How it is printed:\n"
	       "  -o, --output FILE     default: the standard error\n"
	       "      --json            an object a line\n"
	       "  -c, --summary-only    calls, errors and times in sums, nothing else\n"
	       "  -t, -tt, -ttt         time of day; with microseconds; since 1970\n"
	       "  -r                    time since the call before\n"
	       "  -T                    time spent in the call\n"
	       "  -y                    the paths of file descriptors, where they are known\n"
	       "      --verbose         name the files that have no unwind table\n"
	       "  -q, --quiet           no exits and no warnings\n\n"
	       "A call is printed when it ends. Exit status: as 'latewind record'.\n");
}

static int take_option(struct lw_trace_options *options, int option, const char *arg)
{
	switch (option) {
	case 'e':
		return lw_syscall_set_parse(&options->calls, arg);
	case 'p':
		return lw_take_number(&options->pid, "pid", arg, 1, 0x7fffffff);
	case 'a':
		options->all_cpus = true;
		return 0;
	case 'k':
		options->stack = true;
		return 0;
	case OPT_JSON:
		options->json = true;
		return 0;
	case 'o':
		options->output = arg;
		return 0;
	case 's':
		return lw_take_number(&options->limit, "string-limit", arg, 0,
				      LW_MAX_SYSCALL_DATA - 1);
	case 'm':
		return lw_take_ring_size(&options->ring_size, arg);
	case OPT_DEPTH:
		return lw_take_number(&options->depth, "depth", arg, 1, LW_MAX_DEPTH);
	case OPT_CALL_GRAPH:
		return lw_take_call_graph(&options->mask, arg);
	case 'c':
		options->summary = true;
		return 0;
	case 't':
		options->stamps += options->stamps < LW_STAMPS_EPOCH;
		return 0;
	case 'r':
		options->relative = true;
		return 0;
	case 'T':
		options->durations = true;
		return 0;
	case 'y':
		options->paths = true;
		return 0;
	case OPT_NO_TABLES:
		options->no_tables = true;
		return 0;
	case OPT_VERBOSE:
		options->verbose = true;
		return 0;
	case 'q':
		options->quiet = true;
		return 0;
	case 'h':
		options->help = true;
		return 0;
	}
	return 0;
}

static int check(const struct lw_trace_options *options)
{
	if (options->pid && (options->all_cpus || options->command))
		return lw_fail(-EINVAL, "option --pid goes with no other target");
	if (!options->pid && !options->all_cpus && !options->command)
		return lw_fail(-EINVAL, "nothing to trace: give a command, -p PID or -a");
	if (options->summary && (options->json || options->stack))
		return lw_fail(-EINVAL, "option -c goes with neither --json nor --stack");
	return 0;
}

static int parse(struct lw_trace_options *options, int argc, char **argv)
{
	int option, ret;

	memset(options, 0, sizeof(*options));
	options->limit = DEFAULT_LIMIT;
	opterr = 0;
	optind = 1;
	while ((option = getopt_long(argc, argv, "+:e:p:ako:s:m:ctrTyfqh", long_options,
				     NULL)) != -1) {
		if (option == ':')
			return lw_fail(-EINVAL, "option %s needs a value", argv[optind - 1]);
		if (option == '?')
			return lw_unknown_option(argv, long_options);
		ret = take_option(options, option, optarg);
		if (ret || options->help)
			return ret;
	}
	if (!options->calls.chosen)
		lw_syscall_set_all(&options->calls);
	if (optind < argc)
		options->command = argv + optind;
	return check(options);
}

/**
 * lw_cmd_trace - the verb
 * @argc: of the verb
 * @argv: argv[0] is its name
 *
 * Return: exit status.
 */
int lw_cmd_trace(int argc, char **argv)
{
	struct lw_trace_options options;

	if (parse(&options, argc, argv)) {
		fprintf(stderr, "latewind: %s\n", lw_fail_text());
		return lw_usage_error("trace");
	}
	if (options.help) {
		print_help();
		return LW_EXIT_OK;
	}
	return lw_tracer_run(&options);
}
