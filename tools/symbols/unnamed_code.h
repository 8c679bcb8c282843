/* SPDX-License-Identifier: GPL-2.0 */
/*
 * unnamed_code.h - what code without a symbol is called: its file, and where its function
 * begins.
 */
#ifndef LW_UNNAMED_CODE_H
#define LW_UNNAMED_CODE_H

#include "elf/elf_file.h"

struct lw_unnamed_code;

struct lw_unnamed_code *lw_unnamed_code_new(const struct lw_elf *file, const char *path);
const char *lw_unnamed_code_find(struct lw_unnamed_code *code, u64 addr, u64 *start);
void lw_unnamed_code_free(struct lw_unnamed_code *code);

#endif /* LW_UNNAMED_CODE_H */
