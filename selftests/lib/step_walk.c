// SPDX-License-Identifier: GPL-2.0
/*
 * step_walk.c - the module's walk, done in user space over a tracee.
 *
 * To try tables, and the converter that makes them, on a machine whose kernel is
 * not to have the module, and some fifty times as fast as in an emulated one.  It
 * is the module's reader of rows (module/sframe/sframe.c); how they are applied is said
 * once more here, with tables only: no sections, no frame pointers.
 */
#define _GNU_SOURCE
#include <string.h>
#include <sys/syscall.h>

#include <latewind.h>

#include "../../tools/sframe/sframe_reader.h"
#include "step_walk.h"

struct frame {
	__u64 ip;
	__u64 gprs[STEP_GPRS];
	__u32 known;		/* bits of registers but SP and FP, that no row was silent about */
	bool exact;
	bool fp_known;
};

#define ALL	(-1U >> (32 - STEP_GPRS))

static bool get_value(const struct tracee *t, const struct frame *frame,
		      const struct lw_rule_value *value, __u64 cfa, __u64 *to)
{
	switch (value->base) {
	case LW_BASE_SP:
		*to = frame->gprs[STEP_REG_SP];
		break;
	case LW_BASE_FP:
		if (!frame->fp_known)
			return false;
		*to = frame->gprs[STEP_REG_FP];
		break;
	case LW_BASE_CFA:
		*to = cfa;
		break;
	default:
		if (value->reg >= STEP_GPRS || !(frame->known >> value->reg & 1))
			return false;
		*to = frame->gprs[value->reg];
	}
	if (value->index > STEP_GPRS || (value->index && !(frame->known >> (value->index - 1) & 1)))
		return false;
	if (value->index)
		*to += 8 * frame->gprs[value->index - 1];
	*to += (__s64)value->off;
	return !value->deref || !tracee_read(t, *to, to, sizeof(*to));
}

static void follow_registers(const struct tracee *t, struct frame *frame,
			     const struct lw_rule *rule, __u64 cfa)
{
	static const __u8 regs[LW_RULE_SAVED] = STEP_SAVED;
	__u32 known = 0;

	for (int i = 0; i < LW_RULE_SAVED; i++) {
		if (!(rule->told >> i & 1) || rule->saved[i] == LW_RULE_GONE)
			continue;
		if (!rule->saved[i])
			known |= frame->known & 1U << regs[i];
		else if (!tracee_read(t, cfa + (__s64)rule->saved[i], &frame->gprs[regs[i]], 8))
			known |= 1U << regs[i];
	}
	frame->known = known;
}

/* Without what signs it; user addresses have 48 bits on arm64. */
static __u64 plain_address(__u64 address)
{
#if defined(__aarch64__)
	address &= ~0ULL >> 16;
#endif
	return address;
}

/* Return: 0 or LW_END_*. */
static __u32 apply(const struct tracee *t, struct frame *frame, const struct lw_rule *rule)
{
	__u64 cfa, sp, ra, fp = frame->gprs[STEP_REG_FP];

	if (rule->flags & LW_RULE_OUTERMOST)
		return LW_END_OUTERMOST;
	if (!get_value(t, frame, &rule->cfa, 0, &cfa))
		return LW_END_NO_RULE;
	if (rule->cfa.deref)
		cfa += (__s64)rule->then[0];
	sp = cfa + (__s64)rule->sp_off;
	if (cfa % 8 || sp < frame->gprs[STEP_REG_SP] + STEP_PUSHED ||
	    (sp == frame->gprs[STEP_REG_SP] && !frame->exact))
		return LW_END_BAD_CFA;
	if (!get_value(t, frame, &rule->ra, cfa, &ra))
		return LW_END_FAULT;
	/* Only matters if a frame further up needs it. */
	if (rule->fp.base != LW_BASE_NONE)
		frame->fp_known = get_value(t, frame, &rule->fp, cfa, &fp);
	follow_registers(t, frame, rule, cfa);
	frame->gprs[STEP_REG_FP] = fp;
	frame->gprs[STEP_REG_SP] = sp;
	frame->ip = plain_address(ra);
	frame->exact = rule->flags & LW_RULE_SIGNAL;
	return ra ? 0 : LW_END_OUTERMOST;
}

