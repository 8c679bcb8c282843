/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * liblatewind.h - the client library of /dev/latewind: for tracers, which want the stacks
 * of others, and for programs that make code and have tracers unwind it.
 *
 * What goes to the module and what comes from it are the structs of latewind.h, which
 * tracers include, too.  Where a function takes one that has a size, the caller sets it, as
 * for the ioctl.
 *
 * All that can fail returns a negative errno, but for what returns a pointer.  Nothing is
 * printed, nothing ends the program, and there is no state but that of a session, and the
 * sections that this process has registered.  Memory that is handed to a callback is good
 * during the call, which must return.
 */
#ifndef LIBLATEWIND_H
#define LIBLATEWIND_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct perf_event_attr;

/* latewind.h has them. */
struct lw_add_syscall;
struct lw_filter;
struct lw_frame_run;
struct lw_info;
struct lw_missing_file;
struct lw_record;
struct lw_request;
struct lw_sample;
struct lw_setup;
struct lw_stats;
struct lw_table;
struct lw_user_stack;

/*
 * Sessions.  Each is used by one thread at a time, but for latewind_session_add_table(),
 * latewind_session_next_file() and latewind_session_file_done(): any thread may call those
 * beside it.  A child of fork() leaves the session to its parent.
 *
 * A session's rings are read in one way: as samples, ring by ring, by time, or as snapshots.
 * Records that had no room are counted in lw_stats.
 */
struct latewind_session;

/**
 * latewind_session_open - open the device, and learn what the module can do
 * @session: out; NULL on an error
 *
 * Return: 0, -ENOMEM, -EPROTO: the module speaks another version of the ABI than
 * LW_ABI_VERSION; or what open() says of LW_DEVICE_PATH (-ENOENT: the module is not loaded)
 * and LW_IOC_INFO.
 */
int latewind_session_open(struct latewind_session **session);

/**
 * latewind_session_close - end a session, and free all that it has
 * @session: the session or NULL
 */
void latewind_session_close(struct latewind_session *session);

/**
 * latewind_session_fd - what to poll()
 * @session: opened
 *
 * POLLIN comes when a ring is filled up to lw_setup.watermark, so that a program that wants
 * what is there has a timeout, too; POLLPRI, when latewind_session_next_file() has a file.
 *
 * Return: the descriptor; it stays the session's.
 */
int latewind_session_fd(const struct latewind_session *session);

/**
 * latewind_session_info - what the module can do
 * @session: opened
 *
 * Return: features, limits and defaults, for as long as the session is there; its size is
 * what there is of it.
 */
const struct lw_info *latewind_session_info(const struct latewind_session *session);

/**
 * latewind_session_setup - make the rings
 * @session: opened
 * @setup: as for LW_IOC_SETUP; ring_size 0 is lw_info.ring_default, which is filled in
 *
 * After an error the session can be closed, and nothing else.
 *
 * Return: 0, what LW_IOC_SETUP and mmap() say (-EPERM: more locked memory than allowed),
 * -ENOMEM, or -EPROTO: the rings are not what this library knows.
 */
int latewind_session_setup(struct latewind_session *session, struct lw_setup *setup);

/**
 * latewind_session_filter - which tasks are recorded
 * @session: opened
 * @filter: as for LW_IOC_FILTER
 *
 * Return: 0 or what LW_IOC_FILTER says.
 */
int latewind_session_filter(struct latewind_session *session, struct lw_filter *filter);

/**
 * latewind_session_add_event - add an event whose hits are to have stacks
 * @session: set up, not enabled
 * @attr: the event, as for perf_event_open()
 * @target: LW_TARGET_*
 * @pid: thread for LW_TARGET_TASK, else 0
 * @id: out: lw_sample.id of its samples; may be NULL
 *
 * Return: 0 or what LW_IOC_ADD_EVENT says.
 */
int latewind_session_add_event(struct latewind_session *session,
			       const struct perf_event_attr *attr, __u32 target, __s32 pid,
			       __u64 *id);

