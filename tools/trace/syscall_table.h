/* SPDX-License-Identifier: GPL-2.0 */
/*
 * syscall_table.h - what the arguments of system calls mean.
 */
#ifndef LW_SYSCALL_TABLE_H
#define LW_SYSCALL_TABLE_H

#include "base/util.h"
#include "latewind.h"

/* More than any architecture has; and of those that this one lacks. */
#define LW_SYSCALL_NUMBERS	1024
#define LW_SYSCALL_ABSENT	64
/* Six arguments. */
#define LW_ARGS_SIZE		48

/* Written by the Makefile: the numbers of the latter, from LW_SYSCALL_NUMBERS on. */
#include "syscall_absent.inc"

/* lw_syscall_row.classes */
#define LW_CLASS_FILE		0x1U	/* takes a path */
#define LW_CLASS_DESC		0x2U	/* takes or makes a descriptor */
#define LW_CLASS_PROCESS	0x4U
#define LW_CLASS_NETWORK	0x8U
#define LW_CLASS_MEMORY		0x10U
#define LW_CLASS_SIGNAL		0x20U
#define LW_CLASS_CLOCK		0x40U
#define LW_CLASS_IPC		0x80U

/* Values with names: of flags in the order of printing, or of one each. */
struct lw_name {
	u64 value;
	const char *name;
};

struct lw_names {
	const struct lw_name *names;
	u32 nr;
	const char *unknown;		/* what is said of other values */
};

/* lw_arg.kind: how an argument is printed; "in" at entry, "out" at exit. */
enum lw_arg_kind {
	LW_ARG_NONE,
	LW_ARG_INT,			/* 32 bits, with a sign */
	LW_ARG_UINT,
	LW_ARG_LONG,
	LW_ARG_SIZE,
	LW_ARG_HEX,
	LW_ARG_ADDRESS,			/* not looked at */
	LW_ARG_FD,
	LW_ARG_DIRFD,
	LW_ARG_MODE,
	LW_ARG_OPEN_FLAGS,
	LW_ARG_OPEN_MODE,		/* only if flags, argument @by, say so */
	LW_ARG_OPEN_HOW,		/* struct open_how, argument @by has its length */
	LW_ARG_FLAGS,			/* of @names */
	LW_ARG_ENUM,			/* one of @names */
	LW_ARG_ID,			/* user or group, -1 for none */
	LW_ARG_SIGNAL,
	LW_ARG_NODE_MODE,		/* with the type of the file, by name */
	LW_ARG_DEVICE,			/* only if the mode, argument @by, says so */
	LW_ARG_MMAP_FLAGS,
	LW_ARG_SOCKET_TYPE,
	LW_ARG_PROTOCOL,		/* by the family, argument @by */
	LW_ARG_PATH,			/* whole */
	LW_ARG_STRING,			/* up to the limit */
	LW_ARG_PATH_OUT,		/* as long as the result says */
	LW_ARG_STRING_OUT,		/* argument @by has the room, the result its length */
	LW_ARG_BUFFER,			/* argument @by has its length */
	LW_ARG_BUFFER_OUT,		/* likewise */
	LW_ARG_RANDOM_OUT,
	LW_ARG_STRINGS,
	LW_ARG_IOVEC,			/* argument @by has their number */
	LW_ARG_IOVEC_OUT,
	LW_ARG_MSGHDR,
	LW_ARG_SOCKETCALL,		/* the arguments of the call that argument @by is */
	LW_ARG_STAT,
	LW_ARG_STATX,
	LW_ARG_TIMESPEC,
	LW_ARG_TIMESPEC_OUT,
	LW_ARG_TIMEVAL,
	LW_ARG_TIMEVAL_OUT,
	LW_ARG_UTIMES,
	LW_ARG_SOCKADDR,		/* argument @by has its length */
	LW_ARG_SOCKADDR_OUT,		/* argument @by points to it */
	LW_ARG_LENGTH_INOUT,
	LW_ARG_SOCKOPT,			/* argument @by has its length */
	LW_ARG_SOCKOPT_OUT,
	LW_ARG_SOCKOPT_NAME,		/* by the level, argument @by */
	LW_ARG_POLLFDS,			/* argument @by has their number */
	LW_ARG_FDSET,			/* likewise */
	LW_ARG_FD_PAIR,
	LW_ARG_SIGSET,
	LW_ARG_SIGSET_OUT,
	LW_ARG_SIGACTION,
	LW_ARG_SIGACTION_OUT,
	LW_ARG_RLIMIT,
	LW_ARG_RLIMIT_OUT,
	LW_ARG_RUSAGE,
	LW_ARG_UTSNAME,
	LW_ARG_EPOLL_EVENT,
	LW_ARG_EPOLL_EVENTS,
	LW_ARG_WAIT_STATUS,
	LW_ARG_CLONE,			/* all arguments of clone() */
	LW_ARG_CLONE3,			/* argument @by has its length */
	LW_ARG_FCNTL,			/* those behind the command, argument @by */
	LW_ARG_IOCTL,
	LW_ARG_FUTEX_OP,
	LW_ARG_FUTEX_VALUE,
	LW_ARG_FUTEX_TIMEOUT,
	LW_ARG_FUTEX_ADDRESS,
	LW_ARG_FUTEX_LAST,
	LW_ARG_PRCTL,
	LW_ARG_STATX_FLAGS,
	LW_ARG_KINDS
};

