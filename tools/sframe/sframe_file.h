/* SPDX-License-Identifier: GPL-2.0 */
/*
 * sframe_file.h - the SFrame section of an ELF file, and the code it is for.
 */
#ifndef LW_SFRAME_FILE_H
#define LW_SFRAME_FILE_H

#include "elf/elf_file.h"
#include "sframe/gen.h"
#include "sframe/sframe_reader.h"

struct lw_code_range {
	u64 start, end;
	const char *name;	/* of the section; NULL: from a segment */
};

struct lw_code_name;		/* a symbol */

struct lw_sframe_file {
	struct lw_elf elf;
	const u8 *image;	/* the file, mapped */
	u64 image_size;
	struct lw_sframe_source src;
	struct lw_sframe sf;
	u64 offset;		/* of the section in the file */
	bool has_segment;	/* PT_GNU_SFRAME, by which programs find it */
	u64 segment_addr, segment_size;
	bool loaded;		/* a segment puts the section where it says */
	bool is_table;		/* it is none of the file's own */
	void *owned;		/* bytes of a table that has no file */

	/* executable segments; none on top of another, sorted */
	struct lw_code_range *segments;
	size_t nr_segments, segment_room;

	/* executable sections likewise; the segments if there are no sections */
	struct lw_code_range *code;
	size_t nr_code, code_room;

	/* symbols of code, sorted; lw_sframe_file_load_names() */
	struct lw_code_name *names;
	size_t nr_names, name_room;
};

struct lw_code_place {
	const char *name;	/* symbol; NULL: none is there */
	u64 offset;		/* in the symbol */
	const char *section;	/* NULL: none, or not known */
	u64 end;		/* where this place's name ends to hold */
};

int lw_sframe_file_open(struct lw_sframe_file *file, const char *path);
int lw_sframe_file_open_memory(struct lw_sframe_file *file, void *image, size_t size);
int lw_sframe_file_open_with(struct lw_sframe_file *file, const char *path,
			     const struct lw_gen_table *table);
int lw_sframe_file_open_bytes(struct lw_sframe_file *file, const char *path);
void lw_sframe_file_close(struct lw_sframe_file *file);
int lw_sframe_file_load_names(struct lw_sframe_file *file);
void lw_sframe_file_name(const struct lw_sframe_file *file, u64 addr, struct lw_code_place *place);
bool lw_sframe_file_in_segment(const struct lw_sframe_file *file, u64 start, u64 size);

#endif /* LW_SFRAME_FILE_H */
