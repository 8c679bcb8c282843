// SPDX-License-Identifier: GPL-2.0
/*
 * kernel_modules_test.c - names of modules that come and go: of the right one, at its time.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "symbols/kallsyms.h"
#include "symbols/kernel_addresses.h"
#include "symbols/kernel_modules.h"
#include "tests/tap.h"

#define FIRST	0xffffffffc0001000ULL
#define SECOND	0xffffffffc0005000ULL
#define THIRD	0xffffffffc0009000ULL

static char kallsyms[40] = "/tmp/lw-modules-names-XXXXXX", list[40] = "/tmp/lw-modules-list-XXXXXX";

/* The size is that of all parts: of the first it reaches into the second. */
static const char at_first[] =
	"second 16384 0 - Live 0xffffffffc0005000\n"
	"first 32768 0 - Live 0xffffffffc0001000 (OE)\n"
	"hidden 4096 0 - Live 0x0000000000000000\n";

static const char names_at_first[] =
	"ffffffff81000000 T _text\n"
	"ffffffff81000000 T startup_context\n"
	"ffffffff81000100 T _stext\n"
	"ffffffff82000000 T _etext\n"
	"ffffffff82001000 T __etext\n"
	"ffffffff82002000 d _etext_\n"
	"ffffffffc0001000 t first_a\t[first]\n"
	"ffffffffc0001100 T first_b\t[first]\n"
	"ffffffffc0001100 t __first_b\t[first]\n"
	"ffffffffc0001200 d no_code\t[first]\n"
	"ffffffffc0005000 t second_a\t[second]\n"
	"ffffffffc0009000 t bpf_prog_1_x\t[bpf]\n";

static bool write_text(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	if (!file)
		return false;
	fputs(text, file);
	return !fclose(file);
}

static struct lw_kernel_modules *begin(void)
{
	struct lw_kernel_modules *modules = lw_kernel_modules_new(kallsyms, list);

	if (!modules || !write_text(kallsyms, names_at_first) || !write_text(list, at_first))
		return NULL;
	lw_kernel_modules_begin(modules);
	return modules;
}

static int tell(struct lw_kernel_modules *modules, const char *name, u64 addr, u16 flags, u64 time)
{
	struct lw_module module = {
		.record = { sizeof(module), LW_RECORD_MODULE, flags },
		.time = time,
		.addr = addr,
		.text_size = 0x2000,
	};

	strcpy(module.name, name);
	return lw_kernel_modules_record(modules, &module);
}

static const char *written(const struct lw_kernel_modules *modules, const u64 *ips, size_t nr)
{
	static char *text;
	size_t size;
	FILE *to;

	free(text);
	text = NULL;
	to = open_memstream(&text, &size);
	lw_kernel_modules_write(modules, ips, nr, to);
	fclose(to);
	return text;
}

static bool is(const char *text, const char *expected)
{
	if (!strcmp(text, expected))
		return true;
	printf("# %s\n", text);
	return false;
}

static bool those_of_the_beginning_have_names(void)
{
	const u64 ips[] = { FIRST, FIRST + 0x150, FIRST + 0x160, SECOND + 8, THIRD + 4 };
	struct lw_kernel_modules *modules = begin();

	CHECK(modules);
	CHECK(is(written(modules, ips, 5),
		 "ffffffffc0001000 t \t[first]\t4000 0 ffffffffffffffff\n"
		 "ffffffffc0001000 t first_a\t[first]\t100 0 ffffffffffffffff\n"
		 "ffffffffc0001100 t first_b\t[first]\t3f00 0 ffffffffffffffff\n"
		 "ffffffffc0005000 t \t[second]\t4000 0 ffffffffffffffff\n"
		 "ffffffffc0005000 t second_a\t[second]\t4000 0 ffffffffffffffff\n"));
	CHECK(lw_kernel_modules_have(modules, FIRST));
	CHECK(lw_kernel_modules_have(modules, SECOND - 1));
	CHECK(!lw_kernel_modules_have(modules, FIRST - 1));
	CHECK(!lw_kernel_modules_have(modules, THIRD));
	lw_kernel_modules_free(modules);
	lw_kernel_modules_free(NULL);
	return true;
}

static bool the_kernel_is_where_its_symbols_are(void)
{
	struct lw_kernel_modules *modules = begin();
	const struct lw_kernel_range *range;
	struct lw_kernel_range other = { 0 };
	struct lw_kallsyms_line line;
	const char *at;
	static const char hidden[] =
		"0000000000000000 T _text\n"
		"0000000000000000 T _stext\n"
		"0000000000000000 T _etext\n";

	CHECK(modules);
	range = lw_kernel_modules_range(modules);
	CHECK(range->text == 0xffffffff81000000 && range->stext == 0xffffffff81000100);
	CHECK(range->etext == 0xffffffff82000000 && range->einittext == 0);
	CHECK(lw_kernel_range_is_known(range));
	lw_kernel_modules_free(modules);
	CHECK(!lw_kernel_range_is_known(&other));
	for (at = hidden; lw_kallsyms_next(&line, &at, hidden + strlen(hidden));)
		lw_kernel_range_take(&other, &line);
	CHECK(!lw_kernel_range_is_known(&other));
	return true;
}

