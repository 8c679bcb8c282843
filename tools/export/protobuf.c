// SPDX-License-Identifier: GPL-2.0
/*
 * protobuf.c - fields of protocol buffers.
 *
 * Contexts: one thread per struct lw_strbuf.
 */
#include "export/protobuf.h"

/* Wire types. */
#define VARINT	0
#define LENGTH	2

/**
 * lw_protobuf_varint - add a number
 * @out: the message
 * @value: in groups of 7 bits, the lowest first
 */
void lw_protobuf_varint(struct lw_strbuf *out, u64 value)
{
	while (value >= 0x80) {
		lw_strbuf_char(out, value | 0x80);
		value >>= 7;
	}
	lw_strbuf_char(out, value);
}

/**
 * lw_protobuf_u64 - add a field that is a number
 * @out: the message
 * @field: its number
 * @value: is left out if it is 0, which is what it has then
 */
void lw_protobuf_u64(struct lw_strbuf *out, u32 field, u64 value)
{
	if (!value)
		return;
	lw_protobuf_varint(out, (u64)field << 3 | VARINT);
	lw_protobuf_varint(out, value);
}

/**
 * lw_protobuf_bytes - add a field that is a string, a message or packed numbers
 * @out: the message
 * @field: its number
 * @bytes: @len of them
 * @len: how many; 0 is there, too
 */
void lw_protobuf_bytes(struct lw_strbuf *out, u32 field, const void *bytes, size_t len)
{
	lw_protobuf_varint(out, (u64)field << 3 | LENGTH);
	lw_protobuf_varint(out, len);
	if (len)
		lw_strbuf_bytes(out, bytes, len);
}
