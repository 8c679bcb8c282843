// SPDX-License-Identifier: GPL-2.0
/*
 * syscall_data.c - user data that the arguments of a system call name.
 *
 * It is read into the record that it is for.  All that user space says is bounded
 * by what the session has asked for; all can change while it is read, and then the
 * record has something of both.
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

#include "compat/syscall.h"
#include "syscall_data.h"
#include "unwind/nearby.h"

/* Vectors of one argument that are looked at; the kernel takes as many. */
#define MAX_VECTORS	1024
/* Strings of one argument that are looked at. */
#define MAX_STRINGS	1024
#define COUNT_FLAGS	(LW_COUNT_POINTED | LW_COUNT_32)

/* Bytes of a string that are read at once; a page is a multiple of it. */
#define PIECE		256
/*
 * Reads of one record with preemption off: some 100 us of a machine of today.  What
 * takes more is left to where it may be preempted.
 */
#define MAX_READS	1024
/* To read what was there a moment ago. */
#define MAX_TRIES	4
/* Between attempts. */
#define BRING_PAUSE_US	1000

/**
 * struct taking - user data on its way into a record
 * @at: where the next byte goes; NULL: nothing goes there, it is to be measured
 * @piece: for what must be looked at
 * @reads: LW_READ_BRIEFLY: that are left, of the whole record
 * @call: whose arguments
 * @left: bytes that may still be taken of this argument
 * @flags: LW_DATA_F_*
 * @reading: may pages be waited for
 */