static bool what_was_not_met_is_not_told_of(void)
{
	const u64 ips[] = { FIRST - 1, SECOND + 0x4000 };
	struct lw_kernel_modules *modules = begin();

	CHECK(modules && is(written(modules, ips, 2), "") && is(written(modules, ips, 0), ""));
	lw_kernel_modules_free(modules);
	return true;
}

/* At one place there are three of them; the names of each were read while it was there. */
static bool each_has_the_names_of_its_time(void)
{
	const u64 ips[] = { FIRST + 4 };
	struct lw_kernel_modules *modules = begin();

	CHECK(modules && tell(modules, "first", FIRST, LW_MODULE_GONE, 100) == 1);
	CHECK(tell(modules, "other", FIRST, 0, 200) == 1);
	CHECK(write_text(kallsyms, "ffffffffc0001000 t other_a\t[other]\n"
				   "ffffffffc0001002 t other_b\t[other]\n"
				   "ffffffffc0005000 t second_a\t[second]\n"));
	lw_kernel_modules_read_names(modules);
	CHECK(tell(modules, "other", FIRST, LW_MODULE_GONE, 300) == 1);
	CHECK(tell(modules, "other", FIRST, LW_MODULE_GONE, 310) == 0);
	CHECK(tell(modules, "first", FIRST, 0, 400) == 1);
	CHECK(write_text(kallsyms, "ffffffffc0001000 t again_a\t[first]\n"));
	lw_kernel_modules_read_names(modules);
	/* it is not read once more, but for another one */
	CHECK(write_text(kallsyms, ""));
	lw_kernel_modules_read_names(modules);
	CHECK(is(written(modules, ips, 1),
		 "ffffffffc0001000 t \t[first]\t4000 0 64\n"
		 "ffffffffc0001000 t first_a\t[first]\t100 0 64\n"
		 "ffffffffc0001000 t \t[other]\t2000 c8 12c\n"
		 "ffffffffc0001002 t other_b\t[other]\t1ffe c8 12c\n"
		 "ffffffffc0001000 t \t[first]\t2000 190 ffffffffffffffff\n"
		 "ffffffffc0001000 t again_a\t[first]\t2000 190 ffffffffffffffff\n"));
	lw_kernel_modules_free(modules);
	return true;
}

/* The record that it came is read behind the list that has it. */
static bool one_that_comes_at_the_beginning_is_not_two(void)
{
	const u64 ips[] = { FIRST + 4 };
	struct lw_kernel_modules *modules = begin();

	CHECK(modules && tell(modules, "first", FIRST, 0, 50) == 0);
	CHECK(is(written(modules, ips, 1),
		 "ffffffffc0001000 t \t[first]\t2000 32 ffffffffffffffff\n"
		 "ffffffffc0001000 t first_a\t[first]\t100 32 ffffffffffffffff\n"));
	lw_kernel_modules_free(modules);
	return true;
}

/* What went untold has gone when another one has its place. */
static bool there_are_not_two_at_one_place(void)
{
	const u64 ips[] = { FIRST + 4, FIRST + 0x2004, THIRD + 4 };
	struct lw_kernel_modules *modules = begin();

	CHECK(modules && tell(modules, "inside", FIRST + 0x2000, 0, 70) == 1);
	CHECK(tell(modules, "third", THIRD, 0, 80) == 1);
	CHECK(tell(modules, "fourth", THIRD - 0x1000, 0, 90) == 1);
	CHECK(write_text(kallsyms, "ffffffffc0003000 t inside_a\t[inside]\n"
				   "ffffffffc0009000 t third_a\t[third]\n"
				   "ffffffffc0008000 t fourth_a\t[fourth]\n"));
	lw_kernel_modules_read_names(modules);
	CHECK(is(written(modules, ips, 3),
		 "ffffffffc0001000 t \t[first]\t2000 0 ffffffffffffffff\n"
		 "ffffffffc0001000 t first_a\t[first]\t100 0 ffffffffffffffff\n"
		 "ffffffffc0003000 t \t[inside]\t2000 46 ffffffffffffffff\n"
		 "ffffffffc0003000 t inside_a\t[inside]\t2000 46 ffffffffffffffff\n"
		 "ffffffffc0009000 t \t[third]\t2000 50 5a\n"
		 "ffffffffc0009000 t third_a\t[third]\t2000 50 5a\n"
		 "ffffffffc0008000 t \t[fourth]\t2000 5a ffffffffffffffff\n"
		 "ffffffffc0008000 t fourth_a\t[fourth]\t2000 5a ffffffffffffffff\n"));
	lw_kernel_modules_free(modules);
	return true;
}

