// SPDX-License-Identifier: GPL-2.0
/*
 * record_options.c - the command line of the verbs that record.
 */
#include <errno.h>
#include <getopt.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/record_options.h"
#include "events/event_list.h"
#include "events/event_tracepoint.h"
#include "perf/perf_writer_zstd.h"
#include "record/event_sdt.h"
#include "record/file_names.h"
#include "latewind.h"

#define RATE_FILE	"/proc/sys/kernel/perf_event_max_sample_rate"
/* A day. */
#define MOST_SECONDS	86400U
/* LW_RING_MAX of the module */
#define MAX_RING	0x40000000ULL

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
	OPT_NO_NAMES,
	OPT_NO_TABLES,
	OPT_DEFERRED,
	OPT_COMPRESSED2,
	OPT_OFF_CPU,
	OPT_DATA,
	OPT_NAMESPACES,
	OPT_ALL_CGROUPS,
	OPT_MAX_SIZE,
	OPT_SWITCH_OUTPUT,
	OPT_SWITCH_MAX_FILES,
	OPT_TIMESTAMP_FILENAME,
	OPT_ALL_USER,
	OPT_ALL_KERNEL,
	OPT_AS_IT_IS,
	OPT_FILTER,
};

#define RECORD		LW_VERB_RECORD
#define LIVE_AND_TOP	(LW_VERB_LIVE | LW_VERB_TOP)
#define RECORD_AND_LIVE	(LW_VERB_RECORD | LW_VERB_LIVE)

