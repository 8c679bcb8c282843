/* SPDX-License-Identifier: GPL-2.0 */
/*
 * entry.h - a program that begins with its own _start and no libc.
 */
#ifndef ENTRY_H
#define ENTRY_H

#include <stdint.h>

/* The session is open here, and this is where it tells. */
#define ENTRY_FD	100
#define ENTRY_OUT	1

/**
 * struct entry_told - what the program knows of its stack
 * @ret: of LW_IOC_REQUEST
 * @frames: all that there are, topmost first
 */
struct entry_told {
	int64_t ret;
	uint64_t frames[3];
};

#endif /* ENTRY_H */
