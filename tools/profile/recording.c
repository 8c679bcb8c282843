// SPDX-License-Identifier: GPL-2.0
/*
 * recording.c - the samples of a perf.data file, with names.
 *
 * Records come in the order of time; those of processes and mappings are taken into
 * account as they come, so that a sample sees what was then.  perf's own have other
 * trailers and older kinds of records than ours: they are brought into our form.
 *
 * Contexts: one thread per recording.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/perf_records.h"
#include "events/tracepoint_fields.h"
#include "perf/cgroup_names.h"
#include "profile/recording.h"
#include "profile/dwarf_unwind.h"

#define KERNEL_MAP	"[kernel.kallsyms]"
#define MISC_CPUMODE	7U
#define PROGRESS_EVERY	4096U
/* Marks in a chain, of later kernels' headers, too. */
#define FIRST_MARK	(-4095LL)
#define MARK_HV		(-32LL)
#define MARK_KERNEL	(-128LL)
#define MARK_USER	(-512LL)
#define MARK_DEFERRED	(-640LL)

/* Frames of a copied stack: the smallest take 16 bytes of its 64 KiB at most. */
#define MAX_UNWOUND	4096U

#define KNOWN		32768U

/*
 * An address of a process, looked up: most come again.  Its mapping, of which a process
 * can have thousands, is where it was as long as no mapping, program or process came or
 * went.  Its name holds as long as the process itself mapped nothing and ran no other
 * program: programs that come and go elsewhere are many.
 */
struct known {
	struct lw_user_address address;
	u64 all_changes;		/* when the mapping was looked up; 0: there were none */
	u64 changes;			/* of the process, when it was named */
	struct lw_place place;		/* without a dso: it is named anew each time */
};

struct lw_recording {
	struct lw_recording_options options;
	struct lw_perf_reader *file;
	struct lw_process_maps *procs;
	struct lw_cgroup_names *cgroups;
	struct lw_symbolizer *symbolizer;
	struct lw_recorded_kernel kernel;
	u8 kernel_id[LW_BUILD_ID_MAX];
	char kernel_symbol[64];
	bool kernel_set;		/* the symbolizer knows it */
	struct known known[KNOWN];	/* hashed by address and process */
	u64 done;			/* records */
	u64 lost;			/* samples, as records tell */
	u64 samples, of_cgroups;	/* those that tell of a cgroup */
	struct lw_tracepoint_fields *fields;	/* NULL: there are none that are trusted */
	bool fields_opened;
	u64 fields_time;		/* of the sample whose fields are printed */
	struct lw_dwarf_unwinder *unwinder;	/* NULL: no sample had a copy of its stack yet */
	u64 ends[LW_NR_UNWIND_ENDS];	/* of stacks that were copied */
	u64 no_copy;			/* samples with registers alone */
	char ends_text[256];
	char comm[32];
	lw_sample_fn fn;
	void *ctx;
	union {				/* a record in our form */
		struct lw_mmap2 mmap2;
		struct perf_event_header header;
		u8 bytes[(1U << 16) + sizeof(struct lw_mmap2) + sizeof(struct lw_sample_id) + 8];
	} room;
};

/* MMAP of old, and of the kernel's own code. */
struct mmap_record {
	struct perf_event_header header;
	u32 pid, tid;
	u64 addr, len, pgoff;
	char filename[];
};

/* Of a cgroup that there is, or that was made. */
struct cgroup_record {
	struct perf_event_header header;
	u64 id;
	char path[];
};

struct lost_record {
	struct perf_event_header header;
	u64 id;				/* not in LOST_SAMPLES */
	u64 lost;
};

/* Was the recording made by this machine since its boot? */
static bool is_of_here(const struct lw_perf_info *info)
{
	struct utsname uts;

	return info->hostname && info->osrelease && !uname(&uts) &&
	       !strcmp(info->hostname, uts.nodename) && !strcmp(info->osrelease, uts.release) &&
	       info->last_time <= lw_now();
}

static void set_kernel(struct lw_recording *recording);

static const char *name_function(void *ctx, u64 address, u64 *offset)
{
	struct lw_recording *recording = ctx;
	struct lw_place place;

	set_kernel(recording);
	lw_symbolize_kernel(recording->symbolizer, recording->fields_time, address, &place);
	*offset = place.offset;
	return place.function;
}

