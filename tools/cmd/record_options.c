// SPDX-License-Identifier: GPL-2.0
/*
 * record_options.c - the command line of the verbs that record.
 */
#include <errno.h>
#include <getopt.h>
#include <string.h>

#include "base/did_you_mean.h"
#include "base/exit.h"
#include "cmd/record_options.h"
#include "events/event_list.h"
#include "events/event_tracepoint.h"
#include "perf/perf_writer_zstd.h"
#include "record/event_sdt.h"
#include "latewind.h"

#define RATE_FILE	"/proc/sys/kernel/perf_event_max_sample_rate"

enum {
	OPT_DEPTH = 256,
	OPT_KERNEL_DEPTH,
	OPT_NO_KERNEL,
	OPT_RING_SIZE,
	OPT_TEXT,
	OPT_STATS,
	OPT_MAX,
	OPT_CALL_GRAPH,
	OPT_OVERWRITE,
	OPT_NO_TABLES,
	OPT_DEFERRED,
	OPT_COMPRESSED2,
	OPT_OFF_CPU,
	OPT_DATA,
	OPT_NAMESPACES,
	OPT_ALL_CGROUPS,
	OPT_LEVEL,
};

#define SHORT_OPTIONS	"F:c:e:p:t:iG:ao:qvhz::"
#define MAX_OWN		16

static const struct option long_options[] = {
	{ "freq",		required_argument,	NULL, 'F' },
	{ "count",		required_argument,	NULL, 'c' },
	{ "event",		required_argument,	NULL, 'e' },
	{ "pid",		required_argument,	NULL, 'p' },
	{ "tid",		required_argument,	NULL, 't' },
	{ "per-thread",		no_argument,		NULL, 'i' },
	{ "no-inherit",		no_argument,		NULL, 'i' },
	{ "all-cpus",		no_argument,		NULL, 'a' },
	{ "output",		required_argument,	NULL, 'o' },
	{ "depth",		required_argument,	NULL, OPT_DEPTH },
	{ "kernel-depth",	required_argument,	NULL, OPT_KERNEL_DEPTH },
	{ "no-kernel",		no_argument,		NULL, OPT_NO_KERNEL },
	{ "call-graph",		required_argument,	NULL, OPT_CALL_GRAPH },
	{ "cgroup",		required_argument,	NULL, 'G' },
	{ "all-cgroups",	no_argument,		NULL, OPT_ALL_CGROUPS },
	{ "ring-size",		required_argument,	NULL, OPT_RING_SIZE },
	{ "overwrite",		no_argument,		NULL, OPT_OVERWRITE },
	{ "compression-level",	optional_argument,	NULL, OPT_LEVEL },
	{ "compressed2",	no_argument,		NULL, OPT_COMPRESSED2 },
	{ "deferred",		no_argument,		NULL, OPT_DEFERRED },
	{ "off-cpu",		no_argument,		NULL, OPT_OFF_CPU },
	{ "data",		no_argument,		NULL, OPT_DATA },
	{ "namespaces",		no_argument,		NULL, OPT_NAMESPACES },
	{ "no-tables",		no_argument,		NULL, OPT_NO_TABLES },
	{ "text",		required_argument,	NULL, OPT_TEXT },
	{ "stats",		required_argument,	NULL, OPT_STATS },
	{ "max",		required_argument,	NULL, OPT_MAX },
	{ "verbose",		no_argument,		NULL, 'v' },
	{ "quiet",		no_argument,		NULL, 'q' },
	{ "help",		no_argument,		NULL, 'h' },
};

/**
 * lw_options_help - what the recording verbs share
 *
 * Return: lines of text.
 */
const char *lw_options_help(void)
{
	return
"Whom (one of them; -a also goes with a command, whose end ends it):\n"
"  -- COMMAND [ARG]...   run COMMAND, record it and what it starts\n"
"  -p, --pid PID[,PID]   all threads of processes, and what they start later\n"
"  -t, --tid TID[,TID]   these threads, not what they start\n"
"  -a, --all-cpus        every task on every CPU\n"
"  -G, --cgroup DIR      of these only tasks in this cgroup (v2) and below it\n"
"  -i, --per-thread      not what they start later\n"
"\n"
"What:\n"
"  -e, --event EVENT     may be given several times; default cpu-clock\n"
"      --off-cpu         the time that tasks are blocked, with the stack that blocks\n"
"  -F, --freq HZ         samples per second and CPU, default 997; tracepoints\n"
"                        and probes ignore it: each hit is a sample\n"
"  -c, --count N         a sample every N events (clocks: nanoseconds)\n"
"      --call-graph HOW  auto (default), sframe (no guesses), fp (all guesses)\n"
"      --no-tables       no unwind tables for files that have no .sframe\n"
"      --depth N         most frames of a user stack, default 127, up to 1024\n"
"      --kernel-depth N  most frames of a kernel stack, default and up to 127\n"
"      --no-kernel       no kernel stacks\n"
"      --ring-size SIZE  bytes of each CPU's ring, a power of two; K, M, G\n";
}

