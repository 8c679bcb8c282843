/* SPDX-License-Identifier: GPL-2.0 */
/*
 * internal.h - between the files of lw_test.ko.
 */
#ifndef LWM_INTERNAL_H
#define LWM_INTERNAL_H

#include <linux/errno.h>
#include <linux/types.h>

#include "lw_test.h"

struct pt_regs;
struct task_struct;

/* tracers.c: tracers, requests, the log of stacks */
int lwm_tracers_init(void);
void lwm_tracers_exit(void);
int lwm_register(const struct lwm_register *arg);
int lwm_unregister(struct lwm_unregister *arg);
void lwm_request(unsigned int number, struct pt_regs *regs, u32 flags,
		 struct lwm_result *result);
int lwm_read(struct lwm_read *arg);
void lwm_reset(void);
int lwm_stats(struct lwm_stats *arg);
u64 lwm_callbacks(void);
bool lwm_in_callback(const struct task_struct *task);

/* contexts.c: where requests are made */
int lwm_run(const struct lwm_run *arg);
int lwm_wait(struct lwm_wait *arg, struct lwm_wait __user *user);
int lwm_hold_mm(void);
void lwm_wake(void);
u64 lwm_waiting(void);
int lwm_kernel(struct lwm_kernel *arg);
void lwm_nmi_arrived(struct pt_regs *regs);

/* nmi.c: what NMIs do that are not our own */
bool lwm_nmi_of_others(struct pt_regs *regs);
int lwm_nmis_begin(const struct lwm_nmis *arg);
int lwm_nmis_end(struct lwm_nmi_counts __user *user);
void lwm_nmis_exit(void);

/* nmi_apic.c, nmi_pmu.c: where NMIs come from; s390x has none */
#if defined(CONFIG_X86) || defined(CONFIG_ARM64)
int lwm_nmi_init(void);
void lwm_nmi_exit(void);
bool lwm_nmi_is_there(void);
void lwm_nmi_self(void);
int lwm_nmi_start(void);
void lwm_nmi_stop(void);
#else
static inline int lwm_nmi_init(void)
{
	return 0;
}

static inline void lwm_nmi_exit(void)
{
}

static inline bool lwm_nmi_is_there(void)
{
	return false;
}

static inline void lwm_nmi_self(void)
{
}

static inline int lwm_nmi_start(void)
{
	return 0;
}

static inline void lwm_nmi_stop(void)
{
}
#endif

/* probes.c: kprobes that ask */
int lwm_probes_plant(struct lwm_probes *arg);
void lwm_probes_exit(void);
int lwm_probes_select(const struct lwm_select *arg);
int lwm_probes_seen(const struct lwm_seen *arg);
int lwm_probes_hits(struct lwm_hits __user *user);

#endif /* LWM_INTERNAL_H */
