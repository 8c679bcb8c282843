/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ring.pml - the order in which module/ring/ring.c publishes, for spin to search whole.
 *
 * CPU 0 writes: a task, and an interrupt that comes between any two of its steps,
 * once or twice.  CPU 1 commits the task's first record, which was reserved on CPU
 * 0: the task has migrated.  The reader goes by uapi/latewind.h.
 *
 * Memory is weaker than any that Linux runs on: what a CPU stores is seen by others
 * in any order, but for what a release or a write barrier puts in order.  The CPU
 * itself sees its stores at once.  Loads of the reader are in program order, as all
 * of them acquire or are before a fence.
 *
 * A record is one slot long, and its content is its position + 1, so that a reader
 * who sees anything else has read what was not written yet, or not any more.
 *
 *	-DOVERWRITE	a flight recorder, and a reader who takes a snapshot
 *	-DBREAK=n	without one of the rules, 1 to 7; each must be found
 */
#ifndef BREAK
#define BREAK 0
#endif

#define SLOTS	2
#ifndef RECORDS
#define RECORDS	3	/* of the task */
#endif
#define IRQS	2	/* with a record each */
#define STALE	0	/* a header never written */
#define BUSY	1
#define WHOLE	2

/* Places in memory. */
#define HDR(p)	((p) % SLOTS)
#define DATA(p)	(SLOTS + (p) % SLOTS)
#define POS	(2 * SLOTS)
#define TAIL	(POS + 1)
#define CONS	(POS + 2)
#define PLACES	(POS + 3)
#define FENCE	255
#define DEPTH	5

byte memory[PLACES];

/* Stores that others have not seen, oldest first. */
typedef pending {
	byte n;
	byte place[DEPTH];
	byte value[DEPTH];
	bool release[DEPTH];
};

pending cpu[2];

/* Of CPU 0, and nobody else looks at them. */
byte head, nest;
bool in_irq;
byte irqs;

/* The record that CPU 1 is to commit, + 1. */
byte handed;
bool writers_done;

byte si;

inline store(c, p, v, rel)
{
	assert(cpu[c].n < DEPTH);
	cpu[c].place[cpu[c].n] = p;
	cpu[c].value[cpu[c].n] = v;
	cpu[c].release[cpu[c].n] = rel;
	cpu[c].n++
}

inline wmb(c)
{
	if
	:: cpu[c].n > 0 -> store(c, FENCE, 0, true)
	:: else
	fi
}

inline load(c, p, v)
{
	v = memory[p];
	si = 0;
	do
	:: si < cpu[c].n ->
		if
		:: cpu[c].place[si] == p -> v = cpu[c].value[si]
		:: else
		fi;
		si++
	:: else -> break
	od
}

/* Stores become visible to others, one at a time, in any allowed order. */
proctype drain(byte c)
{
	byte i, j;
	bool allowed;
end:	do
	:: atomic {
		cpu[c].n > 0;
		i = 0;
		do
		:: i + 1 < cpu[c].n -> i++
		:: break
		od;
		allowed = !(i > 0 && cpu[c].release[i]);
		j = 0;
		do
		:: j < i ->
			if
			:: cpu[c].place[j] == cpu[c].place[i] ||
			   cpu[c].place[j] == FENCE -> allowed = false
			:: else
			fi;
			j++
		:: else -> break
		od;
		if
		:: allowed ->
			if
			:: cpu[c].place[i] != FENCE ->
				memory[cpu[c].place[i]] = cpu[c].value[i]
			:: else
			fi;
			do
			:: i + 1 < cpu[c].n ->
				cpu[c].place[i] = cpu[c].place[i + 1];
				cpu[c].value[i] = cpu[c].value[i + 1];
				cpu[c].release[i] = cpu[c].release[i + 1];
				i++
			:: else -> break
			od;
			cpu[c].n--;
			cpu[c].place[cpu[c].n] = 0;
			cpu[c].value[cpu[c].n] = 0;
			cpu[c].release[cpu[c].n] = false
		:: else
		fi;
		i = 0; j = 0
	   }
	od
}

/*
 * A step of the task is not in the middle of an interrupt.  A processor whose
 * buffer is full waits.
 */
#define STEP(who)	atomic { (who == 1 || !in_irq) && cpu[0].n + 1 < DEPTH ->

/*
 * lw_ring_reserve().  at: the position + 1, or 0 if there is no room.
 */
inline reserve(who, at, old, other, h)
{
	at = 0;
	STEP(who) nest++ }
	do
	:: STEP(who) old = head; other = 0 }
#ifdef OVERWRITE
	/* make_room() */
	do
	:: STEP(who) load(0, TAIL, other) }
	   if
	   :: old + 1 - other <= SLOTS -> break
	   :: else
	   fi;
	   STEP(who)
		load(0, POS, h);
