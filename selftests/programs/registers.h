/* SPDX-License-Identifier: GPL-2.0 */
/*
 * registers.h - functions of registers.S, which save rbx and r12, use them, and make a system call.
 */
#ifndef REGISTERS_H
#define REGISTERS_H

/* The call, its number first. */
extern struct registers_request {
	long nr, fd, cmd, arg;
} registers_request;

/* Return what the call does.  The second says in its CFI that the registers are gone. */
long registers_saves(long value);
long registers_loses(long value);

/* Where the calls return to. */
extern const char registers_saves_ip[], registers_loses_ip[];

#endif /* REGISTERS_H */
