// SPDX-License-Identifier: GPL-2.0
/*
 * dwarf_unwind.c - from copies of user stacks to their frames.
 *
 * libdwfl unwinds, by call frame information of the mapped files, which are found as
 * for their names.  It is told of a file when the first address in the file is met.  What it
 * has read is kept for the process, as long as the process runs the same program.
 *
 * Code without call frame information libdwfl takes for code with frame pointers.  On arm64 the
 * vDSO and PLTs have neither: who has called such a function is seen of its instructions.
 *
 * Copies and files may be anybody's: libdwfl bounds the steps of an expression, the room of
 * the caller bounds the frames, and files of strangers are not read for their rules.
 *
 * Contexts: one thread per unwinder.
 */
#include <elfutils/libdwfl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "profile/dwarf_unwind.h"
#include "sframe/gen_aarch64.h"
#include "symbols/symbol_file.h"

#define NR_PROCESSES	256U
#define MAX_REGS	32U
#define ENTRY_SIZE	64U		/* of the code that calls the first function */
#define RBX		3U		/* its number in DWARF */
/* Bits of sample_regs_user on arm64, and what an address has when its signature is off. */
#define X29		(1ULL << 29)
#define LINK		30U		/* the register of return addresses */
#define X30		(1ULL << LINK)
#define X29_NR		29U
#define SP_NR		31U
#define MAX_FOLLOWED	65536U		/* bytes of a function whose instructions are followed */
#define X29_X30_SP_PC	(X29 | X30 | 1ULL << 31 | 1ULL << 32)
#define ADDRESS_BITS	((1ULL << 48) - 1)
#define KERNEL_BIT	(1ULL << 55)	/* and signatures have the bits around it */

/* A machine's registers: bits of sample_regs_user, in the order of their numbers in DWARF. */
struct machine {
	u8 ip, sp;			/* bits */
	u8 nr;
	u8 word;			/* bytes */
	bool names_ip;			/* the last register is the instruction pointer */
	u8 bits[MAX_REGS];
};

static const struct machine x86_64 = {
	.ip = 8, .sp = 7, .nr = 17, .word = 8, .names_ip = true,
	.bits = { 0, 3, 2, 1, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23, 8 },
};

static const struct machine i386 = {
	.ip = 8, .sp = 7, .nr = 9, .word = 4, .names_ip = true,
	.bits = { 0, 2, 3, 1, 7, 6, 4, 5, 8 },
};

static const struct machine aarch64 = {
	.ip = 32, .sp = 31, .nr = 32, .word = 8,
	.bits = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
		  22, 23, 24, 25, 26, 27, 28, 29, 30, 31 },
};

/* Their floating-point registers are numbered by pairs. */
static const struct machine s390x = {
	.ip = 33, .sp = 15, .nr = 32, .word = 8,
	.bits = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 18, 20, 22, 17, 19,
		  21, 23, 24, 26, 28, 30, 25, 27, 29, 31 },
};

struct process {
	Dwfl *dwfl;			/* NULL: the slot is free */
	u32 pid;
	u64 began;
	u64 used;			/* when it was needed last, in stacks */
	bool attached;
};

struct lw_dwarf_unwinder {
	struct lw_symbolizer *symbolizer;
	const struct lw_process_maps *maps;
	const struct machine *machine;	/* that was recorded; NULL: not known */
	struct process processes[NR_PROCESSES];
	u64 stacks;			/* so far */
	/* the stack that is being unwound */
	const struct lw_stack_copy *copy;
	const struct machine *abi;
	struct process *process;
	u64 *ips;
	u32 nr, room;
	u64 pc;				/* that libdwfl begins with */
	Dwarf_Word regs[MAX_REGS];	/* of the last frame */
	Dwfl_Module *module;		/* that the last frame is in, or NULL */
	struct lw_symbol_file *file;	/* likewise */
	u64 bias;			/* of the file */
	bool cut, no_file, stale;
	bool lost_rbx;			/* the last frame has it, and libdwfl does not know it */
	bool again;			/* the last frame is the next one, too */
	bool first;			/* libdwfl begins with the next frame: it is exact */
	bool left_leaf;			/* libdwfl is to begin with the leaf's caller */
};