/**
 * latewind_session_add_syscall - record a system call
 * @session: set up, not enabled
 * @add: as for LW_IOC_ADD_SYSCALL; out: the id
 *
 * Return: 0 or what LW_IOC_ADD_SYSCALL says.
 */
int latewind_session_add_syscall(struct latewind_session *session, struct lw_add_syscall *add);

/**
 * latewind_session_request - ask for the calling task's own stack
 * @session: set up
 * @request: as for LW_IOC_REQUEST; out: the cookie of the stack
 *
 * Return: 0, 1: somebody had asked already in this system call; or what LW_IOC_REQUEST says.
 */
int latewind_session_request(struct latewind_session *session, struct lw_request *request);

/**
 * latewind_session_add_table - hand over the unwind table of a file
 * @session: set up
 * @table: as for LW_IOC_ADD_TABLE; what it points to is copied
 *
 * Return: 0, -EOPNOTSUPP: the module has no LW_FEATURE_TABLES; or what LW_IOC_ADD_TABLE
 * says.
 */
int latewind_session_add_table(const struct latewind_session *session, struct lw_table *table);

/**
 * latewind_session_next_file - a file that a walk has met, and that has no table
 * @session: set up with LW_SETUP_FILES
 * @file: as for LW_IOC_NEXT_FILE
 *
 * Return: 0, -EAGAIN: there is none; or what LW_IOC_NEXT_FILE says.
 */
int latewind_session_next_file(const struct latewind_session *session,
			       struct lw_missing_file *file);

/**
 * latewind_session_file_done - a file has its table, or will have none
 * @session: set up with LW_SETUP_FILES
 * @number: lw_missing_file.number
 *
 * Walks that wait for the table go on; without this call they do so after a while.
 *
 * Return: 0 or what LW_IOC_FILE_DONE says.
 */
int latewind_session_file_done(const struct latewind_session *session, __u64 number);

/**
 * latewind_session_enable - let the events count
 * @session: with at least one event
 *
 * Return: 0 or what LW_IOC_ENABLE says.
 */
int latewind_session_enable(struct latewind_session *session);

/**
 * latewind_session_disable - no further samples after this
 * @session: enabled
 *
 * Stacks of samples from before may still come.
 *
 * Return: 0 or what LW_IOC_DISABLE says.
 */
int latewind_session_disable(struct latewind_session *session);

/**
 * latewind_session_stats - read the session's counters
 * @session: opened
 * @stats: out, but for its size
 *
 * Return: 0 or what LW_IOC_STATS says.
 */
int latewind_session_stats(const struct latewind_session *session, struct lw_stats *stats);

/* A nonzero return ends the reading, which returns it; the next one begins behind it. */
typedef int (*latewind_record_fn)(void *ctx, const struct lw_record *record);

/* @stack is NULL where there is none, or none came. */
typedef int (*latewind_sample_fn)(void *ctx, const struct lw_sample *sample,
				  const struct lw_user_stack *stack);

/**
 * latewind_session_samples - hand out the samples whose stacks are there by now
 * @session: set up
 * @fn: called with each, in the order of time within a call
 * @ctx: for @fn
 *
 * Reads all rings; other records than those of samples and stacks are dropped.  Samples wait
 * for stacks in 64 MiB at most, and those that waited longest are handed out without one when
 * they take more.
 *
 * Return: 0, what @fn returned, -EBADFD: not set up; -EINVAL: set up with
 * LW_SETUP_OVERWRITE; -ENOMEM, or -EBADMSG: a ring holds what can't be.
 */
int latewind_session_samples(struct latewind_session *session, latewind_sample_fn fn, void *ctx);

/**
 * latewind_session_last_samples - hand out what is left
 * @session: disabled
 * @wait_ms: for how long stacks are waited for that tasks in the kernel still owe
 * @fn: called with each, in the order of time
 * @ctx: for @fn
 *
 * Return: as latewind_session_samples(), or what LW_IOC_STATS says.
 */
int latewind_session_last_samples(struct latewind_session *session, unsigned int wait_ms,
				  latewind_sample_fn fn, void *ctx);

