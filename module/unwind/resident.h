/* SPDX-License-Identifier: GPL-2.0 */
/*
 * resident.h - reads user memory that is there.
 */
#ifndef LW_RESIDENT_H
#define LW_RESIDENT_H

#include <linux/kernel.h>
#include <linux/types.h>
#include <linux/uaccess.h>

/**
 * lw_copy_resident - copy memory of current, and wait for no page
 * @to: kernel buffer
 * @from: user address
 * @len: bytes
 *
 * copy_from_user_nofault() takes no pointer with a tag, not even from a task whose pointers
 * copy_from_user() takes with their tags (arm64).
 *
 * Context: current's own, but not NMI; does not sleep.
 * Return: bytes that were not copied.
 */
static inline unsigned long lw_copy_resident(void *to, u64 from, u32 len)
{
	unsigned long left;

	pagefault_disable();
	left = copy_from_user(to, u64_to_user_ptr(from), len);
	pagefault_enable();
	return left;
}

#endif /* LW_RESIDENT_H */
