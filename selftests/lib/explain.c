// SPDX-License-Identifier: GPL-2.0
/*
 * explain.c - why a stack can't be right, the module's or gdb's: by facts of the file
 * that the code is from, and a list of classes, each with its reason.
 *
 * The facts are elfutils' own: neither our converter nor the module is asked.
 */
#define _GNU_SOURCE
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "explain.h"
#include "step_machine.h"

static const char *const whose_names[EXPLAIN_NR_WHOSE] = {
	[EXPLAIN_MODULE] = "module",
	[EXPLAIN_GDB] = "gdb",
};

static const char *const condition_names[EXPLAIN_NR_CONDITIONS] = {
	[EXPLAIN_NO_CFI] = "no-cfi",
	[EXPLAIN_NOT_ANALYSED] = "not-analysed",
	[EXPLAIN_FP_BY_ITSELF] = "fp-by-itself",
	[EXPLAIN_RA_IN_REGISTER] = "ra-in-register",
	[EXPLAIN_PEER_WRONG] = "peer-wrong",
};

/* The next field of a line, without the blanks around it. */
static bool get_field(char **line, char *to, size_t room)
{
	char *field = strsep(line, "|\n");
	size_t len;

	if (!field)
		return false;
	field += strspn(field, " \t");
	len = strlen(field);
	while (len && strchr(" \t", field[len - 1]))
		len--;
	if (len >= room)
		return false;
	memcpy(to, field, len);
	to[len] = 0;
	return true;
}

/* Return: the index of a name, @nr if there is none. */
static unsigned int find_name(const char *const *names, unsigned int nr, const char *name)
{
	unsigned int i;

	for (i = 0; i < nr && strcmp(names[i], name); i++)
		;
	return i;
}

static bool parse_class(char *line, struct explain_class *class)
{
	char whose[32], condition[32];

	memset(class, 0, sizeof(*class));
	if (!get_field(&line, class->name, sizeof(class->name)) ||
	    !get_field(&line, whose, sizeof(whose)) ||
	    !get_field(&line, class->file, sizeof(class->file)) ||
	    !get_field(&line, class->function, sizeof(class->function)) ||
	    !get_field(&line, condition, sizeof(condition)) ||
	    !get_field(&line, class->reason, sizeof(class->reason)) ||
	    !class->reason[0])
		return false;
	class->whose = find_name(whose_names, EXPLAIN_NR_WHOSE, whose);
	class->condition = find_name(condition_names, EXPLAIN_NR_CONDITIONS, condition);
	return class->whose < EXPLAIN_NR_WHOSE && class->condition < EXPLAIN_NR_CONDITIONS;
}

static int read_classes(struct explain *e, FILE *file)
{
	char line[400];

	while (fgets(line, sizeof(line), file)) {
		if (line[0] == '#' || line[0] == '\n')
			continue;
		if (e->nr == EXPLAIN_CLASSES || !parse_class(line, &e->classes[e->nr]))
			return -EINVAL;
		e->nr++;
	}
	return 0;
}

/**
 * explain_open - read the classes
 * @e: filled
 * @path: of the list
 *
 * Return: 0 or -errno.
 */
int explain_open(struct explain *e, const char *path)
{
	static const Dwfl_Callbacks callbacks = {
		.find_elf = dwfl_linux_proc_find_elf,
		.find_debuginfo = dwfl_standard_find_debuginfo,
	};
	FILE *file = fopen(path, "r");
	int err;

	memset(e, 0, sizeof(*e));
	if (!file)
		return -errno;
	err = read_classes(e, file);
	fclose(file);
	e->dwfl = dwfl_begin(&callbacks);
	e->stale = true;
	return err ?: e->dwfl ? 0 : -ENOMEM;
}

/**
 * explain_close - free all
 * @e: as it is after explain_open(), failed or not
 */
void explain_close(struct explain *e)
{
	if (e->dwfl)
		dwfl_end(e->dwfl);
	memset(e, 0, sizeof(*e));
}

