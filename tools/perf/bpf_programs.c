// SPDX-License-Identifier: GPL-2.0
/*
 * bpf_programs.c - BPF programs: their symbols, and their code for a later reader.
 *
 * Programs that are loaded before a recording have no records: they are made here.
 * What a program consists of is read as soon as its record is, since it may be
 * unloaded at any time, and kept in memory up to a limit.
 *
 * Contexts: one thread.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/perf_records.h"
#include "perf/bpf_programs.h"

/* Bytes of programs that a file has at most: some thousand programs. */
#define MAX_BYTES	(64U << 20)
#define MAX_LOADED	65536
#define NAME_ROOM	512
/* perf of any version knows so much of the struct. */
#define INFO_LEN	offsetof(struct bpf_prog_info, recursion_misses)

struct ksymbol {
	struct perf_event_header header;
	u64 addr;
	u32 len;
	u16 type, flags;
	char name[NAME_ROOM + sizeof(struct lw_sample_id)];
};

struct bpf_event {
	struct perf_event_header header;
	u16 type, flags;
	u32 id;
	u8 tag[BPF_TAG_SIZE];
	struct lw_sample_id sample_id;
};

struct lw_bpf_programs {
	struct lw_bpf_program *progs;
	size_t nr_progs, prog_room;
	struct lw_bpf_btf *btfs;
	size_t nr_btfs, btf_room;
	u64 bytes;
};

/* Everything that is said of the symbols is there and agrees. */
static bool has_symbols(const struct lw_bpf_program *prog)
{
	const struct bpf_prog_info *info = &prog->info;

	return info->nr_jited_ksyms && info->nr_jited_ksyms == info->nr_jited_func_lens &&
	       info->nr_jited_ksyms == info->nr_prog_tags;
}

static const char *function_name(const struct lw_bpf_program *prog, const struct lw_bpf_btf *btf,
				 u32 index)
{
	const struct bpf_prog_info *info = &prog->info;
	u32 type_id;

	if (btf->data && info->nr_func_info == info->nr_jited_ksyms &&
	    info->func_info_rec_size >= sizeof(struct bpf_func_info)) {
		/* behind the number of its first instruction */
		memcpy(&type_id, prog->data + info->func_info +
		       (u64)index * info->func_info_rec_size + sizeof(u32), sizeof(type_id));
		return lw_bpf_btf_name(btf, type_id);
	}
	if (info->nr_jited_ksyms > 1)
		return "F";
	return info->name[0] ? info->name : NULL;
}

/* As the kernel names them in its own records: bpf_prog_TAG_NAME. */
static size_t make_name(char *to, const struct lw_bpf_program *prog, const struct lw_bpf_btf *btf,
			u32 index)
{
	const u8 *tag = prog->data + prog->info.prog_tags + (u64)index * BPF_TAG_SIZE;
	const char *name = function_name(prog, btf, index);
	size_t len = snprintf(to, NAME_ROOM, "bpf_prog_");

	for (u32 i = 0; i < BPF_TAG_SIZE; i++)
		len += snprintf(to + len, NAME_ROOM - len, "%02x", tag[i]);
	if (name)
		len += snprintf(to + len, NAME_ROOM - len, "_%.128s", name);
	return len;
}

static int emit_ksymbol(const struct lw_bpf_program *prog, const struct lw_bpf_btf *btf, u32 index,
			lw_perf_event_fn fn, void *ctx)
{
	struct ksymbol record = {
		.header = { .type = PERF_RECORD_KSYMBOL },
		.type = PERF_RECORD_KSYMBOL_TYPE_BPF,
	};
	size_t len;

	memcpy(&record.addr, prog->data + prog->info.jited_ksyms + (u64)index * sizeof(u64),
	       sizeof(u64));
	memcpy(&record.len, prog->data + prog->info.jited_func_lens + (u64)index * sizeof(u32),
	       sizeof(u32));
	len = make_name(record.name, prog, btf, index);
	record.header.size = offsetof(struct ksymbol, name) + ALIGN_UP(len + 1, sizeof(u64)) +
			     sizeof(struct lw_sample_id);
	return record.addr && record.len ? fn(ctx, &record.header) : 0;
}

static int emit_prog(const struct lw_bpf_program *prog, lw_perf_event_fn fn, void *ctx)
{
	struct bpf_event event = {
		.header = { .type = PERF_RECORD_BPF_EVENT, .size = sizeof(event) },
		.type = PERF_BPF_EVENT_PROG_LOAD,
		.id = prog->info.id,
	};
	struct lw_bpf_btf btf = { 0 };
	int ret = 0;

	if (!has_symbols(prog))
		return 0;
	if (prog->info.btf_id)
		lw_bpf_btf_read(&btf, prog->info.btf_id);
	for (u32 i = 0; !ret && i < prog->info.nr_jited_ksyms; i++)
		ret = emit_ksymbol(prog, &btf, i, fn, ctx);
	lw_bpf_btf_free(&btf);
	memcpy(event.tag, prog->info.tag, sizeof(event.tag));
	return ret ? ret : fn(ctx, &event.header);
}

static bool next_id(u32 *id)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.start_id = *id;
	if (syscall(SYS_bpf, BPF_PROG_GET_NEXT_ID, &attr, sizeof(attr)))
		return false;
	*id = attr.next_id;
	return true;
}

