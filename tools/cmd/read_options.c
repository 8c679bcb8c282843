// SPDX-License-Identifier: GPL-2.0
/*
 * read_options.c - what the verbs that read a recording have in common.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/print.h"
#include "cmd/read_options.h"
#include "cmd/record_options.h"
#include "profile/profile_filter.h"
#include "ui/pager.h"

#define SHOW_AFTER	NSEC_PER_SEC
#define MAX_STACK	65535U
/* Files that could not be used are told of one by one, up to so many. */
#define MAX_PROBLEMS	8U

#define AS_PERF		(LW_VERB_SCRIPT | LW_VERB_REPORT)
#define ON_TERMINAL	(LW_VERB_SCRIPT | LW_VERB_REPORT | LW_VERB_DIFF)

/* Of the verbs that read a recording; diff is told by name of two. */
const struct lw_option lw_reading_options[] = {
	{ 'i', "input", "FILE", "the recording, also without -i; default perf.data; - is a pipe",
	  LW_VERB_SCRIPT | LW_VERB_REPORT | LW_VERB_FLAME | LW_VERB_EXPORT },
	{ LW_READ_COMM, "comm", "NAMES", "only threads of these names, with commas between" },
	{ 'c', "comms", "NAMES", NULL, AS_PERF },
	{ LW_READ_COMM, "comms", "NAMES", NULL, ~AS_PERF },
	{ LW_READ_PID, "pid", "PIDS", "only these processes, with commas between" },
	{ LW_READ_TID, "tid", "TIDS", "only these threads" },
	{ LW_READ_DSO, "dso", "NAMES", "only samples with a frame in one of these files" },
	{ 'd', "dsos", "NAMES", NULL, LW_VERB_REPORT },
	{ LW_READ_DSO, "dsos", "NAMES", NULL, ~LW_VERB_REPORT },
	{ 'S', "symbols", "NAMES", "only samples that were taken in one of these functions",
	  AS_PERF },
	{ 'C', "cpu", "LIST", "only samples on these CPUs: 0,2 or 0-3" },
	{ LW_READ_CGROUP, "cgroup", "NAMES",
	  "only samples of these cgroups and those below them" },
	{ LW_READ_TIME, "time", "FROM,TO",
	  "only samples from FROM on, up to TO: seconds as they\n"
	  "are shown; either may be left out" },
	{ LW_READ_MAX_STACK, "max-stack", "N", "most frames of a sample, default all" },
	{ LW_READ_SYMFS, "symfs", "DIR",
	  "directory with the files of the recorded machine" },
	{ LW_READ_NO_DEMANGLE, "no-demangle", NULL,
	  "names of C++ and Rust as they are in the file" },
	{ LW_READ_INLINE, "inline", NULL,
	  "inlined calls as frames of their own, by debug information" },
	/* what perf's users type for what is so in any case */
	{ LW_READ_NOTHING, "no-inline", NULL, NULL, AS_PERF },
	{ 'f', "force", NULL, NULL, AS_PERF },
	{ LW_READ_HEADER, "header", NULL, "print machine, command and events first, as text",
	  AS_PERF },
	{ LW_READ_HEADER_ONLY, "header-only", NULL,
	  "print machine, command and events only", AS_PERF },
	{ LW_READ_COLOR, "color", "WHEN", "auto (default: on a terminal), always, never",
	  LW_VERB_REPORT },
	{ LW_READ_NO_PAGER, "no-pager", NULL, "no pager on a terminal", ON_TERMINAL },
	{ 'v', "verbose", NULL, "source lines with --inline; name all files without symbols",
	  LW_VERB_SCRIPT },
	{ 'v', "verbose", NULL, "name all files without symbols", ~LW_VERB_SCRIPT },
	{ 'q', "quiet", NULL, "no warnings" },
	{ }
};

static u64 next_shown;

/* Only on a terminal, and only when it takes long. */
static void show_progress(u64 done, u64 all)
{
	u64 now = lw_now();

	if (!next_shown)
		next_shown = now + SHOW_AFTER;
	if (now < next_shown)
		return;
	next_shown = now + SHOW_AFTER / 4;
	fprintf(stderr, "\r%3llu %% of %llu records ", done * 100 / all, all);
}

/* perf without -a or --sample-cpu leaves CPUs out. */
static void miss_cpus(const struct lw_reading *reading, const struct lw_recording *recording)
{
	const struct lw_perf_reader *file = lw_recording_file(recording);

	for (u32 i = 0; i < lw_perf_reader_nr_events(file); i++) {
		const struct lw_perf_event *event = lw_perf_reader_event(file, i);

		/* a dummy has no samples */
		if (event->attr.sample_type & PERF_SAMPLE_CPU ||
		    (event->attr.type == PERF_TYPE_SOFTWARE &&
		     event->attr.config == PERF_COUNT_SW_DUMMY))
			continue;
		fprintf(stderr, "latewind: %s does not tell of CPUs\n"
			"  Record it with 'latewind record', or 'perf record --sample-cpu'.\n",
			reading->recording.path);
		return;
	}
}