struct taking {
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
 * Return: true if who waits for a page there waits for memory, swap or a disk of this machine,
 * and not for a program (userfaultfd, FUSE) or another machine.
 */
static bool data_is_nearby(struct vm_area_struct *vma)
{
	if (vma->vm_flags & (VM_IO | VM_PFNMAP | VM_MIXEDMAP) || userfaultfd_armed(vma) ||
	    !vma_is_accessible(vma))
		return false;
	return vma_is_anonymous(vma) || (vma->vm_file && lw_is_nearby(file_inode(vma->vm_file)));
}

/* What is read of it stands in memory, or soon will, as far as a disk is asked for it here. */
static void data_start(struct file *file, loff_t pos)
{
	vfs_fadvise(file, pos, PAGE_SIZE, POSIX_FADV_WILLNEED);
	fput(file);
}

/*
 * Brings in a page, and waits for nobody: the next time it may be there.  First a file is asked
 * for it, without mmap_lock, as a fault that may not wait does not read ahead everywhere.
 *
 * Return: 1 if it is there, 0 if it may be the next time, -EFAULT.
 */
static int data_bring(unsigned long address, bool first)
{
	struct mm_struct *mm = current->mm;
	vm_fault_t fault = VM_FAULT_SIGSEGV;
	struct vm_area_struct *vma;
	struct file *file = NULL;
	loff_t pos = 0;

	/* Who holds it may wait for a program. */
	if (!mmap_read_trylock(mm))
		return 0;
	vma = vma_lookup(mm, address);
	if (vma && data_is_nearby(vma)) {
		if (first && vma->vm_file) {
			file = get_file(vma->vm_file);
			pos = ((loff_t)vma->vm_pgoff << PAGE_SHIFT) + (address - vma->vm_start);
			fault = VM_FAULT_RETRY;
		} else {
			fault = handle_mm_fault(vma, address, FAULT_FLAG_ALLOW_RETRY |
						FAULT_FLAG_RETRY_NOWAIT, NULL);
		}
	}
	mmap_read_unlock(mm);
	if (file)
		data_start(file, pos);
	if (fault & VM_FAULT_RETRY)
		return 0;
	return fault & VM_FAULT_ERROR ? -EFAULT : 1;
}

/* Return: false if there is a page that was not brought in. */
static bool data_bring_all(const struct lw_call *call, unsigned long from, u32 len)
{
	unsigned long page = from & PAGE_MASK;
	bool first = true;
	int ret;

	while (page < from + len) {
		if (ktime_get_mono_fast_ns() >= call->until || fatal_signal_pending(current))
			return false;
		ret = data_bring(page, first);
		if (ret < 0)
			return false;
		if (!ret && !first)
			usleep_range(BRING_PAUSE_US / 10, BRING_PAUSE_US);
		page += ret * PAGE_SIZE;
		first = ret;
	}
	return true;
}
#else
static bool data_bring_all(const struct lw_call *call, unsigned long from, u32 len)
{
	return false;
}
#endif

static bool data_read_resident(void *to, unsigned long from, u32 len)
{
	return !copy_from_user_nofault(to, (const void __user *)from, len);
}

/* Return: false if something of it can't be read, or not now; that is noted. */
static bool data_read_user(struct taking *taking, void *to, unsigned long from, u32 len)
{
	bool ok = false;

	switch (taking->reading) {
	case LW_READ_NOTHING:
		break;
	case LW_READ_BRIEFLY:
		ok = *taking->reads && (*taking->reads)-- && data_read_resident(to, from, len);
		break;
	case LW_READ_NEARBY:
		ok = data_read_resident(to, from, len) ||
		     (data_bring_all(taking->call, from, len) && data_read_resident(to, from, len));
		break;
	case LW_READ_RESIDENT:
		ok = data_read_resident(to, from, len);
		break;
	case LW_READ_ALL:
		ok = !copy_from_user(to, (const void __user *)from, len);
		break;
	}
	if (!ok)
		taking->flags |= LW_DATA_F_FAULT;
	return ok;
}

static void data_advance(struct taking *taking, u32 len)
{
	taking->left -= len;
	if (taking->at)
		taking->at += len;
}

static u32 data_to_page_end(unsigned long address)
{
	return PAGE_SIZE - offset_in_page(address);
}

/*
 * Page by page, so that of two the one that is there is taken.  To measure, a byte of each
 * is read: who has reserved a record does not wait for pages.  Where none would be waited for
 * that is not worth it.
 */
static void data_take_bytes(struct taking *taking, unsigned long from, u64 len)
{
	u32 n;

	if (len > taking->left) {
		len = taking->left;
		taking->flags |= LW_DATA_F_CUT;
	}
	while (len) {
		n = min_t(u64, len, data_to_page_end(from));
		if (taking->at) {
			if (!data_read_user(taking, taking->at, from, n))
				return;
		} else if (LW_COMPAT_SYSCALLS_FAULT || taking->reading != LW_READ_BRIEFLY) {
			if (!data_read_user(taking, taking->piece, from, 1))
				return;
		}
		data_advance(taking, n);
		from += n;
		len -= n;
	}
}

/* There is no room: is this the end? */
static void data_look_for_end(struct taking *taking, unsigned long from)
{
	u8 byte;

	if (data_read_user(taking, &byte, from, sizeof(byte)) && byte)
		taking->flags |= LW_DATA_F_CUT;
}

/* Up to the NUL, or as far as there is room; what is behind it goes nowhere. */
static void data_take_string(struct taking *taking, unsigned long from)
{
	u8 *nul;
	u32 n;

	for (;;) {
		n = min_t(u32, taking->left, PIECE - from % PIECE);
		if (!n) {
			data_look_for_end(taking, from);
			return;
		}
		if (!data_read_user(taking, taking->piece, from, n))
			return;
		nul = memchr(taking->piece, 0, n);
		if (nul)
			n = nul - taking->piece;
		if (taking->at)
			memcpy(taking->at, taking->piece, n);
		data_advance(taking, n);
		from += n;
		if (nul)
			return;
	}
}

static bool data_is_done(const struct taking *taking)
{
	return taking->flags & (LW_DATA_F_FAULT | LW_DATA_F_CUT);
}

/* Return: false if there is no room. */
static bool data_take_nul(struct taking *taking)
{
	if (!taking->left) {
		taking->flags |= LW_DATA_F_CUT;
		return false;
	}
	if (taking->at)
		*taking->at = 0;
	data_advance(taking, 1);
	return true;
}

static void data_take_strings(struct taking *taking, unsigned long from)
{
	unsigned long string;
	unsigned int i;

	for (i = 0; i < MAX_STRINGS; i++, from += sizeof(string)) {
		if (!data_read_user(taking, &string, from, sizeof(string)) || !string)
			return;
		data_take_string(taking, string);
		if (data_is_done(taking) || !data_take_nul(taking))
			return;
	}
	taking->flags |= LW_DATA_F_CUT;
}

/* Bytes in all are limited by @total: of a read, what was read. */
static void data_take_vectors(struct taking *taking, unsigned long from, u64 nr,
			      u64 total)
{
	struct iovec vector;
	u64 i, len;

	for (i = 0; i < nr && total; i++, from += sizeof(vector)) {
		if (i == MAX_VECTORS) {
			taking->flags |= LW_DATA_F_CUT;
			return;
		}
		if (!data_read_user(taking, &vector, from, sizeof(vector)))
			return;
		len = min_t(u64, vector.iov_len, total);
		total -= len;
		data_take_bytes(taking, (unsigned long)vector.iov_base, len);
		if (data_is_done(taking))
			return;
	}
}

/* Elements of @arg; 0 if that can't be read, which is noted. */
static u64 data_count_of(struct taking *taking, const struct lw_syscall_arg *arg,
			 const struct lw_call *call)
{
	unsigned int which = arg->count & ~COUNT_FLAGS;
	u64 count = which == LW_COUNT_RETURN ? call->ret : call->args[which];
	u32 pointed;

	if (arg->count & LW_COUNT_POINTED) {
		if (!count || !data_read_user(taking, &pointed, count, sizeof(pointed)))
			return 0;
		count = pointed;
	}
	return arg->count & LW_COUNT_32 ? (u32)count : count;
}

/* Bytes, or more than may be taken. */
static u64 data_bytes_of(struct taking *taking, const struct lw_syscall_arg *arg,
			 const struct lw_call *call)
{
	u64 count = data_count_of(taking, arg, call);

	return min_t(u64, count, LW_MAX_SYSCALL_DATA + 1) * (arg->size ?: 1);
}

static u32 data_most_bytes(const struct lw_syscall_arg *arg)
{
	return arg->kind == LW_DATA_STRUCT ? arg->size : arg->max;
}

static void data_take(struct taking *taking, const struct lw_syscall_arg *arg,
		      const struct lw_call *call)
{
	unsigned long from = call->args[arg->arg];

	if (!from)
		return;
	switch (arg->kind) {
	case LW_DATA_STRING:
		data_take_string(taking, from);
		break;
	case LW_DATA_STRINGS:
		data_take_strings(taking, from);
		break;
	case LW_DATA_BUFFER:
		data_take_bytes(taking, from, data_bytes_of(taking, arg, call));
		break;
	case LW_DATA_STRUCT:
		data_take_bytes(taking, from, arg->size);
		break;
	case LW_DATA_IOVEC:
		data_take_vectors(taking, from, data_count_of(taking, arg, call),
				  call->when == LW_SYSCALL_EXIT ? call->ret : U64_MAX);
		break;
	}
}

/* Return: is it taken of this call. */
static bool data_is_due(const struct lw_syscall_arg *arg, const struct lw_call *call)
{
	return arg->when == call->when &&
	       (call->when == LW_SYSCALL_ENTRY || call->ret >= 0);
}

/**
 * lw_data_check - is the description of an argument sound
 * @arg: from user space
 * @flags: lw_add_syscall.flags
 *
 * Context: any.
 * Return: 0 or -EINVAL.
 */
int lw_data_check(const struct lw_syscall_arg *arg, u32 flags)
{
	unsigned int count = arg->count & ~COUNT_FLAGS;
	bool counted = arg->kind == LW_DATA_BUFFER ||
		       arg->kind == LW_DATA_IOVEC;

	if (arg->arg > 5 || !arg->kind || arg->kind > LW_DATA_STRINGS ||
	    arg->reserved)
		return -EINVAL;
	if ((arg->when != LW_SYSCALL_ENTRY && arg->when != LW_SYSCALL_EXIT) ||
	    !(arg->when & flags))
		return -EINVAL;
	if (counted ? count > LW_COUNT_RETURN : arg->count)
		return -EINVAL;
	if (count == LW_COUNT_RETURN && arg->when != LW_SYSCALL_EXIT)
		return -EINVAL;
	if (arg->kind == LW_DATA_STRUCT)
		return !arg->size || arg->size > LW_MAX_SYSCALL_DATA ||
		       arg->max ? -EINVAL : 0;
	if (arg->kind == LW_DATA_BUFFER ? arg->size > LW_MAX_SYSCALL_DATA : arg->size)
		return -EINVAL;
	return !arg->max || arg->max > LW_MAX_SYSCALL_DATA ? -EINVAL : 0;
}

/**
 * lw_data_most - bytes that the data of a call may need
 * @event: what is wanted
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
 * lw_data_measure - bytes that the data of a call needs
 * @event: what is wanted
 * @call: that begins or ends
 * @which: bit by argument of the event
 * @reading: how
 * @room: out: for lw_data_take()
 *
 * Of what can't be read to its end: what can.
 *
 * Context: task whose call it is, as @reading allows.
 */
void lw_data_measure(const struct lw_syscall_event *event,
		     const struct lw_call *call, u32 which,
		     enum lw_reading reading, struct lw_room *room)
{
	u32 reads = MAX_READS, i, most;
	u8 piece[PIECE];

