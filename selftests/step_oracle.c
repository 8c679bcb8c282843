// SPDX-License-Identifier: GPL-2.0
/*
 * step_oracle.c - runs a program instruction by instruction and compares, at
 * each, the stack that the module finds with the one that the program made.
 *
 * The truth is a shadow stack (lib/shadow.c): calls that were seen, no table.  A
 * stack is right if every frame is, and its end is known to be the outermost.
 * gdb is asked too, now and then (lib/gdb_peer.c), and judged likewise.  Each stack
 * that is not right must belong to a class of step_oracle.classes.
 *
 * How the module is asked: each step ends in a SIGTRAP that the kernel sends to
 * the task (signal:signal_generate hits), and before a task stops for its tracer
 * it does what is due, so that the stack is in the ring when waitpid() returns.
 * What starts a handler is no such signal: there it is signal:signal_deliver.
 * That the stack is of this very instruction is seen by its first address.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <getopt.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/explain.h"
#include "lib/gdb_peer.h"
#include "lib/lw_test.h"
#include "lib/shadow.h"
#include "lib/step_tables.h"
#include "lib/step_walk.h"
#include "lib/tracee.h"

#define MAX_CHAIN	LW_MAX_DEPTH
#define RING_SIZE	(1 << 20)
#define VISITS		(1 << 16)
#define SITES		4096
#define MAX_STACK	(sizeof(struct lwt_stack) + MAX_CHAIN * 9)

/* The stack of this stop, as found in the rings. */
struct answer {
	__u64 ip;
	bool found;
	union {
		struct lwt_stack stack;
		char bytes[MAX_STACK];
	};
};

/* Wrong stacks with the same cause: those whose last right frame is there. */
struct site {
	__u64 ip;
	uint32_t end;
	bool ends;		/* the stack does, there */
	__u64 hits;
	struct explain_class *class;	/* NULL: not explained */
	char where[160];
};

struct options {
	__u64 steps;		/* at most */
	__u64 every;		/* compare each of these */
	__u64 gdb_every;	/* 0: never ask gdb */
	__u64 visits;	/* run through calls seen that often; 0: never */
	__u64 print;		/* wrong stacks to print */
	bool from_entry;	/* begin behind the dynamic linker */
	bool whole;		/* but not those that the program itself makes */
	bool no_module;
	bool no_tables;
};

struct oracle {
	struct options opt;
	struct tracee t;
	struct shadow shadow;
	struct lwt_session session;
	struct step_tables tables;
	struct step_walk walk;
	struct explain explain;
	struct gdb_peer gdb;
	bool has_gdb;
	bool maps_changed;
	bool astray;		/* the shadow stack is not known any more */
	__u64 pages;
	__u64 own_start, own_end;
	struct answer answer;
	__u64 truth[MAX_CHAIN];
	bool truth_exact[MAX_CHAIN];
	size_t nr_truth;
	uint16_t visits[VISITS];
	struct site sites[SITES];
	__u64 steps, ran_through, signals, execs;
	__u64 compared, exact, wrong, unexplained, missing, lost;
	__u64 gdb_compared, gdb_exact, gdb_unexplained;
	__u64 printed, gdb_printed;
};

/* ------------------------------------------------------------ the module */

/* A frame that is guessed by the frame pointer counts as none, as there was no rule. */
static void drop_guesses(struct lwt_stack *stack)
{
	const uint8_t *how = lwt_how(stack);
	uint32_t i;

	for (i = 1; i < stack->nr && how[i] != LW_HOW_FP; i++)
		;
	if (i >= stack->nr && stack->end != LW_END_OUTERMOST_FP)
		return;
	stack->nr = i < stack->nr ? i : stack->nr;
	stack->end = LW_END_NO_RULE;
}

static void take(void *arg, unsigned int ring, const struct lw_record *record)
{
	struct oracle *o = arg;
	struct lwt_stack *stack;

	(void)ring;
	if (record->type == LW_RECORD_LOST)
		o->lost++;
	if (record->type != LW_RECORD_USER_STACK)
		return;
	stack = lwt_stack_of(record);
	drop_guesses(stack);
	if (stack->nr && stack->nr <= MAX_CHAIN && stack->frames[0] == o->answer.ip) {
		memcpy(o->answer.bytes, stack, sizeof(*stack) + stack->nr * 9);
		o->answer.found = true;
	}
	free(stack);
}

