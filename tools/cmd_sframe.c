// SPDX-License-Identifier: GPL-2.0
/*
 * cmd_sframe.c - latewind sframe: look at the SFrame section of a file.
 */
#include <errno.h>
#include <getopt.h>
#include <string.h>

#include "cmd_sframe.h"
#include "options.h"
#include "verbs.h"

static void print_help(void)
{
	puts("Usage: latewind sframe dump [--json] FILE\n"
	     "       latewind sframe check [--json] [-v] FILE\n\n"
	     "Looks at the SFrame section of a program or library of any machine that has\n"
	     "one: amd64, aarch64, s390x.\n\n"
	     "  dump                  header, functions and rows\n"
	     "  check                 is all of it valid; how much of the code has a rule?\n\n"
	     "  -j, --json            as one JSON object\n"
	     "  -v, --verbose         check: list the code that has no rule\n\n"
	     "Exit status: 0 done, the section is valid; 1 it is not, or there is none, or\n"
	     "the file cannot be read; 2 wrong command line.");
}

static int parse(struct lw_sframe_options *to, int argc, char **argv)
{
	static const struct option options[] = {
		{ "json",	no_argument,	NULL, 'j' },
		{ "verbose",	no_argument,	NULL, 'v' },
		{ "help",	no_argument,	NULL, 'h' },
		{ NULL, 0, NULL, 0 }
	};
	int option;

	opterr = 0;
	optind = 1;
	while ((option = getopt_long(argc, argv, "jvh", options, NULL)) != -1) {
		if (option == 'j')
			to->json = true;
		else if (option == 'v')
			to->verbose = true;
		else if (option == 'h')
			to->help = true;
		else
			return lw_unknown_option(argv);
	}
	if (to->help)
		return 0;
	if (optind == argc)
		return lw_fail(-EINVAL, "nothing to look at: name a file");
	if (optind + 1 < argc)
		return lw_fail(-EINVAL, "'%s' is not expected", argv[optind + 1]);
	to->path = argv[optind];
	return 0;
}

/* Both parts say the same of the file first. */
static int parse_part(struct lw_sframe_options *to, bool *check, int argc, char **argv)
{
	int ret;

	if (argc < 2)
		return lw_fail(-EINVAL, "'dump' or 'check' is missing");
	*check = !strcmp(argv[1], "check");
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
		to->help = true;
		return 0;
	}
	if (!*check && strcmp(argv[1], "dump"))
		return lw_fail(-EINVAL, "'%s' is neither 'dump' nor 'check'", argv[1]);
	ret = parse(to, argc - 1, argv + 1);
	if (!ret && to->verbose && !*check)
		return lw_fail(-EINVAL, "option --verbose is not one of 'latewind sframe dump'");
	return ret;
}

static int look(const struct lw_sframe_options *options, bool check)
{
	struct lw_sframe_file file;
	int status;

	if (lw_sframe_file_open(&file, options->path)) {
		fprintf(stderr, "latewind: %s: %s\n", options->path, lw_fail_text());
		return check ? lw_sframe_check_failed(options) : LW_EXIT_FAILURE;
	}
	if (lw_sframe_file_load_names(&file)) {
		fprintf(stderr, "latewind: %s: %s\n", options->path, lw_fail_text());
		status = LW_EXIT_FAILURE;
	} else {
		status = check ? lw_sframe_check(&file, options) :
				 lw_sframe_dump(&file, options);
	}
	lw_sframe_file_close(&file);
	return status;
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
	bool check = false;
	int status;

	if (parse_part(&options, &check, argc, argv)) {
		fprintf(stderr, "latewind: %s\n", lw_fail_text());
		return lw_usage_error("sframe");
	}
	if (options.help) {
		print_help();
		return LW_EXIT_OK;
	}
	status = look(&options, check);
	if (fflush(stdout) || ferror(stdout)) {
		fprintf(stderr, "latewind: cannot write the output: %s\n", strerror(errno));
		status = LW_EXIT_FAILURE;
	}
	return status;
}
