// SPDX-License-Identifier: GPL-2.0
/*
 * syscall_table.c - what the arguments of system calls mean.
 *
 * A row per call, by number: the numbers and names are those of the headers that
 * the tool is built with.  What a row says of an argument is also what is asked
 * for of the module.
 */
#include <asm/unistd.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/utsname.h>

#include "trace/syscall_flags.h"
#include "trace/syscall_table.h"

/* Written by the Makefile: [number] = "name", */
static const char * const names[LW_SYSCALL_NUMBERS] = {
#include "syscall_numbers.inc"
};

#define A(at, what)		{ .arg = (at), .kind = LW_ARG_##what }
#define BY(at, what, other)	{ .arg = (at), .kind = LW_ARG_##what, .by = (other) }
#define F(at, list)		{ .arg = (at), .kind = LW_ARG_FLAGS, .names = &lw_names_##list }
#define E(at, list)		{ .arg = (at), .kind = LW_ARG_ENUM, .names = &lw_names_##list }
#define ROW(name, of, gives, ...)					\
	[__NR_##name] = {						\
		.classes = (of),					\
		.known = true,						\
		.result = LW_RESULT_##gives,				\
		.args = { __VA_ARGS__ },				\
	}

#define FILE_	LW_CLASS_FILE
#define DESC	LW_CLASS_DESC
#define BOTH	(LW_CLASS_FILE | LW_CLASS_DESC)
#define PROC	LW_CLASS_PROCESS
#define NET	(LW_CLASS_NETWORK | LW_CLASS_DESC)
#define MEM	LW_CLASS_MEMORY
#define SIG	LW_CLASS_SIGNAL
#define CLOCK	LW_CLASS_CLOCK
#define IPC	LW_CLASS_IPC

