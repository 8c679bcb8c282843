/* SPDX-License-Identifier: GPL-2.0 */
/*
 * signal_source.h - signals as they are delivered to the tasks that are traced.
 */
#ifndef LW_SIGNAL_SOURCE_H
#define LW_SIGNAL_SOURCE_H

#include "sideband/sideband.h"

/* A signal that a task takes: struct siginfo as far as the tracepoint has it. */
struct lw_signal {
	u64 time;			/* CLOCK_MONOTONIC */
	u32 pid, tid;
	s32 signal, error, code;	/* si_signo, si_errno, si_code */
	u64 handler;			/* address, SIG_DFL or SIG_IGN */
	s32 cause;			/* of SIGKILL: the signal that was sent; 0: not known */
	bool sent;			/* private: to @pid, and not taken yet */
};

/* Bytes in the data of a tracepoint; @extra: the handler, or process and result. */
struct lw_signal_fields {
	u32 signal, error, code, extra, result;
};

#define LW_SENT_SIGNALS		1024

struct lw_signal_source {
	struct lw_sideband sideband;	/* signals that tasks of the target take */
	struct lw_sideband sent;	/* those that any task sends */
	struct lw_signal_fields taken_at, sent_at;
	struct lw_signal last_sent[LW_SENT_SIGNALS];	/* by process, the last of each slot */
	struct lw_signal *signals;	/* those from @next on are not handed out, by time */
	size_t nr, room, next;
};

int lw_signal_fields_parse(struct lw_signal_fields *fields, bool sent, const char *format);
int lw_signal_source_open(struct lw_signal_source *source, const struct lw_target *target);
int lw_signal_source_read(struct lw_signal_source *source);
int lw_signal_source_record(void *ctx, const struct perf_event_header *record);
int lw_signal_source_sent(void *ctx, const struct perf_event_header *record);
void lw_signal_source_stop(struct lw_signal_source *source);
void lw_signal_source_sort(struct lw_signal_source *source);
const struct lw_signal *lw_signal_source_next(struct lw_signal_source *source, u64 before);
void lw_signal_source_close(struct lw_signal_source *source);

#endif /* LW_SIGNAL_SOURCE_H */
