// SPDX-License-Identifier: GPL-2.0
/*
 * leaf_caller_test.c - who has called a function of arm64 whose return address is in x30, as
 * 'perf record -g' leaves it: in functions with a frame and without, with call frame information
 * and without, and for a return address that is signed, or nowhere.  And whom 'perf record
 * --call-graph dwarf' tells of, with return addresses that are signed.
 */
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/perf_records.h"
#include "profile/dwarf_unwind.h"
#include "tests/tap.h"

#define PID		4100U
#define TEXT		0x410000ULL
#define LEAF		TEXT
#define FRAMED		(TEXT + 0x8)
#define FRAMED_SAVED	(TEXT + 0xc)
#define BARE		(TEXT + 0x18)
#define RETURN		(TEXT + 0x24)
#define NAMED		(TEXT + 0x28)
#define NAMED_DEEP	(TEXT + 0x2c)
#define STACK		0x7ffff000ULL
#define X30		(1ULL << 30)

static const char source[] =
	".text\n"
	".globl _start\n"
	".cfi_startproc\n"			/* LEAF */
	"add x0, x0, #1; ret\n"
	".cfi_endproc\n"
	".cfi_startproc\n"			/* FRAMED */
	"stp x29, x30, [sp, #-16]!\n"
	".cfi_def_cfa_offset 16; .cfi_offset 29, -16; .cfi_offset 30, -8\n"
	"nop; ldp x29, x30, [sp], #16\n"	/* FRAMED_SAVED */
	".cfi_restore 29; .cfi_restore 30; .cfi_def_cfa_offset 0\n"
	"ret\n"
	".cfi_endproc\n"
	"nop; ret\n"				/* BARE */
	"_start: .cfi_startproc\n"
	"bl .\n"
	"nop\n"					/* RETURN */
	".cfi_endproc\n"
	".type named, %function\n"
	"named: sub sp, sp, #16\n"		/* NAMED */
	"nop; add sp, sp, #16; ret\n"		/* NAMED_DEEP */
	".size named, . - named\n";

static char path[40] = "/tmp/lw-leaf-caller-XXXXXX";

static struct lw_symbolizer *symbolizer;
static struct lw_process_maps *maps;

#define ELSEWHERE	"${LW_ROOT:+chroot \"$LW_ROOT\"} sh -c 'at=$(mktemp -d) && cd $at && "
#define LINK		"cat >it.s && aarch64-linux-gnu-gcc -nostdlib -static -Wl,-Ttext=0x410000 it.s"
#define AND_SHOW	" && cat a.out; status=$?; rm -r $at; exit $status'"

/* By the compiler for arm64, in the root that the unit tests have it in, if any. */
static bool build(void)
{
	char line[512];
	FILE *compiler;

	snprintf(line, sizeof(line), ELSEWHERE LINK AND_SHOW " >%s 2>/dev/null", path);
	compiler = popen(line, "w");
	if (!compiler)
		return false;
	fputs(source, compiler);
	return !pclose(compiler);
}

static int map_text(const GElf_Phdr *segment)
{
	struct {
		struct lw_mmap2 map;
		char name[sizeof(path)];
		struct lw_sample_id id;
	} record = {
		.map = {
			.header = { .type = PERF_RECORD_MMAP2, .size = sizeof(record) },
			.pid = PID, .tid = PID, .addr = segment->p_vaddr & ~0xfffULL,
			.len = (segment->p_memsz + 0x1fff) & ~0xfffULL,
			.pgoff = segment->p_offset & ~0xfffULL,
		},
		.id = { .pid = PID, .tid = PID },
	};

	memcpy(record.name, path, sizeof(path));
	return lw_process_maps_record(maps, &record.map.header);
}

