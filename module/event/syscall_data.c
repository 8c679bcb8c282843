// SPDX-License-Identifier: GPL-2.0
/*
 * syscall_data.c - reads the user data that the arguments of a system call name.
 *
 * Callers: the probes of event_syscall.c, and syscall_deferred.c.  Contexts: the task
 * that made the call, with preemption off (lw_data_read_atomic()) or able to sleep and without
 * locks (lw_data_read()).  Locks: mmap_lock, tried only, to look at the mapping of a page and to
 * fault the page in without waiting.  No user memory is read under mmap_lock.
 *
 * The session's description bounds every length and count that user space names.  Other threads
 * can change the memory meanwhile: a record may then hold some old and some new bytes.
 *
 * One walk over the arguments does all: with a buffer it copies the data; without one it only
 * waits for the pages, so that no buffer is held meanwhile.
 */
#include <linux/bits.h>
#include <linux/delay.h>
#include <linux/errno.h>
#include <linux/fadvise.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/math.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/timekeeping.h>
#include <linux/uaccess.h>
#include <linux/uio.h>
#include <linux/userfaultfd_k.h>

#include "arch.h"
#include "compat/tracepoint.h"
#include "syscall_data.h"
#include "unwind/nearby.h"
#include "unwind/resident.h"

/* Vectors, or strings, of one argument; the kernel takes as many vectors. */
#define MAX_ELEMENTS	1024
#define COUNT_FLAGS	(LW_COUNT_POINTED | LW_COUNT_32)

/* Bytes of a string read at once; a page is a multiple of it. */
#define PIECE		256
/* Attempts to copy pages that were resident a moment ago. */
#define MAX_TRIES	4
/* Most time between two attempts to fault a page in. */
#define BRING_PAUSE_US	1000
/* Reads of a call with preemption off: about 100 us. */
#define ATOMIC_READS	1024

/**
 * struct data_reader - reads one argument
 * @at: where the next byte goes; NULL: only wait for the pages
 * @piece: scratch for strings when @at is NULL
 * @reads: user reads left, of all arguments of the call
 * @call: whose argument
 * @left: bytes that may still be taken
 * @flags: LW_DATA_F_FAULT or LW_DATA_F_CUT; nonzero ends the argument
 * @reading: for which pages to wait
 */
struct data_reader {
	u8	*at;
	u8	*piece;
	u32	*reads;
	const struct lw_call *call;
	u32	left;
	u16	flags;
	enum lw_reading reading;
};

#if LW_COMPAT_SYSCALLS_FAULT
/*
 * Fault a page in without waiting; the caller tries again.
 *
 * A fault that may not wait does not read ahead in all mappings (MADV_RANDOM), and would read
 * the page under mmap_lock.  So the file is asked to read ahead first, without mmap_lock;
 * @asked: it has been.
 *
 * Return: 1 if the page is there, 0 if it may be the next time, -EFAULT.
 */
static int data_bring_page(unsigned long address, bool *asked)
{
	struct mm_struct *mm = current->mm;
	vm_fault_t fault = VM_FAULT_SIGSEGV;
	struct vm_area_struct *vma;
	struct file *file = NULL;
	loff_t pos = 0;

	/* The holder of the lock may be waiting for a program. */
	if (!mmap_read_trylock(mm))
		return 0;
	vma = vma_lookup(mm, address);
	if (vma && lw_vma_is_nearby(vma)) {
		if (vma->vm_file && !*asked) {
			file = get_file(vma->vm_file);
			pos = ((loff_t)vma->vm_pgoff << PAGE_SHIFT) + (address - vma->vm_start);
			fault = VM_FAULT_RETRY;
		} else {
			fault = handle_mm_fault(vma, address, FAULT_FLAG_ALLOW_RETRY |
						FAULT_FLAG_RETRY_NOWAIT, NULL);
		}
	}
	mmap_read_unlock(mm);
	if (file) {
		*asked = true;
		vfs_fadvise(file, pos, PAGE_SIZE, POSIX_FADV_WILLNEED);
		fput(file);
	}
	if (fault & VM_FAULT_RETRY)
		return 0;
	return fault & VM_FAULT_ERROR ? -EFAULT : 1;
}

