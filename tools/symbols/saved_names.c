// SPDX-License-Identifier: GPL-2.0
/*
 * saved_names.c - names of user code that a recording brings along.
 *
 * The key of an address is what a recording itself tells of it: the path and the build ID of
 * the file that is mapped there, and the offset in the file.  Code that a process has made is
 * in no file: its key is the process and the address, and since when the name is this one,
 * as a process makes other code in the same place.
 *
 * As text it is lines of fields with tabs between them.  In a field a backslash, and bytes
 * below a space, are a backslash, "x" and two hexadecimal digits.  Numbers are hexadecimal.
 *
 *	f ID PATH		a file, ID is "-" if it is not known; what follows is of it
 *	a OFFSET ADDRESS	an address: offset in the file, and as its symbols have it;
 *				what follows is at it, the innermost inlined call first
 *	p KIND OFFSET LINE FUNCTION SOURCE
 *				KIND is "i" for a call inlined into what follows, "u" if
 *				FUNCTION is made of the file's name, "-" else; offset in the
 *				function; LINE is 0 and SOURCE empty if they are not known
 *	m PID IP TIME OFFSET FUNCTION DSO
 *				code that a process has made; without FUNCTION it has no
 *				name from that time on
 *
 * Contexts: one thread.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/hash_index.h"
#include "symbols/code_names.h"
#include "symbols/saved_names.h"

/* Of each kind: more are in no recording that anybody can look at, and indexes end there. */
#define MOST		(1U << 24)
#define MOST_FIELDS	7

struct text {
	const char *plain;		/* demangled; NULL: not yet, or it is no mangled name */
	bool tried;
	char text[];
};

struct file {
	struct text *path;
	u8 build_id[LW_BUILD_ID_MAX];
	u32 build_id_len;
};

struct address {
	u64 offset;			/* in the file */
	u64 address;
	u32 file;
	u32 first, nr;			/* of its places */
};

struct place {
	u64 offset;			/* in the function */
	struct text *function, *source;	/* NULL: not known */
	u32 line;
	bool inlined, unnamed;
};

struct made {
	u64 ip, time, offset;
	struct text *function;		/* NULL: it had no name then */
	struct text *dso;
	u32 pid;
	u32 newer;			/* of the same address; LW_INDEX_NONE: none */
	u32 newest, found;		/* of the first of an address; the one found last */
};

struct lw_saved_names {
	u64 seed;
	struct lw_arena memory;		/* of texts */
	struct lw_pool texts;		/* of struct text *, as all below by number */
	struct lw_pool files, addresses, places, made;
	struct lw_index by_text, by_file, by_address, by_code;
};

/**
 * lw_saved_names_new - begin without any
 *
 * Return: them, or NULL.
 */
struct lw_saved_names *lw_saved_names_new(void)
{
	struct lw_saved_names *names = calloc(1, sizeof(*names));

	if (!names)
		return NULL;
	names->seed = lw_hash64(lw_now());
	names->texts.size = sizeof(struct text *);
	names->files.size = sizeof(struct file);
	names->addresses.size = sizeof(struct address);
	names->places.size = sizeof(struct place);
	names->made.size = sizeof(struct made);
	return names;
}

/* Return: what is added, zeroed, or NULL. */
static void *add(struct lw_pool *pool)
{
	return pool->nr < MOST ? lw_pool_add(pool) : NULL;
}

/* --- texts */

static struct text *text_at(const struct lw_saved_names *names, u32 number)
{
	return *(struct text **)lw_pool_at(&names->texts, number);
}

static bool same_text(const void *owner, u32 number, const void *key)
{
	return !strcmp(text_at(owner, number)->text, key);
}

static u64 hash_text(const struct lw_saved_names *names, const char *text)
{
	return lw_hash_bytes(names->seed, text, strlen(text));
}

