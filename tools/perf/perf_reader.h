/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf_reader.h - reads a perf.data file, of ours or of perf's, in either byte order.
 */
#ifndef LW_PERF_READER_H
#define LW_PERF_READER_H

#include <linux/perf_event.h>

#include "base/util.h"
#include "elf/elf_file.h"

/* An event of the recording. */
struct lw_perf_event {
	char *name;			/* never NULL */
	struct perf_event_attr attr;
};

/*
 * A record and what every kind of record may tell; what it does not is 0.
 * Good until the function that got it returns.  All is in the byte order of this machine, but for
 * @raw and @stack: lw_perf_info.other_order.
 */
struct lw_perf_record {
	const struct perf_event_header *header;	/* all of header->size bytes are there */
	size_t end;			/* of the record's own fields: the trailer follows */
	const struct lw_perf_event *event;	/* NULL: not known */
	u32 index;			/* of @event */
	u64 time;
	u64 id;
	u32 pid, tid;
	u32 cpu;
	/* of PERF_RECORD_SAMPLE only */
	u64 ip;
	u64 addr;
	u64 period;
	const u64 *chain;		/* NULL: the event has none */
	u64 nr_chain;
	const void *raw;
	u32 raw_size;
	u32 regs_abi;			/* PERF_SAMPLE_REGS_ABI_*; 0: no user registers */
	u64 regs_mask;			/* which there are in @regs */
	u64 cgroup;			/* id; 0: not told */
	const u64 *counts;		/* of the events of its group; NULL: not told */
	u32 nr_counts;			/* events */
	u32 count_words;		/* of each: its count, its id */
	/* These may be at any address. */
	const void *regs;		/* words, as the event's sample_regs_user has them */
	const void *stack;		/* copy of the user's stack, from its pointer on */
	const void *branches;		/* of struct perf_branch_entry, the newest first */
	u32 stack_size;			/* that the kernel could read */
	u32 nr_branches;
};

/* The machine and command of a recording; a string is NULL where the file has none. */
struct lw_perf_info {
	char *hostname;
	char *osrelease;
	char *version;			/* of the tool that wrote it */
	char *arch;
	char *cpudesc;
	char *cmdline;			/* words with blanks between */
	u32 nr_cpus;			/* online; 0: not known */
	u64 first_time, last_time;	/* of samples; both 0: not known */
	char *kernel_names;		/* lines of kallsyms, for addresses that samples have */
	size_t kernel_names_size;
	bool other_order;		/* of bytes, in raw data and copies of stacks */
	bool trusted;			/* the file is root's, ours, or came by a pipe */
	char *formats;			/* of tracepoints, as lw_tracing_data_read() takes them */
	size_t formats_size;
	char *user_names;		/* as lw_saved_names_write() has written them */
	size_t user_names_size;
};

struct lw_perf_reader;

/* Anything but 0 ends the reading and is handed on. */
typedef int (*lw_perf_record_fn)(void *ctx, const struct lw_perf_record *record);

int lw_perf_reader_open(struct lw_perf_reader **file, const char *path);
int lw_perf_reader_read(struct lw_perf_reader *file, lw_perf_record_fn fn, void *ctx);
u64 lw_perf_reader_deferred(struct lw_perf_reader *file, u64 cookie, u32 tid, const u64 **chain);
u32 lw_perf_reader_nr_events(const struct lw_perf_reader *file);
const struct lw_perf_event *lw_perf_reader_event(const struct lw_perf_reader *file, u32 index);
const struct lw_perf_info *lw_perf_reader_info(const struct lw_perf_reader *file);
u32 lw_perf_reader_build_id(const struct lw_perf_reader *file, const char *path, u8 *id);
u64 lw_perf_reader_nr_records(const struct lw_perf_reader *file);
const char *lw_perf_reader_warning(const struct lw_perf_reader *file);
void lw_perf_reader_close(struct lw_perf_reader *file);

#endif /* LW_PERF_READER_H */