static int read_answer(struct oracle *o)
{
	int ret;

	o->answer.ip = step_ip(&o->t.regs);
	o->answer.found = false;
	ret = lwt_consume(&o->session, take, o);
	return ret < 0 ? ret : 0;
}

/* Without the module: what it would say. */
static void walk_here(struct oracle *o)
{
	struct lwt_stack *stack = &o->answer.stack;

	step_walk(&o->walk, &o->tables, &o->t);
	stack->nr = o->walk.nr;
	stack->end = o->walk.end;
	memcpy(stack->frames, o->walk.frames, stack->nr * sizeof(*stack->frames));
	o->answer.found = true;
}

static int open_session(struct oracle *o)
{
	static const char *const events[] = {
		"signal/signal_generate", "signal/signal_deliver",
	};
	unsigned int i;
	int err;

	err = lwt_session_open(&o->session, RING_SIZE, MAX_CHAIN, 0);
	for (i = 0; !err && i < 2; i++) {
		struct perf_event_attr attr = lwt_attr_tracepoint(events[i]);

		err = lwt_add_event(o->session.fd, &attr, LW_TARGET_TASK,
				    o->t.pid, NULL);
	}
	return err ?: lwt_enable(o->session.fd);
}

/* ------------------------------------------------------------ what is said */

static void place_text(struct oracle *o, __u64 ip, char *to, size_t room)
{
	const struct tracee_map *map = tracee_map_of(&o->t, ip);
	const char *name = map ? strrchr(map->path, '/') : NULL;

	if (!map)
		snprintf(to, room, "%#llx", ip);
	else
		snprintf(to, room, "%.100s+%#llx", name ? name + 1 : map->path,
			 ip - map->start + map->offset);
}

static void print_place(struct oracle *o, __u64 ip)
{
	char text[160];

	place_text(o, ip, text, sizeof(text));
	printf("%s", text);
}

static void print_chain(struct oracle *o, const char *who, const __u64 *chain, size_t nr)
{
	size_t i;

	printf("#   %s:", who);
	for (i = 0; i < nr; i++) {
		printf(" ");
		print_place(o, chain[i]);
	}
	printf("\n");
}

static void print_code(struct oracle *o)
{
	const uint8_t *code;
	size_t i, len = tracee_code(&o->t, step_ip(&o->t.regs), &code);

	printf("#   code:");
	for (i = 0; i < len; i++)
		printf(" %02x", code[i]);
	printf("\n#   sp %#llx fp %#llx\n", step_sp(&o->t.regs), step_fp(&o->t.regs));
}

/* ------------------------------------------------------------ comparing */

static size_t same_frames(const __u64 *a, size_t nr_a, const __u64 *b, size_t nr_b)
{
	size_t i, nr = nr_a < nr_b ? nr_a : nr_b;

	for (i = 0; i < nr && a[i] == b[i]; i++)
		;
	return i;
}

static bool is_same(const __u64 *a, size_t nr_a, const __u64 *b, size_t nr_b)
{
	return nr_a == nr_b && same_frames(a, nr_a, b, nr_b) == nr_a;
}

/* Frames of each that are right. */
static size_t right_of_module(const struct oracle *o)
{
	const struct lwt_stack *stack = &o->answer.stack;

	return same_frames(stack->frames, stack->nr, o->truth, o->nr_truth);
}

static size_t right_of_gdb(const struct oracle *o)
{
	return same_frames(o->gdb.chain, o->gdb.nr, o->truth, o->nr_truth);
}

static int ask_gdb(struct oracle *o)
{
	int err;

	o->gdb.new_maps |= o->maps_changed;
	o->maps_changed = false;
	err = gdb_peer_ask(&o->gdb);
	if (err)
		fprintf(stderr, "gdb does not answer: %s\n", strerror(-err));
	return err;
}

