/* SPDX-License-Identifier: GPL-2.0 */
/*
 * access.h - who may look at whom.
 */
#ifndef LW_ACCESS_H
#define LW_ACCESS_H

#include <linux/capability.h>
#include <linux/types.h>
#include <linux/uidgid.h>

struct cred;
struct mm_struct;
struct task_struct;
struct user_namespace;

/**
 * struct lw_access - who looks, as far as it has no right to look at all
 * @uid: effective
 * @gid: likewise
 * @caps: permitted
 * @ns: these are in
 */
struct lw_access {
	kuid_t	uid;
	kgid_t	gid;
	kernel_cap_t caps;
	struct user_namespace *ns;
};

void lw_access_of_current(struct lw_access *who);
bool lw_access_same(const struct lw_access *a, const struct lw_access *b);
bool lw_access_covers(const struct lw_access *who, const struct cred *whom);
struct mm_struct *lw_access_mm(struct task_struct *task);

#endif /* LW_ACCESS_H */