/**
 * lw_usage_error - end a message about a wrong command line
 * @verb: the verb
 *
 * Return: LW_EXIT_USAGE.
 */
int lw_usage_error(const char *verb)
{
	fprintf(stderr, "  Run 'latewind %s --help' for the options.\n", verb);
	return LW_EXIT_USAGE;
}

static int bad_number(const char *name, const char *text, u64 least, u64 most)
{
	return lw_fail(-EINVAL, "option --%s: '%s' is not a number from %llu to %llu",
		       name, text, least, most);
}

/**
 * lw_take_number - the value of an option that is a number
 * @value: out
 * @name: of the option, without the dashes
 * @text: its value
 * @least: that is allowed
 * @most: likewise
 *
 * Return: 0 or -EINVAL with lw_fail_text().
 */
int lw_take_number(u64 *value, const char *name, const char *text, u64 least, u64 most)
{
	if (lw_parse_u64(text, value) || *value < least || *value > most)
		return bad_number(name, text, least, most);
	return 0;
}

/**
 * lw_take_ring_size - the value of --ring-size
 * @value: out
 * @text: a power of two; K, M or G may follow
 *
 * Return: 0 or -EINVAL with lw_fail_text().
 */
int lw_take_ring_size(u64 *value, const char *text)
{
	if (lw_parse_size(text, value) || !*value || (*value & (*value - 1)))
		return lw_fail(-EINVAL, "option --ring-size: '%s' is not a power of two\n"
			       "  Bytes; K, M or G may follow.", text);
	return 0;
}

/**
 * lw_take_call_graph - the value of --call-graph
 * @mask: out: LW_MASK_*
 * @text: auto, sframe or fp
 *
 * Return: 0 or -EINVAL with lw_fail_text().
 */
int lw_take_call_graph(u32 *mask, const char *text)
{
	static const struct {
		const char *name;
		u32 mask;
	} ways[] = {
		{ "auto", LW_MASK_AUTO }, { "sframe", LW_MASK_SFRAME }, { "fp", LW_MASK_FP },
	};

	for (u32 i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		if (!strcmp(text, ways[i].name)) {
			*mask = ways[i].mask;
			return 0;
		}
	}
	return lw_fail(-EINVAL, "option --call-graph: '%s' is none of auto, sframe, fp", text);
}

/* The module takes no more, whatever perf's limit is. */
#define MAX_RATE	100000

static int take_freq(u64 *value, const char *text)
{
	char line[32];
	u64 most;

	if (lw_read_file(RATE_FILE, line, sizeof(line)) <= 0)
		return lw_take_number(value, "freq", text, 1, MAX_RATE);
	line[strcspn(line, "\n")] = 0;
	if (lw_parse_u64(line, &most))
		most = MAX_RATE;
	if (most > MAX_RATE)
		return lw_take_number(value, "freq", text, 1, MAX_RATE);
	if (lw_take_number(value, "freq", text, 1, most))
		return lw_fail(-EINVAL, "option --freq: '%s' is not a number from 1 to %llu\n"
			       "  That limit is in %s.", text, most, RATE_FILE);
	return 0;
}

static int keep_name(struct lw_event *event, const char *text)
{
	memset(event, 0, sizeof(*event));
	event->name = strdup(text);
	return event->name ? 0 : lw_fail(-ENOMEM, "out of memory");
}

static int take_event(void *ctx, const char *text)
{
	struct lw_options *options = ctx;
	int ret;

	if (options->nr_events == LW_MAX_EVENTS)
		return lw_fail(-EINVAL, "option --event: more than %u events", LW_MAX_EVENTS);
	if (!strncmp(text, LW_SDT_PREFIX, strlen(LW_SDT_PREFIX)))
		ret = keep_name(&options->events[options->nr_events], text);
	else
		ret = lw_event_parse(&options->events[options->nr_events], text);
	if (!ret)
		options->nr_events++;
	return ret;
}

