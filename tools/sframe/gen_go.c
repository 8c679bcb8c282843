// SPDX-License-Identifier: GPL-2.0
/*
 * gen_go.c - what Go's own call frame information leaves out.
 *
 * Its compiler says where the return address is, everywhere, and no more.  Three
 * things are known besides, of its runtime and its ABI:
 *
 *  - a function that has a frame has its caller's frame pointer right below the
 *    return address;
 *  - systemstack() and asmcgocall() go from a goroutine's stack to that of the
 *    thread and back, and have a frame pointer, on the goroutine's;
 *  - a few functions have no caller: goroutines and threads begin in them, or, from
 *    where they go to it, the scheduler's own stack does.
 *
 * Where these are not as they are known to be there is a hole, rather than a guess that
 * nobody can tell from what is known.
 *
 * Contexts: any thread; no state outlives a call.
 */
#include <errno.h>
#include <string.h>

#include "sframe/gen_parts.h"

/* push %rbp; mov %rsp, %rbp */
#define PUSH_SIZE	1U
#define PROLOGUE_SIZE	4U

#define FRAME_SIZE	16	/* return address and frame pointer */

static const struct {
	const char *name;
	enum gen_go_kind kind;
} known[] = {
	{ "runtime.goexit",		GEN_GO_FIRST },
	{ "runtime.rt0_go",		GEN_GO_BEGIN },
	{ "_rt0_amd64_linux",		GEN_GO_FIRST },
	{ "runtime.mstart",		GEN_GO_THREAD },
	{ "runtime.mcall",		GEN_GO_LEAVES },
	{ "runtime.morestack",		GEN_GO_LEAVES },
	{ "runtime.systemstack",	GEN_GO_SWITCH },
	{ "runtime.asmcgocall",		GEN_GO_SWITCH },
	/* the same stack, but its pointer is rounded before they call C */
	{ "runtime.callCgoMmap",	GEN_GO_SWITCH },
	{ "runtime.callCgoMunmap",	GEN_GO_SWITCH },
	{ "runtime.callCgoSigaction",	GEN_GO_SWITCH },
};

/* Assembly has its ABI behind the name. */
static bool is_called(const struct gen_bytes *names, u64 at, const char *name)
{
	char other[64];

	if (gen_is_named(names, at, name))
		return true;
	snprintf(other, sizeof(other), "%s.abi0", name);
	return gen_is_named(names, at, other);
}

static enum gen_go_kind kind_by_name(const struct gen_bytes *names, u64 at)
{
	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		if (is_called(names, at, known[i].name))
			return known[i].kind;
	}
	return GEN_GO_OTHER;
}

static void take_symbol(struct gen_go *go, const Elf64_Sym *sym, const struct gen_bytes *names)
{
	enum gen_go_kind kind;

	/* C's are none of Go's; whoever has it makes its threads by C */
	if (gen_is_named(names, sym->st_name, "crosscall1"))
		go->threads_of_c = true;
	/* a library's runtime begins in a thread of C */
	if (is_called(names, sym->st_name, "_rt0_amd64_lib_go"))
		go->is_library = true;
	if (ELF64_ST_TYPE(sym->st_info) != STT_FUNC || go->nr == GEN_GO_MAX)
		return;
	kind = kind_by_name(names, sym->st_name);
	if (kind == GEN_GO_OTHER)
		return;
	go->starts[go->nr] = sym->st_value;
	go->sizes[go->nr] = sym->st_size;
	go->kinds[go->nr++] = kind;
}

/**
 * gen_go_read - look for the functions that are special
 * @go: out
 * @symbols: of a file that Go has made
 * @names: of these
 */
void gen_go_read(struct gen_go *go, const struct gen_bytes *symbols, const struct gen_bytes *names)
{
	Elf64_Sym sym;

	for (u64 at = 0; symbols->size - at >= sizeof(sym); at += sizeof(sym)) {
		memcpy(&sym, symbols->at + at, sizeof(sym));
		take_symbol(go, &sym, names);
	}
}

/**
 * gen_go_find_switch - where a function goes to another stack
 * @code: of it
 * @size: its bytes
 *
 * By the one instruction that loads the stack pointer from a register and an offset:
 * mov x(%reg), %rsp.
 *
 * Return: the end of it from the function's start, 0 if there is none, or more.
 */
u32 gen_go_find_switch(const u8 *code, u32 size)
{
	u32 found = 0;

	for (u32 i = 0; i + 4 <= size; i++) {
		u8 modrm = code[i + 2];
		u32 end = i + (modrm >> 6 == 1 ? 4 : 7);

		if ((code[i] & 0xfe) != 0x48 || code[i + 1] != 0x8b || (modrm & 0x38) != 0x20 ||
		    (modrm & 0x07) == 0x04 || (modrm >> 6 != 1 && modrm >> 6 != 2) || end > size)
			continue;
		if (found)
			return 0;
		found = end;
	}
	return found;
}

