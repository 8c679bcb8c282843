// SPDX-License-Identifier: GPL-2.0
/*
 * gen_go.c - tables of Go's code, made of the function table of its runtime.
 *
 * The table says of each instruction how many bytes its function has on the stack; a
 * stripped program has the table, too.  .debug_frame, which Go's linker makes of the same
 * numbers, is not read.  What the table leaves out is known of the runtime and the ABI:
 *
 *  - a function that has a frame has its caller's frame pointer right below the return
 *    address; in assembly, if its prologue puts the frame pointer there;
 *  - a function that goes to another stack writes the stack pointer, and its linker marks
 *    it so, since Go 1.17.  What the table says of such a function is not true once it has
 *    written the stack pointer.  The runtime's own have a frame pointer meanwhile, which
 *    stays on the stack that they came from: systemstack(), asmcgocall(), cgocallback(), and
 *    those that call the vDSO or C: time.now(), nanotime1(), sigfwd(), callCgoMmap() ..;
 *  - a few functions have no caller: goroutines and threads begin in them, or, from
 *    where they go to it, the scheduler's own stack does;
 *  - a few are called where a signal has interrupted their caller.
 *
 * A function that is marked and not understood has no rule: better a hole than a guess that
 * nobody can tell from what is known.
 *
 * Contexts: any thread; no state outlives a call.
 */
#include <errno.h>
#include <string.h>

#include "sframe/gen_parts.h"

#define WORD_SIZE	8
#define FRAME_SIZE	16	/* return address and frame pointer */

#define MAX_CODE	1024U	/* bytes of a function that writes the stack pointer */
#define MAX_START	64U	/* bytes from where a frame is made on that are looked at */

enum kind {
	OTHER,
	FIRST,		/* has no caller */
	BEGIN,		/* likewise, but in a library a thread of C comes to it */
	THREAD,		/* likewise, but where threads are C's */
	LEAVES,		/* has none once it has gone to another stack */
	GOES_ON,	/* goes on to a goroutine: there is no rule once it is on its stack */
	SIGNALLED,	/* its caller was interrupted */
	SWITCH,		/* calls on another stack */
};

static const struct {
	const char *name;
	enum kind kind;
} known[] = {
	{ "runtime.goexit",		FIRST },
	{ "_rt0_amd64_linux",		FIRST },
	{ "_rt0_amd64",			FIRST },
	{ "runtime.rt0_go",		BEGIN },
	{ "runtime.mstart",		THREAD },
	{ "runtime.mcall",		LEAVES },
	{ "runtime.morestack",		LEAVES },
	{ "runtime.switchToCrashStack0", LEAVES },
	{ "runtime.clone",		LEAVES },
	{ "gogo",			GOES_ON },
	{ "runtime.sigpanic0",		SIGNALLED },
	{ "runtime.sigpanic",		SIGNALLED },
	{ "runtime.asyncPreempt",	SIGNALLED },
	/* not marked in Go 1.16 */
	{ "runtime.systemstack",	SWITCH },
	{ "runtime.asmcgocall",		SWITCH },
	{ "runtime.cgocallback",	SWITCH },
	{ "runtime.nanotime1",		SWITCH },
	{ "runtime.walltime1",		SWITCH },
	{ "runtime.callCgoMmap",	SWITCH },
	{ "runtime.callCgoMunmap",	SWITCH },
	{ "runtime.callCgoSigaction",	SWITCH },
	{ "runtime.sigfwd",		SWITCH },
	{ "time.now",			SWITCH },
};

static enum kind kind_of(const struct lw_go_function *function)
{
	for (size_t i = 0; function->name && i < ARRAY_SIZE(known); i++) {
		if (!strcmp(function->name, known[i].name))
			return known[i].kind;
	}
	return function->flags & LW_GO_SP_WRITE ? SWITCH : OTHER;
}

static bool is_runtime(const struct lw_go_function *function)
{
	return function->name && (!strncmp(function->name, "runtime.", 8) ||
				  !strcmp(function->name, "time.now"));
}

