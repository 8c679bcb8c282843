// SPDX-License-Identifier: GPL-2.0
/*
 * jit_dump_test.c - what is taken for a name of code out of a jitdump, and from whom.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "jit/jit_dump.h"
#include "jit/jit_names.h"
#include "tests/tap.h"

#define SECOND	NSEC_PER_SEC
#define ROOM	65536

static char dir[40] = "/tmp/jit-dump-test-XXXXXX";
static char path[80];

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

static void put_header(struct dump *dump, u64 flags)
{
	const struct lw_jit_dump_header header = {
		.magic = LW_JIT_DUMP_MAGIC, .version = 1, .size = sizeof(header), .pid = getpid(),
		.time = 1, .flags = flags,
	};

	dump->len = 0;
	put(dump, &header, sizeof(header));
}

static void put_load(struct dump *dump, u64 time, u64 start, u32 size, const char *name)
{
	static u8 code[8192];
	const struct lw_jit_dump_load load = {
		.record = {
			.type = LW_JIT_DUMP_LOAD, .time = time,
			.size = sizeof(load) + strlen(name) + 1 + size,
		},
		.pid = getpid(), .tid = getpid(), .vma = start, .start = start, .size = size,
		.index = start,
	};

	memset(code, 0x90, sizeof(code));
	put(dump, &load, sizeof(load));
	put(dump, name, strlen(name) + 1);
	put(dump, code, size);
}

static void put_move(struct dump *dump, u64 time, u64 from, u64 to, u32 size)
{
	const struct lw_jit_dump_move move = {
		.record = { .type = LW_JIT_DUMP_MOVE, .size = sizeof(move), .time = time },
		.pid = getpid(), .tid = getpid(), .vma = to, .from = from, .to = to, .size = size,
		.index = from,
	};

	put(dump, &move, sizeof(move));
}

/* Of a type that is passed over. */
static void put_other(struct dump *dump, u32 type, u32 size)
{
	const struct lw_jit_dump_record record = { .type = type, .size = sizeof(record) + size };
	static const u8 bytes[256] = { 1, 2, 3 };

	put(dump, &record, sizeof(record));
	put(dump, bytes, size);
}

#define AT(type, member)	offsetof(struct lw_jit_dump_##type, member)

/* Other bytes in a field of @size; records begin at any address. */
static void patch(struct dump *dump, size_t at, size_t size, u64 value)
{
	memcpy(dump->bytes + at, &value, size);
}

static bool store(const char *mode, const void *bytes, size_t size)
{
	FILE *file = fopen(path, mode);

	if (!file)
		return false;
	if (fwrite(bytes, 1, size, file) != size) {
		fclose(file);
		return false;
	}
	return !fclose(file);
}

static const char *ask(struct lw_jit_names *names, u64 time, u64 ip, u64 *offset)
{
	const struct lw_jit_address address = {
		.pid = getpid(), .time = time, .ip = ip, .dump = path,
	};
	const char *file, *name = lw_jit_names_find(names, &address, offset, &file);

	return name && strcmp(file, path) ? NULL : name;
}

static bool is(struct lw_jit_names *names, u64 time, u64 ip, const char *name, u64 offset)
{
	u64 got = ~0ULL;
	const char *found = ask(names, time, ip, &got);

	if (!found || !name)
		return !found && !name;
	return !strcmp(found, name) && got == offset;
}

static bool names_are_those_of_the_time(void)
{
	struct lw_jit_names *names = lw_jit_names_new(LW_JIT_LOOK);
	static struct dump dump;

	put_header(&dump, 0);
	put_load(&dump, 10 * SECOND, 0x1000, 0x100, "first");
	put_other(&dump, LW_JIT_DUMP_LINES, 100);
	put_other(&dump, LW_JIT_DUMP_UNWIND, 24);
	put_load(&dump, 20 * SECOND, 0x1000, 0x80, "void second(int, a b)");
	put_other(&dump, 99, 33);
	put_other(&dump, LW_JIT_DUMP_CLOSE, 0);
	put_move(&dump, 30 * SECOND, 0x1000, 0x5000, 0x80);
	put_load(&dump, 40 * SECOND, 0x7000, 0x2000, "a large one");
	put_load(&dump, 40 * SECOND, 0x9000, 1, "last");
	CHECK(store("w", dump.bytes, dump.len));
	CHECK(is(names, 15 * SECOND, 0x1008, "first", 8));
	CHECK(is(names, 25 * SECOND, 0x1008, "void second(int, a b)", 8));
	CHECK(is(names, 35 * SECOND, 0x1008, "first", 8));
	CHECK(is(names, 35 * SECOND, 0x5008, "void second(int, a b)", 8));
	CHECK(is(names, 45 * SECOND, 0x8fff, "a large one", 0x1fff));
	CHECK(is(names, 45 * SECOND, 0x9000, "last", 0));
	CHECK(is(names, 45 * SECOND, 0x9001, NULL, 0));
	lw_jit_names_free(names);
	return true;
}