static struct text *find_text(const struct lw_saved_names *names, const char *text)
{
	u32 number = lw_index_find(&names->by_text, hash_text(names, text), same_text, names,
				   text);

	return number == LW_INDEX_NONE ? NULL : text_at(names, number);
}

static struct text *add_text(struct lw_saved_names *names, const char *text)
{
	struct text *found = find_text(names, text), **slot;
	size_t size = strlen(text) + 1;

	if (found || lw_index_reserve(&names->by_text))
		return found;
	found = lw_arena_alloc(&names->memory, sizeof(*found) + size);
	slot = found ? add(&names->texts) : NULL;
	if (!slot)
		return NULL;
	found->plain = NULL;
	found->tried = false;
	memcpy(found->text, text, size);
	*slot = found;
	lw_index_add(&names->by_text, hash_text(names, text), names->texts.nr - 1);
	return found;
}

/* Return: false: there was no memory for it. */
static bool set_text(struct lw_saved_names *names, struct text **to, const char *text)
{
	*to = text && *text ? add_text(names, text) : NULL;
	return *to || !text || !*text;
}

static const char *plain(struct text *text)
{
	if (!text->tried)
		text->plain = lw_demangle(text->text);
	text->tried = true;
	return text->plain ? text->plain : text->text;
}

static const char *string_of(const struct text *text)
{
	return text ? text->text : NULL;
}

/* --- files */

static bool same_file(const void *owner, u32 number, const void *key)
{
	const struct lw_saved_names *names = owner;
	const struct file *file = lw_pool_at(&names->files, number);
	const struct lw_map *map = key;

	return !strcmp(file->path->text, map->path) && file->build_id_len == map->build_id_len &&
	       !memcmp(file->build_id, map->build_id, map->build_id_len);
}

static u64 hash_file(const struct lw_saved_names *names, const struct lw_map *map)
{
	return lw_hash_bytes(hash_text(names, map->path), map->build_id, map->build_id_len);
}

static u32 find_file(const struct lw_saved_names *names, const struct lw_map *map)
{
	return lw_index_find(&names->by_file, hash_file(names, map), same_file, names, map);
}

/* Return: its number, or LW_INDEX_NONE: there is no memory. */
static u32 add_file(struct lw_saved_names *names, const struct lw_map *map)
{
	u32 number = find_file(names, map);
	struct text *path;
	struct file *file;

	if (number != LW_INDEX_NONE)
		return number;
	path = add_text(names, map->path);
	if (!path || lw_index_reserve(&names->by_file))
		return LW_INDEX_NONE;
	file = add(&names->files);
	if (!file)
		return LW_INDEX_NONE;
	file->path = path;
	file->build_id_len = map->build_id_len;
	memcpy(file->build_id, map->build_id, map->build_id_len);
	lw_index_add(&names->by_file, hash_file(names, map), names->files.nr - 1);
	return names->files.nr - 1;
}

/**
 * lw_saved_names_file - does a recording bring names of a file?
 * @names: parsed
 * @map: a mapping of it
 *
 * Return: its number for lw_saved_names_find(), or LW_SAVED_NO_FILE.
 */
u32 lw_saved_names_file(const struct lw_saved_names *names, const struct lw_map *map)
{
	return find_file(names, map);
}

/* --- addresses in files */

static bool same_address(const void *owner, u32 number, const void *key)
{
	const struct lw_saved_names *names = owner;
	const struct address *address = lw_pool_at(&names->addresses, number), *wanted = key;

	return address->file == wanted->file && address->offset == wanted->offset;
}

static u64 hash_address(const struct lw_saved_names *names, const struct address *address)
{
	return lw_hash64(names->seed ^ address->offset ^ (u64)address->file << 40);
}

static const struct address *find_address(const struct lw_saved_names *names,
					  const struct address *key)
{
	u32 number = lw_index_find(&names->by_address, hash_address(names, key), same_address,
				   names, key);

	return number == LW_INDEX_NONE ? NULL : lw_pool_at(&names->addresses, number);
}

