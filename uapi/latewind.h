/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * latewind.h - the interface between latewind.ko and user space.
 *
 * This is the only ABI header.  A tracer opens /dev/latewind; the file descriptor
 * is a *session*: it owns events and one ring per possible CPU, and its last close()
 * releases them all.
 *
 * Order of calls: open(), LW_IOC_SETUP, mmap() of the rings, LW_IOC_ADD_EVENT
 * any number of times, LW_IOC_ENABLE, poll() and read the rings,
 * LW_IOC_DISABLE, close().  LW_IOC_INFO and LW_IOC_STATS work at any time.
 * LW_IOC_REQUEST works from LW_IOC_SETUP on.
 *
 * Every argument struct starts with its own size, as the caller's headers have
 * it, followed by flags.  A struct that is longer than the module's is accepted if
 * the bytes that the module does not know are zero (else E2BIG); a shorter struct is
 * accepted down to the size of its first published version (else EINVAL).
 * Unknown flags and nonzero reserved fields are refused with EINVAL.  The
 * dispatch ignores the size bits of the ioctl number, so that a struct may grow.
 *
 * Nothing here holds a pointer or a long: 32-bit callers work unchanged.
 * All records are in the byte order of the machine.
 */
#ifndef _UAPI_LINUX_LATEWIND_H
#define _UAPI_LINUX_LATEWIND_H

#include <linux/ioctl.h>
#include <linux/types.h>

#ifdef __KERNEL__
#include <linux/build_bug.h>
#else
#include <assert.h>
#endif

#define LW_DEVICE_PATH		"/dev/latewind"
#define LW_PROC_PATH		"/proc/latewind"
#define LW_ABI_VERSION		4
#define LW_IOC_MAGIC		0xF7

/* Frames of a user stack, the topmost included. */
#define LW_DEFAULT_DEPTH	127
#define LW_MAX_DEPTH		1024
/* Addresses of a kernel stack. */
#define LW_MAX_KERNEL_DEPTH	127

/**
 * struct lw_cookie - names one user stack
 * @counter: per-CPU, free running, never 0 for a valid cookie
 * @cpu: the CPU whose counter this is (not where the unwind ran)
 * @reserved: 0
 *
 * All requests of one kernel entry of one task get the same cookie, whichever
 * session asked.  Two different stacks never share a cookie.  A request may get a
 * second cookie for the same stack if it comes after the stack was delivered.
 */
struct lw_cookie {
	__u64	counter;
	__u32	cpu;
	__u32	reserved;
};

static_assert(sizeof(struct lw_cookie) == 16, "lw_cookie");

/* lw_info.features */
#define LW_FEATURE_SFRAME_V2	0x1ULL	/* SFrame version 2 sections */
#define LW_FEATURE_FP		0x2ULL	/* frame pointers as fallback */
#define LW_FEATURE_SIGFRAME	0x4ULL	/* through signal handlers */
#define LW_FEATURE_PERF_EVENTS	0x8ULL	/* LW_IOC_ADD_EVENT */
#define LW_FEATURE_REQUEST	0x10ULL	/* LW_IOC_REQUEST */
#define LW_FEATURE_SFRAME_V3	0x20ULL	/* SFrame version 3 sections */
#define LW_FEATURE_MASK		0x40ULL	/* lw_setup.mask */
#define LW_FEATURE_FILTER	0x80ULL	/* LW_IOC_FILTER */
#define LW_FEATURE_EXIT		0x100ULL /* stacks of tasks that exit */
#define LW_FEATURE_OVERWRITE	0x200ULL /* LW_SETUP_OVERWRITE */
#define LW_FEATURE_SYSCALLS	0x400ULL /* LW_IOC_ADD_SYSCALL */
#define LW_FEATURE_FAULTABLE	0x800ULL /* SYSCALL records wait for disks */
#define LW_FEATURE_CHILDREN	0x1000ULL /* LW_FILTER_CHILDREN */
#define LW_FEATURE_TABLES	0x2000ULL /* LW_IOC_ADD_TABLE */
#define LW_FEATURE_SECTIONS	0x4000ULL /* LW_IOC_ADD_SECTION, LW_IOC_REMOVE_SECTION */
#define LW_FEATURE_COMPAT_FP	0x8000ULL /* 32-bit code, by frame pointers; s390x: back chain */
#define LW_FEATURE_VMA_QUERY	0x10000ULL /* LW_IOC_VMA_QUERY */
#define LW_FEATURE_VMA_LIST	0x20000ULL /* LW_IOC_VMA_LIST */
#define LW_FEATURE_MODULES	0x40000ULL /* LW_SETUP_MODULES */
#define LW_FEATURE_CGROUP	0x80000ULL /* LW_SETUP_CGROUP */
#define LW_FEATURE_TASK_LIST	0x100000ULL /* LW_IOC_TASK_LIST */
#define LW_FEATURE_FILES	0x200000ULL /* LW_SETUP_FILES */
#define LW_FEATURE_ANALYSIS	0x400000ULL /* LW_HOW_ANALYSIS */
#define LW_FEATURE_CODE		0x800000ULL /* LW_IOC_ADD_CODE */
#define LW_FEATURE_RAW		0x1000000ULL /* LW_SAMPLE_RAW */

/**
 * struct lw_info - what this module is and can do (LW_IOC_INFO)
 * @size: in: size of this struct; out: bytes the module knows
 * @flags: 0
 * @abi_version: LW_ABI_VERSION of the module
 * @nr_rings: rings of a session: CPU numbers 0 to @nr_rings - 1
 * @features: LW_FEATURE_*
 * @max_depth: largest lw_setup.depth
 * @default_depth: what a lw_setup.depth of 0 means
 * @max_sessions: sessions that can be open at once
 * @max_events: events of one session
 * @ring_min: least bytes of data of one ring
 * @ring_max: most bytes of data of one ring
 * @ring_default: what a lw_setup.ring_size of 0 means
 *
 * Errors: EINVAL (size, flags), E2BIG, EFAULT.
 */
struct lw_info {
	__u32	size;
	__u32	flags;
	__u32	abi_version;
	__u32	nr_rings;
	__u64	features;
	__u32	max_depth;
	__u32	default_depth;
	__u32	max_sessions;
	__u32	max_events;
	__u64	ring_min;
	__u64	ring_max;
	__u64	ring_default;
};

static_assert(sizeof(struct lw_info) == 64, "lw_info");

/*
 * lw_setup.mask: what a caller may be found by.  Signal frames are always gone
 * through.
 */
#define LW_MASK_AUTO		0	/* SFrame; without it the frame pointer, a guess */
#define LW_MASK_SFRAME		0x1U	/* SFrame only, tables too: no guesses, no analysis */

/*
 * lw_setup.flags: a flight recorder.  New records overwrite the oldest ones, and
 * nothing is consumed; see "Rings" for how to take a snapshot.
 */
#define LW_SETUP_OVERWRITE	0x1U

/*
 * lw_setup.flags: write a MODULE record whenever code of a kernel module comes or goes,
 * from LW_IOC_SETUP on, enabled or not, whatever the filter.
 */
#define LW_SETUP_MODULES	0x2U

/*
 * lw_setup.flags: each sample has the cgroup of its task, see LW_SAMPLE_CGROUP.
 * Needs LW_FEATURE_CGROUP, which kernels without CONFIG_CGROUPS lack.
 */
#define LW_SETUP_CGROUP		0x4U

/*
 * lw_setup.flags: the session makes tables for the files that LW_IOC_NEXT_FILE
 * reports.  Needs LW_FEATURE_FILES.
 */
#define LW_SETUP_FILES		0x8U