static void look_at_process(struct explain *e, pid_t pid)
{
	if (!e->stale && e->pid == pid)
		return;
	dwfl_report_begin(e->dwfl);
	dwfl_linux_proc_report(e->dwfl, pid);
	dwfl_report_end(e->dwfl, NULL, NULL);
	e->pid = pid;
	e->stale = false;
}

static bool is_based_on(const Dwarf_Op *ops, size_t nr, unsigned int reg)
{
	size_t i;

	for (i = 0; i < nr; i++)
		if (ops[i].atom == DW_OP_breg0 + reg ||
		    (ops[i].atom == DW_OP_bregx && ops[i].number == reg))
			return true;
	return false;
}

static void look_at_cfi(Dwfl_Module *mod, __u64 pc, struct explain_place *place)
{
	Dwarf_Addr bias = 0;
	Dwarf_CFI *cfi = dwfl_module_eh_cfi(mod, &bias);
	Dwarf_Frame *frame = NULL;
	Dwarf_Op mem[3], *ops = NULL;
	size_t nr = 0;
	bool by_fp;

	if (!cfi || dwarf_cfi_addrframe(cfi, pc - bias, &frame))
		return;
	place->has_cfi = true;
	by_fp = !dwarf_frame_cfa(frame, &ops, &nr) && is_based_on(ops, nr, STEP_REG_FP);
	if (!dwarf_frame_register(frame, STEP_REG_FP, mem, &ops, &nr))
		place->fp_by_itself = !by_fp && is_based_on(ops, nr, STEP_REG_FP);
	if (!dwarf_frame_register(frame, STEP_REG_RA, mem, &ops, &nr) && nr == 1)
		place->ra_in_register = ops[0].atom == DW_OP_regx ||
			(ops[0].atom >= DW_OP_reg0 && ops[0].atom <= DW_OP_reg31);
	free(frame);
}

/**
 * explain_place - what is known of an address
 * @e: open; set @e->stale before if other files are mapped
 * @pid: of the stopped process
 * @ip: the address, as it is in a stack
 * @is_caller: it is a return address
 * @place: out
 */
void explain_place(struct explain *e, pid_t pid, __u64 ip, bool is_caller,
		   struct explain_place *place)
{
	__u64 pc = ip - is_caller;
	const char *file, *name, *function;
	Dwfl_Module *mod;

	memset(place, 0, sizeof(*place));
	look_at_process(e, pid);
	mod = dwfl_addrmodule(e->dwfl, pc);
	if (!mod)
		return;
	file = dwfl_module_info(mod, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
	name = file ? strrchr(file, '/') : NULL;
	snprintf(place->file, sizeof(place->file), "%s", name ? name + 1 : file ?: "");
	function = dwfl_module_addrname(mod, pc);
	snprintf(place->function, sizeof(place->function), "%s", function ?: "");
	look_at_cfi(mod, pc, place);
}

static bool holds(enum explain_condition condition, const struct explain_stack *stack)
{
	const struct explain_place *place = &stack->place;

	switch (condition) {
	case EXPLAIN_NO_CFI:
		return !place->has_cfi;
	case EXPLAIN_NOT_ANALYSED:
		return !place->has_cfi && STEP_ABI != LW_SFRAME_ABI_AMD64;
	case EXPLAIN_FP_BY_ITSELF:
		return stack->top.fp_by_itself;
	case EXPLAIN_RA_IN_REGISTER:
		return place->ra_in_register;
	case EXPLAIN_PEER_WRONG:
		return stack->peer_wrong;
	default:
		return false;
	}
}

/**
 * explain_find - the class of a wrong stack
 * @e: open
 * @stack: what is known of it
 *
 * Return: it, or NULL.
 */
struct explain_class *explain_find(struct explain *e, const struct explain_stack *stack)
{
	unsigned int i;

	for (i = 0; i < e->nr; i++) {
		struct explain_class *class = &e->classes[i];

		if (class->whose == stack->whose &&
		    !fnmatch(class->file, stack->place.file, 0) &&
		    !fnmatch(class->function, stack->place.function, 0) &&
		    holds(class->condition, stack))
			return class;
	}
	return NULL;
}
