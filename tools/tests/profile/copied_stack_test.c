// SPDX-License-Identifier: GPL-2.0
/*
 * copied_stack_test.c - chains that perf has not walked: of copies of stacks, as 'perf record
 * --call-graph dwarf' makes them, and of records of calls, as --call-graph lbr does; hostile
 * ones do no harm. The recordings are made by hand, of this program's own stack.
 */
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "base/perf_records.h"
#include "profile/recording.h"
#include "tests/tap.h"

#define PID		4100U
#define KERNEL		0xffffffffa0001000ULL
#define COPY		16384U
/* Registers in the order of perf's numbers. */
#define REGS		(0x1ffULL | 0xff0000ULL)
#define NR_REGS		17

static char path[40] = "/tmp/lw-copied-stack-XXXXXX";

/* --- a stack of this program, and what a recording has of it */

static struct {
	u64 regs[NR_REGS];
	u8 stack[COPY];
	u64 size;			/* of @stack: where main returns to is behind it */
} copy;
static u64 bottom;

/* What lies between variables is copied, too. */
__attribute__((noinline, noclone, used, no_sanitize_address)) static void leaf_function(void)
{
	static const int order[NR_REGS] = {
		REG_RAX, REG_RBX, REG_RCX, REG_RDX, REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_RIP,
		REG_R8, REG_R9, REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15,
	};
	ucontext_t context;

	getcontext(&context);
	for (int i = 0; i < NR_REGS; i++)
		copy.regs[i] = context.uc_mcontext.gregs[order[i]];
	copy.size = bottom + 8 - copy.regs[7];
	for (u64 i = 0; i + 8 <= copy.size; i += 8)
		*(u64 *)(copy.stack + i) = *(u64 *)(copy.regs[7] + i);
}

#ifdef __x86_64__
/*
 * The outer one's frame is found by rbx, like that of ld.so's _dl_runtime_resolve, and the inner
 * one, which leaf_function() returns to, leaves rbx as it is.
 */
__attribute__((naked, noinline, noclone, used)) static void inner_function(void)
{
	asm("sub $8, %rsp\n"
	    ".cfi_adjust_cfa_offset 8\n"
	    "call leaf_function\n"
	    "add $8, %rsp\n"
	    ".cfi_adjust_cfa_offset -8\n"
	    "ret");
}

__attribute__((naked, noinline, noclone)) static void outer_function(void)
{
	asm("push %rbx\n"
	    ".cfi_adjust_cfa_offset 8\n"
	    ".cfi_rel_offset rbx, 0\n"
	    "mov %rsp, %rbx\n"
	    ".cfi_def_cfa_register rbx\n"
	    "sub $100, %rsp\n"
	    "and $-64, %rsp\n"
	    "call inner_function\n"
	    "mov %rbx, %rsp\n"
	    ".cfi_def_cfa_register rsp\n"
	    "pop %rbx\n"
	    ".cfi_adjust_cfa_offset -8\n"
	    "ret");
}

#define OUTER		"inner_function outer_function "
#else
#define outer_function	leaf_function
#define OUTER		""
#endif

__attribute__((noinline, noclone)) static void middle_function(volatile int *depth)
{
	if (--*depth)
		middle_function(depth);
	else
		outer_function();
	asm volatile("" ::: "memory");
}

/* --- making recordings */

struct file {
	char magic[8];
	u64 size, attr_size;
	struct { u64 offset, size; } attrs, data, types;
	u64 features[4];
	struct perf_event_attr attr;
	struct { u64 offset, size; } ids;
};

static struct {
	FILE *file;
	u64 size;			/* of records */
} made;

/* What a sample is made of; what its type does not have is left out. */
struct made_sample {
	u64 type;
	u64 chain[8], nr_chain;
	u64 abi;
	u64 mask;
	u64 copied, good;		/* bytes of the stack */
	u64 nr_branches;		/* as it says */
	struct perf_branch_entry branches[4];
};

static void put(const void *bytes, size_t size)
{
	made.size += fwrite(bytes, 1, size, made.file);
}

static void put_word(u64 word)
{
	put(&word, sizeof(word));
}