/* Its places follow.  Return: it, or NULL: there is no memory. */
static struct address *add_address(struct lw_saved_names *names, const struct address *key)
{
	struct address *address = lw_index_reserve(&names->by_address) ? NULL :
				  add(&names->addresses);

	if (!address)
		return NULL;
	*address = *key;
	address->first = names->places.nr;
	address->nr = 0;
	lw_index_add(&names->by_address, hash_address(names, key), names->addresses.nr - 1);
	return address;
}

/* Return: 0 or -ENOMEM. */
static int add_place(struct lw_saved_names *names, struct address *address,
		     const struct lw_place *from)
{
	struct place place = {
		.offset = from->offset,
		.line = from->line,
		.inlined = from->inlined,
		.unnamed = from->unnamed,
	};
	struct place *to;

	if (!set_text(names, &place.function, from->function) ||
	    !set_text(names, &place.source, from->file))
		return -ENOMEM;
	to = add(&names->places);
	if (!to)
		return -ENOMEM;
	*to = place;
	address->nr++;
	return 0;
}

static u64 offset_in_file(const struct lw_map *map, u64 ip)
{
	return ip - map->start + map->pgoff;
}

/**
 * lw_saved_names_add - remember what an address is called
 * @names: get it
 * @map: the mapping that it is in
 * @ip: it
 * @places: as lw_symbolize_user() gave them, not demangled
 * @nr: how many
 *
 * Return: 0 or -ENOMEM.
 */
int lw_saved_names_add(struct lw_saved_names *names, const struct lw_map *map, u64 ip,
		       const struct lw_place *places, u32 nr)
{
	struct address key = {
		.offset = offset_in_file(map, ip),
		.address = places[nr - 1].address,
		.file = add_file(names, map),
	};
	struct address *address;
	int ret = 0;

	if (key.file == LW_INDEX_NONE)
		return -ENOMEM;
	if (find_address(names, &key))
		return 0;
	address = add_address(names, &key);
	if (!address)
		return -ENOMEM;
	for (u32 i = 0; !ret && i < nr; i++)
		ret = add_place(names, address, &places[i]);
	return ret;
}

/**
 * lw_saved_names_find - what an address was called when it was recorded
 * @names: parsed
 * @file: of lw_saved_names_file()
 * @map: the mapping of that file that it is in
 * @ip: it
 * @demangle: names as people write them
 * @places: out: as lw_symbolize_user(); good as long as @names and @map are
 * @room: how many fit
 *
 * Return: how many; 0: that is not known.
 */
u32 lw_saved_names_find(struct lw_saved_names *names, u32 file, const struct lw_map *map, u64 ip,
			bool demangle, struct lw_place *places, u32 room)
{
	struct address key = { .offset = offset_in_file(map, ip), .file = file };
	const struct address *address = file == LW_SAVED_NO_FILE ? NULL :
					find_address(names, &key);
	u32 nr = address && address->nr <= room ? address->nr : 0;

	for (u32 i = 0; i < nr; i++) {
		const struct place *from = lw_pool_at(&names->places, address->first + i);

		places[i] = (struct lw_place){
			.function = from->function && demangle && !from->unnamed ?
				    plain(from->function) : string_of(from->function),
			.offset = from->offset,
			.address = address->address,
			.dso = map->path,
			.file = string_of(from->source),
			.line = from->line,
			.inlined = from->inlined,
			.unnamed = from->unnamed,
		};
	}
	return nr;
}

/* --- code that a process has made */

static struct made *made_at(const struct lw_saved_names *names, u32 number)
{
	return number == LW_INDEX_NONE ? NULL : lw_pool_at(&names->made, number);
}

static bool same_code(const void *owner, u32 number, const void *key)
{
	const struct lw_saved_names *names = owner;
	const struct made *made = lw_pool_at(&names->made, number), *wanted = key;

	return made->pid == wanted->pid && made->ip == wanted->ip;
}

