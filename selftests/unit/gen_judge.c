// SPDX-License-Identifier: GPL-2.0
/*
 * gen_judge [-v] [-e] FILE...: the analysis of code is right where call frame information says
 * what is right.  Of aarch64 each function is followed by itself.
 *
 * The call frame information of a part of the functions of a file is hidden, each function's
 * once, as if these were assembly that has none; then what the analysis says of each byte
 * of their code is compared with what was hidden.  Prints TAP, one result a file: of the bytes
 * that the analysis has a rule for one of 1,000 may be wrong, and it must have one for a third of
 * all: of a function that nothing of the file calls, as it is called by a table, it says nothing.
 * -e: it may say nothing at all; -v: places of what is wrong.
 *
 * Call frame information of assembly may be wrong itself.  It is where its own function shows it,
 * read from the first byte to the last: a push, or a subtraction from the stack pointer, moves the
 * CFA that counts from there by another number, or the frame pointer is changed and never said
 * to be saved.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sframe/gen_aarch64.h"
#include "sframe/gen_analysis.h"

#define PARTS		8	/* one of them is hidden at a time */
#define MOST_WRONG	1000	/* one of so many bytes */
#define LEAST_SAID	3	/* likewise */

enum verdict {
	AGREES,
	SILENT,
	WRONG_CFA,
	WRONG_RA,
	WRONG_FP,
	UNPROVED,	/* nothing tells whether the two are the same */
	BAD_TRUTH,	/* the call frame information is wrong */
	NO_TRUTH,	/* there is no caller, or no rule */
	NR_VERDICTS
};

static const char * const names[NR_VERDICTS] = {
	"agrees", "silent", "wrong CFA", "wrong RA", "wrong FP", "unproved", "CFI is wrong",
	"no truth",
};

struct judged {
	u64 bytes[NR_VERDICTS];
};

static bool verbose, may_be_silent;

static bool is_slot(const struct gen_track *base, s64 off, const struct gen_track *slot)
{
	return base->kind != GEN_UNTRACKED && base->kind == slot->kind &&
	       base->off + off == slot->off;
}

static enum verdict judge_cfa(const struct gen_frame *frame, const struct gen_value *cfa)
{
	const struct gen_track *base = &frame->regs[cfa->base & (GEN_NR_GPRS - 1)];

	if (cfa->base >= GEN_NR_GPRS)
		return UNPROVED;
	if (!cfa->deref && base->kind == GEN_OF_CFA)
		return base->off + cfa->off ? WRONG_CFA : AGREES;
	if (cfa->deref == 1 && is_slot(base, cfa->off, &frame->cfa_slot))
		return frame->cfa_off + (cfa->path ? cfa->then[0] : 0) ? WRONG_CFA : AGREES;
	return UNPROVED;
}

/* What was popped is still where it was saved. */
static bool is_popped(const struct gen_frame *frame, s64 off)
{
	const struct gen_track *sp = &frame->regs[GEN_SP];

	return sp->kind == GEN_OF_CFA && off < sp->off;
}

static enum verdict judge_fp(const struct gen_frame *frame, const struct gen_value *said,
			     const struct gen_value *fp)
{
	bool same = frame->regs[GEN_FP].kind == GEN_CALLER_FP;

	if (fp->kind == GEN_NONE)
		return same ? AGREES : WRONG_FP;
	if (fp->kind != GEN_VALUE || !fp->deref)
		return UNPROVED;
	if (fp->base != GEN_CFA)
		return is_slot(&frame->regs[fp->base & (GEN_NR_GPRS - 1)], fp->off,
			       &frame->fp_slot) ? AGREES : UNPROVED;
	if (said->kind == GEN_NONE)
		return is_popped(frame, fp->off) ? AGREES : WRONG_FP;
	if (said->base != GEN_CFA)
		return UNPROVED;
	return said->off == fp->off ? AGREES : WRONG_FP;
}

static enum verdict judge_byte(const struct gen_frame *frame, const struct gen_run *run)
{
	const struct gen_value *ra = &run->ra;
	struct gen_state said;
	enum verdict cfa;

