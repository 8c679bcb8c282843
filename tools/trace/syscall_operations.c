// SPDX-License-Identifier: GPL-2.0
/*
 * syscall_operations.c - arguments whose meaning another one tells, as strace prints them.
 *
 * Contexts: any thread; each has its own struct lw_strbuf.
 */
#include <fcntl.h>
#include <linux/futex.h>
#include <linux/prctl.h>
#include <linux/sched.h>
#include <sys/ioctl.h>

#include "trace/syscall_print.h"

static void put_clone_flags(struct lw_strbuf *out, u64 flags)
{
	u32 signal = flags & CSIGNAL;

	flags &= ~(u64)CSIGNAL;
	lw_strbuf_str(out, "flags=");
	if (flags || !signal)
		lw_print_flags(out, &lw_names_clone, flags);
	if (flags && signal)
		lw_strbuf_char(out, '|');
	if (signal)
		lw_print_signal(out, signal);
}

static bool print_clone(struct lw_printing *p)
{
	const u64 *args = p->call->args;
	u64 flags = args[LW_CLONE_FLAGS];

	lw_put_pointer(p->out, "child_stack=", args[LW_CLONE_STACK]);
	lw_strbuf_str(p->out, ", ");
	put_clone_flags(p->out, flags);
	if (flags & (CLONE_PARENT_SETTID | CLONE_PIDFD))
		lw_put_pointer(p->out, ", parent_tid=", args[LW_CLONE_PARENT_TID]);
	if (flags & CLONE_SETTLS)
		lw_put_pointer(p->out, ", tls=", args[LW_CLONE_TLS]);
	if (flags & (CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID))
		lw_put_pointer(p->out, ", child_tidptr=", args[LW_CLONE_CHILD_TID]);
	return true;
}

static bool print_clone3(struct lw_printing *p)
{
	const struct clone_args *args = lw_data_struct(p, LW_SYSCALL_ENTRY, 64);

	if (!args)
		return lw_print_pointer(p);
	lw_strbuf_str(p->out, "{flags=");
	lw_print_flags(p->out, &lw_names_clone, args->flags);
	if (args->flags & CLONE_PIDFD)
		lw_put_pointer(p->out, ", pidfd=", args->pidfd);
	if (args->flags & (CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID))
		lw_put_pointer(p->out, ", child_tid=", args->child_tid);
	if (args->flags & CLONE_PARENT_SETTID)
		lw_put_pointer(p->out, ", parent_tid=", args->parent_tid);
	lw_strbuf_str(p->out, ", exit_signal=");
	lw_print_signal(p->out, args->exit_signal);
	lw_put_pointer(p->out, ", stack=", args->stack);
	lw_strbuf_str(p->out, ", stack_size=");
	lw_strbuf_hex(p->out, args->stack_size);
	if (args->flags & CLONE_SETTLS)
		lw_put_pointer(p->out, ", tls=", args->tls);
	lw_strbuf_char(p->out, '}');
	return true;
}

static bool print_fcntl(struct lw_printing *p)
{
	switch ((u32)p->call->args[p->arg->by]) {
	case F_GETFD:
	case F_GETFL:
	case F_GETOWN:
	case F_GETSIG:
	case F_GETLEASE:
	case F_GETPIPE_SZ:
	case F_GET_SEALS:
		return false;
	case F_SETFD:
		lw_print_flags(p->out, &lw_names_fd_flags, p->value);
		return true;
	case F_SETFL:
		lw_print_open_flags(p->out, (u32)p->value);
		return true;
	case F_DUPFD:
	case F_DUPFD_CLOEXEC:
	case F_SETOWN:
	case F_SETPIPE_SZ:
		lw_strbuf_s64(p->out, (s32)p->value);
		return true;
	case F_SETSIG:
		lw_print_signal(p->out, p->value);
		return true;
	}
	lw_strbuf_hex(p->out, p->value);
	return true;
}

static bool print_ioctl(struct lw_printing *p)
{
	static const char * const ways[] = { "_IOC_NONE", "_IOC_WRITE", "_IOC_READ",
					     "_IOC_READ|_IOC_WRITE" };
	u32 command = p->value;
	const char *name = lw_name_of(&lw_names_ioctl, command);

	if (name) {
		lw_strbuf_str(p->out, name);
		return true;
	}
	lw_strbuf_str(p->out, "_IOC(");
	lw_strbuf_str(p->out, ways[_IOC_DIR(command)]);
	lw_strbuf_str(p->out, ", ");
	lw_strbuf_hex(p->out, _IOC_TYPE(command));
	lw_strbuf_str(p->out, ", ");
	lw_strbuf_hex(p->out, _IOC_NR(command));
	lw_strbuf_str(p->out, ", ");
	lw_strbuf_hex(p->out, _IOC_SIZE(command));
	lw_strbuf_char(p->out, ')');
	return true;
}

