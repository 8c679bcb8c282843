// SPDX-License-Identifier: GPL-2.0
/*
 * kallsyms_test.c - lines of /proc/kallsyms: their parts, and what is none.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "symbols/kallsyms.h"
#include "tests/tap.h"

/* The text ends where its memory does: whoever reads on is caught by the sanitizer. */
static char *copy(const char *text, size_t size)
{
	char *room = malloc(size + !size);

	if (room)
		memcpy(room, text, size);
	return room;
}

/* Return: what of the text was taken, "start type name module rest|" for each line. */
static const char *taken(const char *text, size_t size)
{
	static char out[4096];
	char *room = copy(text, size), *end = room + size;
	const char *at = room;
	struct lw_kallsyms_line line;
	size_t len = 0;

	out[0] = 0;
	while (room && lw_kallsyms_next(&line, &at, end))
		len += snprintf(out + len, sizeof(out) - len, "%llx %c %.*s %.*s %.*s|",
				line.start, line.type, (int)line.name_len, line.name,
				(int)line.module_len, line.module ? line.module : "",
				(int)line.rest_len, line.rest);
	free(room);
	return out;
}

static bool is(const char *text, const char *expected)
{
	const char *found = taken(text, strlen(text));

	if (!strcmp(found, expected))
		return true;
	printf("# %s\n", found);
	return false;
}

static bool each_part_is_taken(void)
{
	CHECK(is("ffffffff81000000 T _text\n", "ffffffff81000000 T _text  |"));
	CHECK(is("ffffffffc0000010 t f\t[ext4]\n", "ffffffffc0000010 t f [ext4] |"));
	CHECK(is("10 t f\t[ext4]\t10 0 ffff\n", "10 t f [ext4] 10 0 ffff|"));
	/* of all of a module's code */
	CHECK(is("10 t \t[ext4]\t10 0 1\n", "10 t  [ext4] 10 0 1|"));
	CHECK(is("0 A fixed_percpu_data\n0 D d\n", "0 A fixed_percpu_data  |0 D d  |"));
	return true;
}

static bool what_is_no_line_is_left_out(void)
{
	CHECK(is("", ""));
	CHECK(is("10 t no_end", ""));
	CHECK(is("10 t a\n20 t b", "10 t a  |"));
	CHECK(is("\n\nt f\n10\n10 t\n10  f\nrubbish t f\n10 t f\n", "10 t f  |"));
	return true;
}

/* At each length the rest is not looked at. */
static bool nothing_is_read_behind_the_end(void)
{
	static const char text[] = "10 t f\t[m]\t1 2 3\n20 T g\n";

	for (size_t size = 0; size < strlen(text); size++)
		CHECK(size < 17 ? !taken(text, size)[0] :
				  !strcmp(taken(text, size), "10 t f [m] 1 2 3|"));
	return true;
}

/* Whoever copies one has room for KSYM_NAME_LEN. */
static bool names_that_no_kernel_has_are_left_out(void)
{
	char text[2 * LW_KALLSYMS_NAME], name[LW_KALLSYMS_NAME];
	struct lw_kallsyms_line line;
	const char *at = text;
	int len;

	len = snprintf(text, sizeof(text), "10 t %0*d\n", LW_KALLSYMS_NAME - 1, 7);
	CHECK(lw_kallsyms_next(&line, &at, text + len));
	CHECK(strlen(lw_kallsyms_name(&line, name)) == LW_KALLSYMS_NAME - 1);
	CHECK(lw_kallsyms_is(&line, name));
	at = text;
	len = snprintf(text, sizeof(text), "10 t %0*d\n", LW_KALLSYMS_NAME, 7);
	CHECK(!lw_kallsyms_next(&line, &at, text + len));
	at = text;
	len = snprintf(text, sizeof(text), "10 t f\t[%0*d]\n", LW_MODULE_NAME - 2, 7);
	CHECK(!lw_kallsyms_next(&line, &at, text + len));
	return true;
}

static bool a_name_is_all_of_it(void)
{
	static const char text[] = "10 t _text\n";
	struct lw_kallsyms_line line;
	const char *at = text;

	CHECK(lw_kallsyms_next(&line, &at, text + strlen(text)));
	CHECK(lw_kallsyms_is(&line, "_text") && !lw_kallsyms_is(&line, "_tex"));
	CHECK(!lw_kallsyms_is(&line, "_text_") && !lw_kallsyms_is(&line, ""));
	return true;
}

static bool code_is_told_from_data(void)
{
	for (int type = 0; type < 256; type++) {
		struct lw_kallsyms_line line = { .type = type, .name = "f$x", .name_len = 3 };

		CHECK(lw_kallsyms_is_code(&line) == (type && strchr("tTwW", type)));
		line.name = "$x";
		line.name_len = 2;
		CHECK(!lw_kallsyms_is_code(&line));
	}
	return true;
}

/* Return: as lw_kallsyms_function() of a file with that text. */
static bool finds(const char *text, const char *name, u64 *start, u64 *end)
{
	char path[] = "/tmp/kallsyms_test.XXXXXX";
	int fd = mkstemp(path);
	bool found;

	CHECK(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text) && !close(fd));
	found = lw_kallsyms_function(path, name, start, end);
	return !unlink(path) && found;
}

static bool function_ends_where_another_symbol_is(void)
{
	static const char text[] = "10 T a\n20 D b\n30 t b\n30 t alias\n40 T c\n"
				   "50 t d\t[m]\n60 t e\t[m]\n";
	u64 start, end;

	CHECK(finds(text, "a", &start, &end) && start == 0x10 && end == 0x20);
	CHECK(finds(text, "b", &start, &end) && start == 0x30 && end == 0x40);
	CHECK(!finds(text, "none", &start, &end) && !finds(text, "d", &start, &end));
	/* who may not read addresses has zeros */
	CHECK(!finds("0 T a\n0 T b\n", "a", &start, &end));
	CHECK(!finds("", "a", &start, &end) && !finds("10 T a\n", "a", &start, &end));
	CHECK(!lw_kallsyms_function("/no/such/file", "a", &start, &end));
	return true;
}

int main(void)
{
	static const struct tap_test tests[] = {
		TEST(each_part_is_taken),
		TEST(what_is_no_line_is_left_out),
		TEST(nothing_is_read_behind_the_end),
		TEST(names_that_no_kernel_has_are_left_out),
		TEST(a_name_is_all_of_it),
		TEST(code_is_told_from_data),
		TEST(function_ends_where_another_symbol_is),
	};

	return tap_run(tests, ARRAY_SIZE(tests));
}