static const struct machine *find_machine(const char *name)
{
	if (!strcmp(name, "x86_64"))
		return &x86_64;
	if (strlen(name) == 4 && name[0] == 'i' && !strcmp(name + 2, "86"))
		return &i386;
	if (!strcmp(name, "s390x"))
		return &s390x;
	return strcmp(name, "aarch64") ? NULL : &aarch64;
}

/**
 * lw_dwarf_unwinder_new - begin without any files
 * @symbolizer: finds them; is freed later than this
 * @maps: of the processes, likewise
 * @machine: that was recorded, as uname() has it; NULL: this one
 *
 * Return: it or NULL.
 */
struct lw_dwarf_unwinder *lw_dwarf_unwinder_new(struct lw_symbolizer *symbolizer,
						const struct lw_process_maps *maps,
						const char *machine)
{
	struct lw_dwarf_unwinder *unwinder = calloc(1, sizeof(*unwinder));
	struct utsname here;

	if (!unwinder)
		return NULL;
	unwinder->symbolizer = symbolizer;
	unwinder->maps = maps;
	unwinder->machine = find_machine(machine ? machine : uname(&here) ? "" : here.machine);
	return unwinder;
}

static void free_process(struct process *process)
{
	if (process->dwfl)
		dwfl_end(process->dwfl);
	*process = (struct process){ 0 };
}

/**
 * lw_dwarf_unwinder_free - forget all
 * @unwinder: it or NULL
 */
void lw_dwarf_unwinder_free(struct lw_dwarf_unwinder *unwinder)
{
	for (u32 i = 0; unwinder && i < NR_PROCESSES; i++)
		free_process(&unwinder->processes[i]);
	free(unwinder);
}

/* --- what was copied */

static bool has_reg(const struct lw_stack_copy *copy, u32 bit)
{
	return copy->mask & (1ULL << bit);
}

/* One that was not recorded is 0. */
static u64 reg_of(const struct lw_stack_copy *copy, u32 bit)
{
	u64 value, before = copy->mask & ((1ULL << bit) - 1);

	if (!has_reg(copy, bit))
		return 0;
	memcpy(&value, (const u8 *)copy->regs + __builtin_popcountll(before) * sizeof(value),
	       sizeof(value));
	return value;
}

/* Return: NULL: the copy has none that is known. */
static const struct machine *abi_of(const struct lw_dwarf_unwinder *unwinder,
				    const struct lw_stack_copy *copy)
{
	const struct machine *abi = unwinder->machine;

	if (!abi || !copy->regs)
		return NULL;
	if (copy->abi == PERF_SAMPLE_REGS_ABI_32)
		abi = abi == &x86_64 || abi == &i386 ? &i386 : NULL;
	else if (copy->abi != PERF_SAMPLE_REGS_ABI_64)
		abi = NULL;
	return abi && has_reg(copy, abi->ip) && has_reg(copy, abi->sp) ? abi : NULL;
}

/* --- what libdwfl asks for */

static pid_t next_thread(Dwfl *dwfl, void *ctx, void **thread)
{
	(void)dwfl;
	(void)ctx;
	(void)thread;
	return 0;
}

static bool get_thread(Dwfl *dwfl, pid_t tid, void *ctx, void **thread)
{
	(void)dwfl;
	(void)tid;
	*thread = ctx;
	return true;
}

static u64 load_word(const struct lw_stack_copy *copy, u64 at, u32 size)
{
	const u8 *bytes = (const u8 *)copy->stack + at;
	u32 half;
	u64 word;

	if (size == sizeof(half)) {
		memcpy(&half, bytes, sizeof(half));
		return copy->other_order ? __builtin_bswap32(half) : half;
	}
	memcpy(&word, bytes, sizeof(word));
	return copy->other_order ? __builtin_bswap64(word) : word;
}