static void put_map(u64 start, u64 end, u64 pgoff, const char *name)
{
	struct lw_mmap2 map = {
		.pid = PID, .tid = PID, .addr = start, .len = end - start, .pgoff = pgoff,
		.prot = PROT_READ | PROT_EXEC,
	};
	char room[256] = "";
	size_t len = ALIGN_UP(strlen(name) + 1, 8);

	map.header.type = PERF_RECORD_MMAP2;
	map.header.misc = PERF_RECORD_MISC_USER;
	map.header.size = sizeof(map) + len;
	strcpy(room, name);
	put(&map, sizeof(map));
	put(room, len);
}

/* This program and its libraries. */
static void put_maps(void)
{
	FILE *file = fopen("/proc/self/maps", "r");
	char line[4400], name[256], mode[8];
	u64 start, end, pgoff;

	while (file && fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%llx-%llx %7s %llx %*s %*s %200s", &start, &end, mode, &pgoff,
			   name) == 5 && mode[2] == 'x' && name[0] == '/')
			put_map(start, end, pgoff, name);
	}
	if (file)
		fclose(file);
}

static void put_regs(const struct made_sample *sample)
{
	u32 at = 0;

	put_word(sample->abi);
	for (u32 bit = 0; sample->abi && bit < 64; bit++) {
		if (!(sample->mask & (1ULL << bit)))
			continue;
		put_word(REGS & (1ULL << bit) ? copy.regs[at++ % NR_REGS] : 0);
	}
}

static void put_stack(const struct made_sample *sample)
{
	put_word(sample->copied);
	put(copy.stack, sample->copied);
	if (sample->copied)
		put_word(sample->good);
}

static void put_branches(const struct made_sample *sample)
{
	put_word(sample->nr_branches);
	put_word(0);
	put(sample->branches, sizeof(sample->branches));
}

static void put_sample(const struct made_sample *sample)
{
	u64 type = sample->type, begin = made.size;
	struct perf_event_header header = { .type = PERF_RECORD_SAMPLE };
	long at = ftell(made.file);

	header.misc = sample->nr_chain ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER;
	put(&header, sizeof(header));
	put_word(copy.regs[8]);
	put_word(PID | (u64)PID << 32);
	put_word(sample->nr_chain);
	put(sample->chain, sample->nr_chain * 8);
	if (type & PERF_SAMPLE_BRANCH_STACK)
		put_branches(sample);
	if (type & PERF_SAMPLE_REGS_USER)
		put_regs(sample);
	if (type & PERF_SAMPLE_STACK_USER)
		put_stack(sample);
	header.size = made.size - begin;
	fseek(made.file, at, SEEK_SET);
	fwrite(&header, sizeof(header), 1, made.file);
	fseek(made.file, 0, SEEK_END);
}

#define BASE_TYPE	(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_CALLCHAIN)
#define DWARF_TYPE	(BASE_TYPE | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER)
#define LBR_TYPE	(BASE_TYPE | PERF_SAMPLE_BRANCH_STACK)

static const struct made_sample whole = {
	.type = DWARF_TYPE, .abi = PERF_SAMPLE_REGS_ABI_64, .mask = REGS,
};

/* One sample, or several of one type. */
static bool record(const struct made_sample *samples, u32 nr, u64 branches)
{
	struct file head = {
		.magic = "PERFILE2", .size = offsetof(struct file, attr),
		.attr_size = sizeof(head.attr) + sizeof(head.ids),
		.attrs = { offsetof(struct file, attr), sizeof(head.attr) + sizeof(head.ids) },
		.data = { sizeof(head) },
		.attr = {
			.type = PERF_TYPE_SOFTWARE, .size = sizeof(head.attr), .sample_period = 1,
			.sample_type = samples->type, .sample_regs_user = samples->mask,
			.sample_stack_user = COPY, .branch_sample_type = branches,
		},
	};

	made.file = fopen(path, "w");
	if (!made.file)
		return false;
	fwrite(&head, sizeof(head), 1, made.file);
	made.size = 0;
	put_maps();
	for (u32 i = 0; i < nr; i++)
		put_sample(&samples[i]);
	head.data.size = made.size;
	rewind(made.file);
	fwrite(&head, sizeof(head), 1, made.file);
	return !fclose(made.file);
}

