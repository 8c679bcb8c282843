// SPDX-License-Identifier: GPL-2.0
/*
 * kernel_range.c - where the kernel's own code is, as /proc/kallsyms has it.
 *
 * Contexts: one thread.
 */
#include "symbols/kallsyms.h"
#include "symbols/kernel_range.h"

/**
 * lw_kernel_range_take - look at a symbol
 * @range: of zeros at first
 * @line: of /proc/kallsyms
 *
 * Addresses that are hidden are 0 there.
 */
void lw_kernel_range_take(struct lw_kernel_range *range, const struct lw_kallsyms_line *line)
{
	if (line->name[0] != '_' || line->module)
		return;
	if (lw_kallsyms_is(line, "_text"))
		range->text = line->start;
	else if (lw_kallsyms_is(line, "_stext"))
		range->stext = line->start;
	else if (lw_kallsyms_is(line, "_etext"))
		range->etext = line->start;
	else if (lw_kallsyms_is(line, "_einittext"))
		range->einittext = line->start;
}

/**
 * lw_kernel_range_is_known - have a beginning and an end been found
 * @range: taken
 *
 * Return: true if so.
 */
bool lw_kernel_range_is_known(const struct lw_kernel_range *range)
{
	return range->etext && (range->text || range->stext);
}

/**
 * lw_kernel_range_has - is this the kernel's own code
 * @range: taken
 * @ip: address
 *
 * Return: true if so; false too if it is not known where that is.
 */
bool lw_kernel_range_has(const struct lw_kernel_range *range, u64 ip)
{
	u64 start = range->text ? range->text : range->stext;

	return lw_kernel_range_is_known(range) && ip >= start && ip < range->etext;
}