static struct dump *some_dump(void)
{
	static struct dump dump;

	put_header(&dump, 0);
	for (u32 i = 0; i < 20; i++) {
		put_other(&dump, LW_JIT_DUMP_UNWIND, 8 * (i % 3));
		put_load(&dump, (i + 1) * SECOND, 0x1000 + i * 0x100, 0x10 + i, "some name");
	}
	put_move(&dump, 30 * SECOND, 0x1000, 0x9000, 0x10);
	return &dump;
}

/* Whatever is there of it, what is whole is read, once. */
static bool a_file_is_read_on_as_it_grows(void)
{
	const struct dump *dump = some_dump();

	for (size_t step = 1; step < 200; step += 13) {
		struct lw_jit_code code = { .most = 1 << 20 };
		struct lw_jit_dump read = {};
		int fd = memfd_create("dump", 0);

		CHECK(fd >= 0);
		for (size_t at = 0; at < dump->len; at += step) {
			size_t len = dump->len - at < step ? dump->len - at : step;

			CHECK(pwrite(fd, dump->bytes + at, len, at) == (ssize_t)len);
			lw_jit_dump_read(&read, &code, fd, 1 << 20);
			CHECK(read.read_to <= at + len && !read.bad);
		}
		CHECK(read.read_to == dump->len && code.nr == 21);
		lw_jit_code_settle(&code);
		CHECK(lw_jit_code_find(&code, 40 * SECOND, 0x9000));
		lw_jit_code_clear(&code);
		close(fd);
	}
	return true;
}

/* A sample that is younger than the last look may be in code that has come since. */
static bool a_younger_sample_finds_younger_code(void)
{
	struct lw_jit_names *names = lw_jit_names_new(LW_JIT_LOOK);
	static struct dump dump;
	size_t first;
	u64 time;

	put_header(&dump, 0);
	put_load(&dump, 1, 0x1000, 0x100, "old");
	first = dump.len;
	CHECK(store("w", dump.bytes, first));
	CHECK(is(names, lw_now(), 0x1000, "old", 0));
	for (u32 i = 0; i < 20; i++) {
		time = lw_now();
		dump.len = first;
		put_load(&dump, time, 0x1000, 0x100, i % 2 ? "newer" : "new");
		CHECK(store("a", dump.bytes + first, dump.len - first));
		CHECK(is(names, lw_now(), 0x1000, i % 2 ? "newer" : "new", 0));
		CHECK(is(names, time, 0x1000, i % 2 ? "newer" : "new", 0));
		CHECK(is(names, 2, 0x1000, "old", 0));
	}
	lw_jit_names_free(names);
	return true;
}

/* As the map of a sample's process says: there may be none, another, and one later. */
static bool the_mapping_says_which_file_it_is(void)
{
	struct lw_jit_names *names = lw_jit_names_new(LW_JIT_LOOK);
	struct lw_jit_address address = { .pid = getpid(), .time = 15 * SECOND, .ip = 0x1000 };
	static struct dump dump;
	const char *file;
	u64 offset;

	put_header(&dump, 0);
	put_load(&dump, 10 * SECOND, 0x1000, 0x100, "first");
	CHECK(store("w", dump.bytes, dump.len));
	CHECK(!lw_jit_names_find(names, &address, &offset, &file));
	address.dump = "/tmp/no/jit-1.dump";
	CHECK(!lw_jit_names_find(names, &address, &offset, &file));
	address.dump = path;
	CHECK(lw_jit_names_find(names, &address, &offset, &file) && !strcmp(file, path));
	/* of a fork, say, whose mapping is not known */
	address.dump = NULL;
	CHECK(lw_jit_names_find(names, &address, &offset, &file));
	/* another program of that process has another one */
	address.began = 20 * SECOND;
	address.time = lw_now();
	CHECK(!lw_jit_names_find(names, &address, &offset, &file));
	lw_jit_names_free(names);
	return true;
}