/* --- reading them */

static struct {
	struct lw_recording *recording;
	char names[4096];		/* of all frames, with blanks between */
	char ends[256];
	u64 caller;			/* address of the last sample's second frame */
	u32 nr_samples, nr_frames;
} seen;

static int add_frame(void *ctx, const struct lw_frame *frame)
{
	size_t len = strlen(seen.names);
	const char *name = frame->places[frame->nr - 1].function;

	(void)ctx;
	if (++seen.nr_frames == 2)
		seen.caller = frame->ip;
	snprintf(seen.names + len, sizeof(seen.names) - len, "%s%s", len ? " " : "",
		 frame->kind == LW_FRAME_KERNEL ? "[k]" : name ? name : "?");
	return 0;
}

static int add_sample(void *ctx, const struct lw_perf_record *sample)
{
	(void)ctx;
	seen.nr_samples++;
	return lw_recording_frames(seen.recording, sample, add_frame, NULL);
}

static bool read_back(u32 max_stack)
{
	const struct lw_recording_options options = { .path = path, .max_stack = max_stack };
	const char *ends;
	int ret;

	memset(&seen, 0, sizeof(seen));
	if (lw_recording_open(&seen.recording, &options))
		return false;
	ret = lw_recording_read(seen.recording, add_sample, NULL);
	ends = lw_recording_ends(seen.recording);
	snprintf(seen.ends, sizeof(seen.ends), "%s", ends ? ends : "");
	lw_recording_close(seen.recording);
	return !ret;
}

static bool reads(const struct made_sample *sample, u32 max_stack, const char *names)
{
	bool good = record(sample, 1, 0) && read_back(max_stack) &&
		    !strncmp(seen.names, names, strlen(names));

	if (!good)
		printf("# '%s' instead of '%s'; %s\n", seen.names, names, seen.ends);
	return good;
}

#define OWN	"leaf_function " OUTER "middle_function middle_function middle_function main"

static struct made_sample own_copy(void)
{
	struct made_sample sample = whole;

	sample.copied = copy.size & ~7ULL;
	sample.good = sample.copied;
	return sample;
}

static void add_kernel_part(struct made_sample *sample)
{
	static const u64 chain[] = { PERF_CONTEXT_KERNEL, KERNEL, KERNEL + 8 };

	memcpy(sample->chain, chain, sizeof(chain));
	sample->nr_chain = ARRAY_SIZE(chain);
}

static bool a_copy_has_its_frames(void)
{
	struct made_sample sample = own_copy();

	CHECK(reads(&sample, 0, OWN));
	CHECK(strstr(seen.ends, "1 of 1 user stacks end early"));
	CHECK(strstr(seen.ends, "1 end where the copy ends"));
	/* the last byte of a call */
	CHECK(*(u8 *)(seen.caller - 4) == 0xe8);
	/* also where the chain was begun again */
	for (u32 most = 1; most < 6; most++) {
		CHECK(reads(&sample, most, "leaf_function") && seen.nr_frames == most);
		CHECK(!strncmp(seen.names, OWN, strlen(seen.names)));
	}
	return true;
}

static bool they_are_behind_those_of_the_kernel(void)
{
	struct made_sample sample = own_copy();

	add_kernel_part(&sample);
	CHECK(reads(&sample, 0, "[k] [k] " OWN));
	sample.good = 0;
	CHECK(reads(&sample, 0, "[k] [k]") && !strcmp(seen.names, "[k] [k]"));
	CHECK(strstr(seen.ends, "1 were not copied"));
	/* a task of the kernel has no other stack */
	sample.abi = 0;
	CHECK(reads(&sample, 0, "[k] [k]") && !strcmp(seen.names, "[k] [k]"));
	CHECK(!seen.ends[0]);
	return true;
}

