// SPDX-License-Identifier: GPL-2.0
/*
 * cmd_script.c - latewind script: each sample of a recording, as perf script has them.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/exit.h"
#include "base/strbuf.h"
#include "cmd/read_options.h"
#include "cmd/read_profile.h"
#include "cmd/verbs.h"

#define FLUSH_AT	(256U << 10)

enum field {
	FIELD_COMM	= 1 << 0,
	FIELD_TID	= 1 << 1,
	FIELD_PID	= 1 << 2,
	FIELD_TIME	= 1 << 3,
	FIELD_CPU	= 1 << 4,
	FIELD_EVENT	= 1 << 5,
	FIELD_PERIOD	= 1 << 6,
	FIELD_IP	= 1 << 7,
	FIELD_SYM	= 1 << 8,
	FIELD_SYMOFF	= 1 << 9,
	FIELD_DSO	= 1 << 10,
	FIELD_ADDR	= 1 << 11,
	FIELD_SRCLINE	= 1 << 12,
	FIELD_CGROUP	= 1 << 13,
	FIELD_TRACE	= 1 << 14,
};

static const struct {
	const char *name;
	u32 field;
} field_names[] = {
	{ "comm", FIELD_COMM }, { "tid", FIELD_TID }, { "pid", FIELD_PID }, { "time", FIELD_TIME },
	{ "cpu", FIELD_CPU }, { "event", FIELD_EVENT }, { "period", FIELD_PERIOD },
	{ "ip", FIELD_IP }, { "sym", FIELD_SYM }, { "symoff", FIELD_SYMOFF },
	{ "dso", FIELD_DSO }, { "addr", FIELD_ADDR }, { "srcline", FIELD_SRCLINE },
	{ "cgroup", FIELD_CGROUP }, { "trace", FIELD_TRACE },
};

#define DEFAULT_FIELDS	(FIELD_COMM | FIELD_TID | FIELD_CPU | FIELD_TIME | FIELD_EVENT | \
			 FIELD_PERIOD | FIELD_IP | FIELD_SYM | FIELD_SYMOFF | FIELD_DSO | \
			 FIELD_TRACE)

struct script {
	struct lw_reading reading;
	struct lw_recording *recording;
	u32 fields;
	u32 name_width;			/* of the longest event's name */
	struct lw_strbuf out;
	size_t begin;			/* of the sample in @out */
	bool has_dso;			/* of those that are asked for */
	bool has_symbol;		/* likewise, of its first frame */
	bool is_first;			/* the next frame is it */
	bool hide_chains;
	bool ns;			/* times to the nanosecond, not microsecond */
	bool reltime, deltatime;	/* times since the first sample, or the one before */
	u64 since;			/* which time that is */
	bool has_since;
	bool all_same;			/* fields of all kinds of events are those asked for */
	bool hide_period;		/* it is of a tracepoint, where perf does not show it */
	bool lone;			/* no chain: the frame is on the sample's line */
};

enum {
	OPT_NS = 256,
	OPT_RELTIME,
	OPT_DELTATIME,
};

static const struct lw_option own_options[] = {
	{ .help = "" },
	{ 'F', "fields", "LIST", "what is shown, with commas between: comm, tid, pid, time,\n"
	  "cpu, event, period, ip, sym, symoff, dso, addr, srcline,\n"
	  "cgroup, trace (what a tracepoint has told);\n"
	  "+NAME and -NAME change what is shown by default" },
	{ 'G', "hide-call-graph", NULL, "only where a sample was taken, on its line" },
	{ OPT_NS, "ns", NULL, "times to the nanosecond" },
	{ OPT_RELTIME, "reltime", NULL, "times since the first sample" },
	{ OPT_DELTATIME, "deltatime", NULL, "times since the sample before" },
	{ }
};

static int find_field(const char *text, size_t len, u32 *field)
{
	for (size_t i = 0; i < ARRAY_SIZE(field_names); i++) {
		if (strlen(field_names[i].name) == len &&
		    !strncmp(field_names[i].name, text, len)) {
			*field = field_names[i].field;
			return 0;
		}
	}
	return lw_fail(-EINVAL, "option --fields: '%.*s' is no field", (int)len, text);
}

