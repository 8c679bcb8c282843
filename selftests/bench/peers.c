// SPDX-License-Identifier: GPL-2.0
/*
 * peers.c - what others have: libunwind, glibc, libsframe, elfutils.
 *
 * libunwind has a backtrace() of its own, so neither that nor glibc's is taken
 * from whatever the linker would find first.
 */
#include <dlfcn.h>
#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <sframe-api.h>
#include <stdlib.h>
#include <unistd.h>

#include "bench.h"
#include "walk.h"

/* DWARF numbers of the psABI */
#define DWARF_FP	6
#define DWARF_SP	7
#define DWARF_RA	16

static void *symbol_of(const char *library, const char *name)
{
	void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
	void *symbol = handle ? dlsym(handle, name) : NULL;

	if (!symbol)
		die("%s: %s", library, dlerror());
	return symbol;
}

/*
 * libunwind: unw_backtrace(), which keeps the rule of each address. That cache
 * cannot be emptied: unw_flush_cache() does not reach it.
 */

static int (*libunwind_backtrace)(void **ips, int max);

static void setup_libunwind(void)
{
	libunwind_backtrace = symbol_of("libunwind.so.8", "unw_backtrace");
}

static noinline unsigned int walk_libunwind(uintptr_t *ips, unsigned int max)
{
	return libunwind_backtrace((void **)ips, max);
}

const struct subject subject_libunwind = {
	.name = "unw_backtrace",
	.setup = setup_libunwind,
	.walk = walk_libunwind,
};

/* glibc: backtrace(), which is libgcc's _Unwind_Backtrace() */

static int (*glibc_backtrace)(void **ips, int max);

static void setup_glibc(void)
{
	glibc_backtrace = symbol_of("libc.so.6", "backtrace");
}

static noinline unsigned int walk_glibc(uintptr_t *ips, unsigned int max)
{
	return glibc_backtrace((void **)ips, max);
}

const struct subject subject_glibc = {
	.name = "backtrace",
	.setup = setup_glibc,
	.walk = walk_glibc,
};

/* libsframe: sframe_find_fre() and the calls that take a row apart */

static sframe_decoder_ctx *decoder;

static void setup_libsframe(void)
{
	int err;

	decoder = sframe_decode(program.sframe, program.sframe_size, &err);
	if (!decoder)
		die("libsframe: %s", sframe_errmsg(err));
}

static int find_libsframe(uintptr_t pc, struct lw_rule *rule)
{
	sframe_frame_row_entry row;
	int err = 0, none = 0;
	int32_t fp;

	/* what ld 2.44 writes are distances from the section's start */
	if (sframe_find_fre(decoder, pc - (uintptr_t)program.sframe, &row))
		return -1;
	*rule = (struct lw_rule){ 0 };
	rule->cfa.base = sframe_fre_get_base_reg_id(&row, &err) ==
			 SFRAME_BASE_REG_SP ? LW_BASE_SP : LW_BASE_FP;
	rule->cfa.off = sframe_fre_get_cfa_offset(decoder, &row, &err);
	rule->ra.base = LW_BASE_CFA;
	rule->ra.off = sframe_fre_get_ra_offset(decoder, &row, &err);
	rule->ra.deref = 1;
	fp = sframe_fre_get_fp_offset(decoder, &row, &none);
	if (!none) {
		rule->fp.base = LW_BASE_CFA;
		rule->fp.off = fp;
		rule->fp.deref = 1;
	}
	return err;
}

static noinline unsigned int walk_libsframe(uintptr_t *ips, unsigned int max)
{
	return walk(start_here(), ips, max, find_libsframe);
}

const struct subject subject_libsframe = {
	.name = "sframe_find_fre",
	.setup = setup_libsframe,
	.walk = walk_libsframe,
	.find = find_libsframe,
};

/* libdwfl: its own walk, as perf uses it, over the memory of this process */

static Dwfl *dwfl;

/* One walk: where it starts, what it found. */
static struct {
	struct start here;
	uintptr_t *ips;
	unsigned int max;
	unsigned int nr;
} dwfl_walk;

static pid_t next_thread(Dwfl *dwfl, void *arg, void **thread_arg)
{
	(void)dwfl;
	(void)arg;
	if (*thread_arg)
		return 0;
	*thread_arg = &dwfl_walk;
	return getpid();
}

static bool get_thread(Dwfl *dwfl, pid_t tid, void *arg, void **thread_arg)
{
	(void)dwfl;
	(void)tid;
	(void)arg;
	*thread_arg = &dwfl_walk;
	return true;
}

static bool memory_read(Dwfl *dwfl, Dwarf_Addr addr, Dwarf_Word *word, void *arg)
{
	(void)dwfl;
	(void)arg;
	if (addr % sizeof(*word) || addr < dwfl_walk.here.sp ||
	    addr >= program.stack_end)
		return false;
	*word = *(const Dwarf_Word *)addr;
	return true;
}

