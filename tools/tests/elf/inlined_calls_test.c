// SPDX-License-Identifier: GPL-2.0
/*
 * inlined_calls_test.c - the inlined calls of all code of this program are those that libdw finds.
 */
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "elf/inlined_calls.h"
#include "tests/tap.h"

#define STEP		5	/* bytes of code */
#define MAX_CALLS	32
#define MADE_UNIT	"made by hand"
#define MADE_UNITS	300	/* so many that some are in one slot of the table of units */
#define STRING(x)	STRING_(x)
#define STRING_(x)	#x

static Dwarf *dwarf;
static volatile int sink;

static inline __attribute__((always_inline)) void innermost(int x)
{
	while (x--)
		sink += x;
}

static inline __attribute__((always_inline)) void inner(int x)
{
	innermost(x);
	sink++;
}

static __attribute__((noinline)) void around(int x)
{
	/* within each other, in a block, and behind each other */
	for (int i = 0; i < x; i++) {
		int y = sink;

		inner(y);
	}
	innermost(x);
}

/*
 * Units as compilers of C++ and Rust write them, in DWARF 4: a function in a namespace, with code
 * from 1 to 400, and in it a call, in each unit one byte further on.  Another function, which the
 * linker has left out, begins at zero and would reach as far.
 */
asm(".pushsection .debug_abbrev,\"\",%progbits\n"
	".Labbrevs: .uleb128 1, 0x11; .byte 1; .uleb128 0x3, 0x8, 0x11, 0x1, 0x12, 0x1, 0, 0\n"
	".uleb128 2, 0x39; .byte 1; .uleb128 0, 0\n"
	".uleb128 3, 0x2e; .byte 1; .uleb128 0x11, 0x1, 0x12, 0x1, 0, 0\n"
	".uleb128 4, 0x1d; .byte 0; .uleb128 0x3, 0x8, 0x11, 0x1, 0x12, 0x1, 0, 0\n"
	".uleb128 5, 0x2e; .byte 0; .uleb128 0x11, 0x1, 0x12, 0x1, 0, 0, 0\n"
	".popsection\n"
	".pushsection .debug_info,\"\",%progbits\n"
	".set .Lcall, 2\n"
	".rept " STRING(MADE_UNITS) "\n"
	".4byte 2f - 1f\n"
	"1: .2byte 4; .4byte .Labbrevs; .byte 8\n"
	".uleb128 1; .asciz \"" MADE_UNIT "\"; .8byte 0, 500\n"
	".uleb128 2\n"
	".uleb128 3; .8byte 1, 400\n"
	".uleb128 4; .asciz \"call\"; .8byte .Lcall, .Lcall + 3\n"
	".uleb128 0\n"
	".uleb128 5; .8byte 0, 500\n"
	".uleb128 0, 0\n"
	"2:\n"
	".set .Lcall, .Lcall + 1\n"
	".endr\n"
	".popsection\n");

static bool is_made(Dwarf_Die *unit)
{
	const char *name = dwarf_diename(unit);

	return name && !strcmp(name, MADE_UNIT);
}

/* Entries of libdw for an address: above an inlined function, of its call. */
static u32 find_by_libdw(Dwarf_Die *unit, u64 addr, Dwarf_Off *found)
{
	Dwarf_Die *scopes = NULL, *innermost_scope = NULL;
	int nr = dwarf_getscopes(unit, addr, &innermost_scope);
	u32 done = 0;

	if (nr > 0)
		nr = dwarf_getscopes_die(innermost_scope, &scopes);
	for (int i = 0; i < nr && dwarf_tag(&scopes[i]) != DW_TAG_subprogram; i++) {
		if (dwarf_tag(&scopes[i]) == DW_TAG_inlined_subroutine && done < MAX_CALLS)
			found[done++] = dwarf_dieoffset(&scopes[i]);
	}
	free(innermost_scope);
	free(scopes);
	return done;
}

