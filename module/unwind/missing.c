// SPDX-License-Identifier: GPL-2.0
/*
 * missing.c - files whose code walks met, and that have no table.
 *
 * Who hands over tables need not look at each file that is mapped: a walk that finds no
 * rule in a file's code says so here, wakes the sessions that want to know
 * (LW_SETUP_FILES), and waits for a moment.  If they have a table for the file, it goes on
 * with that: not even the first stack is a guess.
 *
 * A file is asked for once in AGAIN, and what is written to a few times, as what was being
 * written may be whole by then.  A walk waits for as long as table_wait says at most, for
 * all its files together.  Who has not answered when that is over is waited for no more
 * until it answers something: a session whose process was stopped, or has other things to
 * do, holds nobody up twice.  Tasks of a process that has a session like that don't wait,
 * as they might for themselves, nor do tasks where others would wait with them.
 *
 * A file's inode chooses WAYS slots, by a hash that nobody outside can tell; the file has one
 * of them.  Another file gets the oldest when that is AGAIN old, and is not asked for before:
 * so there are no more than SLOTS times MAX_ASKED questions in that time, whatever is mapped.
 */
#include <linux/bits.h>
#include <linux/errno.h>
#include <linux/kdev_t.h>
#include <linux/moduleparam.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/time64.h>
#include <linux/timekeeping.h>
#include <linux/wait.h>

#include "file_id.h"
#include "missing.h"
#include "sections.h"

/* Some ten times what it takes to read the table of a large file from a cache. */
static uint table_wait = 100;
module_param(table_wait, uint, 0644);
MODULE_PARM_DESC(table_wait, "most milliseconds that a walk waits for tables (100)");

#define SLOTS	1024
/* As many files that were asked for just now do not keep another one from being asked for. */
#define WAYS	8
#define AGAIN	NSEC_PER_SEC
/* What is written between is asked for as often in that time. */
#define MAX_ASKED	4

/**
 * struct slot - a file that was asked for
 * @number: of the question, the slot's own number in the lower bits; 0: none
 * @id: the file
 * @start: of its mapping, likewise @end and @offset
 * @time: when it was asked for, CLOCK_MONOTONIC
 * @pid: of the task that met it, with a reference; NULL: it is told no more
 * @owed: lw_missing_server.bit of those that have not answered
 * @asked: questions for this inode in a row, none AGAIN behind the one before
 */
struct slot {
	u64	number;
	struct lw_file_id id;
	u64	start;
	u64	end;
	u64	offset;
	u64	time;
	struct pid *pid;
	u64	owed;
	unsigned int asked;
};

/* All below is protected by it. */
static DEFINE_SPINLOCK(lock);
static LIST_HEAD(servers);
/* Bits of those in the list, and of these, of who has let somebody wait in vain. */
static u64 serving;
static u64 hung;
/* Made for the first session, and stays. */
static struct slot *slots;
static u64 last_number;

/* For who is told, and for who waits. */
static DECLARE_WAIT_QUEUE_HEAD(asked);
static DECLARE_WAIT_QUEUE_HEAD(answered);

/* Return: 0 or -ENOMEM. */
static int missing_make_slots(void)
{
	struct slot *new = NULL;

	if (!READ_ONCE(slots)) {
		new = kvcalloc(SLOTS, sizeof(*new), GFP_KERNEL);
		if (!new)
			return -ENOMEM;
	}
	spin_lock(&lock);
	if (!slots)
		swap(slots, new);
	spin_unlock(&lock);
	kvfree(new);
	return 0;
}

/**
 * lw_missing_serve - tell a session of files from now on
 * @server: of a session without rings yet
 *
 * Context: process, may sleep.
 * Return: 0 or -ENOMEM, and then @server->bit is 0.
 */
int lw_missing_serve(struct lw_missing_server *server)
{
	int ret = missing_make_slots();
	unsigned int i;

	if (ret) {
		server->bit = 0;
		return ret;
	}
	spin_lock(&lock);
	server->first = last_number;
	server->told = last_number;
	/* It was told of none, so each may be asked for at once. */
	for (i = 0; i < SLOTS; i++)
		slots[i].time = 0;
	list_add(&server->list, &servers);
	WRITE_ONCE(serving, serving | server->bit);
	spin_unlock(&lock);
	return 0;
}

static void missing_answer(struct slot *slot, u64 bit)
{
	lockdep_assert_held(&lock);
	WRITE_ONCE(slot->owed, slot->owed & ~bit);
}

static struct pid *missing_take_pid(struct slot *slot)
{
	struct pid *pid = NULL;

	spin_lock(&lock);
	if (!serving)
		swap(slot->pid, pid);
	spin_unlock(&lock);
	return pid;
}