static const struct lw_syscall_row rows[LW_SYSCALL_NUMBERS + LW_SYSCALL_ABSENT] = {
	/* files by descriptor */
	ROW(read, DESC, INT, A(0, FD), BY(1, BUFFER_OUT, 2), A(2, SIZE)),
	ROW(write, DESC, INT, A(0, FD), BY(1, BUFFER, 2), A(2, SIZE)),
	ROW(pread64, DESC, INT, A(0, FD), BY(1, BUFFER_OUT, 2), A(2, SIZE), A(3, LONG)),
	ROW(pwrite64, DESC, INT, A(0, FD), BY(1, BUFFER, 2), A(2, SIZE), A(3, LONG)),
	ROW(readv, DESC, INT, A(0, FD), BY(1, IOVEC_OUT, 2), A(2, SIZE)),
	ROW(writev, DESC, INT, A(0, FD), BY(1, IOVEC, 2), A(2, SIZE)),
	ROW(close, DESC, INT, A(0, FD)),
	ROW(close_range, DESC, INT, A(0, UINT), A(1, UINT), F(2, close_range)),
	ROW(fstat, DESC, INT, A(0, FD), A(1, STAT)),
	ROW(lseek, DESC, INT, A(0, FD), A(1, LONG), E(2, whence)),
	ROW(dup, DESC, FD, A(0, FD)),
	ROW(dup2, DESC, FD, A(0, FD), A(1, FD)),
	ROW(dup3, DESC, FD, A(0, FD), A(1, FD), F(2, dup3)),
	ROW(fcntl, DESC, FCNTL, A(0, FD), E(1, fcntl), BY(2, FCNTL, 1)),
	ROW(ioctl, DESC, INT, A(0, FD), A(1, IOCTL), A(2, ADDRESS)),
	ROW(fsync, DESC, INT, A(0, FD)),
	ROW(fdatasync, DESC, INT, A(0, FD)),
	ROW(ftruncate, DESC, INT, A(0, FD), A(1, LONG)),
	ROW(fallocate, DESC, INT, A(0, FD), F(1, fallocate), A(2, LONG), A(3, LONG)),
	ROW(fadvise64, DESC, INT, A(0, FD), A(1, LONG), A(2, SIZE), E(3, fadvise)),
	ROW(flock, DESC, INT, A(0, FD), F(1, flock)),
	ROW(fchmod, DESC, INT, A(0, FD), A(1, MODE)),
	ROW(fchown, DESC, INT, A(0, FD), A(1, ID), A(2, ID)),
	ROW(fchdir, DESC, INT, A(0, FD)),
	ROW(fstatfs, DESC, INT, A(0, FD), A(1, ADDRESS)),
	ROW(getdents64, DESC, INT, A(0, FD), A(1, ADDRESS), A(2, SIZE)),
	ROW(sendfile, DESC, INT, A(0, FD), A(1, FD), A(2, ADDRESS), A(3, SIZE)),
	ROW(copy_file_range, DESC, INT, A(0, FD), A(1, ADDRESS), A(2, FD), A(3, ADDRESS),
	    A(4, SIZE), A(5, HEX)),
	ROW(pipe, DESC, INT, A(0, FD_PAIR)),
	ROW(pipe2, DESC, INT, A(0, FD_PAIR), F(1, open)),
	ROW(memfd_create, DESC, FD, A(0, STRING), F(1, memfd)),
	ROW(eventfd2, DESC, FD, A(0, UINT), F(1, eventfd)),
	ROW(timerfd_create, DESC, FD, E(0, clock), F(1, timerfd)),
	ROW(inotify_init1, DESC, FD, F(0, inotify)),

	/* files by path */
	ROW(open, BOTH, FD, A(0, PATH), A(1, OPEN_FLAGS), BY(2, OPEN_MODE, 1)),
	ROW(openat, BOTH, FD, A(0, DIRFD), A(1, PATH), A(2, OPEN_FLAGS), BY(3, OPEN_MODE, 2)),
	ROW(openat2, BOTH, FD, A(0, DIRFD), A(1, PATH), BY(2, OPEN_HOW, 3), A(3, SIZE)),
	ROW(creat, BOTH, FD, A(0, PATH), A(1, MODE)),
	ROW(stat, FILE_, INT, A(0, PATH), A(1, STAT)),
	ROW(lstat, FILE_, INT, A(0, PATH), A(1, STAT)),
	ROW(newfstatat, BOTH, INT, A(0, DIRFD), A(1, PATH), A(2, STAT), F(3, at)),
	ROW(statx, BOTH, INT, A(0, DIRFD), A(1, PATH), A(2, STATX_FLAGS),
	    F(3, statx_mask), A(4, STATX)),
	ROW(statfs, FILE_, INT, A(0, PATH), A(1, ADDRESS)),
	ROW(access, FILE_, INT, A(0, PATH), F(1, access)),
	ROW(faccessat, BOTH, INT, A(0, DIRFD), A(1, PATH), F(2, access)),
	ROW(faccessat2, BOTH, INT, A(0, DIRFD), A(1, PATH), F(2, access), F(3, access_at)),
	ROW(getcwd, FILE_, INT, A(0, PATH_OUT), A(1, SIZE)),
	ROW(chdir, FILE_, INT, A(0, PATH)),
	ROW(chroot, FILE_, INT, A(0, PATH)),
	ROW(mkdir, FILE_, INT, A(0, PATH), A(1, MODE)),
	ROW(mkdirat, BOTH, INT, A(0, DIRFD), A(1, PATH), A(2, MODE)),
	ROW(rmdir, FILE_, INT, A(0, PATH)),
	ROW(unlink, FILE_, INT, A(0, PATH)),
	ROW(unlinkat, BOTH, INT, A(0, DIRFD), A(1, PATH), F(2, at)),
	ROW(rename, FILE_, INT, A(0, PATH), A(1, PATH)),
	ROW(renameat, BOTH, INT, A(0, DIRFD), A(1, PATH), A(2, DIRFD), A(3, PATH)),
	ROW(renameat2, BOTH, INT, A(0, DIRFD), A(1, PATH), A(2, DIRFD), A(3, PATH),
	    F(4, rename)),
	ROW(link, FILE_, INT, A(0, PATH), A(1, PATH)),
	ROW(linkat, BOTH, INT, A(0, DIRFD), A(1, PATH), A(2, DIRFD), A(3, PATH), F(4, at)),
	ROW(symlink, FILE_, INT, A(0, PATH), A(1, PATH)),
	ROW(symlinkat, BOTH, INT, A(0, PATH), A(1, DIRFD), A(2, PATH)),
	ROW(readlink, FILE_, INT, A(0, PATH), BY(1, STRING_OUT, 2), A(2, SIZE)),
	ROW(readlinkat, BOTH, INT, A(0, DIRFD), A(1, PATH), BY(2, STRING_OUT, 3), A(3, SIZE)),
	ROW(chmod, FILE_, INT, A(0, PATH), A(1, MODE)),
	ROW(fchmodat, BOTH, INT, A(0, DIRFD), A(1, PATH), A(2, MODE)),
	ROW(chown, FILE_, INT, A(0, PATH), A(1, ID), A(2, ID)),
	ROW(lchown, FILE_, INT, A(0, PATH), A(1, ID), A(2, ID)),
	ROW(fchownat, BOTH, INT, A(0, DIRFD), A(1, PATH), A(2, ID), A(3, ID), F(4, at)),
	ROW(truncate, FILE_, INT, A(0, PATH), A(1, LONG)),
	ROW(utimensat, BOTH, INT, A(0, DIRFD), A(1, PATH), A(2, UTIMES), F(3, at)),
	ROW(mknod, FILE_, INT, A(0, PATH), A(1, NODE_MODE), BY(2, DEVICE, 1)),
	ROW(mknodat, BOTH, INT, A(0, DIRFD), A(1, PATH), A(2, NODE_MODE), BY(3, DEVICE, 2)),
	ROW(umask, 0, OCTAL, A(0, MODE)),
	ROW(sync, 0, INT),

	/* waiting for descriptors */
	ROW(poll, DESC, POLL, BY(0, POLLFDS, 1), A(1, UINT), A(2, INT)),
	ROW(ppoll, DESC, POLL, BY(0, POLLFDS, 1), A(1, UINT), A(2, TIMESPEC), A(3, SIGSET),
	    A(4, SIZE)),
	ROW(select, DESC, SELECT, A(0, INT), BY(1, FDSET, 0), BY(2, FDSET, 0),
	    BY(3, FDSET, 0), A(4, TIMEVAL)),
	ROW(pselect6, DESC, SELECT, A(0, INT), BY(1, FDSET, 0), BY(2, FDSET, 0),
	    BY(3, FDSET, 0), A(4, TIMESPEC), A(5, ADDRESS)),
	ROW(epoll_create, DESC, FD, A(0, INT)),
	ROW(epoll_create1, DESC, FD, F(0, epoll_create)),
	ROW(epoll_ctl, DESC, INT, A(0, FD), E(1, epoll_op), A(2, FD), A(3, EPOLL_EVENT)),
	ROW(epoll_wait, DESC, INT, A(0, FD), A(1, EPOLL_EVENTS), A(2, INT), A(3, INT)),
	ROW(epoll_pwait, DESC, INT, A(0, FD), A(1, EPOLL_EVENTS), A(2, INT), A(3, INT),
	    A(4, SIGSET), A(5, SIZE)),

	/* memory */
	ROW(mmap, MEM | DESC, HEX, A(0, ADDRESS), A(1, SIZE), F(2, prot), A(3, MMAP_FLAGS),
	    A(4, FD), A(5, HEX)),
	ROW(mprotect, MEM, INT, A(0, ADDRESS), A(1, SIZE), F(2, prot)),
	ROW(munmap, MEM, INT, A(0, ADDRESS), A(1, SIZE)),
	ROW(mremap, MEM, HEX, A(0, ADDRESS), A(1, SIZE), A(2, SIZE), F(3, mremap)),
	ROW(brk, MEM, HEX, A(0, ADDRESS)),
	ROW(madvise, MEM, INT, A(0, ADDRESS), A(1, SIZE), E(2, madvise)),
	ROW(msync, MEM, INT, A(0, ADDRESS), A(1, SIZE), F(2, msync)),
	ROW(mlock, MEM, INT, A(0, ADDRESS), A(1, SIZE)),
	ROW(munlock, MEM, INT, A(0, ADDRESS), A(1, SIZE)),
	ROW(mincore, MEM, INT, A(0, ADDRESS), A(1, SIZE), A(2, ADDRESS)),

	/* the network */
	ROW(socket, NET, FD, E(0, family), A(1, SOCKET_TYPE), BY(2, PROTOCOL, 0)),
	ROW(socketpair, NET, INT, E(0, family), A(1, SOCKET_TYPE), BY(2, PROTOCOL, 0),
	    A(3, FD_PAIR)),
	ROW(connect, NET, INT, A(0, FD), BY(1, SOCKADDR, 2), A(2, INT)),
	ROW(bind, NET, INT, A(0, FD), BY(1, SOCKADDR, 2), A(2, INT)),
	ROW(listen, NET, INT, A(0, FD), A(1, INT)),
	ROW(accept, NET, FD, A(0, FD), BY(1, SOCKADDR_OUT, 2), A(2, LENGTH_INOUT)),
	ROW(accept4, NET, FD, A(0, FD), BY(1, SOCKADDR_OUT, 2), A(2, LENGTH_INOUT),
	    F(3, sock_flags)),
	ROW(getsockname, NET, INT, A(0, FD), BY(1, SOCKADDR_OUT, 2), A(2, LENGTH_INOUT)),
	ROW(getpeername, NET, INT, A(0, FD), BY(1, SOCKADDR_OUT, 2), A(2, LENGTH_INOUT)),
	ROW(sendto, NET, INT, A(0, FD), BY(1, BUFFER, 2), A(2, SIZE), F(3, msg),
	    BY(4, SOCKADDR, 5), A(5, INT)),
	ROW(recvfrom, NET, INT, A(0, FD), BY(1, BUFFER_OUT, 2), A(2, SIZE), F(3, msg),
	    BY(4, SOCKADDR_OUT, 5), A(5, LENGTH_INOUT)),
	ROW(sendmsg, NET, INT, A(0, FD), A(1, MSGHDR), F(2, msg)),
	ROW(recvmsg, NET, INT, A(0, FD), A(1, MSGHDR), F(2, msg)),
	ROW(sendmmsg, NET, INT, A(0, FD), A(1, ADDRESS), A(2, UINT), F(3, msg)),
	ROW(shutdown, NET, INT, A(0, FD), E(1, shutdown)),
	ROW(setsockopt, NET, INT, A(0, FD), E(1, sol), BY(2, SOCKOPT_NAME, 1),
	    BY(3, SOCKOPT, 4), A(4, INT)),
	ROW(getsockopt, NET, INT, A(0, FD), E(1, sol), BY(2, SOCKOPT_NAME, 1),
	    BY(3, SOCKOPT_OUT, 4), A(4, LENGTH_INOUT)),

	ROW(socketcall, NET, INT, E(0, socketcall), BY(1, SOCKETCALL, 0)),

	/* processes */
	ROW(clone, PROC, INT, A(0, CLONE)),
	ROW(clone3, PROC, INT, BY(0, CLONE3, 1), A(1, SIZE)),
	ROW(fork, PROC, INT),
	ROW(vfork, PROC, INT),
	ROW(execve, PROC | LW_CLASS_FILE, INT, A(0, PATH), A(1, STRINGS), A(2, ADDRESS)),
	ROW(execveat, PROC | BOTH, INT, A(0, DIRFD), A(1, PATH), A(2, STRINGS), A(3, ADDRESS),
	    F(4, at)),
	ROW(exit, PROC, INT, A(0, INT)),
	ROW(exit_group, PROC, INT, A(0, INT)),
	ROW(wait4, PROC, INT, A(0, INT), A(1, WAIT_STATUS), F(2, wait), A(3, RUSAGE)),
	ROW(waitid, PROC, INT, E(0, id_type), A(1, INT), A(2, ADDRESS), F(3, wait),
	    A(4, RUSAGE)),
	ROW(arch_prctl, PROC, INT, E(0, arch_prctl), A(1, ADDRESS)),
	ROW(prctl, PROC, INT, E(0, prctl), BY(1, PRCTL, 0)),
	ROW(getpid, 0, INT),
	ROW(getppid, 0, INT),
	ROW(gettid, 0, INT),
	ROW(getpgrp, 0, INT),
	ROW(getpgid, 0, INT, A(0, INT)),
	ROW(setpgid, 0, INT, A(0, INT), A(1, INT)),
	ROW(getsid, 0, INT, A(0, INT)),
	ROW(setsid, 0, INT),
	ROW(getuid, 0, INT),
	ROW(geteuid, 0, INT),
	ROW(getgid, 0, INT),
	ROW(getegid, 0, INT),
	ROW(setuid, 0, INT, A(0, ID)),
	ROW(setgid, 0, INT, A(0, ID)),
	ROW(getgroups, 0, INT, A(0, INT), A(1, ADDRESS)),
	ROW(uname, 0, INT, A(0, UTSNAME)),
	ROW(sysinfo, 0, INT, A(0, ADDRESS)),
	ROW(getrusage, 0, INT, E(0, rusage), A(1, RUSAGE)),
	ROW(getrlimit, 0, INT, E(0, rlimit), A(1, RLIMIT_OUT)),
	ROW(setrlimit, 0, INT, E(0, rlimit), A(1, RLIMIT)),
	ROW(prlimit64, 0, INT, A(0, INT), E(1, rlimit), A(2, RLIMIT), A(3, RLIMIT_OUT)),
	ROW(set_tid_address, 0, INT, A(0, ADDRESS)),
	ROW(set_robust_list, 0, INT, A(0, ADDRESS), A(1, SIZE)),
	ROW(rseq, 0, INT, A(0, HEX), A(1, HEX), A(2, HEX), A(3, HEX)),
	ROW(futex, 0, INT, A(0, ADDRESS), A(1, FUTEX_OP), A(2, FUTEX_VALUE),
	    A(3, FUTEX_TIMEOUT), A(4, FUTEX_ADDRESS), A(5, FUTEX_LAST)),
	ROW(getpriority, 0, INT, E(0, priority), A(1, INT)),
	ROW(setpriority, 0, INT, E(0, priority), A(1, INT), A(2, INT)),
	ROW(sched_yield, 0, INT),
	ROW(sched_getaffinity, 0, INT, A(0, INT), A(1, SIZE), A(2, ADDRESS)),
	ROW(sched_setaffinity, 0, INT, A(0, INT), A(1, SIZE), A(2, ADDRESS)),
	ROW(membarrier, 0, INT, A(0, HEX), A(1, HEX)),
	ROW(getrandom, 0, INT, A(0, RANDOM_OUT), A(1, SIZE), F(2, random)),

	/* signals */
	ROW(rt_sigaction, SIG, INT, A(0, SIGNAL), A(1, SIGACTION), A(2, SIGACTION_OUT),
	    A(3, SIZE)),
	ROW(rt_sigprocmask, SIG, INT, E(0, sighow), A(1, SIGSET), A(2, SIGSET_OUT), A(3, SIZE)),
	ROW(rt_sigpending, SIG, INT, A(0, SIGSET_OUT), A(1, SIZE)),
	ROW(rt_sigsuspend, SIG, INT, A(0, SIGSET), A(1, SIZE)),
	ROW(rt_sigreturn, SIG, INT),
	ROW(rt_sigtimedwait, SIG, INT, A(0, SIGSET), A(1, ADDRESS), A(2, TIMESPEC), A(3, SIZE)),
	ROW(sigaltstack, SIG, INT, A(0, ADDRESS), A(1, ADDRESS)),
	ROW(kill, SIG | PROC, INT, A(0, INT), A(1, SIGNAL)),
	ROW(tkill, SIG | PROC, INT, A(0, INT), A(1, SIGNAL)),
	ROW(tgkill, SIG | PROC, INT, A(0, INT), A(1, INT), A(2, SIGNAL)),
	ROW(pause, SIG, INT),
	ROW(alarm, 0, INT, A(0, UINT)),

	/* time */
	ROW(nanosleep, CLOCK, INT, A(0, TIMESPEC), A(1, ADDRESS)),
	ROW(clock_nanosleep, CLOCK, INT, E(0, clock), F(1, timer), A(2, TIMESPEC),
	    A(3, ADDRESS)),
	ROW(clock_gettime, CLOCK, INT, E(0, clock), A(1, TIMESPEC_OUT)),
	ROW(clock_getres, CLOCK, INT, E(0, clock), A(1, TIMESPEC_OUT)),
	ROW(gettimeofday, CLOCK, INT, A(0, TIMEVAL_OUT), A(1, ADDRESS)),
	ROW(time, CLOCK, INT, A(0, ADDRESS)),

	/* System V */
	ROW(shmget, IPC, INT, A(0, HEX), A(1, SIZE), A(2, HEX)),
	ROW(shmat, IPC | MEM, HEX, A(0, INT), A(1, ADDRESS), A(2, HEX)),
	ROW(shmdt, IPC | MEM, INT, A(0, ADDRESS)),
	ROW(shmctl, IPC, INT, A(0, INT), A(1, HEX), A(2, ADDRESS)),
	ROW(semget, IPC, INT, A(0, HEX), A(1, INT), A(2, HEX)),
	ROW(semop, IPC, INT, A(0, INT), A(1, ADDRESS), A(2, SIZE)),
	ROW(msgget, IPC, INT, A(0, HEX), A(1, HEX)),
};