#if BREAK == 5
		h = 99;		/* goes over headers that are not written */
#endif
		if
		:: other == h -> h = 99
		:: else ->
			load(0, HDR(other), h);
#if BREAK == 6
			h = WHOLE;	/* goes over a record that is being written */
#endif
			h = (h == BUSY -> 99 : 0)
		fi
	   }
	   if
	   :: h == 99 -> break
	   :: else
	   fi;
	   STEP(who)
		load(0, TAIL, h);
		if
		:: h == other -> store(0, TAIL, other + 1, false)
		:: else
		fi;
		h = 0
	   }
	od;
#if BREAK != 4
	STEP(who) wmb(0) }
#endif
#else
	STEP(who) load(0, CONS, other) }
#endif
	   if
	   :: old + 1 - other > SLOTS -> break
	   :: else
	   fi;
	   STEP(who)
		if
		:: head == old -> head = old + 1; at = old + 1
		:: else
		fi
	   }
	   if
	   :: at > 0 -> break
	   :: else
	   fi
	od;
	if
	:: at > 0 -> STEP(who) store(0, HDR(old), BUSY, false) }
	:: else
	fi;
	do
	:: STEP(who) h = head }
#if BREAK != 1
	   STEP(who)
		if
		:: nest > 1 -> nest--; other = 1
		:: else -> other = 0
		fi
	   }
	   if
	   :: other == 1 -> break
	   :: else
	   fi;
#endif
#if BREAK == 2
	   STEP(who) store(0, POS, h, false) }
#else
	   STEP(who) store(0, POS, h, true) }
#endif
	   STEP(who) nest-- }
	   STEP(who)
		if
		:: h == head -> other = 1
		:: else -> other = 0; nest++
		fi
	   }
	   if
	   :: other == 1 -> break
	   :: else
	   fi
	od;
	old = 0; other = 0; h = 0
}

#if BREAK == 3
#define COMMIT_RELEASES	false
#else
#define COMMIT_RELEASES	true
#endif

active proctype task()
{
	byte n, at, old, other, h;

	run drain(0);
	run drain(1);
	do
	:: n < RECORDS ->
		n++;
		reserve(0, at, old, other, h);
		if
		:: at > 0 && n == 1 ->
			/* Migrated: the scheduler's barriers order it all. */
			atomic { !in_irq && cpu[0].n == 0 -> handed = at }
		:: at > 0 && n > 1 ->
			STEP(0) store(0, DATA(at - 1), at, false) }
			STEP(0) store(0, HDR(at - 1), WHOLE, COMMIT_RELEASES) }
		:: else
		fi
	:: else -> break
	od;
	writers_done = true
}

active proctype irq()
{
	byte at, old, other, h;

end:	do
	:: atomic { irqs < IRQS && !in_irq && !writers_done ->
		in_irq = true; irqs++ }
	   reserve(1, at, old, other, h);
	   if
	   :: at > 0 ->
		STEP(1) store(0, DATA(at - 1), at, false) }
		STEP(1) store(0, HDR(at - 1), WHOLE, COMMIT_RELEASES) }
	   :: else
	   fi;
	   atomic { in_irq = false; at = 0 }
	od
}

active proctype migrated()
{
end:	atomic { handed > 0 }
	atomic { store(1, DATA(handed - 1), handed, false) }
	atomic { store(1, HDR(handed - 1), WHOLE, COMMIT_RELEASES) }
}

#ifdef OVERWRITE
active proctype reader()
{
	byte r, h, word, content, tail;

	r = memory[TAIL];
	h = memory[POS];
	do
	:: r < h ->
		word = memory[HDR(r)];
#if BREAK == 7
		/* Without the fence: looks before it has copied. */
		tail = memory[TAIL];
		content = memory[DATA(r)];
#else
		content = memory[DATA(r)];
		tail = memory[TAIL];
#endif
		if
		:: tail > r -> r = tail
		:: else ->
			assert(word == BUSY || (word == WHOLE && content == r + 1));
			r++
		fi
	:: else -> break
	od
}
#else
active proctype reader()
{
	byte r, h, word, content;

end:	do
	:: h = memory[POS];
	   assert(h >= r && h - r <= SLOTS);
	   do
	   :: r < h ->
		word = memory[HDR(r)];
		if
		:: word == BUSY -> break
		:: else
		fi;
#if BREAK == 7
		/* Gives the place back before it has read. */
		atomic { r++; memory[CONS] = r }
		content = memory[DATA(r - 1)];
		assert(word == WHOLE && content == r)
#else
		content = memory[DATA(r)];
		assert(word == WHOLE && content == r + 1);
		atomic { r++; memory[CONS] = r }
#endif
	   :: else -> break
	   od;
	   if
	   :: r == RECORDS + IRQS -> break
	   :: else
	   fi
	od
}
#endif