/* Return: false if a page was not brought in. */
static bool data_bring(const struct lw_call *call, unsigned long from, u32 len)
{
	unsigned long address = lw_arch_address(from), page = address & PAGE_MASK;
	bool asked = false, had_asked;
	int ret;

	while (page < address + len) {
		if (ktime_get_mono_fast_ns() >= call->until || fatal_signal_pending(current))
			return false;
		had_asked = asked;
		ret = data_bring_page(page, &asked);
		if (ret < 0)
			return false;
		if (ret) {
			page += PAGE_SIZE;
			asked = false;
		} else if (asked == had_asked) {
			usleep_range(BRING_PAUSE_US / 10, BRING_PAUSE_US);
		}
	}
	return true;
}
#else
static bool data_bring(const struct lw_call *call, unsigned long from, u32 len)
{
	return false;
}
#endif

static bool data_copy_resident(struct data_reader *r, void *to, unsigned long from, u32 len)
{
	if (!*r->reads)
		return false;
	--*r->reads;
	return !lw_copy_resident(to, from, len);
}

/* Return: false, with LW_DATA_F_FAULT set, if a byte can't be read, or not as @r->reading says. */
static bool data_copy(struct data_reader *r, void *to, unsigned long from, u32 len)
{
	bool ok = false;

	switch (r->reading) {
	case LW_READ_NOTHING:
		break;
	case LW_READ_ATOMIC:
	case LW_READ_RESIDENT:
		ok = data_copy_resident(r, to, from, len);
		break;
	case LW_READ_NEARBY:
		ok = data_copy_resident(r, to, from, len) ||
		     (data_bring(r->call, from, len) && data_copy_resident(r, to, from, len));
		break;
	case LW_READ_ALL:
		ok = !copy_from_user(to, (const void __user *)from, len);
		break;
	}
	if (!ok)
		r->flags |= LW_DATA_F_FAULT;
	return ok;
}

static void data_advance(struct data_reader *r, u32 len)
{
	r->left -= len;
	if (r->at)
		r->at += len;
}

/* Page by page: the pages before one that can't be read are taken. */
static void data_take_bytes(struct data_reader *r, unsigned long from, u64 len)
{
	u32 n;

	if (len > r->left) {
		len = r->left;
		r->flags |= LW_DATA_F_CUT;
	}
	while (len) {
		n = min_t(u64, len, PAGE_SIZE - offset_in_page(from));
		/* A byte tells whether the page is there. */
		if (!data_copy(r, r->at ?: r->piece, from, r->at ? n : 1))
			return;
		data_advance(r, n);
		from += n;
		len -= n;
	}
}

/* Up to the NUL, or as far as there is room. */
static void data_take_string(struct data_reader *r, unsigned long from)
{
	u8 *nul = NULL;
	u8 *to, byte;
	u32 n;

	while (!nul) {
		n = min_t(u32, r->left, PIECE - from % PIECE);
		if (!n) {
			if (data_copy(r, &byte, from, sizeof(byte)) && byte)
				r->flags |= LW_DATA_F_CUT;
			return;
		}
		to = r->at ?: r->piece;
		if (!data_copy(r, to, from, n))
			return;
		/* What was copied behind the NUL is written over, or cut off at the end. */
		nul = memchr(to, 0, n);
		if (nul)
			n = nul - to;
		data_advance(r, n);
		from += n;
	}
}

static void data_take_strings(struct data_reader *r, unsigned long from)
{
	unsigned long string;
	unsigned int i;

	for (i = 0; i < MAX_ELEMENTS; i++, from += sizeof(string)) {
		if (!data_copy(r, &string, from, sizeof(string)) || !string)
			return;
		data_take_string(r, string);
		if (r->flags)
			return;
		if (!r->left)
			break;
		if (r->at)
			*r->at = 0;
		data_advance(r, 1);
	}
	r->flags |= LW_DATA_F_CUT;
}

/* @total: bytes of all vectors: of a read, its result. */
static void data_take_vectors(struct data_reader *r, unsigned long from, u64 nr, u64 total)
{
	struct iovec vector;
	u64 i, len;

	for (i = 0; i < nr && total && !r->flags; i++, from += sizeof(vector)) {
		if (i == MAX_ELEMENTS) {
			r->flags |= LW_DATA_F_CUT;
			return;
		}
		if (!data_copy(r, &vector, from, sizeof(vector)))
			return;
		len = min_t(u64, vector.iov_len, total);
		total -= len;
		data_take_bytes(r, (unsigned long)vector.iov_base, len);
	}
}

