#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""The two tables of the tests: selftests/tests.txt, which test runs where, and the one of
Documentation/testing.rst, which lanes a change calls for.

tables.py check     TAP: both name what there is, and all of it
tables.py for BASE  the lanes that the changes since commit BASE call for, on one line;
                    on stderr, because of which files
"""
import fnmatch
import glob
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TESTS = 'selftests/tests.txt'
TESTING = 'Documentation/testing.rst'
KERNELS = ['6.1', '6.12', '7', 'rt', 'debug', 'kcsan', 'clang', '6.12-arm64',
           '6.12-nopauth-arm64', '6.12-16k-arm64', 'debug-arm64', '6.12-s390x']
LANES = ['lint', 'unit', 'fuzz'] + KERNELS + [
    'newest', 'refuse', 'stress', 'step-oracle', 'proof', 'demo', 'install']
# What is a test: what its name is made from, and what that is called in the table.
SOURCES = (
    ('selftests/*_test.c', r'selftests/(.*)\.c'),
    ('selftests/*_test.sh', r'selftests/(.*)'),
    ('selftests/stress.c', r'selftests/(.*)\.c'),
    ('selftests/device_fuzz.c', r'selftests/(.*)\.c'),
    ('selftests/unit/*_test.c', r'selftests/(.*)\.c'),
    ('selftests/ring/*_test.c', r'selftests/(.*)\.c'),
    ('selftests/flame/*_test.py', r'selftests/(.*)'),
    ('tools/tests/*/*_test.c', r'(.*)\.c'),
    ('selftests/fuzz/sframe_*.c', r'selftests/(.*)\.c'),
)
# Where else the version stands.
VERSIONS = (
    ('CHANGELOG.md', r'\A(?:(?!^## ).*\n)*^## (.*)'),
    ('debian/changelog', r'\A\w+ \((.*)-\d+\)'),
    ('packaging/latewind.spec', r'^Version: +(.*)'),
    ('packaging/PKGBUILD', r'^pkgver=(.*)'),
    ('Documentation/install.rst', r'latewind-(\d[\d.]*\d)'),
    ('Documentation/tutorial.rst', r'opens; version (.*)'),
)


def git(*args):
    return subprocess.run(['git', '-C', ROOT, *args], check=True, capture_output=True,
                          text=True).stdout


def tests():
    """(name, lanes of check, lanes of check-all, limits, proves, short form), a row each."""
    for number, line in enumerate(open(os.path.join(ROOT, TESTS), encoding='utf-8'), 1):
        if line.startswith('#') or not line.strip():
            continue
        columns = line.rstrip('\n').split(' | ')
        if len(columns) != 6:
            sys.exit(f'{TESTS}:{number}: {len(columns)} columns instead of 6')
        yield columns


def calls_for():
    """(pattern, lanes), in the order of the table: the first that fits a file is its row."""
    text = open(os.path.join(ROOT, TESTING), encoding='utf-8').read()
    table = re.search(r'^If you change .*?\n=+ +=+\n(.*?)\n=+ +=+\n\n', text, re.M | re.S)
    if not table:
        sys.exit(f'{TESTING}: no table of what a change calls for')
    rows = []
    for line in table[1].splitlines():
        if line.startswith('==='):
            continue
        left, right = re.fullmatch(r'(.*?)(?:  +(.*))?', line).groups()
        patterns = re.findall(r'``(.*?)``', left)
        if not patterns:
            sys.exit(f'{TESTING}: no pattern in "{line}"')
        lanes = LANES if right == 'all' else right.split()
        rows += [(pattern, lanes) for pattern in patterns]
    return rows


def row_of(path, rows):
    return next((row for row in rows if fnmatch.fnmatchcase(path, row[0])), None)


def lanes_for(base):
    paths = set(git('diff', '--name-only', base).splitlines())
    paths |= set(git('ls-files', '--others', '--exclude-standard').splitlines())
    rows = calls_for()
    because = {}
    for path in sorted(paths):
        row = row_of(path, rows)
        for lane in row[1] if row else LANES:
            because.setdefault(lane, []).append(path)
    for lane in LANES:
        if lane in because:
            others = len(because[lane]) - 1
            print(f'{lane}: {because[lane][0]}' + (f' and {others} more' if others else ''),
                  file=sys.stderr)
    print(*[lane for lane in LANES if lane in because])


def check():
    results = []

    def result(name, problems):
        results.append(not problems)
        for problem in problems:
            print(f'# {problem}')
        print(f'{"not " if problems else ""}ok {len(results)} - {name}')

    print('TAP version 13\n1..7')
    rows = list(tests())
    names = {row[0].split()[0] for row in rows}
    sources = {re.fullmatch(form, path)[1] for pattern, form in SOURCES
               for path in glob.glob(pattern, root_dir=ROOT)}
    # A source makes more than the test of its name: with sections of version 3.
    known = names | {re.sub(r'^v3/|_v3$', '', name) for name in names}
    result('every test has a row', sorted(sources - known))
    result('every row is of a test', [name for name in names if not (
        name in sources or re.sub(r'^v3/|_v3$', '', name) in sources or
        re.sub(r'^v3/', '', name) in sources or
        any(os.path.exists(os.path.join(ROOT, 'selftests', name + end)) for end in ('', '.c')))])
    result('rows name lanes that there are, two limits, and what is proved', [
        row[0] for row in rows
        if any(re.sub(r'/\d+$', '', lane) not in LANES + ['-']
               for lane in (row[1] + ' ' + row[2]).split()) or
        not re.fullmatch(r'\d+ \d+', row[3]) or not row[4] or not row[5]])
    result('what check runs, check-all does', [
        row[0] for row in rows
        if not set(re.sub(r'/\d+', '', row[1]).split()) - {'-'} <= set(row[2].split())
        and row[0] + ' ' not in ''.join(other[0] + ' ' for other in rows if other is not row)])
    patterns = calls_for()
    result('every file is in the table of what a change calls for', [
        path for path in git('ls-files').splitlines() if not row_of(path, patterns)])
    result('which names lanes that there are', [
        f'{pattern}: {lane}' for pattern, lanes in patterns for lane in lanes
        if lane not in LANES])
    version = open(os.path.join(ROOT, 'VERSION'), encoding='utf-8').read().strip()
    result('whatever names the version names that of VERSION', [
        f'{path}: {found}' for path, form in VERSIONS
        for found in re.findall(form, open(os.path.join(ROOT, path), encoding='utf-8').read(), re.M)
        or ['no version'] if found != version])
    return not all(results)


if sys.argv[1:] == ['check']:
    sys.exit(check())
if len(sys.argv) == 3 and sys.argv[1] == 'for':
    lanes_for(sys.argv[2])
else:
    sys.exit(__doc__)
