// SPDX-License-Identifier: GPL-2.0
/*
 * cmd_trace.c - latewind trace: system calls, as strace prints them.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/record_options.h"
#include "cmd/verbs.h"
#include "trace/call_status.h"
#include "trace/signal_text.h"
#include "trace/tracer.h"

#define DEFAULT_LIMIT	32
#define STATUS		"status="

enum {
	OPT_JSON = 256,
	OPT_DEPTH,
	OPT_CALL_GRAPH,
	OPT_NO_TABLES,
	OPT_VERBOSE,
	OPT_SECCOMP,
};

static const struct lw_option own_options[] = {
	{ .help =
"\nWhom (one of them; beside -p or -a the end of a command ends the trace):\n"
"  -- COMMAND [ARG]...   run COMMAND; it and what it starts" },
	{ 'p', "pid", "PID[,PID]", "all threads of processes, and what they start later" },
	{ 'p', "attach", "PID" },
	{ 'a', "all-cpus", NULL, "every task on every CPU" },
	{ 'E', "env", "VAR[=VALUE]", "set a variable for the command, or take it away" },
	{ 'f', "follow-forks", NULL, "taken and ignored: children are always followed" },

	{ .help = "\nWhat:" },
	{ 'e', "trace", "LIST", "names with commas between; ! first: all but these; all;\n"
	  "%file, %desc, %process, %network, %memory, %signal,\n"
	  "%clock, %ipc; may be given several times.\n"
	  "status=LIST: successful, failed, unfinished; ! first\n"
	  "signal=LIST: names of signals; none; all (default); ! first" },
	{ 'P', "trace-path", "PATH", "only calls that touch PATH, by name or descriptor" },
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
	{ OPT_JSON, "json", NULL, "print one JSON object per line" },
	{ 'c', "summary-only", NULL, "print only a table of calls, errors and times" },
	{ 'C', "summary", NULL, "print the calls, then this table" },
	{ 't', NULL, NULL, "time of day; -tt with microseconds; -ttt since 1970" },
	{ 'r', "relative-timestamps", NULL, "time since the call before" },
	{ 'T', "syscall-times", NULL, "time spent in the call" },
	{ 'y', "decode-fds", NULL, "the paths of file descriptors, where they are known;\n"
	  "-yy: addresses of sockets and numbers of devices, too" },
	{ 'w' },
	{ 'v' },
	{ 'x' },
	{ 'n' },
	{ 'i' },
	{ 'S', NULL, "KEY" },
	{ 'u', NULL, "USER" },
	{ 'A' },
	{ 'D' },
	{ 'b', NULL, "CALL" },
	{ OPT_SECCOMP, "seccomp-bpf" },
	{ OPT_VERBOSE, "verbose", NULL, "name the files that have no unwind table" },
	{ 'q', "quiet", NULL, "no lines about exits, no warnings" },
	{ }
};

static void print_more(void)
{
	puts("\nA call is printed when it ends. Exit status: as 'latewind record'.");
}

static int take_pids(struct lw_trace_options *options, const char *text)
{
	for (;;) {
		size_t len = strcspn(text, ",");
		char part[32];
		u64 pid;

		snprintf(part, sizeof(part), "%.*s", (int)len, text);
		if (lw_take_number(&pid, "pid", part, 1, 0x7fffffff))
			return -EINVAL;
		if (options->nr_pids == LW_MAX_TRACED)
			return lw_fail(-EINVAL, "option --pid: more than %u", LW_MAX_TRACED);
		options->pids[options->nr_pids++] = pid;
		if (!text[len])
			return 0;
		text += len + 1;
	}
}

/* What strace takes, and why it is not here or what does its job. */
static const struct {
	int option;
	const char *words;
} refused[] = {
	{ 'v', "option -v is not here: what is left out of structs stays left out" },
	{ 'x', "option -x is not here: bytes that are no text are shown in octal" },
	{ 'n', "option -n is not here: --json has the number of each call" },
	{ 'i', "option -i is not here: use -k, whose first line has the instruction" },
	{ 'S', "option -S is not here: the longest times come first; 'sort -k4nr' is by calls" },
	{ 'u', "option -u is not here: use 'latewind trace -- setpriv --reuid USER COMMAND'" },
	{ 'A', "option -A is not here: an old file is kept as FILE.old" },
	{ 'D', "option -D is not needed: no tracer is between the command and its parent" },
	{ 'b', "option -b is not here: there is nothing to detach from" },
};