static bool load(void)
{
	const struct lw_symbolize_options options = { .no_demangle = true };
	int fd = open(path, O_RDONLY), ret = -1;
	GElf_Phdr segment;
	Elf *elf;

	symbolizer = lw_symbolizer_new(&options);
	maps = lw_process_maps_new();
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	for (int i = 0; elf && gelf_getphdr(elf, i, &segment); i++) {
		if (segment.p_type == PT_LOAD && segment.p_flags & PF_X)
			ret = map_text(&segment);
	}
	elf_end(elf);
	close(fd);
	return symbolizer && maps && !ret;
}

/* Who has called the function at @ip; @regs are those of @mask. */
static u64 caller_by(const char *machine, u64 ip, u64 mask, u64 x30)
{
	const u64 regs[] = { x30, x30 };
	const struct lw_stack_copy copy = {
		.pid = PID, .tid = PID, .abi = PERF_SAMPLE_REGS_ABI_64, .mask = mask, .regs = regs,
	};
	struct lw_dwarf_unwinder *unwinder = lw_dwarf_unwinder_new(symbolizer, maps, machine);
	u64 caller = unwinder ? lw_dwarf_unwind_leaf(unwinder, &copy, ip) : 1;

	lw_dwarf_unwinder_free(unwinder);
	return caller;
}

static u64 caller(u64 ip, u64 x30)
{
	return caller_by("aarch64", ip, X30, x30);
}

static bool where_it_is_in_x30(void)
{
	CHECK(caller(LEAF, RETURN) == RETURN - 1);
	CHECK(caller(LEAF + 4, RETURN) == RETURN - 1);
	CHECK(caller(FRAMED, RETURN) == RETURN - 1);
	return true;
}

/* There x30 may be anything. */
static bool not_where_it_is_saved(void)
{
	CHECK(!caller(FRAMED_SAVED, RETURN));
	CHECK(!caller(FRAMED_SAVED + 4, RETURN));
	return true;
}

static bool not_without_a_rule(void)
{
	CHECK(!caller(BARE, RETURN));
	CHECK(!caller(TEXT - 0x10000, RETURN));
	return true;
}

/* Such as the vDSO, and entries of PLTs. */
static bool where_instructions_leave_it(void)
{
	CHECK(caller(NAMED, RETURN) == RETURN - 1);
	CHECK(caller(NAMED_DEEP, RETURN) == RETURN - 1);
	CHECK(caller(NAMED_DEEP, RETURN | 0x35ULL << 48) == RETURN - 1);
	return true;
}

static bool signatures_are_taken_off(void)
{
	CHECK(caller(LEAF, RETURN | 0x35ULL << 48) == RETURN - 1);
	CHECK(caller(LEAF, RETURN | 0xff7fULL << 48) == RETURN - 1);
	return true;
}

static bool what_is_not_mapped_is_none(void)
{
	CHECK(!caller(LEAF, 0));
	CHECK(!caller(LEAF, 0x700000000ULL));
	CHECK(!caller(LEAF, RETURN | 1ULL << 40));
	return true;
}

static bool x30_of_arm64_alone(void)
{
	CHECK(!caller_by("x86_64", LEAF, X30, RETURN));
	CHECK(!caller_by("aarch64", LEAF, X30 | 1ULL << 31, RETURN));
	CHECK(!caller_by("aarch64", LEAF, 1, RETURN));
	return true;
}

/* The caller of a function at @ip, where its stack has @word at the place of its return address. */
static u64 caller_by_copy(u64 ip, u64 x30, u64 word)
{
	const u64 words[] = { 0, word };
	u64 regs[] = { [30] = x30, [31] = STACK, [32] = ip }, ips[2] = { 0 };
	const struct lw_stack_copy copy = {
		.pid = PID, .tid = PID, .abi = PERF_SAMPLE_REGS_ABI_64, .mask = (1ULL << 33) - 1,
		.regs = regs, .stack = words, .size = sizeof(words),
	};
	struct lw_dwarf_unwinder *unwinder = lw_dwarf_unwinder_new(symbolizer, maps, "aarch64");
	enum lw_unwind_end end;
	u32 nr = unwinder ? lw_dwarf_unwind(unwinder, &copy, ips, ARRAY_SIZE(ips), &end) : 0;

	lw_dwarf_unwinder_free(unwinder);
	return nr == 2 && ips[0] == ip ? ips[1] : 0;
}