	*room = (struct lw_room) {};
	for (i = 0; i < event->nr_args; i++) {
		const struct lw_syscall_arg *arg = &event->args[i];
		struct taking taking = {
			.piece = piece,
			.reads = &reads,
			.call = call,
			.reading = reading,
		};

		if (!(which & BIT(i)) || !data_is_due(arg, call))
			continue;
		most = data_most_bytes(arg);
		taking.left = most;
		data_take(&taking, arg, call);
		if (taking.flags & LW_DATA_F_FAULT)
			room->faults |= BIT(i);
		room->which |= BIT(i);
		room->bytes[i] = most - taking.left;
		room->total += sizeof(struct lw_syscall_data) +
			       round_up(room->bytes[i], 8);
	}
}

/**
 * lw_data_take - read the data of a call
 * @at: lw_room.total bytes
 * @event: what is wanted
 * @call: that begins or ends
 * @room: of lw_data_measure()
 * @reading: how
 *
 * Context: task whose call it is, as @reading allows.
 * Return: what was taken.
 */
struct lw_taken lw_data_take(struct lw_syscall_data *at,
			     const struct lw_syscall_event *event,
			     const struct lw_call *call,
			     const struct lw_room *room,
			     enum lw_reading reading)
{
	struct lw_taken taken = {};
	u32 reads = MAX_READS, i;
	u8 piece[PIECE];