/* Of the verbs that record. */
const struct lw_option lw_record_options[] = {
	{ .help =
"\nWhom (one of them; beside -p, -t or -a the end of a command ends the recording):\n"
"  -- COMMAND [ARG]...   run COMMAND, record it and what it starts" },
	{ 'p', "pid", "PID[,PID]", "all threads of processes, and what they start later" },
	{ 't', "tid", "TID[,TID]", "only these threads, not what they start" },
	{ 'a', "all-cpus", NULL, "every task on every CPU" },
	{ 'u', "uid", "USER", "all processes of a user, name or number, as with -p" },
	{ 'C', "cpu", "LIST", "only what runs on these CPUs: 0,2 or 0-3; alone: -a" },
	{ 'G', "cgroup", "DIR", "only tasks in this cgroup (v2) and those below it" },
	{ 'i', "per-thread", NULL, "do not follow what they start later" },
	{ 'i', "no-inherit" },

	{ .help = "\nWhat:" },
	{ 'e', "event", "EVENT", "may be given several times; default cpu-clock" },
	{ OPT_ALL_USER, "all-user", NULL, "all events in user mode only, as with :u" },
	{ OPT_ALL_KERNEL, "all-kernel", NULL, "all events in the kernel only, as with :k" },
	{ OPT_OFF_CPU, "off-cpu", NULL,
	  "the time that tasks are blocked, with the stack that blocks" },
	{ 'F', "freq", "HZ", "samples per second and CPU, default 997, or max;\n"
	  "tracepoints and probes ignore it: each hit is a sample" },
	{ 'c', "count", "N", "a sample every N events (clocks: nanoseconds)" },
	{ 'D', "delay", "MS", "milliseconds from the start to the first sample", RECORD_AND_LIVE },
	{ 'd', "duration", "SECONDS", "how long samples are taken; default: up to the end",
	  RECORD_AND_LIVE },
	{ 'g', NULL, NULL, "taken and ignored: stacks are always recorded" },
	{ OPT_CALL_GRAPH, "call-graph", "HOW",
	  "auto (default), sframe (no guesses)" },
	{ OPT_NO_TABLES, "no-tables", NULL, "no unwind tables for files that have no .sframe" },
	{ OPT_DEPTH, "depth", "N", "most frames of a user stack, default 127, up to 1024" },
	{ OPT_KERNEL_DEPTH, "kernel-depth", "N",
	  "most frames of a kernel stack, default and up to 127" },
	{ OPT_NO_KERNEL, "no-kernel", NULL, "no kernel stacks" },
	{ OPT_RING_SIZE, "ring-size", "SIZE",
	  "bytes of each CPU's ring, a power of two; K, M, G" },
	{ OPT_ALL_CGROUPS, "all-cgroups", NULL,
	  "record the cgroup of each sample, for report -s cgroup", RECORD },
	{ OPT_DATA, "data", NULL, "record mappings of data, too", RECORD },
	{ OPT_NAMESPACES, "namespaces", NULL, "record the namespaces of processes, too", RECORD },
	{ OPT_OVERWRITE, "overwrite", NULL,
	  "a flight recorder: keep the newest that fits the rings,\n"
	  "write it at the end; with --switch-output at SIGUSR2, too", RECORD },

	{ .help = "\nWhere to:", .verbs = RECORD },
	{ 'o', "output", "FILE", "default perf.data; an old one becomes FILE.old;\n"
	  "- for the standard output, to lead it into a pipe", RECORD },
	{ OPT_MAX_SIZE, "max-size", "SIZE", "end when the file has so many bytes; K, M, G",
	  RECORD },
	{ OPT_SWITCH_OUTPUT, "switch-output", "[signal|SIZE|TIME]",
	  "go on in another file: at SIGUSR2, after so many bytes\n"
	  "(B, K, M, G), or so long (s, m, h, d); each is FILE.TIME", RECORD },
	{ OPT_SWITCH_MAX_FILES, "switch-max-files", "N",
	  "keep only the newest N of these files", RECORD },
	{ OPT_TIMESTAMP_FILENAME, "timestamp-filename", NULL, "name the file FILE.TIME", RECORD },
	{ 'z', "compression-level", "[LEVEL]",
	  "compress the data by zstd; default level 1", RECORD },
	{ OPT_COMPRESSED2, "compressed2", NULL, "with -z: in records for perf >= 6.16", RECORD },
	{ OPT_DEFERRED, "deferred", NULL, "user stacks as records of their own, for perf >= 6.19",
	  RECORD },
	{ OPT_NO_NAMES, "no-names", NULL,
	  "do not save the names of functions, which readers elsewhere need", RECORD },
	{ 'N', "no-buildid-cache", NULL,
	  "do not copy files of containers, and deleted ones, to ~/.debug", RECORD },
	{ OPT_TEXT, "text", "FILE", "also as symbolised text; - for standard output", RECORD },
	{ .help = "\nAlso:", .verbs = LIVE_AND_TOP },
	{ OPT_MAX, "max", "N", "end after N samples", LIVE_AND_TOP },
	/* perf's: what they ask for is so anyway */
	{ 'T', "timestamp", NULL, NULL, RECORD },
	{ 'P', "period", NULL, NULL, RECORD },
	{ OPT_AS_IT_IS, "sample-cpu", NULL, NULL, RECORD },
	{ OPT_AS_IT_IS, "buildid-all", NULL, NULL, RECORD },
	{ OPT_AS_IT_IS, "buildid-mmap", NULL, NULL, RECORD },
	{ 'R', "raw-samples", NULL, NULL, RECORD },
	{ 'k', "clockid", "CLOCK", NULL, RECORD },
	{ 'm', "mmap-pages", "PAGES", NULL, RECORD },
	/* perf's that are refused with a word */
	{ 'B', "no-buildid", NULL, NULL, RECORD },
	{ OPT_FILTER, "filter", "FILTER", NULL, RECORD },
	{ 'b', "branch-any", NULL, NULL, RECORD },
	{ 'j', "branch-filter", "FILTER", NULL, RECORD },
	{ OPT_STATS, "stats", "FILE", "numbers about the recording, as a JSON object" },
	{ 'v', "verbose", NULL, "name the files that have no unwind table" },
	{ 'q', "quiet", NULL, "no summary and no warnings at the end" },
	{ }
};

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
 * lw_take_seconds - the value of an option that is a time
 * @time: out: nanoseconds
 * @name: of the option, without the dashes
 * @text: its value, seconds; may have a fraction
 *
 * Return: 0 or -EINVAL with lw_fail_text().
 */
int lw_take_seconds(u64 *time, const char *name, const char *text)
{
	char *end;
	double seconds = strtod(text, &end);

	if (end == text || *end || !(seconds >= 0.1 && seconds <= MOST_SECONDS))
		return lw_fail(-EINVAL, "option --%s: '%s' is not a number from 0.1 to %u",
			       name, text, MOST_SECONDS);
	*time = seconds * NSEC_PER_SEC;
	return 0;
}