struct lw_arg {
	u8 arg;				/* 0 to 5 */
	u8 kind;			/* LW_ARG_* */
	u8 by;				/* another argument */
	const struct lw_names *names;
};

/* lw_syscall_row.result */
enum lw_result_kind {
	LW_RESULT_INT,
	LW_RESULT_HEX,
	LW_RESULT_OCTAL,
	LW_RESULT_FD,
	LW_RESULT_POLL,
	LW_RESULT_SELECT,
	LW_RESULT_FCNTL,
};

struct lw_syscall_row {
	u32 classes;			/* LW_CLASS_* */
	bool known;			/* false: all arguments in hexadecimal */
	u8 result;			/* LW_RESULT_* */
	struct lw_arg args[6];
};

/* Of what -e says. */
struct lw_syscall_set {
	u64 bits[LW_SYSCALL_NUMBERS / 64];
	bool any;			/* those without a name, too */
	bool chosen;			/* lw_syscall_set_parse() said what is in it */
};

/*
 * Where clone() has its arguments: the kernel's CONFIG_CLONE_BACKWARDS is arm64's,
 * CONFIG_CLONE_BACKWARDS2 that of s390x.
 */
enum {
#ifdef __s390x__
	LW_CLONE_STACK, LW_CLONE_FLAGS, LW_CLONE_PARENT_TID, LW_CLONE_CHILD_TID, LW_CLONE_TLS,
#elif defined(__aarch64__)
	LW_CLONE_FLAGS, LW_CLONE_STACK, LW_CLONE_PARENT_TID, LW_CLONE_TLS, LW_CLONE_CHILD_TID,
#else
	LW_CLONE_FLAGS, LW_CLONE_STACK, LW_CLONE_PARENT_TID, LW_CLONE_CHILD_TID, LW_CLONE_TLS,
#endif
};

const char *lw_syscall_name(u32 nr);
const struct lw_syscall_row *lw_syscall_row(u32 nr);
bool lw_syscall_has_args_in_memory(u32 nr);
u32 lw_syscall_takes(u32 nr, u32 limit, struct lw_syscall_arg *takes);
int lw_syscall_set_parse(struct lw_syscall_set *set, const char *text);
void lw_syscall_set_all(struct lw_syscall_set *set);
bool lw_syscall_set_is_all(const struct lw_syscall_set *set);

static inline bool lw_syscall_set_has(const struct lw_syscall_set *set, u32 nr)
{
	return nr < LW_SYSCALL_NUMBERS ? set->bits[nr / 64] >> nr % 64 & 1 : set->any;
}

#endif /* LW_SYSCALL_TABLE_H */