/* @same: frames that are right */
static void look_at_place(struct oracle *o, size_t same, struct explain_stack *facts)
{
	size_t last = same ? same - 1 : 0;

	explain_place(&o->explain, o->t.pid, o->truth[last], same && !o->truth_exact[last],
		      &facts->place);
	explain_place(&o->explain, o->t.pid, step_ip(&o->t.regs), false, &facts->top);
}

/* gdb's stack differs: its fault, or that of the shadow stack? */
static void judge_gdb(struct oracle *o)
{
	size_t same = right_of_gdb(o);
	struct explain_stack facts = {
		.whose = EXPLAIN_GDB,
		.peer_wrong = o->answer.found && same < o->nr_truth &&
			      right_of_module(o) == same,
	};
	struct explain_class *class;

	look_at_place(o, same, &facts);
	class = explain_find(&o->explain, &facts);
	if (class)
		class->hits++;
	else
		o->gdb_unexplained++;
	if (o->gdb_printed++ >= o->opt.print)
		return;
	printf("# step %llu: gdb differs behind frame %zu: %s\n", o->steps, same,
	       class ? class->name : "not explained");
	print_code(o);
	print_chain(o, "truth", o->truth, o->nr_truth);
	print_chain(o, "gdb", o->gdb.chain, o->gdb.nr);
}

static int compare_gdb(struct oracle *o)
{
	int err = ask_gdb(o);

	if (err)
		return err;
	o->gdb_compared++;
	if (is_same(o->gdb.chain, o->gdb.nr, o->truth, o->nr_truth))
		o->gdb_exact++;
	else
		judge_gdb(o);
	return 0;
}

/* Return: the place of wrong stacks like this one. */
static struct site *find_site(struct oracle *o, __u64 ip, uint32_t end, bool ends)
{
	unsigned int i;

	for (i = 0; i < SITES; i++) {
		struct site *site = &o->sites[i];

		if (!site->hits)
			*site = (struct site) { .ip = ip, .end = end, .ends = ends };
		if (site->ip == ip && site->end == end && site->ends == ends)
			return site;
	}
	return NULL;
}

/* The first of its kind, in full. */
static int print_wrong(struct oracle *o, const struct site *site, size_t same)
{
	const struct lwt_stack *stack = &o->answer.stack;

	printf("# step %llu: wrong behind frame %zu, %s, end %u: %s\n", o->steps, same,
	       site->where, stack->end, site->class ? site->class->name : "not explained");
	print_code(o);
	print_chain(o, "truth", o->truth, o->nr_truth);
	print_chain(o, "module", stack->frames, stack->nr);
	if (o->has_gdb)
		print_chain(o, "gdb", o->gdb.chain, o->gdb.nr);
	return 0;
}

/* Where its last right frame is decides. */
static int explain_site(struct oracle *o, struct site *site, size_t same)
{
	struct explain_stack facts = { .whose = EXPLAIN_MODULE };
	int err = o->has_gdb ? ask_gdb(o) : 0;

	if (err)
		return err;
	facts.peer_wrong = o->has_gdb && same < o->nr_truth && right_of_gdb(o) == same;
	look_at_place(o, same, &facts);
	site->class = explain_find(&o->explain, &facts);
	place_text(o, site->ip, site->where, sizeof(site->where));
	if (facts.place.function[0])
		snprintf(site->where + strlen(site->where),
			 sizeof(site->where) - strlen(site->where), " (%s)",
			 facts.place.function);
	return o->printed++ < o->opt.print ? print_wrong(o, site, same) : 0;
}

static int report_wrong(struct oracle *o)
{
	const struct lwt_stack *stack = &o->answer.stack;
	size_t same = right_of_module(o);
	struct site *site = find_site(o, o->truth[same ? same - 1 : 0], stack->end,
				      stack->nr == same);
	int err = 0;

	o->wrong++;
	if (site && !site->hits++)
		err = explain_site(o, site, same);
	if (site && site->class)
		site->class->hits++;
	else
		o->unexplained++;
	return err;
}