/* With commas between; as processes or as threads, not both. */
static int take_ids(struct lw_options *options, bool by_thread, const char *text)
{
	const char *name = by_thread ? "tid" : "pid";
	char part[32];
	u64 id;

	if (options->nr_ids && options->by_thread != by_thread)
		return lw_fail(-EINVAL, "options --pid and --tid exclude each other");
	options->by_thread = by_thread;
	for (;;) {
		size_t len = strcspn(text, ",");

		snprintf(part, sizeof(part), "%.*s", (int)len, text);
		if (len >= sizeof(part) || lw_take_number(&id, name, part, 1, 0x7fffffff))
			return lw_fail(-EINVAL, "option --%s: '%s' is not a list of numbers",
				       name, text);
		if (options->nr_ids == LW_MAX_IDS)
			return lw_fail(-EINVAL, "option --%s: more than %u", name, LW_MAX_IDS);
		options->ids[options->nr_ids++] = id;
		if (!text[len])
			return 0;
		text += len + 1;
	}
}

static int wrong_verb(const struct lw_options *options, const char *name)
{
	return lw_fail(-EINVAL, "option --%s is not one of 'latewind %s'", name, options->verb);
}

static int take_level(struct lw_options *options, const char *text)
{
	if (strcmp(options->verb, "record"))
		return wrong_verb(options, "compression-level");
	options->zstd_level = 1;
	return text ? lw_take_number(&options->zstd_level, "compression-level", text, 1,
				     lw_zstd_writer_max_level()) : 0;
}

static int take_option(struct lw_options *options, int option, const char *arg)
{
	bool record = !strcmp(options->verb, "record");

	switch (option) {
	case 'F':
		return take_freq(&options->rate.freq, arg);
	case 'c':
		return lw_take_number(&options->rate.period, "count", arg, 1, 1ULL << 62);
	case 'e':
		return lw_event_list(lw_tracefs(), arg, take_event, options);
	case 'p':
		return take_ids(options, false, arg);
	case 't':
		options->no_inherit = true;
		return take_ids(options, true, arg);
	case 'i':
		options->no_inherit = true;
		return 0;
	case 'a':
		options->all_cpus = true;
		return 0;
	case OPT_DEPTH:
		return lw_take_number(&options->depth, "depth", arg, 1, LW_MAX_DEPTH);
	case OPT_KERNEL_DEPTH:
		return lw_take_number(&options->kernel_depth, "kernel-depth", arg, 0,
				   LW_MAX_KERNEL_DEPTH);
	case OPT_NO_KERNEL:
		options->kernel_depth = 0;
		return 0;
	case OPT_RING_SIZE:
		return lw_take_ring_size(&options->ring_size, arg);
	case OPT_OVERWRITE:
		options->overwrite = true;
		return record ? 0 : wrong_verb(options, "overwrite");
	case 'z':
	case OPT_LEVEL:
		return take_level(options, arg);
	case OPT_COMPRESSED2:
		options->compressed2 = true;
		return record ? 0 : wrong_verb(options, "compressed2");
	case OPT_DEFERRED:
		options->deferred = true;
		return record ? 0 : wrong_verb(options, "deferred");
	case OPT_DATA:
		options->data = true;
		return record ? 0 : wrong_verb(options, "data");
	case OPT_NAMESPACES:
		options->namespaces = true;
		return record ? 0 : wrong_verb(options, "namespaces");
	case OPT_ALL_CGROUPS:
		options->all_cgroups = true;
		return record ? 0 : wrong_verb(options, "all-cgroups");
	case OPT_OFF_CPU:
		options->off_cpu = true;
		return 0;
	case OPT_CALL_GRAPH:
		return lw_take_call_graph(&options->mask, arg);
	case 'G':
		options->cgroup = arg;
		return 0;
	case OPT_NO_TABLES:
		options->no_tables = true;
		return 0;
	case 'v':
		options->verbose = true;
		return 0;
	case 'q':
		options->quiet = true;
		return 0;
	case OPT_STATS:
		options->stats = arg;
		return 0;
	case 'o':
		options->output = arg;
		return record ? 0 : wrong_verb(options, "output");
	case OPT_TEXT:
		options->text = arg;
		return record ? 0 : wrong_verb(options, "text");
	case OPT_MAX:
		if (record)
			return wrong_verb(options, "max");
		return lw_take_number(&options->max_samples, "max", arg, 1, ~0ULL);
	case 'h':
		options->help = true;
		return 0;
	}
	return -EINVAL;
}

static int check_target(const struct lw_options *options)
{
	const char *name = options->by_thread ? "tid" : "pid";

	if (options->nr_ids && (options->all_cpus || options->command))
		return lw_fail(-EINVAL, "option --%s goes with no other target", name);
	if (!options->nr_ids && !options->all_cpus && !options->command)
		return lw_fail(-EINVAL, "nothing to record: give a command, -p PID or -a");
	if (options->no_inherit && options->all_cpus)
		return lw_fail(-EINVAL, "option --per-thread goes with a command, -p or -t");
	return 0;
}

