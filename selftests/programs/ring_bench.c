// SPDX-License-Identifier: GPL-2.0
/*
 * ring_bench.c - what a record costs in our ring, BPF's and perf's: one line of
 * "case subject value unit" for each number, on stdout.  lw_bench.ko is loaded.
 *
 * ring_bench instructions: by the time stamp counter, with interrupts off, one
 *	CPU; under a QEMU with -icount shift=0 that counts instructions.
 * ring_bench speed: records a second, and how long each takes its CPU, on one CPU
 *	and on two.
 *
 * All rings have the same size and are emptied before each batch, an eighth of that
 * or less, by storing the reader's position: none is full.  Only the ring that two
 * CPUs share can be, when one of them is held up inside a record; such a batch
 * is left out, and what it dropped is told.  Nobody waits for records.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "modules/lw_bench.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#define PAGE		4096
#define MAX_CPUS	2
#define BATCH		256
/* More than any of them puts in front of a payload. */
#define OVERHEAD	64

#define ROUNDS		31	/* of "instructions" */
#define SLICES		25	/* of "speed" */
#define SLICE_NS	50000000ULL
#define MAX_INSNS	16

/* What a BPF program does; kinds of one subject differ. */
enum does {
	DOES_NOTHING,
	DOES_RESERVE,		/* bpf_ringbuf_reserve(), bpf_ringbuf_submit() */
	DOES_RECORD,		/* bpf_ringbuf_output() */
	DOES_PERF,		/* bpf_perf_event_output() */
};

/**
 * struct reader - where a ring is read
 * @head: how far it is written
 * @tail: how far it is read
 */
struct reader {
	const uint64_t *head;
	uint64_t *tail;
};

/**
 * struct program - a BPF program and its ring
 * @fd: of it
 * @reader: of the ring; empty if it has none
 */
struct program {
	int fd;
	struct reader reader;
};

static int bench_fd;
static int payload_map;
static int perf_map;
static struct reader perf_readers[MAX_CPUS];

static void __attribute__((format(printf, 1, 2), noreturn)) die(const char *format, ...)
{
	int error = errno;
	va_list args;

	va_start(args, format);
	fputs("ring_bench: ", stderr);
	vfprintf(stderr, format, args);
	fprintf(stderr, ": %s\n", strerror(error));
	va_end(args);
	exit(1);
}

static int bpf(int cmd, union bpf_attr *attr)
{
	return syscall(SYS_bpf, cmd, attr, sizeof(*attr));
}

static int make_map(enum bpf_map_type type, uint32_t key, uint32_t value, uint32_t max)
{
	union bpf_attr attr = {
		.map_type = type,
		.key_size = key,
		.value_size = value,
		.max_entries = max,
	};
	int fd = bpf(BPF_MAP_CREATE, &attr);

	if (fd < 0)
		die("BPF map of type %d", type);
	return fd;
}

/* Code of a program that is being written. */
struct code {
	struct bpf_insn insns[MAX_INSNS];
	unsigned int nr;
};

static void add(struct code *code, uint8_t op, uint8_t dst, uint8_t src, int16_t off,
		int32_t imm)
{
	code->insns[code->nr++] = (struct bpf_insn){
		.code = op, .dst_reg = dst, .src_reg = src, .off = off, .imm = imm,
	};
}

static void add_number(struct code *code, uint8_t dst, int32_t number)
{
	add(code, BPF_ALU | BPF_MOV | BPF_K, dst, 0, 0, number);
}

static void add_move(struct code *code, uint8_t dst, uint8_t src)
{
	add(code, BPF_ALU64 | BPF_MOV | BPF_X, dst, src, 0, 0);
}

/* The map, or where its first value is. */
static void add_map(struct code *code, uint8_t dst, int map, uint8_t what)
{
	add(code, BPF_LD | BPF_DW | BPF_IMM, dst, what, 0, map);
	add(code, 0, 0, 0, 0, 0);
}