static bool without_registers_there_is_the_address_alone(void)
{
	struct made_sample sample = own_copy();

	sample.mask = REGS & ~(1ULL << 7);
	CHECK(reads(&sample, 0, "leaf_function") && !strcmp(seen.names, "leaf_function"));
	CHECK(strstr(seen.ends, "1 without a rule"));
	sample.mask = REGS;
	sample.abi = 77;
	CHECK(reads(&sample, 0, "leaf_function") && !strcmp(seen.names, "leaf_function"));
	return true;
}

static bool hostile_sizes_are_bounded(void)
{
	struct made_sample sample = own_copy();

	sample.good = ~0ULL;
	CHECK(reads(&sample, 0, OWN));
	CHECK(strstr(seen.ends, "1 end where the copy ends"));
	sample.mask = ~0ULL;
	CHECK(record(&sample, 1, 0) && read_back(0) && seen.nr_samples == 1);
	return true;
}

/* Any bytes may be there instead: what comes of them is bounded. */
static bool random_stacks_do_no_harm(void)
{
	struct made_sample sample = own_copy();
	u64 state = 88172645463325252ULL;

	for (u32 round = 0; round < 100; round++) {
		for (u32 i = 0; i < copy.size / 16; i++) {
			state ^= state << 13;
			state ^= state >> 7;
			state ^= state << 17;
			copy.stack[state % copy.size] = state >> 40;
		}
		copy.regs[state % NR_REGS] ^= round % 4 ? 0 : state;
		CHECK(record(&sample, 1, 0) && read_back(0) && seen.nr_samples == 1);
	}
	return true;
}

#define KINDS	(PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_HW_INDEX)

/* As the processor records calls: leaf_function in middle_function in middle_function. */
static struct made_sample own_calls(void)
{
	struct made_sample sample = { .type = LBR_TYPE, .nr_branches = 2 };

	add_kernel_part(&sample);
	sample.chain[2] = PERF_CONTEXT_USER;
	sample.chain[3] = copy.regs[8];
	sample.nr_chain = 4;
	sample.branches[0].to = (u64)leaf_function;
	sample.branches[0].from = (u64)middle_function + 1;
	sample.branches[1].to = (u64)middle_function;
	sample.branches[1].from = (u64)middle_function + 2;
	return sample;
}

static bool recorded_calls_are_a_stack(void)
{
	struct made_sample sample = own_calls();

	CHECK(record(&sample, 1, KINDS | PERF_SAMPLE_BRANCH_CALL_STACK) && read_back(0));
	CHECK(!strcmp(seen.names, "[k] leaf_function middle_function middle_function"));
	/* a task of the kernel has none */
	sample.nr_chain = 2;
	CHECK(record(&sample, 1, KINDS | PERF_SAMPLE_BRANCH_CALL_STACK) && read_back(0));
	CHECK(!strcmp(seen.names, "[k]"));
	return true;
}

static bool other_branches_are_none(void)
{
	struct made_sample sample = own_calls();

	CHECK(record(&sample, 1, KINDS) && read_back(0));
	CHECK(!strcmp(seen.names, "[k] leaf_function"));
	return true;
}

static bool more_branches_than_there_are_make_no_sample(void)
{
	struct made_sample sample = own_calls();

	/* times 24 bytes it is 0 */
	sample.nr_branches = 1ULL << 61;
	CHECK(record(&sample, 1, KINDS) && read_back(0));
	CHECK(!seen.nr_samples);
	return true;
}

int main(void)
{
	static const struct tap_test tests[] = {
		TEST(a_copy_has_its_frames),
		TEST(they_are_behind_those_of_the_kernel),
		TEST(without_registers_there_is_the_address_alone),
		TEST(hostile_sizes_are_bounded),
		TEST(recorded_calls_are_a_stack),
		TEST(other_branches_are_none),
		TEST(more_branches_than_there_are_make_no_sample),
		TEST(random_stacks_do_no_harm),
	};
	volatile int depth = 3;
	int fd = mkstemp(path), ret;

	if (fd < 0)
		return 1;
	close(fd);
	bottom = (u64)__builtin_frame_address(0);
	middle_function(&depth);
	ret = tap_run(tests, ARRAY_SIZE(tests));
	unlink(path);
	return ret;
}
