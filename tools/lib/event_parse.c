// SPDX-License-Identifier: GPL-2.0
/*
 * event_parse.c - from the text after -e to a perf_event_attr.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "elf_file.h"
#include "event_parse.h"

#define UPROBE_TYPE_FILE	"/sys/bus/event_source/devices/uprobe/type"

struct known_event {
	const char *name;
	u32 type;
	u64 config;
};

#define SOFT(name, config)	{ name, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##config }
#define HARD(name, config)	{ name, PERF_TYPE_HARDWARE, PERF_COUNT_HW_##config }

static const struct known_event known_events[] = {
	SOFT("cpu-clock", CPU_CLOCK),
	SOFT("task-clock", TASK_CLOCK),
	SOFT("page-faults", PAGE_FAULTS),
	SOFT("faults", PAGE_FAULTS),
	SOFT("minor-faults", PAGE_FAULTS_MIN),
	SOFT("major-faults", PAGE_FAULTS_MAJ),
	SOFT("context-switches", CONTEXT_SWITCHES),
	SOFT("cs", CONTEXT_SWITCHES),
	SOFT("cpu-migrations", CPU_MIGRATIONS),
	SOFT("migrations", CPU_MIGRATIONS),
	SOFT("alignment-faults", ALIGNMENT_FAULTS),
	SOFT("emulation-faults", EMULATION_FAULTS),
	SOFT("cgroup-switches", CGROUP_SWITCHES),
	HARD("cycles", CPU_CYCLES),
	HARD("cpu-cycles", CPU_CYCLES),
	HARD("instructions", INSTRUCTIONS),
	HARD("cache-references", CACHE_REFERENCES),
	HARD("cache-misses", CACHE_MISSES),
	HARD("branches", BRANCH_INSTRUCTIONS),
	HARD("branch-instructions", BRANCH_INSTRUCTIONS),
	HARD("branch-misses", BRANCH_MISSES),
	HARD("bus-cycles", BUS_CYCLES),
	HARD("ref-cycles", REF_CPU_CYCLES),
	HARD("stalled-cycles-frontend", STALLED_CYCLES_FRONTEND),
	HARD("stalled-cycles-backend", STALLED_CYCLES_BACKEND),
};

/**
 * lw_event_help - the list of what -e takes
 *
 * Return: lines of text.
 */
const char *lw_event_help(void)
{
	return
"  software    cpu-clock task-clock page-faults minor-faults major-faults\n"
"              context-switches cpu-migrations alignment-faults\n"
"              emulation-faults cgroup-switches\n"
"  hardware    cycles instructions cache-references cache-misses branches\n"
"              branch-misses bus-cycles ref-cycles stalled-cycles-frontend\n"
"              stalled-cycles-backend, or raw: rHEX\n"
"  tracepoint  SYSTEM:NAME, such as sched:sched_switch\n"
"  uprobe      PATH:SYMBOL or PATH:0xOFFSET (offset in the file; PATH has a '/')\n"
"  each with :u (user only) or :k (kernel only) behind it\n";
}

static int bad_event(int err, const char *text, const char *why)
{
	return lw_fail(err, "event '%s': %s\n  Known events:\n%s", text, why, lw_event_help());
}

/* "name:u" becomes "name"; what the modifier says goes to the attributes. */
static void take_modifier(char *name, struct perf_event_attr *attr, bool needs_colon)
{
	char *colon = strrchr(name, ':');

	if (!colon || !colon[1] || strspn(colon + 1, "uk") != strlen(colon + 1))
		return;
	if (needs_colon && !memchr(name, ':', colon - name))
		return;
	attr->exclude_kernel = !strchr(colon + 1, 'k');
	attr->exclude_hv = attr->exclude_kernel;
	attr->exclude_user = !strchr(colon + 1, 'u');
	*colon = 0;
}

static int parse_known(struct lw_event *event, const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(known_events); i++) {
		if (strcmp(known_events[i].name, name))
			continue;
		event->attr.type = known_events[i].type;
		event->attr.config = known_events[i].config;
		return 0;
	}
	return -ENOENT;
}

static int parse_raw(struct lw_event *event, const char *name)
{
	char *end;

	if (name[0] != 'r' || !name[1] || strspn(name + 1, "0123456789abcdefABCDEF") !=
	    strlen(name + 1))
		return -ENOENT;
	errno = 0;
	event->attr.type = PERF_TYPE_RAW;
	event->attr.config = strtoull(name + 1, &end, 16);
	return errno ? -errno : 0;
}

static int read_tracepoint_id(const char *root, const char *system, const char *name, u64 *id)
{
	char path[512], text[32];
	ssize_t got;

	snprintf(path, sizeof(path), "%s/events/%s/%s/id", root, system, name);
	got = lw_read_file(path, text, sizeof(text));
	if (got < 0)
		return got;
	text[strcspn(text, "\n")] = 0;
	return lw_parse_u64(text, id);
}