static void add_call(struct code *code, int32_t helper)
{
	add(code, BPF_JMP | BPF_CALL, 0, 0, 0, helper);
}

static void add_exit(struct code *code)
{
	add(code, BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
}

static void write_reserve(struct code *code, int map, uint32_t len, int32_t flags)
{
	add_map(code, 1, map, BPF_PSEUDO_MAP_FD);
	add_number(code, 2, len);
	add_number(code, 3, 0);
	add_call(code, BPF_FUNC_ringbuf_reserve);
	add(code, BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 5, 0);
	add_move(code, 1, 0);
	add_number(code, 2, flags);
	add_call(code, BPF_FUNC_ringbuf_submit);
	add_number(code, 0, 0);
	add_exit(code);
	add_number(code, 0, 1);
	add_exit(code);
}

/* This and the next return -errno; asked for is only whether it is 0. */
static void write_record(struct code *code, int map, uint32_t len, int32_t flags)
{
	add_map(code, 1, map, BPF_PSEUDO_MAP_FD);
	add_map(code, 2, payload_map, BPF_PSEUDO_MAP_VALUE);
	add_number(code, 3, len);
	add_number(code, 4, flags);
	add_call(code, BPF_FUNC_ringbuf_output);
	add_exit(code);
}

static void write_perf(struct code *code, uint32_t len)
{
	/* Register 1 is what the program was called with: registers. */
	add_map(code, 2, perf_map, BPF_PSEUDO_MAP_FD);
	add_number(code, 3, -1);	/* BPF_F_CURRENT_CPU */
	add_map(code, 4, payload_map, BPF_PSEUDO_MAP_VALUE);
	add_number(code, 5, len);
	add_call(code, BPF_FUNC_perf_event_output);
	add_exit(code);
}

static int load(enum does does, int map, uint32_t len, int32_t flags)
{
	static char log[1 << 16];
	struct bpf_prog_info info = {};
	struct code code = {};
	union bpf_attr attr = {
		.prog_type = BPF_PROG_TYPE_KPROBE,
		.insns = (uintptr_t)code.insns,
		.license = (uintptr_t)"GPL",
		.log_level = 1,
		.log_buf = (uintptr_t)log,
		.log_size = sizeof(log),
	};
	int fd;

	if (does == DOES_RESERVE) {
		write_reserve(&code, map, len, flags);
	} else if (does == DOES_RECORD) {
		write_record(&code, map, len, flags);
	} else if (does == DOES_PERF) {
		write_perf(&code, len);
	} else {
		add_number(&code, 0, 0);
		add_exit(&code);
	}
	attr.insn_cnt = code.nr;
	fd = bpf(BPF_PROG_LOAD, &attr);
	if (fd < 0)
		die("BPF program\n%s", log);
	attr = (union bpf_attr){
		.info.bpf_fd = fd,
		.info.info_len = sizeof(info),
		.info.info = (uintptr_t)&info,
	};
	errno = EINVAL;
	if (bpf(BPF_OBJ_GET_INFO_BY_FD, &attr) || !info.jited_prog_len)
		die("a BPF program was not compiled, see net.core.bpf_jit_enable");
	return fd;
}

static void *map_pages(int fd, size_t len, int prot, off_t from)
{
	void *area = mmap(NULL, len, prot, MAP_SHARED, fd, from);

	if (area == MAP_FAILED)
		die("mmap");
	return area;
}

/* One that wakes nobody. */
static int make_perf_event(unsigned int cpu)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_BPF_OUTPUT,
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_RAW,
		.watermark = 1,
		.wakeup_watermark = LWB_RING_SIZE / 2,
	};
	int fd = syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		die("perf event");
	return fd;
}

