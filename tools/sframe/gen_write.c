// SPDX-License-Identifier: GPL-2.0
/*
 * gen_write.c - from runs of code to the bytes of a section.
 *
 * A function becomes as many pieces as its holes leave of it.  Most functions
 * look like another one: the rows of a piece are a block, and each block is
 * written once.  Whether the table is one of version 2 or 3 shows at the end.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sframe/gen_parts.h"
#include "../module/sframe/sframe_format.h"

#define PLT_ENTRY	16U
#define MAX_WORDS	14U
#define MAX_ROW_BYTES	(4 + 1 + MAX_WORDS * 4)

/* A look-up goes through rows one by one, so that none should have very many. */
#define MAX_ROWS	512U

/*
 * Of a hash table that is half full at most, who chooses hashes badly has some ten.
 * More is a file that was made to have them; what it shares does not matter.
 */
#define MAX_PROBES	128U

/* Bytes of a piece, and of a block besides its rows' bytes, in memory and in the table. */
#define PIECE_BYTES	32U
#define BLOCK_BYTES	48U

struct block {
	size_t at;		/* in the bytes of all rows */
	u32 size;
	u32 rows;
	u32 hash;
	u8 info, rep_size, type;
};

struct piece {
	u64 start;
	u32 size;
	u32 block;
};

struct gen_writer {
	const struct gen_machine *machine;
	u64 text_addr;
	u64 *room;
	u8 *bytes;
	size_t nr_bytes, byte_room;
	struct block *blocks;
	size_t nr_blocks, block_room;
	struct piece *pieces;
	size_t nr_pieces, piece_room;
	u32 *table;		/* of blocks by hash, 1 and up; 0: none */
	size_t table_size;	/* a power of 2 */
	u64 rows;
	bool needs_v3;
};

/**
 * gen_writer_new - begin a table
 * @machine: whose rows it has
 * @text_addr: address of the segment in the file's headers
 * @room: bytes that it may take, and those after it; what it takes is subtracted
 *
 * Return: it, or NULL if there is no memory.
 */
struct gen_writer *gen_writer_new(const struct gen_machine *machine, u64 text_addr, u64 *room)
{
	struct gen_writer *writer = calloc(1, sizeof(*writer));

	if (!writer)
		return NULL;
	writer->machine = machine;
	writer->text_addr = text_addr;
	writer->room = room;
	writer->table_size = 1024;
	writer->table = calloc(writer->table_size, sizeof(*writer->table));
	if (!writer->table) {
		free(writer);
		return NULL;
	}
	return writer;
}

/**
 * gen_writer_free - end a table
 * @writer: it, or NULL
 */
void gen_writer_free(struct gen_writer *writer)
{
	if (!writer)
		return;
	free(writer->bytes);
	free(writer->blocks);
	free(writer->pieces);
	free(writer->table);
	free(writer);
}

static u8 *put(const struct gen_machine *machine, u8 *to, u64 value, unsigned int size)
{
	for (unsigned int i = 0; i < size; i++)
		to[i] = value >> 8 * (machine->big ? size - 1 - i : i);
	return to + size;
}

/* The code of the least size that has room for a signed word. */
static unsigned int word_code(s64 word)
{
	if (word == (__s8)word)
		return 0;
	return word == (__s16)word ? 1 : 2;
}

static unsigned int start_code(u32 start)
{
	if (start < 0x100)
		return 0;
	return start < 0x10000 ? 1 : 2;
}

static s32 cfa_word(const struct gen_machine *machine, const struct gen_value *cfa)
{
	return (cfa->off - machine->sp_bias) / machine->cfa_unit;
}

static unsigned int add_flex(s32 *words, unsigned int nr, const struct gen_value *value)
{
	words[nr] = value->deref ? FLEX_DEREF : 0;
	if (value->base != GEN_CFA)
		words[nr] |= FLEX_REG | value->base << 3;
	words[nr + 1] = value->off;
	return nr + 2;
}

/* See decode_path() of the module. */
static unsigned int add_path(const struct gen_machine *machine, s32 *words,
			     const struct gen_value *cfa)
{
	unsigned int nr = 0;

	words[nr++] = FLEX_REG | cfa->base << 3 | (cfa->path == GEN_PATH_SWITCH ? PATH_SWITCH : 0);
	words[nr++] = cfa->deref | cfa->index << 2;
	words[nr++] = cfa_word(machine, cfa);
	for (unsigned int i = 0; i < cfa->deref; i++)
		words[nr++] = cfa->path ? cfa->then[i] : 0;
	return nr;
}