static u64 hash_code(const struct lw_saved_names *names, const struct made *made)
{
	return lw_hash64(names->seed ^ made->ip ^ (u64)made->pid << 40);
}

/* Return: the first of an address, or NULL. */
static struct made *find_code(const struct lw_saved_names *names, const struct made *key)
{
	return made_at(names, lw_index_find(&names->by_code, hash_code(names, key), same_code,
					    names, key));
}

static int add_made(struct lw_saved_names *names, const struct made *key)
{
	struct made *first = find_code(names, key), *made;
	u32 number = names->made.nr;

	if (!first && lw_index_reserve(&names->by_code))
		return -ENOMEM;
	made = add(&names->made);
	if (!made)
		return -ENOMEM;
	*made = *key;
	made->newer = LW_INDEX_NONE;
	made->found = LW_INDEX_NONE;
	if (first)
		made_at(names, first->newest)->newer = number;
	else
		lw_index_add(&names->by_code, hash_code(names, key), number);
	(first ? first : made)->newest = number;
	return 0;
}

/**
 * lw_saved_names_add_made - remember what an address of made code is called
 * @names: get it
 * @address: the process, the time and the address; by time
 * @place: its name, or NULL: it has none
 *
 * Return: 0 or -ENOMEM.
 */
int lw_saved_names_add_made(struct lw_saved_names *names, const struct lw_user_address *address,
			    const struct lw_place *place)
{
	struct made made = { .ip = address->ip, .time = address->time, .pid = address->pid };
	const struct made *last = find_code(names, &made);

	if (place && (!set_text(names, &made.function, place->function) ||
		      !set_text(names, &made.dso, place->dso)))
		return -ENOMEM;
	made.offset = place ? place->offset : 0;
	last = last ? made_at(names, last->newest) : NULL;
	if (last ? last->function == made.function && last->dso == made.dso &&
	    last->offset == made.offset : !place)
		return 0;
	return add_made(names, &made);
}

/* Most look-ups go on from where the last one was, as samples come by time. */
static const struct made *find_at_time(const struct lw_saved_names *names, struct made *first,
				       u64 time)
{
	struct made *made = first->found == LW_INDEX_NONE ? first : made_at(names, first->found);
	const struct made *newer;

	if (made->time > time)
		made = first;
	while ((newer = made_at(names, made->newer)) && newer->time <= time) {
		first->found = made->newer;
		made = made_at(names, first->found);
	}
	return made->time <= time ? made : NULL;
}

/**
 * lw_saved_names_find_made - what an address of made code was called when it was recorded
 * @names: parsed
 * @address: the process, the time and the address
 * @place: out: good as long as @names are
 *
 * Return: whether it had a name then.
 */
bool lw_saved_names_find_made(struct lw_saved_names *names, const struct lw_user_address *address,
			      struct lw_place *place)
{
	struct made key = { .ip = address->ip, .pid = address->pid };
	struct made *first = find_code(names, &key);
	const struct made *made = first ? find_at_time(names, first, address->time) : NULL;

	if (!made || !made->function)
		return false;
	*place = (struct lw_place){
		.function = made->function->text,
		.offset = made->offset,
		.dso = made->dso ? made->dso->text : "[unknown]",
	};
	return true;
}

/* --- as text */

static void put_field(FILE *to, const char *text)
{
	putc_unlocked('\t', to);
	for (; text && *text; text++) {
		if (*text == '\\' || (unsigned char)*text < ' ')
			fprintf(to, "\\x%02x", (unsigned char)*text);
		else
			putc_unlocked(*text, to);
	}
}

static void put_file(FILE *to, const struct file *file)
{
	fputs("f\t", to);
	for (u32 i = 0; i < file->build_id_len; i++)
		fprintf(to, "%02x", file->build_id[i]);
	if (!file->build_id_len)
		putc_unlocked('-', to);
	put_field(to, file->path->text);
	putc_unlocked('\n', to);
}