static bool signatures_in_copies_are_taken_off(void)
{
	CHECK(caller_by_copy(FRAMED_SAVED, 0, RETURN) == RETURN - 1);
	CHECK(caller_by_copy(FRAMED_SAVED, 0, RETURN | 0x35ULL << 48) == RETURN - 1);
	CHECK(caller_by_copy(FRAMED_SAVED, 0, RETURN | 0xff7fULL << 48) == RETURN - 1);
	CHECK(caller_by_copy(LEAF, RETURN | 0x35ULL << 48, 0) == RETURN - 1);
	/* no address of user space */
	CHECK(caller_by_copy(FRAMED_SAVED, 0, RETURN | 0xffffULL << 48) ==
	      (RETURN | 0xffffULL << 48) - 1);
	/* nothing is mapped there */
	CHECK(caller_by_copy(FRAMED_SAVED, 0, RETURN | 0x35ULL << 48 | 1ULL << 40) ==
	      (RETURN | 0x35ULL << 48 | 1ULL << 40) - 1);
	return true;
}

/* By its instructions, on to its caller, whose rules go by the stack pointer. */
static bool callers_of_code_without_rules_are_found(void)
{
	/* x29 leads to what is no frame of the leaf */
	const u64 words[] = { TEXT, TEXT, 0, RETURN | 0x35ULL << 48 };
	u64 regs[] = {
		[29] = STACK + 16, [30] = FRAMED_SAVED + 4, [31] = STACK, [32] = NAMED_DEEP,
	};
	u64 ips[3] = { 0 };
	const struct lw_stack_copy copy = {
		.pid = PID, .tid = PID, .abi = PERF_SAMPLE_REGS_ABI_64, .mask = (1ULL << 33) - 1,
		.regs = regs, .stack = words, .size = sizeof(words),
	};
	struct lw_dwarf_unwinder *unwinder = lw_dwarf_unwinder_new(symbolizer, maps, "aarch64");
	enum lw_unwind_end end;

	CHECK(lw_dwarf_unwind(unwinder, &copy, ips, ARRAY_SIZE(ips), &end) == 3);
	CHECK(ips[0] == NAMED_DEEP && ips[1] == FRAMED_SAVED + 3 && ips[2] == RETURN - 1);
	/* no more than there is room for */
	CHECK(lw_dwarf_unwind(unwinder, &copy, ips, 1, &end) == 1 && ips[0] == NAMED_DEEP);
	lw_dwarf_unwinder_free(unwinder);
	return true;
}

int main(void)
{
	static const struct tap_test tests[] = {
		TEST(where_it_is_in_x30),
		TEST(not_where_it_is_saved),
		TEST(not_without_a_rule),
		TEST(where_instructions_leave_it),
		TEST(signatures_are_taken_off),
		TEST(what_is_not_mapped_is_none),
		TEST(x30_of_arm64_alone),
		TEST(signatures_in_copies_are_taken_off),
		TEST(callers_of_code_without_rules_are_found),
	};
	int fd = mkstemp(path), status;

	if (fd < 0)
		return 1;
	close(fd);
	if (!build()) {
		unlink(path);
		/* The lane's root has the compiler. */
		if (getenv("LW_ROOT"))
			return 1;
		printf("TAP version 13\n1..0 # SKIP no compiler for arm64\n");
		return 4;
	}
	status = load() ? tap_run(tests, ARRAY_SIZE(tests)) : 1;
	lw_process_maps_free(maps);
	lw_symbolizer_free(symbolizer);
	unlink(path);
	return status;
}