static void see_program(struct gen_go *go, const struct lw_go_function *function)
{
	if (!function->name)
		return;
	/* C makes the threads of a program that calls C */
	if (!strcmp(function->name, "crosscall2"))
		go->threads_of_c = true;
	/* a library's runtime begins in a thread of C */
	if (!strncmp(function->name, "_rt0_amd64_lib", 14))
		go->is_library = true;
}

/**
 * gen_go_read - read the table of a file that Go's linker has made
 * @go: out: a table that is not understood has no functions
 * @fd: of the file
 *
 * Return: 0 or -ENOMEM.
 */
int gen_go_read(struct gen_go *go, int fd)
{
	struct lw_go_function function;

	if (lw_go_functions_read(&go->functions, fd) == -ENOMEM)
		return -ENOMEM;
	for (u64 i = 0; i < go->functions.nr; i++) {
		if (lw_go_function_at(&go->functions, i, &function))
			see_program(go, &function);
	}
	return 0;
}

/**
 * gen_go_add - have Go's functions besides those that have call frame information
 * @cfi: read, not settled
 * @go: read
 * @counts: added to
 *
 * Return: 0 or -ENOMEM.
 */
int gen_go_add(struct gen_cfi *cfi, const struct gen_go *go, struct lw_gen_counts *counts)
{
	struct lw_go_function function;
	u32 left = LW_GO_MAX_PIECES;

	for (u64 i = 0; i < go->functions.nr; i++) {
		struct gen_fde fde = { .late = true, .go = i + 1 };

		if (!lw_go_function_at(&go->functions, i, &function)) {
			counts->holes[LW_GEN_HOLE_BROKEN]++;
			continue;
		}
		if (!function.deltas)
			continue;
		counts->functions++;
		fde.start = function.start;
		fde.size = lw_go_code_size(&function, &left);
		if (!left || cfi->nr_fdes == GEN_MAX_FDES) {
			counts->holes[LW_GEN_HOLE_RANGE]++;
			continue;
		}
		if (!fde.size) {
			counts->holes[LW_GEN_HOLE_BROKEN]++;
			continue;
		}
		if (lw_grow((void **)&cfi->fdes, &cfi->fde_room, cfi->nr_fdes + 1, sizeof(fde)))
			return -ENOMEM;
		cfi->fdes[cfi->nr_fdes++] = fde;
	}
	counts->cfi_size += go->functions.size;
	return 0;
}

static bool has_frame(const struct gen_run *run)
{
	return run->form == GEN_FORM_DEFAULT && run->cfa.off >= FRAME_SIZE;
}

static struct gen_run plain_run(u32 start, s64 off)
{
	return (struct gen_run){
		.start = start, .form = GEN_FORM_DEFAULT, .hole = LW_GEN_NUM_HOLES,
		.cfa = { .kind = GEN_VALUE, .base = GEN_SP, .off = off },
		.ra = { .kind = GEN_VALUE, .base = GEN_CFA, .deref = 1, .off = -WORD_SIZE },
	};
}

/* Return: 0 or -ENOMEM. */
static int insert_run(struct gen_rows *rows, size_t at, const struct gen_run *run)
{
	if (lw_grow((void **)&rows->runs, &rows->room, rows->nr + 1, sizeof(*run)))
		return -ENOMEM;
	memmove(&rows->runs[at + 1], &rows->runs[at], (rows->nr - at) * sizeof(*run));
	rows->runs[at] = *run;
	rows->nr++;
	return 0;
}

static void be_only(struct gen_rows *rows, enum gen_form form, u8 hole)
{
	rows->runs[0] = (struct gen_run){ .form = form, .hole = hole };
	rows->nr = 1;
}

