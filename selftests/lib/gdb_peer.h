/* SPDX-License-Identifier: GPL-2.0 */
/*
 * gdb_peer.h - gdb's idea of a stack, of a process that we trace.
 */
#ifndef LW_SELFTESTS_GDB_PEER_H
#define LW_SELFTESTS_GDB_PEER_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "tracee.h"

#define GDB_PACKET	16384
#define GDB_FRAMES	1024

/**
 * struct gdb_peer - a gdb that is connected
 * @pid: of gdb
 * @fd: connection
 * @t: what it looks at
 * @sysinfo_ehdr: where the vDSO is
 * @quiet: packets are not acknowledged
 * @new_maps: to be told
 * @has_chain: it has answered
 * @chain: with this
 * @nr: addresses
 * @in: received
 * @have: bytes at @in
 * @packet: the one that is looked at, a string
 * @out: answer
 */
struct gdb_peer {
	pid_t pid;
	int fd;
	struct tracee *t;
	__u64 sysinfo_ehdr;
	bool quiet;
	bool new_maps;
	bool has_chain;
	__u64 chain[GDB_FRAMES];
	size_t nr;
	char in[GDB_PACKET];
	size_t have;
	char packet[GDB_PACKET];
	char out[2 * GDB_PACKET];
};

int gdb_peer_start(struct gdb_peer *g, struct tracee *t, const char *script);
int gdb_peer_ask(struct gdb_peer *g);
void gdb_peer_end(struct gdb_peer *g);

#endif /* LW_SELFTESTS_GDB_PEER_H */
