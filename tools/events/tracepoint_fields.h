/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tracepoint_fields.h - the fields of a tracepoint's hit as text.
 */
#ifndef LW_TRACEPOINT_FIELDS_H
#define LW_TRACEPOINT_FIELDS_H

#include "base/strbuf.h"
#include "base/util.h"

/*
 * The function at an address of the kernel: its name, good until the next call, and *@offset of
 * the address in it; NULL: not known.
 */
typedef const char *(*lw_kernel_name_fn)(void *ctx, u64 address, u64 *offset);

struct lw_tracepoint_fields;

struct lw_tracepoint_fields *lw_tracepoint_fields_new(const void *data, size_t size);
void lw_tracepoint_fields_name_by(struct lw_tracepoint_fields *fields, lw_kernel_name_fn fn,
				  void *ctx);
bool lw_tracepoint_fields_print(struct lw_tracepoint_fields *fields, u64 id, const void *raw,
				u32 size, u32 cpu, struct lw_strbuf *out);
void lw_tracepoint_fields_free(struct lw_tracepoint_fields *fields);

#endif /* LW_TRACEPOINT_FIELDS_H */