/**
 * lw_syscall_name - the name of a call
 * @nr: its number
 *
 * Return: the name, or NULL if the headers had none.
 */
const char *lw_syscall_name(u32 nr)
{
	return nr < LW_SYSCALL_NUMBERS ? names[nr] : NULL;
}

/* Return: the number of a call, or -ENOENT. */
static int number_of(const char *name)
{
	for (u32 nr = 0; nr < LW_SYSCALL_NUMBERS; nr++) {
		if (names[nr] && !strcmp(names[nr], name))
			return nr;
	}
	return -ENOENT;
}

/**
 * lw_syscall_row - what is known of a call
 * @nr: its number
 *
 * Return: its row; never NULL.
 */
const struct lw_syscall_row *lw_syscall_row(u32 nr)
{
	static const struct lw_syscall_row none;

	return nr < LW_SYSCALL_NUMBERS ? &rows[nr] : &none;
}

/* How an argument's data is taken; with @in and @out it is taken twice. */
struct taking {
	u8 kind;			/* LW_DATA_*; 0: not at all */
	u8 when;			/* LW_SYSCALL_ENTRY, LW_SYSCALL_EXIT or both */
	u8 count;			/* LW_COUNT_*, beside lw_arg.by */
	bool by;			/* lw_arg.by is the count */
	u32 size;			/* of the struct, or an element */
	u32 max;			/* 0: the limit of strings */
};