/* What the library does with formats of strangers nobody knows; perf reads no file of theirs. */
static void open_fields(struct lw_recording *recording)
{
	const struct lw_perf_info *info = lw_perf_reader_info(recording->file);

	recording->fields_opened = true;
	if (!info->formats || !(info->trusted || recording->options.force))
		return;
	recording->fields = lw_tracepoint_fields_new(info->formats, info->formats_size);
	if (recording->fields)
		lw_tracepoint_fields_name_by(recording->fields, name_function, recording);
}

/**
 * lw_recording_open - open a perf.data file
 * @recording: out: to be closed
 * @options: are copied; the path stays the caller's
 *
 * Return: 0 or -errno with lw_fail_text().
 */
int lw_recording_open(struct lw_recording **recording, const struct lw_recording_options *options)
{
	struct lw_symbolize_options how = {
		.no_demangle = options->no_demangle,
		.inlined = options->inlined,
		.symfs = options->symfs,
		.save = options->save,
		.kept = options->kept,
		.kept_ctx = options->kept_ctx,
	};
	struct lw_recording *new = calloc(1, sizeof(*new));
	const struct lw_perf_info *info;
	int ret;

	if (!new)
		return lw_fail(-ENOMEM, "out of memory");
	new->options = *options;
	ret = lw_perf_reader_open(&new->file, options->path);
	if (ret)
		goto err_close;
	how.here = is_of_here(lw_perf_reader_info(new->file));
	new->procs = lw_process_maps_new();
	new->cgroups = lw_cgroup_names_new();
	new->symbolizer = lw_symbolizer_new(&how);
	if (!new->procs || !new->cgroups || !new->symbolizer) {
		ret = lw_fail(-ENOMEM, "out of memory");
		goto err_close;
	}
	info = lw_perf_reader_info(new->file);
	new->kernel.release = info->osrelease;
	new->kernel.names = info->kernel_names;
	new->kernel.names_size = info->kernel_names_size;
	if (info->user_names && lw_symbolizer_take_saved(new->symbolizer, info->user_names,
							 info->user_names_size)) {
		ret = lw_fail(-ENOMEM, "out of memory");
		goto err_close;
	}
	*recording = new;
	return 0;

err_close:
	lw_recording_close(new);
	return ret;
}

/**
 * lw_recording_file - the file itself
 * @recording: opened
 *
 * Return: it, good until the recording is closed.
 */
const struct lw_perf_reader *lw_recording_file(const struct lw_recording *recording)
{
	return recording->file;
}

/* Hands a record on with a trailer as ours have; its fields end at room.header.size. */
static int hand_on(struct lw_recording *recording, const struct lw_perf_record *from)
{
	struct perf_event_header *header = &recording->room.header;
	struct lw_sample_id id = { .pid = from->pid, .tid = from->tid, .time = from->time };
	size_t size = ALIGN_UP((size_t)header->size, sizeof(u64));

	if (size + sizeof(id) > 0xfff8)
		return 0;
	memset(recording->room.bytes + header->size, 0, size - header->size);
	memcpy(recording->room.bytes + size, &id, sizeof(id));
	header->size = size + sizeof(id);
	return lw_process_maps_record(recording->procs, header);
}

static int take_other(struct lw_recording *recording, const struct lw_perf_record *record)
{
	memcpy(recording->room.bytes, record->header, record->end);
	recording->room.header.size = record->end;
	return hand_on(recording, record);
}

/* "[kernel.kallsyms]_text" at the address of _text */
static void take_kernel_map(struct lw_recording *recording, const char *name, u64 pgoff)
{
	struct lw_recorded_kernel *kernel = &recording->kernel;
	size_t len = strlen(KERNEL_MAP);

	if (strncmp(name, KERNEL_MAP, len) || recording->kernel_set)
		return;
	if (name[len]) {
		snprintf(recording->kernel_symbol, sizeof(recording->kernel_symbol), "%s",
			 name + len);
		kernel->symbol = recording->kernel_symbol;
		kernel->address = pgoff;
	}
	if (!kernel->build_id_len)
		kernel->build_id_len = lw_perf_reader_build_id(recording->file, KERNEL_MAP,
							       recording->kernel_id);
	kernel->build_id = recording->kernel_id;
}

