/* SPDX-License-Identifier: GPL-2.0 */
/*
 * fuzz.h - what device_fuzz.c and its operations share.
 *
 * fuzz_actor.c makes hostile numbers and pointers, calls, and judges what comes back;
 * fuzz_memory.c has the memory, files and stacks that the calls are about; fuzz_calls.c has
 * the ioctls; device_fuzz.c makes programs of these operations and runs them.
 */
#ifndef FUZZ_H
#define FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/fake.h"
#include "lib/lw_test.h"
#include "lib/table.h"

#define FUZZ_PAGE	lwt_page()
#define FUZZ_SLOTS	8
#define FUZZ_MAPS	8
#define FUZZ_FILES	2
#define FUZZ_ARGS	(16 * FUZZ_PAGE)
#define FUZZ_TEXT	(8 * FUZZ_PAGE)
#define FUZZ_REGION	(2 * FUZZ_PAGE)
#define FUZZ_WORDS	4096
/* Bytes of the module's text that coverage is kept of. */
#define FUZZ_SEEN	(1U << 20)
/* A program is made from one number, and changed by each of the others. */
#define FUZZ_LINEAGE	12
#define FUZZ_CORPUS	8192
#define FUZZ_RUNS	16
#define FUZZ_IOCTLS	18
#define FUZZ_ERRORS	134

/* What a slot holds. */
enum fuzz_kind {
	FUZZ_NO_FILE,
	FUZZ_SESSION,
	FUZZ_WRITE_ONLY,
	FUZZ_PROC,
};

/* What was done to a table or section. */
enum fuzz_mutant {
	FUZZ_SOUND,
	FUZZ_BAD_BODY,			/* behind a sound header */
	FUZZ_BAD_HEADER,		/* or length */
	FUZZ_MUTANTS,
};

/**
 * struct fuzz_given - tables, or sections, that the module was given
 * @all: by what was done to them
 * @taken: likewise, those that it has taken
 * @refused: likewise, for what they say
 */
struct fuzz_given {
	uint64_t all[FUZZ_MUTANTS];
	uint64_t taken[FUZZ_MUTANTS];
	uint64_t refused[FUZZ_MUTANTS];
};

struct fuzz_lineage {
	unsigned int nr;
	uint64_t numbers[FUZZ_LINEAGE];
};

/**
 * struct fuzz_run - a process that runs programs
 * @current: the program that it runs
 * @at: what of that
 * @steps: that it has begun
 */
struct fuzz_run {
	struct fuzz_lineage current;
	const char *at;
	uint64_t steps;
};

/**
 * struct fuzz_shared - what the processes of the test share
 * @seed: of all programs
 * @faults_of_64: how many of 64 programs have their calls fail
 * @calls: made so far, those of @sweeps included
 * @tables: of LW_IOC_ADD_TABLE
 * @sections: of LW_IOC_ADD_SECTION and LW_IOC_ADD_CODE
 * @stacks: requests with registers that lie
 * @sweeps: calls that were repeated with each of their failures
 * @faults: failures of these
 * @programs: begun so far
 * @undocumented: results that no document tells of
 * @unbalanced: sessions whose books do not balance
 * @results: by number of the ioctl, how many had each error; 0: they worked
 * @runs: processes
 * @pcs: places of the module that were reached
 * @seen: which, by their distance from the start of its text
 * @nr_corpus: of @corpus
 * @corpus: programs that reached something new
 */
struct fuzz_shared {
	uint64_t seed;
	unsigned int faults_of_64;
	uint64_t calls;
	struct fuzz_given tables;
	struct fuzz_given sections;
	uint64_t stacks;
	uint64_t sweeps;
	uint64_t faults;
	uint64_t programs;
	uint64_t undocumented;
	uint64_t unbalanced;
	uint64_t results[FUZZ_IOCTLS][FUZZ_ERRORS];
	struct fuzz_run runs[FUZZ_RUNS];
	uint64_t pcs;
	uint8_t seen[FUZZ_SEEN];
	uint64_t nr_corpus;
	struct fuzz_lineage corpus[FUZZ_CORPUS];
};

/**
 * struct fuzz_slot - an open file
 * @fd: of it, or -1; who takes it away closes it
 * @kind: what it is
 * @ring_size: of its rings; 0: they are not made
 */
struct fuzz_slot {
	int fd;
	enum fuzz_kind kind;
	uint64_t ring_size;
};

struct fuzz_map {
	char *at;
	size_t len;
};

/**
 * struct fuzz_actor - a thread that calls
 * @dice: its random numbers
 * @nth: fail-nth of the thread, or -1
 * @sweeps: each call is repeated with each of its failures
 * @args: FUZZ_ARGS bytes for arguments, with nothing mapped behind them
 * @used: of these
 * @out: likewise, for what the kernel writes
 * @stack: FUZZ_WORDS words to lie in, with nothing mapped on either side
 * @table: that is being made
 * @ranges: of text that it has registered sections for
 */
