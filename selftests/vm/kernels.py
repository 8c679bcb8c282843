#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""The tables of Documentation/kernels.rst: what each lane's kernel has for the module.

kernels.py table  print the tables; a lane whose kernel the cache does not have keeps what the
                  page says of it
kernels.py check  TAP: the page says of each lane whose kernel the cache has what is so

What is so is what the probes of module/compat/Kbuild.probe find in the kernel's headers, run by
make as kbuild does it, and the options that the kernel was built with. The page has the release
of each kernel: the archive's move, and one that has moved is told of, not compared.
"""
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
PAGE = 'Documentation/kernels.rst'
PROBES = os.path.join(ROOT, 'module/compat/Kbuild.probe')
LANES = ['6.1', '6.12', '7', 'rt', 'debug', 'kcsan', 'clang', 'newest', '6.12-arm64', '6.12-s390x']
# What the kernel's Makefiles call the architecture, by the end of a lane's name.
SRCARCH = {'arm64': 'arm64', 's390x': 's390'}


def registry(k):
    return 'MMU_NOTIFIER' in k and ('NET' in k or 'IO_URING' in k)


def exits(k):
    return {'LW_HAVE_EXIT_GROUP_DEAD', 'LW_HAVE_TRACEPOINT_SRCU', 'TRACEPOINTS'} <= k


# What a user has, and whether a kernel gives it: as module/compat and chardev.c decide.
FEATURES = [
    ('Sampling by events, requests, tables', lambda k: {'PERF_EVENTS', 'STACKTRACE'} <= k),
    ('Registered sections, code of JITs', registry),
    ('System calls, filters that follow children', lambda k: {'TRACEPOINTS', 'FTRACE_SYSCALLS'} <= k),
    ('Data of system calls that a disk has', lambda k: 'LW_HAVE_FAULTABLE_SYSCALLS' in k),
    ('Stacks of tasks that exit', exits),
    ('Security modules are asked', lambda k: 'LW_HAVE_PERF_ALLOW_KERNEL' in k),
    ('Mappings are known from walk to walk', lambda k: {'LW_HAVE_MM_SEQCOUNT', 'PER_VMA_LOCK'} <= k),
    ('Stacks within a step over a uprobe', lambda k: {'UPROBES', 'LW_HAVE_UTASK_XOL'} <= k),
    ('Filters by cgroup, cgroups of samples', lambda k: 'CGROUPS' in k),
    ('Names of anonymous mappings', lambda k: 'ANON_VMA_NAME' in k),
    ('Build IDs of kernel modules', lambda k: 'STACKTRACE_BUILD_ID' in k),
    ('32-bit programs', lambda k: 'COMPAT' in k),
]
# How the kernel was built: the module has to go along.
OPTIONS = ['PREEMPT_RT', 'PREEMPTION', 'MODVERSIONS', 'X86_KERNEL_IBT', 'CC_IS_CLANG', 'LTO_CLANG',
           'CFI_CLANG']


RELEASE = 'Release'


def kernel_of(lane):
    """The directory of the lane's kernel, or None if the cache has none."""
    script = f'. {HERE}/lib.sh; lane_kernel_root {lane}'
    done = subprocess.run(['bash', '-c', script], capture_output=True, text=True,
                          env={**os.environ, 'LW_HAVE_ONLY': '1'})
    return done.stdout.strip() if done.returncode == 0 else None


def headers_of(kernel):
    """(directory of headers, of the configuration, release); the first two differ with O=."""
    modules = os.path.join(kernel, 'lib/modules')
    release = next(name for name in os.listdir(modules)
                   if os.path.isdir(os.path.join(modules, name, 'kernel')))
    build = os.path.join(modules, release, 'build')
    if os.path.islink(build):
        link = os.readlink(build)
        build = kernel + link if os.path.isabs(link) else os.path.join(modules, release, link)
    text = open(os.path.join(build, 'Makefile'), encoding='utf-8').read()
    source = re.search(r'^include (/\S+)/Makefile$', text, re.M)
    return kernel + source[1] if source else build, build, release


def cells_of(lane, kernel):
    """What the page should say of the kernel: {row: cell}."""
    has, release = what_has(kernel, SRCARCH.get(lane.split('-')[-1], 'x86'))
    cells = {name: 'yes' if test(has) else 'no' for part in rows() for name, test in part}
    # Without what names the build of a distribution.
    cells[RELEASE] = re.match(r'[\d.]+(-\d+)?', release)[0]
    return cells


