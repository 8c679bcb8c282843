/* SPDX-License-Identifier: GPL-2.0 */
/*
 * table.h - makes SFrame tables for LW_IOC_ADD_TABLE: function by function, of version 2, or
 * from the section of a library, of version 2 or 3.
 *
 * Functions return 0 or -errno, if they say nothing else.
 */
#ifndef TABLE_H
#define TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <latewind.h>

#define TABLE_MAX_FUNCS	64
#define TABLE_MAX_ROWS	1024	/* bytes */
#define TABLE_MAX	65536

#define TABLE_SP	1
#define TABLE_FP	0

/**
 * struct table_func - as it is in the table
 * @start: first byte, from the segment's
 * @size: bytes
 * @rows: where its rows begin
 * @nr_rows: how many
 * @info: width of their starts
 * @rep: 0
 * @padding: 0
 */
struct table_func {
	int32_t start;
	uint32_t size;
	uint32_t rows;
	uint32_t nr_rows;
	uint8_t info;
	uint8_t rep;
	uint16_t padding;
} __attribute__((packed));

/**
 * struct table - one that is being made
 * @funcs: begun so far, in order of @start
 * @nr: how many
 * @nr_rows: of all
 * @rows: of all
 * @rows_len: bytes
 * @size: bytes in @bytes; 0 until table_finish()
 * @bytes: the table
 */
struct table {
	struct table_func funcs[TABLE_MAX_FUNCS];
	uint32_t nr;
	uint32_t nr_rows;
	uint8_t rows[TABLE_MAX_ROWS];
	uint32_t rows_len;
	size_t size;
	uint8_t bytes[TABLE_MAX];
};

void table_init(struct table *t);
void table_func(struct table *t, int32_t start, uint32_t size);
void table_row(struct table *t, uint32_t start, uint8_t base, int32_t cfa, int32_t fp);
void table_row_ra(struct table *t, uint32_t start, uint8_t base, int32_t cfa, int32_t ra);
void table_outermost(struct table *t);
void table_finish(struct table *t);
void table_mark_analysed(struct table *t);
int table_from_section(struct table *t, const void *section, size_t size, int64_t distance);

int table_arg(struct lw_table *arg, const struct table *t, int fd, uint64_t text_offset,
	      uint64_t text_size);
int table_add(int session, const struct table *t, int fd, uint64_t text_offset,
	      uint64_t text_size);

#endif /* TABLE_H */
