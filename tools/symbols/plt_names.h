/* SPDX-License-Identifier: GPL-2.0 */
/*
 * plt_names.h - names of what a file calls other files' functions through.
 */
#ifndef LW_PLT_NAMES_H
#define LW_PLT_NAMES_H

#include "elf/elf_file.h"
#include "symbols/code_names.h"

int lw_plt_names_add(struct lw_code_names *table, const struct lw_elf *file);

#endif /* LW_PLT_NAMES_H */
