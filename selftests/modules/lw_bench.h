/* SPDX-License-Identifier: GPL-2.0 */
/*
 * lw_bench.h - what user space tells lw_bench.ko: /dev/lw_bench, root only.
 *
 * Each open file has rings of module/ring/ring.c on each CPU, as sessions have: one in
 * discard mode, one in overwrite mode.
 */
#ifndef LW_BENCH_MODULE_H
#define LW_BENCH_MODULE_H

#include <linux/ioctl.h>
#include <linux/types.h>

#define LWB_DEVICE	"/dev/lw_bench"
#define LWB_RING_SIZE	0x100000	/* bytes of data, the default of sessions */
#define LWB_PAYLOAD_MAX	4096

/* lwb_run.what */
#define LWB_NOTHING	0	/* what the next three have, to be subtracted */
#define LWB_RESERVE	1	/* reserve and commit */
#define LWB_RECORD	2	/* reserve, copy the payload, commit */
#define LWB_COPY	3	/* copy the payload */
#define LWB_PROGRAM	4	/* run a BPF program of type kprobe */
#define LWB_KINDS	5

/* lwb_run.flags */
#define LWB_IRQS_OFF	0x1U
#define LWB_OVERWRITE	0x2U	/* to the other ring, a flight recorder */
#define LWB_FLAGS	0x3U

/**
 * struct lwb_run - write records on this CPU, one after the other
 * @what: LWB_*
 * @program: LWB_PROGRAM: its descriptor; it returns 0 if there was room
 * @payload: bytes behind a record's header, a multiple of 8
 * @count: how many; this CPU's ring has been read to its end before
 * @flags: LWB_*
 * @reserved: 0
 * @cycles: out: of the time stamp counter, all of them
 * @ns: out: likewise
 * @dropped: out: records that there was no room for
 */
struct lwb_run {
	__u32	what;
	__s32	program;
	__u32	payload;
	__u32	count;
	__u32	flags;
	__u32	reserved;
	__u64	cycles;
	__u64	ns;
	__u64	dropped;
};

#define LWB_MAGIC	0xEA
#define LWB_IOC_RUN	_IOWR(LWB_MAGIC, 0, struct lwb_run)

#endif /* LW_BENCH_MODULE_H */