/* The table behind the data tells the build IDs that records don't. */
static void add_build_id(struct lw_recording *recording)
{
	struct lw_mmap2 *map = &recording->room.mmap2;
	u8 id[LW_BUILD_ID_MAX];
	u32 len;

	if (map->header.misc & PERF_RECORD_MISC_MMAP_BUILD_ID)
		return;
	len = lw_perf_reader_build_id(recording->file, map->filename, id);
	if (!len)
		return;
	map->header.misc |= PERF_RECORD_MISC_MMAP_BUILD_ID;
	map->build_id_size = len;
	memcpy(map->build_id, id, sizeof(id));
}

static int hand_on_map(struct lw_recording *recording, const struct lw_perf_record *record)
{
	struct lw_mmap2 *map = &recording->room.mmap2;

	/* names are not longer than a path, and the kernel ends them */
	recording->room.bytes[map->header.size] = 0;
	if ((record->header->misc & MISC_CPUMODE) == PERF_RECORD_MISC_KERNEL) {
		if (map->header.misc & PERF_RECORD_MISC_MMAP_BUILD_ID &&
		    map->build_id_size <= LW_BUILD_ID_MAX &&
		    !strncmp(map->filename, KERNEL_MAP, strlen(KERNEL_MAP))) {
			memcpy(recording->kernel_id, map->build_id, LW_BUILD_ID_MAX);
			recording->kernel.build_id_len = map->build_id_size;
		}
		take_kernel_map(recording, map->filename, map->pgoff);
		return 0;
	}
	add_build_id(recording);
	return hand_on(recording, record);
}

static int take_mmap2(struct lw_recording *recording, const struct lw_perf_record *record)
{
	if (record->end <= sizeof(struct lw_mmap2))
		return 0;
	memcpy(recording->room.bytes, record->header, record->end);
	recording->room.header.size = record->end;
	return hand_on_map(recording, record);
}

static int take_mmap(struct lw_recording *recording, const struct lw_perf_record *record)
{
	const struct mmap_record *from = (const void *)record->header;
	struct lw_mmap2 *map = &recording->room.mmap2;
	size_t len;

	if (record->end <= sizeof(*from) || record->header->misc & PERF_RECORD_MISC_MMAP_DATA)
		return 0;
	len = record->end - sizeof(*from);
	if (len > 0xf000)
		return 0;
	memset(map, 0, sizeof(*map));
	map->header.type = PERF_RECORD_MMAP2;
	map->header.misc = from->header.misc & MISC_CPUMODE;
	map->header.size = sizeof(*map) + len;
	map->pid = from->pid;
	map->tid = from->tid;
	map->addr = from->addr;
	map->len = from->len;
	map->pgoff = from->pgoff;
	memcpy(map->filename, from->filename, len);
	return hand_on_map(recording, record);
}

static int take_cgroup(struct lw_recording *recording, const struct lw_perf_record *record)
{
	const struct cgroup_record *cgroup = (const void *)record->header;

	if (record->end <= sizeof(*cgroup))
		return 0;
	return lw_cgroup_names_add(recording->cgroups, cgroup->id, cgroup->path,
				   record->end - sizeof(*cgroup));
}

static void count_lost(struct lw_recording *recording, const struct lw_perf_record *record)
{
	const struct lost_record *lost = (const void *)record->header;

	if (record->header->type == PERF_RECORD_LOST && record->end >= sizeof(*lost))
		recording->lost += lost->lost;
	else if (record->header->type == PERF_RECORD_LOST_SAMPLES &&
		 record->end >= offsetof(struct lost_record, lost))
		recording->lost += lost->id;
}

static int take_record(struct lw_recording *recording, const struct lw_perf_record *record)
{
	switch (record->header->type) {
	case PERF_RECORD_SAMPLE:
		recording->samples++;
		recording->of_cgroups += record->cgroup != 0;
		return recording->fn(recording->ctx, record);
	case PERF_RECORD_MMAP2:
		return take_mmap2(recording, record);
	case PERF_RECORD_MMAP:
		return take_mmap(recording, record);
	case PERF_RECORD_COMM:
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		return take_other(recording, record);
	case PERF_RECORD_KSYMBOL:
		return lw_symbolizer_ksymbol(recording->symbolizer, record->header, record->end,
					     record->time);
	case PERF_RECORD_CGROUP:
		return take_cgroup(recording, record);
	case PERF_RECORD_LOST:
	case PERF_RECORD_LOST_SAMPLES:
		count_lost(recording, record);
		return 0;
	}
	return 0;
}