/* Return: which of the functions it is, -1 if none. */
static int find_special(const struct gen_go *go, u64 start)
{
	for (unsigned int i = 0; i < go->nr; i++) {
		if (go->starts[i] == start)
			return i;
	}
	return -1;
}

static bool has_frame(const struct gen_run *run)
{
	return run->form == GEN_FORM_DEFAULT && run->cfa.base == GEN_SP &&
	       run->cfa.off >= FRAME_SIZE && run->fp.kind == GEN_NONE;
}

/* By the frame pointer, which stays on the stack that it was made on. */
static void switch_by_fp(struct gen_run *run)
{
	run->form = GEN_FORM_PATH;
	run->cfa = (struct gen_value){
		.kind = GEN_VALUE, .base = GEN_FP, .off = FRAME_SIZE, .path = 1,
	};
}

static void be_only(struct gen_rows *rows, enum gen_form form, u8 hole)
{
	rows->runs[0] = (struct gen_run){ .form = form, .hole = hole };
	rows->nr = 1;
}

/* From there on nobody called it. */
static int end_stack(struct gen_rows *rows, u32 from, u64 size)
{
	size_t nr = 0;

	if (!from || from >= size) {
		be_only(rows, GEN_FORM_HOLE, LW_GEN_HOLE_SP);
		return 0;
	}
	while (nr < rows->nr && rows->runs[nr].start < from)
		nr++;
	if (lw_grow((void **)&rows->runs, &rows->room, nr + 1, sizeof(*rows->runs)))
		return -ENOMEM;
	rows->runs[nr] = (struct gen_run){
		.start = from, .form = GEN_FORM_OUTERMOST, .hole = LW_GEN_NUM_HOLES,
	};
	rows->nr = nr + 1;
	return 0;
}

/* Of all rows but that of the prologue's second instruction. */
static int add_switches(struct gen_rows *rows, u64 size)
{
	struct gen_run *runs;

	/* it is not as it was: what it says of itself is wrong on another stack */
	if (size <= PROLOGUE_SIZE || rows->nr < 2 || rows->runs[1].start != PUSH_SIZE ||
	    !has_frame(&rows->runs[1]) || (rows->nr > 2 && rows->runs[2].start < PROLOGUE_SIZE)) {
		be_only(rows, GEN_FORM_HOLE, LW_GEN_HOLE_SP);
		return 0;
	}
	if (lw_grow((void **)&rows->runs, &rows->room, rows->nr + 1, sizeof(*rows->runs)))
		return -ENOMEM;
	runs = rows->runs;
	memmove(&runs[2], &runs[1], (rows->nr - 1) * sizeof(*runs));
	rows->nr++;
	runs[2].start = PROLOGUE_SIZE;
	for (size_t i = 2; i < rows->nr; i++) {
		if (has_frame(&runs[i]))
			switch_by_fp(&runs[i]);
	}
	return 0;
}

static int mend_special(const struct gen_go *go, unsigned int idx, u64 size,
			struct gen_rows *rows)
{
	switch (go->kinds[idx]) {
	case GEN_GO_FIRST:
		be_only(rows, GEN_FORM_OUTERMOST, LW_GEN_NUM_HOLES);
		return 0;
	case GEN_GO_BEGIN:
		/* it rounds the stack pointer, and does not say so */
		if (go->is_library)
			be_only(rows, GEN_FORM_HOLE, LW_GEN_HOLE_SP);
		else
			be_only(rows, GEN_FORM_OUTERMOST, LW_GEN_NUM_HOLES);
		return 0;
	case GEN_GO_THREAD:
		if (!go->threads_of_c)
			be_only(rows, GEN_FORM_OUTERMOST, LW_GEN_NUM_HOLES);
		return 0;
	case GEN_GO_LEAVES:
		return end_stack(rows, go->switches[idx], size);
	case GEN_GO_SWITCH:
		return add_switches(rows, size);
	case GEN_GO_OTHER:
		break;
	}
	return 0;
}

/**
 * gen_go_mend - add to the rows of a function what is known of it
 * @go: of its file
 * @start: of the function, as in the file's headers
 * @size: its bytes, as its call frame information has them: symbols may say others
 * @rows: its runs
 *
 * Return: 0 or -ENOMEM.
 */
int gen_go_mend(const struct gen_go *go, u64 start, u64 size, struct gen_rows *rows)
{
	int idx = find_special(go, start), ret = 0;

	if (!go->is_go || !rows->nr)
		return 0;
	if (idx >= 0)
		ret = mend_special(go, idx, size, rows);
	for (size_t i = 0; i < rows->nr; i++) {
		struct gen_run *run = &rows->runs[i];

		if (!has_frame(run) && run->form != GEN_FORM_PATH)
			continue;
		run->fp = (struct gen_value){
			.kind = GEN_VALUE, .base = GEN_CFA, .deref = 1, .off = -FRAME_SIZE,
		};
	}
	return ret;
}
