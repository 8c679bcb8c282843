// SPDX-License-Identifier: GPL-2.0
/*
 * main.c - ordered init and exit, nothing else.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/init.h>
#include <linux/module.h>
#include <linux/printk.h>
#include <linux/tracepoint.h>

#include "chardev.h"
#include "core/filter.h"
#include "core/request.h"
#include "core/session.h"
#include "core/taskwork.h"
#include "event/event_perf.h"
#include "event/event_syscall.h"
#include "event/module_text.h"
#include "event/syscall_deferred.h"
#include "query/task_list.h"
#include "unwind/file_id.h"
#include "unwind/registered.h"
#include "unwind/rows.h"
#include "unwind/rules.h"
#include "unwind/unwind.h"

static void release_session(struct lw_session *session)
{
	lw_module_text_release(session);
	lw_syscall_release_all(session);
	lw_event_release_all(session);
}

const struct lw_session_ops lw_session_ops = {
	.make = lw_event_make_session,
	.set_up = lw_module_text_set_up,
	.enable = lw_event_enable_all,
	.collect = lw_deferred_collect,
	.waiting = lw_deferred_waiting,
	.release = release_session,
	.free = lw_syscall_free,
};

static int __init latewind_init(void)
{
	const char *why = "no memory for pending stacks";
	int ret = lw_taskwork_init();

	if (ret) {
		why = "no CPU of this machine can interrupt itself (no local APIC)";
		goto err_nothing;
	}
	ret = lw_request_init();
	if (ret)
		goto err_taskwork;
	why = "events can't be set up";
	ret = lw_event_init();
	if (ret)
		goto err_request;
	why = "the kernel tells of no modules";
	ret = lw_module_text_init();
	if (ret)
		goto err_event;
	lw_file_id_init();
	lw_task_list_init();
	why = "/dev/latewind and /proc/latewind can't be made";
	ret = lw_chardev_init();
	if (ret)
		goto err_module_text;
	return 0;

err_module_text:
	lw_registry_exit();
	lw_rows_flush();
	lw_module_text_exit();
err_event:
	lw_event_exit();
err_request:
	lw_request_exit();
err_taskwork:
	lw_taskwork_exit();
err_nothing:
	pr_err("not loaded, error %d: %s\n", -ret, why);
	return ret;
}

/* No session is left: each pins the module by its file. */
static void __exit latewind_exit(void)
{
	lw_chardev_exit();
	/* No tracer is left, so no probe is registered; probes may still run. */
	tracepoint_synchronize_unregister();
	lw_module_text_exit();
	lw_event_exit();
	lw_filter_exit();
	lw_request_exit();
	lw_unwind_forget();
	lw_rules_exit();
	lw_registry_exit();
	lw_rows_flush();
	lw_taskwork_exit();
}

module_init(latewind_init);
module_exit(latewind_exit);

MODULE_DESCRIPTION("Deferred user space stacks for tracers");
MODULE_AUTHOR("The Latewind authors");
MODULE_LICENSE("GPL");
MODULE_VERSION(LW_VERSION);