/* Where nobody is told of them any more: keep no task's number, nor its namespace. */
static void missing_forget_pids(void)
{
	unsigned int i;

	/* The last reference to a namespace may take a while. */
	for (i = 0; i < SLOTS; i++)
		put_pid(missing_take_pid(&slots[i]));
}

/**
 * lw_missing_release - the session is closed
 * @server: may not be told at all
 *
 * Nobody waits for its answers.
 *
 * Context: process, may sleep.
 */
void lw_missing_release(struct lw_missing_server *server)
{
	unsigned int i;

	if (!server->bit)
		return;
	spin_lock(&lock);
	list_del(&server->list);
	WRITE_ONCE(serving, serving & ~server->bit);
	WRITE_ONCE(hung, hung & ~server->bit);
	for (i = 0; i < SLOTS; i++)
		missing_answer(&slots[i], server->bit);
	spin_unlock(&lock);
	wake_up_all(&answered);
	missing_forget_pids();
}

/* The first question behind @number, or NULL. */
static struct slot *missing_next_slot(u64 number)
{
	struct slot *next = NULL;
	unsigned int i;

	lockdep_assert_held(&lock);
	for (i = 0; number < last_number && i < SLOTS; i++)
		if (slots[i].number > number && (!next || slots[i].number < next->number))
			next = &slots[i];
	return next;
}

/**
 * lw_missing_next - LW_IOC_NEXT_FILE
 * @server: of the caller's session
 * @file: out
 *
 * Context: process, may sleep.
 * Return: 0, -EBADFD (without LW_SETUP_FILES), -EAGAIN (there is none).
 */
int lw_missing_next(struct lw_missing_server *server, struct lw_missing_file *file)
{
	struct slot *slot;
	int ret = -EAGAIN;

	if (!server->bit)
		return -EBADFD;
	spin_lock(&lock);
	slot = missing_next_slot(server->told);
	if (slot) {
		WRITE_ONCE(server->told, slot->number);
		*file = (struct lw_missing_file) {
			.size = sizeof(*file),
			.pid = pid_nr_ns(slot->pid, server->pid_ns),
			.generation = slot->id.generation,
			.number = slot->number,
			.time = slot->time,
			.start = slot->start,
			.end = slot->end,
			.offset = slot->offset,
			.inode = slot->id.ino,
			.dev_major = MAJOR((dev_t)slot->id.dev),
			.dev_minor = MINOR((dev_t)slot->id.dev),
		};
		ret = 0;
	}
	spin_unlock(&lock);
	return ret;
}

/**
 * lw_missing_done - LW_IOC_FILE_DONE
 * @server: of the caller's session
 * @done: which
 *
 * Context: process, may sleep.
 * Return: 0, also if it comes too late; -EBADFD (without LW_SETUP_FILES), -EINVAL (it was
 * not told of such a file).
 */
int lw_missing_done(struct lw_missing_server *server, const struct lw_file_done *done)
{
	struct slot *slot;
	int ret = -EINVAL;

	if (!server->bit)
		return -EBADFD;
	spin_lock(&lock);
	if (done->number > server->first && done->number <= server->told) {
		slot = &slots[done->number % SLOTS];
		if (slot->number == done->number)
			missing_answer(slot, server->bit);
		WRITE_ONCE(hung, hung & ~server->bit);
		ret = 0;
	}
	spin_unlock(&lock);
	wake_up_all(&answered);
	return ret;
}

/**
 * lw_missing_poll - poll() on a session
 * @server: of the caller's session, set up
 * @file: its file
 * @wait: poll table
 *
 * Context: process.
 * Return: EPOLLPRI if there is a file that it was not told of.
 */
__poll_t lw_missing_poll(struct lw_missing_server *server, struct file *file, poll_table *wait)
{
	if (!server->bit)
		return 0;
	poll_wait(file, &asked, wait);
	return READ_ONCE(last_number) > READ_ONCE(server->told) ? EPOLLPRI : 0;
}

/* Does current belong to whom it would ask? */
static bool missing_is_asked(void)
{
	const struct lw_missing_server *server;

	lockdep_assert_held(&lock);
	list_for_each_entry(server, &servers, list)
		if (server->mm == current->mm)
			return true;
	return false;
}

/* Whatever it has by now. */
static bool missing_is_same_inode(const struct lw_file_id *a, const struct lw_file_id *b)
{
	return a->dev == b->dev && a->ino == b->ino && a->generation == b->generation;
}

/*
 * May a file be asked for, by this slot?  What is written all the time, as a JIT's memory
 * may be, is not asked for all the time.
 */
