/* SPDX-License-Identifier: GPL-2.0 */
/*
 * wake.pml - is a reader that waits always woken, for spin to search whole.
 *
 * lw_ring_commit() of module/ring/ring.c has no barrier but where may_end_a_wait() says
 * so; lw_session_poll() arms, has one, and looks.  CPU 0 writes: a task, interrupts
 * between any two of its steps.  CPU 1 commits one record that the task has
 * reserved.  The reader consumes, polls, sleeps until it is woken.
 *
 * Stores are seen by others late and in any order, as in ring.pml; the reader's are
 * seen at once, as it has a barrier behind each that counts.
 *
 * A reserve may put a LOST record, whole, in front of its own.
 *
 * Wrong is a reader that sleeps when all is done and seen, with a watermark of
 * records before it, the first of them whole.
 *
 *	-DBREAK=n	without one of the rules, 1 to 5; each must be found
 */
#ifndef BREAK
#define BREAK 0
#endif

#define RECORDS		7	/* in all; each of one unit */
#define STEP_UNITS	3
#define WATERMARK	6
#define THRESHOLD	(WATERMARK - STEP_UNITS + 1)
#define BUSY		1
#define WHOLE		2

#define HDR(p)		(p)
#define HEAD		RECORDS
#define PLACES		(RECORDS + 1)
#define DEPTH		4

byte memory[PLACES];

typedef pending {
	byte n;
	byte place[DEPTH];
	byte value[DEPTH];
	bool release[DEPTH];
};

pending cpu[2];
byte head;		/* CPU 0's own view of HEAD */
bool in_irq;
byte irqs;
byte handed;		/* the record that CPU 1 is to commit, + 1 */
bool task_done, migrated_done;
byte cons;
bool armed, woken, asleep;

inline store(c, p, v, rel)
{
	cpu[c].place[cpu[c].n] = p;
	cpu[c].value[cpu[c].n] = v;
	cpu[c].release[cpu[c].n] = rel;
	cpu[c].n++
}

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
			:: cpu[c].place[j] == cpu[c].place[i] -> allowed = false
			:: else
			fi;
			j++
		:: else -> break
		od;
		if
		:: allowed ->
			memory[cpu[c].place[i]] = cpu[c].value[i];
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

#define RUNS(who)	((who == 1 || !in_irq) && cpu[0].n + 3 <= DEPTH)
#define IS_READABLE	(memory[HEAD] - cons >= THRESHOLD && memory[HDR(cons)] != BUSY)

/* Return: the position + 1; 0 when all are written. */
inline reserve(who, at)
{
	atomic { RUNS(who) ->
		at = 0;
		if
		:: head < RECORDS ->
			head++;
			at = head;
			store(0, HDR(at - 1), BUSY, false);
			store(0, HEAD, head, true)
		:: head + 1 < RECORDS ->
			head = head + 2;
			at = head;
			store(0, HDR(at - 2), WHOLE, false);
			store(0, HDR(at - 1), BUSY, false);
			store(0, HEAD, head, true)
		:: else
		fi
	}
}

/* wake(): the barrier empties the buffer. */
inline look_for_reader(c, who)
{
#if BREAK == 1
	atomic { who == 1 || !in_irq -> skip }
#else
	atomic { (who == 1 || !in_irq) && cpu[c].n == 0 -> skip }
#endif
	atomic { who == 1 || !in_irq ->
		if
		:: armed && IS_READABLE -> armed = false; woken = true
		:: else
		fi
	}
}

/* From where a LOST record may have begun to its own end. */
#if BREAK == 2
#define CROSSES(at)	false
#elif BREAK == 5
#define CROSSES(at)	(at % STEP_UNITS == 0)
#else
#define CROSSES(at)	(at % STEP_UNITS == 0 || (at - 1) % STEP_UNITS == 0)
#endif
#if BREAK == 3
#define BEHIND(at)	false
#else
#define BEHIND(at)	(head != at)
#endif

inline commit(who, at)
{
	atomic { RUNS(who) -> store(0, HDR(at - 1), WHOLE, true) }
	atomic { who == 1 || !in_irq ->
		slow = CROSSES(at) || BEHIND(at)
	}
	if
	:: slow -> look_for_reader(0, who)
	:: else
	fi;
	slow = false
}

active proctype task()
{
	byte at;
	bool slow;

	run drain(0);
	run drain(1);
	do
	:: reserve(0, at);
	   if
	   :: at == 0 -> break
	   :: at > 0 && handed == 0 ->
		/* Migrated, or not. */
		if
		:: atomic { !in_irq && cpu[0].n == 0 -> handed = at }
		:: commit(0, at)
		fi
	   :: else -> commit(0, at)
	   fi
	od;
	task_done = true
}

active proctype irq()
{
	byte at;
	bool slow;

end:	do
	:: atomic { irqs < 3 && !in_irq && !task_done -> in_irq = true; irqs++ }
	   reserve(1, at);
	   if
	   :: at > 0 -> commit(1, at)
	   :: else
	   fi;
	   atomic { in_irq = false; at = 0 }
	od
}

active proctype migrated()
{
end:	atomic { handed > 0 -> store(1, HDR(handed - 1), WHOLE, true) }
#if BREAK == 4
	if
	:: CROSSES(handed) || memory[HEAD] != handed ->
		look_for_reader(1, 1)
	:: else
	fi;
#else
	look_for_reader(1, 1);
#endif
	migrated_done = true
}

active proctype reader()
{
	byte h;

end:	do
	:: h = memory[HEAD];
	   do
	   :: cons < h && memory[HDR(cons)] != BUSY -> cons++
	   :: else -> break
	   od;
	   /* lw_session_poll() */
	   atomic { armed = true; woken = false }
	   if
	   :: atomic { IS_READABLE -> armed = false }
	   :: atomic { !IS_READABLE -> asleep = true }
	      atomic { woken -> asleep = false }
	   fi
	od
}

#define ALL_SEEN	(task_done && !in_irq && (handed == 0 || migrated_done) && \
			 cpu[0].n == 0 && cpu[1].n == 0)

active proctype monitor()
{
end:	atomic { ALL_SEEN && asleep && !woken ->
		assert(!(memory[HEAD] - cons >= WATERMARK &&
			 memory[HDR(cons)] == WHOLE))
	}
}
