// SPDX-License-Identifier: GPL-2.0
/*
 * perf_reader_order.c - turns what a machine of the other byte order has written into our order.
 *
 * Whatever the reader takes from such a file is turned here, once, as it is read: headers,
 * sections, features, records.  The rest of the reader, and its users, have numbers of this
 * machine.  Two things stay as they are, as only their users know what is in them: the raw data of
 * tracepoints, with the formats that describe them, and copies of stacks.
 *
 * A string says how a piece is laid out, a letter a field:
 *
 *	8 4 2	a number of so many bytes
 *	b	a build ID and what is around it, 24 bytes
 *	f	the flags of an attribute, one word of bits
 *	n	a count of 8 bytes, and so many numbers of 8 bytes
 *	r	a size of 4 bytes, and so many bytes
 *	w	a size of 8 bytes, and so many bytes
 *	*	the letter in front once more, as long as it fits
 *
 * Bytes behind what a string tells of, such as names, are not touched.  The bytes may be
 * anybody's: a size or count is turned first, then it is compared with what is left, and only then
 * what it counts is turned.  Turning ends where something does not fit; the parser, which has the
 * same limits, then finds the record too short.
 *
 * Contexts: one thread a file.
 */
#include <stdlib.h>
#include <string.h>

#include "perf/perf_reader_parts.h"

#define BUILD_ID_FIELD	24U
#define LEAST_ATTR	64U	/* PERF_ATTR_SIZE_VER0 */

#define ATTR_LAYOUT	"448888f448888448422448888"

/* Of later kernels' headers. */
#define SAMPLE_WEIGHT_STRUCT	(1ULL << 24)

/* Bytes that are turned in their place, from the front. */
struct turner {
	u8 *at;
	size_t left;
};

/* Return: NULL: so many are not there. */
static u8 *step(struct turner *turner, u64 size)
{
	u8 *at = turner->at;

	if (size > turner->left)
		return NULL;
	turner->at += size;
	turner->left -= size;
	return at;
}

/* Return: false: it is not there. */
static bool turn_u64(struct turner *turner, u64 *value)
{
	u8 *at = step(turner, sizeof(*value));

	if (!at)
		return false;
	memcpy(value, at, sizeof(*value));
	*value = __builtin_bswap64(*value);
	memcpy(at, value, sizeof(*value));
	return true;
}

static bool turn_u32(struct turner *turner, u32 *value)
{
	u8 *at = step(turner, sizeof(*value));

	if (!at)
		return false;
	memcpy(value, at, sizeof(*value));
	*value = __builtin_bswap32(*value);
	memcpy(at, value, sizeof(*value));
	return true;
}

static bool turn_u16(struct turner *turner)
{
	u8 *at = step(turner, sizeof(u16)), first;

	if (!at)
		return false;
	first = at[0];
	at[0] = at[1];
	at[1] = first;
	return true;
}

static bool turn_words(struct turner *turner, u64 nr)
{
	u64 value;

	if (nr > turner->left / sizeof(value))
		return false;
	while (nr--)
		turn_u64(turner, &value);
	return true;
}

/*
 * Compilers lay bit fields out from the lowest bit on where the lowest byte is the first, else from
 * the highest bit on.  A field of several bits has its own bits in the same order on both, so
 * @widths has the size of each; behind the last one they are of one bit.
 */