static int take_fields(struct script *script, const char *text)
{
	u32 fields = text[0] == '+' || text[0] == '-' ? script->fields : 0, field = 0;

	script->all_same |= !fields;
	for (;;) {
		bool change = text[0] == '+' || text[0] == '-', minus = text[0] == '-';
		size_t len = strcspn(text += change, ",");

		if (find_field(text, len, &field))
			return -EINVAL;
		fields = minus ? fields & ~field : fields | field;
		if (!text[len])
			break;
		text += len + 1;
	}
	script->fields = fields;
	return 0;
}

static int take_option(void *context, int option, const char *arg)
{
	struct script *script = context;

	switch (option) {
	case 'F':
		return take_fields(script, arg);
	case 'G':
		script->hide_chains = true;
		return 0;
	case OPT_NS:
		script->ns = true;
		return 0;
	case OPT_RELTIME:
	case OPT_DELTATIME:
		script->reltime = option == OPT_RELTIME;
		script->deltatime = option == OPT_DELTATIME;
		return 0;
	}
	return lw_reading_option(&script->reading, option, arg);
}

static int parse(struct script *script, int argc, char **argv)
{
	int ret = lw_verb_parse(&lw_verb_script, argc, argv, take_option, script);

	if (ret)
		return ret;
	ret = lw_reading_name(&script->reading, argc, argv);
	if (ret)
		return ret;
	if (script->fields & FIELD_SRCLINE || script->reading.verbose)
		script->fields |= script->reading.recording.inlined ? FIELD_SRCLINE : 0;
	return 0;
}

/* Blanks in front, so that it takes @width. */
static void put_right(struct lw_strbuf *out, const char *text, u32 width)
{
	size_t len = strlen(text);

	if (len < width)
		lw_strbuf_spaces(out, width - len);
	lw_strbuf_printable(out, text);
}

static void put_number(struct lw_strbuf *out, u64 value, u32 width)
{
	size_t begin = out->len;

	lw_strbuf_u64(out, value);
	lw_strbuf_right(out, begin, width);
}

static void put_address(struct lw_strbuf *out, u64 address)
{
	size_t begin = out->len;

	lw_strbuf_hex_digits(out, address);
	lw_strbuf_right(out, begin, 16);
}

static void put_ids(struct script *script, const struct lw_perf_record *sample)
{
	const u32 both = FIELD_PID | FIELD_TID;
	struct lw_strbuf *out = &script->out;
	size_t begin;

	if (!(script->fields & both))
		return;
	put_number(out, script->fields & FIELD_PID ? sample->pid : sample->tid, 7);
	if ((script->fields & both) == both) {
		lw_strbuf_char(out, '/');
		begin = out->len;
		lw_strbuf_u64(out, sample->tid);
		if (out->len - begin < 7)
			lw_strbuf_spaces(out, 7 - (out->len - begin));
	}
	lw_strbuf_char(out, ' ');
}

/* Return: the time that is shown of a sample. */
static u64 shown_time(struct script *script, u64 time)
{
	u64 since = script->has_since ? script->since : time;

	if (!script->reltime && !script->deltatime)
		return time;
	if (script->deltatime || !script->has_since)
		script->since = time;
	script->has_since = true;
	return time - since;
}

static void put_time(struct script *script, u64 time)
{
	struct lw_strbuf *out = &script->out;
	size_t begin = out->len;

	time = shown_time(script, time);
	lw_strbuf_u64(out, time / NSEC_PER_SEC);
	lw_strbuf_char(out, '.');
	if (script->ns)
		lw_strbuf_padded(out, time % NSEC_PER_SEC, 9);
	else
		lw_strbuf_padded(out, time % NSEC_PER_SEC / 1000, 6);
	lw_strbuf_right(out, begin, script->ns ? 15 : 12);
	lw_strbuf_str(out, ": ");
}