def what_has(kernel, arch):
    """The LW_HAVE_* that the probes find and options without CONFIG_; and the kernel's release."""
    source, build, release = headers_of(kernel)
    makefile = f'comma := ,\nccflags-y :=\nSRCARCH := {arch}\ninclude {PROBES}\n$(info $(ccflags-y))\nall: ;\n'
    found = subprocess.run(['make', '-s', '-f', '-', f'srctree={source}'], input=makefile,
                           capture_output=True, text=True, check=True).stdout
    config = open(os.path.join(build, 'include/config/auto.conf'), encoding='utf-8').read()
    has = set(re.findall(r'-D(\w+)', found)) | set(re.findall(r'^CONFIG_(\w+)=[ym]', config, re.M))
    return has, release


def rows():
    """(name, test), in three parts: one a table."""
    probes = re.findall(r',(LW_HAVE_\w+)\)', open(PROBES, encoding='utf-8').read())
    return [FEATURES,
            [(f'``{probe}``', lambda k, p=probe: p in k) for probe in sorted(probes)],
            [(f'``CONFIG_{option}``', lambda k, o=option: o in k) for option in OPTIONS]]


def names():
    """The names of the rows, in three parts; those of the last begin with the release."""
    features, probes, options = [[name for name, _ in part] for part in rows()]
    return [features, probes, [RELEASE] + options]


def page_tables():
    """What the page says: {(row, lane): cell}."""
    said = {}
    # Two columns and more, as a heading is underlined likewise.
    rule = r'=+(?:  =+)+'
    for table in re.findall(rf'^{rule}\n(.*?)\n{rule}\n(.*?)\n{rule}$',
                            open(os.path.join(ROOT, PAGE), encoding='utf-8').read(), re.M | re.S):
        lanes = table[0].split()[1:]
        for line in table[1].splitlines():
            name, *cells = re.split(r' {2,}', line.strip())
            said.update({(name, lane): cell for lane, cell in zip(lanes, cells)})
    return said


def print_tables(said):
    kernels = {lane: kernel_of(lane) for lane in LANES}
    here = {lane: cells_of(lane, kernel) for lane, kernel in kernels.items() if kernel}
    for part in names():
        cells = [[here[lane][name] if lane in here else said.get((name, lane), '?')
                  for lane in LANES] for name in part]
        table = [['Lane'] + LANES] + [[name] + row for name, row in zip(part, cells)]
        widths = [max(map(len, column)) for column in zip(*table)]
        lines = ['  '.join(f'{cell:{w}}' for cell, w in zip(row, widths)).rstrip() for row in table]
        rule = '  '.join('=' * w for w in widths)
        print('\n'.join(['', rule, lines[0], rule, *lines[1:], rule]))


def check():
    said = page_tables()
    print(f'TAP version 13\n1..{len(LANES) + 1}')
    failed = 0

    def result(number, name, problems):
        nonlocal failed
        failed += bool(problems)
        for problem in problems:
            print(f'# {problem}')
        print(f'{"not " if problems else ""}ok {number} - {name}')

    known = {name for part in names() for name in part}
    result(1, f'{PAGE} has the rows that kernels.py prints, for every lane', sorted(
        {f'{name}: not in the page for {lane}' for name in known for lane in LANES
         if not re.fullmatch(r'\d[\d.-]+' if name == RELEASE else 'yes|no',
                             said.get((name, lane), ''))} |
        {f'{name}: not a row' for name, lane in said if lane in LANES and name not in known}))
    for number, lane in enumerate(LANES, 2):
        kernel = kernel_of(lane)
        if not kernel:
            print(f'ok {number} - {lane} # SKIP the kernel of a lane was not made yet')
            continue
        here = cells_of(lane, kernel)
        differ = [f'{name}: {cell}, and the page says {said.get((name, lane))}'
                  for name, cell in here.items() if said.get((name, lane)) != cell]
        if here[RELEASE] != said.get((RELEASE, lane)):
            for line in differ:
                print(f'# {line}')
            print(f'ok {number} - {lane} # SKIP the page is of an earlier kernel: kernels.py table')
        else:
            result(number, f'{lane} has what {PAGE} says', differ)
    return failed > 0


if sys.argv[1:] == ['table']:
    print_tables(page_tables() if os.path.exists(os.path.join(ROOT, PAGE)) else {})
elif sys.argv[1:] == ['check']:
    sys.exit(check())
else:
    sys.exit(__doc__)