/*
 * On arm64 return addresses may be signed, in the bits above the address, and nothing in a
 * recording tells which bits these are.  What is an address of mapped code without them is one.
 */
static u64 without_signature(const struct lw_dwarf_unwinder *unwinder, u64 value)
{
	const struct lw_stack_copy *copy = unwinder->copy;
	u64 addr = value & ADDRESS_BITS;

	return unwinder->abi == &aarch64 && value != addr && !(value & KERNEL_BIT) &&
	       lw_process_maps_find(unwinder->maps, copy->pid, copy->time, addr) ? addr : value;
}

static bool read_memory(Dwfl *dwfl, Dwarf_Addr addr, Dwarf_Word *result, void *ctx)
{
	struct lw_dwarf_unwinder *unwinder = ctx;
	const struct lw_stack_copy *copy = unwinder->copy;
	u64 at = addr - reg_of(copy, unwinder->abi->sp), word = unwinder->abi->word;

	(void)dwfl;
	if (word <= copy->size && at <= copy->size - word) {
		*result = without_signature(unwinder, load_word(copy, at, word));
		return true;
	}
	unwinder->cut = true;
	return false;
}

static bool set_registers(Dwfl_Thread *thread, void *ctx)
{
	const struct lw_dwarf_unwinder *unwinder = ctx;
	const struct machine *abi = unwinder->abi;

	if (!abi->names_ip)
		dwfl_thread_state_register_pc(thread, unwinder->pc);
	return dwfl_thread_state_registers(thread, 0, abi->nr, unwinder->regs);
}

static const Dwfl_Thread_Callbacks callbacks = {
	.next_thread = next_thread,
	.get_thread = get_thread,
	.memory_read = read_memory,
	.set_initial_registers = set_registers,
};

/* --- files */

static struct lw_symbol_file *find_file(struct lw_dwarf_unwinder *unwinder, u64 ip, u64 *bias)
{
	const struct lw_stack_copy *copy = unwinder->copy;
	const struct lw_map *map = lw_process_maps_find(unwinder->maps, copy->pid, copy->time, ip);
	struct lw_symbol_file *file;
	u64 addr;

	if (lw_map_is_made(map))
		return NULL;
	file = lw_symbolizer_file(unwinder->symbolizer, copy->pid, map);
	if (!file || lw_elf_offset_to_addr(&file->file, ip - map->start + map->pgoff, &addr))
		return NULL;
	*bias = ip - addr;
	return file;
}

/* Another file is at the address than libdwfl was told of, or the same one elsewhere. */
static bool is_other(Dwfl_Module *module, const struct lw_symbol_file *file, u64 bias)
{
	GElf_Addr loaded = bias;
	void **userdata = NULL;

	dwfl_module_info(module, &userdata, NULL, NULL, NULL, NULL, NULL, NULL);
	dwfl_module_getelf(module, &loaded);
	return !userdata || *userdata != file || loaded != bias;
}

/* Return: the module that an address is in, or NULL. */
static Dwfl_Module *get_module(struct lw_dwarf_unwinder *unwinder, u64 ip)
{
	Dwfl_Module *module = dwfl_addrmodule(unwinder->process->dwfl, ip);
	u64 bias = 0;
	struct lw_symbol_file *file = find_file(unwinder, ip, &bias);

	unwinder->file = file;
	unwinder->bias = bias;
	unwinder->no_file = !file;
	if (module && is_other(module, file, bias)) {
		unwinder->stale = true;
		return NULL;
	}
	if (module || !file)
		return module;
	if (!lw_symbol_file_is_trusted(file)) {
		unwinder->no_file = true;
		return NULL;
	}
	dwfl_report_begin_add(unwinder->process->dwfl);
	return lw_symbol_file_report(file, unwinder->process->dwfl, bias);
}

/*
 * libdwfl forgets rbx above a function that does not save it: where it says so for the ABI, it
 * has the number of rax (backends/x86_64_cfi.c, seen in 0.188).  A function has its caller's,
 * unless it saves it where the copy does not reach (@missed).
 */