/* Return: elements of @arg; 0, with LW_DATA_F_FAULT set, if their number can't be read. */
static u64 data_count(struct data_reader *r, const struct lw_syscall_arg *arg)
{
	unsigned int which = arg->count & ~COUNT_FLAGS;
	u64 count = which == LW_COUNT_RETURN ? r->call->ret : r->call->args[which];
	u32 pointed;

	if (arg->count & LW_COUNT_POINTED) {
		if (!count || !data_copy(r, &pointed, count, sizeof(pointed)))
			return 0;
		count = pointed;
	}
	return arg->count & LW_COUNT_32 ? (u32)count : count;
}

static u32 data_most_bytes(const struct lw_syscall_arg *arg)
{
	return arg->kind == LW_DATA_STRUCT ? arg->size : arg->max;
}

static void data_take(struct data_reader *r, const struct lw_syscall_arg *arg)
{
	const struct lw_call *call = r->call;
	unsigned long from = call->args[arg->arg];
	u64 count;

	if (!from)
		return;
	switch (arg->kind) {
	case LW_DATA_STRING:
		data_take_string(r, from);
		break;
	case LW_DATA_STRINGS:
		data_take_strings(r, from);
		break;
	case LW_DATA_BUFFER:
		/* Bounded before it is multiplied. */
		count = min_t(u64, data_count(r, arg), LW_MAX_SYSCALL_DATA + 1);
		data_take_bytes(r, from, count * (arg->size ?: 1));
		break;
	case LW_DATA_STRUCT:
		data_take_bytes(r, from, arg->size);
		break;
	case LW_DATA_IOVEC:
		count = data_count(r, arg);
		data_take_vectors(r, from, count,
				  call->when == LW_SYSCALL_EXIT ? call->ret : U64_MAX);
		break;
	}
}

/* Nothing is taken at the end of a call that failed. */
static bool data_is_due(const struct lw_syscall_arg *arg, const struct lw_call *call)
{
	return arg->when == call->when && (call->when == LW_SYSCALL_ENTRY || call->ret >= 0);
}

/*
 * Read the arguments of @which into @to, lw_data_most() bytes; if that is NULL only wait for the
 * pages.  @flags: LW_DATA_F_DEFERRED or 0.
 */
static void data_read_args(const struct lw_syscall_event *event, const struct lw_call *call,
			   u32 which, enum lw_reading reading, u16 flags, void *to,
			   struct lw_call_data *data)
{
	u32 reads = reading == LW_READ_ATOMIC ? ATOMIC_READS : U32_MAX;
	u16 fault = flags & LW_DATA_F_DEFERRED ? LW_DATA_F_FAULT : LW_DATA_F_MISSING;
	struct lw_syscall_data *head = to;
	u8 piece[PIECE];
	u32 i;

	*data = (struct lw_call_data) {};
	for (i = 0; i < event->nr_args; i++) {
		const struct lw_syscall_arg *arg = &event->args[i];
		struct data_reader r = {
			.at = head ? (u8 *)(head + 1) : NULL,
			.piece = piece,
			.reads = &reads,
			.call = call,
			.left = data_most_bytes(arg),
			.reading = reading,
		};

		if (!(which & BIT(i)) || !data_is_due(arg, call))
			continue;
		data_take(&r, arg);
		if (r.flags & LW_DATA_F_FAULT)
			data->faults |= BIT(i);
		if (!head)
			continue;
		data->nr++;
		head->arg = arg->arg;
		head->kind = arg->kind;
		/* Data that ends where it can't be read was not cut off for want of room. */
		head->flags = (r.flags & LW_DATA_F_FAULT ? fault : r.flags) | flags;
		head->len = r.at - (u8 *)(head + 1);
		while ((unsigned long)r.at % 8)
			*r.at++ = 0;
		head = (void *)r.at;
	}
	data->len = (void *)head - to;
}

/**
 * lw_data_check - check the description of an argument
 * @arg: from user space
 * @flags: lw_add_syscall.flags
 *
 * Context: any.
 * Return: 0 or -EINVAL.
 */
