/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * liblatewind.h - for programs that make or load code of their own: have tracers
 * unwind it.
 *
 * A program that has the module's tracers see whole stacks through code that no file
 * has tables for (a JIT's, or what it loaded without dlopen()) describes that code by
 * an SFrame section and registers it.  The section is copied; it is dropped with its
 * text, and children of fork() get it too.  struct lw_section in latewind.h has all
 * the rules.
 *
 * There is no state in this library: all may be called from any thread, in a child of
 * fork(), and whatever descriptors the program closes.  errno is left alone.
 */
#ifndef LIBLATEWIND_H
#define LIBLATEWIND_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * latewind_section_add - register a section for code of this process
 * @section: its bytes
 * @section_size: how many
 * @text: first address of the code that it speaks of
 * @text_size: bytes of it; mapped and executable
 * @base: what function starts in the section are relative to: @section for a section
 *	that a linker made and that is where it was linked to be; @text if they are
 *	offsets in the code
 *
 * Return: 0, or
 *	-ENOENT: there is no device: the module is not loaded
 *	-EOPNOTSUPP: this module or kernel can't, or a 32-bit program
 *	-EINVAL: not a sound section for this machine and text
 *	-EFAULT: the section can't be read
 *	-EACCES: not all of the text is mapped and executable; or no right to open the
 *	device for writing
 *	-EEXIST: it overlaps one that is registered
 *	-ENOSPC: too many sections, or too large
 *	-EPERM: RLIMIT_MEMLOCK
 *	-ENOMEM, and what else open() says of the device.
 */
int latewind_section_add(const void *section, size_t section_size,
			 const void *text, size_t text_size, const void *base);

/**
 * latewind_section_remove - forget a section
 * @text: as it was registered
 * @text_size: likewise
 *
 * Not needed for text that is unmapped.
 *
 * Return: 0, -ENOENT: none is registered for just this text, or there is no device;
 * or as latewind_section_add().
 */
int latewind_section_remove(const void *text, size_t text_size);

#ifdef __cplusplus
}
#endif

#endif /* LIBLATEWIND_H */