static void clear_progress(void)
{
	if (next_shown)
		fputs("\r\033[K", stderr);
	next_shown = 0;
}

/**
 * lw_reading_init - all samples of perf.data
 * @reading: out
 */
void lw_reading_init(struct lw_reading *reading)
{
	/* Each file that has names stays open. */
	lw_raise_fd_limit();
	memset(reading, 0, sizeof(*reading));
	reading->recording.path = LW_DEFAULT_INPUT;
	reading->to = ~0ULL;
	reading->color = lw_terminal_has_colors();
	if (isatty(STDERR_FILENO) && !isatty(STDOUT_FILENO))
		reading->recording.progress = show_progress;
	/* libdw's own, of what it loads from the servers of DEBUGINFOD_URLS */
	if (isatty(STDERR_FILENO))
		setenv("DEBUGINFOD_PROGRESS", "1", 0);
}

/* "123.456" in nanoseconds */
static int parse_seconds(const char *text, size_t len, u64 *time)
{
	u64 unit = NSEC_PER_SEC, value = 0, part = 0;
	bool behind = false;

	if (!len)
		return 0;
	for (size_t i = 0; i < len; i++) {
		if (text[i] == '.' && !behind) {
			behind = true;
			continue;
		}
		if (text[i] < '0' || text[i] > '9' || value > ~0ULL / NSEC_PER_SEC / 10)
			return -EINVAL;
		if (!behind)
			value = value * 10 + (text[i] - '0');
		else
			part += (text[i] - '0') * (unit /= 10);
	}
	*time = value * NSEC_PER_SEC + part;
	return 0;
}

/* "10%-20%", or as the second tenth "10%/2", as perf has them. */
static int take_shares(struct lw_reading *reading, const char *text)
{
	double from, to;
	int len = 0, nr;

	if (sscanf(text, "%lf%%-%lf%%%n", &from, &to, &len) != 2 || text[len]) {
		if (sscanf(text, "%lf%%/%d%n", &to, &nr, &len) != 2 || text[len] || nr < 1)
			return lw_fail(-EINVAL,
				       "option --time: '%s' is neither 10%%-20%% nor 10%%/2", text);
		from = to * (nr - 1);
		to *= nr;
	}
	if (!(from >= 0 && from < to && to <= 100))
		return lw_fail(-EINVAL, "option --time: '%s' is no part of 100%%", text);
	reading->from_share = from / 100;
	reading->to_share = to / 100;
	return 0;
}

static int take_time(struct lw_reading *reading, const char *text)
{
	size_t len = strcspn(text, ",");
	const char *to = text[len] ? text + len + 1 : "";

	if (strchr(text, '%'))
		return take_shares(reading, text);
	if (parse_seconds(text, len, &reading->from) ||
	    parse_seconds(to, strlen(to), &reading->to))
		return lw_fail(-EINVAL,
			       "option --time: '%s' is not FROM,TO in seconds, or 10%%-20%%", text);
	if (reading->from > reading->to)
		return lw_fail(-EINVAL, "option --time: '%s' ends before it begins", text);
	return 0;
}

static int take_max_stack(struct lw_reading *reading, const char *text)
{
	u64 value = 0;
	int ret = lw_take_number(&value, "max-stack", text, 1, MAX_STACK);

	reading->recording.max_stack = value;
	return ret;
}

static int take_color(struct lw_reading *reading, const char *text)
{
	if (!strcmp(text, "always"))
		reading->color = true;
	else if (!strcmp(text, "never"))
		reading->color = false;
	else if (strcmp(text, "auto"))
		return lw_fail(-EINVAL, "option --color: '%s' is none of auto, always, never",
			       text);
	return 0;
}

static int take_symfs(struct lw_reading *reading, const char *path)
{
	char *whole = realpath(path, NULL);
	bool has_colon = whole && strchr(whole, ':');
	int fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);

	free(whole);
	if (fd < 0)
		return lw_fail(-EINVAL, "option --symfs: cannot open %s: %s", path,
			       strerror(errno));
	close(fd);
	/* libdwfl's path of debug files has it between two */
	if (has_colon)
		return lw_fail(-EINVAL, "option --symfs: %s: there must be no ':' in its path\n"
			       "  Give it another name.", path);
	reading->recording.symfs = path;
	return 0;
}

