// SPDX-License-Identifier: GPL-2.0
/*
 * event_parse.c - from the text after -e to a perf_event_attr.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/did_you_mean.h"
#include "events/event_cache.h"
#include "events/event_modifiers.h"
#include "events/event_parse.h"
#include "events/event_pmu.h"
#include "events/event_probe.h"
#include "events/event_tracepoint.h"

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
 * lw_event_known - go through the events that have a name of their own
 * @index: from 0 on
 * @type: out: PERF_TYPE_SOFTWARE or PERF_TYPE_HARDWARE
 * @alias: out: what event @index + 1 is, too, or NULL; it comes in its turn all the same
 *
 * Return: the name, or NULL: there are no more.
 */
const char *lw_event_known(u32 index, u32 *type, const char **alias)
{
	const struct known_event *event = &known_events[index], *next = event + 1;

	if (index >= ARRAY_SIZE(known_events))
		return NULL;
	*type = event->type;
	*alias = index + 1 < ARRAY_SIZE(known_events) && next->type == event->type &&
		 next->config == event->config ? next->name : NULL;
	return event->name;
}

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
"  cache       CACHE-OPERATION[-misses], such as L1-dcache-load-misses\n"
"  PMU         PMU/TERM[=VALUE],.../, such as cpu/event=0x3c,umask=0/, or a name in\n"
"              /sys/bus/event_source/devices/PMU/events\n"
"  tracepoint  SYSTEM:NAME, such as sched:sched_switch; with * ? [] several\n"
"  uprobe      PATH:SYMBOL, PATH:SYMBOL+OFFSET or PATH:0xOFFSET (offset in the\n"
"              file; PATH has a '/'); append %return for its return\n"
"  USDT        PATH:PROVIDER:NAME, or sdt:PROVIDER:NAME in whatever file of the\n"
"              command or process\n"
"  kprobe      kprobe:FUNCTION or kprobe:FUNCTION+OFFSET; append %return likewise\n"
"  each with :u (user only) or :k (kernel only) behind it; several with commas;\n"
"  those of hardware also with :p :pp :ppp :P (precise), :G :H (guest, host only)\n";
}

static int bad_event(int err, const char *text, const char *why)
{
	return lw_fail(err, "event '%s': %s\n  Known events:\n%s", text, why, lw_event_help());
}

/*
 * "name:u" becomes "name"; what the modifier says goes to the attributes.  The last part of
 * a probe is a name, which few letters are taken from.
 */
static void take_modifier(struct lw_event *event, char *name, bool is_probe)
{
	char *colon = strrchr(name, ':');

	if (!colon || !colon[1] ||
	    (is_probe && strspn(colon + 1, "uk") != strlen(colon + 1)) ||
	    lw_event_modifiers(event, colon + 1))
		return;
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

static int no_tracepoint(int err, const char *text, const char *system, const char *name)
{
	const char *root = lw_tracefs();
	struct lw_did_you_mean near;

	if (err == -EACCES || err == -EPERM)
		return lw_fail(err, "event '%s': cannot read tracefs: %s\n"
			       "  Run it as root.", text, strerror(-err));
	return lw_fail(err, "event '%s': no tracepoint %s:%s\n"
		       "%s%s  Which there are is in /sys/kernel/tracing/available_events.",
		       text, system, name, lw_tracepoint_near(root, system, name, &near),
		       lw_tracefs_hint(root));
}

static int parse_tracepoint(struct lw_event *event, const char *text, char *name)
{
	char *colon = strchr(name, ':');
	u64 id = 0;
	int ret;

	if (!colon || !colon[1] || strchr(colon + 1, ':') || strpbrk(name, "./"))
		return bad_event(-EINVAL, text, "no tracepoint is named like that");
	*colon = 0;
	ret = lw_tracepoint_id(lw_tracefs(), name, colon + 1, &id);
	if (ret)
		return no_tracepoint(ret, text, name, colon + 1);
	event->attr.type = PERF_TYPE_TRACEPOINT;
	event->attr.config = id;
	event->counted = true;
	if (asprintf(&event->tracepoint, "%s/%s", name, colon + 1) < 0) {
		event->tracepoint = NULL;
		return lw_fail(-ENOMEM, "out of memory");
	}
	return 0;
}

enum kind {
	KIND_ANY,
	KIND_TRACEPOINT,
	KIND_UPROBE,
	KIND_URETPROBE,
	KIND_KPROBE,
	KIND_KRETPROBE,
	KIND_USDT,
};

/* As bpftrace has them, short and long. */
static const struct {
	const char *prefix;
	enum kind kind;
} prefixes[] = {
	{ "tracepoint:", KIND_TRACEPOINT },	{ "t:", KIND_TRACEPOINT },
	{ "uprobe:", KIND_UPROBE },		{ "u:", KIND_UPROBE },
	{ "uretprobe:", KIND_URETPROBE },	{ "ur:", KIND_URETPROBE },
	{ "kprobe:", KIND_KPROBE },		{ "k:", KIND_KPROBE },
	{ "kretprobe:", KIND_KRETPROBE },	{ "kr:", KIND_KRETPROBE },
	{ "usdt:", KIND_USDT },			{ "U:", KIND_USDT },
};

static u32 count_colons(const char *name)
{
	u32 nr = 0;

	while ((name = strchr(name, ':'))) {
		name++;
		nr++;
	}
	return nr;
}

/* The part of a name after its directories, whose names may have colons. */
static const char *last_part(const char *name)
{
	const char *slash = strrchr(name, '/');

	return slash ? slash + 1 : name;
}

static enum kind take_prefix(char **name)
{
	for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++) {
		size_t len = strlen(prefixes[i].prefix);

		if (!strncmp(*name, prefixes[i].prefix, len)) {
			*name += len;
			return prefixes[i].kind;
		}
	}
	return strchr(*name, '/') ? KIND_UPROBE : KIND_ANY;
}

