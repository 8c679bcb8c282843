// SPDX-License-Identifier: GPL-2.0
/*
 * cmd_sframe.c - latewind sframe: look at the SFrame section of a file, or make one.
 */
#include <errno.h>
#include <getopt.h>
#include <string.h>

#include "base/did_you_mean.h"
#include "base/exit.h"
#include "base/print.h"
#include "cmd/cmd_sframe.h"
#include "cmd/record_options.h"
#include "cmd/verbs.h"

/* What may be behind the verb. */
struct part {
	const char *name;
	const char *letters;		/* of its options, besides --help */
	bool wants_file;
	int (*run)(const struct lw_sframe_options *options);
};

static int dump_or_check(const struct lw_sframe_options *options);

static const struct part parts[] = {
	{ "dump",	"jgt",	true,	dump_or_check },
	{ "check",	"jvgt",	true,	dump_or_check },
	{ "gen",	"joCd",	true,	lw_sframe_gen },
	{ "cache",	"jdx",	false,	lw_sframe_cache },
};

static void print_help(void)
{
	puts("Usage: latewind sframe dump [--json] [--gen | --table] FILE\n"
	     "       latewind sframe check [--json] [-v] [--gen | --table] FILE\n"
	     "       latewind sframe gen [--json] [-o OUT] [--cache] FILE\n"
	     "       latewind sframe cache [--json] [--clear]\n\n"
	     "Looks at the SFrame section of a program or library of any machine that has\n"
	     "one: amd64, aarch64, s390x. Makes tables for files of amd64 that have none.\n\n"
	     "  dump                  header, functions and rows\n"
	     "  check                 is all of it valid; how much of the code has a rule?\n"
	     "  gen                   make a table of .eh_frame and .debug_frame\n"
	     "  cache                 tables that are kept from run to run\n\n"
	     "  -j, --json            as one JSON object\n"
	     "  -v, --verbose         check: list the code that has no rule\n"
	     "  -g, --gen             dump, check: of the table that gen makes of FILE\n"
	     "  -t, --table           dump, check: FILE is a table that gen wrote\n"
	     "  -o, --output=OUT      gen: write the table there\n"
	     "  -C, --cache           gen: take it from the cache, or put it there\n"
	     "  -d, --dir=DIR         gen, cache: where the cache is\n"
	     "      --clear           cache: remove all that is kept\n\n"
	     "Exit status: 0 done, the section is valid; 1 it is not, or there is none, or\n"
	     "the file cannot be read; 2 wrong command line.");
}

static const char *option_name(int option)
{
	static const char * const names[] = {
		"--json", "--verbose", "--gen", "--table", "--output", "--cache", "--dir",
		"--clear",
	};
	static const char letters[] = "jvgtoCdx";

	return names[strchr(letters, option) - letters];
}

static void take_option(struct lw_sframe_options *to, int option)
{
	switch (option) {
	case 'j':
		to->json = true;
		break;
	case 'v':
		to->verbose = true;
		break;
	case 'g':
		to->origin = LW_SFRAME_GENERATED;
		break;
	case 't':
		to->origin = LW_SFRAME_RAW;
		break;
	case 'o':
		to->output = optarg;
		break;
	case 'C':
		to->cache = true;
		break;
	case 'd':
		to->dir = optarg;
		break;
	case 'x':
		to->clear = true;
		break;
	}
}

static int take_file(struct lw_sframe_options *to, const struct part *part, int argc, char **argv)
{
	int last = optind + part->wants_file;

	if (optind == argc && part->wants_file)
		return lw_fail(-EINVAL, "nothing to look at: name a file");
	if (last < argc)
		return lw_fail(-EINVAL, "'%s' is not expected", argv[last]);
	to->path = part->wants_file ? argv[optind] : NULL;
	return 0;
}

static int parse(struct lw_sframe_options *to, const struct part *part, int argc, char **argv)
{
	static const struct option options[] = {
		{ "json",	no_argument,	NULL, 'j' },
		{ "verbose",	no_argument,	NULL, 'v' },
		{ "gen",	no_argument,	NULL, 'g' },
		{ "table",	no_argument,	NULL, 't' },
		{ "output",	required_argument, NULL, 'o' },
		{ "cache",	no_argument,	NULL, 'C' },
		{ "dir",	required_argument, NULL, 'd' },
		{ "clear",	no_argument,	NULL, 'x' },
		{ "help",	no_argument,	NULL, 'h' },
		{ NULL, 0, NULL, 0 }
	};
	int option;

	opterr = 0;
	optind = 1;
	while ((option = getopt_long(argc, argv, ":jvgto:Cd:h", options, NULL)) != -1) {
		if (option == ':')
			return lw_fail(-EINVAL, "%s has no value", argv[optind - 1]);
		if (option == '?')
			return lw_unknown_option(argv, options);
		if (option == 'h') {
			to->help = true;
			continue;
		}
		if (!strchr(part->letters, option))
			return lw_fail(-EINVAL, "option %s is not one of 'latewind sframe %s'",
				       option_name(option), part->name);
		if (strchr("gt", option) && to->origin != LW_SFRAME_OF_FILE)
			return lw_fail(-EINVAL, "--gen and --table: FILE can be only one of both");
		take_option(to, option);
	}
	return to->help ? 0 : take_file(to, part, argc, argv);
}