/**
 * lw_reading_use_terminal - a verb whose text may be long is about to print it
 * @reading: its options
 */
void lw_reading_use_terminal(const struct lw_reading *reading)
{
	if (!reading->no_pager)
		lw_pager_allow();
}

/**
 * lw_reading_show_progress - a verb prints nothing before all is read
 * @reading: its options
 */
void lw_reading_show_progress(struct lw_reading *reading)
{
	if (isatty(STDERR_FILENO) && !reading->quiet)
		reading->recording.progress = show_progress;
}

/* Paths, with commas between. */
static int take_cgroups(struct lw_reading *reading, const char *arg)
{
	for (const char *at = arg; ; at++) {
		if (*at != '/')
			return lw_fail(-EINVAL, "option --cgroup: '%s' is no path of a cgroup\n"
				       "  It begins with '/', which is the root of the hierarchy.",
				       arg);
		at += strcspn(at, ",");
		if (!*at)
			break;
	}
	reading->cgroup = arg;
	return 0;
}

/* Numbers, with commas between. */
static int take_ids(const char **ids, const char *name, const char *arg)
{
	for (const char *at = arg; ; at++) {
		size_t digits = strspn(at, "0123456789");

		if (!digits || digits > 10 || (at[digits] && at[digits] != ','))
			return lw_fail(-EINVAL, "option --%s: '%.100s' is no list of numbers\n"
				       "  They have commas between: 17,23.", name, arg);
		at += digits;
		if (!*at)
			break;
	}
	*ids = arg;
	return 0;
}

/**
 * lw_reading_option - take one of the options that are shared
 * @reading: gets it
 * @option: lw_option.id
 * @arg: its value
 *
 * Return: 0, -ENOENT when it is none of them, -EINVAL with lw_fail_text().
 */
int lw_reading_option(struct lw_reading *reading, int option, const char *arg)
{
	switch (option) {
	case 'i':
		reading->recording.path = arg;
		reading->has_path = true;
		return 0;
	case 'C':
		return lw_take_cpus(&reading->cpus, arg);
	case 'c':
	case LW_READ_COMM:
		reading->comm = arg;
		return 0;
	case 'S':
		reading->symbol = arg;
		return 0;
	case 'f':
		reading->recording.force = true;
		return 0;
	case LW_READ_NOTHING:
		return 0;
	case 'd':
	case LW_READ_DSO:
		reading->dso = arg;
		return 0;
	case LW_READ_CGROUP:
		return take_cgroups(reading, arg);
	case LW_READ_PID:
		return take_ids(&reading->pid, "pid", arg);
	case LW_READ_TID:
		return take_ids(&reading->tid, "tid", arg);
	case LW_READ_TIME:
		return take_time(reading, arg);
	case LW_READ_MAX_STACK:
		return take_max_stack(reading, arg);
	case LW_READ_SYMFS:
		return take_symfs(reading, arg);
	case LW_READ_NO_DEMANGLE:
		reading->recording.no_demangle = true;
		return 0;
	case LW_READ_INLINE:
		reading->recording.inlined = true;
		return 0;
	case LW_READ_HEADER_ONLY:
	case LW_READ_HEADER:
		reading->header = true;
		reading->header_only |= option == LW_READ_HEADER_ONLY;
		return 0;
	case LW_READ_NO_PAGER:
		reading->no_pager = true;
		return 0;
	case LW_READ_COLOR:
		return take_color(reading, arg);
	case 'v':
		reading->verbose = true;
		return 0;
	case 'q':
		reading->quiet = true;
		reading->recording.progress = NULL;
		return 0;
	}
	return -ENOENT;
}

/**
 * lw_reading_name - take what is left behind the options as the recording
 * @reading: gets its path, if there is one
 * @argc: as lw_verb_parse() had it
 * @argv: likewise
 *
 * Return: 0 or -EINVAL with lw_fail_text().
 */
int lw_reading_name(struct lw_reading *reading, int argc, char **argv)
{
	if (optind >= argc)
		return 0;
	if (reading->has_path || optind + 1 < argc)
		return lw_fail(-EINVAL, "'%s' is one recording too many\n"
			       "  One can be read, named with -i or without.", argv[argc - 1]);
	reading->recording.path = argv[optind];
	return 0;
}

/* One of a list with commas between. */
static bool is_listed(const char *list, const char *text)
{
	size_t len = strlen(text);

	for (;;) {
		size_t part = strcspn(list, ",");

		if (part == len && !strncmp(list, text, len))
			return true;
		if (!list[part])
			return false;
		list += part + 1;
	}
}

static bool is_id(const char *list, u32 id)
{
	while (strtoul(list, NULL, 10) != id) {
		list = strchr(list, ',');
		if (!list)
			return false;
		list++;
	}
	return true;
}