int lw_data_check(const struct lw_syscall_arg *arg, u32 flags)
{
	unsigned int count = arg->count & ~COUNT_FLAGS;
	bool counted = arg->kind == LW_DATA_BUFFER || arg->kind == LW_DATA_IOVEC;

	if (arg->arg > 5 || !arg->kind || arg->kind > LW_DATA_STRINGS || arg->reserved)
		return -EINVAL;
	if ((arg->when != LW_SYSCALL_ENTRY && arg->when != LW_SYSCALL_EXIT) ||
	    !(arg->when & flags))
		return -EINVAL;
	if (counted ? count > LW_COUNT_RETURN : arg->count)
		return -EINVAL;
	if (count == LW_COUNT_RETURN && arg->when != LW_SYSCALL_EXIT)
		return -EINVAL;
	if (arg->kind == LW_DATA_STRUCT)
		return !arg->size || arg->size > LW_MAX_SYSCALL_DATA || arg->max ? -EINVAL : 0;
	if (arg->kind == LW_DATA_BUFFER ? arg->size > LW_MAX_SYSCALL_DATA : arg->size)
		return -EINVAL;
	return !arg->max || arg->max > LW_MAX_SYSCALL_DATA ? -EINVAL : 0;
}

/**
 * lw_data_most - bytes that the data of a call may need
 * @event: what is recorded
 * @when: LW_SYSCALL_ENTRY or LW_SYSCALL_EXIT
 *
 * Context: any.
 * Return: bytes, a multiple of 8.
 */
u32 lw_data_most(const struct lw_syscall_event *event, u32 when)
{
	u32 len = 0;
	u32 i;

	for (i = 0; i < event->nr_args; i++)
		if (event->args[i].when == when)
			len += sizeof(struct lw_syscall_data) +
			       round_up(data_most_bytes(&event->args[i]), 8);
	return len;
}

/**
 * lw_data_read_atomic - read what is resident, without sleeping
 * @event: what is recorded
 * @call: that begins or ends
 * @to: lw_data_most() bytes, aligned to 8
 * @data: out: what was read; what was not has LW_DATA_F_MISSING
 *
 * Context: the task that made the call, preemption off.
 */
void lw_data_read_atomic(const struct lw_syscall_event *event, const struct lw_call *call,
			 void *to, struct lw_call_data *data)
{
	data_read_args(event, call, ~0U, LW_READ_ATOMIC, 0, to, data);
}

/**
 * lw_data_read - read the data of a call into a buffer that is allocated here
 * @event: what is recorded
 * @call: that begins or ends
 * @which: bit by argument of the event: read it
 * @reading: for which pages to wait; not LW_READ_ATOMIC
 * @flags: LW_DATA_F_DEFERRED, and then what can't be read has LW_DATA_F_FAULT; or 0, and it has
 *	LW_DATA_F_MISSING
 * @data: out: what was read
 *
 * The pages are waited for before the buffer is allocated.
 *
 * Context: the task that made the call, without locks, may sleep as @reading says.
 * Return: the buffer for kvfree(); NULL if there is no memory: then nothing was read, and all
 * arguments that are due are in @data->faults.
 */
void *lw_data_read(const struct lw_syscall_event *event, const struct lw_call *call, u32 which,
		   enum lw_reading reading, u16 flags, struct lw_call_data *data)
{
	enum lw_reading copying = reading ? LW_READ_RESIDENT : LW_READ_NOTHING;
	unsigned int tries = MAX_TRIES;
	struct lw_call_data waited;
	void *buffer;

	for (;;) {
		data_read_args(event, call, which, reading, flags, NULL, &waited);
		buffer = kvmalloc(lw_data_most(event, call->when),
				  GFP_KERNEL_ACCOUNT | __GFP_NORETRY | __GFP_NOWARN);
		if (!buffer) {
			data_read_args(event, call, which, LW_READ_NOTHING, flags, NULL, data);
			return NULL;
		}
		data_read_args(event, call, which, copying, flags, buffer, data);
		/* Pages may have been taken away again meanwhile. */
		if (!(data->faults & ~waited.faults) || !--tries)
			return buffer;
		kvfree(buffer);
	}
}