#define IN	LW_SYSCALL_ENTRY
#define OUT	LW_SYSCALL_EXIT
#define STRUCT(when, size)	{ LW_DATA_STRUCT, when, 0, false, size, 0 }

/* Elements of an array that are shown. */
#define MAX_ELEMENTS	32

static const struct taking takings[LW_ARG_KINDS] = {
	[LW_ARG_PATH] = { LW_DATA_STRING, IN, 0, false, 0, PATH_MAX },
	[LW_ARG_STRING] = { LW_DATA_STRING, IN, 0, false, 0, 0 },
	[LW_ARG_PATH_OUT] = { LW_DATA_STRING, OUT, 0, false, 0, PATH_MAX },
	[LW_ARG_STRING_OUT] = { LW_DATA_BUFFER, OUT, LW_COUNT_RETURN, false, 0, 0 },
	[LW_ARG_BUFFER] = { LW_DATA_BUFFER, IN, 0, true, 0, 0 },
	[LW_ARG_BUFFER_OUT] = { LW_DATA_BUFFER, OUT, LW_COUNT_RETURN, false, 0, 0 },
	[LW_ARG_RANDOM_OUT] = { LW_DATA_BUFFER, OUT, LW_COUNT_RETURN, false, 0, 0 },
	[LW_ARG_OPEN_HOW] = { LW_DATA_BUFFER, IN, 0, true, 0, 64 },
	[LW_ARG_STRINGS] = { LW_DATA_STRINGS, IN, 0, false, 0, PATH_MAX },
	[LW_ARG_IOVEC] = { LW_DATA_BUFFER, IN, 0, true, 16, 16 * MAX_ELEMENTS },
	[LW_ARG_IOVEC_OUT] = { LW_DATA_BUFFER, OUT, 0, true, 16, 16 * MAX_ELEMENTS },
	[LW_ARG_MSGHDR] = STRUCT(IN, sizeof(struct msghdr)),
	[LW_ARG_SOCKETCALL] = STRUCT(IN, LW_ARGS_SIZE),
	[LW_ARG_STAT] = STRUCT(OUT, sizeof(struct stat)),
	[LW_ARG_STATX] = STRUCT(OUT, sizeof(struct statx)),
	[LW_ARG_TIMESPEC] = STRUCT(IN, 16),
	[LW_ARG_TIMESPEC_OUT] = STRUCT(OUT, 16),
	[LW_ARG_TIMEVAL] = STRUCT(IN, 16),
	[LW_ARG_TIMEVAL_OUT] = STRUCT(OUT, 16),
	[LW_ARG_UTIMES] = STRUCT(IN, 32),
	[LW_ARG_SOCKADDR] = { LW_DATA_BUFFER, IN, LW_COUNT_32, true, 0, 128 },
	[LW_ARG_SOCKADDR_OUT] = { LW_DATA_BUFFER, OUT, LW_COUNT_POINTED, true, 0, 128 },
	[LW_ARG_LENGTH_INOUT] = STRUCT(IN | OUT, 4),
	[LW_ARG_SOCKOPT] = { LW_DATA_BUFFER, IN, LW_COUNT_32, true, 0, 64 },
	[LW_ARG_SOCKOPT_OUT] = { LW_DATA_BUFFER, OUT, LW_COUNT_POINTED, true, 0, 64 },
	[LW_ARG_POLLFDS] = { LW_DATA_BUFFER, IN | OUT, LW_COUNT_32, true, 8, 8 * MAX_ELEMENTS },
	[LW_ARG_FDSET] = STRUCT(IN, 128),
	[LW_ARG_FD_PAIR] = STRUCT(OUT, 8),
	[LW_ARG_SIGSET] = STRUCT(IN, 8),
	[LW_ARG_SIGSET_OUT] = STRUCT(OUT, 8),
	[LW_ARG_SIGACTION] = STRUCT(IN, 32),
	[LW_ARG_SIGACTION_OUT] = STRUCT(OUT, 32),
	[LW_ARG_RLIMIT] = STRUCT(IN, 16),
	[LW_ARG_RLIMIT_OUT] = STRUCT(OUT, 16),
	[LW_ARG_RUSAGE] = STRUCT(OUT, sizeof(struct rusage)),
	[LW_ARG_UTSNAME] = STRUCT(OUT, sizeof(struct utsname)),
	[LW_ARG_EPOLL_EVENT] = STRUCT(IN, 12),
	[LW_ARG_EPOLL_EVENTS] = { LW_DATA_BUFFER, OUT, LW_COUNT_RETURN, false, 12,
				  12 * MAX_ELEMENTS },
	[LW_ARG_WAIT_STATUS] = STRUCT(OUT, 4),
	/* of LW_ARG_FUTEX_TIMEOUT and LW_ARG_PRCTL nothing: most operations have none */
	[LW_ARG_CLONE3] = { LW_DATA_BUFFER, IN, 0, true, 0, 88 },
};

