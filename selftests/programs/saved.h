/* SPDX-License-Identifier: GPL-2.0 */
/*
 * saved.h - for programs whose functions save what they can save.
 */
#ifndef LW_TEST_SAVED_H
#define LW_TEST_SAVED_H

/*
 * All registers that a function gives back are used: on x86 the frame pointer's, too, for something
 * that is no frame pointer.  On arm64 that is not allowed (aapcs64, 6.4.6).
 */
static inline __attribute__((always_inline)) void use_all_saved(void)
{
#if defined(__x86_64__)
	asm volatile("mov $0x1001, %%ebp" : : : "rbx", "rbp", "r12", "r13", "r14", "r15");
#elif defined(__aarch64__)
	asm volatile("" : : : "x19", "x20", "x21", "x22", "x23",
		     "x24", "x25", "x26", "x27", "x28");
#elif defined(__s390x__)
	asm volatile("lghi %%r11, 0x1001" : : : "r6", "r7", "r8", "r9", "r10", "r11", "r13");
#endif
}

#endif /* LW_TEST_SAVED_H */