static void make_perf_ring(unsigned int cpu)
{
	int fd = make_perf_event(cpu);
	struct perf_event_mmap_page *page;
	union bpf_attr attr = {
		.map_fd = perf_map,
		.key = (uintptr_t)&cpu,
		.value = (uintptr_t)&fd,
	};

	page = map_pages(fd, PAGE + LWB_RING_SIZE, PROT_READ | PROT_WRITE, 0);
	perf_readers[cpu].head = (const uint64_t *)&page->data_head;
	perf_readers[cpu].tail = (uint64_t *)&page->data_tail;
	if (bpf(BPF_MAP_UPDATE_ELEM, &attr) || ioctl(fd, PERF_EVENT_IOC_ENABLE, 0))
		die("perf event");
}

static int make_bpf_ring(struct reader *reader)
{
	int map = make_map(BPF_MAP_TYPE_RINGBUF, 0, 0, LWB_RING_SIZE);

	reader->tail = map_pages(map, PAGE, PROT_READ | PROT_WRITE, 0);
	reader->head = map_pages(map, PAGE, PROT_READ, PAGE);
	return map;
}

/* Several may do so at once: never backwards. */
static void drain(const struct reader *reader)
{
	uint64_t head, tail;

	if (!reader->head)
		return;
	head = __atomic_load_n(reader->head, __ATOMIC_ACQUIRE);
	tail = __atomic_load_n(reader->tail, __ATOMIC_RELAXED);
	while (tail < head &&
	       !__atomic_compare_exchange_n(reader->tail, &tail, head, false,
					    __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		;
}

static uint32_t batch_of(uint32_t payload)
{
	uint32_t fits = LWB_RING_SIZE / 8 / (payload + OVERHEAD);

	return fits < BATCH ? fits : BATCH;
}

/* Writes a batch. */
static void run(struct lwb_run *arg, uint32_t what, const struct program *program,
		uint32_t payload, uint32_t flags)
{
	*arg = (struct lwb_run){
		.what = what,
		.program = program ? program->fd : -1,
		.payload = payload,
		.count = batch_of(payload),
		.flags = flags,
	};
	if (program)
		drain(&program->reader);
	if (ioctl(bench_fd, LWB_IOC_RUN, arg))
		die("LWB_IOC_RUN");
}

static void pin(unsigned int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		die("CPU %u", cpu);
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static double median(double *values, unsigned int nr)
{
	qsort(values, nr, sizeof(*values), by_value);
	return values[nr / 2];
}

static void print(const char *what, uint32_t payload, const char *subject, double value,
		  const char *unit)
{
	printf("%s-%u %s %.2f %s\n", what, payload, subject, value, unit);
}

/* Cycles of a record. */
static double cost(uint32_t what, const struct program *program, uint32_t payload,
		   uint32_t flags)
{
	double values[ROUNDS];
	struct lwb_run arg;
	unsigned int i;

	for (i = 0; i < ROUNDS; i++) {
		run(&arg, what, program, payload, flags | LWB_IRQS_OFF);
		errno = ENOSPC;
		if (arg.dropped)
			die("%llu of %u records of %u bytes",
			    (unsigned long long)arg.dropped, arg.count, payload);
		values[i] = (double)arg.cycles / arg.count;
	}
	return median(values, ROUNDS);
}

/* Cycles of a record that a program writes, without those of an empty program. */
static double cost_of(enum does does, uint32_t payload, int32_t flags)
{
	struct program empty = { .fd = load(DOES_NOTHING, 0, 0, 0) };
	struct program program = {};
	double value;
	int map = -1;

	if (does == DOES_PERF)
		program.reader = perf_readers[0];
	else
		map = make_bpf_ring(&program.reader);
	program.fd = load(does, map, payload, flags);
	value = cost(LWB_PROGRAM, &program, payload, 0) -
		cost(LWB_PROGRAM, &empty, payload, 0);
	close(program.fd);
	close(empty.fd);
	if (map >= 0) {
		munmap(program.reader.tail, PAGE);
		munmap((void *)program.reader.head, PAGE);
		close(map);
	}
	return value;
}

/* As above, with one of our rings. */
static double cost_of_ours(uint32_t what, uint32_t payload, uint32_t flags)
{
	return cost(what, NULL, payload, flags) - cost(LWB_NOTHING, NULL, payload, 0);
}

/* A flight recorder that is full. */
static double cost_of_overwrite(uint32_t payload)
{
	struct lwb_run arg;
	uint64_t written = 0;

	while (written < 2 * LWB_RING_SIZE) {
		run(&arg, LWB_RESERVE, NULL, payload, LWB_OVERWRITE);
		written += arg.count * payload;
	}
	return cost_of_ours(LWB_RESERVE, payload, LWB_OVERWRITE);
}

static void count_instructions(void)
{
	static const uint32_t payloads[] = { 16, 64, 256, 1024, 4096 };
	static const char unit[] = "instructions";
	unsigned int i;

	pin(0);
	for (i = 0; i < ARRAY_SIZE(payloads); i++) {
		uint32_t len = payloads[i];

		print("reserve", len, "latewind", cost_of_ours(LWB_RESERVE, len, 0), unit);
		print("reserve", len, "bpf", cost_of(DOES_RESERVE, len, BPF_RB_NO_WAKEUP),
		      unit);
		print("reserve", len, "bpf-wakeup", cost_of(DOES_RESERVE, len, 0), unit);
		print("reserve", len, "latewind-overwrite", cost_of_overwrite(len), unit);
		print("record", len, "latewind", cost_of_ours(LWB_RECORD, len, 0), unit);
		print("record", len, "bpf", cost_of(DOES_RECORD, len, BPF_RB_NO_WAKEUP),
		      unit);
		print("record", len, "bpf-wakeup", cost_of(DOES_RECORD, len, 0), unit);
		print("record", len, "perf", cost_of(DOES_PERF, len, 0), unit);
		print("record", len, "copy-alone", cost_of_ours(LWB_COPY, len, 0), unit);
	}
}

/* Who takes part in "speed". */
enum subject { OURS, BPF_SHARED, BPF_EACH, PERF, SUBJECTS };

static const char * const subject_names[SUBJECTS] = {
	"latewind", "bpf-shared", "bpf-each", "perf",
};

/* A thread that writes on its CPU, for a slice. */
struct writer {
	pthread_t thread;
	pthread_barrier_t *start;
	unsigned int cpu;
	uint32_t what;
	uint32_t payload;
	const struct program *program;
	uint64_t records;
	uint64_t dropped;
	uint64_t ns;
};

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

static void *write_slice(void *argument)
{
	struct writer *writer = argument;
	struct lwb_run arg;
	uint64_t until;

	pin(writer->cpu);
	pthread_barrier_wait(writer->start);
	until = now_ns() + SLICE_NS;
	do {
		run(&arg, writer->what, writer->program, writer->payload, 0);
		writer->dropped += arg.dropped;
		if (arg.dropped)
			continue;
		writer->records += arg.count;
		writer->ns += arg.ns;
	} while (now_ns() < until);
	return NULL;
}

/**
 * struct rate - what a slice came to
 * @records: a second, all writers together
 * @ns: that a record takes its CPU
 * @dropped: records that there was no room for
 */
struct rate {
	double records;
	double ns;
	double dropped;
};

static struct rate write_all(enum subject subject, const struct program *programs,
			     uint32_t payload, unsigned int cpus)
{
	struct writer writers[MAX_CPUS] = {};
	uint64_t records = 0, ns = 0;
	pthread_barrier_t start;
	struct rate rate = {};
	unsigned int i;

	pthread_barrier_init(&start, NULL, cpus);
	for (i = 0; i < cpus; i++) {
		writers[i].start = &start;
		writers[i].cpu = i;
		writers[i].what = subject == OURS ? LWB_RECORD : LWB_PROGRAM;
		writers[i].program = subject == OURS ? NULL : &programs[i];
		writers[i].payload = payload;
		errno = pthread_create(&writers[i].thread, NULL, write_slice, &writers[i]);
		if (errno)
			die("thread");
	}
	for (i = 0; i < cpus; i++) {
		pthread_join(writers[i].thread, NULL);
		if (writers[i].ns)
			rate.records += writers[i].records * 1e9 / writers[i].ns;
		rate.dropped += writers[i].dropped;
		records += writers[i].records;
		ns += writers[i].ns;
	}
	if (records)
		rate.ns = (double)ns / records;
	pthread_barrier_destroy(&start);
	return rate;
}

static void make_programs(struct program programs[SUBJECTS][MAX_CPUS], uint32_t payload)
{
	int map = make_bpf_ring(&programs[BPF_SHARED][0].reader);
	struct program *program;
	unsigned int i;

	for (i = 0; i < MAX_CPUS; i++) {
		program = &programs[BPF_SHARED][i];
		program->reader = programs[BPF_SHARED][0].reader;
		program->fd = load(DOES_RECORD, map, payload, BPF_RB_NO_WAKEUP);
		program = &programs[BPF_EACH][i];
		program->fd = load(DOES_RECORD, make_bpf_ring(&program->reader), payload,
				   BPF_RB_NO_WAKEUP);
		program = &programs[PERF][i];
		program->fd = load(DOES_PERF, -1, payload, 0);
		program->reader = perf_readers[i];
	}
}

/* They take turns, so that what else the machine does meets all of them. */
static void measure_speed(void)
{
	static const uint32_t payloads[] = { 16, 256, 4096 };
	static double records[SUBJECTS][SLICES], ns[SUBJECTS][SLICES];
	double dropped[SUBJECTS];
	unsigned int i, cpus, slice, subject;
	struct rate rate;
	char name[32];

	for (i = 0; i < ARRAY_SIZE(payloads); i++) {
		struct program programs[SUBJECTS][MAX_CPUS] = {};

		make_programs(programs, payloads[i]);
		for (cpus = 1; cpus <= MAX_CPUS; cpus++) {
			memset(dropped, 0, sizeof(dropped));
			for (slice = 0; slice < SLICES * SUBJECTS; slice++) {
				subject = slice % SUBJECTS;
				rate = write_all(subject, programs[subject], payloads[i],
						 cpus);
				records[subject][slice / SUBJECTS] = rate.records;
				ns[subject][slice / SUBJECTS] = rate.ns;
				dropped[subject] += rate.dropped;
			}
			snprintf(name, sizeof(name), "speed-%ucpu", cpus);
			for (subject = 0; subject < SUBJECTS; subject++) {
				print(name, payloads[i], subject_names[subject],
				      median(records[subject], SLICES), "records/s");
				print(name, payloads[i], subject_names[subject],
				      median(ns[subject], SLICES), "ns");
				print(name, payloads[i], subject_names[subject],
				      dropped[subject], "dropped");
			}
		}
	}
}

int main(int argc, char **argv)
{
	unsigned int cpus = sysconf(_SC_NPROCESSORS_ONLN), cpu;
	bool speed = argc == 2 && !strcmp(argv[1], "speed");

	if (argc != 2 || (!speed && strcmp(argv[1], "instructions"))) {
		fprintf(stderr, "usage: ring_bench instructions|speed\n");
		return 2;
	}
	errno = ENODEV;
	if (speed && cpus < MAX_CPUS)
		die("not %d CPUs but %u", MAX_CPUS, cpus);
	setvbuf(stdout, NULL, _IOLBF, 0);
	bench_fd = open(LWB_DEVICE, O_RDWR | O_CLOEXEC);
	if (bench_fd < 0)
		die(LWB_DEVICE);
	payload_map = make_map(BPF_MAP_TYPE_ARRAY, 4, LWB_PAYLOAD_MAX, 1);
	perf_map = make_map(BPF_MAP_TYPE_PERF_EVENT_ARRAY, 4, 4, MAX_CPUS);
	for (cpu = 0; cpu < cpus && cpu < MAX_CPUS; cpu++)
		make_perf_ring(cpu);
	if (speed)
		measure_speed();
	else
		count_instructions();
	return 0;
}