static int compare_module(struct oracle *o)
{
	const struct lwt_stack *stack = &o->answer.stack;

	if (!o->answer.found) {
		o->missing++;
		printf("# step %llu: no stack at %#llx\n", o->steps,
		       step_ip(&o->t.regs));
		return 0;
	}
	o->compared++;
	if (stack->end != LW_END_OUTERMOST ||
	    !is_same(stack->frames, stack->nr, o->truth, o->nr_truth))
		return report_wrong(o);
	o->exact++;
	return 0;
}

static int compare(struct oracle *o)
{
	int err = 0;

	if (!o->opt.no_module)
		err = read_answer(o);
	if (err || o->steps % o->opt.every)
		return err;
	o->nr_truth = shadow_chain(&o->shadow, &o->t, o->truth, o->truth_exact,
				   MAX_CHAIN);
	if (o->opt.no_module)
		walk_here(o);
	err = compare_module(o);
	if (!err && o->has_gdb && o->opt.gdb_every && o->steps % o->opt.gdb_every == 0)
		err = compare_gdb(o);
	return err;
}

/* ------------------------------------------------------------ going on */

static bool changes_maps(unsigned long long nr)
{
	switch (nr) {
	case SYS_mmap: case SYS_munmap: case SYS_mremap: case SYS_mprotect:
	case SYS_pkey_mprotect: case SYS_remap_file_pages: case SYS_shmat:
	case SYS_shmdt: case SYS_execve: case SYS_execveat:
		return true;
	default:
		return false;
	}
}

static int take_new_maps(struct oracle *o)
{
	int err;

	tracee_forget_code(&o->t);
	o->maps_changed = true;
	o->explain.stale = true;
	err = tracee_read_maps(&o->t);
	if (err || o->opt.no_tables)
		return err;
	return step_tables_add(&o->tables, &o->t, o->session.fd);
}

/* A system call may have mapped other code. */
static int look_at_maps(struct oracle *o, const struct user_regs_struct *before)
{
	const uint8_t *code;
	size_t len = tracee_code(&o->t, step_ip(before), &code);

	if (!shadow_is_syscall(code, len) || !changes_maps(step_syscall(before, code)))
		return 0;
	return take_new_maps(o);
}

static uint16_t *visits_of(struct oracle *o, __u64 ra)
{
	return &o->visits[(ra * 0x9e3779b97f4a7c15ULL) >> 48];
}

/* A call has returned.  Those that never do must not be run through. */
static void note_return(struct oracle *o, size_t calls)
{
	const struct shadow *s = &o->shadow;
	uint16_t *visits = visits_of(o, step_ip(&o->t.regs));

	if (s->nr_calls + 1 == calls && s->calls[calls - 1].ra == step_ip(&o->t.regs) &&
	    *visits < UINT16_MAX)
		++*visits;
}

/* Was the last call made from where we have been often enough? */
static bool is_known(struct oracle *o)
{
	__u64 ra = o->shadow.calls[o->shadow.nr_calls - 1].ra;

	return o->opt.visits && !(ra >= o->own_start && ra < o->own_end) &&
	       *visits_of(o, ra) >= o->opt.visits;
}

/*
 * Called from where we have been often enough: to where it returns, or, if it is
 * left by an exception or a jump, its caller, or that one's.
 */
static enum tracee_stop run_through(struct oracle *o)
{
	struct tracee_target targets[TRACEE_MAX_TARGETS];
	const struct shadow *shadow = &o->shadow;
	unsigned int nr = 0;

	while (nr < TRACEE_MAX_TARGETS && nr < shadow->nr_calls) {
		const struct shadow_call *call = &shadow->calls[shadow->nr_calls - ++nr];

		targets[nr - 1] = (struct tracee_target) {
			call->ra, call->slot + STEP_PUSHED
		};
	}
	o->ran_through++;
	return tracee_run_to(&o->t, targets, nr);
}

/* Did it map or unmap anything meanwhile? */
static int look_at_size(struct oracle *o)
{
	char path[64];
	__u64 pages = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/statm", o->t.pid);
	file = fopen(path, "r");
	if (!file || fscanf(file, "%llu", &pages) != 1)
		pages = 0;
	if (file)
		fclose(file);
	if (pages && pages == o->pages)
		return 0;
	o->pages = pages;
	return take_new_maps(o);
}