static int take_any(void *ctx, const struct lw_perf_record *record)
{
	struct lw_recording *recording = ctx;
	int ret = take_record(recording, record);

	if (++recording->done % PROGRESS_EVERY == 0 && recording->options.progress)
		recording->options.progress(recording->done,
					    lw_perf_reader_nr_records(recording->file));
	return ret == -ENOMEM ? lw_fail(-ENOMEM, "out of memory") : ret;
}

/**
 * lw_recording_read - hand out all samples in the order of time
 * @recording: opened, and not read yet
 * @fn: called for each
 * @ctx: for it
 *
 * Return: 0, what @fn returned, or -errno with lw_fail_text().
 */
int lw_recording_read(struct lw_recording *recording, lw_sample_fn fn, void *ctx)
{
	recording->fn = fn;
	recording->ctx = ctx;
	return lw_perf_reader_read(recording->file, take_any, recording);
}

static void set_kernel(struct lw_recording *recording)
{
	if (!recording->kernel_set) {
		take_kernel_map(recording, KERNEL_MAP, 0);
		lw_symbolizer_set_kernel(recording->symbolizer, &recording->kernel);
	}
	recording->kernel_set = true;
}

/* --- the frames of a sample */

static void name_kernel(struct lw_recording *recording, const struct lw_perf_record *sample,
			struct lw_frame *frame)
{
	set_kernel(recording);
	frame->nr = 1;
	if (frame->is_return)
		frame->is_return = lw_symbolize_caller(recording->symbolizer, sample->time,
						       frame->ip, &frame->places[0]);
	else
		lw_symbolize_kernel(recording->symbolizer, sample->time, frame->ip,
				    &frame->places[0]);
}

static struct known *get_known(struct lw_recording *recording, u32 pid, u64 ip)
{
	struct known *known = &recording->known[lw_hash64(ip + pid) % KNOWN];

	if (known->address.ip != ip || known->address.pid != pid)
		*known = (struct known){ .address = { .ip = ip, .pid = pid } };
	return known;
}

static void look_up_map(struct lw_recording *recording, const struct lw_perf_record *sample,
			struct known *known)
{
	u64 changes = lw_process_maps_all_changes(recording->procs);

	known->address.time = sample->time;
	if (known->all_changes == changes)
		return;
	known->all_changes = changes;
	lw_process_maps_locate(recording->procs, &known->address);
}

static void name_user(struct lw_recording *recording, const struct lw_perf_record *sample,
		      struct lw_frame *frame)
{
	u64 changes = lw_process_maps_change(recording->procs, sample->pid)->count;
	struct known *known = get_known(recording, sample->pid, frame->ip - frame->is_return);

	if (known->place.dso && known->changes == changes) {
		frame->places[0] = known->place;
		frame->nr = 1;
		return;
	}
	look_up_map(recording, sample, known);
	frame->nr = lw_symbolize_user(recording->symbolizer, &known->address, frame->places,
				      LW_MAX_PLACES);
	known->changes = changes;
	known->place = frame->places[0];
	/* who makes code as it runs may make other code there */
	if (frame->nr > 1 || lw_map_is_made(known->address.map))
		known->place.dso = NULL;
}

/*
 * What a signal handler returns to was never called: before its first byte is nothing,
 * or another function.
 */
static void name_return(struct lw_recording *recording, const struct lw_perf_record *sample,
			struct lw_frame *frame)
{
	name_user(recording, sample, frame);
	if (lw_place_symbol(&frame->places[0]) || !frame->is_return)
		return;
	frame->is_return = false;
	name_user(recording, sample, frame);
	if (lw_place_symbol(&frame->places[0]) && !frame->places[frame->nr - 1].offset)
		return;
	frame->is_return = true;
	name_user(recording, sample, frame);
}

static void name_frame(struct lw_recording *recording, const struct lw_perf_record *sample,
		       struct lw_frame *frame)
{
	if (frame->kind == LW_FRAME_KERNEL && recording->options.save)
		return;
	if (frame->kind == LW_FRAME_KERNEL)
		name_kernel(recording, sample, frame);
	else
		name_return(recording, sample, frame);
	/* offsets are those of the address that is shown */
	for (u32 i = 0; frame->is_return && i < frame->nr; i++) {
		if (frame->places[i].function && !frame->places[i].inlined)
			frame->places[i].offset++;
	}
}

static enum lw_frame_kind kind_of(const struct lw_perf_record *sample)
{
	return (sample->header->misc & MISC_CPUMODE) == PERF_RECORD_MISC_KERNEL ?
	       LW_FRAME_KERNEL : LW_FRAME_USER;
}