/**
 * latewind_session_read_ring - consume what is in the ring of a CPU now
 * @session: set up
 * @cpu: less than lw_info.nr_rings; the ring of a CPU that the machine can't have is empty
 * @fn: called with each record
 * @ctx: for @fn
 * @complete: out, may be NULL: all that was reserved when this call began was consumed, that is: no
 *	record of it was still being written
 *
 * Return: 0, what @fn returned, -EBADFD: not set up; -EINVAL: no such ring, or set up with
 * LW_SETUP_OVERWRITE; or -EBADMSG: a length is impossible.
 */
int latewind_session_read_ring(struct latewind_session *session, __u32 cpu,
			       latewind_record_fn fn, void *ctx, bool *complete);

/**
 * latewind_session_read_by_time - consume what is in all rings, in the order of time
 * @session: set up
 * @until: only what is older, in CLOCK_MONOTONIC; some 20 us before this call, as another
 *	CPU may have taken the time of a record that it reserves now
 * @fn: called with each record
 * @ctx: for @fn
 *
 * A record that is still being written is passed over, and handed out by the call that
 * finds it whole.  Records that have no time come with the one before; stacks come behind
 * the time that they have, which is when their walk began.
 *
 * Return: 0, what @fn returned, -EBADFD: not set up; -EINVAL: set up with
 * LW_SETUP_OVERWRITE; -ENOMEM, or -EBADMSG: a length is impossible.
 */
int latewind_session_read_by_time(struct latewind_session *session, __u64 until,
				  latewind_record_fn fn, void *ctx);

/**
 * latewind_session_unfinished - records that latewind_session_read_by_time() passed over
 * @session: set up
 *
 * Return: how many are not whole yet.
 */
__u64 latewind_session_unfinished(const struct latewind_session *session);

/**
 * latewind_session_snapshot_ring - what a ring with LW_SETUP_OVERWRITE keeps now
 * @session: set up
 * @cpu: less than lw_info.nr_rings; the ring of a CPU that the machine can't have is empty
 * @fn: called with each record, oldest first
 * @ctx: for @fn
 *
 * Writers go on meanwhile.  Records that are being written are left out.
 *
 * Return: 0, what @fn returned, -EBADFD: not set up; -EINVAL: no such ring, or set up
 * without LW_SETUP_OVERWRITE; -ENOMEM, -EAGAIN: the ring is written faster than read; or
 * -EBADMSG: a length is impossible.
 */
int latewind_session_snapshot_ring(struct latewind_session *session, __u32 cpu,
				   latewind_record_fn fn, void *ctx);

/**
 * latewind_session_snapshot_next - likewise, what the last call for that ring did not read
 * @session: set up
 * @cpu: as of latewind_session_snapshot_ring()
 * @fn: called with each record, oldest first
 * @ctx: for @fn
 *
 * A record that is being written, and what is behind it, is left for the next call: so of
 * several snapshots each record is in one at most.
 *
 * Return: as latewind_session_snapshot_ring().
 */
int latewind_session_snapshot_next(struct latewind_session *session, __u32 cpu,
				   latewind_record_fn fn, void *ctx);

/**
 * latewind_sample_valid - does a record hold a whole struct lw_sample?
 * @record: of type LW_RECORD_SAMPLE
 *
 * Return: true if its counts fit its length.
 */
bool latewind_sample_valid(const struct lw_record *record);

/**
 * latewind_sample_size - bytes of a sample with all that follows
 * @sample: valid
 *
 * Return: the number, a multiple of 8.
 */
size_t latewind_sample_size(const struct lw_sample *sample);

/**
 * latewind_sample_cgroup - the cgroup that a sample's task was in
 * @sample: valid
 *
 * Return: its id, or 0 when the sample does not tell.
 */
__u64 latewind_sample_cgroup(const struct lw_sample *sample);

/**
 * latewind_sample_raw - what a tracepoint has told
 * @sample: valid
 * @size: out: bytes of it, 4 less than a multiple of 8; zeros may be at the end
 *
 * Return: its fields, as its format in tracefs says, or NULL when the sample has none.
 */
