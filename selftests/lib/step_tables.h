/* SPDX-License-Identifier: GPL-2.0 */
/*
 * step_tables.h - unwind tables for all that a tracee has mapped.
 */
#ifndef LW_SELFTESTS_STEP_TABLES_H
#define LW_SELFTESTS_STEP_TABLES_H

#include <linux/types.h>

#include "../../tools/sframe/sframe_reader.h"
#include "tracee.h"

#define STEP_FILES	512
#define STEP_TABLES	1024

/**
 * struct step_table - a table, as the module has it
 * @inode: of its file, 0 for the vDSO
 * @offset: of its text in the file
 * @size: bytes of that
 * @source: of @sframe
 * @sframe: with the text at address STEP_TEXT
 */
struct step_table {
	__u64 inode;
	__u64 offset;
	__u64 size;
	struct lw_sframe_source source;
	struct lw_sframe sframe;
};

#define STEP_TEXT	0x100000ULL

/**
 * struct step_tables - files whose tables were handed over; zeroed at first
 * @inode: of each, 0 for the vDSO
 * @nr: of them
 * @given: tables
 * @table: them
 * @entry: where the program begins, see struct lw_sframe_place
 * @refused: files that could have none
 */
struct step_tables {
	__u64 inode[STEP_FILES];
	unsigned int nr;
	unsigned int given;
	struct step_table table[STEP_TABLES];
	__u64 entry;
	unsigned int refused;
};

bool step_tables_find(const struct step_tables *tables, const struct tracee *t, __u64 pc,
		      struct lw_rule *rule);
int step_tables_add(struct step_tables *tables, const struct tracee *t, int session);

#endif /* LW_SELFTESTS_STEP_TABLES_H */