/**
 * struct lw_setup - make the rings (LW_IOC_SETUP), once per session
 * @size: size of this struct
 * @flags: LW_SETUP_*
 * @ring_size: bytes of data of each ring, a power of two, at least one page;
 *	0 for lw_info.ring_default
 * @depth: most frames of a user stack, 1 to LW_MAX_DEPTH; 0 for the default.  The longest
 *	record, 48 bytes and 12 for each frame, must fit into half of the ring: a ring
 *	of 4096 bytes is enough for 166 frames, one of 32768 for LW_MAX_DEPTH
 * @kernel_depth: most addresses of a kernel stack in a sample, 0 to
 *	LW_MAX_KERNEL_DEPTH; 0 means no kernel stacks
 * @watermark: poll() reports a ring readable when it holds this many bytes, or
 *	up to an eighth less; 0 for an eighth of the ring, and never more than half
 *	of it; 0 with LW_SETUP_OVERWRITE, whose rings are never readable
 * @mask: LW_MASK_*
 *
 * With LW_MASK_SFRAME a stack ends with LW_END_NO_RULE where a guess would have
 * to begin.  Registered sections are SFrame.
 *
 * The rings' pages are charged to the caller's RLIMIT_MEMLOCK.
 *
 * Errors: EBUSY (done before), EPERM (RLIMIT_MEMLOCK is too low, and the caller has no
 * CAP_IPC_LOCK; LW_SETUP_MODULES or LW_SETUP_FILES, and it has neither CAP_PERFMON nor
 * CAP_SYS_ADMIN), EINVAL (size, flags, @ring_size not a power of two or out of range,
 * depths, @watermark or @mask out of range), ENOSPC (@depth is too much for @ring_size),
 * ENOMEM, E2BIG, EFAULT.
 */
struct lw_setup {
	__u32	size;
	__u32	flags;
	__u64	ring_size;
	__u32	depth;
	__u32	kernel_depth;
	__u32	watermark;
	__u32	mask;
};

static_assert(sizeof(struct lw_setup) == 32, "lw_setup");

/* lw_add_event.target */
#define LW_TARGET_CPUS		1	/* every task on every CPU */
#define LW_TARGET_TASK		2	/* one thread, named by @pid */

/**
 * struct lw_add_event - add an event source (LW_IOC_ADD_EVENT)
 * @size: size of this struct
 * @flags: 0
 * @attr: address of a struct perf_event_attr (its own size field counts)
 * @target: LW_TARGET_*
 * @pid: thread id for LW_TARGET_TASK (0: the caller), in the caller's PID
 *	namespace; 0 for LW_TARGET_CPUS
 * @id: out: the id that the samples of this event carry; never 0
 * @reserved: 0
 *
 * Any event that perf can count works: software, hardware, tracepoints, the
 * kprobe and uprobe PMUs.  Samples are taken from LW_IOC_ENABLE on; with
 * attr.enable_on_exec (LW_TARGET_TASK only) not before the target's next execve()
 * either.  exclude_callchain_kernel and exclude_callchain_user leave out that part
 * of the stack.  read_format, the wake-up fields and sample_type, but for PERF_SAMPLE_RAW of a
 * tracepoint, are ignored: a sample holds what struct lw_sample has.
 *
 * attr.inherit covers threads and processes that the target starts later.  Such an
 * event counts from LW_IOC_ADD_EVENT on, so that its first sample may be due at once.
 * The kprobe and uprobe PMUs can't inherit (EINVAL): the copy of an event would read
 * the probe's name from the memory of the task that forks.
 *
 * CPUs that come on-line later are covered too.  lw_stats.missing_cpus counts where
 * that failed, as it does for the kprobe and uprobe PMUs: only the caller's memory
 * has the name of the probe.
 *
 * A session has at most as many counters as RLIMIT_NOFILE of the task that adds the
 * event, as perf would need a file for each: one for a thread, or one for each CPU
 * that is on-line.  CAP_SYS_RESOURCE lifts that limit, but not lw_info.max_events.
 *
 * If the result can't be copied back (EFAULT) the event stays.
 *
 * Errors: EBADFD (no LW_IOC_SETUP yet), EBUSY (session is enabled), EPERM (no
 * CAP_PERFMON or CAP_SYS_ADMIN), EINVAL (size, flags, reserved, target, a sampling period of 0, a
 * frequency above kernel.perf_event_max_sample_rate, attribute bits that only a perf ring buffer
 * can serve, reserved words, inherit of a probe), ESRCH (no such thread), ENOSPC
 * (lw_info.max_events reached), EMFILE (RLIMIT_NOFILE, and no CAP_SYS_RESOURCE),
 * ENOENT or EOPNOTSUPP (perf has no such event here), E2BIG, EFAULT, and other errors of perf.
 */
struct lw_add_event {
	__u32	size;
	__u32	flags;
	__u64	attr;
	__u32	target;
	__s32	pid;
	__u64	id;
	__u64	reserved;
};

static_assert(sizeof(struct lw_add_event) == 40, "lw_add_event");

/**
 * struct lw_enable - start or stop every event (LW_IOC_ENABLE, LW_IOC_DISABLE)
 * @size: size of this struct
 * @flags: 0
 *
 * After LW_IOC_DISABLE has returned no SAMPLE is written any more.  USER_STACK records
 * of pending requests still are, when their tasks return to user space
 * (lw_stats.pending counts them).
 *
 * Errors: EPERM (LW_IOC_ENABLE: no CAP_PERFMON or CAP_SYS_ADMIN; or the session records user
 * data of system calls, and no CAP_SYS_PTRACE), EBADFD (no LW_IOC_SETUP yet), ENOENT (no event
 * was added), EALREADY (is enabled, is disabled), EINVAL, E2BIG, EFAULT.
 */
struct lw_enable {
	__u32	size;
	__u32	flags;
};

static_assert(sizeof(struct lw_enable) == 8, "lw_enable");

/* lw_request.flags: also write a SAMPLE record, with LW_EVENT_ID_REQUEST. */
#define LW_REQUEST_SAMPLE	0x1U
#define LW_EVENT_ID_REQUEST	0ULL

/**
 * struct lw_request - the calling task asks for its own stack (LW_IOC_REQUEST)
 * @size: size of this struct
 * @flags: LW_REQUEST_*
 * @cookie: out: names the USER_STACK record that is written to one of the rings
 *	before this call returns to user space
 *
 * Return: 0, or 1 if a request of this kernel entry, by any session, was pending
 * already.
 * Errors: EBADFD (no LW_IOC_SETUP yet), ENOMEM (too many requests pending), EPERM
 * (the filter excludes the caller), EINVAL, E2BIG, EFAULT.
 */
struct lw_request {
	__u32	size;
	__u32	flags;
	struct lw_cookie cookie;
};

static_assert(sizeof(struct lw_request) == 24, "lw_request");

/* lw_filter.kind */
#define LW_FILTER_NONE		0	/* every task */
#define LW_FILTER_PROCESSES	1	/* the processes of @pids */
#define LW_FILTER_CGROUP	2	/* tasks in a cgroup (version 2) or below it */

/* lw_filter.flags */
#define LW_FILTER_INVERT	0x1U	/* all tasks but these */
#define LW_FILTER_CHILDREN	0x2U	/* LW_FILTER_PROCESSES: and their children */

#define LW_MAX_FILTER_PIDS	1024

/**
 * struct lw_filter - which tasks this session is for (LW_IOC_FILTER)
 * @size: size of this struct
 * @flags: LW_FILTER_*, 0 for LW_FILTER_NONE
 * @kind: LW_FILTER_*
 * @nr: LW_FILTER_PROCESSES: process ids at @pids, 1 to LW_MAX_FILTER_PIDS; else 0
 * @pids: LW_FILTER_PROCESSES: address of @nr __s32, in the caller's PID
 *	namespace; else 0
 * @fd: LW_FILTER_CGROUP: an open directory of the cgroup file system; else 0
 * @reserved: 0
 *
 * Replaces the filter of the session, at any time.  An event that hits another
 * task leaves no record, but counts in lw_stats.filtered; LW_IOC_REQUEST by
 * another task fails with EPERM.  LW_FILTER_CHILDREN includes the processes that a
 * process of @pids starts from now on, and their children.  A child that there was
 * no memory for counts in lw_stats.missing_children.
 *
 * Errors: EPERM (as LW_IOC_ENABLE), EINVAL (size, flags, kind, reserved, fields
 * that the kind does not use), ESRCH (no such process), EBADF (@fd is no cgroup), EOPNOTSUPP
 * (kernel without cgroups; LW_FILTER_CHILDREN: without tracepoints), ENOMEM, E2BIG, EFAULT.
 */
struct lw_filter {
	__u32	size;
	__u32	flags;
	__u32	kind;
	__u32	nr;
	__u64	pids;
	__s32	fd;
	__u32	reserved;
};

static_assert(sizeof(struct lw_filter) == 32, "lw_filter");