static bool set_initial_registers(Dwfl_Thread *thread, void *arg)
{
	const struct start *here = &dwfl_walk.here;
	Dwarf_Word fp_sp[] = { here->fp, here->sp };
	Dwarf_Word ip = here->ip;

	(void)arg;
	return dwfl_thread_state_registers(thread, DWARF_FP, 2, fp_sp) &&
	       dwfl_thread_state_registers(thread, DWARF_RA, 1, &ip);
}

static const Dwfl_Thread_Callbacks thread_callbacks = {
	.next_thread = next_thread,
	.get_thread = get_thread,
	.memory_read = memory_read,
	.set_initial_registers = set_initial_registers,
};

static void setup_libdwfl(void)
{
	static const Dwfl_Callbacks callbacks = {
		.find_elf = dwfl_linux_proc_find_elf,
		.find_debuginfo = dwfl_standard_find_debuginfo,
	};

	if (dwfl)
		return;
	dwfl = dwfl_begin(&callbacks);
	if (!dwfl || dwfl_linux_proc_report(dwfl, getpid()) ||
	    dwfl_report_end(dwfl, NULL, NULL) ||
	    !dwfl_attach_state(dwfl, NULL, getpid(), &thread_callbacks, NULL))
		die("libdwfl: %s", dwfl_errmsg(-1));
}

static int add_frame(Dwfl_Frame *frame, void *arg)
{
	Dwarf_Addr pc;

	(void)arg;
	if (!dwfl_frame_pc(frame, &pc, NULL))
		return DWARF_CB_ABORT;
	dwfl_walk.ips[dwfl_walk.nr++] = pc;
	return dwfl_walk.nr < dwfl_walk.max ? DWARF_CB_OK : DWARF_CB_ABORT;
}

static noinline unsigned int walk_libdwfl(uintptr_t *ips, unsigned int max)
{
	dwfl_walk.here = start_here();
	dwfl_walk.ips = ips;
	dwfl_walk.max = max;
	dwfl_walk.nr = 0;
	dwfl_getthread_frames(dwfl, getpid(), add_frame, NULL);
	return dwfl_walk.nr;
}

const struct subject subject_libdwfl = {
	.name = "libdwfl",
	.setup = setup_libdwfl,
	.walk = walk_libdwfl,
};

/* libdw: the look-up below libdwfl's walk, as a rule of ours */

static int register_of(const Dwarf_Op *op)
{
	if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31)
		return op->atom - DW_OP_breg0;
	return op->atom == DW_OP_bregx ? (int)op->number : -1;
}

static int64_t offset_of(const Dwarf_Op *op)
{
	return op->atom == DW_OP_bregx ? op->number2 : op->number;
}

static int to_cfa(Dwarf_Frame *frame, struct lw_rule_value *cfa)
{
	Dwarf_Op *ops;
	size_t nr;

	if (dwarf_frame_cfa(frame, &ops, &nr) || nr != 1)
		return -1;
	switch (register_of(ops)) {
	case DWARF_SP:
		cfa->base = LW_BASE_SP;
		break;
	case DWARF_FP:
		cfa->base = LW_BASE_FP;
		break;
	default:
		return -1;
	}
	cfa->off = offset_of(ops);
	return 0;
}

static int to_saved(Dwarf_Frame *frame, int reg, struct lw_rule_value *value)
{
	Dwarf_Op mem[3], *ops;
	size_t nr;

	if (dwarf_frame_register(frame, reg, mem, &ops, &nr))
		return -1;
	if (!nr)
		return 0;
	if (nr > 2 || ops[0].atom != DW_OP_call_frame_cfa ||
	    (nr == 2 && ops[1].atom != DW_OP_plus_uconst))
		return -1;
	value->base = LW_BASE_CFA;
	value->off = nr == 2 ? (int64_t)ops[1].number : 0;
	value->deref = 1;
	return 0;
}

static int find_libdw(uintptr_t pc, struct lw_rule *rule)
{
	Dwfl_Module *module = dwfl_addrmodule(dwfl, pc);
	Dwarf_Frame *frame;
	Dwarf_Addr bias;
	Dwarf_CFI *cfi;
	int err;

	cfi = module ? dwfl_module_eh_cfi(module, &bias) : NULL;
	if (!cfi || dwarf_cfi_addrframe(cfi, pc - bias, &frame))
		return -1;
	*rule = (struct lw_rule){ 0 };
	err = to_cfa(frame, &rule->cfa) ||
	      to_saved(frame, DWARF_RA, &rule->ra) ||
	      to_saved(frame, DWARF_FP, &rule->fp);
	free(frame);
	return err;
}

const struct subject subject_libdw = {
	.name = "dwarf_cfi_addrframe",
	.setup = setup_libdwfl,
	.find = find_libdw,
};