	if (run->form == GEN_FORM_HOLE || run->form == GEN_FORM_PLT ||
	    run->form == GEN_FORM_OUTERMOST)
		return NO_TRUTH;
	if (!frame || !gen_frame_state(frame, &said))
		return SILENT;
	if (ra->base != GEN_CFA || !ra->deref || ra->off != GEN_RA_OFFSET)
		return WRONG_RA;
	cfa = judge_cfa(frame, &run->cfa);
	return cfa == AGREES ? judge_fp(frame, &said.fp, &run->fp) : cfa;
}

/* What call frame information says of an instruction. */
static const struct gen_run *run_at(const struct gen_rows *rows, u64 off)
{
	size_t i = 0;

	while (i + 1 < rows->nr && rows->runs[i + 1].start <= off)
		i++;
	return &rows->runs[i];
}

/* Return: its code, NULL if that is not in one gap. */
static const u8 *code_of(const struct gen_analysis *analysis, const struct gen_fde *fde)
{
	for (size_t i = 0; i < analysis->nr_gaps; i++) {
		const struct gen_gap *gap = &analysis->gaps[i];
		u64 off = fde->start - gap->start;

		if (off < gap->size && fde->size <= gap->size - off)
			return analysis->code + gap->at + off;
	}
	return NULL;
}

static bool is_by_sp(const struct gen_run *run)
{
	return run->form != GEN_FORM_HOLE && run->cfa.kind == GEN_VALUE && !run->cfa.deref &&
	       run->cfa.base == GEN_SP;
}

/* Return: by how much an instruction lowers the stack pointer, 0: it does not, or not known. */
static s64 growth_by(const ZydisDecodedInstruction *insn, const ZydisDecodedOperand *ops)
{
	if (insn->mnemonic == ZYDIS_MNEMONIC_PUSH)
		return insn->operand_width / 8;
	if (insn->mnemonic == ZYDIS_MNEMONIC_SUB && ops[0].type == ZYDIS_OPERAND_TYPE_REGISTER &&
	    ops[0].reg.value == ZYDIS_REGISTER_RSP && ops[1].type == ZYDIS_OPERAND_TYPE_IMMEDIATE)
		return ops[1].imm.value.s;
	return 0;
}

static bool is_other_growth(const struct gen_rows *rows, u64 off, u64 next, s64 growth)
{
	const struct gen_run *run = run_at(rows, off), *behind = run_at(rows, next);

	return growth && is_by_sp(run) && is_by_sp(behind) &&
	       behind->cfa.off - run->cfa.off != growth;
}

static bool fp_is_saved(const struct gen_rows *rows)
{
	for (size_t i = 0; i < rows->nr; i++) {
		if (rows->runs[i].fp.kind != GEN_NONE)
			return true;
	}
	return false;
}

/* Does a function contradict what is said of it?  Jumps don't matter to that. */
static bool is_bad_truth(const struct gen_analysis *analysis, const struct gen_fde *fde,
			 const struct gen_rows *rows)
{
	const u8 *code = code_of(analysis, fde);
	bool saved = fp_is_saved(rows);
	ZydisDecodedOperand ops[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction insn;
	ZydisDecoder decoder;

	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	for (u64 at = 0; code && at < fde->size; at += insn.length) {
		if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, code + at, fde->size - at, &insn,
							 ops)))
			return false;
		if (at + insn.length < fde->size &&
		    is_other_growth(rows, at, at + insn.length, growth_by(&insn, ops)))
			return true;
		if (!saved && insn.operand_count && insn.mnemonic != ZYDIS_MNEMONIC_POP &&
		    ops[0].type == ZYDIS_OPERAND_TYPE_REGISTER &&
		    ops[0].reg.value == ZYDIS_REGISTER_RBP &&
		    (ops[0].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE))
			return true;
	}
	return false;
}