/* lw_add_syscall.flags and lw_syscall_arg.when */
#define LW_SYSCALL_ENTRY	0x1U	/* a record when the call begins */
#define LW_SYSCALL_EXIT		0x2U	/* a record when the call ends */
#define LW_SYSCALL_STACK	0x4U	/* with a user stack, of the entry if there is one */

/* lw_add_syscall.nr: every number below 1024 that the session has not added. */
#define LW_SYSCALL_ANY		(~0U)

/* lw_syscall_arg.kind, lw_syscall_data.kind */
#define LW_DATA_STRING		1	/* up to its NUL */
#define LW_DATA_BUFFER		2	/* as many bytes as @count says */
#define LW_DATA_STRUCT		3	/* @size bytes */
#define LW_DATA_IOVEC		4	/* the buffers of @count struct iovec */
#define LW_DATA_STRINGS		5	/* of a NULL-terminated array, as execve() has */

/* lw_syscall_arg.count */
#define LW_COUNT_RETURN		6	/* the result of the call, on exit */
#define LW_COUNT_POINTED	0x10	/* or-ed: the argument points to an u32 */
#define LW_COUNT_32		0x20	/* or-ed: only its low 32 bits count */

#define LW_MAX_SYSCALL_ARGS	6
#define LW_MAX_SYSCALL_DATA	65536	/* bytes of one argument */

/**
 * struct lw_syscall_arg - user data to record
 * @arg: which argument points to it, 0 to 5
 * @kind: LW_DATA_*
 * @when: LW_SYSCALL_ENTRY or LW_SYSCALL_EXIT
 * @count: LW_DATA_BUFFER, LW_DATA_IOVEC: the argument with the number of elements,
 *	or LW_COUNT_*; else 0.  LW_DATA_IOVEC on exit: the result of the call limits the
 *	bytes, too
 * @size: LW_DATA_STRUCT: bytes; LW_DATA_BUFFER: bytes of an element, 0 is 1;
 *	else 0
 * @max: bytes to take at most, 1 to LW_MAX_SYSCALL_DATA; LW_DATA_STRUCT: 0
 * @reserved: 0
 *
 * Nothing is taken at the exit of a call that failed.
 */
struct lw_syscall_arg {
	__u8	arg;
	__u8	kind;
	__u8	when;
	__u8	count;
	__u32	size;
	__u32	max;
	__u32	reserved;
};

static_assert(sizeof(struct lw_syscall_arg) == 16, "lw_syscall_arg");

/**
 * struct lw_add_syscall - record a system call (LW_IOC_ADD_SYSCALL)
 * @size: size of this struct
 * @flags: LW_SYSCALL_*, with _ENTRY, _EXIT or both
 * @nr: its number, of 64-bit tasks, or LW_SYSCALL_ANY
 * @nr_args: length of @args, 0 to LW_MAX_SYSCALL_ARGS; 0 with LW_SYSCALL_ANY
 * @args: address of struct lw_syscall_arg, or 0
 * @id: in: 0; out: the id that its records carry; never 0
 *
 * Records the calls of every task that the session's filter lets through.  Calls by
 * int 0x80 and of the x32 ABI have other numbers and are not recorded.  exit() and
 * rt_sigreturn() have no exit.  A successful execve() or execveat() exits in the new
 * program, on x86 always as execve(); if that is a 32-bit program, it has no exit.  A
 * call that seccomp or a ptracer refuses has an exit only.  A call that a signal
 * interrupts exits with -512 to -516 where user space sees EINTR, or another call.
 *
 * LW_IOC_DISABLE does not wait for calls whose data is not in memory: the data is
 * recorded when the pages come.  lw_stats.waiting counts them.
 *
 * A session has a buffer for each CPU, as long as the longest data of its calls, which
 * is charged to the caller's memory cgroup.
 *
 * If @id can't be copied back (EFAULT) the call stays added.
 *
 * Errors: EBADFD (no LW_IOC_SETUP yet), EBUSY (session is enabled), EPERM (no
 * CAP_PERFMON or CAP_SYS_ADMIN; with @args also: no CAP_SYS_PTRACE), EINVAL (size, flags,
 * @nr, @nr_args, an argument's fields), EEXIST (added before), ENOSPC (the longest record
 * that @args allow is longer than half of a ring), EOPNOTSUPP (kernel without tracepoints of system
 * calls), ENOMEM, EINTR (killed), E2BIG, EFAULT.
 */
struct lw_add_syscall {
	__u32	size;
	__u32	flags;
	__u32	nr;
	__u32	nr_args;
	__u64	args;
	__u64	id;
};

static_assert(sizeof(struct lw_add_syscall) == 32, "lw_add_syscall");

/*
 * lw_table.flags: for the vDSO, which is no file: the caller's, in all tasks that have
 * the same.
 */
#define LW_TABLE_VDSO		0x1U

/* Tables of one file. */
#define LW_MAX_FILE_TABLES	16

/**
 * struct lw_table - unwind rows for a file that has none (LW_IOC_ADD_TABLE)
 * @size: size of this struct
 * @flags: LW_TABLE_*
 * @file_fd: the file, open for reading, a regular one; LW_TABLE_VDSO: -1
 * @mtime_nsec: with @mtime_sec, when the file was last changed, by an fstat() from
 *	before the table was made; LW_TABLE_VDSO: 0
 * @mtime_sec: see @mtime_nsec
 * @file_size: bytes of the file, by the same fstat(); LW_TABLE_VDSO: 0
 * @text_offset: where the executable segment begins in the file (p_offset);
 *	LW_TABLE_VDSO: 0
 * @text_size: its bytes (p_filesz); LW_TABLE_VDSO: of the vDSO, at most its mapping
 * @data: address of the table
 * @data_size: its bytes
 *
 * The table is an SFrame section of version 2 or 3 for the machine's ABI.  The start of
 * a function is its distance from the segment's first byte: as if text and section
 * were both at address 0, and without the flag for starts that are relative to
 * themselves.  The module copies the table.  A file may have several, one per segment.
 *
 * The table is used wherever the file is mapped executable, in any process, also in one
 * that starts later, and where the mapping covers only a part of the segment.  The
 * module knows the file by device, inode number, generation, size and time of last
 * change, all of the file system that has the data (for overlayfs the layer below): a
 * file that was changed is another file, and the table is not used for it.  Nothing is
 * kept open: the file may be removed and its file system unmounted.
 *
 * A section that is mapped with the file comes first; the table is used where that has
 * no row.  Of several tables for the same bytes the newest is used.
 *
 * Tables that are equal, and for the same part of the same file, are kept once.  A table
 * is freed when no session has it any more.  Adding a table that the session has
 * changes nothing.  Each table is charged to the RLIMIT_MEMLOCK of the process that made
 * the session's rings; the module's parameters table_bytes and table_count limit all
 * tables together.
 *
 * Errors: EBADFD (no LW_IOC_SETUP yet); EINVAL (size, flags, no regular file, a segment
 * that is empty or not inside the file, a field that LW_TABLE_VDSO does not allow);
 * EBADF (@file_fd is not open, or by O_PATH); EACCES (not open for reading); ESTALE
 * (the file has another size or time of last change: make the table again); ENOENT
 * (LW_TABLE_VDSO: the caller has no 64-bit vDSO); EBADMSG (no sound SFrame section);
 * EOPNOTSUPP (a version, flags, byte order or ABI that can't be used here);
 * EPERM (RLIMIT_MEMLOCK is too low, and the caller has no CAP_IPC_LOCK; or neither
 * CAP_PERFMON nor CAP_SYS_ADMIN); ENOSPC (table_bytes, table_count or
 * LW_MAX_FILE_TABLES reached); ENOMEM, EINTR (killed), E2BIG, EFAULT.
 */
struct lw_table {
	__u32	size;
	__u32	flags;
	__s32	file_fd;
	__u32	mtime_nsec;
	__s64	mtime_sec;
	__u64	file_size;
	__u64	text_offset;
	__u64	text_size;
	__u64	data;
	__u64	data_size;
};

static_assert(sizeof(struct lw_table) == 64, "lw_table");

/* Sections of one process. */
#define LW_MAX_SECTIONS		65536

