// SPDX-License-Identifier: GPL-2.0
/*
 * jit_unwind_test.c - what rows are made of the unwind information in a jitdump.
 */
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "jit/jit_unwind.h"
#include "tests/tap.h"

#define PID		1234
#define CODE		0x7f0000001000ULL
#define CODE_SIZE	15
#define NR_ROWS		5
#define ROOM		65536
#define MUTANTS		20000

/* A CIE, and what follows START in an FDE; see selftests/languages/jit_unwind.c. */
#define CIE_SIZE	24
#define FDE_SIZE	36

static const u8 cie[CIE_SIZE] = {
	20, 0, 0, 0,  0, 0, 0, 0,  1, 'z', 'R', 0,  1, 0x78, 16,  1, 0x1b,  0x0c, 7, 8,  0x90, 1,
};

/* push %rbp; xor; sub $32, %rsp; call; sub; pop %rbp; ret */
static const u8 fde[FDE_SIZE] = {
	32, 0, 0, 0,  0, 0, 0, 0,  0, 0, 0, 0,  CODE_SIZE, 0, 0, 0,  0,
	0x41, 0x0e, 16, 0x86, 2,  0x46, 0x0e, 48,  0x46, 0x0e, 16,  0x41, 0x0e, 8, 0xc6,
};

/* A dump in memory. */
struct dump {
	u8 bytes[ROOM];
	size_t len;
};

static void put(struct dump *dump, const void *bytes, size_t size)
{
	memcpy(dump->bytes + dump->len, bytes, size);
	dump->len += size;
}

static void put_header(struct dump *dump)
{
	const struct lw_jit_dump_header header = {
		.magic = LW_JIT_DUMP_MAGIC, .version = 1, .size = sizeof(header), .pid = PID,
		.machine = EM_X86_64, .time = 1,
	};

	dump->len = 0;
	put(dump, &header, sizeof(header));
}

static void put_load(struct dump *dump, u64 start, u64 size)
{
	static const char name[] = "some name";
	static const u8 code[4096];
	const struct lw_jit_dump_load load = {
		.record = { .type = LW_JIT_DUMP_LOAD,
			    .size = sizeof(load) + sizeof(name) + size },
		.pid = PID, .tid = PID, .vma = start, .start = start, .size = size,
	};

	put(dump, &load, sizeof(load));
	put(dump, name, sizeof(name));
	put(dump, code, size);
}

static void put_move(struct dump *dump, u64 from, u64 to, u64 size)
{
	const struct lw_jit_dump_move move = {
		.record = { .type = LW_JIT_DUMP_MOVE, .size = sizeof(move) },
		.pid = PID, .tid = PID, .vma = to, .from = from, .to = to, .size = size,
	};

	put(dump, &move, sizeof(move));
}

static void put_unwind(struct dump *dump, u64 size, u64 header_size)
{
	const struct lw_jit_dump_unwind unwind = {
		.record = { .type = LW_JIT_DUMP_UNWIND, .size = sizeof(unwind) + size },
		.unwind_size = size, .header_size = header_size,
	};

	put(dump, &unwind, sizeof(unwind));
}

/* .eh_frame at @at, of functions of CODE_SIZE at @code and so many bytes from each other. */
static void put_frames(struct dump *dump, u64 at, u64 code, u32 nr, u32 stride)
{
	const size_t begin = dump->len;

	put(dump, cie, sizeof(cie));
	for (u32 i = 0; i < nr; i++) {
		const size_t here = dump->len - begin;
		const u32 to_cie = here + 4;
		const s32 start = code + i * stride - (at + here + 8);

		put(dump, fde, sizeof(fde));
		memcpy(dump->bytes + begin + here + 4, &to_cie, sizeof(to_cie));
		memcpy(dump->bytes + begin + here + 8, &start, sizeof(start));
	}
	put(dump, "\0\0\0", 4);
}

#define FRAMES(nr)	(CIE_SIZE + (nr) * FDE_SIZE + 4)

/* As V8 and CPython have it. */
static void put_frames_behind(struct dump *dump, u64 code, u64 size)
{
	static const u8 header[20] = { 1, 0x1b, 0x03, 0x3b };

	put_unwind(dump, FRAMES(1) + sizeof(header), sizeof(header));
	put_frames(dump, code + ALIGN_UP(size, 8), code, 1, 0);
	put(dump, header, sizeof(header));
}

/* As LLVM has it. */
static void put_frames_at(struct dump *dump, u64 at, u64 code, u32 nr, u32 stride)
{
	u8 header[12] = { 1, 0x0c, 0xff, 0xff };

	memcpy(header + 4, &at, sizeof(at));
	put_unwind(dump, FRAMES(nr) + sizeof(header), sizeof(header));
	put(dump, header, sizeof(header));
	put_frames(dump, at, code, nr, stride);
}

