// SPDX-License-Identifier: GPL-2.0
/*
 * report_header.c - the header of a recording as text: machine, command and events, in lines
 * as perf has them.
 *
 * Contexts: any; nothing is changed.
 */
#include "report/report_header.h"

static void add_line(struct lw_strbuf *out, const char *name, const char *value)
{
	if (!value)
		return;
	lw_strbuf_str(out, "# ");
	lw_strbuf_str(out, name);
	lw_strbuf_str(out, " : ");
	lw_strbuf_printable(out, value);
	lw_strbuf_char(out, '\n');
}

/* Nanoseconds as seconds, with as many digits as samples are shown with. */
static void add_time(struct lw_strbuf *out, const char *name, u64 time)
{
	char text[32];

	snprintf(text, sizeof(text), "%llu.%06llu", time / NSEC_PER_SEC,
		 time % NSEC_PER_SEC / 1000);
	add_line(out, name, text);
}

static void add_event(struct lw_strbuf *out, const struct lw_perf_event *event)
{
	const struct perf_event_attr *attr = &event->attr;
	char text[128];

	lw_strbuf_str(out, "# event : name = ");
	lw_strbuf_printable(out, event->name);
	snprintf(text, sizeof(text), ", type = %u, config = %#llx, %s = %llu\n", attr->type,
		 attr->config, attr->freq ? "sample_freq" : "sample_period", attr->sample_period);
	lw_strbuf_str(out, text);
}

/**
 * lw_report_header - add the header of a recording
 * @file: opened
 * @out: where the lines are added, each with a '#'; what the file does not tell is left out
 */
void lw_report_header(const struct lw_perf_reader *file, struct lw_strbuf *out)
{
	const struct lw_perf_info *info = lw_perf_reader_info(file);
	char number[16];

	lw_strbuf_str(out, "# ========\n");
	add_line(out, "hostname", info->hostname);
	add_line(out, "os release", info->osrelease);
	add_line(out, "perf version", info->version);
	add_line(out, "arch", info->arch);
	snprintf(number, sizeof(number), "%u", info->nr_cpus);
	add_line(out, "nrcpus online", info->nr_cpus ? number : NULL);
	add_line(out, "cpudesc", info->cpudesc);
	add_line(out, "cmdline", info->cmdline);
	for (u32 i = 0; i < lw_perf_reader_nr_events(file); i++)
		add_event(out, lw_perf_reader_event(file, i));
	if (info->first_time || info->last_time) {
		add_time(out, "time of first sample", info->first_time);
		add_time(out, "time of last sample", info->last_time);
	}
	lw_strbuf_str(out, "# ========\n#\n");
}
