// SPDX-License-Identifier: GPL-2.0
/*
 * count.c - a plugin of QEMU's TCG: how often each instruction of the guest's kernel is
 * executed while walk_bench wants it counted (programs/walk_mark.h).
 *
 * -plugin count.so,out=FILE: writes lines "address unsampled sampled" when QEMU ends.
 *
 * QEMU calls everything here, in one thread at a time: there is one virtual CPU.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../programs/walk_mark.h"
#include "qemu_plugin.h"

#define KERNEL		0xffff800000000000ULL
/* Different instructions that a guest executes between its boot and its end: some 300,000. */
#define MAX_COUNTERS	(1UL << 22)

/* How often the instruction at an address was executed, by WALK_COUNT_*. */
struct counter {
	uint64_t address;
	uint64_t counts[WALK_NR_COUNTS];
};

/* By a hash of the address; QEMU keeps pointers to them. */
static struct counter *counters;
static unsigned long nr_counters;
static unsigned int counting;
static char *out;

/* Exported to QEMU. */
int qemu_plugin_version = QEMU_PLUGIN_VERSION;

static struct counter *counter_of(uint64_t address)
{
	unsigned long at = address * 0x9e3779b97f4a7c15ULL >> 42;

	while (counters[at].address && counters[at].address != address)
		at = (at + 1) % MAX_COUNTERS;
	if (!counters[at].address) {
		counters[at].address = address;
		nr_counters++;
	}
	if (nr_counters > MAX_COUNTERS / 2)
		abort();
	return &counters[at];
}

static void count_insn(unsigned int vcpu, void *counter)
{
	struct counter *c = counter;

	(void)vcpu;
	c->counts[counting]++;
}

static void mark_insn(unsigned int vcpu, void *what)
{
	(void)vcpu;
	counting = (uintptr_t)what;
}

static bool is_mark(const struct qemu_plugin_insn *insn, uint32_t *what)
{
	uint8_t bytes[WALK_MARK_X86_SIZE];
	size_t skip = sizeof(WALK_MARK_X86) - 1;
	size_t size = qemu_plugin_insn_data(insn, bytes, sizeof(bytes));

	if (size == WALK_MARK_X86_SIZE && !memcmp(bytes, WALK_MARK_X86, skip)) {
		memcpy(what, bytes + skip, sizeof(*what));
	} else if (size == WALK_MARK_ARM64_SIZE) {
		/* On x86 no instruction begins as this one. */
		memcpy(what, bytes, sizeof(*what));
		*what ^= WALK_MARK_ARM64;
		if (*what & ((1U << WALK_MARK_ARM64_SHIFT) - 1))
			return false;
		*what >>= WALK_MARK_ARM64_SHIFT;
	} else {
		return false;
	}
	*what -= WALK_MARK_NR;
	return *what < WALK_NR_COUNTS;
}

static void translate(uint64_t id, struct qemu_plugin_tb *tb)
{
	size_t i, nr = qemu_plugin_tb_n_insns(tb);
	uint32_t what;

	(void)id;
	for (i = 0; i < nr; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		uint64_t address = qemu_plugin_insn_vaddr(insn);

		if (address >= KERNEL)
			qemu_plugin_register_vcpu_insn_exec_cb(insn, count_insn,
							       QEMU_PLUGIN_CB_NO_REGS,
							       counter_of(address));
		else if (is_mark(insn, &what))
			qemu_plugin_register_vcpu_insn_exec_cb(insn, mark_insn,
							       QEMU_PLUGIN_CB_NO_REGS,
							       (void *)(uintptr_t)what);
	}
}

static void write_counts(uint64_t id, void *arg)
{
	FILE *file = fopen(out, "w");
	unsigned long i;

	(void)id;
	(void)arg;
	for (i = 0; file && i < MAX_COUNTERS; i++) {
		const uint64_t *counts = counters[i].counts;

		if (counts[WALK_COUNT_IDLE] || counts[WALK_COUNT_SAMPLED])
			fprintf(file, "%llx %llu %llu\n",
				(unsigned long long)counters[i].address,
				(unsigned long long)counts[WALK_COUNT_IDLE],
				(unsigned long long)counts[WALK_COUNT_SAMPLED]);
	}
	if (!file || fclose(file))
		perror(out);
}

/* QEMU calls it when it starts.  Return: 0, or nonzero to end it. */
int qemu_plugin_install(uint64_t id, const void *info, int argc, char **argv)
{
	(void)info;
	if (argc != 1 || strncmp(argv[0], "out=", 4))
		return 1;
	out = strdup(argv[0] + 4);
	counters = calloc(MAX_COUNTERS, sizeof(*counters));
	if (!out || !counters)
		return 1;
	qemu_plugin_register_vcpu_tb_trans_cb(id, translate);
	qemu_plugin_register_atexit_cb(id, write_counts, NULL);
	return 0;
}