static int file_of(const struct dump *dump)
{
	int fd = memfd_create("dump", 0);

	if (fd < 0 || write(fd, dump->bytes, dump->len) != (ssize_t)dump->len)
		exit(1);
	return fd;
}

static u32 number(const u8 *at)
{
	u32 value;

	memcpy(&value, at, sizeof(value));
	return value;
}

/* Is it a section of version 2 for the function above, which is all of the code? */
static bool is_whole(const struct lw_jit_rows *rows, u64 start)
{
	const u8 *table = rows->table;

	return table && rows->start == start && rows->size == CODE_SIZE && rows->table_size > 48 &&
	       number(table) << 8 == 0x02dee200 && number(table + 8) == 1 &&
	       number(table + 12) == NR_ROWS && !number(table + 28) &&
	       number(table + 32) == CODE_SIZE;
}

static bool next_is_whole(struct lw_jit_unwind *unwind, int fd, u64 start)
{
	struct lw_jit_rows rows = {};
	bool whole = lw_jit_unwind_next(unwind, fd, &rows) && is_whole(&rows, start);

	free(rows.table);
	return whole;
}

static bool next_has_none(struct lw_jit_unwind *unwind, int fd, u64 start)
{
	struct lw_jit_rows rows;

	return lw_jit_unwind_next(unwind, fd, &rows) && !rows.table && rows.start == start;
}

static bool information_is_of_the_next_code(void)
{
	struct lw_jit_unwind unwind = {};
	static struct dump dump;
	struct lw_jit_rows rows;
	int fd;

	put_header(&dump);
	put_load(&dump, CODE + 0x1000, 16);
	put_frames_behind(&dump, CODE, CODE_SIZE);
	put_load(&dump, CODE, CODE_SIZE);
	/* without any of its own */
	put_load(&dump, CODE, CODE_SIZE);
	put_frames_behind(&dump, CODE + 3, CODE_SIZE);
	put_move(&dump, CODE, CODE + 0x100, CODE_SIZE);
	put_load(&dump, CODE + 3, CODE_SIZE);
	fd = file_of(&dump);
	CHECK(next_is_whole(&unwind, fd, CODE));
	CHECK(next_has_none(&unwind, fd, CODE));
	CHECK(next_has_none(&unwind, fd, CODE + 0x100));
	CHECK(next_is_whole(&unwind, fd, CODE + 3));
	CHECK(!lw_jit_unwind_next(&unwind, fd, &rows));
	CHECK(unwind.dump.read_to == dump.len && !unwind.dump.bad);
	lw_jit_unwind_forget(&unwind);
	close(fd);
	return true;
}

static bool information_with_an_address_is_of_all_code_that_follows(void)
{
	struct lw_jit_unwind unwind = {};
	static struct dump dump;
	int fd;

	put_header(&dump);
	put_frames_at(&dump, CODE + 0x9000, CODE, 3, 0x40);
	put_load(&dump, CODE + 0x40, CODE_SIZE);
	put_load(&dump, CODE + 0x80, CODE_SIZE);
	put_load(&dump, CODE + 0x1000, CODE_SIZE);
	put_load(&dump, CODE, CODE_SIZE);
	put_frames_at(&dump, CODE - 0x9000, CODE + 0x200, 1, 0);
	put_load(&dump, CODE + 0x40, CODE_SIZE);
	put_load(&dump, CODE + 0x200, CODE_SIZE);
	fd = file_of(&dump);
	CHECK(next_is_whole(&unwind, fd, CODE + 0x40));
	CHECK(next_is_whole(&unwind, fd, CODE + 0x80));
	CHECK(next_has_none(&unwind, fd, CODE + 0x1000));
	CHECK(next_is_whole(&unwind, fd, CODE));
	CHECK(next_has_none(&unwind, fd, CODE + 0x40));
	CHECK(next_is_whole(&unwind, fd, CODE + 0x200));
	lw_jit_unwind_forget(&unwind);
	close(fd);
	return true;
}