/**
 * struct lw_section - SFrame for code of the caller's own (LW_IOC_ADD_SECTION,
 * LW_IOC_REMOVE_SECTION)
 * @size: size of this struct
 * @flags: 0
 * @addr: where the section is in the caller's memory
 * @len: bytes of it
 * @text_start: first address of its text
 * @text_size: bytes of its text, at least 1
 * @base: function starts are relative to this address, as if the section were there: 0
 *	for @addr, as linkers write it; @text_start is handy for code that is made at
 *	run time
 *
 * For code that no file has tables for: of a JIT, or loaded by hand.  A program
 * registers for itself and needs no session, LW_IOC_SETUP, capability or device:
 * LW_PROC_PATH will do, which everybody can open, and which may be closed at once.  The
 * section belongs to the memory of the process: threads, and children of clone() with
 * CLONE_VM, share it.  The module copies and checks its bytes, and does not read @addr
 * again.
 *
 * Neither call waits for pages that are not resident, or for more than a moment for
 * mmap_lock of the process, as unloading the module may wait for the call.
 *
 * A section is dropped by LW_IOC_REMOVE_SECTION with the same @text_start and
 * @text_size (@addr, @len and @base are ignored there), by munmap(), an mremap() that
 * moves, or an mmap() over any page of its text, by execve() and by exit().  Nothing
 * else drops it: a program that overwrites code in place, or discards it by madvise(),
 * must remove the section.
 *
 * A child of fork() starts without sections, and may register its own.  liblatewind
 * registers again what was registered through it.
 *
 * Where the section has a row for an address of its text, that row comes before all other
 * sources but the frames of signal handlers (LW_HOW_REGISTERED).
 *
 * Sections take some 300 bytes and 17/16 of their length each.  That is charged to the
 * caller's memory cgroup, and to the user whose process registers its first section:
 * what all processes of the user have registered, and have pinned by io_uring, AF_XDP and
 * the like (by perf, where it counts there), is at most RLIMIT_MEMLOCK.  The module's
 * parameter section_bytes limits each process.  The charge is made before @addr is read,
 * and shows in VmPin of the process.
 *
 * Errors of both: EOPNOTSUPP (by a 32-bit task; kernel without MMU notifiers, or
 * with neither network nor io_uring; a process registers its first
 * section with a file of FUSE or of another machine mapped shared and writable), ENODEV
 * (the module is being unloaded), EINVAL (size, flags; @text_size is 0 or too large),
 * E2BIG, EFAULT (this struct; through LW_PROC_PATH also: it is not resident).
 *
 * LW_IOC_ADD_SECTION: EINVAL (@len is 0, or @base + @len overflows; the section is not
 * of SFrame version 2 or 3 for this machine, not sorted, has a function outside of the
 * text, or rows that are not sound), EFAULT (the section can't be read, or is not
 * resident: copy it right before), EACCES (not all of the text is mapped, and executable),
 * EAGAIN (another thread of the process holds mmap_lock), EINTR (killed), EEXIST
 * (overlaps a registered section), ENOSPC (LW_MAX_SECTIONS, section_bytes, or 1 GiB), EPERM
 * (the user has reached RLIMIT_MEMLOCK, and the caller has no CAP_IPC_LOCK), ENOMEM.
 *
 * LW_IOC_REMOVE_SECTION: ENOENT (no section has exactly this text).
 */
struct lw_section {
	__u32	size;
	__u32	flags;
	__u64	addr;
	__u64	len;
	__u64	text_start;
	__u64	text_size;
	__u64	base;
};

static_assert(sizeof(struct lw_section) == 48, "lw_section");

/**
 * struct lw_code - SFrame for code that another process has made (LW_IOC_ADD_CODE)
 * @size: size of this struct
 * @flags: 0
 * @pid: process or thread, in the caller's PID namespace
 * @reserved: 0
 * @memory: in: 0, or what an earlier call of the session returned here; out: a number of the
 *	process's memory that no other memory ever has
 * @addr: where the section is in the caller's memory; ignored if @len is 0
 * @len: bytes of it
 * @text_start: first address of its text in the process; 0 if @text_size is
 * @text_size: bytes of its text
 *
 * For tracers that know the unwind information of a JIT, as from a jitdump.  The section is as of
 * struct lw_section, with @text_start for base: the module copies and checks its bytes, uses
 * them for walks of that process (LW_HOW_REGISTERED), and drops them at the same events of the
 * process.  Other than there:
 *
 * - The section belongs to the session, which needs no LW_IOC_SETUP, and is dropped when the
 *   session is closed, too.  All sessions use it.
 * - The section replaces those of the session that overlap its text, as a JIT uses its memory
 *   again.  A @len of 0 drops them and adds nothing; a call that fails drops nothing.
 * - What the process registers itself comes first where both have the text.
 * - The charge is to the user of the session's caller; the process pays nothing.  The parameter
 *   section_bytes limits each process of each session, code_bytes all of them (ENOSPC).
 *
 * The first call for a process takes all locks of its memory for a moment, as
 * LW_IOC_ADD_SECTION does; later ones do not.
 *
 * Who reads what a process has written reads of the past: the process may have executed another
 * program since.  So call with @len, @text_start, @text_size and @memory 0 first, then look
 * whether the process still is what it is taken for, and pass the number of @memory on: a call
 * fails if the process has other memory by then.
 *
 * Errors: EPERM (neither CAP_PERFMON nor CAP_SYS_ADMIN; no CAP_SYS_PTRACE, in the initial user
 * namespace; RLIMIT_MEMLOCK), ESRCH (no such process, it has no memory, or not that of @memory),
 * EINVAL (@pid is not positive, @reserved), and those of LW_IOC_ADD_SECTION, with the process in
 * the caller's place, but EEXIST only if another thread adds for the same text at the same time.
 */
struct lw_code {
	__u32	size;
	__u32	flags;
	__s32	pid;
	__u32	reserved;
	__u64	memory;
	__u64	addr;
	__u64	len;
	__u64	text_start;
	__u64	text_size;
};

static_assert(sizeof(struct lw_code) == 56, "lw_code");

/* lw_vma_query.vma_flags; in lw_vma_query.flags: only mappings with these. */
#define LW_VMA_READABLE		0x1U
#define LW_VMA_WRITABLE		0x2U
#define LW_VMA_EXECUTABLE	0x4U
#define LW_VMA_SHARED		0x8U
/* lw_vma_query.flags: if no mapping covers the address, the first one behind it. */
#define LW_VMA_COVERING_OR_NEXT	0x10U
/* lw_vma_query.flags: only mappings of files. */
#define LW_VMA_FILE_BACKED	0x20U

/* Bytes of a build ID; a longer one counts as none. */
#define LW_BUILD_ID_MAX		20

/**
 * struct lw_vma_query - what is mapped at an address (LW_IOC_VMA_QUERY)
 * @size: size of this struct
 * @flags: LW_VMA_*
 * @pid: process or thread, in the caller's PID namespace; 0 for the caller
 * @reserved: 0
 * @addr: the address
 * @start: out: first address of the mapping
 * @end: out: first address behind it
 * @offset: out: where in the file it begins, 0 without a file
 * @inode: out: inode number of the file, 0 without one
 * @page_size: out: in bytes, more than a page for hugetlbfs
 * @dev_major: out: device of the file, 0 without one
 * @dev_minor: out: likewise
 * @vma_flags: out: LW_VMA_READABLE to LW_VMA_SHARED
 * @name_size: in: bytes at @name; out: bytes of the name with its NUL, 0 if there is none
 * @build_id_size: in: bytes at @build_id; out: bytes of the build ID, 0 if there is none
 * @reserved2: 0
 * @name: address for the name; 0 if @name_size is
 * @build_id: address for the build ID; 0 if @build_id_size is
 *
 * What PROCMAP_QUERY does on Linux from 6.11 on, for all kernels, and without /proc.
 * Returns the mapping that has all of @flags and covers @addr; with
 * LW_VMA_COVERING_OR_NEXT, the first one with @flags that ends behind @addr.  To see all
 * mappings of a process, begin at 0 and go on at @end until ENOENT; between two calls
 * they may change.  The answer of one call was true at one moment; the build ID is read
 * after that, from the file that the mapping had.
 *
 * The name is that of /proc/PID/maps: the path of the file, with " (deleted)" behind it
 * if it was removed, [heap], [stack], [vdso] and the like, or what the process calls the
 * mapping (PR_SET_VMA_ANON_NAME).  Unlike there a line feed is not escaped, and
 * [vsyscall], which is not in the process, is not found.  The build ID is that of the
 * mapped ELF file: up to LW_BUILD_ID_MAX bytes.
 *
 * No session or LW_IOC_SETUP is needed: a device that was opened O_WRONLY will do.  Every
 * caller may ask about its own process.  To ask about others it needs CAP_PERFMON,
 * CAP_SYS_ADMIN or CAP_SYS_PTRACE, in the initial user namespace.
 *
 * Errors: EINVAL (size, flags, reserved, negative @pid, an address without a size or a size
 * without an address), ESRCH (no such process, or it has no memory: a kernel thread, or
 * a process that has ended), EACCES (the caller may not ask), ENOENT (no such mapping),
 * ENAMETOOLONG (name or build ID is longer than the buffer), ENOMEM, EINTR (killed),
 * E2BIG, EFAULT.
 */