static int take_delay(u64 *delay, const char *text)
{
	int ret;

	if (!strcmp(text, "-1"))
		return lw_fail(-EINVAL, "option --delay: -1, to begin when told to, can't be had\n"
			       "  Begin the recording when it is wanted, with -p PID or -a.");
	ret = lw_take_number(delay, "delay", text, 0, MOST_SECONDS * 1000ULL);
	*delay *= NSEC_PER_SEC / 1000;
	return ret;
}

static int take_max_size(u64 *value, const char *text)
{
	if (lw_parse_size(text, value) || !*value)
		return lw_fail(-EINVAL, "option --max-size: '%s' is no size\n"
			       "  Bytes; K, M or G may follow.", text);
	return 0;
}

/* A number with a letter behind it. */
static int take_with_unit(u64 *value, const char *text, const char *letters, const u64 *units)
{
	size_t len = strspn(text, "0123456789");
	const char *unit = text[len] ? strchr(letters, text[len]) : NULL;
	char digits[20];

	if (!unit || text[len + 1] || !len || len >= sizeof(digits))
		return -EINVAL;
	memcpy(digits, text, len);
	digits[len] = 0;
	if (lw_parse_u64(digits, value) || !*value ||
	    __builtin_mul_overflow(*value, units[unit - letters], value))
		return -EINVAL;
	return 0;
}

static int take_switch(struct lw_options *options, const char *text)
{
	static const u64 sizes[] = { 1, 1U << 10, 1U << 20, 1U << 30 };
	static const u64 times[] = { NSEC_PER_SEC, 60 * NSEC_PER_SEC, 3600 * NSEC_PER_SEC,
				     86400 * NSEC_PER_SEC };

	options->switch_output = true;
	options->timestamp_filename = true;
	options->switch_on_signal = !text || !strcmp(text, "signal");
	options->switch_size = 0;
	options->switch_time = 0;
	if (options->switch_on_signal ||
	    !take_with_unit(&options->switch_size, text, "BKMG", sizes) ||
	    !take_with_unit(&options->switch_time, text, "smhd", times))
		return 0;
	return lw_fail(-EINVAL, "option --switch-output: '%s' is neither signal, nor a size\n"
		       "  as 100M (B, K, M, G), nor a time as 30s (s, m, h, d)", text);
}