/* Of V8, for code that it has none for: a header alone. */
static bool a_header_alone_has_no_rows(void)
{
	static const u8 header[20] = { 1, 0x1b, 0x03, 0x3b };
	struct lw_jit_unwind unwind = {};
	static struct dump dump;
	int fd;

	put_header(&dump);
	put_unwind(&dump, sizeof(header), sizeof(header));
	put(&dump, header, sizeof(header));
	put_load(&dump, CODE, CODE_SIZE);
	/* the place of .eh_frame in front of which a header stands is not known */
	put_unwind(&dump, FRAMES(1) + sizeof(header), sizeof(header));
	put(&dump, header, sizeof(header));
	put_frames(&dump, CODE + 16, CODE, 1, 0);
	put_load(&dump, CODE, CODE_SIZE);
	fd = file_of(&dump);
	CHECK(next_has_none(&unwind, fd, CODE));
	CHECK(next_has_none(&unwind, fd, CODE));
	lw_jit_unwind_forget(&unwind);
	close(fd);
	return true;
}

/* @size and @header_size: as the record has them that has room for 20 bytes */
static bool has_no_frames(u64 size, u64 header_size)
{
	struct lw_jit_dump_unwind unwind = {
		.record = { .type = LW_JIT_DUMP_UNWIND, .size = sizeof(unwind) + 20 },
		.unwind_size = size, .header_size = header_size,
	};
	struct lw_jit_unwind read = {};
	static struct dump dump;
	bool has_none;
	int fd;

	put_header(&dump);
	put(&dump, &unwind, sizeof(unwind));
	put(&dump, fde, 20);
	put_load(&dump, CODE, CODE_SIZE);
	fd = file_of(&dump);
	has_none = next_has_none(&read, fd, CODE) && !read.size;
	lw_jit_unwind_forget(&read);
	close(fd);
	return has_none;
}

static bool sizes_that_lie_are_found_out(void)
{
	struct lw_jit_unwind unwind = {};
	static struct dump dump;
	struct lw_jit_rows rows;
	int fd;

	CHECK(has_no_frames(21, 4) && has_no_frames(40, 4) && has_no_frames(~0ULL, 4));
	CHECK(has_no_frames(0, 0) && has_no_frames(20, 21) && has_no_frames(20, ~0ULL));
	CHECK(has_no_frames(20, 0) && has_no_frames(20, 1) && has_no_frames(20, 20));
	/* what is whole in the file, but not in its record */
	put_header(&dump);
	put_frames_at(&dump, CODE - 0x1000, CODE, 1, 0);
	((struct lw_jit_dump_record *)(dump.bytes + sizeof(struct lw_jit_dump_header)))->size -= 4;
	put_load(&dump, CODE, CODE_SIZE);
	fd = file_of(&dump);
	CHECK(!lw_jit_unwind_next(&unwind, fd, &rows) && unwind.any && !unwind.eh_frame);
	lw_jit_unwind_forget(&unwind);
	close(fd);
	return true;
}

static bool a_dump_without_information_has_nothing(void)
{
	struct lw_jit_unwind unwind = {};
	static struct dump dump;
	struct lw_jit_rows rows;
	int fd;

	put_header(&dump);
	for (u32 i = 0; i < 100; i++)
		put_load(&dump, CODE + i * 16, CODE_SIZE);
	put_move(&dump, CODE, CODE + 0x2000, CODE_SIZE);
	fd = file_of(&dump);
	CHECK(!lw_jit_unwind_next(&unwind, fd, &rows));
	CHECK(unwind.dump.read_to == dump.len);
	close(fd);
	return true;
}

static struct dump *some_dump(void)
{
	static struct dump dump;

	put_header(&dump);
	for (u32 i = 0; i < 8; i++) {
		put_frames_behind(&dump, CODE + i * 16, CODE_SIZE);
		put_load(&dump, CODE + i * 16, CODE_SIZE);
		put_frames_at(&dump, CODE - 0x1000, CODE + 0x1000, 3, 16);
		put_load(&dump, CODE + 0x1010, CODE_SIZE);
		put_load(&dump, CODE + 0x1000, 24);
	}
	put_move(&dump, CODE, CODE + 0x2000, CODE_SIZE);
	return &dump;
}

#define SOME_ROWS	24
#define SOME_PIECES	25

/* Whatever is there of it, what is whole is read, once. */
static bool a_file_is_read_on_as_it_grows(void)
{
	const struct dump *dump = some_dump();

	for (size_t step = 1; step < 200; step += 17) {
		struct lw_jit_unwind unwind = {};
		struct lw_jit_rows rows;
		int fd = memfd_create("dump", 0);
		u32 nr = 0, whole = 0;

		CHECK(fd >= 0);
		for (size_t at = 0; at < dump->len; at += step) {
			size_t len = dump->len - at < step ? dump->len - at : step;

			CHECK(pwrite(fd, dump->bytes + at, len, at) == (ssize_t)len);
			for (; lw_jit_unwind_next(&unwind, fd, &rows); nr++) {
				whole += !!rows.table;
				free(rows.table);
			}
			CHECK(unwind.dump.read_to <= at + len && !unwind.dump.bad);
		}
		CHECK(nr == SOME_PIECES && whole == SOME_ROWS);
		lw_jit_unwind_forget(&unwind);
		close(fd);
	}
	return true;
}