const void *latewind_sample_raw(const struct lw_sample *sample, __u32 *size);

/**
 * latewind_module_valid - does a record hold a whole struct lw_module?
 * @record: of type LW_RECORD_MODULE
 *
 * Return: true if it does, its name has an end and its code does not wrap.
 */
bool latewind_module_valid(const struct lw_record *record);

/**
 * latewind_stack_valid - does a record hold a whole struct lw_user_stack?
 * @record: of type LW_RECORD_USER_STACK
 *
 * Return: true if its counts fit its length, and each other.
 */
bool latewind_stack_valid(const struct lw_record *record);

/**
 * latewind_stack_size - bytes of a stack
 * @stack: valid
 *
 * Return: what its frames take; the record may be longer.
 */
size_t latewind_stack_size(const struct lw_user_stack *stack);

/**
 * struct latewind_frame - a frame of a stack, and where the next one is
 * @ip: its address
 * @how: LW_HOW_*
 * @off: what @ip is behind the instruction that it stands for: 1 for a return address,
 *	which belongs to the call before it, else 0
 * @index: 0 for the topmost
 * @run: the one that it is in
 * @in_run: frames of @run up to this one
 * @low: lower half of the next one's address
 * @left: frames behind this one
 * @reserved: 0
 */
struct latewind_frame {
	__u64 ip;
	__u8 how;
	__u8 off;
	__u32 index;
	const struct lw_frame_run *run;
	__u32 in_run;
	const __u32 *low;
	__u32 left;
	__u64 reserved[2];
};

/**
 * latewind_frames - to go through the frames of a stack
 * @stack: valid; is to stay
 *
 * Return: what latewind_frame_next() makes the topmost frame.
 */
struct latewind_frame latewind_frames(const struct lw_user_stack *stack);

/**
 * latewind_frame_next - go to the next frame, which is the caller
 * @frame: of latewind_frames()
 *
 * Return: false if there is none.
 */
bool latewind_frame_next(struct latewind_frame *frame);

/**
 * latewind_stack_addresses - the addresses of a stack's frames, the topmost first
 * @stack: valid
 * @addresses: out
 * @room: how many there is room for; LW_MAX_DEPTH is enough for each stack
 *
 * Return: how many were written.
 */
size_t latewind_stack_addresses(const struct lw_user_stack *stack, __u64 *addresses,
				size_t room);

/* Joins samples with their stacks by cookie, for those who read rings themselves. */
struct latewind_stack_join;

/**
 * struct latewind_stack_join_stats - what did not go the usual way
 * @evicted: samples that were given up for the limit of memory
 * @orphans: stacks that no sample came for
 * @duplicates: second stacks of one cookie, dropped
 */
struct latewind_stack_join_stats {
	__u64 evicted;
	__u64 orphans;
	__u64 duplicates;
};

/**
 * latewind_stack_join_new - an empty join
 * @max_bytes: most memory for samples that wait for their stacks
 *
 * Return: the join or NULL.
 */
struct latewind_stack_join *latewind_stack_join_new(size_t max_bytes);

/**
 * latewind_stack_join_free - free a join and all that it holds
 * @join: the join or NULL
 */
void latewind_stack_join_free(struct latewind_stack_join *join);

/**
 * latewind_stack_join_sample - take a SAMPLE record
 * @join: the join
 * @sample: valid; is copied
 *
 * Return: 0 or -ENOMEM.
 */
int latewind_stack_join_sample(struct latewind_stack_join *join,
			       const struct lw_sample *sample);

/**
 * latewind_stack_join_sample_ageless - take one that latewind_stack_join_oldest() is not to
 * count
 * @join: the join
 * @sample: valid; is copied
 *
 * Return: 0 or -ENOMEM.
 */
int latewind_stack_join_sample_ageless(struct latewind_stack_join *join,
				       const struct lw_sample *sample);

/**
 * latewind_stack_join_stack - take a USER_STACK record
 * @join: the join
 * @stack: valid; is copied
 *
 * Return: 0 or -ENOMEM.
 */