static bool missing_may_ask(const struct slot *slot, const struct lw_file_id *id, u64 now)
{
	if (!slot->number || now - slot->time > AGAIN)
		return true;
	return missing_is_same_inode(&slot->id, id) && slot->asked < MAX_ASKED &&
	       !lw_file_id_same(&slot->id, id);
}

/* A new question.  Return: what the last one had, to be given back. */
static struct pid *missing_ask(struct slot *slot, const struct lw_seen *seen, u64 now)
{
	struct pid *old = slot->pid;

	lockdep_assert_held(&lock);
	slot->asked = now - slot->time > AGAIN ? 1 : slot->asked + 1;
	slot->id = seen->id;
	slot->start = seen->start;
	slot->end = seen->end;
	slot->offset = seen->offset;
	slot->time = now;
	slot->pid = get_pid(task_pid(current));
	WRITE_ONCE(slot->owed, serving);
	WRITE_ONCE(last_number, round_down(last_number, SLOTS) + SLOTS + (slot - slots));
	WRITE_ONCE(slot->number, last_number);
	return old;
}

/* The slot that a file has, or the one that it may get: no other of its slots is older. */
static struct slot *missing_slot_of(const struct lw_file_id *id)
{
	struct slot *set = &slots[lw_file_id_hash_inode(id) % (SLOTS / WAYS) * WAYS];
	struct slot *oldest = set;
	unsigned int i;

	lockdep_assert_held(&lock);
	for (i = 0; i < WAYS; i++) {
		if (set[i].number && missing_is_same_inode(&set[i].id, id))
			return &set[i];
		if (set[i].number < oldest->number)
			oldest = &set[i];
	}
	return oldest;
}

/*
 * Asks for a file, if that was not done just now.
 *
 * Return: its slot, or NULL if others have all that it may get; *number: of the question, if
 * there is something to be waited for, or 0.
 */
static struct slot *missing_ask_for(const struct lw_seen *seen, u64 *number)
{
	struct pid *old = NULL;
	struct slot *slot;
	bool is_it, is_new;
	u64 now;

	spin_lock(&lock);
	now = ktime_get_ns();
	slot = missing_slot_of(&seen->id);
	/* What somebody waits for is not asked for again. */
	is_new = serving && !(slot->owed & ~hung) && missing_may_ask(slot, &seen->id, now);
	if (is_new)
		old = missing_ask(slot, seen, now);
	is_it = missing_is_same_inode(&slot->id, &seen->id);
	*number = is_it && slot->owed & ~hung && !missing_is_asked() ? slot->number : 0;
	spin_unlock(&lock);
	put_pid(old);
	if (is_new)
		wake_up_interruptible_poll(&asked, EPOLLPRI);
	return is_it ? slot : NULL;
}

static bool missing_is_answered(const struct slot *slot, u64 number)
{
	return READ_ONCE(slot->number) != number || !(READ_ONCE(slot->owed) & ~READ_ONCE(hung));
}

/* Who has not answered in time is not waited for. */
static void missing_give_up(struct slot *slot, u64 number)
{
	spin_lock(&lock);
	if (slot->number == number) {
		WRITE_ONCE(hung, hung | slot->owed);
		WRITE_ONCE(slot->owed, 0);
	}
	spin_unlock(&lock);
	wake_up_all(&answered);
}

static u64 missing_wait_for(struct slot *slot, u64 number, u64 patience)
{
	u64 began = ktime_get_ns();

	if (!wait_event_interruptible_timeout(answered, missing_is_answered(slot, number),
					      nsecs_to_jiffies(patience)))
		missing_give_up(slot, number);
	return ktime_get_ns() - began;
}

/**
 * lw_missing_ask - ask for the table of a file, and wait for it
 * @seen: a mapping of it
 * @may_wait: that would hold up nobody but current
 * @waited: nanoseconds that this walk has waited so far; more if there may be a table now
 *
 * Context: as lw_unwind().
 * Return: true if the file was asked for, now or not long ago.
 */
bool lw_missing_ask(const struct lw_seen *seen, bool may_wait, u64 *waited)
{
	u64 most = READ_ONCE(table_wait) * (u64)NSEC_PER_MSEC;
	struct slot *slot;
	u64 number;

	/* A vDSO is known to all. */
	if (!READ_ONCE(serving) || !seen->has_file || seen->id.vdso || current->flags & PF_EXITING)
		return false;
	slot = missing_ask_for(seen, &number);
	if (!slot)
		return false;
	if (number && may_wait && *waited < most)
		*waited += missing_wait_for(slot, number, most - *waited);
	return true;
}

/**
 * lw_missing_exit - free all
 *
 * Context: process, after the last walk; no session is left.
 */
void lw_missing_exit(void)
{
	kvfree(slots);
}
