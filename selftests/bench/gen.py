#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""gen.py DIRECTORY: the functions that the bench calls and walks.

Writes FILES C files with FUNCS functions in all, funcs.h and table.c. They differ in
size, in locals, in the registers that they save, in how often and where they
return, and so in SFrame rows; which calls which is decided at run time. The
same on every run.
"""
import random
import sys

FUNCS = 4096    # as in chain.h
FILES = 8

# Ways out besides the last one; each makes two rows, on top of four or five. With
# these the median is 8 rows, as in Debian's programs.
EXITS = [0] * 12 + [1] * 26 + [2] * 30 + [3] * 14 + [4] * 8 + [6] * 5 + [10] * 3 + [20] * 2


def statement(rng):
    """Work of 8 to 30 bytes that no compiler can leave out."""
    k = rng.getrandbits(31) | 1
    return rng.choice((
        'x = x * {k}UL + buf[{i} % N];',
        'buf[{i} % N] = x ^ (x >> {s});',
        'x += buf[{i} % N] << {s};',
        'if (x & {b}UL)\n\t\tx -= {k}UL;\n\telse\n\t\tbuf[{i} % N] += x;',
    )).format(k=k, i=rng.randrange(1000), s=rng.randrange(1, 40), b=1 << rng.randrange(40))


def way_out(rng):
    """A tail call that is never made, in the flow of the code or behind it.

    Of returns gcc makes one, so that they have an epilogue together.
    """
    return '''if (__builtin_expect((unsigned int)x == {:#x}, {}))
		return f{}(chain, depth, x);'''.format(
            rng.getrandbits(32), int(rng.random() < 0.7), rng.randrange(FUNCS))


def function(rng, number):
    """One of them: work, the call, work; with ways out between."""
    work = [statement(rng) for _ in range(min(60, int(rng.lognormvariate(2.0, 1.0))))]
    body = work + [way_out(rng) for _ in range(rng.choice(EXITS))]
    rng.shuffle(body)
    # What lives across the call takes callee-saved registers.
    kept = ['k%d' % i for i in range(rng.randrange(6))]
    keep = ['unsigned long %s = x >> %d;' % (name, rng.randrange(1, 30)) for name in kept]
    call = 'x += chain->next[depth + 1](chain, depth + 1, x);'
    use = ['x ^= %s;' % name for name in kept]
    at = rng.randrange(len(body) + 1)
    words = rng.choice((1, 2, 3, 4, 6, 8, 12, 16, 24, 40))
    dynamic = rng.random() < 0.03
    lines = [
        'volatile unsigned long *buf = __builtin_alloca((x %% 4 + %d) * 8);' % words
        if dynamic else 'volatile unsigned long buf[N];',
        'chain->ra[depth] = (unsigned long)__builtin_return_address(0);',
        'buf[0] = x;',
        *body[:at], *keep, call, *use, *body[at:],
        'return x + buf[0];',
    ]
    return '''#define N {}
unsigned long f{}(struct bench_chain *chain, unsigned int depth, unsigned long x)
{{
	{}
}}
#undef N
'''.format(words, number, '\n\t'.join(lines))


def main():
    out = sys.argv[1]
    rng = random.Random(3)
    for part in range(FILES):
        with open(f'{out}/funcs{part}.c', 'w', encoding='ascii') as file:
            file.write('#include "chain.h"\n#include "funcs.h"\n')
            for number in range(part, FUNCS, FILES):
                file.write(function(rng, number))
    with open(f'{out}/funcs.h', 'w', encoding='ascii') as file:
        for number in range(FUNCS):
            file.write(f'unsigned long f{number}(struct bench_chain *, unsigned int, '
                       'unsigned long);\n')
    with open(f'{out}/table.c', 'w', encoding='ascii') as file:
        file.write('#include "chain.h"\n#include "funcs.h"\n')
        file.write('const struct bench_table bench_table = { {\n')
        for number in range(FUNCS):
            file.write(f'\tf{number},\n')
        file.write('} };\n')


main()