/* Return: words of saved registers, see decode_saved() of the module. */
static unsigned int saved_words(const struct gen_run *run, s32 *words)
{
	unsigned int nr = 0;

	for (unsigned int i = 0; i < LW_RULE_SAVED; i++) {
		if (run->saved[i] == LW_RULE_GONE)
			words[nr++] = i;
		else if (run->saved[i])
			words[nr++] = i | -run->saved[i] / GEN_SLOT << 3;
	}
	return nr;
}

static unsigned int flex_words(const struct gen_machine *machine, const struct gen_run *run,
			       s32 *words, bool path)
{
	unsigned int nr, saved;
	s32 last[LW_RULE_SAVED];

	if (path) {
		nr = add_path(machine, words, &run->cfa);
	} else {
		nr = add_flex(words, 0, &run->cfa);
		words[1] = cfa_word(machine, &run->cfa);
	}
	saved = saved_words(run, last);
	if (!gen_is_usual_ra(machine, &run->ra))
		nr = add_flex(words, nr, &run->ra);
	else if (run->fp.kind == GEN_VALUE || saved)
		words[nr++] = 0;
	if (run->fp.kind == GEN_VALUE)
		nr = add_flex(words, nr, &run->fp);
	else if (saved)
		words[nr++] = 0;
	memcpy(words + nr, last, saved * sizeof(*last));
	return nr + saved;
}

static unsigned int default_words(const struct gen_machine *machine, const struct gen_run *run,
				  s32 *words)
{
	unsigned int nr = 0;

	words[nr++] = cfa_word(machine, &run->cfa);
	if (!gen_is_usual_ra(machine, &run->ra))
		words[nr++] = run->ra.off;
	else if (!machine->ra_off && run->fp.kind == GEN_VALUE)
		words[nr++] = 0;	/* see gen_machine.pads_ra */
	if (run->fp.kind == GEN_VALUE)
		words[nr++] = run->fp.off;
	return nr;
}

/* @info: of the row, what does not come from its words */
static u8 *put_row(const struct gen_machine *machine, u8 *to, u32 start, unsigned int start_size,
		   u8 info, const s32 *words, unsigned int nr)
{
	unsigned int code = 0;

	for (unsigned int i = 0; i < nr; i++) {
		if (word_code(words[i]) > code)
			code = word_code(words[i]);
	}
	to = put(machine, to, start, start_size);
	*to++ = info | nr << 1 | code << 5;
	for (unsigned int i = 0; i < nr; i++)
		to = put(machine, to, words[i], 1U << code);
	return to;
}

static u8 *put_run(const struct gen_machine *machine, u8 *to, const struct gen_run *run, u32 start,
		   unsigned int start_size, u8 type)
{
	u8 info = run->is_signed ? ROW_MANGLED : 0;
	s32 words[MAX_WORDS];
	unsigned int nr = 0;

	if (run->form != GEN_FORM_OUTERMOST && type != LW_SFRAME_DEFAULT) {
		nr = flex_words(machine, run, words, type == LW_SFRAME_PATH);
	} else if (run->form != GEN_FORM_OUTERMOST) {
		nr = default_words(machine, run, words);
		info |= run->cfa.base == machine->sp ? ROW_BASE_SP : 0;
	}
	return put_row(machine, to, start, start_size, info, words, nr);
}

static u8 *make_room(struct gen_writer *writer, size_t bytes)
{
	if (lw_grow((void **)&writer->bytes, &writer->byte_room, writer->nr_bytes + bytes, 1))
		return NULL;
	return writer->bytes + writer->nr_bytes;
}

static u32 hash_bytes(const u8 *bytes, size_t size, u64 seed)
{
	u64 hash = seed, word;

	for (; size >= sizeof(word); size -= sizeof(word), bytes += sizeof(word)) {
		memcpy(&word, bytes, sizeof(word));
		hash = lw_hash64(hash ^ word);
	}
	word = 0;
	memcpy(&word, bytes, size);
	return lw_hash64(hash ^ word ^ (u64)size << 56);
}

