// SPDX-License-Identifier: GPL-2.0
/*
 * sframe_main.c - latewind-sframe: look at the SFrame section of a file, or make one.
 */
#include <errno.h>
#include <getopt.h>
#include <string.h>

#include "base/exit.h"
#include "cmd/sframe_verbs.h"
#include "cmd/verbs.h"

#define DUMP	0x1U
#define CHECK	0x2U
#define GEN	0x4U

static const struct lw_option own_options[] = {
	{ .help = "" },
	{ 'j', "json", NULL, "as one JSON object" },
	{ 'v', "verbose", NULL, "list the code that has no rule", CHECK },
	{ 'g', "gen", NULL, "of the table that gen makes of FILE", DUMP | CHECK },
	{ 't', "table", NULL, "FILE is a table that gen wrote", DUMP | CHECK },
	{ 'o', "output", "OUT", "write the table there", GEN },
	{ }
};

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
	fprintf(stderr, "latewind-sframe: %s: %s\n", options->path, lw_fail_text());
	return options->check ? lw_sframe_check_failed(options) : LW_EXIT_FAILURE;
}

/* @ret: of opening it */
static int look(struct lw_sframe_file *file, int ret, const struct lw_sframe_options *options)
{
	int status;

	if (ret)
		return cannot_look(options);
	if (lw_sframe_file_load_names(file)) {
		fprintf(stderr, "latewind-sframe: %s: %s\n", options->path, lw_fail_text());
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
		fprintf(stderr, "latewind-sframe: %s\n", lw_fail_text());
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
		fputs("latewind-sframe: out of memory for the output\n", stderr);
	else
		fwrite(json->out->text, json->out->len, 1, stdout);
	lw_strbuf_free(json->out);
	return failed ? LW_EXIT_FAILURE : LW_EXIT_OK;
}

/* The output is complete, or that is an error, too. */
static int run(const struct lw_verb *verb, int argc, char **argv)
{
	struct lw_sframe_options options = { .check = verb->bit == CHECK };
	int ret = lw_verb_parse(verb, argc, argv, take_option, &options);

	if (!ret)
		ret = take_file(&options, argc, argv);
	if (ret)
		return lw_verb_end(verb, ret);
	ret = verb->bit == GEN ? lw_sframe_gen(&options) : dump_or_check(&options);
	if (fflush(stdout) || ferror(stdout)) {
		fprintf(stderr, "latewind-sframe: cannot write the output: %s\n", strerror(errno));
		ret = LW_EXIT_FAILURE;
	}
	return ret;
}

static const struct lw_verb dump_verb = {
	.name = "dump",
	.summary = "header, functions and rows",
	.usage = "[--json] [--gen | --table] FILE",
	.about = "Prints header, functions and rows of an SFrame section.",
	.tables = { own_options },
	.bit = DUMP,
	.run = run,
};

static const struct lw_verb check_verb = {
	.name = "check",
	.summary = "is all of it valid; how much of the code has a rule?",
	.usage = "[--json] [-v] [--gen | --table] FILE",
	.about = "Looks whether all of an SFrame section is valid, and how much of the code\n"
		 "has a rule.",
	.tables = { own_options },
	.bit = CHECK,
	.run = run,
};

static const struct lw_verb gen_verb = {
	.name = "gen",
	.summary = "make a table of .eh_frame and .debug_frame",
	.usage = "[--json] [-o OUT] FILE",
	.about = "Makes a table of a file's .eh_frame and .debug_frame, of x86-64, arm64 or s390x.",
	.tables = { own_options },
	.bit = GEN,
	.run = run,
};

static const struct lw_verb *const verbs[] = { &dump_verb, &check_verb, &gen_verb, NULL };

const struct lw_program lw_program = {
	.name = "latewind-sframe",
	.verbs = verbs,
	.status = "Exit status: 0 done, the section is valid; 1 it is not, or there is none, or\n"
		  "the file cannot be read; 2 wrong command line.\n",
};

int main(int argc, char **argv)
{
	return lw_program_run(&lw_program, argc, argv);
}