/**
 * lw_bpf_synthesise - records for the programs that are loaded now
 * @fn: called with each record, their time is 0
 * @ctx: for @fn
 *
 * Return: 0, also without the right to see them, or the first nonzero return of @fn.
 */
int lw_bpf_synthesise(lw_perf_event_fn fn, void *ctx)
{
	struct lw_bpf_program prog;
	u32 id = 0;
	int ret = 0;

	for (u32 i = 0; !ret && i < MAX_LOADED && next_id(&id); i++) {
		if (lw_bpf_program_read(&prog, id))
			continue;
		ret = emit_prog(&prog, fn, ctx);
		lw_bpf_program_free(&prog);
	}
	return ret;
}

/**
 * lw_bpf_programs_new - nothing saved yet
 *
 * Return: the state or NULL.
 */
struct lw_bpf_programs *lw_bpf_programs_new(void)
{
	return calloc(1, sizeof(struct lw_bpf_programs));
}

/**
 * lw_bpf_programs_free - free all that was saved
 * @progs: the state or NULL
 */
void lw_bpf_programs_free(struct lw_bpf_programs *progs)
{
	if (!progs)
		return;
	for (size_t i = 0; i < progs->nr_progs; i++)
		lw_bpf_program_free(&progs->progs[i]);
	for (size_t i = 0; i < progs->nr_btfs; i++)
		lw_bpf_btf_free(&progs->btfs[i]);
	free(progs->progs);
	free(progs->btfs);
	free(progs);
}

static int save_btf(struct lw_bpf_programs *progs, u32 id)
{
	struct lw_bpf_btf btf;

	for (size_t i = 0; i < progs->nr_btfs; i++) {
		if (progs->btfs[i].id == id)
			return 0;
	}
	if (lw_bpf_btf_read(&btf, id))
		return 0;
	if (progs->bytes + btf.size > MAX_BYTES) {
		lw_bpf_btf_free(&btf);
		return 0;
	}
	if (lw_grow((void **)&progs->btfs, &progs->btf_room, progs->nr_btfs + 1, sizeof(btf))) {
		lw_bpf_btf_free(&btf);
		return -ENOMEM;
	}
	progs->bytes += btf.size;
	progs->btfs[progs->nr_btfs++] = btf;
	return 0;
}

static int save_prog(struct lw_bpf_programs *progs, u32 id)
{
	struct lw_bpf_program prog;

	for (size_t i = 0; i < progs->nr_progs; i++) {
		if (progs->progs[i].info.id == id)
			return 0;
	}
	if (lw_bpf_program_read(&prog, id))
		return 0;
	if (!has_symbols(&prog) || progs->bytes + prog.data_len + sizeof(prog) > MAX_BYTES) {
		lw_bpf_program_free(&prog);
		return 0;
	}
	if (lw_grow((void **)&progs->progs, &progs->prog_room, progs->nr_progs + 1,
		    sizeof(prog))) {
		lw_bpf_program_free(&prog);
		return -ENOMEM;
	}
	progs->bytes += prog.data_len + sizeof(prog);
	progs->progs[progs->nr_progs++] = prog;
	return prog.info.btf_id ? save_btf(progs, prog.info.btf_id) : 0;
}

/**
 * lw_bpf_programs_note - save the program that a record says is loaded
 * @progs: the state
 * @record: any
 *
 * One that is gone already is left out, and so is what would be too much.
 *
 * Return: 0 or -ENOMEM.
 */
int lw_bpf_programs_note(struct lw_bpf_programs *progs, const struct perf_event_header *record)
{
	const struct bpf_event *event = (const void *)record;

	if (record->type != PERF_RECORD_BPF_EVENT || record->size < sizeof(*event) ||
	    event->type != PERF_BPF_EVENT_PROG_LOAD)
		return 0;
	return save_prog(progs, event->id);
}

/**
 * lw_bpf_programs_write_info - write the programs as perf.data has them
 * @progs: the state
 * @file: nothing is written to it when there are none
 */
void lw_bpf_programs_write_info(const struct lw_bpf_programs *progs, FILE *file)
{
	u32 nr = progs->nr_progs, info_len = INFO_LEN;

	if (nr)
		fwrite_unlocked(&nr, sizeof(nr), 1, file);
	for (u32 i = 0; i < nr; i++) {
		const struct lw_bpf_program *prog = &progs->progs[i];

		fwrite_unlocked(&info_len, sizeof(info_len), 1, file);
		fwrite_unlocked(&prog->data_len, sizeof(prog->data_len), 1, file);
		fwrite_unlocked(&prog->arrays, sizeof(prog->arrays), 1, file);
		fwrite_unlocked(&prog->info, info_len, 1, file);
		fwrite_unlocked(prog->data, prog->data_len, 1, file);
	}
}

/**
 * lw_bpf_programs_write_btf - write the types of the programs as perf.data has them
 * @progs: the state
 * @file: nothing is written to it when there are none
 */
void lw_bpf_programs_write_btf(const struct lw_bpf_programs *progs, FILE *file)
{
	u32 nr = progs->nr_btfs;

	if (nr)
		fwrite_unlocked(&nr, sizeof(nr), 1, file);
	for (u32 i = 0; i < nr; i++) {
		const struct lw_bpf_btf *btf = &progs->btfs[i];

		fwrite_unlocked(&btf->id, sizeof(btf->id), 1, file);
		fwrite_unlocked(&btf->size, sizeof(btf->size), 1, file);
		fwrite_unlocked(btf->data, btf->size, 1, file);
	}
}
