// SPDX-License-Identifier: GPL-2.0
/*
 * tracepoint_fields.c - the fields of a tracepoint's hit as text, by libtraceevent, as perf has it.
 *
 * The library takes what the formats and a hit say of the hit as true.  So a hit that is too short
 * for its format is not shown to it, and it reads from room with as many zeros behind the hit as
 * a field can point to, or count.  Where nothing bounds a count, fields are printed without the
 * format's own text.  The formats themselves must be of somebody who is trusted.
 *
 * Contexts: one thread; the library's parser has one state for all handles.
 */
#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <traceevent/event-parse.h>
#include <traceevent/trace-seq.h>

#include "events/tracepoint_fields.h"
#include "events/tracing_data.h"

#define MAX_RAW		(1U << 16)	/* of the size of a record of perf */
#define MAX_COUNT	UINT16_MAX	/* of what a format prints in a row, of 8 bytes at most */
#define MAX_INDEX	4096U
#define POINTED_TO	(1U << 20)	/* by 16 bits of offset, and of length, or a count */

struct lw_tracepoint_fields {
	struct tep_handle *tep;
	struct trace_seq text;
	lw_kernel_name_fn name;
	void *name_ctx;
	char function[256];		/* the last that was named */
	u32 used;			/* bytes of @room that are not zero */
	u8 room[MAX_RAW + POINTED_TO];
};

static int take_machine(void *ctx, bool big_endian, u32 long_size)
{
	struct lw_tracepoint_fields *fields = ctx;

	tep_set_file_bigendian(fields->tep, big_endian ? TEP_BIG_ENDIAN : TEP_LITTLE_ENDIAN);
	tep_set_local_bigendian(fields->tep, tep_is_bigendian());
	tep_set_long_size(fields->tep, long_size);
	return 0;
}

/* Its size of a long is that of the kernel. */
static int take_header_page(void *ctx, const char *text, size_t size)
{
	struct lw_tracepoint_fields *fields = ctx;
	char *copy = size ? strndup(text, size) : NULL;

	if (copy)
		tep_parse_header_page(fields->tep, copy, strlen(copy),
				      tep_get_long_size(fields->tep));
	free(copy);
	return 0;
}

/* One that the library can't read is not there for it. */
static int take_format(void *ctx, const char *system, const char *text, size_t size)
{
	struct lw_tracepoint_fields *fields = ctx;
	char *copy = strndup(text, size);

	if (!copy)
		return -ENOMEM;
	tep_parse_event(fields->tep, copy, strlen(copy), system);
	free(copy);
	return 0;
}

static int take_strings(void *ctx, const char *text)
{
	struct lw_tracepoint_fields *fields = ctx;

	tep_parse_printk_formats(fields->tep, text);
	return 0;
}

static const struct lw_tracing_data_ops ops = {
	.machine = take_machine,
	.header_page = take_header_page,
	.format = take_format,
	.strings = take_strings,
};

/**
 * lw_tracepoint_fields_new - read the formats of tracepoints
 * @data: see lw_tracing_data_read(), of somebody who is trusted
 * @size: bytes
 *
 * Return: it, without what could not be read, or NULL (out of memory).
 */
struct lw_tracepoint_fields *lw_tracepoint_fields_new(const void *data, size_t size)
{
	struct lw_tracepoint_fields *fields = calloc(1, sizeof(*fields));

	if (!fields)
		return NULL;
	trace_seq_init(&fields->text);
	fields->tep = tep_alloc();
	if (!fields->tep) {
		lw_tracepoint_fields_free(fields);
		return NULL;
	}
	tep_set_loglevel(TEP_LOG_NONE);
	lw_tracing_data_read(data, size, &ops, fields);
	return fields;
}

static char *name_function(void *ctx, unsigned long long *address, char **module)
{
	struct lw_tracepoint_fields *fields = ctx;
	u64 offset = 0;
	const char *name = fields->name(fields->name_ctx, *address, &offset);

	if (!name)
		return NULL;
	snprintf(fields->function, sizeof(fields->function), "%s", name);
	*address -= offset;
	*module = NULL;
	return fields->function;
}

/**
 * lw_tracepoint_fields_name_by - give functions of the kernel their names
 * @fields: it
 * @fn: has them
 * @ctx: for @fn
 */
void lw_tracepoint_fields_name_by(struct lw_tracepoint_fields *fields, lw_kernel_name_fn fn,
				  void *ctx)
{
	fields->name = fn;
	fields->name_ctx = ctx;
	tep_set_function_resolver(fields->tep, name_function, fields);
}

static bool fit(const struct tep_format_field *field, u32 size)
{
	for (; field; field = field->next) {
		if (field->offset < 0 || field->size < 0 ||
		    (u64)field->offset + field->size > size)
			return false;
	}
	return true;
}