static void take_registers(struct lw_dwarf_unwinder *unwinder, Dwfl_Frame *frame, u64 ip,
			   bool missed)
{
	Dwarf_Word *regs = unwinder->regs, rbx = missed ? 0 : regs[RBX];

	unwinder->lost_rbx = dwfl_frame_reg(frame, RBX, &regs[RBX]) && !missed;
	for (u32 i = 0; i < unwinder->abi->nr; i++) {
		if (i != RBX && dwfl_frame_reg(frame, i, &regs[i]))
			regs[i] = 0;
	}
	if (unwinder->lost_rbx || missed)
		regs[RBX] = rbx;
	regs[unwinder->abi->nr - 1] = ip;
}

/* --- functions of arm64 without call frame information */

static bool is_described_by(Dwarf_CFI *cfi, u64 addr)
{
	Dwarf_Frame *frame;

	if (!cfi || dwarf_cfi_addrframe(cfi, addr, &frame))
		return false;
	free(frame);
	return true;
}

static bool is_described(Dwfl_Module *module, u64 ip)
{
	GElf_Addr bias = 0;
	Dwarf_CFI *cfi = dwfl_module_eh_cfi(module, &bias);

	if (is_described_by(cfi, ip - bias))
		return true;
	cfi = dwfl_module_dwarf_cfi(module, &bias);
	return is_described_by(cfi, ip - bias);
}

/* What a function's instructions have done before one of them.  Return: whether it is known. */
static bool follow_function(const struct lw_symbol_file *file, u64 addr,
			    struct gen_aarch64_frame *frame)
{
	const struct lw_code_name *name = lw_code_names_find(&file->names, addr);
	struct gen_aarch64_frame *frames;
	const Elf_Data *code;
	u64 offset;

	if (!name || addr - name->start >= name->size || name->size > MAX_FOLLOWED ||
	    (name->start | name->size) % GEN_AARCH64_INSN ||
	    lw_elf_addr_to_offset(&file->file, name->start, &offset))
		return false;
	code = elf_getdata_rawchunk(file->file.elf, offset, name->size, ELF_T_BYTE);
	if (!code || gen_aarch64_follow(code->d_buf, name->size, &frames))
		return false;
	*frame = frames[(addr - name->start) / GEN_AARCH64_INSN];
	free(frames);
	return frame->is_seen && !frame->is_lost && frame->sp_known;
}

/* From the registers of the leaf to those of its caller.  Return: false: they are not known. */
static bool leave_leaf(struct lw_dwarf_unwinder *unwinder, u64 ip)
{
	Dwarf_Word *regs = unwinder->regs, fp = regs[X29_NR], ra = regs[LINK];
	struct gen_aarch64_frame frame;
	u64 cfa;

	if (!follow_function(unwinder->file, ip - unwinder->bias, &frame))
		return false;
	cfa = regs[SP_NR] + frame.depth;
	if ((frame.ra && !read_memory(NULL, cfa + frame.ra, &ra, unwinder)) ||
	    (frame.fp && !read_memory(NULL, cfa + frame.fp, &fp, unwinder)) || !ra)
		return false;
	regs[X29_NR] = fp;
	regs[LINK] = ra;
	regs[SP_NR] = cfa;
	unwinder->pc = ra - 1;
	return true;
}

/*
 * Whether the address of a frame is exact is known only by its rules, so its file goes first.
 * Without a file libdwfl would follow what may be no frame pointer.
 */
