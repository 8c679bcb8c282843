// SPDX-License-Identifier: GPL-2.0
/*
 * missing.c - files that have no table, for sessions that can make one.
 *
 * A walk that finds no rule in a file's code asks a question here: it fills a slot with the
 * file, wakes the sessions with LW_SETUP_FILES (servers), and waits until each has answered.
 * If a server has added a table, the walk goes on with that table.
 *
 * Limits.  A walk waits for table_wait at most, for all its files together.  A server that has
 * not answered a question for so long is hung: no walk waits for it until it answers something.
 * Tasks of a process with a server do not wait, since they might wait for themselves.
 *
 * A file is asked for once in AGAIN, or up to MAX_ASKED times if it is written to meanwhile.
 * A keyed hash of the inode chooses the WAYS slots that the file may have.  A new file takes
 * the oldest of these, once that is AGAIN old, and is not asked for before.  So there are at
 * most SLOTS * MAX_ASKED questions in AGAIN, whatever programs map.
 */
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/jiffies.h>
#include <linux/kdev_t.h>
#include <linux/moduleparam.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/time64.h>
#include <linux/timekeeping.h>
#include <linux/wait.h>

#include "file_id.h"
#include "missing.h"
#include "sections.h"

/* Ten times what the tool takes to read the table of a large file from its cache. */
static uint table_wait = 100;
module_param(table_wait, uint, 0644);
MODULE_PARM_DESC(table_wait, "most milliseconds that a walk waits for tables (100)");

#define SLOTS		1024
#define WAYS		8
#define AGAIN		NSEC_PER_SEC
#define MAX_ASKED	4

/**
 * struct slot - a file that was asked for
 * @number: of the question: greater than that of each older one, and the slot's index
 *	modulo SLOTS; 0: never used
 * @file: what walks saw of a mapping of the file
 * @time: when the question was asked, CLOCK_MONOTONIC
 * @pid: of the task that asked, in the initial namespace
 * @asked: questions for this inode in a row, with less than AGAIN between any two
 * @owed: lw_missing_server.bit of the servers that have not answered
 */
struct slot {
	u64	number;
	struct lw_seen file;
	u64	time;
	pid_t	pid;
	unsigned int asked;
	u64	owed;
};

/* Protects all below. */
static DEFINE_SPINLOCK(lock);
static LIST_HEAD(servers);
static struct slot slots[SLOTS];
static u64 last_number;
/*
 * The last question before the newest server came.  That server was not asked it, so each file
 * whose question is no newer may be asked for again at once.
 */
static u64 old_number;
/* lw_missing_server.bit of all servers, and of the hung ones. */
static u64 serving;
static u64 hung;

/* Servers in poll(), and walks. */
static DECLARE_WAIT_QUEUE_HEAD(asked);
static DECLARE_WAIT_QUEUE_HEAD(answered);

/**
 * lw_missing_serve - ask a session for tables from now on
 * @server: of a session that is being set up
 *
 * Context: process.
 */
void lw_missing_serve(struct lw_missing_server *server)
{
	spin_lock(&lock);
	server->first = last_number;
	server->read = last_number;
	old_number = last_number;
	list_add(&server->list, &servers);
	WRITE_ONCE(serving, serving | server->bit);
	spin_unlock(&lock);
}

static void missing_answer(struct slot *slot, u64 bit)
{
	lockdep_assert_held(&lock);
	WRITE_ONCE(slot->owed, slot->owed & ~bit);
}

/**
 * lw_missing_release - the session is closed
 * @server: of any session
 *
 * No walk waits for the server any more.
 *
 * Context: process.
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
}

/* Return: the first question after @number, or NULL. */
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

/* Return: the number of a task in another namespace, 0 if there is none. */
static pid_t missing_pid_in(pid_t pid, struct pid_namespace *ns)
{
	pid_t nr;

	rcu_read_lock();
	nr = pid_nr_ns(find_pid_ns(pid, &init_pid_ns), ns);
	rcu_read_unlock();
	return nr;
}