static u64 turn_bits(u64 word, const u8 *widths)
{
	const bool from_low = (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	u64 turned = 0;

	for (u32 at = 0, width; at < 64; at += width) {
		u32 low = at, high;
		u64 field;

		width = *widths ? *widths++ : 1;
		high = 64 - at - width;
		field = word >> (from_low ? low : high) & ((1ULL << width) - 1);
		turned |= field << (from_low ? high : low);
	}
	return turned;
}

static bool turn_word_of_bits(struct turner *turner, const u8 *widths)
{
	u8 *at = turner->at;
	u64 word;

	if (!turn_u64(turner, &word))
		return false;
	word = turn_bits(word, widths);
	memcpy(at, &word, sizeof(word));
	return true;
}

/* precise_ip is behind 15 flags; all that follow it are flags. */
static bool turn_attr_flags(struct turner *turner)
{
	static const u8 widths[] = { 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 0 };

	return turn_word_of_bits(turner, widths);
}

/* struct perf_branch_entry: whence, where to, and bits. */
static bool turn_branch(struct turner *turner)
{
	/* mispred, predicted, in_tx, abort, cycles, type, spec, new_type, priv, reserved */
	static const u8 widths[] = { 1, 1, 1, 1, 16, 4, 2, 4, 3, 31, 0 };

	return turn_words(turner, 2) && turn_word_of_bits(turner, widths);
}

/* Return: false: it does not fit. */
static bool turn_field(struct turner *turner, char letter)
{
	u64 word;
	u32 size;

	switch (letter) {
	case '8':
		return turn_u64(turner, &word);
	case '4':
		return turn_u32(turner, &size);
	case '2':
		return turn_u16(turner);
	case 'b':
		return step(turner, BUILD_ID_FIELD);
	case 'f':
		return turn_attr_flags(turner);
	case 'n':
		return turn_u64(turner, &word) && turn_words(turner, word);
	case 'r':
		return turn_u32(turner, &size) && step(turner, size);
	case 'w':
		return turn_u64(turner, &word) && step(turner, word);
	}
	return false;
}

/* Return: false: not all of it was there. */
static bool turn(struct turner *turner, const char *layout)
{
	for (; *layout; layout++) {
		if (!turn_field(turner, *layout))
			return false;
		while (layout[1] == '*' && turn_field(turner, *layout))
			;
		layout += layout[1] == '*';
	}
	return true;
}

/**
 * perf_turn_bytes - turn what has one layout
 * @file: that the bytes were read of; if it is in our order, nothing is done
 * @data: bytes, at any address
 * @size: how many
 * @layout: letters, see above
 */
void perf_turn_bytes(const struct lw_perf_reader *file, void *data, size_t size,
		     const char *layout)
{
	struct turner turner = { .at = data, .left = size };

	if (file->turned)
		turn(&turner, layout);
}

/**
 * perf_turn_attr - turn the attributes of an event
 * @file: as for perf_turn_bytes()
 * @attr: bytes of them, of whatever version
 * @size: how many
 */
void perf_turn_attr(const struct lw_perf_reader *file, void *attr, size_t size)
{
	perf_turn_bytes(file, attr, size, ATTR_LAYOUT);
}

/* Return: false: they are not all there. */
static bool turn_attr(struct turner *turner, u32 size)
{
	struct turner attr = { .at = turner->at, .left = size };

	if (!step(turner, size))
		return false;
	/* those of older kernels end early */
	turn(&attr, ATTR_LAYOUT);
	return true;
}

/* --- features */

/* How many, bytes of attributes; of each they, how many IDs, its name, IDs. */
static void turn_event_names(struct turner *turner)
{
	u32 nr, attr_size, nr_ids;
	bool good = turn_u32(turner, &nr) && turn_u32(turner, &attr_size);

	for (u32 i = 0; good && i < nr; i++)
		good = turn_attr(turner, attr_size) && turn_u32(turner, &nr_ids) &&
		       turn_field(turner, 'r') && turn_words(turner, nr_ids);
}

/* Records without a name, each with its size. */
static void turn_build_ids(struct turner *turner)
{
	struct perf_event_header header;
	u8 *record;

	do {
		record = turner->at;
		if (!turn(turner, "4224"))
			return;
		memcpy(&header, record, sizeof(header));
	} while (header.size >= sizeof(header) + sizeof(u32) &&
		 step(turner, header.size - sizeof(header) - sizeof(u32)));
}

static void turn_feature(struct turner *turner, u64 feature)
{
	switch (feature) {
	case PERF_FEATURE_BUILD_ID:
		turn_build_ids(turner);
		break;
	case PERF_FEATURE_HOSTNAME:
	case PERF_FEATURE_OSRELEASE:
	case PERF_FEATURE_VERSION:
	case PERF_FEATURE_ARCH:
	case PERF_FEATURE_CPUDESC:
		turn(turner, "r");
		break;
	case PERF_FEATURE_NRCPUS:
		turn(turner, "44");
		break;
	case PERF_FEATURE_CMDLINE:
		turn(turner, "4r*");
		break;
	case PERF_FEATURE_EVENT_DESC:
		turn_event_names(turner);
		break;
	case PERF_FEATURE_SAMPLE_TIME:
		turn(turner, "88");
		break;
	}
}

/**
 * perf_turn_feature - turn one of the sections behind the data
 * @file: as for perf_turn_bytes()
 * @feature: which one; those that perf_take_feature() passes over are left as they are
 * @data: bytes of it
 * @size: how many
 */
void perf_turn_feature(const struct lw_perf_reader *file, u32 feature, void *data, size_t size)
{
	struct turner turner = { .at = data, .left = size };

	if (file->turned)
		turn_feature(&turner, feature);
}

/* --- samples */

#define READ_TIMES	(PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING)

static u32 nr_bits(u64 bits)
{
	return __builtin_popcountll(bits);
}

static bool turn_read(struct turner *turner, const struct perf_event_attr *attr)
{
	u64 format = attr->read_format, nr = 1;
	u32 each = 1 + nr_bits(format & (PERF_FORMAT_ID | PERF_READ_LOST));

	if (format & PERF_FORMAT_GROUP && !turn_u64(turner, &nr))
		return false;
	return nr <= turner->left / (each * sizeof(u64)) &&
	       turn_words(turner, nr * each + nr_bits(format & READ_TIMES));
}

static bool turn_branches(struct turner *turner, const struct perf_event_attr *attr)
{
	u64 kinds = attr->branch_sample_type, nr, index;

	if (!turn_u64(turner, &nr))
		return false;
	if (kinds & PERF_BRANCH_HW_INDEX && !turn_u64(turner, &index))
		return false;
	if (nr > turner->left / sizeof(struct perf_branch_entry))
		return false;
	for (u64 i = 0; i < nr; i++)
		turn_branch(turner);
	return !(kinds & PERF_BRANCH_COUNTERS) || turn_words(turner, nr);
}

/* By their ABI; without one there are none. */
static bool turn_regs(struct turner *turner, u64 regs)
{
	u64 abi;

	return turn_u64(turner, &abi) && (!abi || turn_words(turner, nr_bits(regs)));
}

static bool turn_regs_user(struct turner *turner, const struct perf_event_attr *attr)
{
	return turn_regs(turner, attr->sample_regs_user);
}

static bool turn_regs_intr(struct turner *turner, const struct perf_event_attr *attr)
{
	return turn_regs(turner, attr->sample_regs_intr);
}

/* Its bytes stay; how many of them are good is behind them. */
static bool turn_stack(struct turner *turner, const struct perf_event_attr *attr)
{
	u64 size, good;

	(void)attr;
	return turn_u64(turner, &size) &&
	       (!size || (step(turner, size) && turn_u64(turner, &good)));
}

/* In the order that a sample has them in. */
static const struct {
	u64 bit;			/* of the sample type */
	const char *layout;		/* NULL: @turn knows it */
	bool (*turn)(struct turner *turner, const struct perf_event_attr *attr);
} sample_fields[] = {
	{ PERF_SAMPLE_IDENTIFIER,	"8" },
	{ PERF_SAMPLE_IP,		"8" },
	{ PERF_SAMPLE_TID,		"44" },
	{ PERF_SAMPLE_TIME,		"8" },
	{ PERF_SAMPLE_ADDR,		"8" },
	{ PERF_SAMPLE_ID,		"8" },
	{ PERF_SAMPLE_STREAM_ID,	"8" },
	{ PERF_SAMPLE_CPU,		"44" },
	{ PERF_SAMPLE_PERIOD,		"8" },
	{ PERF_SAMPLE_READ,		NULL, turn_read },
	{ PERF_SAMPLE_CALLCHAIN,	"n" },
	{ PERF_SAMPLE_RAW,		"r" },
	{ PERF_SAMPLE_BRANCH_STACK,	NULL, turn_branches },
	{ PERF_SAMPLE_REGS_USER,	NULL, turn_regs_user },
	{ PERF_SAMPLE_STACK_USER,	NULL, turn_stack },
	/* where bits differ, linux/perf_event.h has these words in either order */
	{ PERF_SAMPLE_WEIGHT,		"8" },
	{ SAMPLE_WEIGHT_STRUCT,		"8" },
	{ PERF_SAMPLE_DATA_SRC,		"8" },
	{ PERF_SAMPLE_TRANSACTION,	"8" },
	{ PERF_SAMPLE_REGS_INTR,	NULL, turn_regs_intr },
	{ PERF_SAMPLE_PHYS_ADDR,	"8" },
	{ PERF_SAMPLE_CGROUP,		"8" },
	{ PERF_SAMPLE_DATA_PAGE_SIZE,	"8" },
	{ PERF_SAMPLE_CODE_PAGE_SIZE,	"8" },
	{ PERF_SAMPLE_AUX,		"w" },
};

static void turn_sample(struct turner *turner, const struct perf_event_attr *attr)
{
	bool good = true;

	for (size_t i = 0; good && i < ARRAY_SIZE(sample_fields); i++) {
		if (!(attr->sample_type & sample_fields[i].bit))
			continue;
		good = sample_fields[i].layout ? turn(turner, sample_fields[i].layout) :
		       sample_fields[i].turn(turner, attr);
	}
}

/* --- other records */

static const struct {
	u64 bit;
	const char *layout;
} trailer_fields[] = {
	{ PERF_SAMPLE_TID,		"44" },
	{ PERF_SAMPLE_TIME,		"8" },
	{ PERF_SAMPLE_ID,		"8" },
	{ PERF_SAMPLE_STREAM_ID,	"8" },
	{ PERF_SAMPLE_CPU,		"44" },
	{ PERF_SAMPLE_IDENTIFIER,	"8" },
};

static void turn_trailer(struct turner *turner, const struct perf_event_attr *attr)
{
	for (size_t i = 0; i < ARRAY_SIZE(trailer_fields); i++) {
		if (attr->sample_type & trailer_fields[i].bit)
			turn(turner, trailer_fields[i].layout);
	}
}

/* Behind the header, up to names and other bytes.  Types that are not here are not read. */
static const char * const layouts[] = {
	[PERF_RECORD_MMAP]		= "44888",
	[PERF_RECORD_LOST]		= "88",
	[PERF_RECORD_COMM]		= "44",
	[PERF_RECORD_EXIT]		= "44448",
	[PERF_RECORD_THROTTLE]		= "888",
	[PERF_RECORD_UNTHROTTLE]	= "888",
	[PERF_RECORD_FORK]		= "44448",
	[PERF_RECORD_READ]		= "448*",
	[PERF_RECORD_MMAP2]		= "44888448844",
	[PERF_RECORD_AUX]		= "888",
	[PERF_RECORD_ITRACE_START]	= "44",
	[PERF_RECORD_LOST_SAMPLES]	= "8",
	[PERF_RECORD_SWITCH_CPU_WIDE]	= "44",
	[PERF_RECORD_NAMESPACES]	= "448*",
	[PERF_RECORD_KSYMBOL]		= "8422",
	[PERF_RECORD_BPF_EVENT]		= "224",
	[PERF_RECORD_CGROUP]		= "8",
	[PERF_RECORD_TEXT_POKE]		= "822",
	[PERF_RECORD_CHAIN]		= "8*",
	[PERF_FILE_RECORD_TRACING]	= "4",
	[PERF_FILE_RECORD_BUILD_ID]	= "4",
	[PERF_FILE_RECORD_AUXTRACE]	= "8884444",
	[PERF_FILE_RECORD_UPDATE]	= "88",
	[PERF_FILE_RECORD_PACKED2]	= "8",
};

static const char *layout_of(const struct perf_event_header *header)
{
	if (header->type == PERF_RECORD_MMAP2 && header->misc & PERF_RECORD_MISC_MMAP_BUILD_ID)
		return "44888b44";
	return header->type < ARRAY_SIZE(layouts) ? layouts[header->type] : NULL;
}

/* Attributes, which tell their own size, and IDs of the event. */
static void turn_attr_record(struct turner *turner)
{
	u32 size;

	if (turner->left < LEAST_ATTR)
		return;
	memcpy(&size, turner->at + offsetof(struct perf_event_attr, size), sizeof(size));
	size = __builtin_bswap32(size);
	if (turn_attr(turner, size))
		turn(turner, "8*");
}

static void turn_file_record(struct turner *turner, const struct perf_event_header *header)
{
	u64 feature;

	if (header->type == PERF_FILE_RECORD_ATTR)
		turn_attr_record(turner);
	else if (header->type == PERF_FILE_RECORD_FEATURE && turn_u64(turner, &feature))
		turn_feature(turner, feature);
	else if (layout_of(header))
		turn(turner, layout_of(header));
}

/* Return: the attributes that say what is in a record; NULL: no event of the file is its. */
static const struct perf_event_attr *attr_of(const struct lw_perf_reader *file,
					     const struct perf_event_header *header)
{
	u64 id = 0;
	size_t at;
	int event;

	if (!file->nr_events)
		return NULL;
	at = perf_id_offset(file, header);
	if (at)
		memcpy(&id, (const u8 *)header + at, sizeof(id));
	event = perf_event_of(file, header, __builtin_bswap64(id));
	return event < 0 ? NULL : &file->events[event].attr;
}

static void turn_kernel_record(const struct lw_perf_reader *file, struct turner *turner,
			       const struct perf_event_header *header)
{
	const struct perf_event_attr *attr = attr_of(file, header);
	size_t size = attr ? perf_trailer_size(attr) : 0;
	struct turner trailer;

	if (header->type == PERF_RECORD_SAMPLE) {
		if (attr)
			turn_sample(turner, attr);
		return;
	}
	if (size > turner->left)
		return;
	turner->left -= size;
	trailer = (struct turner){ .at = turner->at + turner->left, .left = size };
	if (layout_of(header))
		turn(turner, layout_of(header));
	if (size)
		turn_trailer(&trailer, attr);
}

/**
 * perf_turn_record - turn a record
 * @file: with the events that are known so far; has room for a record in @file->turned
 * @from: the record as it is in the file
 * @size: bytes of it, as its header says; at least those of the header
 *
 * Return: the record, at an address that is a multiple of 8, good until the next call.
 */
const struct perf_event_header *perf_turn_record(const struct lw_perf_reader *file,
						 const void *from, u16 size)
{
	struct perf_event_header *header = (void *)file->turned;
	struct turner turner = { .at = file->turned, .left = size };

	memcpy(file->turned, from, size);
	turn(&turner, "422");
	if (header->type < PERF_FILE_RECORD_FIRST)
		turn_kernel_record(file, &turner, header);
	else
		turn_file_record(&turner, header);
	return header;
}