static int refuse(int option)
{
	for (u32 i = 0; i < ARRAY_SIZE(refused); i++) {
		if (refused[i].option == option)
			return lw_fail(-EINVAL, "%s", refused[i].words);
	}
	return 0;
}

/* -ff is a file for each process. */
static int take_follow(struct lw_trace_options *options)
{
	options->follows++;
	return options->follows < 2 ? 0 :
	       lw_fail(-EINVAL, "option -ff is not here: with -o lines begin with the thread's id\n"
		       "  One file each of it: awk '{ print > (\"FILE.\" $1) }' FILE.");
}

/* The command has the variables of the tool. */
static int take_variable(const char *text)
{
	int ret = strchr(text, '=') ? putenv((char *)text) : unsetenv(text);

	return ret ? lw_fail(-EINVAL, "option -E: '%s' is no variable", text) : 0;
}

/* Return: what is behind @word in @text, or NULL. */
static const char *behind(const char *text, const char *word)
{
	size_t len = strlen(word);

	return strncmp(text, word, len) ? NULL : text + len;
}

static int refuse_expression(const char *text)
{
	static const char * const words[] = { "inject=", "fault=", "read=", "write=", "abbrev=",
		"verbose=", "raw=", "kvm=", "quiet=", "trace-fds=" };

	for (u32 i = 0; i < ARRAY_SIZE(words); i++) {
		if (behind(text, words[i]))
			return lw_fail(-EINVAL, "option -e: '%s' is not here%s", text,
				       i < 2 ? ": nobody is stopped, so calls can't be changed" :
				       i < 4 ? ": use -s for more of what is read and written" :
				       i == 8 ? ": use -q" : "");
	}
	return 0;
}

static int take_expression(struct lw_trace_options *options, const char *text)
{
	const char *list = behind(text, STATUS);
	int ret = refuse_expression(text);

	if (ret)
		return ret;
	if (list)
		return lw_call_status_parse(&options->statuses, list);
	list = behind(text, "signal=");
	if (!list)
		list = behind(text, "signals=");
	if (list)
		return lw_signal_set_parse(&options->signals, list);
	return lw_syscall_set_parse(&options->calls, text);
}

static int take_option(void *context, int option, const char *arg)
{
	struct lw_trace_options *options = context;

	switch (option) {
	case 'e':
		return take_expression(options, arg);
	case 'f':
		return take_follow(options);
	case 'E':
		return take_variable(arg);
	case 'P':
		return lw_path_filter_add(&options->path_filter, arg);
	case 'z':
		options->statuses = LW_STATUS_SUCCESSFUL;
		return 0;
	case 'Z':
		options->statuses = LW_STATUS_FAILED;
		return 0;
	case 'p':
		return take_pids(options, arg);
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
		options->summary_only = true;
		return 0;
	case 'C':
		options->summary = true;
		return 0;
	case 'w':
	case OPT_SECCOMP:
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
		options->details = options->paths;
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
	return refuse(option);
}

static int check(const struct lw_trace_options *options)
{
	if (options->nr_pids && options->all_cpus)
		return lw_fail(-EINVAL, "options --pid and --all-cpus exclude each other");
	if (!options->nr_pids && !options->all_cpus && !options->command)
		return lw_fail(-EINVAL, "nothing to trace: give a command, -p PID or -a");
	if (options->summary_only && (options->json || options->stack))
		return lw_fail(-EINVAL, "option -c goes with neither --json nor --stack");
	if (options->summary && options->json)
		return lw_fail(-EINVAL, "options -C and --json exclude each other");
	if (options->output && (*options->output == '|' || *options->output == '!'))
		return lw_fail(-EINVAL, "option -o: '%s' is no file\n"
			       "  For a pipe: 'latewind trace ... 2>&1 >/dev/null | COMMAND'.",
			       options->output);
	return 0;
}

static int parse(struct lw_trace_options *options, int argc, char **argv)
{
	int ret;

	memset(options, 0, sizeof(*options));
	options->limit = DEFAULT_LIMIT;
	options->signals = LW_ALL_SIGNALS;
	ret = lw_verb_parse(&lw_verb_trace, argc, argv, take_option, options);
	if (ret)
		return ret;
	if (!options->calls.chosen)
		lw_syscall_set_all(&options->calls);
	if (options->path_filter.nr)
		lw_path_filter_narrow(&options->calls);
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
		 "[OPTION]... {-p PID[,PID]... | -a} [-- COMMAND [ARG]...]",
	.about = "Prints system calls as strace does, and stops no program.\n"
		 "Ctrl-C ends it.",
	.tables = { own_options },
	.runs_command = true,
	.print_more = print_more,
	.run = run,
};
