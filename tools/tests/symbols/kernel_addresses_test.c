// SPDX-License-Identifier: GPL-2.0
/*
 * kernel_addresses_test.c - the names of the kernel's code that was met: those, and no others.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "symbols/kernel_symbols.h"
#include "symbols/kernel_addresses.h"
#include "tests/tap.h"

#define TEXT	0xffffffff81000000ULL
#define MODULE	0xffffffffc0001000ULL

static char path[40] = "/tmp/lw-kernel-seen-XXXXXX";

/* As the kernel has them: not all in order, several names for one address, data between. */
static const char kallsyms[] =
	"ffffffff81000000 T _text\n"
	"ffffffff81000100 T __schedule\n"
	"ffffffff81000200 T other\n"
	"ffffffff81000280 D no_code\n"
	"ffffffff81000300 t __alias\n"
	"ffffffff81000300 T alias\n"
	"ffffffff81000300 t ali\n"
	"ffffffff81000400 T last\n"
	"ffffffff810005f0 t __pfx_padded\n"
	"ffffffff81000600 T padded\n"
	"ffffffffc0002000 t behind\t[some_module]\n"
	"ffffffffc0001000 t helper\t[some_module]\n"
	"ffffffffc0000800 t before\t[other_module]\n";

static const char *written(const struct lw_kernel_addresses *seen)
{
	static char *text;
	size_t size;
	FILE *to;

	free(text);
	text = NULL;
	to = open_memstream(&text, &size);
	lw_kernel_addresses_write(seen, path, NULL, to);
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

static bool nothing_was_met(void)
{
	struct lw_kernel_addresses *seen = lw_kernel_addresses_new();

	CHECK(seen && is(written(seen), ""));
	lw_kernel_addresses_free(seen);
	lw_kernel_addresses_free(NULL);
	return true;
}

static bool names_are_of_what_was_met(void)
{
	const u64 chain[] = { TEXT + 0x110, MODULE + 8, TEXT + 0x310, TEXT + 0x120 };
	struct lw_kernel_addresses *seen = lw_kernel_addresses_new();

	CHECK(seen);
	for (int i = 0; i < 3; i++)
		CHECK(!lw_kernel_addresses_chain(seen, chain, ARRAY_SIZE(chain)));
	CHECK(is(written(seen), "ffffffff81000100 t __schedule\n"
				"ffffffff81000300 t alias\n"
				"ffffffffc0001000 t helper\t[some_module]\n"));
	lw_kernel_addresses_free(seen);
	return true;
}

/* The innermost is where it was hit, the others are behind a call. */
static bool calls_are_before_their_return(void)
{
	const u64 chain[] = { TEXT + 0x200, TEXT + 0x400 };
	struct lw_kernel_addresses *seen = lw_kernel_addresses_new();

	CHECK(seen && !lw_kernel_addresses_chain(seen, chain, 2));
	CHECK(is(written(seen), "ffffffff81000200 t other\nffffffff81000300 t alias\n"));
	lw_kernel_addresses_free(seen);
	return true;
}

/* What is behind padding is looked at, too, when it is read. */
static bool what_is_behind_padding_is_there_too(void)
{
	const u64 chain[] = { TEXT + 0x110, TEXT + 0x600 };
	struct lw_kernel_addresses *seen = lw_kernel_addresses_new();

	CHECK(seen && !lw_kernel_addresses_chain(seen, chain, 2));
	CHECK(is(written(seen), "ffffffff81000100 t __schedule\n"
		 "ffffffff810005f0 t __pfx_padded\nffffffff81000600 t padded\n"));
	lw_kernel_addresses_free(seen);
	return true;
}

static bool what_is_before_all_names_has_none(void)
{
	const u64 chain[] = { TEXT - 1 };
	struct lw_kernel_addresses *seen = lw_kernel_addresses_new();

	CHECK(seen && !lw_kernel_addresses_chain(seen, chain, 1));
	CHECK(is(written(seen), ""));
	lw_kernel_addresses_free(seen);
	return true;
}

static const char *name_of(const struct lw_kernel_symbols *kernel, u64 ip)
{
	const char *module = "";
	struct lw_code_name *name = lw_kernel_symbols_find(kernel, ip, &module);
	static char text[128];

	snprintf(text, sizeof(text), "%s %s", name ? name->text : "none", module);
	return text;
}

/* Each of many addresses has the name that all the kernel's names give it. */
static bool names_are_those_of_all(void)
{
	struct lw_kernel_symbols all = { 0 }, some;
	struct lw_kernel_jit_symbols made = { 0 };
	char expected[128];
	const char *text;

	lw_kernel_symbols_load(&all, path, NULL);
	for (u64 a = TEXT - 0x80; a < TEXT + 0x500; a += 0x40) {
		for (u64 b = MODULE - 0x1000; b < MODULE + 0x1100; b += 0x100) {
			const u64 first[] = { a }, second[] = { b };
			struct lw_kernel_addresses *seen = lw_kernel_addresses_new();

			CHECK(seen && !lw_kernel_addresses_chain(seen, first, 1));
			CHECK(!lw_kernel_addresses_chain(seen, second, 1));
			memset(&some, 0, sizeof(some));
			text = written(seen);
			lw_kernel_symbols_take(&some, &made, text, strlen(text));
			strcpy(expected, name_of(&all, a));
			CHECK(is(name_of(&some, a), expected));
			strcpy(expected, name_of(&all, b));
			CHECK(is(name_of(&some, b), expected));
			lw_kernel_symbols_free(&some);
			lw_kernel_addresses_free(seen);
		}
	}
	lw_kernel_symbols_free(&all);
	return true;
}

static bool many_are_met_once_each(void)
{
	struct lw_kernel_addresses *seen = lw_kernel_addresses_new();

	CHECK(seen);
	for (u64 i = 0; i < 100000; i++) {
		const u64 ip = TEXT + i % 0x400;

		CHECK(!lw_kernel_addresses_chain(seen, &ip, 1));
	}
	CHECK(is(written(seen), "ffffffff81000000 t _text\n"
				"ffffffff81000100 t __schedule\n"
				"ffffffff81000200 t other\n"
				"ffffffff81000300 t alias\n"));
	lw_kernel_addresses_free(seen);
	return true;
}

int main(void)
{
	static const struct tap_test tests[] = {
		TEST(nothing_was_met),
		TEST(names_are_of_what_was_met),
		TEST(calls_are_before_their_return),
		TEST(what_is_behind_padding_is_there_too),
		TEST(what_is_before_all_names_has_none),
		TEST(names_are_those_of_all),
		TEST(many_are_met_once_each),
	};
	int fd = mkstemp(path), ret;

	if (fd < 0 || write(fd, kallsyms, strlen(kallsyms)) != (ssize_t)strlen(kallsyms))
		return 1;
	close(fd);
	ret = tap_run(tests, ARRAY_SIZE(tests));
	unlink(path);
	return ret;
}
