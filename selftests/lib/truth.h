/* SPDX-License-Identifier: GPL-2.0 */
/*
 * truth.h - the calling thread's stack as libgcc's unwinder sees it, by
 * .eh_frame: an oracle that knows nothing of SFrame.
 */
#ifndef TRUTH_H
#define TRUTH_H

#include <stdint.h>

#define TRUTH_MAX	4096

/**
 * struct truth - a stack
 * @nr: frames
 * @main: index of the frame in main(), or TRUTH_MAX
 * @ip: addresses as in struct lwt_stack; the first is in the caller of
 *	truth_take()
 */
struct truth {
	unsigned int nr;
	unsigned int main;
	uint64_t ip[TRUTH_MAX];
};

void truth_take(struct truth *truth);

#endif /* TRUTH_H */