/* A walk over a chain, whose user part may be elsewhere. */
struct walk {
	struct lw_recording *recording;
	const struct lw_perf_record *sample;
	lw_frame_fn fn;
	void *ctx;
	struct lw_frame frame;
	u64 left;			/* frames that are still wanted */
	bool first;			/* behind a mark */
	bool own_chain;			/* the sample's, and what it points to is there */
};

static int walk_frame(struct walk *walk, u64 ip)
{
	walk->frame.ip = ip;
	walk->frame.is_return = !walk->first && ip;
	walk->first = false;
	walk->left--;
	name_frame(walk->recording, walk->sample, &walk->frame);
	return walk->fn(walk->ctx, &walk->frame);
}

static struct lw_stack_copy copy_of(const struct lw_recording *recording,
				    const struct lw_perf_record *sample)
{
	return (struct lw_stack_copy){
		.pid = sample->pid, .tid = sample->tid, .time = sample->time,
		.abi = sample->regs_abi, .mask = sample->regs_mask,
		.regs = sample->regs, .stack = sample->stack, .size = sample->stack_size,
		.other_order = lw_perf_reader_info(recording->file)->other_order,
	};
}

static struct lw_dwarf_unwinder *get_unwinder(struct lw_recording *recording)
{
	if (!recording->unwinder)
		recording->unwinder =
			lw_dwarf_unwinder_new(recording->symbolizer, recording->procs,
					      lw_perf_reader_info(recording->file)->arch);
	return recording->unwinder;
}

/* The caller of the leaf at @ip, if the chain behind it is of frame pointers and lacks it. */
static int walk_leaf_caller(struct walk *walk, u64 ip)
{
	const struct lw_stack_copy copy = copy_of(walk->recording, walk->sample);
	u64 caller = 0;

	if (walk->own_chain && walk->sample->regs && get_unwinder(walk->recording))
		caller = lw_dwarf_unwind_leaf(walk->recording->unwinder, &copy, ip);
	if (!caller)
		return 0;
	walk->first = true;
	return walk_frame(walk, caller);
}

/* Return: as walk_frame(); @cookie is set when the rest is elsewhere. */
static int walk_chain(struct walk *walk, const u64 *chain, u64 nr, u64 *cookie)
{
	int ret = 0;

	for (u64 i = 0; !ret && walk->left && i < nr; i++) {
		s64 ip = chain[i];

		if (ip >= 0 || ip < FIRST_MARK) {
			if (i > 1 && chain[i - 2] == (u64)MARK_USER)
				ret = walk_leaf_caller(walk, chain[i - 1]);
			if (!ret && walk->left)
				ret = walk_frame(walk, ip);
			continue;
		}
		if (ip == MARK_DEFERRED && i + 1 < nr)
			*cookie = chain[i + 1];
		/* of marks that we don't know: what follows need not be addresses */
		if (ip != MARK_USER && ip != MARK_KERNEL && ip != MARK_HV)
			break;
		walk->frame.kind = ip == MARK_USER ? LW_FRAME_USER : LW_FRAME_KERNEL;
		walk->first = true;
	}
	return ret;
}

/* Addresses that are not where a call returns to. */
static int walk_exact(struct walk *walk, const u64 *ips, u64 nr)
{
	int ret = 0;

	walk->frame.kind = LW_FRAME_USER;
	for (u64 i = 0; !ret && walk->left && i < nr; i++) {
		walk->first = true;
		ret = walk_frame(walk, ips[i]);
	}
	return ret;
}

static u32 unwind(struct lw_recording *recording, const struct lw_perf_record *sample, u64 *ips,
		  u32 room)
{
	const struct lw_stack_copy copy = copy_of(recording, sample);
	enum lw_unwind_end end;
	u32 nr;

	if (!get_unwinder(recording))
		return 0;
	nr = lw_dwarf_unwind(recording->unwinder, &copy, ips, room, &end);
	recording->ends[end]++;
	return nr;
}

/* A chain of the kernel alone, and a copy of the user's stack. */
static int walk_copy(struct walk *walk)
{
	u64 ips[MAX_UNWOUND];
	u32 room = walk->left < MAX_UNWOUND ? walk->left : MAX_UNWOUND;

	return walk_exact(walk, ips, room ? unwind(walk->recording, walk->sample, ips, room) : 0);
}