static void judge_function(const struct gen_analysis *analysis, const struct gen_fde *fde,
			   const struct gen_rows *rows, struct judged *judged)
{
	bool bad_truth = is_bad_truth(analysis, fde, rows);
	enum verdict verdict, before = AGREES;

	for (size_t i = 0; i < rows->nr; i++) {
		u64 start = fde->start + rows->runs[i].start;
		u64 end = i + 1 < rows->nr ? fde->start + rows->runs[i + 1].start :
					     fde->start + fde->size;

		for (u64 pc = start; pc < end; pc++) {
			verdict = judge_byte(gen_flow_frame(analysis->flow, pc), &rows->runs[i]);
			if (bad_truth && verdict != SILENT && verdict != NO_TRUTH)
				verdict = BAD_TRUTH;
			judged->bytes[verdict]++;
			if (verbose && verdict != before && verdict >= WRONG_CFA &&
			    verdict <= WRONG_FP)
				printf("# %#llx of %#llx: %s\n", (unsigned long long)pc,
				       (unsigned long long)fde->start, names[verdict]);
			before = verdict;
		}
	}
}

/*
 * Is a register said to be where it is?  Once it is loaded from its slot, which call frame
 * information may go on to name until the stack pointer is raised, it is in both.
 * @slot: from the CFA, that it was in before; 0: none
 */
static bool is_register_at(const struct gen_aarch64_frame *frame, const struct gen_value *said,
			   const struct gen_value *value, s32 slot)
{
	if (value->deref && !said->deref)
		return value->base == GEN_CFA && value->off == slot && -slot <= frame->depth;
	return value->kind == said->kind && value->base == said->base &&
	       value->off == said->off && value->deref == said->deref;
}

/*
 * A CFA is the same by either register.
 * @before: with the slots that were the last
 */
static enum verdict judge_aarch64(const struct gen_aarch64_frame *frame, const struct gen_run *run,
				  const struct gen_aarch64_frame *before)
{
	bool by_sp = run->cfa.base == gen_aarch64.sp;
	struct gen_state said;

	if (run->form == GEN_FORM_HOLE || run->form == GEN_FORM_OUTERMOST)
		return NO_TRUTH;
	if (!gen_aarch64_state(frame, &said))
		return SILENT;
	if (run->cfa.deref || !(by_sp ? frame->sp_known : frame->by_fp))
		return UNPROVED;
	if (run->cfa.off != (by_sp ? frame->depth : frame->above_fp))
		return WRONG_CFA;
	if (!is_register_at(frame, &said.ra, &run->ra, before->ra) ||
	    run->is_signed != said.is_signed)
		return WRONG_RA;
	return is_register_at(frame, &said.fp, &run->fp, before->fp) ? AGREES : WRONG_FP;
}

/* Return: false if there is no memory. */
static bool judge_function_aarch64(const struct gen_input *input, const struct gen_fde *fde,
				   const struct gen_rows *rows, struct judged *judged)
{
	u32 nr = fde->size / GEN_AARCH64_INSN;
	struct gen_aarch64_frame *frames, before = { 0 };
	enum verdict verdict;
	u8 *code = malloc(fde->size);

	if (!nr || !code || !gen_input_code(input, fde->start, code, fde->size) ||
	    gen_aarch64_follow(code, nr * GEN_AARCH64_INSN, &frames)) {
		free(code);
		return !nr || code;
	}
	for (u32 i = 0; i < nr; i++) {
		before.ra = frames[i].ra ?: before.ra;
		before.fp = frames[i].fp ?: before.fp;
		verdict = judge_aarch64(&frames[i], run_at(rows, i * GEN_AARCH64_INSN), &before);
		judged->bytes[verdict] += GEN_AARCH64_INSN;
		if (verbose && verdict >= WRONG_CFA && verdict <= WRONG_FP)
			printf("# %#llx of %#llx: %s\n",
			       (unsigned long long)fde->start + i * GEN_AARCH64_INSN,
			       (unsigned long long)fde->start, names[verdict]);
	}
	free(frames);
	free(code);
	return true;
}

static bool judge_all_aarch64(const struct gen_input *input, struct gen_cfi *cfi,
			      struct judged *judged)
{
	bool fine = true;

	for (size_t i = 0; fine && i < cfi->nr_fdes; i++) {
		const struct gen_fde *fde = &cfi->fdes[i];

		fine = !gen_function_rows(&cfi->rows, &cfi->cies[fde->cie], fde,
					  &cfi->sections[fde->section]) &&
		       judge_function_aarch64(input, fde, &cfi->rows, judged);
	}
	return fine;
}