/* What the table says.  Return: 0 or -ENOMEM; there is one run at least. */
static int read_runs(const struct lw_go_function *function, u64 size, struct gen_rows *rows)
{
	struct lw_go_delta delta = { .at = function->deltas, .end = function->end };
	struct gen_run run;
	int ret;

	while (delta.next < size && rows->nr < GEN_MAX_RUNS && lw_go_next_delta(&delta)) {
		run = plain_run(delta.start, (s64)delta.value + WORD_SIZE);
		if (delta.value < 0) {
			run = (struct gen_run){
				.start = delta.start, .form = GEN_FORM_HOLE,
				.hole = LW_GEN_HOLE_SP,
			};
		}
		ret = insert_run(rows, rows->nr, &run);
		if (ret)
			return ret;
	}
	if (delta.next >= size && rows->nr)
		return 0;
	run = (struct gen_run){
		.start = delta.next, .form = GEN_FORM_HOLE, .hole = LW_GEN_HOLE_BROKEN,
	};
	return insert_run(rows, rows->nr, &run);
}

/**
 * struct frame - where a function makes its frame
 * @made: first byte behind the prologue: the frame pointer is the function's
 * @late: the stack is reserved first, as before Go 1.21
 */
struct frame {
	u32 made;
	bool late;
};

static bool is_code(const u8 *code, const char *with, size_t size)
{
	return !memcmp(code, with, size);
}

/* An instruction with disp8(%rsp) or disp32(%rsp).  Return: its bytes, 0: it is another. */
static u32 stack_operand(const u8 *code, const char *op)
{
	if (!is_code(code, op, 2) || (code[2] & 0x3f) != 0x2c || code[3] != 0x24)
		return 0;
	return code[2] == 0x2c ? 4 : code[2] == 0x6c ? 5 : code[2] == 0xac ? 8 : 0;
}

/*
 * push %rbp; mov %rsp, %rbp: where it is known that the push ends.  Or, before Go 1.21,
 * mov %rbp, x(%rsp); lea x(%rsp), %rbp, where the stack was reserved.
 *
 * @code: from a byte before @start on, MAX_START of them
 * Return: false if it is neither.
 */
static bool find_frame(const u8 *code, u32 start, struct frame *frame)
{
	u32 store;

	*frame = (struct frame){ .made = start + 3 };
	if (code[0] == 0x55 && is_code(code + 1, "\x48\x89\xe5", 3))
		return true;
	store = stack_operand(code + 1, "\x48\x89");
	if (!store || !stack_operand(code + 1 + store, "\x48\x8d"))
		return false;
	frame->made = start + store + stack_operand(code + 1 + store, "\x48\x8d");
	frame->late = true;
	return true;
}

/* Return: false: there is no frame, or it is not made as by Go's assembler. */
static bool read_frame(const struct gen_input *input, u64 start, const struct gen_rows *rows,
		       struct frame *frame)
{
	u8 code[MAX_START] = { 0 };

	if (rows->nr < 2 || !has_frame(&rows->runs[1]) ||
	    !gen_input_code(input, start + rows->runs[1].start - 1, code, sizeof(code)))
		return false;
	return find_frame(code, rows->runs[1].start, frame);
}

/* mov reg, %rsp, or from memory.  Return: its bytes, 0: it is another. */
static u32 writes_sp(const u8 *code, u32 left)
{
	if (left < 3 || (code[0] & 0xf8) != 0x48)
		return 0;
	if (code[1] == 0x89 && (code[2] & 0xc7) == 0xc4 && !(code[0] & 1))
		return 3;
	if (code[1] != 0x8b || (code[2] & 0x38) != 0x20 || (code[0] & 4))
		return 0;
	switch (code[2] >> 6) {
	case 0:
		/* SIB or %rip */
		return (code[2] & 7) == 4 || (code[2] & 7) == 5 ? 0 : 3;
	case 1:
		return (code[2] & 7) == 4 ? 0 : 4;
	case 2:
		return (code[2] & 7) == 4 ? 0 : 7;
	}
	return 3;
}

/* Return: end of the one instruction that writes %rsp, 0: there is none, or more. */
static u32 find_switch(const u8 *code, u32 size)
{
	u32 found = 0, length;

	for (u32 i = 0; i < size; i++) {
		length = writes_sp(code + i, size - i);
		if (!length || i + length > size)
			continue;
		if (found)
			return 0;
		found = i + length;
	}
	return found;
}

