/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tags.h - pointers with a tag in their upper byte, which arm64 ignores, and memory whose own tag
 * has to be the same (MTE).
 */
#ifndef LW_TEST_TAGS_H
#define LW_TEST_TAGS_H

#include <errno.h>
#include <linux/prctl.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#define TAGS_HWCAP2_MTE	(1UL << 18)
#define TAGS_PROT_MTE	0x20
/* Bytes that have a tag of MTE. */
#define TAGS_GRANULE	16

/* Has the kernel take pointers with tags from this thread, and compare them as @mte says. */
static inline int tags_take(unsigned long mte)
{
	return prctl(PR_SET_TAGGED_ADDR_CTRL, PR_TAGGED_ADDR_ENABLE | mte, 0, 0, 0) ? -errno : 0;
}

static inline bool tags_are_compared(void)
{
	return getauxval(AT_HWCAP2) & TAGS_HWCAP2_MTE;
}

/* MTE compares the lower four bits of @tag. */
static inline uint64_t tags_put(const void *pointer, unsigned int tag)
{
	return (uintptr_t)pointer | (uint64_t)tag << 56;
}

#if defined(__aarch64__)
/* Memory with this tag, by a pointer that has it; or NULL. */
static inline void *tags_map(size_t len, unsigned int tag)
{
	void *map = mmap(NULL, len, PROT_READ | PROT_WRITE | TAGS_PROT_MTE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t at = tags_put(map, tag), end = at + len;

	if (map == MAP_FAILED)
		return NULL;
	for (; at < end; at += TAGS_GRANULE)
		asm volatile(".arch_extension memtag\n\t"
			     "stg %0, [%0]" : : "r"(at) : "memory");
	return (void *)(at - len);
}
#endif

#endif /* LW_TEST_TAGS_H */
