// SPDX-License-Identifier: GPL-2.0
/*
 * torture_reader.c - reads with lib/ring_reader.c and looks at each
 * record: whole, and behind those of its source that were read before.
 */
#include <stdio.h>
#include <string.h>

#include "../../lib/private.h"
#include "torture.h"

struct reading {
	struct torture_reader *reader;
	int cpu;
};

static int bad(struct torture_reader *reader, const char *what,
	       const struct torture_record *r, u64 last)
{
	if (!reader->bad)
		snprintf(reader->text, sizeof(reader->text),
			 "%s: source %u seq %llu words %u len %u, last seq %llu", what,
			 r->source, (unsigned long long)r->seq, r->words,
			 r->record.len, (unsigned long long)last);
	reader->bad = 1;
	return 0;
}

static int look(struct torture_reader *reader, int cpu,
		const struct torture_record *r)
{
	u64 *last;

	if (r->source >= MAX_SOURCES || r->words > MAX_WORDS ||
	    r->record.len != sizeof(*r) + r->words * sizeof(u64))
		return bad(reader, "torn", r, 0);
	last = &reader->last[cpu][r->source];
	if (r->seq <= *last)
		return bad(reader, "out of order", r, *last);
	for (u32 i = 0; i < r->words; i++)
		if (r->content[i] != content_of(r->source, r->seq, i))
			return bad(reader, "wrong content", r, i);
	*last = r->seq;
	reader->records++;
	reader->sum += content_of(r->source, r->seq, 0);
	return 0;
}

static int take(void *ctx, const struct lw_record *record)
{
	struct reading *reading = ctx;
	const struct lw_lost *lost = (const void *)record;

	switch (record->type) {
	case RECORD_TORTURE:
		return look(reading->reader, reading->cpu, (const void *)record);
	case LW_RECORD_LOST:
		reading->reader->told += lost->full + lost->big + lost->nested;
		return 0;
	default:
		return bad(reading->reader, "unknown type", (const void *)record, 0);
	}
}

static struct latewind_ring map_of(void *area, unsigned long page, unsigned long size)
{
	return (struct latewind_ring) {
		.consumer = area,
		.producer = area + page,
		.data = area + 2 * page,
		.size = size,
	};
}

int torture_read(struct torture_reader *reader, int cpu, void *area,
		 unsigned long page, unsigned long size, int *complete)
{
	struct reading reading = { reader, cpu };
	struct latewind_ring ring = map_of(area, page, size);
	bool all;
	int ret;

	ret = latewind_ring_read(&ring, take, &reading, &all);
	*complete = all;
	return ret;
}

int torture_snapshot(struct torture_reader *reader, int cpu, void *area,
		     unsigned long page, unsigned long size, void *buffer)
{
	struct reading reading = { reader, cpu };
	struct latewind_ring ring = map_of(area, page, size);

	memset(reader->last[cpu], 0, sizeof(reader->last[cpu]));
	return latewind_ring_snapshot(&ring, buffer, NULL, take, &reading);
}