/**
 * lw_missing_next - LW_IOC_NEXT_FILE
 * @server: of the caller's session
 * @file: out
 *
 * Context: process.
 * Return: 0, -EBADFD (no LW_SETUP_FILES), -EAGAIN (no question).
 */
int lw_missing_next(struct lw_missing_server *server, struct lw_missing_file *file)
{
	struct slot *slot;
	int ret = -EAGAIN;

	if (!server->bit)
		return -EBADFD;
	spin_lock(&lock);
	slot = missing_next_slot(server->read);
	if (slot) {
		WRITE_ONCE(server->read, slot->number);
		*file = (struct lw_missing_file) {
			.size = sizeof(*file),
			.pid = missing_pid_in(slot->pid, server->pid_ns),
			.generation = slot->file.id.generation,
			.number = slot->number,
			.time = slot->time,
			.start = slot->file.start,
			.end = slot->file.end,
			.offset = slot->file.offset,
			.inode = slot->file.id.ino,
			.dev_major = MAJOR((dev_t)slot->file.id.dev),
			.dev_minor = MINOR((dev_t)slot->file.id.dev),
		};
		ret = 0;
	}
	spin_unlock(&lock);
	return ret;
}

/**
 * lw_missing_done - LW_IOC_FILE_DONE
 * @server: of the caller's session
 * @done: the answer
 *
 * Context: process.
 * Return: 0, also for an answer that is too late; -EBADFD (no LW_SETUP_FILES), -EINVAL (the
 * session has not read such a question).
 */