/* Return: a count in this hit, or what it cannot exceed; ~0: anything. */
static u64 most(struct tep_event *event, const void *data, const struct tep_print_arg *arg)
{
	struct tep_format_field *field;
	unsigned long long value;

	switch (arg ? (u32)arg->type : TEP_PRINT_NULL) {
	case TEP_PRINT_ATOM:
		return strtoull(arg->atom.atom, NULL, 0);
	case TEP_PRINT_TYPE:
		return most(event, data, arg->typecast.item);
	case TEP_PRINT_FIELD:
		field = tep_find_any_field(event, arg->field.name);
		return tep_read_number_field(field, data, &value) ? ~0ULL : value;
	case TEP_PRINT_DYNAMIC_ARRAY_LEN:
		return UINT16_MAX;
	case TEP_PRINT_OP:
		return strcmp(arg->op.op, "/") ? ~0ULL : most(event, data, arg->op.left);
	}
	return ~0ULL;
}

/* Are all counts of this hit such that the room is enough? */
static bool are_bounded(struct tep_event *event, const void *data, const struct tep_print_arg *arg)
{
	bool good = true;

	for (; good && arg; arg = arg->next) {
		switch ((u32)arg->type) {
		case TEP_PRINT_HEX:
		case TEP_PRINT_HEX_STR:
			good = most(event, data, arg->hex.size) <= MAX_COUNT;
			break;
		case TEP_PRINT_INT_ARRAY:
			good = most(event, data, arg->int_array.count) <= MAX_COUNT;
			break;
		case TEP_PRINT_OP:
			good = (strcmp(arg->op.op, "[") ||
				most(event, data, arg->op.right) <= MAX_INDEX) &&
			       are_bounded(event, data, arg->op.left) &&
			       are_bounded(event, data, arg->op.right);
			break;
		case TEP_PRINT_TYPE:
			good = are_bounded(event, data, arg->typecast.item);
			break;
		case TEP_PRINT_FLAGS:
			good = are_bounded(event, data, arg->flags.field);
			break;
		case TEP_PRINT_SYMBOL:
			good = are_bounded(event, data, arg->symbol.field);
			break;
		case TEP_PRINT_FUNC:
			good = are_bounded(event, data, arg->func.args);
			break;
		}
	}
	return good;
}

/* As the format says, or each by its name. */
static void print(struct lw_tracepoint_fields *fields, struct tep_event *event,
		  struct tep_record *record)
{
	const struct tep_print_fmt *format = &event->print_fmt;

	trace_seq_reset(&fields->text);
	/* bytes, as many as a field says */
	if (format->format && !strstr(format->format, "%*p") &&
	    are_bounded(event, record->data, format->args))
		tep_print_event(fields->tep, &fields->text, record, "%s", TEP_PRINT_INFO);
	else
		tep_print_fields(&fields->text, record->data, record->size, event);
	trace_seq_terminate(&fields->text);
}

/* What a longer hit before has left there is cleared. */
static void copy(struct lw_tracepoint_fields *fields, const void *raw, u32 size)
{
	memcpy(fields->room, raw, size);
	if (size < fields->used)
		memset(fields->room + size, 0, fields->used - size);
	fields->used = size;
}

/**
 * lw_tracepoint_fields_print - the fields of a hit
 * @fields: it
 * @id: of the tracepoint
 * @raw: what the hit has told
 * @size: bytes
 * @cpu: where it was
 * @out: gets them
 *
 * Return: false: there is no format for it, it is too short for that, or says that it is of
 * another tracepoint.
 */
bool lw_tracepoint_fields_print(struct lw_tracepoint_fields *fields, u64 id, const void *raw,
				u32 size, u32 cpu, struct lw_strbuf *out)
{
	struct tep_event *event = id > INT_MAX ? NULL : tep_find_event(fields->tep, id);
	struct tep_record record = { .data = fields->room, .size = size, .cpu = cpu };

	if (!event || size > MAX_RAW || !fit(event->format.common_fields, size) ||
	    !fit(event->format.fields, size))
		return false;
	copy(fields, raw, size);
	if (tep_data_type(fields->tep, &record) != event->id)
		return false;
	print(fields, event, &record);
	if (fields->text.state != TRACE_SEQ__GOOD)
		return false;
	/* names of fields have a blank in front */
	lw_strbuf_printable(out, fields->text.buffer + (fields->text.buffer[0] == ' '));
	return true;
}

/**
 * lw_tracepoint_fields_free - forget all
 * @fields: it or NULL
 */
void lw_tracepoint_fields_free(struct lw_tracepoint_fields *fields)
{
	if (!fields)
		return;
	tep_free(fields->tep);
	trace_seq_destroy(&fields->text);
	free(fields);
}