/* Return: how many there are now. */
static u32 add_take(struct lw_syscall_arg *takes, u32 nr, const struct lw_arg *arg, u32 when,
		    u32 limit)
{
	const struct taking *taking = &takings[arg->kind];
	struct lw_syscall_arg *take = &takes[nr];
	/* one more tells whether there is more */
	u32 max = taking->max ? taking->max :
		  limit + (taking->kind == LW_DATA_STRING);

	if (!(taking->when & when) || nr == LW_MAX_SYSCALL_ARGS)
		return nr;
	/* also with a limit of 0 what can't be read is an address */
	if (!max)
		max = 1;
	memset(take, 0, sizeof(*take));
	take->arg = arg->arg;
	take->kind = taking->kind;
	take->when = when;
	take->count = taking->by ? taking->count | arg->by : taking->count;
	take->size = taking->size;
	take->max = taking->kind == LW_DATA_STRUCT ? 0 :
		    max < LW_MAX_SYSCALL_DATA ? max : LW_MAX_SYSCALL_DATA;
	return nr + 1;
}

/* Of all vectors together, so that a long one leaves something of the next. */
#define VECTOR_BYTES	4096

/* The bytes that vectors name, beside the vectors. */
static u32 add_vectors(struct lw_syscall_arg *takes, u32 nr, const struct lw_arg *arg, u32 limit)
{
	bool out = arg->kind == LW_ARG_IOVEC_OUT;

	if ((!out && arg->kind != LW_ARG_IOVEC) || nr == LW_MAX_SYSCALL_ARGS || !limit)
		return nr;
	takes[nr] = (struct lw_syscall_arg) {
		.arg = arg->arg,
		.kind = LW_DATA_IOVEC,
		.when = out ? OUT : IN,
		.count = arg->by,
		.max = limit < VECTOR_BYTES ? VECTOR_BYTES :
		       limit < LW_MAX_SYSCALL_DATA ? limit : LW_MAX_SYSCALL_DATA,
	};
	return nr + 1;
}

