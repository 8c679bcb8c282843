// SPDX-License-Identifier: GPL-2.0
/*
 * perf_writer_features.c - what a perf.data file tells of itself and the machine.
 *
 * Each feature is made in memory, and is a section of a file or a record in a pipe.
 * Features that this machine does not tell are left out.
 *
 * Contexts: one thread per file.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "perf/perf_writer_features.h"

#define STRING_ALIGN	64
#define CPUINFO		"/proc/cpuinfo"

enum feature {
	FEATURE_HOSTNAME	= 3,
	FEATURE_OSRELEASE	= 4,
	FEATURE_VERSION		= 5,
	FEATURE_ARCH		= 6,
	FEATURE_NRCPUS		= 7,
	FEATURE_CPUDESC		= 8,
	FEATURE_CPUID		= 9,
	FEATURE_TOTAL_MEM	= 10,
	FEATURE_CMDLINE		= 11,
	FEATURE_EVENT_DESC	= 12,
	FEATURE_SAMPLE_TIME	= 21,
	FEATURE_CLOCKID		= 23,
	FEATURE_BPF_PROG_INFO	= 25,
	FEATURE_BPF_BTF		= 26,
	FEATURE_COMPRESSED	= 27,
	FEATURE_CLOCK_DATA	= 29,
};

static void put(FILE *to, const void *data, size_t len)
{
	if (len)
		fwrite_unlocked(data, len, 1, to);
}

static void put_u32(FILE *to, u32 value)
{
	put(to, &value, sizeof(value));
}

static void put_u64(FILE *to, u64 value)
{
	put(to, &value, sizeof(value));
}

static void put_string(FILE *to, const char *text)
{
	static const char zeros[STRING_ALIGN];
	u32 len = strlen(text) + 1, room = ALIGN_UP(len, STRING_ALIGN);

	put_u32(to, room);
	put(to, text, len);
	put(to, zeros, room - len);
}

static void put_cmdline(FILE *to, const struct lw_perf_writer *out)
{
	put_u32(to, out->argc);
	for (int i = 0; i < out->argc; i++)
		put_string(to, out->argv[i]);
}

static void put_event_desc(FILE *to, const struct lw_perf_writer *out)
{
	put_u32(to, out->nr_events);
	put_u32(to, LW_PERFDATA_ATTR_SIZE);
	for (u32 i = 0; i < out->nr_events; i++) {
		const struct lw_perf_writer_event *event = &out->events[i];

		put(to, &event->attr, LW_PERFDATA_ATTR_SIZE);
		put_u32(to, event->nr_ids);
		put_string(to, event->name);
		put(to, event->ids, event->nr_ids * sizeof(u64));
	}
}

/* The highest CPU number that there is, plus 1: readers have arrays of that size. */
static u32 nr_present_cpus(void)
{
	char text[4096], *last;

	if (lw_read_file("/sys/devices/system/cpu/present", text, sizeof(text)) <= 0)
		return sysconf(_SC_NPROCESSORS_CONF);
	/* "0-3,8-11" */
	last = text + strlen(text);
	while (last > text && last[-1] != '-' && last[-1] != ',')
		last--;
	return strtoul(last, NULL, 10) + 1;
}

static void put_nr_cpus(FILE *to)
{
	/* the order in the file is available, online */
	put_u32(to, nr_present_cpus());
	put_u32(to, sysconf(_SC_NPROCESSORS_ONLN));
}

/* The value of the first line "NAME : VALUE"; false if there is none. */
static bool cpuinfo(const char *name, char *value, size_t size)
{
	FILE *file = fopen(CPUINFO, "re");
	size_t room = 0, len = strlen(name);
	char *line = NULL, *colon;
	bool found = false;

	if (!file)
		return false;
	while (!found && getline(&line, &room, file) > 0) {
		if (strncmp(line, name, len))
			continue;
		colon = line + len + strspn(line + len, " \t");
		if (*colon != ':')
			continue;
		colon += 1 + strspn(colon + 1, " \t");
		colon[strcspn(colon, "\n")] = 0;
		snprintf(value, size, "%s", colon);
		found = true;
	}
	free(line);
	fclose(file);
	return found;
}

static void put_cpu_desc(FILE *to)
{
	char name[256];

	if (cpuinfo("model name", name, sizeof(name)))
		put_string(to, name);
}

