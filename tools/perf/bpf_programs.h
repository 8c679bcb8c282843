/* SPDX-License-Identifier: GPL-2.0 */
/*
 * bpf_programs.h - BPF programs: their symbols, and their code for a later reader.
 */
#ifndef LW_BPF_PROGRAMS_H
#define LW_BPF_PROGRAMS_H

#include <linux/bpf.h>
#include <linux/perf_event.h>

#include "base/util.h"

/*
 * A program as perf keeps it: the arrays that struct bpf_prog_info points to stand
 * in @data, each of a multiple of 8 bytes, and the pointers are offsets in it.
 */
struct lw_bpf_program {
	u64 arrays;			/* bit per array that is there */
	struct bpf_prog_info info;
	u8 *data;
	u32 data_len;
};

struct lw_bpf_btf {
	u32 id;
	u32 size;
	u8 *data;
};

struct lw_bpf_programs;

int lw_bpf_program_read(struct lw_bpf_program *prog, u32 id);
void lw_bpf_program_free(struct lw_bpf_program *prog);
int lw_bpf_btf_read(struct lw_bpf_btf *btf, u32 id);
void lw_bpf_btf_free(struct lw_bpf_btf *btf);
const char *lw_bpf_btf_name(const struct lw_bpf_btf *btf, u32 type_id);
int lw_bpf_synthesise(int (*fn)(void *ctx, const struct perf_event_header *record), void *ctx);

struct lw_bpf_programs *lw_bpf_programs_new(void);
void lw_bpf_programs_free(struct lw_bpf_programs *progs);
int lw_bpf_programs_note(struct lw_bpf_programs *progs, const struct perf_event_header *record);
void lw_bpf_programs_write_info(const struct lw_bpf_programs *progs, FILE *file);
void lw_bpf_programs_write_btf(const struct lw_bpf_programs *progs, FILE *file);

#endif /* LW_BPF_PROGRAMS_H */
