/* SPDX-License-Identifier: GPL-2.0 */
/*
 * proto.h - fields of protocol buffers.
 */
#ifndef LW_PROTO_H
#define LW_PROTO_H

#include "out.h"

void lw_proto_varint(struct lw_out *out, u64 value);
void lw_proto_u64(struct lw_out *out, u32 field, u64 value);
void lw_proto_bytes(struct lw_out *out, u32 field, const void *bytes, size_t len);

#endif /* LW_PROTO_H */
