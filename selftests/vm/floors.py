#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""TAP: floors hold, those of tools/README.md and those of Kbuild for module/: a folder includes
only from those below it.

A result for each folder, with its files and lines; tests may include from all floors.
"""
import collections
import glob
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TOOLS = os.path.join(ROOT, 'tools')
MODULE = os.path.join(ROOT, 'module')
MOST_FILES = 30
# Of the same tree: the ABI, the module's reader of sections, and what the build makes.
OTHERS = {'latewind.h', 'syscall_absent.inc', 'syscall_numbers.inc', 'version.inc',
          '../module/sframe/sframe_format.h', '../../module/sframe/sframe.h',
          '../../module/sframe/sframe.c', 'sframe_reader.h'}


def read(path):
    with open(os.path.join(TOOLS, path), encoding='utf-8') as file:
        return file.read()


def sources(folder):
    return sorted(os.path.relpath(path, TOOLS) for end in 'chS'
                  for path in glob.glob(os.path.join(TOOLS, folder, f'*.{end}')))


def includes(path):
    """What is included by "name", or by <name> and is ours all the same."""
    found = re.findall(r'^\s*#\s*include\s+(["<])([^">]+)[">]', read(path), re.M)
    return [name for mark, name in found
            if mark == '"' or os.path.exists(os.path.join(TOOLS, name))]


def problems_of(folder, below, uses):
    files = sources(folder)
    if len(files) > MOST_FILES:
        yield f'{folder}/ has {len(files)} files, more than {MOST_FILES}'
    if not files:
        yield f'{folder}/ has no files'
    for path in files:
        for include in includes(path):
            if include in OTHERS:
                continue
            used = os.path.dirname(include)
            if used != folder and used not in below:
                yield f'{path} includes {include}, which is not below {folder}/'
            if not os.path.exists(os.path.join(TOOLS, include)):
                yield f'{path} includes {include}, which is not there'
            uses[used] += used != folder


def module_floors():
    """(folder, files, lines, problems) from the top to the bottom."""
    with open(os.path.join(ROOT, 'Kbuild'), encoding='utf-8') as file:
        floors = re.findall(r'^latewind-y [:+]= \S*?module/(\w+)/', re.sub(
            r'\$\(addprefix ', '', file.read()), re.M) + ['compat']
    # Each machine has the same headers there, which are included without the folder.
    floors.insert(floors.index('sframe'), 'arch')
    arch = {os.path.basename(path) for path in glob.glob(os.path.join(MODULE, 'arch', '*', '*.h'))}
    there = sorted(name for name in os.listdir(MODULE)
                   if name == 'arch' or glob.glob(os.path.join(MODULE, name, '*.h')))
    floors += [name for name in there if name not in floors]
    for i, folder in enumerate([''] + floors):
        files = [os.path.relpath(path, MODULE)
                 for path in sorted(glob.glob(os.path.join(MODULE, folder, '*/' * (folder == 'arch'),
                                                           '*.[ch]')))]
        texts = [read(os.path.join('../module', path)) for path in files]
        problems = [f'{path} includes {name}, which is not below {folder}/'
                    for path, text in zip(files, texts)
                    for include in re.findall(r'^#include "([^"]+)"', text, re.M)
                    for name in ['arch' if include in arch else include.split('/')[0]]
                    if name != folder and name in there and name not in floors[i:]]
        yield folder, len(files), sum(text.count('\n') for text in texts), problems


def check():
    floors = re.findall(r'^\| `(\w+)/` \|', read('README.md'), re.M)
    made = re.search(r'^FLOORS := ((?:.*\\\n)*.*)', read('Makefile'), re.M)[1]
    everything = glob.glob(os.path.join(TOOLS, '**', '*.[chS]'), recursive=True)
    there = {os.path.relpath(os.path.dirname(path), TOOLS) for path in everything}
    there = {name for name in there if name.split(os.sep)[0] != 'tests'}
    objects = collections.Counter(os.path.basename(path) for path in everything
                                  if path.endswith('.c'))
    objects.update(os.path.basename(path) for path in glob.glob(os.path.join(TOOLS, '../lib/*.c')))
    mirrored = {os.path.basename(os.path.dirname(path))
                for path in glob.glob(os.path.join(TOOLS, 'tests', '*', '*.[ch]'))}
    results = []

    def result(name, problems):
        results.append(not problems)
        for problem in problems:
            print(f'# {problem}')
        print(f'{"not " if problems else ""}ok {len(results)} - {name}')

    ours = list(module_floors())
    print(f'TAP version 13\n1..{len(floors) + len(ours) + 3}')
    for folder, files, lines, problems in ours:
        result(f'module/{folder}: {files} files, {lines} lines', problems)
    for i, folder in enumerate(floors):
        uses = collections.Counter()
        problems = list(problems_of(folder, floors[i + 1:], uses))
        lines = sum(read(path).count('\n') for path in sources(folder))
        used = ' '.join(f'{name}:{nr}' for name, nr in uses.most_common() if nr)
        result(f'{folder}/: {len(sources(folder))} files, {lines} lines; includes {used or "none"}',
               problems)
    result('every folder is a floor, and built in that order',
           [f'{name}/ is in no row of README.md' for name in sorted(there - set(floors))] +
           ([] if made.replace('\\\n', '').split() == floors[:0:-1] else
            ['FLOORS of the Makefile are not those of README.md']))
    result('tests are in folders of the same names',
           [f'tests/{name}/ is no floor' for name in sorted(mirrored - set(floors) - {'lib'})])
    result('no two sources have the same name, as objects of one archive, and tests',
           [f'{name} is there {nr} times' for name, nr in objects.items() if nr > 1])
    return not all(results)


sys.exit(check())