/* The program's own code, if none of that is to be run through. */
static void note_own(struct oracle *o)
{
	const struct tracee_map *map = tracee_map_of(&o->t, tracee_auxv(&o->t, AT_ENTRY));

	if (!o->opt.whole || !map)
		return;
	o->own_start = map->start;
	o->own_end = map->end;
}

static int begin_program(struct oracle *o)
{
	int err;

	shadow_reset(&o->shadow);
	o->execs++;
	o->tables.entry = tracee_auxv(&o->t, AT_ENTRY);
	err = take_new_maps(o);
	note_own(o);
	return err;
}

/*
 * Runs through the call that was just made.  If it is left by a way that is not
 * watched, the program may come to where it returns to, but from elsewhere.
 */
static int skip_call(struct oracle *o, enum tracee_stop *stop)
{
	size_t sound = shadow_sound(&o->shadow, &o->t);

	*stop = run_through(o);
	if (*stop != TRACEE_STEP)
		return 0;
	shadow_landed(&o->shadow, step_sp(&o->t.regs));
	/* An unwinder's helper puts another return address where its own caller's is. */
	if (sound >= o->shadow.nr_calls)
		sound = o->shadow.nr_calls ? o->shadow.nr_calls - 1 : 0;
	if (shadow_sound(&o->shadow, &o->t) < sound) {
		o->astray = true;
		return 0;
	}
	return look_at_size(o) ?: compare(o);
}

/* One step, or a call run through; *stop says what it ended with. */
static int go_on(struct oracle *o, enum tracee_stop *stop)
{
	struct user_regs_struct before = o->t.regs;
	size_t calls = o->shadow.nr_calls;
	int err;

	*stop = tracee_step(&o->t);
	o->steps++;
	if (*stop != TRACEE_STEP)
		return 0;
	tracee_find_last(&o->t, &before);
	err = shadow_step(&o->shadow, &o->t, &before) ?: look_at_maps(o, &before) ?:
	      compare(o);
	note_return(o, calls);
	if (err || o->shadow.nr_calls <= calls || o->shadow.nr_signals || !is_known(o))
		return err;
	return skip_call(o, stop);
}

static int step_all(struct oracle *o)
{
	enum tracee_stop stop = TRACEE_STEP;
	int err = 0;

	while (!err && stop != TRACEE_GONE && o->steps < o->opt.steps && !o->lost &&
	       !o->astray) {
		err = go_on(o, &stop);
		if (err)
			break;
		if (stop == TRACEE_EXEC)
			err = begin_program(o);
		else if (stop == TRACEE_SIGNAL)
			o->signals++;
	}
	return err;
}

static int start(struct oracle *o, char *const argv[])
{
	int err = explain_open(&o->explain, "step_oracle.classes") ?: tracee_start(&o->t, argv);

	if (!err && !o->opt.no_module)
		err = open_session(o);
	if (!err && tracee_run_to_exec(&o->t) != TRACEE_EXEC)
		err = -ECHILD;
	if (!err)
		err = begin_program(o);
	/* Nothing is called yet when the dynamic linker is done. */
	if (!err && o->opt.from_entry) {
		struct tracee_target entry = { tracee_auxv(&o->t, AT_ENTRY), 0 };

		err = tracee_run_to(&o->t, &entry, 1) == TRACEE_STEP ? 0 : -ECHILD;
	}
	if (!err && o->opt.from_entry)
		err = take_new_maps(o);
	if (!err && o->opt.gdb_every) {
		err = gdb_peer_start(&o->gdb, &o->t, "./step_gdb.py");
		o->has_gdb = !err;
	}
	return err;
}

static int by_hits(const void *a, const void *b)
{
	const struct site *x = a, *y = b;

	return (x->hits < y->hits) - (x->hits > y->hits);
}

static void print_class(const struct explain_class *class)
{
	if (class->hits)
		printf("# class %s%s: %llu: %s\n", class->name,
		       class->whose == EXPLAIN_GDB ? " of gdb" : "", class->hits,
		       class->reason);
}

