// SPDX-License-Identifier: GPL-2.0
/*
 * busy.c - lw_busy.ko: what is loaded and unloaded while somebody records.
 *
 * Writing to the parameter spin spins for that many milliseconds in the module's code,
 * as does the parameter init_spin in code that is given back when the module is loaded.
 * Who writes to the parameter stop ends that.  With the parameter fail, loading fails after
 * that.
 */
#include <linux/errno.h>
#include <linux/init.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/sched.h>
#include <linux/timekeeping.h>

#define MAX_MS	60000

static unsigned int init_spin;
module_param(init_spin, uint, 0400);
MODULE_PARM_DESC(init_spin, "milliseconds to spin in the init function");

static bool stop;
module_param(stop, bool, 0200);
MODULE_PARM_DESC(stop, "spin in the init function no longer");

static bool fail;
module_param(fail, bool, 0400);
MODULE_PARM_DESC(fail, "let loading fail");

static noinline void lw_busy_spin(unsigned int ms)
{
	u64 end = ktime_get_mono_fast_ns() + min_t(unsigned int, ms, MAX_MS) * (u64)NSEC_PER_MSEC;

	while (ktime_get_mono_fast_ns() < end) {
		unsigned int i;

		/* In here for most of the time: the clock is code of the kernel's. */
		for (i = 0; i < 20000; i++)
			barrier();
		cond_resched();
	}
}

static int set_spin(const char *text, const struct kernel_param *param)
{
	unsigned int ms;
	int ret = kstrtouint(text, 0, &ms);

	if (ret)
		return ret;
	lw_busy_spin(ms);
	return 0;
}

static const struct kernel_param_ops spin_ops = { .set = set_spin };

module_param_cb(spin, &spin_ops, NULL, 0200);
MODULE_PARM_DESC(spin, "milliseconds to spin, each time it is written");

static noinline void __init lw_busy_begin(void)
{
	u64 end = ktime_get_mono_fast_ns() + min_t(unsigned int, init_spin, MAX_MS) *
					     (u64)NSEC_PER_MSEC;

	while (ktime_get_mono_fast_ns() < end && !READ_ONCE(stop)) {
		unsigned int i;

		for (i = 0; i < 20000; i++)
			barrier();
		cond_resched();
	}
}

static int __init lw_busy_init(void)
{
	lw_busy_begin();
	return fail ? -ENODEV : 0;
}

static void __exit lw_busy_exit(void)
{
}

module_init(lw_busy_init);
module_exit(lw_busy_exit);

MODULE_DESCRIPTION("Spins while Latewind records");
MODULE_AUTHOR("The Latewind authors");
MODULE_LICENSE("GPL");
