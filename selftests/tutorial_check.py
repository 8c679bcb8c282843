#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""tutorial_check.py PAGE: do what Documentation/tutorial.rst says, in one shell, in the order
of the page, in the working directory. Prints TAP but for its first line.

What the page has:

code-block:: console
    Commands behind "$ ", and what they print. Each has to end with status 0, and to print
    that, in shape: a number stands for any number, "..." for any rest of a line or, on a
    line of its own, for any number of lines, also none. Spaces, and the lines of a drawn
    tree, may be of any length. All else has to be there as it is.
code-block:: c, python, with a name
    A file, which is made here under that name.
code-block:: sh
    Commands that are not run here: each has to be in ELSEWHERE.
"""
import os
import re
import subprocess
import sys
import textwrap
import time

# What this test does not run, and what does.
ELSEWHERE = {
    'sudo apt install ./latewind_*.deb ./latewind-dkms_*.deb ./liblatewind1_*.deb':
        'lane install',
    'make && sudo make install': 'unit/install_user_test.sh, and each build of a lane',
    'sudo modprobe latewind': 'every lane loads the module, by insmod',
    'mkdir tutorial && cd tutorial && sudo -s': 'this test is root, in a directory of its own',
    'make demo': 'lane demo',
    'make vm-shell': 'run.sh, which runs all lanes',
    'xdg-open flame.html': 'flame/flame_test.py opens such pages',
}
# The page is for a machine of today, an emulated one has a tenth of its speed: there is less
# to do here.
LESS = {
    'lines=1500000': 'lines=150000',
    'limit=6000': 'limit=1500',
}
# The page has the names that the C library has on x86-64; these are other ones elsewhere.
OTHER = {
    'aarch64': {
        # There is one strcmp(), with a name.
        r'libc\.so\.6\+0x165070$': 'strcmp',
        # read() jumps to the function that makes the call, and is no caller.
        r'^ +read$': '_IO_file_underflow',
    },
}
TOKENS = re.compile(r'''(?P<rest>(?<!\.)\.\.\.(?!\.))
    | (?P<hex>0x[0-9a-f]+)
    | (?P<number>\d+(?:[.,]\d+)*)
    | (?P<tree>-{2,}(?:\d[\d.]*%-{2,})?)
    | (?P<dots>\.{4,})
    | (?P<space>[ |]+)''', re.X)
SHAPES = {
    'rest': '.*',
    'hex': '0x[0-9a-f]+',
    'number': r'\d+(?:[.,]\d+)*',
    'tree': r'-{2,}(?:\d[\d.]*%-{2,})?',
    'dots': r'\.{4,}',
    'space': '[ |]+',
}
ANY_LINES = None


def shape(line):
    """The regular expression of the lines that an expected one stands for."""
    parts, last = [], 0
    line = line.strip(' |')
    for token in TOKENS.finditer(line):
        parts += [re.escape(line[last:token.start()]), SHAPES[token.lastgroup]]
        last = token.end()
    return re.compile('[ |]*' + ''.join(parts) + re.escape(line[last:]) + '[ |]*')


def shapes(expected):
    return [ANY_LINES if line.strip() == '...' else shape(line) for line in expected]


def here(line):
    """The line as it has to be on this machine."""
    for pattern, other in OTHER.get(os.uname().machine, {}).items():
        line = re.sub(pattern, other, line)
    return line


def blank(line):
    return not line.strip(' |')


def mismatch(expected, output):
    """None if the output is of that shape, else the first expected line that is not found, and
    what stands there if that is known."""
    lines = [line for line in output if not blank(line)]
    wanted = [line for line in expected if not blank(line)]
    # The positions in the output up to which the expected lines so far may have come.
    ends = {0}
    for line, pattern in zip(wanted, shapes(wanted)):
        here = [lines[end] for end in ends if end < len(lines)]
        if pattern is ANY_LINES:
            ends = set(range(min(ends), len(lines) + 1))
        else:
            ends = {end + 1 for end in ends if end < len(lines) and
                    pattern.fullmatch(lines[end])}
        if not ends:
            return line + (f'\n    instead of: {here[0]}' if len(here) == 1 else '')
    return None if len(lines) in ends else '(the end of the output)'


def blocks(page):
    """(language, options, lines, number of the first line) of each code block."""
    lines = page.splitlines()
    i = 0
    while i < len(lines):
        directive = re.fullmatch(r'( *)\.\. code-block:: *(\w+)', lines[i])
        i += 1
        if not directive:
            continue
        options = {}
        while i < len(lines) and (option := re.fullmatch(r' +:(\w+): *(.*)', lines[i])):
            options[option[1]] = option[2]
            i += 1
        start = i
        while i < len(lines) and (not lines[i] or
                                  lines[i].startswith(directive[1] + '   ')):
            i += 1
        body = textwrap.dedent('\n'.join(lines[start:i])).strip('\n')
        skipped = next(n for n, line in enumerate(lines[start:i]) if line)
        yield directive[2], options, body.split('\n'), start + skipped + 1


def commands(lines, first):
    """(command, expected output, line of the page)"""
    found = []
    for number, line in enumerate(lines, first):
        if line.startswith('$ '):
            found.append((line[2:], [], number))
        elif not found:
            sys.exit(f'line {number}: output of no command: {line}')
        else:
            found[-1][1].append(line)
    return found


class Shell:
    """One bash, to which commands are handed one after the other."""

    def __init__(self):
        self.bash = subprocess.Popen(['bash', '--norc', '--noprofile'], text=True,
                                     stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.number = 0

    def run(self, command):
        """The exit status and what was printed on both outputs."""
        self.number += 1
        # Of its own: a command that goes on in the background may write later.
        out = f'.out.{self.number}'
        self.bash.stdin.write(f'{{ {command}\n}} </dev/null >{out} 2>&1; echo "done $?"\n')
        self.bash.stdin.flush()
        said = self.bash.stdout.readline().split()
        with open(out, encoding='utf-8', errors='replace') as file:
            output = file.read().splitlines()
        return int(said[1]) if said else None, output

    def end(self):
        self.bash.stdin.close()
        self.bash.wait()


class Results:
    def __init__(self):
        self.number = self.failed = 0
        self.since = time.monotonic()

    def result(self, name, problems):
        self.number += 1
        self.failed += bool(problems)
        now = time.monotonic()
        print(f'# {round((now - self.since) * 1000)} ms')
        self.since = now
        for problem in problems:
            print('# ' + problem[:200])
        # a "#" would begin a directive of TAP
        name = name.replace('#', '')
        print(f'{"not " if problems else ""}ok {self.number} - {name}', flush=True)


def run(shell, results, command, expected, number):
    command = LESS.get(command, command)
    status, output = shell.run(command)
    problems = []
    missing = mismatch([here(line) for line in expected], output)
    if missing is not None:
        problems += ['it printed:'] + output[:40] + f'but the page has: {missing}'.split('\n')
    if status != 0:
        problems.append(f'exit status {status}')
    results.result(f'line {number}: {command}', problems)
    return status is not None


def main():
    results, not_run, kinds = Results(), [], set()
    page = open(sys.argv[1], encoding='utf-8').read()
    shell = Shell()
    for language, options, lines, first in blocks(page):
        if language in ('c', 'python'):
            with open(options['name'], 'w', encoding='utf-8') as file:
                file.write('\n'.join(lines) + '\n')
        elif language == 'sh':
            not_run += [(line.split('  #')[0].rstrip(), first) for line in lines if line]
        elif language == 'console':
            for command, expected, number in commands(lines, first):
                kinds.add(command)
                if not run(shell, results, command, expected, number):
                    results.result('the shell is there', ['it is gone'])
                    break
        else:
            results.result(f'line {first}', [f'this test knows no blocks of {language}'])
    shell.end()
    for command, number in not_run:
        print(f'# not run: {command}: {ELSEWHERE.get(command)}')
    results.result('what is not run has another test', [
        f'line {number}: {command}' for command, number in not_run
        if command not in ELSEWHERE])
    names = {command for command, _ in not_run}
    results.result('and all of that is in the page', [
        command for command in ELSEWHERE if command not in names] + [
        command for command in LESS if command not in kinds])
    print(f'1..{results.number}')
    return 1 if results.failed else 0


sys.exit(main())
