// SPDX-License-Identifier: GPL-2.0
/*
 * main.c - latewind: the table of its verbs.
 */
#include "cmd/verbs.h"

static const struct lw_verb *const verbs[] = {
	&lw_verb_record, &lw_verb_live, &lw_verb_top, &lw_verb_trace, &lw_verb_script,
	&lw_verb_report, &lw_verb_diff, &lw_verb_flame, &lw_verb_export, &lw_verb_list,
	&lw_verb_doctor, NULL
};

/* Of perf, which reads what is recorded here. */
static const struct lw_foreign_verb foreign[] = {
	{ "annotate",	"'perf annotate' reads recordings of latewind." },
	{ "buildid-list", "'perf buildid-list' reads recordings of latewind." },
	{ "evlist",	"'latewind report --header' lists the events of a recording." },
	{ "inject",	"Names of jitdumps are found without it: run 'latewind report'." },
	{ "probe",	"Name the probe as an event: record -e kprobe:FUNCTION, or PATH:SYMBOL." },
	{ "stat",	"Counting needs no stacks: 'perf stat' does it." },
	{ NULL }
};

const struct lw_program lw_program = {
	.name = "latewind",
	.verbs = verbs,
	.foreign = foreign,
	.status = "Exit status: 0 done; 1 failed; 2 wrong command line; 'record', 'live',\n"
		  "'top' and 'trace' of a COMMAND return its own (128 + N if signal N ended it),\n"
		  "126 if it cannot be executed, 127 if it is not found.\n",
};

int main(int argc, char **argv)
{
	return lw_program_run(&lw_program, argc, argv);
}
