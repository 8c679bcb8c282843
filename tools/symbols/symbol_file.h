/* SPDX-License-Identifier: GPL-2.0 */
/*
 * symbol_file.h - names, lines and inlined calls of one ELF file.
 */
#ifndef LW_SYMBOL_FILE_H
#define LW_SYMBOL_FILE_H

#include "elf/elf_file.h"
#include "symbols/code_names.h"

struct lw_symbol_file {
	struct lw_elf file;		/* closed when it is not usable */
	struct lw_code_names names;
	char *path;
	struct Dwfl *dwfl;		/* NULL, as the next two: no lines were asked for */
	struct Dwfl_Module *module;
	struct lw_inlined_calls *inlined;
	bool lines_tried;
};

/* A line of source, or of a call that was inlined at it. */
struct lw_source_line {
	const char *function;		/* of a call that was inlined; NULL: not inlined */
	const char *file;		/* NULL: not known */
	u32 line;			/* 0: not known */
};

extern char *lw_symbol_files_debug_path;

bool lw_build_id_path(char *path, size_t size, const char *root, const u8 *id, u32 id_len,
		      const char *suffix);
bool lw_perf_cache_path(char *path, size_t size, const u8 *id, u32 id_len, const char *name);
void lw_symbol_files_debug_below(const char *root);
int lw_symbol_file_open(struct lw_symbol_file *file, const char *path, const u8 *id, u32 id_len);
int lw_symbol_file_open_vdso(struct lw_symbol_file *file);
void lw_symbol_file_load(struct lw_symbol_file *file, const char *path);
u32 lw_symbol_file_lines(struct lw_symbol_file *file, u64 addr, struct lw_source_line *lines,
			 u32 room);
bool lw_symbol_file_is_trusted(const struct lw_symbol_file *file);
struct Dwfl *lw_symbol_files_begin(void);
struct Dwfl_Module *lw_symbol_file_report(struct lw_symbol_file *file, struct Dwfl *dwfl,
					  u64 bias);
void lw_symbol_file_close(struct lw_symbol_file *file);

#endif /* LW_SYMBOL_FILE_H */