static bool same_block(const struct gen_writer *writer, const struct block *a,
		       const struct block *b)
{
	return a->hash == b->hash && a->size == b->size && a->rows == b->rows &&
	       a->info == b->info && a->rep_size == b->rep_size && a->type == b->type &&
	       !memcmp(writer->bytes + a->at, writer->bytes + b->at, a->size);
}

/* Return: that of the block, or an empty one; NULL if neither is near. */
static u32 *find_slot(const struct gen_writer *writer, const struct block *block)
{
	size_t mask = writer->table_size - 1, at = block->hash & mask;

	for (unsigned int i = 0; i < MAX_PROBES; i++, at = (at + 1) & mask) {
		if (!writer->table[at] ||
		    same_block(writer, &writer->blocks[writer->table[at] - 1], block))
			return &writer->table[at];
	}
	return NULL;
}

/* One that finds no slot is not found again: its rows are written once more. */
static int grow_table(struct gen_writer *writer)
{
	size_t size = writer->table_size * 2;
	u32 *table = calloc(size, sizeof(*table)), *slot;

	if (!table)
		return -ENOMEM;
	free(writer->table);
	writer->table = table;
	writer->table_size = size;
	for (size_t i = 0; i < writer->nr_blocks; i++) {
		slot = find_slot(writer, &writer->blocks[i]);
		if (slot && !*slot)
			*slot = i + 1;
	}
	return 0;
}

/*
 * @block: its rows are behind all others, and stay there if they are new.
 * Return: number of the block, or -ENOMEM.
 */
static s64 keep_block(struct gen_writer *writer, struct block *block)
{
	u32 *slot;

	block->hash = hash_bytes(writer->bytes + block->at, block->size,
				 block->rows << 8 | block->info);
	slot = find_slot(writer, block);
	if (slot && *slot)
		return *slot - 1;
	if (writer->nr_blocks == UINT32_MAX ||
	    lw_grow((void **)&writer->blocks, &writer->block_room, writer->nr_blocks + 1,
		    sizeof(*block)))
		return -ENOMEM;
	writer->nr_bytes += block->size;
	writer->blocks[writer->nr_blocks++] = *block;
	if (slot)
		*slot = writer->nr_blocks;
	if (writer->nr_blocks * 2 > writer->table_size && grow_table(writer))
		return -ENOMEM;
	return writer->nr_blocks - 1;
}

static int count_hole(u8 reason, u64 bytes, struct lw_gen_counts *counts)
{
	counts->holes[reason]++;
	counts->hole_bytes[reason] += bytes;
	return 0;
}

static int add_piece(struct gen_writer *writer, u64 start, u32 size, struct block *block,
		     struct lw_gen_counts *counts)
{
	size_t blocks = writer->nr_blocks;
	s64 number;

	if (*writer->room < PIECE_BYTES + BLOCK_BYTES + block->size)
		return count_hole(LW_GEN_HOLE_RANGE, size, counts);
	number = keep_block(writer, block);
	if (number < 0 || lw_grow((void **)&writer->pieces, &writer->piece_room,
				  writer->nr_pieces + 1, sizeof(*writer->pieces)))
		return -ENOMEM;
	*writer->room -= PIECE_BYTES;
	if (writer->nr_blocks > blocks)
		*writer->room -= BLOCK_BYTES + block->size;
	writer->pieces[writer->nr_pieces++] = (struct piece){ start, size, number };
	writer->rows += block->rows;
	writer->needs_v3 |= block->type != LW_SFRAME_DEFAULT || (block->info & FDE_SIGNAL) ||
			    start > INT32_MAX;
	counts->rows += block->rows;
	counts->covered_bytes += size;
	return 0;
}

/* For FDE_TOLD(). */
static unsigned int told_code(unsigned int told)
{
	return told & (told - 1) ? FDE_TOLD_ALL : __builtin_ctz(told) + 1;
}

/* What the info bytes of a block have besides the form of its rows. */
static void set_marks(struct block *block, const struct gen_rows *rows)
{
	block->info |= (rows->signal ? FDE_SIGNAL : 0) | (rows->analysed ? FDE_ANALYSED : 0) |
		       (rows->key_b ? FDE_PAUTH_B : 0);
	if (rows->told)
		block->type |= told_code(rows->told) << 5;
}

