// SPDX-License-Identifier: GPL-2.0
/*
 * callback.c - C between two functions of Go.
 */
#include "_cgo_export.h"

long in_c(long n);

long __attribute__((noipa)) in_c(long n)
{
	return back(n) + 1;
}