#if defined(__x86_64__)

/* mov $__NR_rt_sigreturn, %rax; syscall; or where only the latter is still to be done. */
static bool is_restorer(const struct tracee *t, const struct frame *frame)
{
	static const __u8 code[] = { 0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05 };
	__u8 bytes[sizeof(code)] = {};

	if (tracee_read(t, frame->ip, bytes, sizeof(bytes)) &&
	    tracee_read(t, frame->ip, bytes, 2))
		return false;
	return !memcmp(bytes, code, sizeof(code)) ||
	       (frame->exact && frame->gprs[0] == 0x0f && !memcmp(bytes, code + 7, 2));
}

#elif defined(__aarch64__)

/* mov x8, #__NR_rt_sigreturn; svc #0; or where only the latter is still to be done. */
static bool is_restorer(const struct tracee *t, const struct frame *frame)
{
	static const __u8 code[] = { 0x68, 0x11, 0x80, 0xd2, 0x01, 0x00, 0x00, 0xd4 };
	__u8 bytes[sizeof(code)] = {};

	if (tracee_read(t, frame->ip, bytes, sizeof(bytes)))
		return false;
	return !memcmp(bytes, code, sizeof(code)) ||
	       (frame->exact && frame->gprs[8] == 139 && !memcmp(bytes, code + 4, 4));
}

#elif defined(__s390x__)

/* svc __NR_sigreturn or svc __NR_rt_sigreturn */
static bool is_restorer(const struct tracee *t, const struct frame *frame)
{
	__u8 bytes[2] = {};

	return !tracee_read(t, frame->ip, bytes, sizeof(bytes)) && bytes[0] == 0x0a &&
	       (bytes[1] == SYS_sigreturn || bytes[1] == SYS_rt_sigreturn);
}

#endif

/* From the stack pointer on; @frame is at a restorer. */
static __u64 context_of(const struct tracee *t, const struct frame *frame)
{
#if defined(__s390x__)
	__u8 bytes[2] = {};

	if (!tracee_read(t, frame->ip, bytes, sizeof(bytes)) && bytes[1] == SYS_sigreturn)
		return STEP_OLD_UC_AT;
#else
	(void)t;
	(void)frame;
#endif
	return STEP_UC_AT;
}

static __u32 step_signal(const struct tracee *t, struct frame *frame)
{
	ucontext_t uc;

	if (tracee_read(t, frame->gprs[STEP_REG_SP] + context_of(t, frame), &uc, sizeof(uc)))
		return LW_END_FAULT;
	*frame = (struct frame) {
		.ip = step_uc_ip(&uc), .exact = true, .fp_known = true, .known = ALL,
	};
	step_uc_gprs(&uc, frame->gprs);
	return 0;
}

/* Return: 0 or LW_END_*. */
static __u32 step(const struct step_tables *tables, const struct tracee *t,
		  struct frame *frame)
{
	__u64 pc = frame->ip - !frame->exact;
	struct lw_rule rule;

	if (!tracee_map_of(t, pc))
		return LW_END_BAD_IP;
	if (is_restorer(t, frame))
		return step_signal(t, frame);
	if (!step_tables_find(tables, t, pc, &rule))
		return LW_END_NO_RULE;
	return apply(t, frame, &rule);
}

/**
 * step_walk - what the module would say
 * @walk: out
 * @tables: all that it has
 * @t: stopped, with its maps read
 */
void step_walk(struct step_walk *walk, const struct step_tables *tables,
	       const struct tracee *t)
{
	struct frame frame = {
		.ip = step_ip(&t->regs), .exact = true, .fp_known = true, .known = ALL,
	};

	step_gprs(&t->regs, frame.gprs);
	walk->nr = 0;
	do {
		walk->frames[walk->nr++] = frame.ip;
		walk->end = step(tables, t, &frame);
		if (!walk->end && !tracee_map_of(t, frame.ip - !frame.exact))
			walk->end = LW_END_BAD_IP;
	} while (!walk->end && walk->nr < 1024);
}
