// SPDX-License-Identifier: GPL-2.0
/*
 * flame_pages.c - the pages that selftests/flame/flame_test.py opens.
 *
 * flame_pages TEMPLATE DIRECTORY: TEMPLATE is what the build has made of tools/flame.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "export/flame_page.h"

/* Root first, as folded stacks are written; "_[k]" is of the kernel. */
struct line {
	const char *stack;
	u64 weight;
};

static const struct line now[] = {
	{ "prog;main;work_a", 300 },
	{ "prog;main;work_b;work_c", 350 },
	{ "prog;main;work_b;read;vfs_read_[k]", 250 },
	{ "prog;idle", 99 },
	/* too little to be seen */
	{ "prog;idle;blink", 1 },
};

/* Half as many, to be scaled: work_a had 500 of 1,000, work_b 400. */
static const struct line before[] = {
	{ "prog;main;work_a", 250 },
	{ "prog;main;work_b;work_c", 100 },
	{ "prog;main;work_b;read;vfs_read_[k]", 100 },
	{ "prog;idle", 50 },
};

static const struct line blocked[] = {
	{ "prog;main;read;schedule_[k]", 1500000000 },
	{ "prog;main;sleep", 2500000000ULL },
};

static const struct line hostile[] = {
	{ "</script><script>window.hostile = 1</script>;main", 5 },
	{ "a;<img src=x onerror=\"window.hostile = 1\">", 4 },
	{ "a;<!--<script>", 3 },
	{ "a;\" & ' \\ \303\244 \342\202\254", 3 },
};

static u32 add_frame(struct lw_profile *profile, const char *name)
{
	struct lw_profile_frame frame = { .file = LW_PROFILE_NONE };
	size_t len = strlen(name);
	char plain[128];

	snprintf(plain, sizeof(plain), "%s", name);
	if (len > 4 && !strcmp(name + len - 4, "_[k]")) {
		plain[len - 4] = '\0';
		frame.kind = LW_FRAME_KERNEL;
	}
	frame.function = lw_profile_add_string(profile, plain);
	frame.dso = lw_profile_add_string(profile, "/usr/bin/prog");
	return lw_profile_add_frame(profile, &frame);
}

static void add_line(struct lw_profile *profile, const char *event, const struct line *line)
{
	struct lw_profile_key key = { .pid = 1, .tid = 1, .cgroup = LW_PROFILE_NONE };
	char text[256], *at = text, *name;
	u32 path[8], leaf[8], nr = 0;

	snprintf(text, sizeof(text), "%s", line->stack);
	key.event = lw_profile_add_string(profile, event);
	key.comm = lw_profile_add_string(profile, strsep(&at, ";"));
	while ((name = strsep(&at, ";")))
		path[nr++] = add_frame(profile, name);
	for (u32 i = 0; i < nr; i++)
		leaf[i] = path[nr - 1 - i];
	if (lw_profile_add_sample(profile, &key, lw_profile_add_stack(profile, leaf, nr),
				  line->weight, 0, 0))
		exit(1);
}

static struct lw_profile *make(const char *event, const struct line *lines, size_t nr)
{
	struct lw_profile *profile = lw_profile_new();

	if (!profile)
		exit(1);
	for (size_t i = 0; i < nr; i++)
		add_line(profile, event, &lines[i]);
	return profile;
}

static char *template;

static void write_page(const char *dir, const char *name, const char *event,
		       struct lw_profile *profile, struct lw_profile *base)
{
	struct lw_flame_options options = {
		.export.filter = LW_FILTER_ALL,
		.percent_limit = 0.2,
	};
	char path[4096];
	FILE *file;

	options.export.filter.event = event;
	snprintf(path, sizeof(path), "%s/%s.html", dir, name);
	file = fopen(path, "we");
	if (!file) {
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
		exit(1);
	}
	if (lw_flame_page(file, template, "prog <b>&amp;", profile, base, &options) ||
	    fclose(file)) {
		fprintf(stderr, "%s: %s\n", path, lw_fail_text());
		exit(1);
	}
	lw_profile_free(profile);
	if (base)
		lw_profile_free(base);
}

int main(int argc, char **argv)
{
	const char *dir = argv[argc - 1];

	if (argc != 3) {
		fputs("Usage: flame_pages TEMPLATE DIRECTORY\n", stderr);
		return 2;
	}
	template = lw_flame_template(argv[1]);
	if (!template) {
		fprintf(stderr, "%s\n", lw_fail_text());
		return 1;
	}
	write_page(dir, "plain", "cycles", make("cycles", now, ARRAY_SIZE(now)), NULL);
	write_page(dir, "diff", "cycles", make("cycles", now, ARRAY_SIZE(now)),
		   make("cycles", before, ARRAY_SIZE(before)));
	write_page(dir, "offcpu", "off-cpu", make("off-cpu", blocked, ARRAY_SIZE(blocked)), NULL);
	write_page(dir, "hostile", "cycles", make("cycles", hostile, ARRAY_SIZE(hostile)), NULL);
	write_page(dir, "empty", "cycles", make("cycles", NULL, 0), NULL);
	free(template);
	return 0;
}