/* The cgroup itself or one that it is below of; '/' is above all. */
static bool is_in_cgroup(const char *list, const char *cgroup)
{
	while (cgroup && *list) {
		size_t part = strcspn(list, ","), len = part;

		while (len && list[len - 1] == '/')
			len--;
		if (part && !strncmp(cgroup, list, len) && (!cgroup[len] || cgroup[len] == '/'))
			return true;
		list += part + !!list[part];
	}
	return false;
}

/* Each sample is in one of the parts that make up the whole. */
static bool is_in_time(const struct lw_reading *reading, const struct lw_recording *recording,
		       u64 time)
{
	const struct lw_perf_info *info;
	double share;

	if (!reading->to_share)
		return time >= reading->from && time <= reading->to;
	info = lw_perf_reader_info(lw_recording_file(recording));
	if (time < info->first_time || time > info->last_time)
		return false;
	share = (double)(time - info->first_time) / (info->last_time - info->first_time + 1);
	return share >= reading->from_share && share < reading->to_share;
}

/**
 * lw_reading_wants - apply what can be said before a sample's frames have names
 * @reading: how
 * @recording: while it is read
 * @sample: of it
 *
 * Return: true if it is to be looked at.
 */
bool lw_reading_wants(const struct lw_reading *reading, struct lw_recording *recording,
		      const struct lw_perf_record *sample)
{
	if ((reading->pid && !is_id(reading->pid, sample->pid)) ||
	    (reading->tid && !is_id(reading->tid, sample->tid)))
		return false;
	if (reading->cpus.is_limited &&
	    (!(sample->event->attr.sample_type & PERF_SAMPLE_CPU) ||
	     !lw_cpu_set_has(&reading->cpus, sample->cpu)))
		return false;
	if (!is_in_time(reading, recording, sample->time))
		return false;
	if (reading->cgroup &&
	    !is_in_cgroup(reading->cgroup, lw_recording_cgroup(recording, sample)))
		return false;
	return !reading->comm ||
	       is_listed(reading->comm, lw_recording_comm(recording, sample));
}

/**
 * lw_reading_is_dso - whether a frame's file is one that was named
 * @reading: how
 * @dso: path
 *
 * Return: true if it or its last part is, or none was.
 */
bool lw_reading_is_dso(const struct lw_reading *reading, const char *dso)
{
	return !reading->dso || is_listed(reading->dso, dso) ||
	       is_listed(reading->dso, lw_short_name(dso));
}

/**
 * lw_reading_is_symbol - whether a sample was taken in a function that was named
 * @reading: how
 * @place: of the sample's first frame
 *
 * Return: true if so, or none was named.
 */
bool lw_reading_is_symbol(const struct lw_reading *reading, const struct lw_place *place)
{
	return !reading->symbol || (place->function && is_listed(reading->symbol, place->function));
}

/**
 * lw_reading_end - say what was wrong with a recording
 * @reading: how it was read
 * @recording: read
 */
void lw_reading_end(const struct lw_reading *reading, struct lw_recording *recording)
{
	u64 lost = lw_recording_lost(recording);
	const char *text;
	u32 nr = 0;

	clear_progress();
	if (reading->quiet)
		return;
	if ((reading->cgroup || reading->by_cgroup) && !lw_recording_has_cgroups(recording))
		fprintf(stderr, "latewind: %s does not tell of cgroups\n"
			"  Record it with --all-cgroups.\n", reading->recording.path);
	if (reading->cpus.is_limited || reading->by_cpu)
		miss_cpus(reading, recording);
	if (reading->to_share && !lw_perf_reader_info(lw_recording_file(recording))->last_time)
		fprintf(stderr, "latewind: %s does not say when it began\n"
			"  It was killed, or is of a pipe. Give seconds to --time, as\n"
			"  'latewind script -F time' shows them.\n",
			reading->recording.path);
	if (lost)
		fprintf(stderr, "latewind: %s: %llu samples were lost when it was recorded\n",
			reading->recording.path, lost);
	text = lw_recording_ends(recording);
	if (text)
		fprintf(stderr, "latewind: %s: %s\n", reading->recording.path, text);
	for (; (text = lw_recording_problem(recording, nr)); nr++) {
		if (nr >= MAX_PROBLEMS && !reading->verbose)
			continue;
		fprintf(stderr, "latewind: %s: ", reading->recording.path);
		lw_print_plain(stderr, text);
		fputc('\n', stderr);
	}
	if (nr > MAX_PROBLEMS && !reading->verbose)
		fprintf(stderr, "latewind: %s: and %u more; -v shows all\n",
			reading->recording.path, nr - MAX_PROBLEMS);
}