/*
 * Does it keep its frame pointer?  It may load it from where it has just loaded the stack
 * pointer: both were saved together.  What is popped is in the table.
 */
static bool keeps_fp(const u8 *code, const struct frame *frame, u32 size)
{
	for (u32 i = frame->made; i + 4 <= size; i++) {
		u8 op = code[i + 1], modrm = code[i + 2];

		if ((code[i] & 0xf8) != 0x48)
			continue;
		if (op == 0x89 && (modrm & 0xc7) == 0xc5 && !(code[i] & 1))
			return false;
		if ((op != 0x8b && op != 0x8d) || (modrm & 0x38) != 0x28 || (code[i] & 4))
			continue;
		/* an epilogue's */
		if (frame->late && op == 0x8b && (modrm & 7) == 4 && code[i + 3] == 0x24)
			continue;
		if (op == 0x8b && i >= 4 && writes_sp(code + i - 4, 4) == 4 &&
		    (code[i - 2] & 7) == (modrm & 7))
			continue;
		return false;
	}
	return true;
}

/* By the frame pointer, which stays on the stack that it was made on. */
static void switch_by_fp(struct gen_run *run)
{
	run->form = GEN_FORM_PATH;
	run->cfa = (struct gen_value){
		.kind = GEN_VALUE, .base = GEN_FP, .off = FRAME_SIZE, .path = 1,
	};
}

/*
 * Where the stack is given back first and the frame pointer was loaded before, by
 * add $x, %rsp.  Return: start of this instruction, or 0.
 */
static u32 give_back(const u8 *code, u32 end)
{
	if (end > 4 && is_code(code + end - 4, "\x48\x83\xc4", 3))
		return end - 4;
	return end > 7 && is_code(code + end - 7, "\x48\x81\xc4", 3) ? end - 7 : 0;
}

/* Return: 0, -ENOMEM, -EINVAL: it is not understood. */
static int end_frames(const u8 *code, struct gen_rows *rows)
{
	struct gen_run run;
	int ret;

	for (size_t i = 2; i < rows->nr; i++) {
		if (has_frame(&rows->runs[i]) || !has_frame(&rows->runs[i - 1]))
			continue;
		run = rows->runs[i - 1];
		run.start = give_back(code, rows->runs[i].start);
		if (run.start <= rows->runs[i - 1].start)
			return -EINVAL;
		/* told apart from the others, until they go by the frame pointer */
		run.hole = LW_GEN_HOLE_FP;
		ret = insert_run(rows, i++, &run);
		if (ret)
			return ret;
	}
	return 0;
}

/* Of all rows but those of the prologue.  Return: 0, -ENOMEM, -EINVAL. */
static int switch_rows(const struct frame *frame, const u8 *code, struct gen_rows *rows)
{
	struct gen_run run;
	size_t at = 1;
	int ret = frame->late ? end_frames(code, rows) : 0;

	while (at < rows->nr && rows->runs[at].start < frame->made)
		at++;
	if (ret || at != 2)
		return ret ? ret : -EINVAL;
	if (at == rows->nr || rows->runs[at].start != frame->made) {
		run = rows->runs[at - 1];
		run.start = frame->made;
		ret = insert_run(rows, at, &run);
	}
	for (; !ret && at < rows->nr; at++) {
		if (has_frame(&rows->runs[at]) && rows->runs[at].hole != LW_GEN_HOLE_FP)
			switch_by_fp(&rows->runs[at]);
		rows->runs[at].hole = LW_GEN_NUM_HOLES;
	}
	return ret;
}

static int mend_switch(const struct gen_input *input, const struct lw_go_function *function,
		       u32 size, struct gen_rows *rows)
{
	u8 code[MAX_CODE];
	struct frame frame;
	int ret = -EINVAL;

	if (size <= sizeof(code) && is_runtime(function) &&
	    gen_input_code(input, function->start, code, size) &&
	    read_frame(input, function->start, rows, &frame) && frame.made < size &&
	    keeps_fp(code, &frame, size))
		ret = switch_rows(&frame, code, rows);
	if (ret == -EINVAL)
		be_only(rows, GEN_FORM_HOLE, LW_GEN_HOLE_SP);
	return ret == -ENOMEM ? ret : 0;
}