static int check_outputs(const struct lw_options *options)
{
	if (options->output && options->text && !strcmp(options->output, "-") &&
	    !strcmp(options->text, "-"))
		return lw_fail(-EINVAL, "options --output and --text: one of them only goes to -");
	if (options->compressed2 && !options->zstd_level)
		return lw_fail(-EINVAL, "option --compressed2 goes with -z only");
	return 0;
}

/* The switches that were asked for, or more of them. */
static int set_off_cpu(struct lw_options *options)
{
	int ret;

	if (options->overwrite)
		return lw_fail(-EINVAL, "option --off-cpu does not go with --overwrite");
	for (u32 i = 0; i < options->nr_events; i++) {
		if (lw_event_take_off_cpu(&options->events[i]))
			return 0;
	}
	ret = take_event(options, LW_OFF_CPU_EVENT);
	if (!ret)
		lw_event_take_off_cpu(&options->events[options->nr_events - 1]);
	return ret;
}

static int set_defaults(struct lw_options *options)
{
	int ret = 0;

	if (!options->nr_events)
		ret = take_event(options, LW_DEFAULT_EVENT);
	if (!ret)
		ret = lw_sdt_events(options);
	if (!ret && options->off_cpu)
		ret = set_off_cpu(options);
	if (ret)
		return ret;
	if (!options->rate.freq)
		options->rate.freq = LW_DEFAULT_FREQ;
	else if (options->rate.period)
		return lw_fail(-EINVAL, "options --freq and --count exclude each other");
	for (u32 i = 0; i < options->nr_events; i++)
		lw_event_set_rate(&options->events[i], &options->rate);
	return 0;
}

/* A verb's own letters hide those that are shared. */
static bool is_own(const struct lw_own_options *own, int option)
{
	return option >= LW_OWN_OPTION || (option < 128 && strchr(own->letters, option));
}

static int read_options(struct lw_options *options, const struct lw_own_options *own,
			int argc, char **argv)
{
	struct option all[ARRAY_SIZE(long_options) + MAX_OWN + 1] = { 0 };
	char letters[128];
	int option, ret;

	snprintf(letters, sizeof(letters), "+:%s%s", own->letters, SHORT_OPTIONS);
	memcpy(all, long_options, sizeof(long_options));
	for (u32 i = 0; i < MAX_OWN && own->options && own->options[i].name; i++)
		all[ARRAY_SIZE(long_options) + i] = own->options[i];
	opterr = 0;
	optind = 1;
	while ((option = getopt_long(argc, argv, letters, all, NULL)) != -1) {
		if (option == ':')
			return lw_fail(-EINVAL, "option %s needs a value", argv[optind - 1]);
		if (option == '?')
			return lw_unknown_option(argv, all);
		ret = is_own(own, option) ? own->take(own->context, option, optarg) :
					    take_option(options, option, optarg);
		if (ret || options->help)
			return ret;
	}
	if (optind < argc)
		options->command = argv + optind;
	return 0;
}

/**
 * lw_options_parse - read the command line of a recording verb
 * @options: out; free it with lw_options_free()
 * @verb: "record", "live" or "top"
 * @own: the verb's own options; NULL: none
 * @argc: of the verb, argv[0] is its name
 * @argv: likewise
 *
 * Return: 0 (also when only @options->help was asked for), or -errno with
 * lw_fail_text().
 */
int lw_options_parse(struct lw_options *options, const char *verb,
		     const struct lw_own_options *own, int argc, char **argv)
{
	static const struct lw_own_options none = { .letters = "" };
	int ret;

	own = own ? own : &none;
	memset(options, 0, sizeof(*options));
	options->verb = verb;
	options->kernel_depth = LW_MAX_KERNEL_DEPTH;
	ret = read_options(options, own, argc, argv);
	if (ret || options->help)
		return ret;
	if (own->all_cpus && !options->nr_ids && !options->command)
		options->all_cpus = true;
	ret = check_target(options);
	if (!ret)
		ret = check_outputs(options);
	return ret ? ret : set_defaults(options);
}

/**
 * lw_options_free - free what was parsed
 * @options: parsed, with success or not
 */
void lw_options_free(struct lw_options *options)
{
	for (u32 i = 0; i < options->nr_events; i++)
		lw_event_free(&options->events[i]);
	options->nr_events = 0;
}
