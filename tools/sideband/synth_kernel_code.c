// SPDX-License-Identifier: GPL-2.0
/*
 * synth_kernel_code.c - kernel code that was made before the recording: slots of kprobes,
 * trampolines of ftrace and of BPF, BPF's dispatchers.
 *
 * /proc/kallsyms has them behind the modules, as if they were in ones of special names.
 * KSYMBOL records tell of those that come and go later.
 *
 * Contexts: one thread.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/perf_records.h"
#include "sideband/synth_kernel_code.h"
#include "symbols/kallsyms.h"

#define MAX_MADE	65536
#define NAME_ROOM	256

/* Kinds of kernel code by the made-up module of their names; BPF programs have own records. */
static const struct {
	const char *module;
	u16 type;
} kinds[] = {
	{ "[bpf]", PERF_RECORD_KSYMBOL_TYPE_BPF },
	{ "[__builtin__ftrace]", PERF_RECORD_KSYMBOL_TYPE_OOL },
	{ "[__builtin__kprobes]", PERF_RECORD_KSYMBOL_TYPE_OOL },
};

#define BPF_PROGRAM	"bpf_prog_"

struct made {
	u64 start;
	u16 type;
	char name[NAME_ROOM];
};

struct list {
	struct made *all;
	size_t nr, room;
};

struct ksymbol {
	struct perf_event_header header;
	u64 addr;
	u32 len;
	u16 type, flags;
	char name[NAME_ROOM + sizeof(struct lw_sample_id)];
};

static bool find_kind(const struct lw_kallsyms_line *line, u16 *type)
{
	for (size_t i = 0; line->module && i < ARRAY_SIZE(kinds); i++) {
		if (strlen(kinds[i].module) != line->module_len ||
		    memcmp(line->module, kinds[i].module, line->module_len))
			continue;
		*type = kinds[i].type;
		return true;
	}
	return false;
}

static int take_line(struct list *list, const struct lw_kallsyms_line *line)
{
	struct made *made;
	u16 type;

	if (!find_kind(line, &type) || !line->start || line->name_len >= NAME_ROOM ||
	    list->nr == MAX_MADE)
		return 0;
	if (lw_grow((void **)&list->all, &list->room, list->nr + 1, sizeof(*made)))
		return -ENOMEM;
	made = &list->all[list->nr++];
	made->start = line->start;
	made->type = type;
	memcpy(made->name, line->name, line->name_len);
	made->name[line->name_len] = 0;
	return 0;
}

static int take_text(struct list *list, const char *text, size_t size)
{
	const char *end = text + size;
	struct lw_kallsyms_line line;
	int ret = 0;

	while (!ret && lw_kallsyms_next(&line, &text, end))
		ret = take_line(list, &line);
	return ret;
}

static int by_start(const void *a, const void *b)
{
	const struct made *left = a, *right = b;

	return left->start < right->start ? -1 : left->start > right->start;
}

/* As long as no other begins: kallsyms tells no sizes, and pages are what they are made in. */
static int emit(const struct made *made, u64 end, lw_perf_event_fn fn, void *ctx)
{
	u64 page_end = (made->start | (sysconf(_SC_PAGESIZE) - 1)) + 1;
	u64 last = end < page_end ? end : page_end;
	struct ksymbol record = {
		.header = { .type = PERF_RECORD_KSYMBOL },
		.addr = made->start,
		.len = last - made->start,
		.type = made->type,
	};
	size_t len = strlen(made->name);

	memcpy(record.name, made->name, len);
	record.header.size = offsetof(struct ksymbol, name) + ALIGN_UP(len + 1, sizeof(u64)) +
			     sizeof(struct lw_sample_id);
	return record.len ? fn(ctx, &record.header) : 0;
}

/**
 * lw_synth_kernel_code - records for what is there now
 * @text: lines of /proc/kallsyms
 * @size: bytes of it
 * @fn: called with each record, their time is 0
 * @ctx: for @fn
 *
 * Return: 0, -ENOMEM, or the first nonzero return of @fn.
 */
int lw_synth_kernel_code(const char *text, size_t size, lw_perf_event_fn fn, void *ctx)
{
	struct list list = { 0 };
	int ret = take_text(&list, text, size);

	if (list.nr)
		qsort(list.all, list.nr, sizeof(*list.all), by_start);
	for (size_t i = 0; !ret && i < list.nr; i++) {
		if (strncmp(list.all[i].name, BPF_PROGRAM, strlen(BPF_PROGRAM)))
			ret = emit(&list.all[i], i + 1 < list.nr ? list.all[i + 1].start : ~0ULL,
				   fn, ctx);
	}
	free(list.all);
	return ret;
}
