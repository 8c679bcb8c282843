// SPDX-License-Identifier: GPL-2.0
/*
 * cmd_sframe.c - latewind sframe: look at the SFrame section of a file, or make one.
 */
#include <errno.h>
#include <getopt.h>
#include <string.h>

#include "base/exit.h"
#include "base/print.h"
#include "cmd/cmd_sframe.h"
#include "cmd/verbs.h"

#define DUMP	0x1U
#define CHECK	0x2U
#define GEN	0x4U
#define SFRAME	0x8U	/* the verb itself */

static const struct lw_option own_options[] = {
	{ .help = "\n"
"  dump                  header, functions and rows\n"
"  check                 is all of it valid; how much of the code has a rule?\n"
"  gen                   make a table of .eh_frame and .debug_frame\n\n"
"'latewind sframe WORD --help' tells the options of each.",
	  .verbs = SFRAME },
	{ .help = "", .verbs = DUMP | CHECK | GEN },
	{ 'j', "json", NULL, "as one JSON object", DUMP | CHECK | GEN },
	{ 'v', "verbose", NULL, "list the code that has no rule", CHECK },
	{ 'g', "gen", NULL, "of the table that gen makes of FILE", DUMP | CHECK },
	{ 't', "table", NULL, "FILE is a table that gen wrote", DUMP | CHECK },
	{ 'o', "output", "OUT", "write the table there", GEN },
	{ }
};

static void print_more(void)
{
	puts("\nExit status: 0 done, the section is valid; 1 it is not, or there is none, or\n"
	     "the file cannot be read; 2 wrong command line.");
}

static int take_option(void *context, int id, const char *value)
{
	struct lw_sframe_options *to = context;

	switch (id) {
	case 'j':
		to->json = true;
		break;
	case 'v':
		to->verbose = true;
		break;
	case 'g':
	case 't':
		if (to->origin != LW_SFRAME_OF_FILE)
			return lw_fail(-EINVAL, "--gen and --table: FILE can be only one of both");
		to->origin = id == 'g' ? LW_SFRAME_GENERATED : LW_SFRAME_RAW;
		break;
	case 'o':
		to->output = value;
		break;
	}
	return 0;
}