static int parse_counter(struct lw_event *event, const char *name)
{
	if (!parse_known(event, name) || !parse_raw(event, name) || !lw_event_cache(event, name))
		return 0;
	return lw_event_pmu_alias(event, LW_PMU_DIR, name);
}

static int parse_any(struct lw_event *event, const char *text, char *name)
{
	const char *colon = strchr(name, ':');
	struct lw_did_you_mean near;

	if (!parse_counter(event, name))
		return 0;
	if (colon && !parse_counter(event, strndupa(name, colon - name)))
		return lw_fail(-EINVAL, "event '%s': '%s' are no modifiers\n" LW_MODIFIER_HELP,
			       text, colon + 1);
	if (colon)
		return parse_tracepoint(event, text, name);
	lw_did_you_mean_init(&near, name);
	for (size_t i = 0; i < ARRAY_SIZE(known_events); i++)
		lw_did_you_mean_offer(&near, known_events[i].name);
	return lw_fail(-ENOENT, "event '%s': not known\n%s  Known events:\n%s", text,
		       lw_did_you_mean_text(&near), lw_event_help());
}

static int parse_name(struct lw_event *event, const char *text, char *name)
{
	size_t pmu_len = lw_event_pmu_len(name);
	enum kind kind;
	u32 least;

	if (pmu_len && !name[pmu_len])
		return lw_event_pmu(event, LW_PMU_DIR, text);
	kind = take_prefix(&name);
	/* that a modifier can follow: it may look like the name itself */
	least = kind == KIND_USDT ? 3 : kind == KIND_UPROBE || kind == KIND_URETPROBE ||
		kind == KIND_TRACEPOINT ? 2 : 1;
	if (count_colons(last_part(name)) >= least)
		take_modifier(event, name, kind != KIND_ANY && kind != KIND_TRACEPOINT);
	switch (kind) {
	case KIND_TRACEPOINT:
		return parse_tracepoint(event, text, name);
	case KIND_UPROBE:
		if (count_colons(last_part(name)) == 2)
			return lw_event_probe_usdt(event, text, name);
		return lw_event_probe_user(event, text, name, false);
	case KIND_URETPROBE:
		return lw_event_probe_user(event, text, name, true);
	case KIND_KPROBE:
		return lw_event_probe_kernel(event, text, name, false);
	case KIND_KRETPROBE:
		return lw_event_probe_kernel(event, text, name, true);
	case KIND_USDT:
		return lw_event_probe_usdt(event, text, name);
	default:
		return parse_any(event, text, name);
	}
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
 * lw_event_aim - the attributes for one of an event's places
 * @event: parsed
 * @index: of the place; 0 for an event that has none
 * @attr: out; may be the event's own, and points to what the event owns
 */
void lw_event_aim(const struct lw_event *event, u32 index, struct perf_event_attr *attr)
{
	const struct lw_probe_place *place;

	if (attr != &event->attr)
		*attr = event->attr;
	if (!event->nr_places)
		return;
	place = &event->places[index];
	/* kprobe_func and uprobe_path are the same word */
	attr->uprobe_path = (unsigned long)place->name;
	attr->probe_offset = place->offset;
	attr->config = event->at_return | place->semaphore << 32;
}

/**
 * lw_event_set_rate - how often an event becomes a sample
 * @event: parsed
 * @rate: a period wins over a frequency; tracepoints and probes do not take
 *	a frequency: each hit is a sample.  Off-CPU takes neither, and what the event's
 *	text says comes first
 */
void lw_event_set_rate(struct lw_event *event, const struct lw_event_rate *rate)
{
	if (event->rate.period || event->rate.freq)
		rate = &event->rate;
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
 * lw_event_has_fields - has it more to tell than that it hit?
 * @event: parsed
 *
 * Return: true if it is a tracepoint and stands for itself.
 */
bool lw_event_has_fields(const struct lw_event *event)
{
	return event->tracepoint && !event->off_cpu;
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
 * lw_event_less_precise - another try, after the kernel has refused an event
 * @event: parsed
 *
 * Return: true if the event has become less precise, as ":P" allows.
 */
bool lw_event_less_precise(struct lw_event *event)
{
	if (!event->as_precise_as_can_be || !event->attr.precise_ip)
		return false;
	event->attr.precise_ip--;
	return true;
}

/**
 * lw_event_free - free what lw_event_parse() made
 * @event: parsed
 */
void lw_event_free(struct lw_event *event)
{
	while (event->nr_places)
		free(event->places[--event->nr_places].name);
	free(event->places);
	free(event->name);
	free(event->tracepoint);
	event->places = NULL;
	event->name = NULL;
	event->tracepoint = NULL;
}