struct lw_vma_query {
	__u32	size;
	__u32	flags;
	__s32	pid;
	__u32	reserved;
	__u64	addr;
	__u64	start;
	__u64	end;
	__u64	offset;
	__u64	inode;
	__u64	page_size;
	__u32	dev_major;
	__u32	dev_minor;
	__u32	vma_flags;
	__u32	name_size;
	__u32	build_id_size;
	__u32	reserved2;
	__u64	name;
	__u64	build_id;
};

static_assert(sizeof(struct lw_vma_query) == 104, "lw_vma_query");

/* lw_vma_entry.vma_flags: @name is empty: it is the last name of the entries before. */
#define LW_VMA_SAME_NAME	0x40U

/**
 * struct lw_vma_entry - a mapping, as LW_IOC_VMA_LIST returns it
 * @size: bytes up to the next entry, a multiple of 8
 * @vma_flags: LW_VMA_READABLE to LW_VMA_SHARED, LW_VMA_SAME_NAME
 * @start: first address of the mapping
 * @end: first address behind it
 * @offset: where in the file it begins, 0 without a file
 * @inode: inode number of the file, 0 without one
 * @dev_major: device of the file, 0 without one
 * @dev_minor: likewise
 * @name: as of struct lw_vma_query, with a NUL; empty if there is none
 */
struct lw_vma_entry {
	__u32	size;
	__u32	vma_flags;
	__u64	start;
	__u64	end;
	__u64	offset;
	__u64	inode;
	__u32	dev_major;
	__u32	dev_minor;
	char	name[];
};

static_assert(sizeof(struct lw_vma_entry) == 48, "lw_vma_entry");

/**
 * struct lw_vma_list - many mappings at once (LW_IOC_VMA_LIST)
 * @size: size of this struct
 * @flags: LW_VMA_*: only mappings that have these; not LW_VMA_COVERING_OR_NEXT
 * @pid: process, in the caller's PID namespace; 0: the caller's own
 * @nr: out: entries
 * @addr: only mappings that end behind it; out: where to go on, ~0 if there are no more
 * @buf: address for struct lw_vma_entry, one behind the other in the order of addresses
 * @buf_size: bytes at @buf; an entry has at most some 4,200
 * @used: out: bytes of the entries
 *
 * All mappings of a process, a buffer at a time: begin with an @addr of 0 and go on until
 * ENOENT, or until @addr is ~0.  The module reads a hundred mappings or so at one moment;
 * between such parts mappings may change: where one has grown, an entry may overlap the
 * entry before it.  Paths of more than 4096 bytes are left out, and so are build IDs:
 * the caller reads each file once for these.
 *
 * The rights are those of LW_IOC_VMA_QUERY.
 *
 * Errors: EINVAL (size, flags, negative @pid, no buffer), ESRCH, EACCES (as there), ENOENT
 * (no mapping with @flags ends behind @addr), ENOSPC (no room for the first entry), ENOMEM,
 * EINTR (killed), E2BIG, EFAULT.
 */
struct lw_vma_list {
	__u32	size;
	__u32	flags;
	__s32	pid;
	__u32	nr;
	__u64	addr;
	__u64	buf;
	__u32	buf_size;
	__u32	used;
};

static_assert(sizeof(struct lw_vma_list) == 40, "lw_vma_list");

/* lw_task_entry.flags: a thread of the kernel. */
#define LW_TASK_KERNEL		0x1U

/**
 * struct lw_task_entry - a task, as LW_IOC_TASK_LIST returns it
 * @size: bytes up to the next entry, a multiple of 8
 * @flags: LW_TASK_*
 * @pid: its process, in the caller's PID namespace
 * @tid: its own number there
 * @namespaces: tasks with the same number are in the same namespaces, of all seven kinds of
 *	PERF_RECORD_NAMESPACES; tasks with different numbers may be, too.  0: the task has
 *	exited and is in none
 * @comm: its name, padded with NULs
 */
struct lw_task_entry {
	__u32	size;
	__u32	flags;
	__s32	pid;
	__s32	tid;
	__u64	namespaces;
	char	comm[16];
};

static_assert(sizeof(struct lw_task_entry) == 40, "lw_task_entry");

/**
 * struct lw_task_list - many tasks at once (LW_IOC_TASK_LIST)
 * @size: size of this struct
 * @flags: 0
 * @tid: only tasks with this number or a greater one; out: where to go on
 * @nr: out: entries
 * @buf: address for struct lw_task_entry, one behind the other in the order of @tid
 * @buf_size: bytes at @buf
 * @used: out: bytes of the entries
 *
 * All tasks of the caller's PID namespace, threads and zombies included, a buffer at a
 * time: begin with a @tid of 0 and go on until ENOENT.  A task that exists all the time is
 * returned once; a task that begins or ends meanwhile may be missing, and so may a thread
 * that becomes the first of its process by an execve() meanwhile.  Numbers of namespaces
 * may be used again when the namespaces are gone: do not keep them.
 *
 * No session is needed: a device that was opened O_WRONLY will do.
 *
 * Errors: EACCES (neither CAP_PERFMON nor CAP_SYS_ADMIN), EINVAL (size, flags, negative
 * @tid, no buffer, or no room for an entry), ENOENT (no such task), ENOMEM, E2BIG, EFAULT.
 */
struct lw_task_list {
	__u32	size;
	__u32	flags;
	__s32	tid;
	__u32	nr;
	__u64	buf;
	__u32	buf_size;
	__u32	used;
};

static_assert(sizeof(struct lw_task_list) == 32, "lw_task_list");

/**
 * struct lw_missing_file - a file that needs a table (LW_IOC_NEXT_FILE)
 * @size: size of this struct
 * @flags: 0
 * @pid: out: a thread that has the file mapped, and waits, in the PID namespace of the
 *	process that opened the device; 0 if the thread is not in it
 * @generation: out: of the inode, 0 where its file system has none
 * @number: out: for lw_file_done.number
 * @time: out: when a walk met the file, CLOCK_MONOTONIC, in nanoseconds
 * @start: out: first address of the mapping
 * @end: out: first address behind it
 * @offset: out: where in the file it begins
 * @inode: out: inode number of the file
 * @dev_major: out: device of the file
 * @dev_minor: out: likewise
 *
 * For sessions with LW_SETUP_FILES.  A walk that meets an address in a file without a
 * rule or a table for it reports the file to these sessions and waits until each has
 * answered by LW_IOC_FILE_DONE: for all files together at most the module's parameter
 * table_wait, a tenth of a second.  A session that has left a report unanswered for so
 * long is not waited for again until it answers something.  The walk goes on with the
 * tables that there are.  So answer each report soon, whether there is a table or not.
 * Walks of tasks that exit report files, but do not wait.
 *
 * poll() returns POLLPRI when there is a file.  A file is reported again after a second at
 * the earliest, or, a few times, if it was written to.  Files that were met before
 * LW_IOC_SETUP are not reported.  A session that asks too late may miss files.
 *
 * Errors: EBADFD (no LW_IOC_SETUP with LW_SETUP_FILES), EAGAIN (there is no file), EINVAL
 * (size, flags), E2BIG, EFAULT (the file counts as reported).
 */
struct lw_missing_file {
	__u32	size;
	__u32	flags;
	__s32	pid;
	__u32	generation;
	__u64	number;
	__u64	time;
	__u64	start;
	__u64	end;
	__u64	offset;
	__u64	inode;
	__u32	dev_major;
	__u32	dev_minor;
};

static_assert(sizeof(struct lw_missing_file) == 72, "lw_missing_file");