static int take_user(struct lw_options *options, const char *text)
{
	const struct passwd *user = getpwnam(text);
	u64 id = 0;

	if (!user && (lw_parse_u64(text, &id) || id >= (uid_t)-1))
		return lw_fail(-EINVAL, "option --uid: '%s' is no user\n"
			       "  'getent passwd' lists them.", text);
	options->of_user = true;
	options->user = user ? user->pw_uid : id;
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

/* As perf has it: pages, or bytes if K, M or G follows, of which it makes a power of two. */
static int take_mmap_pages(u64 *value, const char *text)
{
	u64 size, page = sysconf(_SC_PAGESIZE);

	if (!lw_parse_u64(text, &size))
		size = size > MAX_RING / page ? MAX_RING + 1 : size * page;
	else if (lw_parse_size(text, &size))
		size = 0;
	if (!size || size > MAX_RING)
		return lw_fail(-EINVAL, "option --mmap-pages: '%s' is no number of pages\n"
			       "  Or of bytes, with K, M or G behind it; up to 1G.", text);
	for (*value = page; *value < size;)
		*value *= 2;
	return 0;
}

/**
 * lw_take_call_graph - the value of --call-graph
 * @mask: out: LW_MASK_*
 * @text: auto or sframe
 *
 * Return: 0 or -EINVAL with lw_fail_text().
 */
int lw_take_call_graph(u32 *mask, const char *text)
{
	static const struct {
		const char *name;
		u32 mask;
	} ways[] = {
		{ "auto", LW_MASK_AUTO }, { "sframe", LW_MASK_SFRAME },
	};

	for (u32 i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		if (!strcmp(text, ways[i].name)) {
			*mask = ways[i].mask;
			return 0;
		}
	}
	return lw_fail(-EINVAL, "option --call-graph: '%s' is neither auto nor sframe\n"
		       "  It is not needed: stacks are recorded, by what each file has.", text);
}

/* Where the file is not to be seen. */
#define MAX_RATE	100000

static u64 max_rate(void)
{
	char line[32];
	u64 most;

	if (lw_read_file(RATE_FILE, line, sizeof(line)) <= 0)
		return MAX_RATE;
	line[strcspn(line, "\n")] = 0;
	return lw_parse_u64(line, &most) || !most ? MAX_RATE : most;
}

static int take_freq(u64 *value, const char *text)
{
	u64 most = max_rate();

	if (!strcmp(text, "max"))
		*value = most;
	else if (lw_take_number(value, "freq", text, 1, most))
		return lw_fail(-EINVAL, "option --freq: '%s' is not max, nor from 1 to %llu\n"
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

static int take_level(struct lw_options *options, const char *text)
{
	options->zstd_level = 1;
	return text ? lw_take_number(&options->zstd_level, "compression-level", text, 1,
				     lw_zstd_writer_max_level()) : 0;
}

static int take_clock(const char *text)
{
	static const char *const names[] = {
		"mono", "monotonic", "CLOCK_MONOTONIC", "1",
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (!strcasecmp(text, names[i]))
			return 0;
	}
	return lw_fail(-EINVAL, "option --clockid: the clock is always monotonic, not '%s'\n"
		       "  'perf script -F tod' shows the time of day.", text);
}

/* Return: -ENOENT: @option is none of perf's that can't be had. */
static int refuse_option(int option)
{
	switch (option) {
	case 'B':
		return lw_fail(-EINVAL, "option --no-buildid: mappings have build IDs, at no cost\n"
			       "  Leave it out.");
	case OPT_FILTER:
		return lw_fail(-EINVAL, "option --filter: a kernel module's events have none\n"
			       "  'latewind script -F +trace' prints what it would look at.");
	case 'b':
	case 'j':
		return lw_fail(-EINVAL, "option -%c: branches are not recorded\n"
			       "  'perf record -%c' does it.", option, option);
	}
	return -ENOENT;
}

static int take_option(struct lw_options *options, int option, const char *arg)
{
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
	case 'u':
		return take_user(options, arg);
	case 'C':
		return lw_take_cpus(&options->cpus, arg);
	case 'D':
		return take_delay(&options->delay, arg);
	case 'd':
		return lw_take_seconds(&options->duration, "duration", arg);
	case OPT_ALL_USER:
		options->all_user = true;
		return 0;
	case OPT_ALL_KERNEL:
		options->all_kernel = true;
		return 0;
	case 'k':
		return take_clock(arg);
	case 'g':
	case 'T':
	case 'P':
	case 'R':
	case OPT_AS_IT_IS:
		return 0;
	case OPT_MAX_SIZE:
		return take_max_size(&options->max_size, arg);
	case OPT_SWITCH_OUTPUT:
		return take_switch(options, arg);
	case OPT_SWITCH_MAX_FILES:
		return lw_take_number(&options->switch_max_files, "switch-max-files", arg, 1,
				      LW_MAX_FILES);
	case OPT_TIMESTAMP_FILENAME:
		options->timestamp_filename = true;
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
	case 'm':
		return take_mmap_pages(&options->ring_size, arg);
	case OPT_OVERWRITE:
		options->overwrite = true;
		return 0;
	case 'z':
		return take_level(options, arg);
	case OPT_COMPRESSED2:
		options->compressed2 = true;
		return 0;
	case OPT_DEFERRED:
		options->deferred = true;
		return 0;
	case OPT_DATA:
		options->data = true;
		return 0;
	case OPT_NAMESPACES:
		options->namespaces = true;
		return 0;
	case OPT_ALL_CGROUPS:
		options->all_cgroups = true;
		return 0;
	case OPT_OFF_CPU:
		options->off_cpu = true;
		return 0;
	case OPT_CALL_GRAPH:
		return lw_take_call_graph(&options->mask, arg);
	case 'G':
		options->cgroup = arg;
		return 0;
	case 'N':
		options->no_buildid_cache = true;
		return 0;
	case OPT_NO_NAMES:
		options->no_names = true;
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
		return 0;
	case OPT_TEXT:
		options->text = arg;
		return 0;
	case OPT_MAX:
		return lw_take_number(&options->max_samples, "max", arg, 1, ~0ULL);
	}
	return refuse_option(option);
}

static int check_target(const struct lw_options *options)
{
	if (options->nr_ids && options->all_cpus)
		return lw_fail(-EINVAL, "options --%s and --all-cpus exclude each other",
			       options->by_thread ? "tid" : "pid");
	if (options->of_user && (options->all_cpus || options->by_thread))
		return lw_fail(-EINVAL, "option --uid goes with neither --all-cpus nor --tid");
	if (!options->nr_ids && !options->of_user && !options->all_cpus && !options->command)
		return lw_fail(-EINVAL, "nothing to record: give a command, -p PID or -a");
	if (options->no_inherit && options->all_cpus)
		return lw_fail(-EINVAL, "option --per-thread goes with a command, -p or -t");
	return 0;
}

/* As perf does, unless somebody is named besides a command, to record what runs there. */
static int check_cpus(struct lw_options *options)
{
	struct lw_cpu_set online;

	if (!options->cpus.is_limited)
		return 0;
	if (lw_cpu_set_online(&online))
		return -EINVAL;
	for (u32 cpu = 0; cpu < LW_MAX_CPUS; cpu++) {
		if (lw_cpu_set_has(&options->cpus, cpu) && !lw_cpu_set_has(&online, cpu))
			return lw_fail(-EINVAL, "option --cpu: CPU %u is not online\n"
				       "  /sys/devices/system/cpu/online lists those that are.",
				       cpu);
	}
	options->all_cpus |= !options->nr_ids && !options->of_user;
	return 0;
}

static int check_outputs(const struct lw_options *options)
{
	if (options->output && options->text && !strcmp(options->output, "-") &&
	    !strcmp(options->text, "-"))
		return lw_fail(-EINVAL, "options --output and --text: one of them only goes to -");
	if (options->compressed2 && !options->zstd_level)
		return lw_fail(-EINVAL, "option --compressed2 goes with -z only");
	if (options->switch_max_files && !options->switch_output)
		return lw_fail(-EINVAL, "option --switch-max-files goes with --switch-output only");
	if (options->switch_size && options->overwrite)
		return lw_fail(-EINVAL, "option --overwrite: such a file does not grow\n"
			       "  --switch-output goes with it as signal or TIME.");
	if (options->max_size && options->overwrite)
		return lw_fail(-EINVAL, "option --max-size does not go with --overwrite");
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

/* Whatever letters stand behind them, as perf has it. */
static int set_mode(struct lw_options *options)
{
	if (!options->all_user && !options->all_kernel)
		return 0;
	if (options->all_user && options->all_kernel)
		return lw_fail(-EINVAL, "options --all-user and --all-kernel exclude each other");
	for (u32 i = 0; i < options->nr_events; i++) {
		options->events[i].attr.exclude_user = options->all_kernel;
		options->events[i].attr.exclude_kernel = options->all_user;
		options->events[i].attr.exclude_hv = 1;
	}
	return 0;
}

static int set_defaults(struct lw_options *options)
{
	int ret = 0;

	if (!options->nr_events)
		ret = take_event(options, LW_DEFAULT_EVENT);
	if (!ret)
		ret = lw_sdt_events(options);
	if (!ret)
		ret = set_mode(options);
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

struct parsing {
	struct lw_options *options;
	lw_take_option *take_own;
	void *own;
};

static int take(void *context, int id, const char *value)
{
	struct parsing *parsing = context;
	int ret = parsing->take_own ? parsing->take_own(parsing->own, id, value) : -ENOENT;

	return ret == -ENOENT ? take_option(parsing->options, id, value) : ret;
}

/**
 * lw_options_parse - read the command line of a recording verb
 * @options: out; free it with lw_options_free()
 * @verb: one with lw_record_options
 * @argc: of the verb, argv[0] is its name
 * @argv: likewise
 * @take_own: takes an option of another table of the verb; -ENOENT: it is in none; or NULL
 * @own: handed to @take_own
 *
 * Return: 0; 1 when help was asked for and printed; or -errno with lw_fail_text().
 */
int lw_options_parse(struct lw_options *options, const struct lw_verb *verb, int argc,
		     char **argv, lw_take_option *take_own, void *own)
{
	struct parsing parsing = { options, take_own, own };
	int ret;

	memset(options, 0, sizeof(*options));
	options->verb = verb->name;
	options->kernel_depth = LW_MAX_KERNEL_DEPTH;
	ret = lw_verb_parse(verb, argc, argv, take, &parsing);
	if (ret)
		return ret;
	if (optind < argc)
		options->command = argv + optind;
	/* top shows the machine if nobody is named */
	if (verb->bit == LW_VERB_TOP && !options->nr_ids && !options->of_user && !options->command)
		options->all_cpus = true;
	ret = check_cpus(options);
	if (!ret)
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