static bool a_map_names_what_the_dump_does_not(void)
{
	struct lw_jit_names *names = lw_jit_names_new(LW_JIT_LOOK);
	struct lw_jit_address address = { .pid = getpid(), .time = 15 * SECOND };
	static struct dump dump;
	char perf_map[64];
	const char *file, *name;
	FILE *out;
	u64 offset;

	put_header(&dump, 0);
	put_load(&dump, 10 * SECOND, 0x1000, 0x100, "of the dump");
	CHECK(store("w", dump.bytes, dump.len));
	snprintf(perf_map, sizeof(perf_map), "/tmp/perf-%d.map", getpid());
	out = fopen(perf_map, "w");
	CHECK(out && fputs("1000 100 of the map\n2000 100 of the map\n", out) > 0 && !fclose(out));
	address.dump = path;
	address.ip = 0x1004;
	name = lw_jit_names_find(names, &address, &offset, &file);
	CHECK(name && !strcmp(name, "of the dump") && !strcmp(file, path) && offset == 4);
	address.ip = 0x2005;
	name = lw_jit_names_find(names, &address, &offset, &file);
	CHECK(name && !strcmp(name, "of the map") && !strcmp(file, perf_map) && offset == 5);
	unlink(perf_map);
	lw_jit_names_free(names);
	return true;
}

static bool a_processor_s_own_times_are_an_order_only(void)
{
	struct lw_jit_names *names = lw_jit_names_new(LW_JIT_LOOK);
	static struct dump dump;

	put_header(&dump, LW_JIT_DUMP_ARCH_TIME);
	put_load(&dump, ~0ULL - 2, 0x1000, 0x100, "first");
	put_move(&dump, ~0ULL - 1, 0x1000, 0x5000, 0x100);
	put_load(&dump, ~0ULL, 0x1000, 0x100, "second");
	put_load(&dump, 5, 0x1000, 0x10, "third");
	CHECK(store("w", dump.bytes, dump.len));
	CHECK(is(names, SECOND, 0x1000, "third", 0) && is(names, SECOND, 0x1010, "second", 16));
	CHECK(is(names, SECOND, 0x5000, "first", 0));
	lw_jit_names_free(names);
	return true;
}

/* @change: a byte of the header. */
static bool is_refused(size_t change, u8 to)
{
	struct lw_jit_code code = { .most = 1 << 20 };
	struct lw_jit_dump read = {};
	struct dump dump = *some_dump();
	int fd = memfd_create("dump", 0);

	dump.bytes[change] = to;
	CHECK(write(fd, dump.bytes, dump.len) == (ssize_t)dump.len);
	lw_jit_dump_read(&read, &code, fd, 1 << 20);
	CHECK(read.bad && !code.nr);
	close(fd);
	return true;
}

static bool other_headers_are_refused(void)
{
	const size_t size = offsetof(struct lw_jit_dump_header, size);

	CHECK(is_refused(0, 'J'));
	CHECK(is_refused(offsetof(struct lw_jit_dump_header, version), 2));
	CHECK(is_refused(offsetof(struct lw_jit_dump_header, flags), 2));
	CHECK(is_refused(size, sizeof(struct lw_jit_dump_header) - 1));
	return true;
}

/* There is room for it before it is written. */
static bool a_header_of_zeros_is_waited_for(void)
{
	struct lw_jit_code code = { .most = 1 << 20 };
	const struct dump *dump = some_dump();
	struct lw_jit_dump read = {};
	int fd = memfd_create("dump", 0);

	CHECK(!ftruncate(fd, dump->len));
	lw_jit_dump_read(&read, &code, fd, 1 << 20);
	CHECK(!read.bad && !read.read_to && !code.nr);
	CHECK(pwrite(fd, dump->bytes, dump->len, 0) == (ssize_t)dump->len);
	lw_jit_dump_read(&read, &code, fd, 1 << 20);
	CHECK(read.read_to == dump->len && code.nr == 21);
	lw_jit_code_clear(&code);
	close(fd);
	return true;
}

static bool a_longer_header_is_passed_over(void)
{
	struct lw_jit_names *names = lw_jit_names_new(LW_JIT_LOOK);
	static struct dump dump;

	put_header(&dump, 0);
	patch(&dump, AT(header, size), 4, 56);
	put(&dump, "0123456789abcdef", 16);
	put_load(&dump, 1, 0x1000, 0x10, "first");
	CHECK(store("w", dump.bytes, dump.len));
	CHECK(is(names, SECOND, 0x1000, "first", 0));
	lw_jit_names_free(names);
	return true;
}

