// SPDX-License-Identifier: GPL-2.0
/*
 * sframe_dump - what the reader says of a section, for readelf_oracle.
 *
 *	sframe_dump find FILE ADDR TEXT_START TEXT_END [ENTRY]
 *	sframe_dump rows FILE ADDR TEXT_START TEXT_END
 *
 * FILE holds the bytes of a section of any ABI.  "find" asks lw_sframe_find()
 * for each address and prints runs with the same answer, "START END RULE";
 * addresses without a rule are left out.  "rows" prints all functions and rows
 * in their order, and in their own words:
 *
 *	fde START SIZE inc|mask REP_SIZE default|flex WIDTH [signal] [key-b]
 *	row START RULE
 *
 * A RULE is "CFA RA FP [sp OFF] [signal] [pac]", or "outermost".  The first
 * three are a base and an offset, in parentheses if the value is in memory
 * there; "u" is a value that is what it was.
 *
 * "find" asks with an index.  Where the answer changes, and at one in eight of
 * the other addresses, it also asks without one, of bytes in memory and through
 * a read() that watches its ranges; answers must be the same.  "rows" reads in
 * both ways too.  Any error ends it.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../tools/sframe/sframe_reader.h"

struct input {
	struct lw_sframe_source src;	/* first: read() gets back to here */
	const unsigned char *data;
	unsigned int calls;
	unsigned int outside;
};

static struct input direct, watched;
static struct lw_sframe sf_direct, sf_watched, sf_indexed;

static int watched_read(const struct lw_sframe_source *src, void *dst,
			__u64 off, __u32 len)
{
	struct input *in = (struct input *)src;

	in->calls++;
	if (off > src->size || len > src->size - off) {
		in->outside++;
		return -ENXIO;
	}
	memcpy(dst, in->data + off, len);
	return 0;
}

__attribute__((format(printf, 1, 2), noreturn))
static void die(const char *fmt, ...)
{
	va_list ap;

	fflush(stdout);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	exit(1);
}

/* The file, in a block of exactly its size for ASan to watch. */
static unsigned char *load(const char *path, size_t *size)
{
	unsigned char *data;
	long len = -1;
	FILE *f;

	f = fopen(path, "rb");
	if (f && !fseek(f, 0, SEEK_END))
		len = ftell(f);
	if (len < 0)
		die("%s: %s", path, strerror(errno));
	rewind(f);
	data = malloc(len ? len : 1);
	if (!data || fread(data, 1, len, f) != (size_t)len)
		die("%s: could not be read", path);
	fclose(f);
	*size = len;
	return data;
}

static void open_both(const char *path, const struct lw_sframe_place *place)
{
	size_t size;
	int result;

	direct.data = load(path, &size);
	direct.src.bytes = direct.data;
	direct.src.size = size;
	watched = direct;
	watched.src.bytes = NULL;
	watched.src.read = watched_read;

	result = lw_sframe_open(&sf_direct, &direct.src, place,
				LW_SFRAME_ABI_ANY);
	if (result)
		die("open: result %d", result);
	result = lw_sframe_open(&sf_watched, &watched.src, place,
				LW_SFRAME_ABI_ANY);
	if (result || watched.outside)
		die("open through read(): result %d, %u outside", result,
		    watched.outside);
}

static void make_index(void)
{
	__u32 room = sf_direct.num_fdes / 2 + 2;
	__u32 *first;
	int result;

	first = malloc((room + 1) * sizeof(*first));
	if (!first)
		die("no memory");
	sf_indexed = sf_direct;
	result = lw_sframe_add_index(&sf_indexed, first, room, NULL);
	if (result)
		die("index: result %d", result);
}

static int describe_value(char *buf, size_t size,
			  const struct lw_rule_value *value)
{
	const char *open = value->deref ? "(" : "";
	const char *close = value->deref ? ")" : "";

	switch (value->base) {
	case LW_BASE_NONE:
		return snprintf(buf, size, "u");
	case LW_BASE_SP:
		return snprintf(buf, size, "%ssp%+d%s", open, value->off, close);
	case LW_BASE_FP:
		return snprintf(buf, size, "%sfp%+d%s", open, value->off, close);
	case LW_BASE_CFA:
		return snprintf(buf, size, "%sc%+d%s", open, value->off, close);
	case LW_BASE_REG:
		return snprintf(buf, size, "%sr%u%+d%s", open, value->reg,
				value->off, close);
	}
	die("no such base: %u", value->base);
}

static void describe(char *buf, size_t size, const struct lw_rule *rule)
{
	int len;

	if (rule->flags & LW_RULE_OUTERMOST) {
		snprintf(buf, size, "outermost");
		return;
	}
	len = describe_value(buf, size, &rule->cfa);
	buf[len++] = ' ';
	len += describe_value(buf + len, size - len, &rule->ra);
	buf[len++] = ' ';
	len += describe_value(buf + len, size - len, &rule->fp);
	if (rule->sp_off)
		len += snprintf(buf + len, size - len, " sp %d", rule->sp_off);
	snprintf(buf + len, size - len, "%s%s",
		 rule->flags & LW_RULE_SIGNAL ? " signal" : "",
		 rule->flags & LW_RULE_PAC ? " pac" : "");
}