static int parse_tracepoint(struct lw_event *event, const char *text, char *name)
{
	char *colon = strchr(name, ':');
	u64 id = 0;
	int ret;

	*colon = 0;
	if (!colon[1] || strchr(colon + 1, ':') || strchr(name, '.') || strchr(colon, '.'))
		return bad_event(-EINVAL, text, "no tracepoint is named like that");
	ret = read_tracepoint_id("/sys/kernel/tracing", name, colon + 1, &id);
	if (ret)
		ret = read_tracepoint_id("/sys/kernel/debug/tracing", name, colon + 1, &id);
	if (ret == -EACCES || ret == -EPERM)
		return lw_fail(ret, "event '%s': cannot read tracefs: %s\n"
			       "  Run it as root.", text, strerror(-ret));
	if (ret)
		return lw_fail(ret, "event '%s': no tracepoint %s:%s\n"
			       "  Is tracefs mounted? If not: 'mount -t tracefs none /sys/kernel/tracing'.\n"
			       "  Which there are is in /sys/kernel/tracing/available_events.",
			       text, name, colon + 1);
	event->attr.type = PERF_TYPE_TRACEPOINT;
	event->attr.config = id;
	event->counted = true;
	return 0;
}

static int probe_offset(const char *text, const char *path, const char *where, u64 *offset)
{
	struct lw_elf file;
	int ret;

	if (where[0] >= '0' && where[0] <= '9') {
		ret = lw_parse_u64(where, offset);
		return ret ? bad_event(ret, text, "the offset is not a number") : 0;
	}
	ret = lw_elf_open(&file, path);
	if (ret)
		return lw_fail(ret, "event '%s': cannot read %s: %s", text, path,
			       ret == -ENOEXEC ? "not an ELF file" : strerror(-ret));
	ret = lw_elf_symbol_to_offset(&file, where, offset);
	lw_elf_close(&file);
	if (ret)
		return lw_fail(ret, "event '%s': %s has no function '%s' in its symbol tables\n"
			       "  'nm %s' lists them; a stripped file needs PATH:0xOFFSET.",
			       text, path, where, path);
	return 0;
}

static int parse_uprobe(struct lw_event *event, const char *text, char *name)
{
	char *colon = strrchr(name, ':');
	char number[32];
	u64 type, offset;
	int ret;

	if (!colon || !colon[1] || colon == name)
		return bad_event(-EINVAL, text, "a uprobe is PATH:SYMBOL or PATH:0xOFFSET");
	*colon = 0;
	if (lw_read_file(UPROBE_TYPE_FILE, number, sizeof(number)) < 0)
		return lw_fail(-EOPNOTSUPP, "event '%s': this kernel has no uprobes (no %s)\n"
			       "  It needs CONFIG_UPROBE_EVENTS.", text, UPROBE_TYPE_FILE);
	number[strcspn(number, "\n")] = 0;
	ret = lw_parse_u64(number, &type);
	if (!ret)
		ret = probe_offset(text, name, colon + 1, &offset);
	if (ret)
		return ret;
	event->probe_path = realpath(name, NULL);
	if (!event->probe_path)
		return lw_fail(-errno, "event '%s': no file %s: %s", text, name, strerror(errno));
	event->attr.type = type;
	event->attr.uprobe_path = (unsigned long)event->probe_path;
	event->attr.probe_offset = offset;
	event->counted = true;
	return 0;
}

static int parse_name(struct lw_event *event, const char *text, char *name)
{
	bool probe = strchr(name, '/');

	if (probe) {
		take_modifier(name, &event->attr, true);
		return parse_uprobe(event, text, name);
	}
	take_modifier(name, &event->attr, false);
	if (!parse_known(event, name) || !parse_raw(event, name))
		return 0;
	if (strchr(name, ':'))
		return parse_tracepoint(event, text, name);
	return bad_event(-ENOENT, text, "not known");
}

/**
 * lw_event_parse - read an event's text
 * @event: out; free it with lw_event_free()
 * @text: as lw_event_help() describes
 *
 * Return: 0 or -errno with lw_fail_text().
 */
int lw_event_parse(struct lw_event *event, const char *text)
{
	char *name = strdup(text);
	int ret;

	memset(event, 0, sizeof(*event));
	event->name = strdup(text);
	event->attr.size = sizeof(event->attr);
	event->attr.disabled = 1;
	if (!name || !event->name)
		ret = lw_fail(-ENOMEM, "out of memory");
	else
		ret = parse_name(event, text, name);
	free(name);
	if (ret)
		lw_event_free(event);
	return ret;
}

/**
 * lw_event_set_rate - how often an event becomes a sample
 * @event: parsed
 * @rate: a period wins over a frequency; tracepoints and probes do not take
 *	a frequency: each hit is a sample.  Off-CPU takes neither
 */
void lw_event_set_rate(struct lw_event *event, const struct lw_event_rate *rate)
{
	if (event->off_cpu) {
		event->attr.freq = 0;
		event->attr.sample_period = 1;
	} else if (rate->period || event->counted) {
		event->attr.freq = 0;
		event->attr.sample_period = rate->period ? rate->period : 1;
	} else {
		event->attr.freq = 1;
		event->attr.sample_freq = rate->freq;
	}
}

/**
 * lw_event_take_off_cpu - let the samples of a switch stand for the time blocked
 * @event: parsed
 *
 * Return: false if the event is no switch: it stays what it is.
 */
bool lw_event_take_off_cpu(struct lw_event *event)
{
	char *name;

	if (strcmp(event->name, LW_OFF_CPU_EVENT))
		return false;
	name = strdup("off-cpu");
	if (name) {
		free(event->name);
		event->name = name;
	}
	event->off_cpu = true;
	return true;
}

/**
 * lw_event_free - free what lw_event_parse() made
 * @event: parsed
 */
void lw_event_free(struct lw_event *event)
{
	free(event->name);
	free(event->probe_path);
	event->name = NULL;
	event->probe_path = NULL;
}