/* It lacks the index of code, in whose place the next record has just that one. */
static void put_short_move(struct dump *dump)
{
	size_t at = dump->len;

	put_load(dump, 1, 0x6000, 0x10, "not moved");
	patch(dump, at + AT(load, index), 8, 99 | 33ULL << 32);
	at = dump->len;
	put_move(dump, 2, 0x6000, 0x3800, 0x10);
	dump->len -= sizeof(u64);
	patch(dump, at + AT(record, size), 4, sizeof(struct lw_jit_dump_move) - sizeof(u64));
	put_other(dump, 99, 33 - sizeof(struct lw_jit_dump_record));
}

/* As the name of the last record is not whole, or its code is longer than it. */
static bool records_that_lie_are_left_out(void)
{
	struct lw_jit_names *names = lw_jit_names_new(LW_JIT_LOOK);
	static struct dump dump;
	size_t at;

	put_header(&dump, 0);
	at = dump.len;
	put_load(&dump, 1, 0x1000, 0x10, "its code is longer");
	patch(&dump, at + AT(load, size), 8, strlen("its code is longer") + 1 + 0x10);
	at = dump.len;
	put_load(&dump, 1, 0x2000, 0x10, "its code is huge");
	patch(&dump, at + AT(load, size), 8, ~0ULL - 8);
	at = dump.len;
	put_load(&dump, 1, 0x3000, 0x10, "of a child");
	patch(&dump, at + AT(load, pid), 4, getpid() + 1);
	put_other(&dump, LW_JIT_DUMP_LOAD, 3);
	put_short_move(&dump);
	at = dump.len;
	put_load(&dump, 1, 0x4000, 0x10, "its name has no end");
	dump.bytes[at + sizeof(struct lw_jit_dump_load) + strlen("its name has no end")] = '!';
	put_load(&dump, 1, 0x5000, 0x10, "good");
	CHECK(store("w", dump.bytes, dump.len));
	CHECK(is(names, SECOND, 0x5000, "good", 0));
	CHECK(is(names, SECOND, 0x6000, "not moved", 0));
	for (u64 ip = 0x1000; ip < 0x4000; ip += 0x800)
		CHECK(is(names, SECOND, ip, NULL, 0));
	CHECK(is(names, SECOND, 0x4000, "its name has no end!", 0));
	lw_jit_names_free(names);
	return true;
}

static bool long_names_are_cut(void)
{
	struct lw_jit_names *names = lw_jit_names_new(LW_JIT_LOOK);
	static struct dump dump;
	static char name[5000];
	const char *found;
	u64 offset;

	memset(name, 'n', sizeof(name) - 1);
	put_header(&dump, 0);
	put_load(&dump, 1, 0x1000, 0x10, name);
	put_load(&dump, 1, 0x2000, 0x10, "good");
	CHECK(store("w", dump.bytes, dump.len));
	found = ask(names, SECOND, 0x1000, &offset);
	CHECK(found && strlen(found) == 1024 && !strncmp(found, name, 1024));
	CHECK(is(names, SECOND, 0x2000, "good", 0));
	lw_jit_names_free(names);
	return true;
}

/* A record of no size would be read for ever; one of zeros may still be written. */
static bool reading_ends_where_no_record_can_follow(void)
{
	struct lw_jit_code code = { .most = 1 << 20 };
	const u32 sizes[] = { 0, 1, 15 };

	for (u32 i = 0; i < ARRAY_SIZE(sizes); i++) {
		const struct lw_jit_dump_record record = { .size = sizes[i] };
		struct lw_jit_dump read = {};
		struct dump dump = *some_dump();
		size_t whole = dump.len;
		int fd = memfd_create("dump", 0);

		put(&dump, &record, sizeof(record));
		put_load(&dump, 1, 0x1000, 0x10, "behind it");
		CHECK(write(fd, dump.bytes, dump.len) == (ssize_t)dump.len);
		lw_jit_dump_read(&read, &code, fd, 1 << 20);
		CHECK(read.read_to == whole && read.bad == !!sizes[i]);
		close(fd);
		CHECK(code.nr == 21);
		lw_jit_code_clear(&code);
	}
	return true;
}

