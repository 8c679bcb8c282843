/* SPDX-License-Identifier: GPL-2.0 */
/*
 * assert.h - what latewind.h wants of it, for programs without any libc.
 */
#ifndef static_assert
#define static_assert	_Static_assert
#endif