static void put_cpu(struct lw_strbuf *out, u32 cpu)
{
	lw_strbuf_char(out, '[');
	lw_strbuf_padded(out, cpu, 3);
	lw_strbuf_str(out, "] ");
}

static void put_trace(struct script *script, const struct lw_perf_record *sample)
{
	lw_recording_fields(script->recording, sample, &script->out);
}

static void put_head(struct script *script, const struct lw_perf_record *sample)
{
	const struct perf_event_attr *attr = &sample->event->attr;
	struct lw_strbuf *out = &script->out;

	if (script->fields & FIELD_COMM) {
		put_right(out, lw_recording_comm(script->recording, sample),
			  script->lone ? 16 : 0);
		lw_strbuf_char(out, ' ');
	}
	put_ids(script, sample);
	if (script->fields & FIELD_CPU && attr->sample_type & PERF_SAMPLE_CPU)
		put_cpu(out, sample->cpu);
	if (script->fields & FIELD_TIME && attr->sample_type & PERF_SAMPLE_TIME)
		put_time(script, sample->time);
	if (script->fields & FIELD_PERIOD && !script->hide_period) {
		put_number(out, sample->period, 10);
		lw_strbuf_char(out, ' ');
	}
	if (script->fields & FIELD_EVENT) {
		put_right(out, sample->event->name, script->name_width);
		lw_strbuf_str(out, ": ");
	}
	if (script->fields & FIELD_TRACE)
		put_trace(script, sample);
	if (script->fields & FIELD_ADDR) {
		put_address(out, sample->addr);
		lw_strbuf_char(out, ' ');
	}
}

static void put_symbol(struct script *script, const struct lw_place *place)
{
	const char *symbol = lw_place_symbol(place);

	if (!(script->fields & FIELD_SYM))
		return;
	lw_strbuf_char(&script->out, ' ');
	lw_strbuf_printable(&script->out, symbol ? symbol : "[unknown]");
	if (script->fields & FIELD_SYMOFF && symbol && !place->inlined) {
		lw_strbuf_str(&script->out, "+0x");
		lw_strbuf_hex_digits(&script->out, place->offset);
	}
}

static void put_source(struct script *script, const struct lw_place *place)
{
	if (!(script->fields & FIELD_SRCLINE) || !place->file)
		return;
	lw_strbuf_str(&script->out, "\n  ");
	lw_strbuf_printable(&script->out, place->file);
	lw_strbuf_char(&script->out, ':');
	lw_strbuf_u64(&script->out, place->line);
}

static void put_place(struct script *script, const struct lw_frame *frame,
		      const struct lw_place *place)
{
	if (!script->lone)
		lw_strbuf_char(&script->out, '\t');
	if (script->fields & FIELD_IP)
		put_address(&script->out, frame->ip);
	put_symbol(script, place);
	if (script->fields & FIELD_DSO && !place->inlined) {
		lw_strbuf_str(&script->out, " (");
		lw_strbuf_printable(&script->out, place->dso);
		lw_strbuf_char(&script->out, ')');
	}
	if (place->inlined)
		lw_strbuf_str(&script->out, " (inlined)");
	put_source(script, place);
	if (!script->lone)
		lw_strbuf_char(&script->out, '\n');
}

static int put_frame(void *ctx, const struct lw_frame *frame)
{
	struct script *script = ctx;

	if (script->is_first)
		script->has_symbol = lw_reading_is_symbol(&script->reading,
							  &frame->places[frame->nr - 1]);
	script->is_first = false;
	for (u32 i = 0; i < frame->nr; i++) {
		script->has_dso |= lw_reading_is_dso(&script->reading, frame->places[i].dso);
		put_place(script, frame, &frame->places[i]);
	}
	return 0;
}

static int flush(struct script *script)
{
	script->begin = 0;
	return lw_flush_output(&script->out);
}

