// SPDX-License-Identifier: GPL-2.0
/*
 * cmd_trace.c - latewind trace: system calls, as strace prints them.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "cmd/record_options.h"
#include "cmd/verbs.h"
#include "trace/call_status.h"
#include "trace/tracer.h"

#define DEFAULT_LIMIT	32
#define STATUS		"status="

enum {
	OPT_JSON = 256,
	OPT_DEPTH,
	OPT_CALL_GRAPH,
	OPT_NO_TABLES,
	OPT_VERBOSE,
};

static const struct lw_option own_options[] = {
	{ .help =
"\nWhom (one of them; -a also goes with a command, whose end ends it):\n"
"  -- COMMAND [ARG]...   run COMMAND; it and what it starts" },
	{ 'p', "pid", "PID", "all threads of a process, and what they start later" },
	{ 'p', "attach", "PID" },
	{ 'a', "all-cpus", NULL, "every task on every CPU" },
	{ 'f', "follow-forks", NULL, "taken and ignored: children are always followed" },

	{ .help = "\nWhat:" },
	{ 'e', "trace", "LIST", "names with commas between; ! first: all but these; all;\n"
	  "%file, %desc, %process, %network, %memory, %signal,\n"
	  "%clock, %ipc; may be given several times.\n"
	  "status=LIST: successful, failed, unfinished; ! first" },
	{ 'z', "successful-only", NULL, "only calls that succeed" },
	{ 'Z', "failed-only", NULL, "only calls that fail" },
	{ 's', "string-limit", "N", "bytes of a string or buffer, default 32; paths are whole" },
	{ 'k', "stack", NULL, "the user stack of each call" },
	{ 'k', "stack-traces" },
	{ OPT_DEPTH, "depth", "N", "most frames of it, default 127, up to 1024" },
	{ OPT_CALL_GRAPH, "call-graph", "HOW",
	  "auto (default), sframe (no guesses)" },
	{ OPT_NO_TABLES, "no-tables", NULL, "no unwind tables for files that have no .sframe" },
	{ 'm', "ring-size", "SIZE", "bytes of each CPU's ring, a power of two; K, M, G" },

	{ .help = "\nHow it is printed:" },
	{ 'o', "output", "FILE", "default: the standard error" },
	{ OPT_JSON, "json", NULL, "an object a line" },
	{ 'c', "summary-only", NULL, "calls, errors and times in sums, nothing else" },
	{ 't', NULL, NULL, "time of day; -tt with microseconds; -ttt since 1970" },
	{ 'r', "relative-timestamps", NULL, "time since the call before" },
	{ 'T', "syscall-times", NULL, "time spent in the call" },
	{ 'y', "decode-fds", NULL, "the paths of file descriptors, where they are known" },
	{ OPT_VERBOSE, "verbose", NULL, "name the files that have no unwind table" },
	{ 'q', "quiet", NULL, "no exits and no warnings" },
	{ }
};

static void print_more(void)
{
	puts("\nA call is printed when it ends. Exit status: as 'latewind record'.");
}

static int take_option(void *context, int option, const char *arg)
{
	struct lw_trace_options *options = context;

	switch (option) {
	case 'e':
		if (!strncmp(arg, STATUS, strlen(STATUS)))
			return lw_call_status_parse(&options->statuses, arg + strlen(STATUS));
		return lw_syscall_set_parse(&options->calls, arg);
	case 'z':
		options->statuses = LW_STATUS_SUCCESSFUL;
		return 0;
	case 'Z':
		options->statuses = LW_STATUS_FAILED;
		return 0;
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
	int ret;

	memset(options, 0, sizeof(*options));
	options->limit = DEFAULT_LIMIT;
	ret = lw_verb_parse(&lw_verb_trace, argc, argv, take_option, options);
	if (ret)
		return ret;
	if (!options->calls.chosen)
		lw_syscall_set_all(&options->calls);
	if (optind < argc)
		options->command = argv + optind;
	return check(options);
}

static int run(const struct lw_verb *verb, int argc, char **argv)
{
	struct lw_trace_options options;
	int ret = parse(&options, argc, argv);

	return ret ? lw_verb_end(verb, ret) : lw_tracer_run(&options);
}

const struct lw_verb lw_verb_trace = {
	.name = "trace",
	.summary = "print system calls as strace does",
	.usage = "[OPTION]... [--] COMMAND [ARG]...\n"
		 "[OPTION]... {-p PID | -a}",
	.about = "Prints system calls as strace does, without stopping anybody.\n"
		 "Ctrl-C ends it.",
	.tables = { own_options },
	.runs_command = true,
	.print_more = print_more,
	.run = run,
};
