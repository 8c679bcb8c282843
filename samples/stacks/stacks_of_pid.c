// SPDX-License-Identifier: GPL-2.0
/*
 * stacks_of_pid.c - print the stacks that a process has while it runs, for a second:
 *	cc stacks_of_pid.c $(pkg-config --cflags --libs latewind) && ./a.out PID
 */
#include <err.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <latewind.h>
#include <liblatewind.h>

static int print(void *ctx, const struct lw_sample *sample, const struct lw_user_stack *stack)
{
	struct latewind_frame frame = {};

	printf("thread %u:%s\n", sample->tid, stack ? "" : " no stack");
	if (stack)
		frame = latewind_frames(stack);
	while (latewind_frame_next(&frame))
		printf("\t%#llx\n", frame.ip);
	return 0;
}

static void check(int ret, const char *what)
{
	if (ret)
		errx(1, "%s: %s", what, strerror(-ret));
}

int main(int argc, char **argv)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr), .type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK, .freq = 1, .sample_freq = 99,
	};
	__s32 pid = argc == 2 ? atoi(argv[1]) : 0;
	struct lw_filter filter = { .size = sizeof(filter), .kind = LW_FILTER_PROCESSES, .nr = 1,
				    .pids = (unsigned long)&pid };
	struct lw_setup setup = { .size = sizeof(setup) };
	struct latewind_session *session;

	if (pid <= 0)
		errx(2, "usage: stacks_of_pid PID");
	check(latewind_session_open(&session), LW_DEVICE_PATH);
	check(latewind_session_setup(session, &setup), "rings");
	check(latewind_session_filter(session, &filter), argv[1]);
	check(latewind_session_add_event(session, &attr, LW_TARGET_CPUS, 0, NULL), "cpu-clock");
	check(latewind_session_enable(session), "enable");
	for (int i = 0; i < 10; i++) {
		poll(NULL, 0, 100);
		check(latewind_session_samples(session, print, NULL), "samples");
	}
	check(latewind_session_disable(session), "disable");
	check(latewind_session_last_samples(session, 1000, print, NULL), "samples");
	latewind_session_close(session);
}
