/* SPDX-License-Identifier: GPL-2.0 */
/*
 * protobuf.h - fields of protocol buffers.
 */
#ifndef LW_PROTOBUF_H
#define LW_PROTOBUF_H

#include "base/strbuf.h"

void lw_protobuf_varint(struct lw_strbuf *out, u64 value);
void lw_protobuf_u64(struct lw_strbuf *out, u32 field, u64 value);
void lw_protobuf_bytes(struct lw_strbuf *out, u32 field, const void *bytes, size_t len);

#endif /* LW_PROTOBUF_H */
