// SPDX-License-Identifier: GPL-2.0
/*
 * module_queue_test.c - records of modules are taken in the order of time.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sideband/module_queue.h"
#include "symbols/kernel_modules.h"
#include "tests/tap.h"

#define PLACE	0xffffffffc0001000ULL

static char seen[256];
static int end_at;			/* call that fails */

static int note(void *ctx, const struct lw_module *record)
{
	sprintf(seen + strlen(seen), "%s%s@%llu", *seen ? " " : "", record->name,
		(unsigned long long)record->time);
	return --end_at ? 0 : *(int *)ctx;
}

static int add(struct lw_module_queue *queue, const char *name, u16 flags, u64 time)
{
	struct lw_module record = {
		.record = { sizeof(record), LW_RECORD_MODULE, flags },
		.time = time, .addr = PLACE, .text_size = 0x2000,
	};

	strcpy(record.name, name);
	return lw_module_queue_add(queue, &record);
}

static bool took(struct lw_module_queue *queue, u64 until, const char *expected)
{
	*seen = 0;
	end_at = 0;
	CHECK(!lw_module_queue_take(queue, until, note, NULL));
	if (!strcmp(seen, expected))
		return true;
	printf("# '%s' instead of '%s'\n", seen, expected);
	return false;
}

static bool they_come_in_the_order_of_time(void)
{
	struct lw_module_queue queue = { 0 };

	CHECK(took(&queue, ~0ULL, ""));
	CHECK(!add(&queue, "c", 0, 30) && !add(&queue, "a", 0, 10) && !add(&queue, "b", 0, 20));
	CHECK(took(&queue, 9, "") && took(&queue, 20, "a@10 b@20"));
	/* of one time they stay as they were, also beside one that was kept */
	CHECK(!add(&queue, "e", 0, 30) && !add(&queue, "f", 0, 30) && !add(&queue, "d", 0, 25));
	CHECK(took(&queue, 25, "d@25") && took(&queue, ~0ULL, "c@30 e@30 f@30"));
	CHECK(took(&queue, ~0ULL, ""));
	lw_module_queue_free(&queue);
	return true;
}

static bool a_failure_is_handed_on(void)
{
	struct lw_module_queue queue = { 0 };
	int why = -12;

	CHECK(!add(&queue, "a", 0, 1) && !add(&queue, "b", 0, 2) && !add(&queue, "c", 0, 3));
	*seen = 0;
	end_at = 2;
	CHECK(lw_module_queue_take(&queue, ~0ULL, note, &why) == -12);
	CHECK(!strcmp(seen, "a@1 b@2") && took(&queue, ~0ULL, "c@3"));
	lw_module_queue_free(&queue);
	return true;
}

static int tell(void *ctx, const struct lw_module *record)
{
	return lw_kernel_modules_record(ctx, record) < 0;
}

/* Two came and one went, each on a CPU of its own; which ring is read first does not matter. */
static bool rings_may_be_read_in_any_order(void)
{
	static const u32 orders[][3] = {
		{ 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 }, { 1, 2, 0 }, { 2, 0, 1 }, { 2, 1, 0 },
	};
	char path[] = "/tmp/lw-module-queue-XXXXXX";
	const u64 ips[] = { PLACE + 8 };
	int fd = mkstemp(path);

	CHECK(fd >= 0 && !close(fd));
	for (u32 i = 0; i < ARRAY_SIZE(orders); i++) {
		struct lw_kernel_modules *modules = lw_kernel_modules_new(path, path);
		struct lw_module_queue queue = { 0 };
		char *text = NULL;
		size_t size;
		FILE *to;

		CHECK(modules);
		for (u32 j = 0; j < 3; j++) {
			u32 what = orders[i][j];

			CHECK(!add(&queue, "m", what == 1 ? LW_MODULE_GONE : 0, what + 1));
		}
		CHECK(!lw_module_queue_take(&queue, 3, tell, modules));
		to = open_memstream(&text, &size);
		lw_kernel_modules_write(modules, ips, 1, to);
		fclose(to);
		/* the first one, which is gone; what there is now is read at the end */
		CHECK(!strcmp(text, "ffffffffc0001000 t \t[m]\t2000 1 2\n"));
		free(text);
		lw_kernel_modules_free(modules);
		lw_module_queue_free(&queue);
	}
	return !unlink(path);
}

int main(void)
{
	static const struct tap_test tests[] = {
		TEST(they_come_in_the_order_of_time),
		TEST(a_failure_is_handed_on),
		TEST(rings_may_be_read_in_any_order),
	};

	return tap_run(tests, ARRAY_SIZE(tests));
}
