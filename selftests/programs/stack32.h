/* SPDX-License-Identifier: GPL-2.0 */
/*
 * stack32.h - what is written in assembly in stack32.c.
 */
#ifndef STACK32_H
#define STACK32_H

void _start(void);

/* Hand-made, as libcs for i386 have them without a vDSO. */
void restorer(void);
void rt_restorer(void);

#endif /* STACK32_H */
