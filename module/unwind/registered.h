/* SPDX-License-Identifier: GPL-2.0 */
/*
 * registered.h - sections that processes registered for code of their own.
 *
 * registered.c has one section: its bytes, copied and checked.  registry.c has
 * which of them a process has, and where.
 */
#ifndef LW_REGISTERED_H
#define LW_REGISTERED_H

#include <linux/llist.h>
#include <linux/refcount.h>
#include <linux/types.h>

#include "sframe/sframe.h"

struct lw_section;

/**
 * struct lw_registered - a section that was registered; does not change
 * @ref: those who hold it: a process for each time that it is in its registry, and
 *	walks
 * @garbage: in the list of those to be freed
 * @memory: bytes that it takes at most, with all that belongs to it
 * @sframe: for look-ups
 * @source: of @sframe
 * @first: the index of @sframe, or NULL
 * @bytes: the section
 */
struct lw_registered {
	refcount_t	ref;
	struct llist_node garbage;
	size_t		memory;
	struct lw_sframe sframe;
	struct lw_sframe_source source;
	u32		*first;
	u8		bytes[];
};

/* registered.c */
u64 lw_registered_memory(u64 len);
struct lw_registered *lw_registered_copy(const struct lw_section *section);
struct lw_registered *lw_registered_get(struct lw_registered *section);
void lw_registered_put(struct lw_registered *section);
void lw_registered_put_quietly(struct lw_registered *section);
void lw_registered_tidy(void);
void lw_registered_free_now(void);
void lw_registered_leave(void);
int lw_registered_pause(void);
void lw_registered_exit(void);

/* registry.c */
long lw_registry_add(const struct lw_section *section);
long lw_registry_remove(const struct lw_section *section);
u64 lw_registry_changes(void);
struct lw_registered *lw_registry_find(u64 pc, u64 *start, u64 *end);
void lw_registry_exit(void);

#endif /* LW_REGISTERED_H */