int lw_missing_done(struct lw_missing_server *server, const struct lw_file_done *done)
{
	struct slot *slot = &slots[done->number % SLOTS];
	int ret = -EINVAL;

	if (!server->bit)
		return -EBADFD;
	spin_lock(&lock);
	if (done->number > server->first && done->number <= server->read) {
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
 * @server: of the caller's session
 * @file: the session's file
 * @wait: poll table
 *
 * Context: process.
 * Return: EPOLLPRI if there is a question that the session has not read, or 0.
 */
__poll_t lw_missing_poll(struct lw_missing_server *server, struct file *file, poll_table *wait)
{
	if (!server->bit)
		return 0;
	poll_wait(file, &asked, wait);
	return READ_ONCE(last_number) > READ_ONCE(server->read) ? EPOLLPRI : 0;
}

/* Does the process of current have a server? */
static bool missing_is_server(void)
{
	const struct lw_missing_server *server;

	lockdep_assert_held(&lock);
	list_for_each_entry(server, &servers, list)
		if (server->mm == current->mm)
			return true;
	return false;
}

/* The same file, whatever its content. */
static bool missing_is_same_inode(const struct lw_file_id *a, const struct lw_file_id *b)
{
	return a->dev == b->dev && a->ino == b->ino && a->generation == b->generation;
}

/* Return: the slot of a file, or else the oldest slot that the file may take. */
static struct slot *missing_slot_of(const struct lw_file_id *id)
{
	struct slot *set = &slots[lw_file_id_hash_inode(id) % (SLOTS / WAYS) * WAYS];
	struct slot *oldest = set;
	unsigned int i;

	lockdep_assert_held(&lock);
	for (i = 0; i < WAYS; i++) {
		if (set[i].number && missing_is_same_inode(&set[i].file.id, id))
			return &set[i];
		if (set[i].number < oldest->number)
			oldest = &set[i];
	}
	return oldest;
}

/* May the file be asked for whatever was asked before?  So may a slot that was never used. */
static bool missing_is_old(const struct slot *slot, u64 now)
{
	lockdep_assert_held(&lock);
	return slot->number <= old_number || now - slot->time > AGAIN;
}

static bool missing_may_ask(const struct slot *slot, const struct lw_file_id *id, u64 now)
{
	/* While a walk waits for the slot, its question stays. */
	if (!serving || slot->owed & ~hung)
		return false;
	if (missing_is_old(slot, now))
		return true;
	/* The file was written to, and may have a table now.  A JIT may write all the time. */
	return missing_is_same_inode(&slot->file.id, id) && slot->asked < MAX_ASKED &&
	       !lw_file_id_same(&slot->file.id, id);
}

static void missing_fill_slot(struct slot *slot, const struct lw_seen *seen, u64 now)
{
	lockdep_assert_held(&lock);
	slot->asked = missing_is_old(slot, now) ? 1 : slot->asked + 1;
	slot->file = *seen;
	slot->time = now;
	slot->pid = task_pid_nr(current);
	WRITE_ONCE(slot->owed, serving);
	WRITE_ONCE(last_number, round_down(last_number, SLOTS) + SLOTS + (slot - slots));
	WRITE_ONCE(slot->number, last_number);
}

/*
 * Asks for a file, unless that was done less than AGAIN ago.
 *
 * Return: the slot of the file, or NULL if other files have all its slots; *number: of the
 * question to wait for, or 0.
 */
static struct slot *missing_ask_for(const struct lw_seen *seen, u64 *number)
{
	struct slot *slot;
	bool is_new;
	u64 now;

	*number = 0;
	spin_lock(&lock);
	now = ktime_get_ns();
	slot = missing_slot_of(&seen->id);
	is_new = missing_may_ask(slot, &seen->id, now);
	if (is_new)
		missing_fill_slot(slot, seen, now);
	if (!missing_is_same_inode(&slot->file.id, &seen->id))
		slot = NULL;
	else if (slot->owed & ~hung && !missing_is_server())
		*number = slot->number;
	spin_unlock(&lock);
	if (is_new)
		wake_up_interruptible_poll(&asked, EPOLLPRI);
	return slot;
}

static bool missing_is_answered(const struct slot *slot, u64 number)
{
	return READ_ONCE(slot->number) != number || !(READ_ONCE(slot->owed) & ~READ_ONCE(hung));
}

static u64 missing_most_wait(void)
{
	return READ_ONCE(table_wait) * (u64)NSEC_PER_MSEC;
}

/* The walk may have had little of its time left: that says nothing about the servers. */
static void missing_time_out(struct slot *slot, u64 number)
{
	spin_lock(&lock);
	if (slot->number == number && ktime_get_ns() - slot->time >= missing_most_wait()) {
		WRITE_ONCE(hung, hung | slot->owed);
		WRITE_ONCE(slot->owed, 0);
	}
	spin_unlock(&lock);
	wake_up_all(&answered);
}

/* Rounded up, and one more, as part of the first jiffy is over: no wait is shorter than @nsecs. */
static unsigned long missing_jiffies(u64 nsecs)
{
	return nsecs_to_jiffies(nsecs + TICK_NSEC - 1) + 1;
}

/* Return: nanoseconds that current has waited. */
static u64 missing_wait_for(struct slot *slot, u64 number, u64 most)
{
	u64 began = ktime_get_ns();

	if (!wait_event_interruptible_timeout(answered, missing_is_answered(slot, number),
					      missing_jiffies(most)))
		missing_time_out(slot, number);
	return ktime_get_ns() - began;
}

/**
 * lw_missing_ask - ask for the table of a file, and wait for it
 * @seen: a mapping of the file
 * @may_wait: a wait would hold up nobody but current
 * @waited: nanoseconds that this walk has waited so far; raised if there may be a table now
 *
 * Context: as lw_unwind().
 * Return: true if the file was asked for, now or less than AGAIN ago.
 */
bool lw_missing_ask(const struct lw_seen *seen, bool may_wait, u64 *waited)
{
	u64 most = missing_most_wait();
	struct slot *slot;
	u64 number;

	/* Servers need not be told of a vDSO: there is the same one in their own process. */
	if (!READ_ONCE(serving) || !seen->has_file || seen->id.vdso || current->flags & PF_EXITING)
		return false;
	slot = missing_ask_for(seen, &number);
	if (number && may_wait && *waited < most)
		*waited += missing_wait_for(slot, number, most - *waited);
	return slot;
}