/* What /proc/kallsyms has there then is not of it. */
static bool one_that_went_at_once_has_no_names(void)
{
	const u64 ips[] = { THIRD + 4 };
	struct lw_kernel_modules *modules = begin();

	CHECK(modules && tell(modules, "third", THIRD, 0, 50) == 1);
	CHECK(tell(modules, "third", THIRD, LW_MODULE_GONE, 60) == 1);
	CHECK(write_text(kallsyms, "ffffffffc0009000 t other_a\t[other]\n"));
	lw_kernel_modules_read_names(modules);
	CHECK(is(written(modules, ips, 1), "ffffffffc0009000 t \t[third]\t2000 32 3c\n"));
	CHECK(lw_kernel_modules_have(modules, THIRD + 4));
	lw_kernel_modules_free(modules);
	return true;
}

static bool names_of_the_file_are_those_and_the_kernels(void)
{
	const u64 chain[] = { FIRST + 4, 0xffffffff81000010ULL, THIRD + 9 };
	struct lw_kernel_modules *modules = begin();
	struct lw_kernel_addresses *seen = lw_kernel_addresses_new();
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	CHECK(modules && seen && to && !lw_kernel_addresses_chain(seen, chain, 3));
	CHECK(tell(modules, "first", FIRST, LW_MODULE_GONE, 100) == 1);
	CHECK(write_text(kallsyms, "ffffffff81000000 T _text\n"
				   "ffffffffc0001000 t wrong\t[other]\n"
				   "ffffffffc0009000 t right\t[other]\n"));
	lw_kernel_addresses_write(seen, kallsyms, modules, to);
	fclose(to);
	CHECK(is(text, "ffffffffc0001000 t \t[first]\t4000 0 64\n"
		       "ffffffffc0001000 t first_a\t[first]\t100 0 64\n"
		       "ffffffff81000000 t _text\n"
		       "ffffffffc0009000 t right\t[other]\n"));
	free(text);
	lw_kernel_addresses_free(seen);
	lw_kernel_modules_free(modules);
	return true;
}

/* To read them takes long. */
static bool the_kernels_own_are_read_once(void)
{
	const u64 chain[] = { 0xffffffff81000010ULL, 0xffffffff81000190ULL };
	struct lw_kernel_modules *modules = begin();
	struct lw_kernel_addresses *seen = lw_kernel_addresses_new();
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	CHECK(modules && seen && to && !lw_kernel_addresses_chain(seen, chain, 2));
	CHECK(write_text(kallsyms, "ffffffff81000000 T other\n"));
	lw_kernel_addresses_write(seen, kallsyms, modules, to);
	fclose(to);
	CHECK(is(text, "ffffffff81000000 t startup_context\n"
		       "ffffffff81000100 t _stext\n"));
	free(text);
	lw_kernel_addresses_free(seen);
	lw_kernel_modules_free(modules);
	return true;
}

static bool without_addresses_there_is_none(void)
{
	struct lw_kernel_modules *modules = lw_kernel_modules_new("/nowhere", list);
	size_t size = 1;

	CHECK(modules && write_text(list, "hidden 4096 0 - Live 0x0000000000000000\nrubbish\n"));
	lw_kernel_modules_begin(modules);
	CHECK(!lw_kernel_modules_text(modules, &size) && !size);
	CHECK(tell(modules, "third", THIRD, 0, 50) == 1);
	lw_kernel_modules_read_names(modules);
	CHECK(!lw_kernel_modules_have(modules, THIRD));
	lw_kernel_modules_free(modules);
	return true;
}

static bool endless_loading_has_an_end(void)
{
	struct lw_kernel_modules *modules = begin();

	CHECK(modules);
	for (u32 i = 0; i < 20000; i++)
		CHECK(tell(modules, "third", THIRD + i, 0, i + 1) >= 0);
	/* what it is to be told of all the same has no names */
	CHECK(tell(modules, "last", THIRD + 90000, 0, 90001) == 1);
	CHECK(!lw_kernel_modules_have(modules, THIRD + 90000));
	lw_kernel_modules_free(modules);
	return true;
}

int main(void)
{
	static const struct tap_test tests[] = {
		TEST(those_of_the_beginning_have_names),
		TEST(the_kernel_is_where_its_symbols_are),
		TEST(what_was_not_met_is_not_told_of),
		TEST(each_has_the_names_of_its_time),
		TEST(one_that_comes_at_the_beginning_is_not_two),
		TEST(there_are_not_two_at_one_place),
		TEST(one_that_went_at_once_has_no_names),
		TEST(names_of_the_file_are_those_and_the_kernels),
		TEST(the_kernels_own_are_read_once),
		TEST(without_addresses_there_is_none),
		TEST(endless_loading_has_an_end),
	};
	int names = mkstemp(kallsyms), modules = mkstemp(list), ret;

	if (names < 0 || modules < 0)
		return 1;
	close(names);
	close(modules);
	ret = tap_run(tests, ARRAY_SIZE(tests));
	unlink(kallsyms);
	unlink(list);
	return ret;
}
