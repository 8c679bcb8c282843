/* SPDX-License-Identifier: GPL-2.0 */
/*
 * symbolizer.h - from the addresses of a recording to names: now, later or elsewhere.
 */
#ifndef LW_SYMBOLIZER_H
#define LW_SYMBOLIZER_H

#include "symbols/process_maps.h"

struct lw_saved_names;

/* Calls inlined into each other at one address, and the function around them. */
#define LW_MAX_PLACES	33

struct lw_symbolize_options {
	bool here;		/* this machine still runs what was recorded */
	bool live;		/* it is being recorded: processes are those of now */
	bool no_demangle;
	bool inlined;		/* tell of inlined calls and source lines */
	const char *symfs;	/* below it the files are that were recorded, or NULL: here */
	struct lw_saved_names *save;	/* get what user code is called, or NULL */
	/* tells the path of a file that the caller has open, by build ID, or false; or NULL */
	bool (*kept)(void *ctx, const u8 *build_id, u32 build_id_len, char *path, size_t size);
	void *kept_ctx;
};

/* The kernel that was recorded. */
struct lw_recorded_kernel {
	const char *release;	/* NULL: not known */
	const u8 *build_id;
	u32 build_id_len;	/* 0: not known */
	const char *symbol;	/* one whose address was noted, or NULL */
	u64 address;		/* of it */
	const char *names;	/* saved with the recording, lines of kallsyms, or NULL */
	size_t names_size;
};

struct lw_place {
	const char *function;	/* NULL: not known */
	u64 offset;		/* of the address in it */
	u64 address;		/* in the file, as its symbols are; 0: not known */
	const char *dso;	/* never NULL */
	const char *file;	/* source; NULL: not known */
	u32 line;		/* 0: not known */
	bool inlined;		/* into the place that follows */
	bool unnamed;		/* no symbol is there: @function is FILE+0xSTART */
};

/**
 * lw_place_symbol - the symbol of a place
 * @place: it
 *
 * Return: the name of its function, or NULL if the file has none for it.
 */
static inline const char *lw_place_symbol(const struct lw_place *place)
{
	return place->unnamed ? NULL : place->function;
}

struct lw_symbolizer;

struct lw_symbolizer *lw_symbolizer_new(const struct lw_symbolize_options *options);
void lw_symbolizer_free(struct lw_symbolizer *symbolizer);
void lw_symbolizer_set_kernel(struct lw_symbolizer *symbolizer,
			      const struct lw_recorded_kernel *kernel);
int lw_symbolizer_take_saved(struct lw_symbolizer *symbolizer, const char *text, size_t size);
void lw_symbolizer_set_running_kernel(struct lw_symbolizer *symbolizer);
int lw_symbolizer_ksymbol(struct lw_symbolizer *symbolizer,
			  const struct perf_event_header *record, size_t size, u64 time);
u32 lw_symbolize_user(struct lw_symbolizer *symbolizer, const struct lw_user_address *address,
		      struct lw_place *places, u32 room);
struct lw_symbol_file *lw_symbolizer_file(struct lw_symbolizer *symbolizer, u32 pid,
					  const struct lw_map *map);
void lw_symbolize_kernel(struct lw_symbolizer *symbolizer, u64 time, u64 ip,
			 struct lw_place *place);
bool lw_symbolize_caller(struct lw_symbolizer *symbolizer, u64 time, u64 ip,
			 struct lw_place *place);
void lw_symbolizer_trim(struct lw_symbolizer *symbolizer, u64 time);
const char *lw_symbolizer_problem(const struct lw_symbolizer *symbolizer, u32 index);

#endif /* LW_SYMBOLIZER_H */
