// SPDX-License-Identifier: GPL-2.0
/*
 * main.c - ordered init and exit, nothing else.
 */
#include <linux/init.h>
#include <linux/module.h>

#include "compat/config.h"
#include "chardev.h"
#include "children.h"
#include "event_perf.h"
#include "event_syscall.h"
#include "exit.h"
#include "missing.h"
#include "module_text.h"
#include "registered.h"
#include "request.h"
#include "rules.h"
#include "session.h"
#include "tables.h"
#include "task_list.h"
#include "taskwork.h"
#include "unwind.h"

/*
 * In the order in which they let go of a session.  A notifier of modules is not to wait for
 * session->lock, so the first takes no part while that is held.
 */
static const struct lw_session_part * const parts[LW_SESSION_PARTS] = {
	&lw_module_text_part, &lw_syscall_part, &lw_event_part,
};

static int __init latewind_init(void)
{
	int ret;

	lw_session_init(parts);
	ret = lw_taskwork_init();
	if (ret)
		return ret;
	ret = lw_request_init();
	if (ret)
		goto err_taskwork;
	ret = lw_event_init();
	if (ret)
		goto err_request;
	ret = lw_module_text_init();
	if (ret)
		goto err_event;
	lw_exit_init();
	lw_children_init();
	lw_syscall_init();
	lw_tables_init();
	lw_task_list_init();
	ret = lw_chardev_init();
	if (ret)
		goto err_module_text;
	return 0;

err_module_text:
	lw_registry_exit();
	lw_registered_exit();
	lw_module_text_exit();
err_event:
	lw_event_exit();
err_request:
	lw_request_exit();
err_taskwork:
	lw_taskwork_exit();
	return ret;
}

/* No session is left: each pins the module by its file. */
static void __exit latewind_exit(void)
{
	lw_chardev_exit();
	lw_syscall_exit();
	lw_children_exit();
	lw_module_text_exit();
	lw_event_exit();
	lw_exit_exit();
	lw_request_exit();
	lw_unwind_exit();
	lw_rules_exit();
	lw_missing_exit();
	lw_tables_exit();
	lw_registry_exit();
	lw_registered_exit();
	lw_taskwork_exit();
}

module_init(latewind_init);
module_exit(latewind_exit);

MODULE_DESCRIPTION("Deferred user space stacks for tracers");
MODULE_AUTHOR("The Latewind authors");
MODULE_LICENSE("GPL");
MODULE_VERSION("0.1");