static void print_sites(struct oracle *o)
{
	unsigned int i;

	qsort(o->sites, SITES, sizeof(*o->sites), by_hits);
	for (i = 0; i < SITES && i < o->opt.print && o->sites[i].hits; i++)
		printf("# %llu wrong behind %s, end %u: %s\n", o->sites[i].hits,
		       o->sites[i].where, o->sites[i].end,
		       o->sites[i].class ? o->sites[i].class->name : "not explained");
	for (i = 0; i < o->explain.nr; i++)
		print_class(&o->explain.classes[i]);
}

static void summarize(struct oracle *o)
{
	print_sites(o);
	printf("steps=%llu compared=%llu exact=%llu wrong=%llu unexplained=%llu ",
	       o->steps, o->compared, o->exact, o->wrong, o->unexplained);
	printf("missing=%llu lost=%llu gdb_compared=%llu gdb_exact=%llu gdb_unexplained=%llu ",
	       o->missing, o->lost, o->gdb_compared, o->gdb_exact, o->gdb_unexplained);
	printf("run_through=%llu signals=%llu execs=%llu tables=%u astray=%d status=%#x\n",
	       o->ran_through, o->signals, o->execs, o->tables.given, o->astray,
	       o->t.status);
}

static const char help[] =
	"usage: step_oracle [OPTION...] PROGRAM [ARG...]\n"
	"  -e    begin at the program's entry, behind the dynamic linker\n"
	"  -n    without the module: walk here, by the same tables\n"
	"  -t    hand over no tables\n"
	"  -s N  steps at most\n"
	"  -k N  compare at each of N steps\n"
	"  -g N  ask gdb at each of N steps, and at wrong ones\n"
	"  -v N  run through calls that have returned N times\n"
	"  -w    but not through those that the program itself makes\n"
	"  -p N  print as many wrong stacks\n";

static void usage(void)
{
	fputs(help, stderr);
	exit(2);
}

static void parse(struct options *opt, int argc, char **argv)
{
	int c;

	*opt = (struct options) { .steps = -1ULL, .every = 1, .print = 50 };
	while ((c = getopt(argc, argv, "+entws:k:g:v:p:")) != -1) {
		__u64 value = optarg ? strtoull(optarg, NULL, 0) : 0;

		switch (c) {
		case 'e':
			opt->from_entry = true;
			break;
		case 'n':
			opt->no_module = true;
			break;
		case 'w':
			opt->whole = true;
			break;
		case 't':
			opt->no_tables = true;
			break;
		case 's':
			opt->steps = value;
			break;
		case 'k':
			opt->every = value ?: 1;
			break;
		case 'g':
			opt->gdb_every = value;
			break;
		case 'v':
			opt->visits = value;
			break;
		case 'p':
			opt->print = value;
			break;
		default:
			usage();
		}
	}
	if (optind == argc)
		usage();
}

/* Not all was compared, or something was wrong. */
static bool has_failed(const struct oracle *o)
{
	return o->unexplained || o->gdb_unexplained || o->missing || o->lost || o->astray ||
	       (!o->compared && !o->gdb_compared);
}

int main(int argc, char **argv)
{
	/* Else each of its stops would be a signal from it to us, and a hit. */
	struct sigaction no_stops = { .sa_handler = SIG_DFL, .sa_flags = SA_NOCLDSTOP };
	static struct oracle o;
	int err;

	parse(&o.opt, argc, argv);
	setlinebuf(stdout);
	sigaction(SIGCHLD, &no_stops, NULL);
	err = lwt_pin(sched_getcpu()) ?: start(&o, argv + optind) ?: step_all(&o);
	if (err)
		fprintf(stderr, "step_oracle: %s\n", strerror(-err));
	summarize(&o);
	gdb_peer_end(&o.gdb);
	tracee_end(&o.t);
	shadow_free(&o.shadow);
	explain_close(&o.explain);
	if (o.session.fd > 0)
		lwt_session_close(&o.session);
	return err || has_failed(&o);
}