/**
 * lw_syscall_has_args_in_memory - does argument 0 point to the arguments
 * @nr: the number of a call
 *
 * That of mmap() does on s390x (struct s390_mmap_arg_struct of its kernel).
 *
 * Return: true if it does: LW_ARGS_SIZE bytes are taken there.
 */
bool lw_syscall_has_args_in_memory(u32 nr)
{
#ifdef __s390x__
	return nr == __NR_mmap;
#else
	(void)nr;
	return false;
#endif
}

/**
 * lw_syscall_takes - the user data that is to be recorded of a call
 * @nr: its number
 * @limit: bytes of a string, but for paths
 * @takes: out: LW_MAX_SYSCALL_ARGS of them
 *
 * Return: how many there are.
 */
u32 lw_syscall_takes(u32 nr, u32 limit, struct lw_syscall_arg *takes)
{
	const struct lw_syscall_row *row = lw_syscall_row(nr);
	u32 taken = 0;

	if (lw_syscall_has_args_in_memory(nr))
		takes[taken++] = (struct lw_syscall_arg) {
			.kind = LW_DATA_STRUCT, .when = IN, .size = LW_ARGS_SIZE,
		};
	for (u32 i = 0; i < ARRAY_SIZE(row->args) && row->args[i].kind; i++) {
		taken = add_take(takes, taken, &row->args[i], IN, limit);
		taken = add_take(takes, taken, &row->args[i], OUT, limit);
		taken = add_vectors(takes, taken, &row->args[i], limit);
	}
	return taken;
}