/*
 * The processor's record of calls that have not returned.  As perf has it, the leaf is the
 * begin of its function, and callers are where their calls are.
 */
static int walk_calls(struct walk *walk)
{
	const struct perf_branch_entry *branches = walk->sample->branches;
	struct perf_branch_entry branch;
	int ret = 0;

	for (u64 i = 0; !ret && i < walk->sample->nr_branches; i++) {
		memcpy(&branch, &branches[i], sizeof(branch));
		if (!i)
			ret = walk_exact(walk, (u64 []){ branch.to }, 1);
		if (!ret)
			ret = walk_exact(walk, (u64 []){ branch.from }, 1);
	}
	return ret;
}

/* Which part of a chain is the kernel's, with the mark behind it; all, if there is no mark. */
static u64 kernel_part(const struct lw_perf_record *sample)
{
	u64 nr = 0;

	while (nr < sample->nr_chain && sample->chain[nr] != (u64)MARK_USER)
		nr++;
	return nr;
}

static bool has_calls(const struct lw_perf_record *sample)
{
	return sample->nr_branches &&
	       sample->event->attr.branch_sample_type & PERF_SAMPLE_BRANCH_CALL_STACK;
}

/*
 * A task of the kernel has no registers to be copied.  Others have no copy when their stack is
 * not in memory, as in an exec: what the registers say is then of another program.
 */
static bool has_copy(struct lw_recording *recording, const struct lw_perf_record *sample)
{
	if (!(sample->event->attr.sample_type & PERF_SAMPLE_STACK_USER) || !sample->regs)
		return false;
	recording->no_copy += !sample->stack_size;
	return sample->stack_size;
}

/* Is the user's part of the chain elsewhere in the sample? */
static bool has_other_chain(const struct lw_perf_record *sample)
{
	return (sample->regs && sample->event->attr.sample_type & PERF_SAMPLE_STACK_USER) ||
	       sample->nr_branches;
}

static int walk_other_chain(struct walk *walk)
{
	const struct lw_perf_record *sample = walk->sample;
	u64 nr = sample->nr_chain, before = walk->left, cookie = 0;
	bool calls = has_calls(sample);
	int ret;

	if (calls && sample->chain) {
		nr = kernel_part(sample);
		calls = nr < sample->nr_chain;
	}
	ret = walk_chain(walk, sample->chain, nr, &cookie);
	if (!ret && calls)
		ret = walk_calls(walk);
	else if (!ret && has_copy(walk->recording, sample))
		ret = walk_copy(walk);
	/* the address is known in any case; a chain that is there says all */
	if (!ret && walk->left == before && !nr)
		ret = walk_frame(walk, sample->ip);
	return ret;
}

static int walk_deferred(struct walk *walk, u64 cookie)
{
	const u64 *chain = NULL;
	u64 nr;

	walk->frame.kind = LW_FRAME_USER;
	walk->first = true;
	/* the sample is not to be looked at after this */
	walk->own_chain = false;
	nr = lw_perf_reader_deferred(walk->recording->file, cookie, walk->sample->tid, &chain);
	/* it has no cookies of its own */
	return walk_chain(walk, chain, nr, &cookie);
}

/**
 * lw_recording_frames - name the frames of a sample
 * @recording: while it is read
 * @sample: as handed out; what it points to is not to be looked at after this
 * @fn: called for each frame, from the leaf on
 * @ctx: for it
 *
 * A sample without a chain or a copy of its stack has one frame.
 *
 * Return: 0 or what @fn returned.
 */
int lw_recording_frames(struct lw_recording *recording, const struct lw_perf_record *sample,
			lw_frame_fn fn, void *ctx)
{
	struct walk walk = {
		.recording = recording,
		.sample = sample,
		.fn = fn,
		.ctx = ctx,
		.frame = { .kind = kind_of(sample) },
		.left = recording->options.max_stack ? recording->options.max_stack : ~0ULL,
		.first = true,
		.own_chain = true,
	};
	u64 cookie = 0;
	int ret;

	if (has_other_chain(sample))
		return walk_other_chain(&walk);
	if (!sample->chain)
		return walk_frame(&walk, sample->ip);
	ret = walk_chain(&walk, sample->chain, sample->nr_chain, &cookie);
	return ret || !cookie ? ret : walk_deferred(&walk, cookie);
}

