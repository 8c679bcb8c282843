/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tap.h - a few lines of test harness: TEST(what_holds) { CHECK(...); }
 *
 * Prints TAP.  A test goes on after a failed CHECK(), so all are seen.
 */
#ifndef LW_TAP_H
#define LW_TAP_H

#include <stdio.h>
#include <stdlib.h>

#define TAP_MAX	256

struct tap_test {
	const char *name;
	void (*run)(void);
};

static struct tap_test tap_tests[TAP_MAX];
static unsigned int tap_count, tap_failed;

static inline void tap_add(const char *name, void (*run)(void))
{
	if (tap_count == TAP_MAX)
		abort();
	tap_tests[tap_count++] = (struct tap_test){ name, run };
}

static inline int tap_main(void)
{
	unsigned int i, bad = 0;

	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("TAP version 13\n1..%u\n", tap_count);
	for (i = 0; i < tap_count; i++) {
		tap_failed = 0;
		tap_tests[i].run();
		printf("%sok %u %s\n", tap_failed ? "not " : "", i + 1,
		       tap_tests[i].name);
		bad += !!tap_failed;
	}
	return !!bad;
}

#define TEST(name)							\
	static void name(void);						\
	static void __attribute__((constructor)) add_##name(void)	\
	{								\
		tap_add(#name, name);					\
	}								\
	static void name(void)

#define CHECK(cond)							\
	do {								\
		if (cond)						\
			break;						\
		tap_failed++;						\
		printf("# %s:%d: %s\n", __FILE__, __LINE__, #cond);	\
	} while (0)

#define CHECK_EQ(a, b)							\
	do {								\
		long long a_ = (long long)(a), b_ = (long long)(b);	\
									\
		if (a_ == b_)						\
			break;						\
		tap_failed++;						\
		printf("# %s:%d: %s is %lld, should be %s = %lld\n",	\
		       __FILE__, __LINE__, #a, a_, #b, b_);		\
	} while (0)

#endif /* LW_TAP_H */