struct fuzz_actor {
	uint64_t dice;
	int nth;
	bool sweeps;
	char *args;
	size_t used;
	char *out;
	uint64_t *stack;
	struct table table;
	struct fuzz_map ranges[4];
};

/**
 * struct fuzz_world - what all threads of a process that calls have in common
 * @racing: another thread calls as well, so that nobody knows what a slot holds
 * @slots: files
 * @maps: mappings of rings
 * @text: FUZZ_TEXT bytes that may be code
 * @region: FUZZ_REGION bytes that come and go
 * @missing: FUZZ_REGION bytes that a thread of ours brings, by userfaultfd; or NULL
 * @source: what it brings
 * @uffd: that userfaultfd
 * @constant: a page that can't be written to
 * @mmio: a page of a device, to be read; or NULL
 * @scratch: a file in memory, by which bytes are moved that may not be there
 * @code: a file with FUZZ_TEXT bytes of code
 * @cgroups: a cgroup, or -1
 * @files: that tables are for
 * @file_maps: where these are mapped
 */
struct fuzz_world {
	bool racing;
	struct fuzz_slot slots[FUZZ_SLOTS];
	struct fuzz_map maps[FUZZ_MAPS];
	char *text;
	char *region;
	char *missing;
	char *source;
	int uffd;
	char *constant;
	char *mmio;
	int scratch;
	int code;
	int cgroups;
	struct fake files[FUZZ_FILES];
	char *file_maps[FUZZ_FILES];
};

extern struct fuzz_shared *fuzz_shared;
extern struct fuzz_run *fuzz_run;
extern struct fuzz_world fuzz_world;
extern const char *const fuzz_names[FUZZ_IOCTLS];

/* Return: the value before. */
static inline uint64_t fuzz_add(uint64_t *counter, uint64_t n)
{
	return __atomic_fetch_add(counter, n, __ATOMIC_RELAXED);
}

/* fuzz_actor.c */
uint64_t fuzz_roll(struct fuzz_actor *a, uint64_t sides);
uint64_t fuzz_weird(struct fuzz_actor *a);
void fuzz_spoil(struct fuzz_actor *a, void *bytes, size_t len, unsigned int rarely);
void *fuzz_place(struct fuzz_actor *a, const void *bytes, size_t len);
void *fuzz_room(struct fuzz_actor *a, size_t len);
bool fuzz_poke(const void *from, void *to, size_t len);
long fuzz_call(struct fuzz_actor *a, const char *name, const short *allowed, long nr, long x,
	       long y, long z, long u, long v, long w);
long fuzz_ioctl(struct fuzz_actor *a, const struct fuzz_slot *slot, unsigned int cmd,
		const void *bytes, size_t len, void *back);
void fuzz_tell(const struct fuzz_run *run, const char *what);
void fuzz_judge(const struct fuzz_slot *slot, unsigned int nr, long ret);
struct fuzz_slot *fuzz_pick(struct fuzz_actor *a);
struct fuzz_slot *fuzz_pick_session(struct fuzz_actor *a);

/* fuzz_memory.c */
void fuzz_init_actor(struct fuzz_actor *a);
void fuzz_init_world(void);
void fuzz_reset_world(void);
void *fuzz_bring_pages(void *actor);
uint64_t fuzz_address(struct fuzz_actor *a);
void fuzz_do_text(struct fuzz_actor *a);
void fuzz_do_region(struct fuzz_actor *a);
void fuzz_do_file(struct fuzz_actor *a);
void fuzz_do_map_ring(struct fuzz_actor *a);
void fuzz_do_map(struct fuzz_actor *a);
void fuzz_do_position(struct fuzz_actor *a);
void fuzz_do_hostile_request(struct fuzz_actor *a);

/* fuzz_calls.c */
void fuzz_do_open(struct fuzz_actor *a);
void fuzz_do_close(struct fuzz_actor *a);
void fuzz_do_dup(struct fuzz_actor *a);
void fuzz_do_setup(struct fuzz_actor *a);
void fuzz_do_event(struct fuzz_actor *a);
void fuzz_do_simple(struct fuzz_actor *a);
void fuzz_do_request(struct fuzz_actor *a);
void fuzz_do_filter(struct fuzz_actor *a);
void fuzz_do_syscall(struct fuzz_actor *a);
void fuzz_do_table(struct fuzz_actor *a);
void fuzz_do_section(struct fuzz_actor *a);
void fuzz_do_vma(struct fuzz_actor *a);
void fuzz_do_tasks(struct fuzz_actor *a);
void fuzz_do_next_file(struct fuzz_actor *a);
void fuzz_do_raw(struct fuzz_actor *a);
void fuzz_do_poll(struct fuzz_actor *a);
void fuzz_do_file_call(struct fuzz_actor *a);
bool fuzz_balanced(int fd);

#endif /* FUZZ_H */