/* From where it has gone to another stack, nothing is as the table says. */
static int end_at_switch(const struct gen_input *input, const struct lw_go_function *function,
			 u32 size, const struct gen_run *last, struct gen_rows *rows)
{
	struct gen_run run = *last;
	u8 code[MAX_CODE];
	u32 from = 0;

	if (size <= sizeof(code) && gen_input_code(input, function->start, code, size))
		from = find_switch(code, size);
	if (!from || from >= size) {
		be_only(rows, GEN_FORM_HOLE, LW_GEN_HOLE_SP);
		return 0;
	}
	while (rows->nr && rows->runs[rows->nr - 1].start >= from)
		rows->nr--;
	run.start = from;
	return insert_run(rows, rows->nr, &run);
}

static int mend(const struct gen_input *input, const struct lw_go_function *function,
		u32 size, struct gen_rows *rows)
{
	static const struct gen_run outermost = {
		.form = GEN_FORM_OUTERMOST, .hole = LW_GEN_NUM_HOLES,
	};
	static const struct gen_run hole = { .form = GEN_FORM_HOLE, .hole = LW_GEN_HOLE_SP };
	const struct gen_go *go = &input->go;

	switch (kind_of(function)) {
	case FIRST:
		be_only(rows, GEN_FORM_OUTERMOST, LW_GEN_NUM_HOLES);
		return 0;
	case BEGIN:
		/* it rounds the stack pointer, and does not say so */
		if (go->is_library)
			be_only(rows, GEN_FORM_HOLE, LW_GEN_HOLE_SP);
		else
			be_only(rows, GEN_FORM_OUTERMOST, LW_GEN_NUM_HOLES);
		return 0;
	case THREAD:
		if (!go->threads_of_c)
			be_only(rows, GEN_FORM_OUTERMOST, LW_GEN_NUM_HOLES);
		return 0;
	case LEAVES:
		return end_at_switch(input, function, size, &outermost, rows);
	case GOES_ON:
		return end_at_switch(input, function, size, &hole, rows);
	case SWITCH:
		return mend_switch(input, function, size, rows);
	case SIGNALLED:
		rows->signal = true;
		return 0;
	case OTHER:
		break;
	}
	return 0;
}

/* Does it save the frame pointer below the return address, if it has a frame? */
static bool saves_fp(const struct gen_input *input, const struct lw_go_function *function,
		     const struct gen_rows *rows)
{
	struct frame frame;

	return !(function->flags & LW_GO_ASM) ||
	       read_frame(input, function->start, rows, &frame);
}

/**
 * gen_go_rows - what is known of a function of Go
 * @input: its file
 * @fde: of gen_go_add(), settled: another one may have its first bytes, or its last
 * @rows: out: its runs, the first at its first byte
 *
 * Return: 0 or -ENOMEM.
 */
int gen_go_rows(const struct gen_input *input, const struct gen_fde *fde, struct gen_rows *rows)
{
	struct lw_go_function function;
	bool saves;
	int ret;

	gen_rows_begin(rows);
	if (!lw_go_function_at(&input->go.functions, fde->go - 1, &function) ||
	    function.start != fde->start || fde->size > UINT32_MAX) {
		return insert_run(rows, 0, &(struct gen_run){
			.form = GEN_FORM_HOLE, .hole = LW_GEN_HOLE_BROKEN,
		});
	}
	ret = read_runs(&function, fde->size, rows);
	saves = !ret && saves_fp(input, &function, rows);
	if (!ret)
		ret = mend(input, &function, fde->size, rows);
	for (size_t i = 0; !ret && saves && i < rows->nr; i++) {
		struct gen_run *run = &rows->runs[i];

		if (has_frame(run) || run->form == GEN_FORM_PATH)
			run->fp = (struct gen_value){
				.kind = GEN_VALUE, .base = GEN_CFA, .deref = 1,
				.off = -FRAME_SIZE,
			};
	}
	return ret;
}
