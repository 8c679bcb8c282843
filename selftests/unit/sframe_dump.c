// SPDX-License-Identifier: GPL-2.0
/*
 * sframe_dump - what lw_sframe_find() says of each address of a text range.
 *
 *	sframe_dump FILE ADDR TEXT_START TEXT_END
 *
 * FILE holds the bytes of a section.  Prints runs of addresses with the same
 * answer: "START END sp|fp+OFF fp-slot|u", "START END outermost"; addresses
 * without a rule are left out.  Any error but -ENOENT ends it.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "section.h"

static void describe(char *buf, size_t size, const struct lw_rule *rule)
{
	int len;

	if (rule->flags & LW_RULE_OUTERMOST) {
		snprintf(buf, size, "outermost");
		return;
	}
	len = snprintf(buf, size, "%s%+d ra%+d ",
		       rule->cfa_base == LW_BASE_SP ? "sp" : "fp",
		       rule->cfa_off, rule->ra_off);
	if (rule->flags & LW_RULE_FP_SAVED)
		snprintf(buf + len, size - len, "c%+d", rule->fp_off);
	else
		snprintf(buf + len, size - len, "u");
}

static int dump(struct section *sec)
{
	char now[64], run[64] = "";
	struct lw_sframe sf;
	struct lw_rule rule;
	__u64 pc, start = 0;
	int err;

	err = section_open(sec, &sf);
	if (err) {
		fprintf(stderr, "open: %s\n", strerror(-err));
		return 1;
	}
	for (pc = sec->text_start; pc <= sec->text_end; pc++) {
		sec->calls = 0;
		err = lw_sframe_find(&sf, pc, &rule);
		if ((err && err != -ENOENT) || sec->outside ||
		    sec->calls > LW_SFRAME_MAX_READS) {
			fprintf(stderr, "%#llx: %s, %u reads, %u outside\n",
				(unsigned long long)pc, strerror(-err),
				sec->calls, sec->outside);
			return 1;
		}
		if (err)
			now[0] = 0;
		else
			describe(now, sizeof(now), &rule);
		if (!strcmp(now, run))
			continue;
		if (run[0])
			printf("%llx %llx %s\n", (unsigned long long)start,
			       (unsigned long long)pc, run);
		strcpy(run, now);
		start = pc;
	}
	return 0;
}

int main(int argc, char **argv)
{
	struct section sec;
	char *bytes;
	size_t size;
	FILE *f;
	int ret;

	f = argc == 5 ? fopen(argv[1], "rb") : NULL;
	if (!f) {
		fprintf(stderr, "sframe_dump FILE ADDR TEXT_START TEXT_END\n");
		return 2;
	}
	bytes = malloc(16 << 20);
	if (!bytes)
		return 2;
	size = fread(bytes, 1, 16 << 20, f);
	fclose(f);
	section_load(&sec, bytes, size, strtoull(argv[2], NULL, 0),
		     strtoull(argv[3], NULL, 0), strtoull(argv[4], NULL, 0));
	free(bytes);
	ret = dump(&sec);
	section_free(&sec);
	return ret;
}
