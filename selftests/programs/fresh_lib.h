/* SPDX-License-Identifier: GPL-2.0 */
/*
 * fresh_lib.h - what fresh_target calls in the libraries that it maps.
 */
#ifndef LW_FRESH_LIB_H
#define LW_FRESH_LIB_H

long fresh_run(long n);

/* The build ID that the linker is told to write, for fresh_target to find. */
#define FRESH_BUILD_ID	"\x4c\x61\x74\x65\x77\x69\x6e\x64\x20\x66\x72\x65\x73\x68\x20\x6c\x69\x62\x72\x79"

#endif /* LW_FRESH_LIB_H */
