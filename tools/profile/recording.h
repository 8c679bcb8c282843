/* SPDX-License-Identifier: GPL-2.0 */
/*
 * recording.h - the samples of a perf.data file, with names.
 */
#ifndef LW_RECORDING_H
#define LW_RECORDING_H

#include "base/strbuf.h"
#include "perf/perf_reader.h"
#include "profile/profile.h"
#include "symbols/symbolizer.h"

struct lw_recording_options {
	const char *path;		/* "-": the standard input */
	bool no_demangle;
	bool inlined;			/* tell of inlined calls and source lines */
	bool force;			/* trust whoever the file is of */
	const char *symfs;		/* below it its files are; NULL: where they were */
	u32 max_stack;			/* frames of a sample; 0: all */
	struct lw_saved_names *save;	/* get the names of user code, and nothing else is named */
	/* see struct lw_symbolize_options */
	bool (*kept)(void *ctx, const u8 *build_id, u32 build_id_len, char *path, size_t size);
	void *kept_ctx;
	/* called now and then with what is done of all records; NULL: not wanted */
	void (*progress)(u64 done, u64 all);
};

/* One address of a stack. */
struct lw_frame {
	u64 ip;				/* as recorded */
	bool is_return;			/* the call is before it: @places are those of ip - 1 */
	enum lw_frame_kind kind;
	u32 nr;				/* at least 1; all but the last are inlined */
	struct lw_place places[LW_MAX_PLACES];
};

struct lw_recording;

/* Anything but 0 ends the reading and is handed on. */
typedef int (*lw_sample_fn)(void *ctx, const struct lw_perf_record *record);
typedef int (*lw_frame_fn)(void *ctx, const struct lw_frame *frame);

int lw_recording_open(struct lw_recording **recording, const struct lw_recording_options *options);
const struct lw_perf_reader *lw_recording_file(const struct lw_recording *recording);
int lw_recording_read(struct lw_recording *recording, lw_sample_fn fn, void *ctx);
int lw_recording_frames(struct lw_recording *recording, const struct lw_perf_record *sample,
			lw_frame_fn fn, void *ctx);
const char *lw_recording_comm(struct lw_recording *recording, const struct lw_perf_record *sample);
const char *lw_recording_cgroup(struct lw_recording *recording,
				const struct lw_perf_record *sample);
bool lw_recording_fields(struct lw_recording *recording, const struct lw_perf_record *sample,
			 struct lw_strbuf *out);
bool lw_recording_has_cgroups(const struct lw_recording *recording);
u64 lw_recording_lost(const struct lw_recording *recording);
const char *lw_recording_ends(struct lw_recording *recording);
const char *lw_recording_problem(const struct lw_recording *recording, u32 index);
void lw_recording_close(struct lw_recording *recording);

#endif /* LW_RECORDING_H */
