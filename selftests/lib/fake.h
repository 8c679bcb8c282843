/* SPDX-License-Identifier: GPL-2.0 */
/*
 * fake.h - a file that is mapped as code and never run, its table, and stacks that
 * lead through it.
 *
 * Its segment is functions of FAKE_SIZE bytes.  The CFA of the nth is n + 1 words above
 * the stack pointer, but the last has no caller.
 */
#ifndef FAKE_H
#define FAKE_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/asker.h"
#include "lib/table.h"

#define FAKE_PAGE	lwt_page()
#define FAKE_SIZE	64UL
#define FAKE_FUNCS	16
#define FAKE_TEXT	(FAKE_FUNCS * FAKE_SIZE)
#define FAKE_LAST	(FAKE_FUNCS - 1)

/**
 * struct fake - the file
 * @fd: of it
 * @offset: of the segment
 * @pages: of the file
 * @table: of the segment
 */
struct fake {
	int fd;
	uint64_t offset;
	unsigned int pages;
	struct table table;
};

/**
 * struct fake_stack - a stack that is being made
 * @asker: whose memory it is in
 * @words: used so far
 * @next: where the next return address goes
 * @nr: length of @expect
 * @expect: return addresses, the topmost first
 */
struct fake_stack {
	struct asker *asker;
	unsigned int words;
	unsigned int next;
	unsigned int nr;
	uint64_t expect[LW_MAX_DEPTH];
};

int fake_open(struct fake *f, int fd, unsigned int pages, uint64_t offset);
int fake_make(struct fake *f, const char *dir, unsigned int pages, uint64_t offset);
void fake_close(struct fake *f);
int fake_touch(const struct fake *f, long nsec);
int fake_add(const struct fake *f, int session);
char *fake_map(const struct fake *f, unsigned int page, unsigned int pages);

void fake_stack_init(struct fake_stack *s, struct asker *asker);
void fake_call(struct fake_stack *s, const struct fake *f, const char *map, unsigned int page,
	       unsigned int func);
struct lwt_stack *fake_ask(struct fake_stack *s);
bool fake_is_by(const struct fake_stack *s, const struct lwt_stack *stack, uint8_t how);
struct lwt_stack *fake_ask_simply(const struct fake *f, struct asker *asker,
				  struct fake_stack *s, const char *map);

#endif /* FAKE_H */