static bool print_futex_op(struct lw_printing *p)
{
	u32 value = p->value, flags = value & ~FUTEX_CMD_MASK;
	const char *name = lw_name_of(&lw_names_futex, value & FUTEX_CMD_MASK);

	if (!name) {
		lw_strbuf_hex(p->out, value);
		lw_strbuf_str(p->out, " /* FUTEX_??? */");
		return true;
	}
	lw_strbuf_str(p->out, name);
	if (flags & FUTEX_PRIVATE_FLAG)
		lw_strbuf_str(p->out, "_PRIVATE");
	if (flags & FUTEX_CLOCK_REALTIME)
		lw_strbuf_str(p->out, "|FUTEX_CLOCK_REALTIME");
	return true;
}

/* The operation decides which of the other arguments are used. */
static u32 futex_op(const struct lw_printing *p)
{
	return p->call->args[1] & FUTEX_CMD_MASK;
}

static bool requeues(u32 op)
{
	return op == FUTEX_REQUEUE || op == FUTEX_CMP_REQUEUE || op == FUTEX_WAKE_OP ||
	       op == FUTEX_CMP_REQUEUE_PI;
}

static bool print_futex_value(struct lw_printing *p)
{
	switch (futex_op(p)) {
	case FUTEX_LOCK_PI:
	case FUTEX_LOCK_PI2:
	case FUTEX_UNLOCK_PI:
	case FUTEX_TRYLOCK_PI:
		return false;
	}
	lw_strbuf_u64(p->out, (u32)p->value);
	return true;
}

static bool print_futex_timeout(struct lw_printing *p)
{
	switch (futex_op(p)) {
	case FUTEX_WAIT:
	case FUTEX_WAIT_BITSET:
	case FUTEX_WAIT_REQUEUE_PI:
	case FUTEX_LOCK_PI:
	case FUTEX_LOCK_PI2:
		return lw_print_pointer(p);
	}
	if (!requeues(futex_op(p)))
		return false;
	lw_strbuf_u64(p->out, (u32)p->value);
	return true;
}

static bool print_futex_address(struct lw_printing *p)
{
	if (!requeues(futex_op(p)) && futex_op(p) != FUTEX_WAIT_REQUEUE_PI)
		return false;
	return lw_print_pointer(p);
}

static bool print_futex_last(struct lw_printing *p)
{
	switch (futex_op(p)) {
	case FUTEX_WAIT_BITSET:
	case FUTEX_WAKE_BITSET:
		if ((u32)p->value == FUTEX_BITSET_MATCH_ANY)
			lw_strbuf_str(p->out, "FUTEX_BITSET_MATCH_ANY");
		else
			lw_strbuf_hex(p->out, (u32)p->value);
		return true;
	case FUTEX_WAKE_OP:
		lw_strbuf_hex(p->out, (u32)p->value);
		return true;
	case FUTEX_CMP_REQUEUE:
	case FUTEX_CMP_REQUEUE_PI:
		lw_strbuf_u64(p->out, (u32)p->value);
		return true;
	}
	return false;
}

static bool print_prctl(struct lw_printing *p)
{
	const u64 *args = p->call->args;

	switch ((u32)args[p->arg->by]) {
	case PR_GET_DUMPABLE:
	case PR_GET_KEEPCAPS:
	case PR_GET_SECCOMP:
	case PR_GET_TIMERSLACK:
	case PR_GET_SECUREBITS:
		return false;
	case PR_SET_PDEATHSIG:
		lw_print_signal(p->out, args[1]);
		return true;
	case PR_SET_DUMPABLE:
	case PR_SET_KEEPCAPS:
	case PR_SET_TIMERSLACK:
	case PR_SET_CHILD_SUBREAPER:
		lw_strbuf_u64(p->out, args[1]);
		return true;
	case PR_SET_NO_NEW_PRIVS:
		lw_strbuf_u64(p->out, args[1]);
		lw_put_number(p->out, ", ", args[2]);
		lw_put_number(p->out, ", ", args[3]);
		lw_put_number(p->out, ", ", args[4]);
		return true;
	case PR_SET_NAME:
	case PR_GET_NAME:
	case PR_GET_PDEATHSIG:
	case PR_GET_CHILD_SUBREAPER:
	case PR_GET_TID_ADDRESS:
		return lw_print_pointer(p);
	}
	for (u32 i = 1; i < 5; i++) {
		if (i > 1)
			lw_strbuf_str(p->out, ", ");
		lw_strbuf_hex(p->out, args[i]);
	}
	return true;
}

const lw_printer lw_operation_printers[LW_ARG_KINDS] = {
	[LW_ARG_CLONE] = print_clone,
	[LW_ARG_CLONE3] = print_clone3,
	[LW_ARG_FCNTL] = print_fcntl,
	[LW_ARG_IOCTL] = print_ioctl,
	[LW_ARG_FUTEX_OP] = print_futex_op,
	[LW_ARG_FUTEX_VALUE] = print_futex_value,
	[LW_ARG_FUTEX_TIMEOUT] = print_futex_timeout,
	[LW_ARG_FUTEX_ADDRESS] = print_futex_address,
	[LW_ARG_FUTEX_LAST] = print_futex_last,
	[LW_ARG_PRCTL] = print_prctl,
};