static void must_agree(const struct lw_sframe *sf, __u64 pc, int result,
		       const struct lw_rule *rule)
{
	struct lw_rule again;
	int other;

	memset(&again, 0, sizeof(again));
	watched.calls = 0;
	other = lw_sframe_find(sf, pc, &again);
	if (result != other)
		die("%#llx: result %d, without index or by read() %d",
		    (unsigned long long)pc, result, other);
	if (watched.outside || watched.calls > LW_SFRAME_MAX_READS)
		die("%#llx: %u reads, %u outside", (unsigned long long)pc,
		    watched.calls, watched.outside);
	if (memcmp(rule, &again, sizeof(again)))
		die("%#llx: another rule without index or by read()",
		    (unsigned long long)pc);
}

/* The answer for one address, or "" if there is none. */
static void find(char *buf, size_t size, __u64 pc)
{
	static struct lw_rule last;
	struct lw_rule rule;
	int result;

	memset(&rule, 0, sizeof(rule));
	result = lw_sframe_find(&sf_indexed, pc, &rule);
	if (result && result != LW_SFRAME_NO_RULE)
		die("%#llx: result %d", (unsigned long long)pc, result);
	if (pc % 8 == 0 || memcmp(&rule, &last, sizeof(rule))) {
		must_agree(&sf_direct, pc, result, &rule);
		must_agree(&sf_watched, pc, result, &rule);
	}
	last = rule;
	if (result)
		buf[0] = 0;
	else
		describe(buf, size, &rule);
}

static void print_runs(const struct lw_sframe_place *place)
{
	char now[128], run[128] = "";
	__u64 pc, start = 0;

	make_index();
	/* one more than the text, so that the last run ends */
	for (pc = place->text_start; pc <= place->text_end; pc++) {
		find(now, sizeof(now), pc);
		if (!strcmp(now, run))
			continue;
		if (run[0])
			printf("%llx %llx %s\n", (unsigned long long)start,
			       (unsigned long long)pc, run);
		strcpy(run, now);
		start = pc;
	}
}

static void print_rows_of(const struct lw_sframe_fde *fde)
{
	struct lw_sframe_cursor cursor, other;
	struct lw_sframe_row row, again;
	char buf[128];
	__u32 i;
	int result;

	lw_sframe_first_row(&cursor, &sf_direct, fde);
	lw_sframe_first_row(&other, &sf_watched, fde);
	for (i = 0; i < fde->num_rows; i++) {
		memset(&row, 0, sizeof(row));
		memset(&again, 0, sizeof(again));
		result = lw_sframe_next_row(&cursor, &row);
		if (result || lw_sframe_next_row(&other, &again) ||
		    memcmp(&row, &again, sizeof(row)))
			die("function at %#llx, row %u: result %d, or another by read()",
			    (unsigned long long)fde->start, i, result);
		describe(buf, sizeof(buf), &row.rule);
		printf("row %x %s\n", row.start, buf);
	}
	if (lw_sframe_next_row(&cursor, &row) != LW_SFRAME_NO_RULE)
		die("function at %#llx: a row after the last",
		    (unsigned long long)fde->start);
}

static void print_rows(void)
{
	struct lw_sframe_fde fde;
	__u32 i;
	int result;

	printf("section version %u abi %u flags %u fdes %u rows %u\n",
	       sf_direct.version, sf_direct.abi, sf_direct.flags,
	       sf_direct.num_fdes, sf_direct.num_fres);
	for (i = 0; i < sf_direct.num_fdes; i++) {
		result = lw_sframe_get_fde(&sf_direct, i, &fde);
		if (result)
			die("function %u: result %d", i, result);
		printf("fde %llx %u %s %u %s %u%s%s\n",
		       (unsigned long long)fde.start, fde.size,
		       fde.mask ? "mask" : "inc", fde.rep_size,
		       fde.type == LW_SFRAME_FLEX ? "flex" : "default",
		       fde.start_size, fde.signal ? " signal" : "",
		       fde.pauth_b ? " key-b" : "");
		print_rows_of(&fde);
	}
}

int main(int argc, char **argv)
{
	struct lw_sframe_place place = { 0 };
	int rows;

	rows = argc == 6 && !strcmp(argv[1], "rows");
	if (!rows && (argc < 6 || argc > 7 || strcmp(argv[1], "find"))) {
		fprintf(stderr,
			"sframe_dump find|rows FILE ADDR TEXT_START TEXT_END [ENTRY]\n");
		return 2;
	}
	place.addr = strtoull(argv[3], NULL, 0);
	place.text_start = strtoull(argv[4], NULL, 0);
	place.text_end = strtoull(argv[5], NULL, 0);
	if (argc == 7)
		place.entry = strtoull(argv[6], NULL, 0);
	open_both(argv[2], &place);
	if (rows)
		print_rows();
	else
		print_runs(&place);
	return 0;
}