static int take_file(struct lw_sframe_options *to, int argc, char **argv)
{
	if (optind == argc)
		return lw_fail(-EINVAL, "nothing to look at: name a file");
	if (optind + 1 < argc)
		return lw_fail(-EINVAL, "'%s' is not expected", argv[optind + 1]);
	to->path = argv[optind];
	return 0;
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
 * @json: where to
 * @file: opened
 * @options: of the command line
 */
void lw_sframe_header_json(struct lw_json *json, const struct lw_sframe_file *file,
			   const struct lw_sframe_options *options)
{
	const struct lw_sframe *sf = &file->sf;

	lw_json_open(json, NULL, '{');
	lw_json_str(json, "file", options->path);
	lw_json_line(json);
	lw_json_u64(json, "version", sf->version);
	lw_json_str(json, "abi", lw_sframe_abi_name(sf->abi));
	lw_json_open(json, "flags", '{');
	lw_json_bool(json, "sorted", sf->flags & LW_SFRAME_SORTED);
	lw_json_bool(json, "frame_pointer", sf->flags & LW_SFRAME_FRAME_POINTER);
	lw_json_bool(json, "pcrel", sf->flags & LW_SFRAME_PCREL);
	lw_json_close(json, '}');
	lw_json_line(json);
	lw_json_u64(json, "address", sf->place.addr);
	lw_json_u64(json, "offset", file->offset);
	lw_json_u64(json, "size", file->src.size);
	lw_json_u64(json, "entry", sf->place.entry);
	lw_json_line(json);
	lw_json_s64(json, "fixed_fp", sf->fixed_fp);
	lw_json_s64(json, "fixed_ra", sf->fixed_ra);
	lw_json_u64(json, "aux_header", sf->auxhdr_len);
	lw_json_u64(json, "num_functions", sf->num_fdes);
	lw_json_u64(json, "num_rows", sf->num_fres);
	lw_json_u64(json, "row_bytes", sf->fre_len);
	lw_json_line(json);
}

/* Bytes of output that are much. */
#define ENOUGH	(64U << 10)

/**
 * lw_sframe_drain_json - print what there is, if it is much
 * @json: goes on
 */
void lw_sframe_drain_json(struct lw_json *json)
{
	if (json->out->len < ENOUGH)
		return;
	fwrite(json->out->text, json->out->len, 1, stdout);
	json->out->len = 0;
}

/**
 * lw_sframe_end_json - end an object, and print the rest
 * @json: its text is freed
 *
 * Return: exit status.
 */
int lw_sframe_end_json(struct lw_json *json)
{
	bool failed;

	lw_json_close(json, '}');
	lw_strbuf_char(json->out, '\n');
	failed = json->out->failed;
	if (failed)
		fputs("latewind: out of memory for the output\n", stderr);
	else
		fwrite(json->out->text, json->out->len, 1, stdout);
	lw_strbuf_free(json->out);
	return failed ? LW_EXIT_FAILURE : LW_EXIT_OK;
}

/* The output is complete, or that is an error, too. */
static int run_part(const struct lw_verb *part, int argc, char **argv)
{
	struct lw_sframe_options options = { .check = part->bit == CHECK };
	int ret = lw_verb_parse(part, argc, argv, take_option, &options);

	if (!ret)
		ret = take_file(&options, argc, argv);
	if (ret)
		return lw_verb_end(part, ret);
	ret = part->bit == GEN ? lw_sframe_gen(&options) : dump_or_check(&options);
	if (fflush(stdout) || ferror(stdout)) {
		fprintf(stderr, "latewind: cannot write the output: %s\n", strerror(errno));
		ret = LW_EXIT_FAILURE;
	}
	return ret;
}

static const struct lw_verb dump_verb = {
	.name = "sframe dump",
	.usage = "[--json] [--gen | --table] FILE",
	.about = "Prints header, functions and rows of an SFrame section.",
	.tables = { own_options },
	.bit = DUMP,
	.print_more = print_more,
	.run = run_part,
};

static const struct lw_verb check_verb = {
	.name = "sframe check",
	.usage = "[--json] [-v] [--gen | --table] FILE",
	.about = "Looks whether all of an SFrame section is valid, and how much of the code\n"
		 "has a rule.",
	.tables = { own_options },
	.bit = CHECK,
	.print_more = print_more,
	.run = run_part,
};

static const struct lw_verb gen_verb = {
	.name = "sframe gen",
	.usage = "[--json] [-o OUT] FILE",
	.about = "Makes a table of the .eh_frame and .debug_frame of a file of amd64.",
	.tables = { own_options },
	.bit = GEN,
	.print_more = print_more,
	.run = run_part,
};

static const struct lw_verb *const parts[] = {
	&dump_verb, &check_verb, &gen_verb, NULL
};

static int refuse(int argc, char **argv)
{
	if (argc < 2)
		return lw_fail(-EINVAL, "'dump', 'check' or 'gen' is missing");
	return lw_fail(-EINVAL, "'%s' is none of 'dump', 'check', 'gen'", argv[1]);
}

static int run(const struct lw_verb *verb, int argc, char **argv)
{
	if (argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))) {
		lw_verb_print_help(verb);
		return LW_EXIT_OK;
	}
	for (size_t i = 0; argc > 1 && parts[i]; i++) {
		if (!strcmp(argv[1], strrchr(parts[i]->name, ' ') + 1))
			return parts[i]->run(parts[i], argc - 1, argv + 1);
	}
	return lw_verb_end(verb, refuse(argc, argv));
}

const struct lw_verb lw_verb_sframe = {
	.name = "sframe",
	.summary = "show, check or make the SFrame section of a file",
	.usage = "dump [--json] [--gen | --table] FILE\n"
		 "check [--json] [-v] [--gen | --table] FILE\n"
		 "gen [--json] [-o OUT] FILE",
	.about = "Looks at the SFrame section of a program or library of any machine that has\n"
		 "one: amd64, aarch64, s390x. Makes tables for files of amd64 that have none.",
	.tables = { own_options },
	.bit = SFRAME,
	.print_more = print_more,
	.parts = parts,
	.run = run,
};