static const struct {
	const char *name;
	u32 bits;
} classes[] = {
	{ "file", LW_CLASS_FILE }, { "desc", LW_CLASS_DESC }, { "process", LW_CLASS_PROCESS },
	{ "network", LW_CLASS_NETWORK }, { "net", LW_CLASS_NETWORK },
	{ "memory", LW_CLASS_MEMORY }, { "signal", LW_CLASS_SIGNAL },
	{ "clock", LW_CLASS_CLOCK }, { "ipc", LW_CLASS_IPC },
};

/**
 * lw_syscall_set_all - every call, those without a name too
 * @set: out
 */
void lw_syscall_set_all(struct lw_syscall_set *set)
{
	memset(set, 0xff, sizeof(set->bits));
	set->any = true;
}

/**
 * lw_syscall_set_is_all - is every call in it
 * @set: any
 *
 * Return: true if it is.
 */
bool lw_syscall_set_is_all(const struct lw_syscall_set *set)
{
	for (u32 i = 0; i < ARRAY_SIZE(set->bits); i++) {
		if (~set->bits[i])
			return false;
	}
	return set->any;
}

static void add_class(struct lw_syscall_set *set, u32 bits)
{
	for (u32 nr = 0; nr < LW_SYSCALL_NUMBERS; nr++) {
		if (rows[nr].classes & bits)
			set->bits[nr / 64] |= 1ULL << nr % 64;
	}
}