/* Writes @nr runs of @rows from @at on, none of which is a hole or a PLT, up to @end. */
static int write_runs(struct gen_writer *writer, u64 start, const struct gen_rows *rows, size_t at,
		      size_t nr, u32 end, struct lw_gen_counts *counts)
{
	const struct gen_run *runs = rows->runs + at;
	u32 first = runs[0].start;
	unsigned int code = start_code(runs[nr - 1].start - first);
	struct block block = {
		.at = writer->nr_bytes, .rows = nr, .info = code,
	};
	u8 *to = make_room(writer, nr * MAX_ROW_BYTES);

	if (!to)
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++) {
		if (runs[i].form == GEN_FORM_PATH)
			block.type = LW_SFRAME_PATH;
		else if (runs[i].form == GEN_FORM_FLEX && !block.type)
			block.type = LW_SFRAME_FLEX;
	}
	for (size_t i = 0; i < nr; i++)
		to = put_run(writer->machine, to, &runs[i], runs[i].start - first, 1U << code,
			     block.type);
	set_marks(&block, rows);
	block.size = to - writer->bytes - block.at;
	return add_piece(writer, start + first, end - first, &block, counts);
}

/*
 * Rows of each 16 bytes, by address: so these must be whole.  One row of sp + 16
 * alone is what ld writes of a jump, wrongly; the module puts it right, so that it
 * can't be said.
 */
static int write_plt(struct gen_writer *writer, u64 start, const struct gen_rows *rows, size_t at,
		     u32 end, struct lw_gen_counts *counts)
{
	const struct gen_run *run = rows->runs + at;
	struct block block = {
		.at = writer->nr_bytes, .rows = 2, .info = FDE_MASK, .rep_size = PLT_ENTRY,
	};
	u8 *to = make_room(writer, 2 * MAX_ROW_BYTES);
	s32 first = 8, pushed = 16;

	if (!to)
		return -ENOMEM;
	if ((writer->text_addr + start + run->start) % PLT_ENTRY || !run->cfa.off ||
	    end - run->start < PLT_ENTRY)
		return count_hole(LW_GEN_HOLE_CFA, end - run->start, counts);
	to = put_row(writer->machine, to, 0, 1, ROW_BASE_SP, &first, 1);
	to = put_row(writer->machine, to, run->cfa.off, 1, ROW_BASE_SP, &pushed, 1);
	set_marks(&block, rows);
	block.size = to - writer->bytes - block.at;
	return add_piece(writer, start + run->start, end - run->start, &block, counts);
}

static bool is_plain(const struct gen_run *run)
{
	return run->form != GEN_FORM_PLT && run->form != GEN_FORM_HOLE;
}

/**
 * gen_write_function - add a function to a table
 * @writer: table, with all functions that are below this one
 * @start: of the function, from that of the segment
 * @size: its bytes
 * @rows: what gen_function_rows() said of it
 * @counts: added to
 *
 * Return: 0 or -ENOMEM.
 */
int gen_write_function(struct gen_writer *writer, u64 start, u32 size,
		       const struct gen_rows *rows, struct lw_gen_counts *counts)
{
	const struct gen_run *runs = rows->runs;
	size_t next;
	int ret = 0;
	u32 end;

	for (size_t i = 0; !ret && i < rows->nr; i = next) {
		next = i + 1;
		while (is_plain(&runs[i]) && next < rows->nr && is_plain(&runs[next]) &&
		       next - i < MAX_ROWS)
			next++;
		end = next < rows->nr ? runs[next].start : size;
		if (runs[i].form == GEN_FORM_HOLE)
			ret = count_hole(runs[i].hole, end - runs[i].start, counts);
		else if (runs[i].form == GEN_FORM_PLT)
			ret = write_plt(writer, start, rows, i, end, counts);
		else
			ret = write_runs(writer, start, rows, i, next - i, end, counts);
	}
	return ret;
}

static void put_header(const struct gen_writer *writer, u8 *to, u8 version, u32 rows_at,
		       u32 row_bytes)
{
	const struct gen_machine *machine = writer->machine;

	memset(to, 0, HDR_SIZE);
	put(machine, to, MAGIC, 2);
	to[HDR_VERSION] = version;
	to[HDR_FLAGS] = LW_SFRAME_SORTED;
	to[HDR_ABI] = machine->abi;
	to[HDR_FIXED_RA] = (u8)machine->ra_off;
	put(machine, to + HDR_NUM_FDES, writer->nr_pieces, 4);
	put(machine, to + HDR_NUM_FRES, writer->rows < UINT32_MAX ? writer->rows : UINT32_MAX, 4);
	put(machine, to + HDR_FRE_LEN, row_bytes, 4);
	put(machine, to + HDR_FREOFF, rows_at, 4);
}