static bool is_hidden(const struct gen_fde *fde, unsigned int part)
{
	return lw_hash64(fde->start) % PARTS == part;
}

/* Return: false if there is no memory. */
static bool judge_part(const struct gen_input *input, struct gen_cfi *cfi, unsigned int part,
		       struct judged *judged)
{
	struct gen_analysis analysis = { 0 };
	struct gen_cfi rest = *cfi;
	bool fine;

	rest.nr_fdes = 0;
	rest.fdes = calloc(cfi->nr_fdes, sizeof(*rest.fdes));
	for (size_t i = 0; rest.fdes && i < cfi->nr_fdes; i++) {
		if (!is_hidden(&cfi->fdes[i], part))
			rest.fdes[rest.nr_fdes++] = cfi->fdes[i];
	}
	fine = rest.fdes && !gen_analyse(&analysis, input, &rest);
	for (size_t i = 0; fine && analysis.flow && i < cfi->nr_fdes; i++) {
		const struct gen_fde *fde = &cfi->fdes[i];

		if (!is_hidden(fde, part))
			continue;
		fine = !gen_function_rows(&cfi->rows, &cfi->cies[fde->cie], fde,
					  &cfi->sections[fde->section]);
		if (fine)
			judge_function(&analysis, fde, &cfi->rows, judged);
	}
	gen_analysis_free(&analysis);
	free(rest.fdes);
	return fine;
}

static bool judge_input(const struct gen_input *input, struct judged *judged)
{
	Elf_Data data = { .d_buf = input->eh_frame.at, .d_size = input->eh_frame.size };
	struct gen_cfi cfi = {
		.sections[0] = {
			.data = &data, .addr = input->eh_frame_addr, .eh_frame = true,
			.ends_at_zero = input->ends_at_zero,
		},
		.nr_sections = 1, .rows.machine = input->machine,
	};
	struct lw_gen_counts counts = { 0 };
	bool fine = !gen_cfi_read(&cfi, input->ehdr.e_ident, &counts);

	gen_cfi_settle(&cfi, &counts);
	if (fine && input->machine == &gen_aarch64) {
		fine = judge_all_aarch64(input, &cfi, judged);
		gen_cfi_free(&cfi);
		return fine;
	}
	for (unsigned int part = 0; fine && part < PARTS; part++)
		fine = judge_part(input, &cfi, part, judged);
	gen_cfi_free(&cfi);
	return fine;
}

static bool report(const struct judged *judged)
{
	u64 wrong = judged->bytes[WRONG_CFA] + judged->bytes[WRONG_RA] + judged->bytes[WRONG_FP];
	u64 all = 0, said;

	for (int i = 0; i < NO_TRUTH; i++)
		all += judged->bytes[i];
	printf("# %llu bytes:", (unsigned long long)all);
	for (int i = 0; i < NO_TRUTH; i++)
		printf(" %s %llu (%.3f %%)", names[i], (unsigned long long)judged->bytes[i],
		       all ? 100.0 * judged->bytes[i] / all : 0);
	printf("\n");
	said = all - judged->bytes[SILENT];
	return wrong * MOST_WRONG <= said &&
	       (may_be_silent || (all && judged->bytes[AGREES] * LEAST_SAID >= all));
}

static bool judge_file(const char *path)
{
	struct judged judged = { 0 };
	struct gen_input *input;
	bool fine = false;
	int fd = open(path, O_RDONLY);

	if (fd < 0 || gen_input_open(&input, fd, path))
		return false;
	if (judge_input(input, &judged))
		fine = report(&judged);
	gen_input_close(input);
	close(fd);
	return fine;
}

int main(int argc, char **argv)
{
	int first = 1, bad = 0;

	setvbuf(stdout, NULL, _IOLBF, 0);
	for (; first < argc && argv[first][0] == '-'; first++) {
		verbose |= !strcmp(argv[first], "-v");
		may_be_silent |= !strcmp(argv[first], "-e");
	}
	printf("TAP version 13\n1..%d\n", argc - first);
	for (int i = first; i < argc; i++) {
		bool fine = judge_file(argv[i]);

		printf("%sok %d %s\n", fine ? "" : "not ", i - first + 1, argv[i]);
		bad |= !fine;
	}
	return bad;
}
