// SPDX-License-Identifier: GPL-2.0
/*
 * usdt_test.c - the probes of this program are found, and hostile notes do no harm.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "elf/usdt.h"
#include "events/event_probe.h"
#include "tests/tap.h"

unsigned short usdt_test_semaphore __attribute__((section(".probes"), used, visibility("hidden")));

/* As sys/sdt.h writes them. */
#define PROBE(name, semaphore)						\
	"990: nop\n"							\
	".pushsection .note.stapsdt, \"\", \"note\"\n"			\
	".balign 4\n"							\
	".4byte 992f - 991f, 994f - 993f, 3\n"				\
	"991: .asciz \"stapsdt\"\n"					\
	"992: .balign 4\n"						\
	"993: .8byte 990b, _.stapsdt.base, " semaphore "\n"		\
	".asciz \"usdt_test\"\n"						\
	".asciz \"" name "\"\n"						\
	".asciz \"\"\n"							\
	"994: .balign 4\n"						\
	".popsection\n"

asm(".pushsection .stapsdt.base, \"aG\", \"progbits\", .stapsdt.base, comdat\n"
	".weak _.stapsdt.base\n"
	".hidden _.stapsdt.base\n"
	"_.stapsdt.base: .space 1\n"
	".popsection\n");

__attribute__((noipa)) void probes_here(void);

/**
 * probes_here - two places of one probe, one of another
 */
__attribute__((noipa)) void probes_here(void)
{
	asm volatile(PROBE("twice", "0"));
	asm volatile(PROBE("once", "usdt_test_semaphore"));
	asm volatile(PROBE("twice", "0"));
}

struct seen {
	u32 twice, once, other;
	u64 offset, semaphore;
	u32 stop_at;
};

static int see(void *ctx, const struct lw_usdt *probe)
{
	struct seen *seen = ctx;

	if (strcmp(probe->provider, "usdt_test")) {
		seen->other++;
	} else if (!strcmp(probe->name, "twice")) {
		seen->twice++;
		seen->other += probe->semaphore != 0;
	} else if (!strcmp(probe->name, "once")) {
		seen->once++;
		seen->offset = probe->offset;
		seen->semaphore = probe->semaphore;
	} else {
		seen->other++;
	}
	return seen->stop_at && seen->twice + seen->once + seen->other == seen->stop_at ? 7 : 0;
}

static bool places_are_found(void)
{
	struct seen seen = { 0 };
	struct lw_elf file;
	u64 addr, start;

	CHECK(!lw_elf_open(&file, "/proc/self/exe"));
	CHECK(!lw_usdt_list(&file, see, &seen));
	CHECK(seen.twice == 2 && seen.once == 1 && !seen.other);
	CHECK(!lw_elf_symbol_to_offset(&file, "probes_here", &start));
	CHECK(seen.offset > start && seen.offset < start + 16);
	CHECK(!lw_elf_offset_to_addr(&file, seen.semaphore, &addr));
	CHECK((addr & 0xfff) == ((unsigned long)&usdt_test_semaphore & 0xfff));
	lw_elf_close(&file);
	return true;
}

static bool caller_can_stop(void)
{
	struct seen seen = { .stop_at = 2 };
	struct lw_elf file;

	CHECK(!lw_elf_open(&file, "/proc/self/exe"));
	CHECK(lw_usdt_list(&file, see, &seen) == 7 && seen.twice + seen.once == 2);
	lw_elf_close(&file);
	return true;
}

static u8 *read_self(size_t *size)
{
	FILE *file = fopen("/proc/self/exe", "re");
	u8 *bytes = NULL;

	*size = 0;
	if (!file)
		return NULL;
	if (!fseek(file, 0, SEEK_END)) {
		*size = ftell(file);
		rewind(file);
		bytes = malloc(*size);
		if (bytes && fread(bytes, 1, *size, file) != *size)
			*size = 0;
	}
	fclose(file);
	return bytes;
}

static u8 *find_note(u8 *bytes, size_t size)
{
	return memmem(bytes, size, "stapsdt\0", 8);
}

/* A copy in memory of its own size, so that a checker sees what is read behind it. */
static u32 list_changed(const u8 *bytes, size_t size, size_t at, u8 value)
{
	u8 *copy = malloc(size);
	struct seen seen = { 0 };
	struct lw_elf file;

	memcpy(copy, bytes, size);
	copy[at] = value;
	if (!lw_elf_open_memory(&file, copy, size)) {
		lw_usdt_list(&file, see, &seen);
		lw_elf_close(&file);
	}
	free(copy);
	return seen.twice + seen.once + seen.other;
}

