/* SPDX-License-Identifier: GPL-2.0 */
/*
 * socket_name.h - what stands behind the descriptor of a socket: -yy.
 */
#ifndef LW_SOCKET_NAME_H
#define LW_SOCKET_NAME_H

#include <stddef.h>

#include "base/util.h"

char *lw_socket_name(u32 family, u32 type, u32 protocol);
char *lw_socket_name_with(const char *name, const char *local, const char *peer);
char *lw_socket_address(const void *address, size_t len);
char *lw_socket_name_find(const char *net, u64 inode);

#endif /* LW_SOCKET_NAME_H */