/* No piece is longer than the file, even if it ends early. */
static bool is_sound(const struct lw_jit_code *code, const struct lw_jit_dump *read, size_t size,
		     size_t whole)
{
	CHECK(read->read_to <= size && code->bytes <= code->most);
	for (size_t i = 0; i < code->nr; i++) {
		const struct lw_jit_piece *piece = &code->pieces[i];

		CHECK(piece->size && piece->start + piece->size > piece->start);
		CHECK(!piece->name || (strlen(piece->name) <= 1024 && piece->size <= whole));
	}
	return true;
}

static bool whatever_is_in_a_file_is_read_within_it(void)
{
	u32 with_names = 0;

	srand(1);
	for (u32 round = 0; round < 20000; round++) {
		struct lw_jit_code code = { .most = 1 << 20 };
		struct lw_jit_dump read = {};
		struct dump dump = *some_dump();
		int fd = memfd_create("dump", 0);
		size_t size = dump.len - (rand() % 4 ? 0 : rand() % dump.len);

		for (u32 i = 1 + rand() % 20; i; i--)
			dump.bytes[40 + rand() % (dump.len - 40)] = rand() % 2 ? rand() : 0xff;
		CHECK(write(fd, dump.bytes, size) == (ssize_t)size);
		lw_jit_dump_read(&read, &code, fd, 1 << 20);
		lw_jit_code_settle(&code);
		CHECK(is_sound(&code, &read, size, dump.len));
		with_names += !!lw_jit_code_find(&code, 2 * SECOND, 0x1000);
		lw_jit_code_clear(&code);
		close(fd);
	}
	CHECK(with_names > 1000 && with_names < 20000);
	return true;
}

/* 1.5 MB of small records: what is left is read on with the next look. */
static bool so_much_is_read_at_a_time(void)
{
	struct lw_jit_code code = { .most = 64 << 20 };
	struct lw_jit_dump read = {};
	static struct dump dump;
	int fd = memfd_create("dump", 0);
	size_t size = 0, looks = 0, last = 0;

	put_header(&dump, 0);
	while (size < 1500000) {
		put_load(&dump, 1, 0x1000 + size, 0x10, "name");
		if (dump.len > ROOM - 1000) {
			CHECK(write(fd, dump.bytes, dump.len) == (ssize_t)dump.len);
			size += dump.len;
			dump.len = 0;
		}
	}
	while (read.read_to < size) {
		lw_jit_dump_read(&read, &code, fd, 200000);
		CHECK(read.read_to > last && read.read_to <= last + 300000);
		last = read.read_to;
		looks++;
	}
	CHECK(looks >= 5 && looks <= 10);
	lw_jit_code_clear(&code);
	close(fd);
	return true;
}

/* Code is passed over unread: of 100 MiB less than one is read. */
static bool code_is_not_read(void)
{
	struct lw_jit_code code = { .most = 64 << 20 };
	struct lw_jit_dump_load load = {
		.record = { .type = LW_JIT_DUMP_LOAD, .size = sizeof(load) + 8 + (10 << 20) },
		.pid = getpid(), .start = 0x1000, .size = 10 << 20,
	};
	struct lw_jit_dump read = {};
	static struct dump dump;
	int fd = memfd_create("dump", 0);
	u64 at = sizeof(struct lw_jit_dump_header);

	put_header(&dump, 0);
	CHECK(write(fd, dump.bytes, dump.len) == (ssize_t)dump.len);
	for (u32 i = 0; i < 10; i++) {
		load.start += 1 << 30;
		CHECK(pwrite(fd, &load, sizeof(load), at) == sizeof(load));
		CHECK(pwrite(fd, "large\0\0", 8, at + sizeof(load)) == 8);
		at += load.record.size;
	}
	CHECK(!ftruncate(fd, at));
	lw_jit_dump_read(&read, &code, fd, 1 << 20);
	CHECK(read.read_to == at && code.nr == 10 && !strcmp(code.pieces[9].name, "large"));
	lw_jit_code_clear(&code);
	close(fd);
	return true;
}