/* As perf has it, behind the frames. */
static void put_cgroup(struct script *script, const struct lw_perf_record *sample)
{
	const char *cgroup = lw_recording_cgroup(script->recording, sample);

	lw_strbuf_char(&script->out, ' ');
	lw_strbuf_printable(&script->out, cgroup ? cgroup : "unknown");
}

/* Without what there is of its callers. */
static struct lw_perf_record lone_sample(const struct lw_perf_record *sample)
{
	struct lw_perf_record lone = *sample;

	lone.chain = NULL;
	lone.nr_chain = 0;
	lone.regs = NULL;
	lone.nr_branches = 0;
	return lone;
}

static void put_frames(struct script *script, const struct lw_perf_record *sample)
{
	const struct lw_perf_record lone = lone_sample(sample);

	script->is_first = true;
	lw_strbuf_char(&script->out, script->lone ? ' ' : '\n');
	lw_recording_frames(script->recording, script->lone ? &lone : sample, put_frame, script);
}

static int put_sample(void *ctx, const struct lw_perf_record *sample)
{
	const u32 of_frames = FIELD_IP | FIELD_SYM | FIELD_DSO;
	struct script *script = ctx;
	u64 since = script->since;
	bool has_since = script->has_since;

	if (!lw_reading_wants(&script->reading, script->recording, sample))
		return 0;
	script->begin = script->out.len;
	script->has_dso = !script->reading.dso;
	script->has_symbol = !script->reading.symbol;
	script->lone = !sample->chain || script->hide_chains;
	script->hide_period = !script->all_same &&
			      sample->event->attr.type == PERF_TYPE_TRACEPOINT;
	put_head(script, sample);
	if (script->fields & of_frames || script->reading.dso || script->reading.symbol)
		put_frames(script, sample);
	if (script->fields & FIELD_CGROUP)
		put_cgroup(script, sample);
	lw_strbuf_char(&script->out, '\n');
	if (!script->has_dso || !script->has_symbol) {
		script->out.len = script->begin;
		script->since = since;
		script->has_since = has_since;
	}
	return script->out.len >= FLUSH_AT ? flush(script) : 0;
}

static int print_all(struct script *script)
{
	const struct lw_perf_reader *file = lw_recording_file(script->recording);
	int ret;

	for (u32 i = 0; i < lw_perf_reader_nr_events(file); i++) {
		size_t len = strlen(lw_perf_reader_event(file, i)->name);

		if (len > script->name_width)
			script->name_width = len;
	}
	ret = lw_recording_read(script->recording, put_sample, script);
	return ret ? ret : flush(script);
}

static int run(struct script *script)
{
	int ret;

	if (script->reading.header_only)
		return lw_reading_header_only(&script->reading);
	ret = lw_recording_open(&script->recording, &script->reading.recording);
	script->reading.by_cgroup = script->fields & FIELD_CGROUP;
	if (ret)
		return ret;
	ret = lw_reading_header(&script->reading, script->recording);
	if (!ret)
		ret = print_all(script);
	lw_reading_end(&script->reading, script->recording);
	lw_recording_close(script->recording);
	lw_strbuf_free(&script->out);
	return ret;
}

static int run_verb(const struct lw_verb *verb, int argc, char **argv)
{
	struct script script = { .fields = DEFAULT_FIELDS };
	int ret;

	lw_reading_init(&script.reading);
	ret = parse(&script, argc, argv);
	if (ret)
		return lw_verb_end(verb, ret);
	lw_reading_use_terminal(&script.reading);
	if (run(&script)) {
		fprintf(stderr, "latewind: %s\n", lw_fail_text());
		return LW_EXIT_FAILURE;
	}
	return LW_EXIT_OK;
}

const struct lw_verb lw_verb_script = {
	.name = "script",
	.summary = "print the samples of a perf.data file",
	.usage = "[OPTION]... [FILE]",
	.about = "Prints each sample of a perf.data file, of 'latewind record' or 'perf record',\n"
		 "in the order of time and as perf script does.",
	.tables = { own_options, lw_reading_options },
	.bit = LW_VERB_SCRIPT,
	.run = run_verb,
};