/* Letters that differ, are swapped, added or missing; above @limit it may be any. */
static u32 distance(const char *left, const char *right, u32 limit)
{
	u32 best;

	while (*left && *left == *right) {
		left++;
		right++;
	}
	if (!*left && !*right)
		return 0;
	if (!limit)
		return 1;
	best = 1 + (*left && *right ? distance(left + 1, right + 1, limit - 1) : limit);
	if (*left && *right && left[0] == right[1] && left[1] == right[0]) {
		u32 swapped = 1 + distance(left + 2, right + 2, limit - 1);

		best = swapped < best ? swapped : best;
	}
	if (*left) {
		u32 other = 1 + distance(left + 1, right, limit - 1);

		best = other < best ? other : best;
	}
	if (*right) {
		u32 other = 1 + distance(left, right + 1, limit - 1);

		best = other < best ? other : best;
	}
	return best;
}

/* Return: a name that was meant, or NULL. */
static const char *near_name(const char *name)
{
	for (u32 limit = 1; limit <= 2; limit++) {
		for (u32 nr = 0; nr < LW_SYSCALL_NUMBERS; nr++) {
			if (names[nr] && distance(name, names[nr], limit) <= limit)
				return names[nr];
		}
	}
	return NULL;
}

static int unknown_name(const char *word)
{
	const char *near = near_name(word);

	if (near)
		return lw_fail(-EINVAL, "option -e: there is no system call '%s'\n"
			       "  Is '%s' meant?", word, near);
	return lw_fail(-EINVAL, "option -e: there is no system call '%s'\n"
		       "  Names are those of asm/unistd.h; classes are %%file, %%desc, %%process,\n"
		       "  %%network, %%memory, %%signal, %%clock, %%ipc; 'all' is every call.",
		       word);
}

static int add_word(struct lw_syscall_set *set, const char *word)
{
	int nr = number_of(word);

	if (nr >= 0) {
		set->bits[nr / 64] |= 1ULL << nr % 64;
		return 0;
	}
	if (!strcmp(word, "all")) {
		lw_syscall_set_all(set);
		return 0;
	}
	if (!strcmp(word, "none"))
		return 0;
	for (u32 i = 0; i < ARRAY_SIZE(classes); i++) {
		if (!strcmp(word + (*word == '%'), classes[i].name)) {
			add_class(set, classes[i].bits);
			return 0;
		}
	}
	/* ?NAME: where there is such a call */
	return *word == '?' ? 0 : unknown_name(word);
}

static int add_words(struct lw_syscall_set *set, char *words)
{
	char *word, *rest = words;
	int ret = 0;

	while (!ret && (word = strsep(&rest, ",")))
		ret = add_word(set, *word == '?' && number_of(word + 1) >= 0 ?
				    word + 1 : word);
	return ret;
}

static void add_set(struct lw_syscall_set *set, const struct lw_syscall_set *named)
{
	for (u32 i = 0; i < ARRAY_SIZE(set->bits); i++)
		set->bits[i] |= named->bits[i];
	set->any |= named->any;
}

/* Of all calls, if nothing was said before. */
static void remove_set(struct lw_syscall_set *set, const struct lw_syscall_set *named)
{
	if (!set->chosen)
		lw_syscall_set_all(set);
	for (u32 i = 0; i < ARRAY_SIZE(set->bits); i++)
		set->bits[i] &= ~named->bits[i];
	set->any &= !named->any;
}

/**
 * lw_syscall_set_parse - add what -e says, or take it away
 * @set: in, out; zeroed at first
 * @text: names and classes with commas between; "trace=" may stand before them, and
 *	then "!" for all but those
 *
 * Return: 0, or -EINVAL or -ENOMEM with lw_fail_text().
 */
int lw_syscall_set_parse(struct lw_syscall_set *set, const char *text)
{
	struct lw_syscall_set named = {};
	char *words;
	bool not;
	int ret;

	if (!strncmp(text, "trace=", 6))
		text += 6;
	not = *text == '!';
	if (strchr(text, '='))
		return lw_fail(-EINVAL, "option -e: '%s' is no list of system calls", text);
	words = strdup(text + not);
	if (!words)
		return lw_fail(-ENOMEM, "out of memory");
	ret = add_words(&named, words);
	free(words);
	if (ret)
		return ret;
	if (not)
		remove_set(set, &named);
	else
		add_set(set, &named);
	set->chosen = true;
	return 0;
}