/**
 * lw_recording_comm - the name of a sample's thread
 * @recording: while it is read
 * @sample: as handed out
 *
 * Return: it, or ":TID"; good until the next call.
 */
const char *lw_recording_comm(struct lw_recording *recording, const struct lw_perf_record *sample)
{
	const char *comm = lw_process_maps_comm(recording->procs, sample->tid, sample->time);

	if (comm)
		return comm;
	if (!sample->tid)
		return "swapper";
	snprintf(recording->comm, sizeof(recording->comm), ":%u", sample->tid);
	return recording->comm;
}

/**
 * lw_recording_cgroup - the cgroup that a sample's task was in
 * @recording: while it is read
 * @sample: as handed out
 *
 * Return: its path from the root of the hierarchy on, "[cgroup ID]" when the file has no
 * name for it, or NULL when the sample does not tell; good until the next call.
 */
const char *lw_recording_cgroup(struct lw_recording *recording,
				const struct lw_perf_record *sample)
{
	return sample->cgroup ? lw_cgroup_name(recording->cgroups, sample->cgroup) : NULL;
}

/**
 * lw_recording_fields - what a tracepoint has told
 * @recording: while it is read
 * @sample: as handed out
 * @out: gets it, as perf script prints it
 *
 * Return: false: it has told nothing, or the file does not say what its fields are, or belongs
 * to somebody who is not trusted.
 */
bool lw_recording_fields(struct lw_recording *recording, const struct lw_perf_record *sample,
			 struct lw_strbuf *out)
{
	const struct perf_event_attr *attr = &sample->event->attr;

	if (!sample->raw || attr->type != PERF_TYPE_TRACEPOINT)
		return false;
	if (!recording->fields_opened)
		open_fields(recording);
	if (!recording->fields)
		return false;
	recording->fields_time = sample->time;
	return lw_tracepoint_fields_print(recording->fields, attr->config, sample->raw,
					  sample->raw_size, sample->cpu, out);
}

/**
 * lw_recording_has_cgroups - does it tell of cgroups?
 * @recording: read
 *
 * Return: false if there are samples, and none does.
 */
bool lw_recording_has_cgroups(const struct lw_recording *recording)
{
	return recording->of_cgroups || !recording->samples;
}

/**
 * lw_recording_lost - how many samples the file says were lost
 * @recording: read
 *
 * Return: the number.
 */
u64 lw_recording_lost(const struct lw_recording *recording)
{
	return recording->lost;
}

/**
 * lw_recording_ends - why copied stacks do not go down to where their thread began
 * @recording: read
 *
 * Return: lines of text, or NULL when all do; good until the next call.
 */
const char *lw_recording_ends(struct lw_recording *recording)
{
	const u64 *ends = recording->ends;
	u64 cut = ends[LW_UNWIND_CUT], no_file = ends[LW_UNWIND_NO_FILE];
	u64 others = ends[LW_UNWIND_NO_RULE] + ends[LW_UNWIND_NO_REGS];
	u64 early = recording->no_copy + cut + no_file + others;

	if (!early)
		return NULL;
	snprintf(recording->ends_text, sizeof(recording->ends_text),
		 "%llu of %llu user stacks end early\n"
		 "  %llu were not copied, %llu end where the copy ends, %llu in code whose file\n"
		 "  is not there or another user's, %llu without a rule to go on by.",
		 early, early + ends[LW_UNWIND_WHOLE], recording->no_copy, cut, no_file, others);
	return recording->ends_text;
}

/**
 * lw_recording_problem - what could not be named, and why
 * @recording: read
 * @index: from 0 on
 *
 * Return: a line of text, or NULL when there are no more.
 */
const char *lw_recording_problem(const struct lw_recording *recording, u32 index)
{
	const char *warning = lw_perf_reader_warning(recording->file);

	if (warning && !index)
		return warning;
	return lw_symbolizer_problem(recording->symbolizer, index - !!warning);
}

/**
 * lw_recording_close - close the file and free all
 * @recording: opened, or NULL
 */
void lw_recording_close(struct lw_recording *recording)
{
	if (!recording)
		return;
	lw_perf_reader_close(recording->file);
	lw_tracepoint_fields_free(recording->fields);
	lw_dwarf_unwinder_free(recording->unwinder);
	lw_process_maps_free(recording->procs);
	lw_cgroup_names_free(recording->cgroups);
	lw_symbolizer_free(recording->symbolizer);
	free(recording);
}