static bool same_at(struct lw_inlined_calls *calls, Dwarf_Die *unit, u64 addr, u32 *nr)
{
	const Dwarf_Die *found[MAX_CALLS];
	Dwarf_Off wanted[MAX_CALLS];

	*nr = lw_inlined_calls_find(calls, unit, addr, found, MAX_CALLS);
	CHECK(*nr == find_by_libdw(unit, addr, wanted));
	for (u32 i = 0; i < *nr; i++)
		CHECK(dwarf_dieoffset((Dwarf_Die *)found[i]) == wanted[i]);
	return true;
}

static bool all_code_has_the_calls_that_libdw_finds(void)
{
	struct lw_inlined_calls *calls = lw_inlined_calls_new();
	u32 nr, deepest = 0, addresses = 0;
	Dwarf_Addr base, start, end;
	Dwarf_CU *cu = NULL;
	Dwarf_Die unit;

	CHECK(calls);
	while (!dwarf_get_units(dwarf, cu, &cu, NULL, NULL, &unit, NULL)) {
		ptrdiff_t at = 0;

		if (is_made(&unit))
			continue;
		while ((at = dwarf_ranges(&unit, at, &base, &start, &end)) > 0) {
			for (u64 addr = start; addr < end; addr += STEP) {
				CHECK(same_at(calls, &unit, addr, &nr));
				addresses++;
				if (nr > deepest)
					deepest = nr;
			}
		}
	}
	printf("# %u addresses, up to %u calls within each other\n", addresses, deepest);
	CHECK(addresses > 100 && deepest > 1);
	lw_inlined_calls_free(calls);
	return true;
}

/* libdw leaves namespaces out. */
static bool functions_in_namespaces_are_gone_through(void)
{
	struct lw_inlined_calls *calls = lw_inlined_calls_new();
	const Dwarf_Die *found[MAX_CALLS];
	Dwarf_CU *cu = NULL;
	Dwarf_Die unit;
	u64 call = 2;

	CHECK(calls);
	while (!dwarf_get_units(dwarf, cu, &cu, NULL, NULL, &unit, NULL)) {
		if (!is_made(&unit))
			continue;
		for (u64 addr = 0; addr < 410; addr++) {
			u32 nr = lw_inlined_calls_find(calls, &unit, addr, found, MAX_CALLS);

			CHECK(nr == (addr >= call && addr < call + 3));
			CHECK(!nr || !strcmp(dwarf_diename((Dwarf_Die *)found[0]), "call"));
		}
		call++;
	}
	CHECK(call == 2 + MADE_UNITS);
	lw_inlined_calls_free(calls);
	return true;
}

static bool no_more_are_told_than_there_is_room_for(void)
{
	struct lw_inlined_calls *calls = lw_inlined_calls_new();
	const Dwarf_Die *all[MAX_CALLS], *some[MAX_CALLS];
	Dwarf_Addr base, start = 0, end = 0;
	Dwarf_CU *cu = NULL;
	Dwarf_Die unit;
	u32 nr = 0;

	CHECK(calls);
	while (nr < 2 && !dwarf_get_units(dwarf, cu, &cu, NULL, NULL, &unit, NULL)) {
		if (is_made(&unit))
			continue;
		CHECK(dwarf_ranges(&unit, 0, &base, &start, &end) >= 0);
		for (u64 addr = start; nr < 2 && addr < end; addr++) {
			nr = lw_inlined_calls_find(calls, &unit, addr, all, MAX_CALLS);
			if (nr < 2)
				continue;
			CHECK(lw_inlined_calls_find(calls, &unit, addr, some, 1) == 1);
			CHECK(some[0] == all[0]);
			CHECK(!lw_inlined_calls_find(calls, &unit, addr, some, 0));
		}
	}
	CHECK(nr >= 2);
	lw_inlined_calls_free(calls);
	return true;
}

int main(void)
{
	static const struct tap_test tests[] = {
		TEST(all_code_has_the_calls_that_libdw_finds),
		TEST(functions_in_namespaces_are_gone_through),
		TEST(no_more_are_told_than_there_is_room_for),
	};
	int fd = open("/proc/self/exe", O_RDONLY), failed;

	around(3);
	dwarf = dwarf_begin(fd, DWARF_C_READ);
	if (!dwarf)
		return 1;
	failed = tap_run(tests, ARRAY_SIZE(tests));
	dwarf_end(dwarf);
	close(fd);
	return failed;
}