static int take_frame(Dwfl_Frame *frame, void *ctx)
{
	struct lw_dwarf_unwinder *unwinder = ctx;
	bool exact, missed = unwinder->cut;
	Dwarf_Addr pc = 0;

	if (!dwfl_frame_pc(frame, &pc, NULL) || !pc)
		return DWARF_CB_ABORT;
	unwinder->cut = false;
	if (unwinder->again) {
		unwinder->again = false;
		return DWARF_CB_OK;
	}
	exact = unwinder->first;
	unwinder->first = false;
	unwinder->module = get_module(unwinder, pc - !exact);
	if (unwinder->stale)
		return DWARF_CB_ABORT;
	if (unwinder->module)
		dwfl_frame_pc(frame, &pc, &exact);
	pc -= !exact;
	unwinder->ips[unwinder->nr++] = pc;
	if (unwinder->abi == &x86_64)
		take_registers(unwinder, frame, pc, missed);
	unwinder->left_leaf = unwinder->abi == &aarch64 && unwinder->nr == 1 && unwinder->module &&
			      unwinder->nr < unwinder->room &&
			      !is_described(unwinder->module, pc) && leave_leaf(unwinder, pc);
	if (unwinder->left_leaf)
		return DWARF_CB_ABORT;
	return !unwinder->module || unwinder->nr == unwinder->room ? DWARF_CB_ABORT : DWARF_CB_OK;
}

/* The one that has the number, or else the one that was not needed for the longest. */
static struct process *find_process(struct lw_dwarf_unwinder *unwinder, u32 pid)
{
	struct process *oldest = unwinder->processes;

	for (u32 i = 0; i < NR_PROCESSES; i++) {
		struct process *process = &unwinder->processes[i];

		if (process->dwfl && process->pid == pid)
			return process;
		if (process->used < oldest->used)
			oldest = process;
	}
	return oldest;
}

static struct process *get_process(struct lw_dwarf_unwinder *unwinder)
{
	const struct lw_stack_copy *copy = unwinder->copy;
	struct process *process = find_process(unwinder, copy->pid);
	u64 began = lw_process_maps_began(unwinder->maps, copy->pid, copy->time);

	if (process->pid != copy->pid || process->began != began)
		free_process(process);
	if (!process->dwfl)
		process->dwfl = lw_symbol_files_begin();
	process->pid = copy->pid;
	process->began = began;
	process->used = ++unwinder->stacks;
	return process->dwfl ? process : NULL;
}

/* libdwfl takes the machine from a file. */
static bool attach(struct lw_dwarf_unwinder *unwinder, u64 ip)
{
	struct process *process = unwinder->process;
	Dwfl_Module *module = get_module(unwinder, ip);
	GElf_Addr bias;

	if (!process->attached && module)
		process->attached = dwfl_attach_state(process->dwfl,
						      dwfl_module_getelf(module, &bias),
						      unwinder->copy->pid, &callbacks, unwinder);
	return process->attached;
}

/* What a file begins with was not called by anything, and some files do not say so. */
static bool is_entry(const struct lw_dwarf_unwinder *unwinder)
{
	GElf_Addr bias;
	Elf *elf = unwinder->module ? dwfl_module_getelf(unwinder->module, &bias) : NULL;
	GElf_Ehdr ehdr;

	if (!elf || !unwinder->nr || !gelf_getehdr(elf, &ehdr))
		return false;
	return unwinder->ips[unwinder->nr - 1] - (ehdr.e_entry + bias) < ENTRY_SIZE;
}

static enum lw_unwind_end end_of(const struct lw_dwarf_unwinder *unwinder, int ret)
{
	if (unwinder->no_file)
		return LW_UNWIND_NO_FILE;
	if (ret == DWARF_CB_ABORT || is_entry(unwinder))
		return LW_UNWIND_WHOLE;
	/* to libdwfl a return address that can't be read is none */
	if (unwinder->cut)
		return LW_UNWIND_CUT;
	return ret ? LW_UNWIND_NO_RULE : LW_UNWIND_WHOLE;
}

static int get_frames(struct lw_dwarf_unwinder *unwinder)
{
	Dwfl *dwfl = unwinder->process->dwfl;
	int ret;

	do {
		unwinder->again = unwinder->lost_rbx;
		unwinder->lost_rbx = false;
		unwinder->first = !unwinder->again;
		unwinder->left_leaf = false;
		ret = dwfl_getthread_frames(dwfl, unwinder->copy->pid, take_frame, unwinder);
	} while (unwinder->left_leaf || (ret != DWARF_CB_ABORT && unwinder->lost_rbx));
	return ret;
}

