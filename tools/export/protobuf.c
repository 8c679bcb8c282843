// SPDX-License-Identifier: GPL-2.0
/*
 * protobuf.c - fields of protocol buffers.
 *
 * Contexts: one thread per struct lw_out.
 */
#include "export/protobuf.h"

/* Wire types. */
#define VARINT	0
#define LENGTH	2

/**
 * lw_proto_varint - add a number
 * @out: the message
 * @value: in groups of 7 bits, the lowest first
 */
void lw_proto_varint(struct lw_out *out, u64 value)
{
	while (value >= 0x80) {
		lw_out_char(out, value | 0x80);
		value >>= 7;
	}
	lw_out_char(out, value);
}

/**
 * lw_proto_u64 - add a field that is a number
 * @out: the message
 * @field: its number
 * @value: is left out if it is 0, which is what it has then
 */
void lw_proto_u64(struct lw_out *out, u32 field, u64 value)
{
	if (!value)
		return;
	lw_proto_varint(out, (u64)field << 3 | VARINT);
	lw_proto_varint(out, value);
}

/**
 * lw_proto_bytes - add a field that is a string, a message or packed numbers
 * @out: the message
 * @field: its number
 * @bytes: @len of them
 * @len: how many; 0 is there, too
 */
void lw_proto_bytes(struct lw_out *out, u32 field, const void *bytes, size_t len)
{
	lw_proto_varint(out, (u64)field << 3 | LENGTH);
	lw_proto_varint(out, len);
	if (len)
		lw_out_bytes(out, bytes, len);
}