	for (i = 0; i < event->nr_args; i++) {
		const struct lw_syscall_arg *arg = &event->args[i];
		struct taking taking = {
			.at = (u8 *)(at + 1),
			.piece = piece,
			.reads = &reads,
			.left = room->bytes[i],
			.call = call,
			.reading = reading,
		};

		if (!(room->which & BIT(i)))
			continue;
		data_take(&taking, arg, call);
		/* What is behind that was not cut off for want of room. */
		if (room->faults & BIT(i))
			taking.flags = LW_DATA_F_FAULT;
		at->arg = arg->arg;
		at->kind = arg->kind;
		at->flags = taking.flags;
		at->len = taking.at - (u8 *)(at + 1);
		if (taking.flags & LW_DATA_F_FAULT)
			taken.faults |= BIT(i);
		taken.pieces[taken.nr] = at;
		taken.flags[taken.nr++] = taking.flags;
		while ((unsigned long)taking.at % 8)
			*taking.at++ = 0;
		at = (void *)taking.at;
	}
	taken.end = at;
	return taken;
}

/**
 * lw_data_read - read the data of a call into memory of its own
 * @event: what is wanted
 * @call: that begins or ends
 * @which: bit by argument of the event
 * @reading: how; LW_READ_BRIEFLY is not for this
 * @taken: out: what was taken
 *
 * It is waited for before there is memory for it.
 *
 * Context: task whose call it is, without locks, may sleep as @reading says.
 * Return: for kvfree(); NULL if there is no memory, and then nothing was taken.
 */
void *lw_data_read(const struct lw_syscall_event *event, const struct lw_call *call,
		   u32 which, enum lw_reading reading, struct lw_taken *taken)
{
	unsigned int tries = MAX_TRIES;
	struct lw_room room;
	void *data;

	for (;;) {
		lw_data_measure(event, call, which, reading, &room);
		*taken = (struct lw_taken) { .faults = room.which };
		data = kvmalloc(room.total, GFP_KERNEL_ACCOUNT | __GFP_NORETRY | __GFP_NOWARN);
		if (ZERO_OR_NULL_PTR(data))
			return NULL;
		*taken = lw_data_take(data, event, call, &room, reading == LW_READ_NOTHING ?
				      LW_READ_NOTHING : LW_READ_RESIDENT);
		/* Somebody may have taken away again what was there. */
		if (!(taken->faults & ~room.faults) || !--tries)
			return data;
		kvfree(data);
	}
}

/**
 * lw_data_mark - change the flags of pieces of data
 * @taken: of lw_data_take()
 * @had: of those with this flag; 0: of all
 * @now: it becomes this one
 *
 * Nothing is read of the record: where the reader is told to wait and does not,
 * others may have written over it.
 *
 * Context: any.
 */
void lw_data_mark(const struct lw_taken *taken, u16 had, u16 now)
{
	u32 i;

	for (i = 0; i < taken->nr; i++)
		if (!had || taken->flags[i] & had)
			taken->pieces[i]->flags = (taken->flags[i] & ~had) | now;
}
