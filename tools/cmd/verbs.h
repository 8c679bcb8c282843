/* SPDX-License-Identifier: GPL-2.0 */
/*
 * verbs.h - programs, their verbs, and the options of these: one table of each, from which
 * come parsing, help, and completion in shells.
 */
#ifndef LW_VERBS_H
#define LW_VERBS_H

#include "base/util.h"

/* Verbs that share tables, in lw_option.verbs. */
#define LW_VERB_RECORD		0x01U
#define LW_VERB_LIVE		0x02U
#define LW_VERB_TOP		0x04U
#define LW_VERB_SCRIPT		0x08U
#define LW_VERB_REPORT		0x10U
#define LW_VERB_DIFF		0x20U
#define LW_VERB_FLAME		0x40U
#define LW_VERB_EXPORT		0x80U

/**
 * struct lw_option - an option of a verb, or text between options in its help
 * @id: its letter, or a number from 256 on; 0: no option, @help is the text
 * @name: the long one, or NULL: there is only the letter
 * @value: what its value is called; in brackets if it may be left out, and with a blank behind
 *	the first if it may be the next word, too, that has no dash; NULL: it takes none
 * @help: lines; NULL: another name of an option that the help has
 * @verbs: which have it; 0: all
 */
struct lw_option {
	int id;
	const char *name;
	const char *value;
	const char *help;
	u32 verbs;
};

#define LW_MAX_TABLES	2

/**
 * struct lw_verb - a word behind the name of a program
 * @name: the word
 * @summary: what it does, in the list of all
 * @usage: lines of what may be behind the name
 * @about: sentences, lines
 * @tables: of options, the last entry of each all zero
 * @bit: LW_VERB_*, or another of a table that only this verb has
 * @runs_command: a word that is no option ends them, and begins a command
 * @print_more: prints what the help has behind the options; NULL: nothing
 * @run: takes the verb and the arguments, argv[0] is its name; returns the exit status
 */
struct lw_verb {
	const char *name;
	const char *summary;
	const char *usage;
	const char *about;
	const struct lw_option *tables[LW_MAX_TABLES];
	u32 bit;
	bool runs_command;
	void (*print_more)(void);
	int (*run)(const struct lw_verb *verb, int argc, char **argv);
};

/* Takes an option of lw_verb_parse(): 0 or -EINVAL with lw_fail_text(). */
typedef int lw_take_option(void *context, int id, const char *value);

int lw_verb_parse(const struct lw_verb *verb, int argc, char **argv, lw_take_option *take,
		  void *context);
int lw_verb_end(const struct lw_verb *verb, int ret);
void lw_verb_print_help(const struct lw_verb *verb);
const struct lw_option *lw_verb_next_line(const struct lw_verb *verb,
					  const struct lw_option *line);

/**
 * struct lw_program - a program of verbs
 * @name: what it is called
 * @verbs: of its help, in that order, up to NULL
 * @status: lines of its help: its exit statuses
 */
/* A verb of another program, which this one's users may type: what does it here. */
struct lw_foreign_verb {
	const char *name;
	const char *instead;
};

struct lw_program {
	const char *name;
	const struct lw_verb *const *verbs;
	const char *status;
	const struct lw_foreign_verb *foreign;	/* the last one has no name; or NULL */
};

int lw_program_run(const struct lw_program *program, int argc, char **argv);
const char *lw_tool_version(void);
int lw_completion(const struct lw_program *program, const char *shell);

/* The one that this is. */
extern const struct lw_program lw_program;

extern const struct lw_verb lw_verb_record, lw_verb_live, lw_verb_top, lw_verb_trace,
			    lw_verb_script, lw_verb_report, lw_verb_diff, lw_verb_flame,
			    lw_verb_export, lw_verb_list, lw_verb_doctor;

#endif /* LW_VERBS_H */
