// SPDX-License-Identifier: GPL-2.0
/*
 * request_bench.c - what a request costs in each context, by the time stamp
 * counter, with interrupts off: medians, as a JSON array on stdout.  Under a
 * QEMU with -icount shift=0 the counter counts instructions.
 *
 * request_bench UNIT: what to say that was measured.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/lwm.h"

#define ROUNDS		301
#define NR_CASES	3

/* Tracer 0 takes the cookie, 0 again finds it, 1 joins. */
static const char * const cases[NR_CASES] = {
	"first of an entry", "again, same tracer", "again, another tracer",
};

static const unsigned int tracers[NR_CASES] = { 0, 0, 1 };

static const char * const contexts[LWM_LEVELS] = {
	"task", "softirq", "hardirq", "nmi",
};

static int by_value(const void *a, const void *b)
{
	long x = *(const long *)a, y = *(const long *)b;

	return x < y ? -1 : x > y;
}

/* Return: 0 if each of the requests did what its case says. */
static int measure(struct lwm_call *call, unsigned int level, unsigned int round,
		   long values[NR_CASES][ROUNDS])
{
	static struct chain chain;
	unsigned int i;

	lwm_again(call);
	for (i = 0; i < NR_CASES; i++)
		lwm_ask(call, tracers[i], LWM_AT(level), LWM_AT(level),
			0)->flags = LWM_MEASURE;
	/* From another place than last time: this is no endless loop. */
	chain_run(&chain, round % 2 ? "aaa" : "ddddd", lwm_leaf, call);
	if (call->call.ret)
		return call->call.ret;
	for (i = 0; i < NR_CASES; i++) {
		const struct lwm_result *result =
			&call->asks[i].results[0][level];

		if (result->ret != !!i)
			return result->ret ?: -1;
		values[i][round] = result->cycles - result->empty;
	}
	return 0;
}

int main(int argc, char **argv)
{
	static long values[NR_CASES][ROUNDS];
	static struct lwm_call call;
	unsigned int level, round, i;
	int fd, ret = 0;

	if (argc != 2)
		return 2;
	fd = lwm_open("");
	if (fd < 0) {
		fprintf(stderr, "lw_test.ko: %s\n", strerror(-fd));
		return 1;
	}
	call.call.fd = fd;
	ret = lwm_register_all(fd, 2);
	printf("[");
	for (level = 0; level < LWM_LEVELS && !ret; level++) {
		for (round = 0; round < ROUNDS && !ret; round++) {
			lwt_ioctl(fd, LWM_IOC_RESET, NULL);
			ret = measure(&call, level, round, values);
		}
		for (i = 0; i < NR_CASES && !ret; i++) {
			qsort(values[i], ROUNDS, sizeof(long), by_value);
			printf("%s\n  {\"bench\": \"request\", \"case\": \"%s, %s\", ",
			       level || i ? "," : "", contexts[level],
			       cases[i]);
			printf("\"subject\": \"latewind\", \"value\": %ld, ",
			       values[i][ROUNDS / 2]);
			printf("\"unit\": \"%s\"}", argv[1]);
		}
	}
	printf("\n]\n");
	if (ret)
		fprintf(stderr, "a request returned %d\n", ret);
	lwm_close(fd);
	return !!ret;
}
