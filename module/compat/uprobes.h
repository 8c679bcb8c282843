/* SPDX-License-Identifier: GPL-2.0 */
/*
 * compat/uprobes.h - where a task really is while it steps over a uprobe.
 */
#ifndef LW_COMPAT_UPROBES_H
#define LW_COMPAT_UPROBES_H

#include <linux/sched.h>
#include <linux/uprobes.h>

/**
 * lw_compat_uprobe_ip - undo a uprobe's out-of-line copy
 * @ip: user instruction pointer of current
 *
 * While current steps over a probed instruction it runs a copy in a separate mapping, [uprobes],
 * for which there is no table.
 *
 * Context: task context of current.
 * Return: the probed instruction's address if @ip is in its copy, else @ip.
 */
static inline unsigned long lw_compat_uprobe_ip(unsigned long ip)
{
#if defined(CONFIG_UPROBES) && defined(LW_HAVE_UTASK_XOL)
	struct uprobe_task *utask = current->utask;

	if (utask && utask->active_uprobe && utask->xol_vaddr &&
	    ip >= utask->xol_vaddr &&
	    ip - utask->xol_vaddr < UPROBE_XOL_SLOT_BYTES)
		return utask->vaddr + (ip - utask->xol_vaddr);
#endif
	return ip;
}

#endif /* LW_COMPAT_UPROBES_H */