static void put_place(FILE *to, const struct place *place)
{
	fprintf(to, "p\t%c\t%llx\t%x", place->inlined ? 'i' : place->unnamed ? 'u' : '-',
		place->offset, place->line);
	put_field(to, string_of(place->function));
	put_field(to, string_of(place->source));
	putc_unlocked('\n', to);
}

static int by_file_and_offset(const void *one, const void *other)
{
	const struct address *a = *(const struct address **)one;
	const struct address *b = *(const struct address **)other;

	if (a->file != b->file)
		return a->file < b->file ? -1 : 1;
	return a->offset < b->offset ? -1 : a->offset > b->offset;
}

/* Return: all addresses, those of a file together; NULL: there is no memory. */
static const struct address **sort_addresses(const struct lw_saved_names *names)
{
	size_t nr = names->addresses.nr;
	const struct address **all = reallocarray(NULL, nr + 1, sizeof(*all));

	for (size_t i = 0; all && i < nr; i++)
		all[i] = lw_pool_at(&names->addresses, i);
	if (all)
		qsort(all, nr, sizeof(*all), by_file_and_offset);
	return all;
}

static int put_addresses(const struct lw_saved_names *names, FILE *to)
{
	const struct address **all = sort_addresses(names);

	if (!all)
		return -ENOMEM;
	for (size_t i = 0; i < names->addresses.nr; i++) {
		if (!i || all[i]->file != all[i - 1]->file)
			put_file(to, lw_pool_at(&names->files, all[i]->file));
		fprintf(to, "a\t%llx\t%llx\n", all[i]->offset, all[i]->address);
		for (u32 j = 0; j < all[i]->nr; j++)
			put_place(to, lw_pool_at(&names->places, all[i]->first + j));
	}
	free(all);
	return 0;
}

static void put_made(const struct lw_saved_names *names, FILE *to)
{
	for (size_t i = 0; i < names->made.nr; i++) {
		const struct made *made = lw_pool_at(&names->made, i);

		fprintf(to, "m\t%x\t%llx\t%llx\t%llx", made->pid, made->ip, made->time,
			made->offset);
		put_field(to, string_of(made->function));
		put_field(to, string_of(made->dso));
		putc_unlocked('\n', to);
	}
}

/**
 * lw_saved_names_write - write them as text
 * @names: as they were added
 * @to: the caller looks at its errors
 *
 * Return: 0 or -ENOMEM.
 */
int lw_saved_names_write(const struct lw_saved_names *names, FILE *to)
{
	int ret = put_addresses(names, to);

	if (!ret)
		put_made(names, to);
	return ret;
}

/* A line that is read. */
struct line {
	char *fields[MOST_FIELDS];
	u32 nr;
};

/* What was read before a line that belongs to it. */
struct parser {
	struct lw_saved_names *names;
	u32 file;
	struct address *address;	/* NULL: there is none, or it is a second time there */
};

static bool is_escape(const char *at)
{
	return at[0] == '\\' && at[1] == 'x' && isxdigit((unsigned char)at[2]) &&
	       isxdigit((unsigned char)at[3]);
}

static void unescape(char *text)
{
	char *to = text;

	for (const char *at = text; *at; to++) {
		if (is_escape(at)) {
			const char digits[] = { at[2], at[3], 0 };

			*to = strtoul(digits, NULL, 16);
			at += 4;
		} else {
			*to = *at++;
		}
	}
	*to = 0;
}

static void split(struct line *line, char *text)
{
	line->nr = 0;
	while (text && line->nr < MOST_FIELDS)
		line->fields[line->nr++] = strsep(&text, "\t");
	for (u32 i = 0; i < line->nr; i++) {
		if (strchr(line->fields[i], '\\'))
			unescape(line->fields[i]);
	}
}