static enum lw_unwind_end unwind_once(struct lw_dwarf_unwinder *unwinder, u64 ip)
{
	int ret = -1;

	for (u32 i = 0; i < unwinder->abi->nr; i++)
		unwinder->regs[i] = reg_of(unwinder->copy, unwinder->abi->bits[i]);
	if (unwinder->abi == &aarch64)
		unwinder->regs[LINK] = without_signature(unwinder, unwinder->regs[LINK]);
	unwinder->pc = ip;
	unwinder->nr = 0;
	unwinder->lost_rbx = false;
	unwinder->again = false;
	unwinder->module = NULL;
	unwinder->cut = false;
	unwinder->stale = false;
	unwinder->no_file = false;
	unwinder->process = get_process(unwinder);
	if (unwinder->process && attach(unwinder, ip) && !unwinder->stale)
		ret = get_frames(unwinder);
	return end_of(unwinder, ret);
}

/**
 * lw_dwarf_unwind - the frames of a stack that was copied
 * @unwinder: it
 * @copy: of a task; samples come in the order of time
 * @ips: out: addresses from the leaf on; of a caller that of its call, one less than where the
 *	call returns to, as perf has it
 * @room: of @ips, at least 1
 * @end: out: why there are no more
 *
 * Return: how many; 0: not even the first is known, as there are no registers.
 */
u32 lw_dwarf_unwind(struct lw_dwarf_unwinder *unwinder, const struct lw_stack_copy *copy,
		    u64 *ips, u32 room, enum lw_unwind_end *end)
{
	u64 ip;

	*end = LW_UNWIND_NO_REGS;
	unwinder->copy = copy;
	unwinder->abi = abi_of(unwinder, copy);
	if (!unwinder->abi)
		return 0;
	unwinder->ips = ips;
	unwinder->room = room;
	ip = reg_of(copy, unwinder->abi->ip);
	*end = unwind_once(unwinder, ip);
	if (unwinder->stale) {
		/* what is mapped there has changed */
		free_process(unwinder->process);
		*end = unwind_once(unwinder, ip);
	}
	if (!unwinder->nr)
		ips[unwinder->nr++] = ip;
	return unwinder->nr;
}

/**
 * lw_dwarf_unwind_leaf - who has called a function that has its return address in a register
 * @unwinder: it
 * @copy: of a task, without a stack; samples come in the order of time
 * @ip: where the task was
 *
 * On arm64 "perf record -g" has the kernel follow frame pointers, and record x30: by the frame
 * pointers a function without a frame has no caller, and by x30 another one may have a wrong one.
 *
 * A return address may be signed there: the bits of an address are taken, and it has to be
 * mapped.  Without call frame information libdwfl would take x30 where it finds no frame: it
 * finds one above the stack pointer's largest value, and gives up.
 *
 * Return: the address of the call, one less than where it returns to; 0: that is not in x30
 * there, or x30 is not what was recorded.
 */
u64 lw_dwarf_unwind_leaf(struct lw_dwarf_unwinder *unwinder, const struct lw_stack_copy *copy,
			 u64 ip)
{
	/* By the rules of a function whose return address is on the stack nothing can be read. */
	u64 regs[] = { 16, 0, ~0ULL, ip }, ips[2];
	struct lw_stack_copy leaf = *copy;
	enum lw_unwind_end end;

	if (unwinder->machine != &aarch64 || copy->mask != X30 || copy->size)
		return 0;
	regs[1] = reg_of(copy, __builtin_ctzll(X30)) & ADDRESS_BITS;
	leaf.mask = X29_X30_SP_PC;
	leaf.regs = regs;
	if (!lw_process_maps_find(unwinder->maps, copy->pid, copy->time, regs[1]))
		return 0;
	return lw_dwarf_unwind(unwinder, &leaf, ips, 2, &end) == 2 ? ips[1] : 0;
}