/* perf's form of x86; others keep no such name in a file that all can read. */
static void put_cpu_id(FILE *to)
{
	char vendor[64], family[32], model[32], stepping[32], text[192];

	if (!cpuinfo("vendor_id", vendor, sizeof(vendor)) ||
	    !cpuinfo("cpu family", family, sizeof(family)) ||
	    !cpuinfo("model", model, sizeof(model)) ||
	    !cpuinfo("stepping", stepping, sizeof(stepping)))
		return;
	snprintf(text, sizeof(text), "%s,%s,%s,%s", vendor, family, model, stepping);
	put_string(to, text);
}

static u64 total_mem_kib(void)
{
	return (u64)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE) / 1024;
}

static u64 clock_resolution(void)
{
	struct timespec ts;

	if (clock_getres(CLOCK_MONOTONIC, &ts))
		return 1;
	return ts.tv_sec * NSEC_PER_SEC + ts.tv_nsec;
}

static void put_clock_data(FILE *to, const struct lw_perf_writer *out)
{
	put_u32(to, 1);		/* version */
	put_u32(to, CLOCK_MONOTONIC);
	put_u64(to, out->wall_time);
	put_u64(to, out->mono_time);
}

static void put_sample_time(FILE *to, const struct lw_perf_writer *out)
{
	put_u64(to, out->first_time);
	put_u64(to, out->last_time);
}

/* perf makes room for so many bytes to unpack a record. */
static void put_compressed(FILE *to, const struct lw_perf_writer *out)
{
	if (!out->zstd)
		return;
	put_u32(to, 1);		/* version */
	put_u32(to, 1);		/* zstd */
	put_u32(to, lw_zstd_writer_level(out->zstd));
	put_u32(to, lw_zstd_writer_ratio(out->zstd));
	put_u32(to, LW_PACK_BYTES);
}

static void put_feature(FILE *to, const struct lw_perf_writer *out, enum feature feature)
{
	struct utsname uts = { 0 };

	uname(&uts);
	switch ((u32)feature) {
	case LW_FEATURE_TRACING_DATA:
		return put(to, out->formats, out->formats_size);
	case LW_FEATURE_BUILD_ID:
		return lw_build_ids_write(out->build_ids, to);
	case FEATURE_HOSTNAME:
		return put_string(to, uts.nodename);
	case FEATURE_OSRELEASE:
		return put_string(to, uts.release);
	case FEATURE_VERSION:
		return put_string(to, "latewind");
	case FEATURE_ARCH:
		return put_string(to, uts.machine);
	case FEATURE_NRCPUS:
		return put_nr_cpus(to);
	case FEATURE_CPUDESC:
		return put_cpu_desc(to);
	case FEATURE_CPUID:
		return put_cpu_id(to);
	case FEATURE_TOTAL_MEM:
		return put_u64(to, total_mem_kib());
	case FEATURE_CMDLINE:
		return put_cmdline(to, out);
	case FEATURE_EVENT_DESC:
		return put_event_desc(to, out);
	case FEATURE_SAMPLE_TIME:
		return put_sample_time(to, out);
	case FEATURE_CLOCKID:
		return put_u64(to, clock_resolution());
	case FEATURE_BPF_PROG_INFO:
		return lw_bpf_programs_write_info(out->bpf, to);
	case FEATURE_BPF_BTF:
		return lw_bpf_programs_write_btf(out->bpf, to);
	case FEATURE_COMPRESSED:
		return put_compressed(to, out);
	case FEATURE_CLOCK_DATA:
		return put_clock_data(to, out);
	}
}

/**
 * lw_perf_writer_feature_is_late - is it known at the end only?
 * @feature: its number
 *
 * Return: true if it is of what was recorded.
 */
bool lw_perf_writer_feature_is_late(u32 feature)
{
	return feature == FEATURE_SAMPLE_TIME || feature == FEATURE_BPF_PROG_INFO ||
	       feature == FEATURE_BPF_BTF;
}

/**
 * lw_perf_writer_feature - make one feature
 * @out: the file, as far as it is
 * @feature: its number
 * @data: out: to be freed; NULL: this file does not have it
 * @size: out: bytes
 *
 * Return: 0 or -ENOMEM.
 */
int lw_perf_writer_feature(struct lw_perf_writer *out, u32 feature, char **data, size_t *size)
{
	FILE *to;
	int ret;

	*data = NULL;
	*size = 0;
	to = open_memstream(data, size);
	if (!to)
		return -ENOMEM;
	put_feature(to, out, feature);
	ret = fclose(to) ? -ENOMEM : 0;
	if (ret || !*size) {
		free(*data);
		*data = NULL;
		*size = 0;
	}
	return ret;
}