static u64 number_of(const struct line *line, u32 field)
{
	return strtoull(line->fields[field], NULL, 16);
}

static int parse_file(struct parser *parser, const struct line *line)
{
	struct lw_map map = { .path = line->fields[2] };
	const char *id = line->fields[1];
	unsigned int byte;

	for (; map.build_id_len < LW_BUILD_ID_MAX && sscanf(id, "%2x", &byte) == 1; id += 2) {
		if (!id[0] || !id[1])
			break;
		map.build_id[map.build_id_len++] = byte;
	}
	parser->address = NULL;
	parser->file = add_file(parser->names, &map);
	return parser->file == LW_INDEX_NONE ? -ENOMEM : 0;
}

static int parse_address(struct parser *parser, const struct line *line)
{
	struct address key = {
		.offset = number_of(line, 1),
		.address = number_of(line, 2),
		.file = parser->file,
	};

	parser->address = NULL;
	if (key.file == LW_INDEX_NONE || find_address(parser->names, &key))
		return 0;
	parser->address = add_address(parser->names, &key);
	return parser->address ? 0 : -ENOMEM;
}

static int parse_place(struct parser *parser, const struct line *line)
{
	struct lw_place place = {
		.function = line->fields[4],
		.offset = number_of(line, 2),
		.file = line->fields[5],
		.line = number_of(line, 3),
		.inlined = line->fields[1][0] == 'i',
		.unnamed = line->fields[1][0] == 'u',
	};

	return parser->address ? add_place(parser->names, parser->address, &place) : 0;
}

static int parse_made(struct parser *parser, const struct line *line)
{
	struct lw_user_address address = {
		.pid = number_of(line, 1),
		.ip = number_of(line, 2),
		.time = number_of(line, 3),
	};
	struct lw_place place = {
		.offset = number_of(line, 4),
		.function = line->fields[5],
		.dso = line->fields[6],
	};

	return lw_saved_names_add_made(parser->names, &address, &place);
}

static int parse_line(struct parser *parser, const struct line *line)
{
	static const struct {
		char kind;
		u32 fields;
		int (*parse)(struct parser *parser, const struct line *line);
	} kinds[] = {
		{ 'f', 3, parse_file },
		{ 'a', 3, parse_address },
		{ 'p', 6, parse_place },
		{ 'm', 7, parse_made },
	};

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (line->fields[0][0] == kinds[i].kind && line->nr >= kinds[i].fields)
			return kinds[i].parse(parser, line);
	}
	return 0;
}

/**
 * lw_saved_names_parse - take what lw_saved_names_write() wrote
 * @names: new; have what there was memory for after a failure
 * @text: it, or anything: lines that make no sense are left out
 * @size: bytes of it
 *
 * Return: 0 or -ENOMEM.
 */
int lw_saved_names_parse(struct lw_saved_names *names, const char *text, size_t size)
{
	struct parser parser = { .names = names, .file = LW_INDEX_NONE };
	char *copy = strndup(text, size), *at = copy;
	struct line line;
	int ret = copy ? 0 : -ENOMEM;

	while (!ret && at) {
		split(&line, strsep(&at, "\n"));
		ret = parse_line(&parser, &line);
	}
	free(copy);
	return ret;
}

/**
 * lw_saved_names_free - forget all
 * @names: them, or NULL
 */
void lw_saved_names_free(struct lw_saved_names *names)
{
	if (!names)
		return;
	for (size_t i = 0; i < names->texts.nr; i++)
		free((char *)text_at(names, i)->plain);
	lw_index_free(&names->by_text);
	lw_index_free(&names->by_file);
	lw_index_free(&names->by_address);
	lw_index_free(&names->by_code);
	lw_pool_free(&names->texts);
	lw_pool_free(&names->files);
	lw_pool_free(&names->addresses);
	lw_pool_free(&names->places);
	lw_pool_free(&names->made);
	lw_arena_free(&names->memory);
	free(names);
}
