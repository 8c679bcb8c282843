// SPDX-License-Identifier: GPL-2.0
/*
 * completion.c - what shells offer behind the name of a program, of its own tables.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/exit.h"
#include "cmd/verbs.h"

/* Each word that a verb takes as an option. */
static void print_options(const struct lw_verb *verb)
{
	const struct lw_option *line = NULL;

	while ((line = lw_verb_next_line(verb, line))) {
		if (line->id && line->id < 128)
			printf("-%c ", line->id);
		if (line->id && line->name)
			printf("--%s ", line->name);
	}
	printf("--help");
}

static void print_bash_case(const struct lw_verb *verb)
{
	printf("\t%s)\n\t\toptions='", verb->name);
	print_options(verb);
	printf("'\n\t\t;;\n");
}

static void print_names(const struct lw_verb *const *verbs)
{
	for (; *verbs; verbs++)
		printf("%s%s", (*verbs)->name, verbs[1] ? " " : "");
}

/* The name of the shell function that completes a program. */
static void print_function(const struct lw_program *program)
{
	putchar('_');
	for (const char *c = program->name; *c; c++)
		putchar(*c == '-' ? '_' : *c);
}

static void print_bash(const struct lw_program *program)
{
	const struct lw_verb *const *verbs = program->verbs;

	printf("# bash completion for %s, as '%s completion bash' prints it\n", program->name,
	       program->name);
	print_function(program);
	printf("()\n{\n"
	       "\tlocal word=${COMP_WORDS[COMP_CWORD]} words='' options='--help'\n\n"
	       "\t# behind it is a command\n"
	       "\t[[ \" ${COMP_WORDS[*]:1:COMP_CWORD-1} \" != *' -- '* ]] || return\n"
	       "\tcase ${COMP_WORDS[1]} in\n");
	for (const struct lw_verb *const *verb = verbs; *verb; verb++)
		print_bash_case(*verb);
	printf("\tesac\n\tif ((COMP_CWORD == 1)); then\n\t\twords='");
	print_names(verbs);
	printf(" help version completion'\n"
	       "\telif [[ ${COMP_WORDS[1]} == completion ]] && ((COMP_CWORD == 2)); then\n"
	       "\t\twords='bash zsh'\n"
	       "\telif [[ ${COMP_WORDS[1]} == help ]] && ((COMP_CWORD == 2)); then\n"
	       "\t\twords='");
	print_names(verbs);
	printf("'\n\tfi\n"
	       "\t[[ $word != -* ]] || words=$options\n"
	       "\tmapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n"
	       "}\n"
	       "complete -o default -F ");
	print_function(program);
	printf(" %s\n", program->name);
}

/* Text in single quotes, up to the end of a line; a colon and brackets mean something. */
static void print_quoted(const char *text)
{
	for (; *text && *text != '\n'; text++) {
		if (*text == '\'')
			printf("'\\''");
		else if (strchr("[]:\\", *text))
			printf("\\%c", *text);
		else
			putchar(*text);
	}
}

static void print_zsh_spec(const char *name, const struct lw_option *line, const char *help)
{
	printf(" \\\n\t\t'*%s[", name);
	print_quoted(help);
	putchar(']');
	if (line->value) {
		printf("%s:", line->value[0] == '[' ? ":" : "");
		print_quoted(line->value);
		printf(":_files");
	}
	putchar('\'');
}

static void print_zsh_options(const struct lw_verb *verb)
{
	const struct lw_option *line = NULL;
	const char *help = "";
	char name[64];

	printf("_arguments");
	while ((line = lw_verb_next_line(verb, line))) {
		/* another name has the help of the option in front of it */
		help = line->help ? line->help : help;
		if (line->id && line->id < 128) {
			snprintf(name, sizeof(name), "-%c%s", line->id,
				 !line->value ? "" : line->value[0] == '[' ? "-" : "+");
			print_zsh_spec(name, line, help);
		}
		if (line->id && line->name) {
			snprintf(name, sizeof(name), "--%s%s", line->name,
				 !line->value ? "" : line->value[0] == '[' ? "=-" : "=");
			print_zsh_spec(name, line, help);
		}
	}
	printf(" \\\n\t\t'--help[what these are]' '*:file:_files'\n");
}

static void print_zsh(const struct lw_program *program)
{
	const struct lw_verb *const *verbs = program->verbs;

	printf("#compdef %s\n# zsh completion for %s, as '%s completion zsh' prints it\n",
	       program->name, program->name, program->name);
	print_function(program);
	printf("()\n{\n\tlocal -a verbs=(\n");
	for (const struct lw_verb *const *verb = verbs; *verb; verb++) {
		printf("\t\t'%s:", (*verb)->name);
		print_quoted((*verb)->summary);
		printf("'\n");
	}
	printf("\t)\n\n"
	       "\tif ((CURRENT == 2)) || [[ $words[2] == help ]]; then\n"
	       "\t\t_describe verb verbs\n"
	       "\t\treturn\n"
	       "\tfi\n"
	       "\tshift words; ((CURRENT--))\n"
	       "\tcase $words[1] in\n");
	for (const struct lw_verb *const *verb = verbs; *verb; verb++) {
		printf("\t%s)\n\t\t", (*verb)->name);
		print_zsh_options(*verb);
		printf("\t\t;;\n");
	}
	printf("\tesac\n}\n[[ $zsh_eval_context[-1] != loadautofunc ]] || ");
	print_function(program);
	printf(" \"$@\"\n(( ! $+functions[compdef] )) || compdef ");
	print_function(program);
	printf(" %s\n", program->name);
}

/**
 * lw_completion - print what a shell is to be told of the verbs and their options
 * @program: whose
 * @shell: "bash" or "zsh"
 *
 * Return: the exit status.
 */
int lw_completion(const struct lw_program *program, const char *shell)
{
	if (!strcmp(shell, "bash")) {
		print_bash(program);
	} else if (!strcmp(shell, "zsh")) {
		print_zsh(program);
	} else {
		fprintf(stderr, "%s: '%s' is none of bash, zsh\n", program->name, shell);
		return LW_EXIT_USAGE;
	}
	if (!fflush(stdout) && !ferror(stdout))
		return LW_EXIT_OK;
	fprintf(stderr, "%s: cannot write the output: %s\n", program->name,
		strerror(errno));
	return LW_EXIT_FAILURE;
}