/**
 * struct lw_file_done - a file has the tables that it gets (LW_IOC_FILE_DONE)
 * @size: size of this struct
 * @flags: 0
 * @number: lw_missing_file.number
 *
 * A late or repeated answer does no harm.
 *
 * Errors: EBADFD (no LW_IOC_SETUP with LW_SETUP_FILES), EINVAL (size, flags, no file had
 * @number), E2BIG, EFAULT.
 */
struct lw_file_done {
	__u32	size;
	__u32	flags;
	__u64	number;
};

static_assert(sizeof(struct lw_file_done) == 16, "lw_file_done");

/**
 * struct lw_stats - counters of this session (LW_IOC_STATS)
 * @size: in: size of this struct; out: bytes the module knows
 * @flags: 0
 * @samples: SAMPLE records written
 * @requests: requests of this session that got a cookie
 * @shared: of @requests, those whose cookie this session had already been given: they
 *	share its USER_STACK, so that @requests - @shared stacks are due
 * @refused_task: requests in tasks without a user stack (kernel thread, exiting)
 * @refused_slots: requests refused as too many tasks were pending
 * @user_stacks: USER_STACK records written
 * @pending: tasks that owe this session a USER_STACK now
 * @outermost: stacks that reached the outermost frame
 * @truncated: stacks cut at the depth limit
 * @lost_walks: stacks whose walk ended before the outermost frame, or perhaps did
 *	(LW_END_OUTERMOST_FP)
 * @no_walks: stacks without a walk (LW_END_EXITED, _EXEC, _NOMEM)
 * @frames_sframe: frames found by SFrame, of files or registered
 * @frames_fp: frames found by frame pointer
 * @frames_sigframe: frames found by a signal frame
 * @lost_full: records dropped as the ring was full
 * @lost_big: records dropped as longer than half of the ring
 * @lost_nested: samples dropped as they hit inside another in the same context
 * @lost_stacks: USER_STACK records of @lost_full and @lost_big
 * @throttled: requests refused as the task did nothing but walk its stack
 * @filtered: hits that the filter excluded
 * @walks: walks that served this session first; sessions that share a walk do not count it
 *	again, so that the sum over all sessions is the number of walks
 * @pool_pending: tasks that owe a stack to any session now
 * @pool_slots: tasks that could, without more memory
 * @pool_bytes: memory of all that is pending; grows with @pool_pending, and is freed some
 *	seconds later
 * @missing_cpus: times that an event of LW_TARGET_CPUS could not be brought to a
 *	CPU that came on-line after LW_IOC_ADD_EVENT
 * @overwritten: records overwritten by newer ones, with LW_SETUP_OVERWRITE
 * @syscalls: SYSCALL records written
 * @data_faults: arguments in SYSCALL records whose data could not be read to its end
 * @waiting: tasks that wait now for data that a SYSCALL record lacks
 * @missing_children: processes that LW_FILTER_CHILDREN had no memory for
 * @frames_table: frames found by a table of LW_IOC_ADD_TABLE
 * @tables: tables of this session
 * @table_bytes: memory of @tables
 * @tables_refused: calls of LW_IOC_ADD_TABLE that failed with EPERM, ENOSPC or ENOMEM
 * @all_tables: tables of all sessions, each once; also tables that are being made, and
 *	tables that were given up but not freed yet, as a walk may use them
 * @all_table_bytes: memory of @all_tables, which the parameter table_bytes limits
 * @frames_analysis: frames found by rows of a table that are from the code's instructions
 *
 * Errors: EINVAL (size, flags), E2BIG, EFAULT.
 */
struct lw_stats {
	__u32	size;
	__u32	flags;
	__u64	samples;
	__u64	requests;
	__u64	shared;
	__u64	refused_task;
	__u64	refused_slots;
	__u64	user_stacks;
	__u64	pending;
	__u64	outermost;
	__u64	truncated;
	__u64	lost_walks;
	__u64	no_walks;
	__u64	frames_sframe;
	__u64	frames_fp;
	__u64	frames_sigframe;
	__u64	lost_full;
	__u64	lost_big;
	__u64	lost_nested;
	__u64	lost_stacks;
	__u64	throttled;
	/* Since ABI version 1 with LW_FEATURE_FILTER. */
	__u64	filtered;
	__u64	walks;
	__u64	pool_pending;
	__u64	pool_slots;
	__u64	pool_bytes;
	__u64	missing_cpus;
	/* With LW_FEATURE_OVERWRITE. */
	__u64	overwritten;
	/* With LW_FEATURE_SYSCALLS. */
	__u64	syscalls;
	__u64	data_faults;
	__u64	waiting;
	/* With LW_FEATURE_CHILDREN. */
	__u64	missing_children;
	/* With LW_FEATURE_TABLES. */
	__u64	frames_table;
	__u64	tables;
	__u64	table_bytes;
	__u64	tables_refused;
	__u64	all_tables;
	__u64	all_table_bytes;
	/* With LW_FEATURE_ANALYSIS. */
	__u64	frames_analysis;
};

static_assert(sizeof(struct lw_stats) == 304, "lw_stats");

#define LW_IOC_INFO		_IOWR(LW_IOC_MAGIC, 0, struct lw_info)
#define LW_IOC_SETUP		_IOW(LW_IOC_MAGIC, 1, struct lw_setup)
#define LW_IOC_ADD_EVENT	_IOWR(LW_IOC_MAGIC, 2, struct lw_add_event)
#define LW_IOC_ENABLE		_IOW(LW_IOC_MAGIC, 3, struct lw_enable)
#define LW_IOC_DISABLE		_IOW(LW_IOC_MAGIC, 4, struct lw_enable)
#define LW_IOC_REQUEST		_IOWR(LW_IOC_MAGIC, 5, struct lw_request)
#define LW_IOC_STATS		_IOWR(LW_IOC_MAGIC, 6, struct lw_stats)
#define LW_IOC_FILTER		_IOW(LW_IOC_MAGIC, 7, struct lw_filter)
#define LW_IOC_ADD_SYSCALL	_IOWR(LW_IOC_MAGIC, 8, struct lw_add_syscall)
#define LW_IOC_ADD_TABLE	_IOW(LW_IOC_MAGIC, 9, struct lw_table)
#define LW_IOC_ADD_SECTION	_IOW(LW_IOC_MAGIC, 10, struct lw_section)
#define LW_IOC_REMOVE_SECTION	_IOW(LW_IOC_MAGIC, 11, struct lw_section)
#define LW_IOC_VMA_QUERY	_IOWR(LW_IOC_MAGIC, 12, struct lw_vma_query)
#define LW_IOC_VMA_LIST		_IOWR(LW_IOC_MAGIC, 13, struct lw_vma_list)
#define LW_IOC_TASK_LIST	_IOWR(LW_IOC_MAGIC, 14, struct lw_task_list)
#define LW_IOC_NEXT_FILE	_IOWR(LW_IOC_MAGIC, 15, struct lw_missing_file)
#define LW_IOC_FILE_DONE	_IOW(LW_IOC_MAGIC, 16, struct lw_file_done)
#define LW_IOC_ADD_CODE		_IOWR(LW_IOC_MAGIC, 17, struct lw_code)

