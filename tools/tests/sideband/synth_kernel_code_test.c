// SPDX-License-Identifier: GPL-2.0
/*
 * synth_kernel_code_test.c - records for kernel code that was made before a recording.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/perf_records.h"
#include "sideband/synth_kernel_code.h"
#include "tests/tap.h"

struct ksymbol {
	struct perf_event_header header;
	u64 addr;
	u32 len;
	u16 type, flags;
	char name[];
};

struct told {
	char text[4096];
	size_t len;
	u32 stop_after, calls;
};

static int take(void *ctx, const struct perf_event_header *record)
{
	const struct ksymbol *symbol = (const void *)record;
	const struct lw_sample_id *id =
		(const void *)((const u8 *)record + record->size - sizeof(*id));
	struct told *told = ctx;

	told->len += snprintf(told->text + told->len, sizeof(told->text) - told->len,
			      "%u %llx %x %u %u %s %llu\n", record->type, symbol->addr,
			      symbol->len, symbol->type, symbol->flags, symbol->name, id->time);
	if (record->size % 8 || record->size < sizeof(*symbol) + strlen(symbol->name) + 1 +
					       sizeof(*id))
		return -EINVAL;
	return ++told->calls == told->stop_after ? -ENOSPC : 0;
}

static int synthesise(struct told *told, const char *text)
{
	told->len = 0;
	told->text[0] = 0;
	return lw_synth_kernel_code(text, strlen(text), take, told);
}

static bool is(const struct told *told, const char *expected)
{
	if (!strcmp(told->text, expected))
		return true;
	printf("# %s\n", told->text);
	return false;
}

static const char made[] =
	"ffffffffc0001000 t helper\t[some_module]\n"
	"ffffffffc0302000 t ftrace_trampoline\t[__builtin__ftrace]\n"
	"ffffffffc0302100 t ftrace_trampoline\t[__builtin__ftrace]\n"
	"ffffffffc0304800 t bpf_trampoline_6442\t[bpf]\n"
	"ffffffffc0304000 t bpf_prog_b57eef07e6a27b43_it\t[bpf]\n"
	"ffffffffc0400000 t kprobe_insn_page\t[__builtin__kprobes]\n";

/* At most to the end of a page; programs have records of their own, but an end is one. */
static bool each_has_a_record(void)
{
	struct told told = { 0 };

	CHECK(!synthesise(&told, made));
	CHECK(is(&told, "17 ffffffffc0302000 100 2 0 ftrace_trampoline 0\n"
			"17 ffffffffc0302100 f00 2 0 ftrace_trampoline 0\n"
			"17 ffffffffc0304800 800 1 0 bpf_trampoline_6442 0\n"
			"17 ffffffffc0400000 1000 2 0 kprobe_insn_page 0\n"));
	return true;
}

static bool an_error_ends_it(void)
{
	struct told told = { .stop_after = 2 };

	CHECK(synthesise(&told, made) == -ENOSPC && told.calls == 2);
	return true;
}

static bool other_lines_are_left_out(void)
{
	static char line[1024];
	struct told told = { 0 };

	CHECK(!synthesise(&told, "") && is(&told, ""));
	CHECK(!synthesise(&told, "0 t a\t[bpf]\nzz\t[bpf]\nffffffff81000000 t\t[bpf]\n"
				 "ffffffff81000000 t b\t[bpfx]\n\t[bpf]\n\n"
				 "ffffffff81000000 t not_ended\t[bpf]") && is(&told, ""));
	memset(line, 'x', sizeof(line) - 1);
	memcpy(line, "ffffffff81000000 t ", 19);
	strcpy(line + 400, "\t[bpf]\n");
	CHECK(!synthesise(&told, line) && is(&told, ""));
	strcpy(line + 600, "\t[bpf]\n");
	CHECK(!synthesise(&told, line) && is(&told, ""));
	return true;
}

/* Two at one address: the one that is without room has no record. */
static bool the_last_page_has_an_end(void)
{
	struct told told = { 0 };

	CHECK(!synthesise(&told, "ffffffffffffff00 t a\t[bpf]\n"));
	CHECK(told.calls <= 1);
	return true;
}

int main(void)
{
	static const struct tap_test tests[] = {
		TEST(each_has_a_record),
		TEST(an_error_ends_it),
		TEST(other_lines_are_left_out),
		TEST(the_last_page_has_an_end),
	};

	return tap_run(tests, ARRAY_SIZE(tests));
}