/* All parts say the same of the file first. */
static int parse_part(struct lw_sframe_options *to, const struct part **part, int argc,
		      char **argv)
{
	if (argc < 2)
		return lw_fail(-EINVAL, "'dump', 'check', 'gen' or 'cache' is missing");
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
		to->help = true;
		return 0;
	}
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		if (strcmp(argv[1], parts[i].name))
			continue;
		*part = &parts[i];
		to->check = !strcmp(argv[1], "check");
		return parse(to, *part, argc - 1, argv + 1);
	}
	return lw_fail(-EINVAL, "'%s' is none of 'dump', 'check', 'gen', 'cache'", argv[1]);
}

static int cannot_look(const struct lw_sframe_options *options)
{
	fprintf(stderr, "latewind: %s: %s\n", options->path, lw_fail_text());
	return options->check ? lw_sframe_check_failed(options) : LW_EXIT_FAILURE;
}

/* @ret: of opening it */
static int look(struct lw_sframe_file *file, int ret, const struct lw_sframe_options *options)
{
	int status;

	if (ret)
		return cannot_look(options);
	if (lw_sframe_file_load_names(file)) {
		fprintf(stderr, "latewind: %s: %s\n", options->path, lw_fail_text());
		status = LW_EXIT_FAILURE;
	} else {
		status = options->check ? lw_sframe_check(file, options) :
					  lw_sframe_dump(file, options);
	}
	lw_sframe_file_close(file);
	return status;
}

/* One after the other, as most files have but one. */
static int look_at_generated(const struct lw_sframe_options *options)
{
	struct lw_sframe_file file;
	int status = LW_EXIT_OK;
	struct lw_gen gen;

	if (lw_sframe_gen_path(options->path, &gen)) {
		fprintf(stderr, "latewind: %s\n", lw_fail_text());
		return options->check ? lw_sframe_check_failed(options) : LW_EXIT_FAILURE;
	}
	for (size_t i = 0; i < gen.nr_tables; i++)
		status |= look(&file, lw_sframe_file_open_with(&file, options->path,
							       &gen.tables[i]), options);
	lw_gen_free(&gen);
	return status;
}

static int dump_or_check(const struct lw_sframe_options *options)
{
	struct lw_sframe_file file;

	if (options->origin == LW_SFRAME_GENERATED)
		return look_at_generated(options);
	if (options->origin == LW_SFRAME_RAW)
		return look(&file, lw_sframe_file_open_bytes(&file, options->path), options);
	return look(&file, lw_sframe_file_open(&file, options->path), options);
}

/**
 * lw_sframe_header_json - begin an object with what a section's header says
 * @file: opened
 * @options: of the command line
 *
 * Ends behind a comma.
 */
void lw_sframe_header_json(const struct lw_sframe_file *file,
			   const struct lw_sframe_options *options)
{
	const struct lw_sframe *sf = &file->sf;

	fputs("{\"file\":", stdout);
	lw_print_json(stdout, options->path);
	printf(",\n\"version\":%u,\"abi\":\"%s\",", sf->version, lw_sframe_abi_name(sf->abi));
	printf("\"flags\":{\"sorted\":%s,\"frame_pointer\":%s,\"pcrel\":%s},\n",
	       sf->flags & LW_SFRAME_SORTED ? "true" : "false",
	       sf->flags & LW_SFRAME_FRAME_POINTER ? "true" : "false",
	       sf->flags & LW_SFRAME_PCREL ? "true" : "false");
	printf("\"address\":%llu,\"offset\":%llu,\"size\":%llu,\"entry\":%llu,\n",
	       sf->place.addr, file->offset, file->src.size, sf->place.entry);
	printf("\"fixed_fp\":%d,\"fixed_ra\":%d,\"aux_header\":%u,", sf->fixed_fp, sf->fixed_ra,
	       sf->auxhdr_len);
	printf("\"num_functions\":%u,\"num_rows\":%u,\"row_bytes\":%u,\n", sf->num_fdes,
	       sf->num_fres, sf->fre_len);
}

/**
 * lw_cmd_sframe - the verb
 * @argc: of the verb
 * @argv: argv[0] is its name
 *
 * Return: exit status.
 */
int lw_cmd_sframe(int argc, char **argv)
{
	struct lw_sframe_options options = { 0 };
	const struct part *part = NULL;
	int status;

	if (parse_part(&options, &part, argc, argv)) {
		fprintf(stderr, "latewind: %s\n", lw_fail_text());
		return lw_usage_error("sframe");
	}
	if (options.help || !part) {
		print_help();
		return LW_EXIT_OK;
	}
	status = part->run(&options);
	if (fflush(stdout) || ferror(stdout)) {
		fprintf(stderr, "latewind: cannot write the output: %s\n", strerror(errno));
		status = LW_EXIT_FAILURE;
	}
	return status;
}