/*
 * Rings.  One per possible CPU, mapped in two parts:
 *
 *   mmap(PROT_READ | PROT_WRITE, MAP_SHARED, LW_MMAP_CONSUMER(cpu)), one page:
 *	struct lw_ring_consumer.
 *   mmap(PROT_READ, MAP_SHARED, LW_MMAP_PRODUCER(cpu)), one page with struct
 *	lw_ring_producer followed by the data, twice: the second mapping of the
 *	same pages makes each record contiguous.  Length: page + 2 * ring_size;
 *	page + ring_size is accepted too.
 *
 * Positions are bytes since the beginning and never wrap; a record at position
 * p starts at data[p & (ring_size - 1)].  To read:
 *
 *   head = load_acquire(producer->pos);
 *   while (consumer->pos < head) {
 *	len = load_acquire(record->len);
 *	if (len & LW_RING_BUSY)
 *		break;			still being written: come back later
 *	... use the record ...
 *	store_release(consumer->pos, consumer->pos + len);
 *   }
 *
 * A record that is being written stops the reader until it is whole; the records behind
 * it are kept.  poll() does not report a ring whose oldest record is being written, and
 * wakes when that is whole.
 *
 * With LW_SETUP_OVERWRITE consumer->pos means nothing.  To take a snapshot, at any time,
 * while producers write:
 *
 *   pos = load_acquire(producer->tail);
 *   head = load_acquire(producer->pos);
 *   while (pos < head) {
 *	len = load_acquire(record->len);
 *	copy len & ~LW_RING_BUSY bytes, but none if the record was overwritten: if
 *	that is not a multiple of 8 from 8 to head - pos, or head - pos > ring_size
 *	fence(acquire);
 *	tail = load_relaxed(producer->tail);
 *	if (tail > pos) {
 *		pos = tail;		drop all copies made so far
 *	} else {
 *		if (!(len & LW_RING_BUSY))
 *			... keep the copy ...
 *		pos += len & ~LW_RING_BUSY;
 *	}
 *   }
 *
 * If pos ends up greater than head, everything was overwritten meanwhile: start again.
 * A record that is being written is never overwritten: when the ring wraps to it, new
 * records are dropped until it is whole.
 *
 * open() fails with EACCES (the mode of the device), EPERM (no CAP_PERFMON or CAP_SYS_ADMIN;
 * O_WRONLY: nor CAP_SYS_PTRACE), EMFILE (lw_info.max_sessions are open), ENOMEM.  A child
 * does not inherit the mappings of a ring by fork().
 *
 * Where this header says CAP_PERFMON, a security module that forbids perf_event_open() forbids
 * the call, too, which fails with what the module returns, mostly EACCES; on kernels that export
 * perf_allow_kernel().
 *
 * Open the device O_RDWR: the consumer part can't be mapped otherwise.
 *
 * A device that is opened O_WRONLY is no session: LW_IOC_INFO, LW_IOC_ADD_SECTION,
 * LW_IOC_REMOVE_SECTION, LW_IOC_VMA_QUERY, LW_IOC_VMA_LIST and LW_IOC_TASK_LIST work, other
 * ioctls fail with EBADF, mmap() with EACCES, and poll() returns POLLERR.
 *
 * LW_PROC_PATH, which everybody may open, has LW_IOC_INFO, LW_IOC_ADD_SECTION and
 * LW_IOC_REMOVE_SECTION; other ioctls fail with ENOTTY.  An open file of it does not keep
 * the module from being unloaded; all its ioctls fail with ENOTTY from then on.
 *
 * mmap errors: EBADFD (no LW_IOC_SETUP yet), EINVAL (length, offset, a CPU
 * that is not possible on this machine: skip it), EPERM (PROT_WRITE or PROT_EXEC
 * on the producer part, or not MAP_SHARED).
 */
#define LW_MMAP_STRIDE		0x100000000ULL
#define LW_MMAP_CONSUMER(cpu)	((__u64)(cpu) * LW_MMAP_STRIDE)
#define LW_MMAP_PRODUCER(cpu)	((__u64)(cpu) * LW_MMAP_STRIDE + 0x10000)

/**
 * struct lw_ring_consumer - state of the reader
 * @pos: first byte not yet consumed; written by user space only
 */
struct lw_ring_consumer {
	__u64	pos;
};

/**
 * struct lw_ring_producer - state of the producers
 * @pos: end of what is reserved
 * @data_size: bytes of data
 * @data_offset: from the start of this struct to the data
 * @lost: records dropped on this ring so far, all causes
 * @tail: LW_SETUP_OVERWRITE: the oldest record that is kept; else 0
 * @overwritten: LW_SETUP_OVERWRITE: records that were overwritten; else 0
 */
struct lw_ring_producer {
	__u64	pos;
	__u64	data_size;
	__u64	data_offset;
	__u64	lost;
	__u64	tail;
	__u64	overwritten;
};

static_assert(sizeof(struct lw_ring_producer) == 48, "lw_ring_producer");

/* lw_record.len: set while the record is being written */
#define LW_RING_BUSY		0x80000000U

/* lw_record.type */
#define LW_RECORD_SAMPLE	1
#define LW_RECORD_USER_STACK	2
#define LW_RECORD_LOST		3
#define LW_RECORD_SYSCALL	5
#define LW_RECORD_SYSCALL_DATA	6
#define LW_RECORD_MODULE	7

/**
 * struct lw_record - header of each record
 * @len: bytes of the whole record with this header, a multiple of 8;
 *	LW_RING_BUSY while it is being written
 * @type: LW_RECORD_*; a reader skips types that it does not know
 * @flags: per type
 */
struct lw_record {
	__u32	len;
	__u16	type;
	__u16	flags;
};

static_assert(sizeof(struct lw_record) == 8, "lw_record");

/* lw_sample.user, lw_syscall.user: the user stack */
#define LW_USER_PENDING		0	/* cookie is valid, USER_STACK follows */
#define LW_USER_KTHREAD		1	/* the task has no user space */
#define LW_USER_EXITING		2	/* its user space is gone already */
#define LW_USER_NO_SLOT		3	/* too many tasks pending */
#define LW_USER_EXCLUDED	4	/* none was asked for */
#define LW_USER_THROTTLED	5	/* the task may only be walking itself */

/* lw_sample.record.flags */
#define LW_SAMPLE_USER_IP	0x1U	/* @ip is a user address */
#define LW_SAMPLE_KERNEL_CUT	0x2U	/* kernel stack cut at its limit */
#define LW_SAMPLE_CGROUP	0x4U	/* the cgroup's id follows @kernel */
#define LW_SAMPLE_RAW		0x8U	/* a tracepoint's fields follow all else */

/**
 * struct lw_sample - an event hit
 * @record: header, LW_RECORD_SAMPLE
 * @cookie: the user stack's name; counter 0 when @user is not LW_USER_PENDING
 * @time: CLOCK_MONOTONIC, in nanoseconds
 * @id: lw_add_event.id, or LW_EVENT_ID_REQUEST
 * @ip: where it hit; if the event leaves out the kernel (exclude_kernel) and its interrupt came so
 *	late that the task was there, where it had come from, or 0 if that is not known
 * @period: events that this sample stands for
 * @pid: process, in the PID namespace of the session's opener
 * @tid: thread, likewise
 * @cpu: where it hit
 * @user: LW_USER_*
 * @nr_kernel: addresses that follow
 * @kernel: kernel stack, topmost first; the first is @ip, the rest are return
 *	addresses; empty if the event hit in user space
 *
 * With LW_SETUP_CGROUP, LW_SAMPLE_CGROUP is set and a __u64 follows the last address: the
 * id of the task's cgroup, in the hierarchy of version 2, when the event hit.  The file
 * handle of the cgroup's directory has the same number; so have PERF_SAMPLE_CGROUP and
 * PERF_RECORD_CGROUP, unless perf's controller is in a hierarchy of version 1.
 *
 * With PERF_SAMPLE_RAW in the sample_type of a tracepoint, LW_SAMPLE_RAW is set, and behind all
 * of that follow a __u32, the bytes behind it, and these: what the tracepoint tells, as in perf's
 * records, laid out as its format in tracefs says.  Zeros may be at the end of it.
 */
struct lw_sample {
	struct lw_record record;
	struct lw_cookie cookie;
	__u64	time;
	__u64	id;
	__u64	ip;
	__u64	period;
	__u32	pid;
	__u32	tid;
	__u32	cpu;
	__u16	user;
	__u16	nr_kernel;
	__u64	kernel[];
};

static_assert(sizeof(struct lw_sample) == 72, "lw_sample");

/* How a frame was found. */
#define LW_HOW_REGS		0	/* topmost: the task's registers */
#define LW_HOW_SFRAME		1	/* a row of an SFrame section */
#define LW_HOW_FP		2	/* a guess: the frame pointer */
#define LW_HOW_SIGFRAME		3	/* interrupted by a signal handler */
#define LW_HOW_TABLE		4	/* a row of a table of LW_IOC_ADD_TABLE */
#define LW_HOW_REGISTERED	5	/* a row of a section of LW_IOC_ADD_SECTION or _CODE */
/*
 * Likely: a table's row that is from the code's instructions, or a row by a register that no row
 * below tells of and that is taken as unchanged.
 */
#define LW_HOW_ANALYSIS		6