static bool changed_notes_do_no_harm(void)
{
	static const u8 values[] = { 0, 1, 0x7f, 0x80, 0xff };
	size_t size, at;
	u8 *bytes = read_self(&size), *note = bytes ? find_note(bytes, size) : NULL;
	u32 fewer = 0;

	CHECK(note);
	/* this program has that text, too: the note has its sizes before it */
	while (note && (note < bytes + 12 || note[-4] != 3))
		note = find_note(note + 1, bytes + size - note - 1);
	CHECK(note);
	at = note - 12 - bytes;
	CHECK(list_changed(bytes, size, at, bytes[at]) == 3);
	/* its size ends within the name; those behind it can't be found then */
	CHECK(!list_changed(bytes, size, at + 4, bytes[at + 4] - 2));
	for (size_t i = at; i < at + 64; i++) {
		for (size_t j = 0; j < ARRAY_SIZE(values); j++)
			fewer += list_changed(bytes, size, i, values[j]) < 3;
	}
	CHECK(fewer > 20);
	free(bytes);
	return true;
}

static bool base_that_moved_moves_all(void)
{
	size_t size;
	u8 *bytes = read_self(&size), *note;
	struct seen seen = { 0 }, moved = { 0 };
	struct lw_elf file;
	u64 word;

	CHECK(bytes);
	CHECK(!lw_elf_open_memory(&file, bytes, size));
	lw_usdt_list(&file, see, &seen);
	lw_elf_close(&file);
	/* each was linked 3 bytes higher than it is now */
	for (note = bytes; (note = find_note(note, bytes + size - note)); note += 8) {
		if (note < bytes + 12 || note[-4] != 3)
			continue;
		memcpy(&word, note + 16, sizeof(word));
		word += 3;
		memcpy(note + 16, &word, sizeof(word));
	}
	CHECK(!lw_elf_open_memory(&file, bytes, size));
	lw_usdt_list(&file, see, &moved);
	lw_elf_close(&file);
	CHECK(moved.once == 1 && moved.offset == seen.offset - 3);
	CHECK(moved.semaphore == seen.semaphore - 3);
	free(bytes);
	return true;
}

static u32 places_in_self(const char *both, struct lw_event *event)
{
	memset(event, 0, sizeof(*event));
	event->name = strdup(both);
	if (lw_probe_look_for_usdt(event, both, "/proc/self/exe") ||
	    /* once is enough */
	    lw_probe_look_for_usdt(event, both, "/proc/self/exe") ||
	    lw_probe_look_for_usdt(event, both, "/dev/null"))
		return ~0U;
	return event->nr_places;
}

static bool event_has_all_places_of_a_file(void)
{
	struct seen seen = { 0 };
	struct perf_event_attr attr;
	struct lw_event event;
	struct lw_elf file;

	CHECK(!lw_elf_open(&file, "/proc/self/exe"));
	CHECK(!lw_usdt_list(&file, see, &seen));
	lw_elf_close(&file);
	CHECK(places_in_self("usdt_test:twice", &event) == 2);
	CHECK(event.places[0].offset != event.places[1].offset);
	lw_event_aim(&event, 1, &attr);
	CHECK(attr.probe_offset == event.places[1].offset && !attr.config);
	CHECK(!strcmp((const char *)(unsigned long)attr.uprobe_path, "/proc/self/exe"));
	lw_event_free(&event);

	CHECK(places_in_self("usdt_test:once", &event) == 1);
	event.at_return = true;
	lw_event_aim(&event, 0, &event.attr);
	CHECK(event.attr.config == (seen.semaphore << 32 | 1));
	CHECK(event.attr.probe_offset == seen.offset);
	lw_event_free(&event);

	CHECK(!places_in_self("usdt_test:twic", &event));
	lw_event_free(&event);
	CHECK(!places_in_self("usdt_tes:twice", &event));
	lw_event_free(&event);
	CHECK(!places_in_self("usdt_test:twicee", &event));
	lw_event_free(&event);
	return true;
}

int main(void)
{
	static const struct tap_test tests[] = {
		TEST(places_are_found),
		TEST(caller_can_stop),
		TEST(changed_notes_do_no_harm),
		TEST(event_has_all_places_of_a_file),
		TEST(base_that_moved_moves_all),
	};

	return tap_run(tests, ARRAY_SIZE(tests));
}
