/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tap.h - a test is a function that returns true; its name says what holds.
 */
#ifndef LW_TAP_H
#define LW_TAP_H

#include <stdbool.h>
#include <stdio.h>

#define CHECK(cond)							\
	do {								\
		if (!(cond)) {						\
			printf("# %s:%d: %s\n", __FILE__, __LINE__, #cond); \
			return false;					\
		}							\
	} while (0)

struct tap_test {
	const char *name;
	bool (*run)(void);
};

#define TEST(fn)	{ #fn, fn }

static inline int tap_run(const struct tap_test *tests, int nr)
{
	int failed = 0;

	/* A sanitizer that ends the process does not write what stdio has buffered. */
	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("TAP version 13\n1..%d\n", nr);
	for (int i = 0; i < nr; i++) {
		bool ok = tests[i].run();

		printf("%sok %d %s\n", ok ? "" : "not ", i + 1, tests[i].name);
		failed += !ok;
	}
	return failed ? 1 : 0;
}

#endif /* LW_TAP_H */