static bool a_dump_that_is_begun_anew_is_another_one(void)
{
	struct lw_jit_names *names = lw_jit_names_new(LW_JIT_LOOK);
	static struct dump dump;

	put_header(&dump, 0);
	put_load(&dump, 1, 0x1000, 0x10, "first");
	CHECK(store("w", dump.bytes, dump.len));
	CHECK(is(names, SECOND, 0x1000, "first", 0));
	/* by the same file, which is longer than the old one */
	put_header(&dump, 0);
	patch(&dump, AT(header, time), 8, 2);
	put_load(&dump, 1, 0x2000, 0x1000, "second");
	CHECK(store("w", dump.bytes, dump.len));
	CHECK(is(names, lw_now(), 0x2000, "second", 0));
	CHECK(is(names, SECOND, 0x1000, NULL, 0));
	lw_jit_names_free(names);
	return true;
}

static bool links_and_pipes_are_not_dumps(void)
{
	struct lw_jit_names *names = lw_jit_names_new(LW_JIT_LOOK);
	static struct dump dump;
	char target[90];

	snprintf(target, sizeof(target), "%s.target", path);
	put_header(&dump, 0);
	put_load(&dump, 1, 0x1000, 0x10, "linked");
	CHECK(store("w", dump.bytes, dump.len) && !rename(path, target));
	CHECK(!symlink(target, path));
	CHECK(is(names, lw_now(), 0x1000, NULL, 0));
	CHECK(!unlink(path) && !mkfifo(path, 0600));
	CHECK(is(names, lw_now(), 0x1000, NULL, 0));
	CHECK(!unlink(path) && !rename(target, path));
	CHECK(is(names, lw_now(), 0x1000, "linked", 0));
	lw_jit_names_free(names);
	return true;
}

/* Only root can make one. */
static bool others_are_not_believed(void)
{
	struct lw_jit_names *names = lw_jit_names_new(LW_JIT_LOOK);
	static struct dump dump;

	put_header(&dump, 0);
	put_load(&dump, 1, 0x1000, 0x10, "name");
	CHECK(store("w", dump.bytes, dump.len));
	if (!geteuid()) {
		CHECK(!chown(path, 1, 1));
		CHECK(is(names, lw_now(), 0x1000, NULL, 0));
		CHECK(!chown(path, 0, 0));
	}
	CHECK(is(names, lw_now(), 0x1000, "name", 0));
	lw_jit_names_free(names);
	return true;
}

static bool a_dump_is_told_by_its_name(void)
{
	CHECK(lw_jit_dump_is_path("/tmp/jit-1.dump"));
	CHECK(lw_jit_dump_is_path("/a b/jit-1/jit-1234567.dump"));
	CHECK(!lw_jit_dump_is_path("jit-1.dump"));
	CHECK(!lw_jit_dump_is_path("/tmp/jit-.dump"));
	CHECK(!lw_jit_dump_is_path("/tmp/jit-1x.dump"));
	CHECK(!lw_jit_dump_is_path("/tmp/jit-1.dump.so"));
	CHECK(!lw_jit_dump_is_path("/tmp/jit-1.dump (deleted)"));
	CHECK(!lw_jit_dump_is_path("/tmp/x-jit-1.dump"));
	CHECK(!lw_jit_dump_is_path("//anon"));
	CHECK(!lw_jit_dump_is_path(""));
	return true;
}

static const struct tap_test tests[] = {
	TEST(names_are_those_of_the_time),
	TEST(a_file_is_read_on_as_it_grows),
	TEST(a_younger_sample_finds_younger_code),
	TEST(the_mapping_says_which_file_it_is),
	TEST(a_map_names_what_the_dump_does_not),
	TEST(a_processor_s_own_times_are_an_order_only),
	TEST(other_headers_are_refused),
	TEST(a_header_of_zeros_is_waited_for),
	TEST(a_longer_header_is_passed_over),
	TEST(records_that_lie_are_left_out),
	TEST(long_names_are_cut),
	TEST(reading_ends_where_no_record_can_follow),
	TEST(whatever_is_in_a_file_is_read_within_it),
	TEST(so_much_is_read_at_a_time),
	TEST(code_is_not_read),
	TEST(a_dump_that_is_begun_anew_is_another_one),
	TEST(links_and_pipes_are_not_dumps),
	TEST(others_are_not_believed),
	TEST(a_dump_is_told_by_its_name),
};

int main(void)
{
	int failed;

	if (!mkdtemp(dir))
		return 1;
	snprintf(path, sizeof(path), "%s/jit-%d.dump", dir, getpid());
	failed = tap_run(tests, sizeof(tests) / sizeof(*tests));
	unlink(path);
	rmdir(dir);
	return failed;
}