int latewind_stack_join_stack(struct latewind_stack_join *join,
			      const struct lw_user_stack *stack);

/**
 * latewind_stack_join_pass - every ring was read once since the last call
 * @join: the join
 * @complete: every ring was read up to the end that it had then
 *
 * Drops the stacks that further samples can hardly belong to.
 */
void latewind_stack_join_pass(struct latewind_stack_join *join, bool complete);

/**
 * latewind_stack_join_give_up - the waiting samples become ready without a stack
 * @join: the join
 *
 * Return: 0 or -ENOMEM.
 */
int latewind_stack_join_give_up(struct latewind_stack_join *join);

/**
 * latewind_stack_join_emit - hand out what is ready, in the order of time
 * @join: the join
 * @fn: called with each sample
 * @ctx: for @fn
 *
 * Return: 0 or the first nonzero return of @fn; the rest stays ready then, and counts for no
 * limit of memory.
 */
int latewind_stack_join_emit(struct latewind_stack_join *join, latewind_sample_fn fn, void *ctx);

/**
 * latewind_stack_join_oldest - since when the samples that wait for their stacks are
 * @join: the join
 *
 * Return: the time of the oldest, or the greatest number there is when none waits.
 */
__u64 latewind_stack_join_oldest(const struct latewind_stack_join *join);

/**
 * latewind_stack_join_pending - samples that wait for their stacks
 * @join: the join
 *
 * Return: how many.
 */
__u64 latewind_stack_join_pending(const struct latewind_stack_join *join);

/**
 * latewind_stack_join_stats - what did not go the usual way
 * @join: the join
 *
 * Return: its counters, for as long as the join is there.
 */
const struct latewind_stack_join_stats *
latewind_stack_join_stats(const struct latewind_stack_join *join);

/*
 * Code that no file has tables for: a JIT's, or what was loaded without dlopen().  Its
 * program describes it by an SFrame section and registers that.  The section is copied, and
 * dropped with its text.  struct lw_section in latewind.h has all the rules.
 *
 * A child of fork() has what its parent has: this library keeps a copy of each section until
 * that is removed, and registers them again in the child, by pthread_atfork(3).  It does not see
 * that text is unmapped, so sections are to be removed before that: else their copies stay, and
 * a child may take other code that is mapped there for the former.
 *
 * These may be called from any thread, but not by a signal's handler; in a child of fork(); and
 * whatever descriptors the program closes.  errno is left alone.
 */

/**
 * latewind_section_add - register a section for code of this process
 * @section: its bytes
 * @section_size: how many
 * @text: first address of the code that it speaks of
 * @text_size: bytes of it; mapped and executable
 * @base: what function starts in the section are relative to: @section for a section
 *	that a linker made and that is where it was linked to be; @text if they are
 *	offsets in the code
 *
 * Return: 0, or
 *	-ENOENT: the module is not loaded
 *	-EOPNOTSUPP: this kernel can't, or a 32-bit program, or one that has a file of FUSE or
 *	of another machine mapped, shared and to write
 *	-EINVAL: not a sound section for this machine and text
 *	-EFAULT: the section can't be read
 *	-EACCES: not all of the text is mapped and executable
 *	-EEXIST: it overlaps one that is registered
 *	-ENOSPC: too many sections, or too large
 *	-EPERM: RLIMIT_MEMLOCK, which is for all processes of the user together
 *	-EAGAIN: another thread of the process has its memory locked, in mmap() say
 *	-ENOMEM, and what else open() says of /proc/latewind.
 */
int latewind_section_add(const void *section, size_t section_size,
			 const void *text, size_t text_size, const void *base);

/**
 * latewind_section_remove - forget a section
 * @text: as it was registered
 * @text_size: likewise
 *
 * To be called before the text is unmapped, see above.
 *
 * Return: 0, -ENOENT: none is registered for just this text, or there is no module;
 * or as latewind_section_add().
 */
int latewind_section_remove(const void *text, size_t text_size);

#ifdef __cplusplus
}
#endif

#endif /* LIBLATEWIND_H */