/* How the walk ended: lw_user_stack.end */
#define LW_END_OUTERMOST	1	/* good: the last frame has no caller */
#define LW_END_TRUNCATED	2	/* depth limit of this session */
#define LW_END_NO_RULE		3	/* lost: no row, or a register it needs is unknown */
#define LW_END_BAD_CFA		4	/* lost: CFA misaligned or no progress */
#define LW_END_FAULT		5	/* lost: stack could not be read */
#define LW_END_BAD_IP		6	/* lost: return address is not code */
#define LW_END_EXITED		7	/* no walk: exited, no LW_FEATURE_EXIT */
#define LW_END_EXEC		8	/* no walk: another program runs now */
#define LW_END_NOMEM		9	/* no walk: out of memory */
#define LW_END_COMPAT		10	/* 32-bit code, no LW_FEATURE_COMPAT_FP */
#define LW_END_STOPPED		11	/* lost: fatal signal, or exit */
#define LW_END_OUTERMOST_FP	12	/* a guess: no row, frame pointer is 0 */
#define LW_END_BUDGET		13	/* lost: tables of too many rows */

/**
 * struct lw_frame_run - consecutive frames with the same LW_HOW_* and the same upper half
 *	of their addresses
 * @high: the upper 32 bits of the addresses
 * @nr: frames, at least 1
 * @how: LW_HOW_* of each frame; but the topmost frame of a stack is always LW_HOW_REGS
 * @reserved: 0
 */
struct lw_frame_run {
	__u32	high;
	__u16	nr;
	__u8	how;
	__u8	reserved;
};

static_assert(sizeof(struct lw_frame_run) == 8, "lw_frame_run");

/**
 * struct lw_user_stack - the user stack that a cookie names
 * @record: header, LW_RECORD_USER_STACK
 * @cookie: as in the samples that it belongs to
 * @time: when the walk began, CLOCK_MONOTONIC, in nanoseconds
 * @pid: as in struct lw_sample
 * @tid: as in struct lw_sample
 * @nr: frames
 * @nr_runs: length of @runs
 * @end: LW_END_*
 * @reserved: 0
 * @runs: of all frames, topmost first: the sum of their @nr is @nr.  The lower 32 bits of
 *	each address follow them, @nr __u32, padded with zeros to a multiple of 8.
 *
 * Addresses after the first are return addresses, unless LW_HOW_SIGFRAME marks an
 * interrupted address.
 *
 * A session gets exactly one USER_STACK per cookie that it was given, when the task
 * returns to user space, in the ring of the CPU that the task is on then.  It may be read
 * before a SAMPLE in another ring, and may be older than a SAMPLE that hits while the
 * stack is still being delivered to other sessions.
 */
struct lw_user_stack {
	struct lw_record record;
	struct lw_cookie cookie;
	__u64	time;
	__u32	pid;
	__u32	tid;
	__u16	nr;
	__u16	nr_runs;
	__u16	end;
	__u16	reserved;
	struct lw_frame_run runs[];
};

static_assert(sizeof(struct lw_user_stack) == 48, "lw_user_stack");

/* lw_syscall.record.flags */
#define LW_SYSCALL_IS_EXIT	0x1U	/* @ret is valid */
/* A SYSCALL_DATA record follows with the data that is LW_DATA_F_MISSING; else that is lost. */
#define LW_SYSCALL_DATA_DEFERRED	0x2U

/**
 * struct lw_syscall - a system call begins, or ends
 * @record: header, LW_RECORD_SYSCALL
 * @cookie: as in struct lw_sample
 * @time: CLOCK_MONOTONIC, in nanoseconds
 * @id: lw_add_syscall.id
 * @pid: as in struct lw_sample
 * @tid: as in struct lw_sample
 * @cpu: where it was written
 * @user: LW_USER_*; LW_USER_EXCLUDED without LW_SYSCALL_STACK, and at the exit of a call
 *	whose entry is recorded; but always LW_USER_PENDING with LW_SYSCALL_DATA_DEFERRED
 * @nr: of the call
 * @nr_data: struct lw_syscall_data that follow
 * @ret: the result, -errno on failure; 0 on entry
 * @args: the arguments; on exit they differ from those on entry for execve() and
 *	rt_sigreturn() only
 *
 * @time is taken after the probe has waited for a disk, if it had to.
 */
struct lw_syscall {
	struct lw_record record;
	struct lw_cookie cookie;
	__u64	time;
	__u64	id;
	__u32	pid;
	__u32	tid;
	__u32	cpu;
	__u32	user;
	__u32	nr;
	__u32	nr_data;
	__s64	ret;
	__u64	args[6];
};

static_assert(sizeof(struct lw_syscall) == 120, "lw_syscall");

/* lw_syscall_data.flags */
#define LW_DATA_F_FAULT		0x1U	/* from here on it could not be read */
#define LW_DATA_F_CUT		0x2U	/* there is more: beyond max, or 1024 elements */
#define LW_DATA_F_MISSING	0x4U	/* from here on it was not in memory */
#define LW_DATA_F_DEFERRED		0x8U	/* read when the call had ended */

/**
 * struct lw_syscall_data - user data of one argument
 * @arg: which
 * @kind: LW_DATA_*
 * @flags: LW_DATA_F_*
 * @len: bytes that follow; the next struct begins at the next multiple of 8
 *
 * LW_DATA_STRING has no NUL; LW_DATA_STRINGS has one behind each string that is whole.
 * LW_DATA_IOVEC has the bytes of all buffers in a row.
 */
struct lw_syscall_data {
	__u8	arg;
	__u8	kind;
	__u16	flags;
	__u32	len;
};

static_assert(sizeof(struct lw_syscall_data) == 8, "lw_syscall_data");

/**
 * struct lw_deferred_data - user data that a SYSCALL record lacks
 * @record: header, LW_RECORD_SYSCALL_DATA
 * @cookie: of the SYSCALL record
 * @id: of the SYSCALL record
 * @time: when it was read
 * @nr_data: struct lw_syscall_data that follow
 * @exit: 1 if the SYSCALL record is of the call's exit, 0 if of its entry
 *
 * Has the data that was not in memory; with LW_FEATURE_FAULTABLE: nor in swap or on a disk of
 * this machine.  It is read when the task returns to user space, where its stack is taken, too,
 * even without LW_SYSCALL_STACK.  After a successful execve() the old program's data is gone.
 */
struct lw_deferred_data {
	struct lw_record record;
	struct lw_cookie cookie;
	__u64	id;
	__u64	time;
	__u32	nr_data;
	__u32	exit;
};

static_assert(sizeof(struct lw_deferred_data) == 48, "lw_deferred_data");

/* lw_module.record.flags */
#define LW_MODULE_GONE		0x1U	/* the code goes; else it comes */
#define LW_MODULE_INIT		0x2U	/* code of init functions */

/**
 * struct lw_module - code of a kernel module comes, or goes (LW_SETUP_MODULES)
 * @record: header, LW_RECORD_MODULE
 * @time: CLOCK_MONOTONIC, in nanoseconds: before the code runs first, or after it ran last
 * @addr: where the code is
 * @text_size: bytes of code, whole pages on most kernels
 * @build_id_size: bytes of @build_id; 0 where the kernel does not keep it
 *	(CONFIG_STACKTRACE_BUILD_ID)
 * @build_id: of the module's file
 * @name: of the module, padded with NULs
 *
 * A module has up to two parts: the code that stays, and the code that is freed when its
 * init functions have run (LW_MODULE_INIT).  If these fail, the records of code that goes may
 * come twice.
 *
 * Records of one module may be in the rings of different CPUs, and be read in any order:
 * sort them by @time.  Like others they are dropped if a ring is full, and overwritten with
 * LW_SETUP_OVERWRITE: then read again which modules are loaded.
 */
struct lw_module {
	struct lw_record record;
	__u64	time;
	__u64	addr;
	__u64	text_size;
	__u32	build_id_size;
	__u8	build_id[LW_BUILD_ID_MAX];
	char	name[64];
};

static_assert(sizeof(struct lw_module) == 120, "lw_module");

/**
 * struct lw_lost - records were dropped here
 * @record: header, LW_RECORD_LOST
 * @full: dropped as the ring was full
 * @big: dropped as longer than half of the ring
 * @nested: samples dropped as they hit inside another in the same context
 *
 * Stands where the dropped records would have been: before the next record that
 * had room.  Drops after the last LOST record show in lw_ring_producer.lost only.
 */
struct lw_lost {
	struct lw_record record;
	__u64	full;
	__u64	big;
	__u64	nested;
};

static_assert(sizeof(struct lw_lost) == 32, "lw_lost");

#endif /* _UAPI_LINUX_LATEWIND_H */