static bool others_are_left_alone(void)
{
	static const size_t at[] = {
		offsetof(struct lw_jit_dump_header, magic),
		offsetof(struct lw_jit_dump_header, version),
		offsetof(struct lw_jit_dump_header, machine),
		offsetof(struct lw_jit_dump_header, pid),
		offsetof(struct lw_jit_dump_header, flags) + 1,
	};
	struct lw_jit_rows rows;

	for (u32 i = 0; i < ARRAY_SIZE(at); i++) {
		struct dump *dump = some_dump();
		struct lw_jit_unwind unwind = {};
		int fd;

		dump->bytes[at[i]] ^= 1;
		fd = file_of(dump);
		CHECK(!lw_jit_unwind_next(&unwind, fd, &rows));
		lw_jit_unwind_forget(&unwind);
		close(fd);
	}
	return true;
}

/* Each is read to an end, and says nothing of code that cannot be. */
static bool mutants_are_read_to_an_end(void)
{
	const struct dump whole = *some_dump();
	static const u64 odd[] = { 0, 1, 0x7f, 0xff, 0xffff, 0x7fffffff, ~0U, ~0ULL, 1ULL << 63 };
	static struct dump dump;
	u64 seed = 1, pieces = 0;
	int fd = memfd_create("dump", 0);

	CHECK(fd >= 0);
	for (u32 i = 0; i < MUTANTS; i++) {
		struct lw_jit_unwind unwind = {};
		struct lw_jit_rows rows;
		u32 nr = 0;

		dump = whole;
		for (u32 j = 0; j <= i % 3; j++) {
			size_t at = lw_hash64(seed++) % (dump.len - 8);
			u64 value = lw_hash64(seed++);

			value = value % 4 ? odd[value % ARRAY_SIZE(odd)] : value;
			memcpy(dump.bytes + at, &value, 1 << seed % 4);
		}
		CHECK(pwrite(fd, dump.bytes, dump.len, 0) == (ssize_t)dump.len);
		for (; lw_jit_unwind_next(&unwind, fd, &rows); nr++) {
			CHECK(rows.size && rows.start + rows.size > rows.start);
			free(rows.table);
		}
		CHECK(nr <= dump.len / sizeof(struct lw_jit_dump_record));
		pieces += nr;
		lw_jit_unwind_forget(&unwind);
	}
	CHECK(pieces > MUTANTS && pieces < (u64)MUTANTS * SOME_PIECES);
	close(fd);
	return true;
}

static bool what_is_converted_is_bounded(void)
{
	struct lw_jit_unwind unwind = {};
	static struct dump dump;
	struct lw_jit_rows rows;
	int fd;

	put_header(&dump);
	put_frames_at(&dump, CODE - 0x1000, CODE, 1, 0);
	put_load(&dump, CODE, CODE_SIZE);
	put_load(&dump, CODE, CODE_SIZE);
	put_load(&dump, CODE, CODE_SIZE);
	fd = file_of(&dump);
	CHECK(next_is_whole(&unwind, fd, CODE));
	unwind.left = FRAMES(1);
	CHECK(next_is_whole(&unwind, fd, CODE));
	CHECK(next_has_none(&unwind, fd, CODE));
	lw_jit_unwind_forget(&unwind);
	/* more than a record may have, of which the file has all */
	put_header(&dump);
	put_unwind(&dump, 2 << 20, 20);
	put_load(&dump, CODE, CODE_SIZE);
	fd = file_of(&dump);
	CHECK(!ftruncate(fd, 4 << 20));
	CHECK(!lw_jit_unwind_next(&unwind, fd, &rows) && unwind.any && !unwind.eh_frame);
	lw_jit_unwind_forget(&unwind);
	close(fd);
	return true;
}

int main(void)
{
	static const struct tap_test tests[] = {
		TEST(information_is_of_the_next_code),
		TEST(information_with_an_address_is_of_all_code_that_follows),
		TEST(a_header_alone_has_no_rows),
		TEST(sizes_that_lie_are_found_out),
		TEST(a_dump_without_information_has_nothing),
		TEST(a_file_is_read_on_as_it_grows),
		TEST(others_are_left_alone),
		TEST(mutants_are_read_to_an_end),
		TEST(what_is_converted_is_bounded),
	};

	return tap_run(tests, ARRAY_SIZE(tests));
}