static void put_pieces_v2(const struct gen_writer *writer, u8 *to)
{
	for (size_t i = 0; i < writer->nr_pieces; i++, to += V2_SIZE) {
		const struct piece *piece = &writer->pieces[i];
		const struct block *block = &writer->blocks[piece->block];

		put(writer->machine, to + V2_START, piece->start, 4);
		put(writer->machine, to + V2_FUNC_SIZE, piece->size, 4);
		put(writer->machine, to + V2_FRE_OFF, block->at, 4);
		put(writer->machine, to + V2_NUM_FRES, block->rows, 4);
		to[V2_INFO] = block->info;
		to[V2_REP_SIZE] = block->rep_size;
		memset(to + V2_REP_SIZE + 1, 0, V2_SIZE - V2_REP_SIZE - 1);
	}
}

/* Blocks are where they would be in version 2, and an attribute further for each. */
static void put_pieces_v3(const struct gen_writer *writer, u8 *to)
{
	for (size_t i = 0; i < writer->nr_pieces; i++, to += V3_SIZE) {
		const struct piece *piece = &writer->pieces[i];

		put(writer->machine, to + V3_START, piece->start, 8);
		put(writer->machine, to + V3_FUNC_SIZE, piece->size, 4);
		put(writer->machine, to + V3_ATTR_OFF,
		    writer->blocks[piece->block].at + (size_t)piece->block * ATTR_SIZE, 4);
	}
}

static void put_blocks_v3(const struct gen_writer *writer, u8 *to)
{
	for (size_t i = 0; i < writer->nr_blocks; i++) {
		const struct block *block = &writer->blocks[i];

		put(writer->machine, to + ATTR_NUM_FRES, block->rows, 2);
		to[ATTR_INFO] = block->info;
		to[ATTR_INFO2] = block->type;
		to[ATTR_REP_SIZE] = block->rep_size;
		to += ATTR_SIZE;
		memcpy(to, writer->bytes + block->at, block->size);
		to += block->size;
	}
}

static void put_table(const struct gen_writer *writer, struct lw_gen_table *table, u32 pieces,
		      u32 rows)
{
	u8 *to = table->data;

	put_header(writer, to, table->version, pieces, rows);
	if (table->version == VERSION_2) {
		put_pieces_v2(writer, to + HDR_SIZE);
		memcpy(to + HDR_SIZE + pieces, writer->bytes, rows);
	} else {
		put_pieces_v3(writer, to + HDR_SIZE);
		put_blocks_v3(writer, to + HDR_SIZE + pieces);
	}
}

/**
 * gen_write_table - the bytes of a table
 * @writer: with one function at least, unless -ENODATA is to be had
 * @flags: LW_GEN_*
 * @table: its data, size and version are set
 * @counts: added to
 *
 * Return: 0, -ENODATA, -EFBIG or -ENOMEM.
 */
int gen_write_table(struct gen_writer *writer, unsigned int flags, struct lw_gen_table *table,
		    struct lw_gen_counts *counts)
{
	bool v3 = writer->needs_v3 || (flags & LW_GEN_V3);
	u64 pieces = (u64)writer->nr_pieces * (v3 ? V3_SIZE : V2_SIZE);
	u64 rows = writer->nr_bytes + (v3 ? (u64)writer->nr_blocks * ATTR_SIZE : 0);

	if (!writer->nr_pieces)
		return -ENODATA;
	if (writer->nr_pieces > LW_SFRAME_MAX_FDES || rows > UINT32_MAX)
		return -EFBIG;
	table->version = v3 ? VERSION_3 : VERSION_2;
	table->size = HDR_SIZE + pieces + rows;
	table->data = malloc(table->size);
	if (!table->data)
		return -ENOMEM;
	put_table(writer, table, pieces, rows);
	counts->pieces += writer->nr_pieces;
	counts->blocks += writer->nr_blocks;
	return 0;
}
