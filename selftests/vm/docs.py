#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""The documentation, built and looked at.

docs.py DIRECTORY  TAP: the site builds there without a warning, and so on
docs.py links      what the pages and *.md name is there; a line for each that is not
"""
import glob
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# Paths in the tree, as pages name them; <...> and {...} stand for several.
TREE = r'(?:Documentation|debian|lib|module|packaging|samples|selftests|tools|uapi|\.ci)/[\w./*?{},<>-]+'
MANUAL = 'Documentation/man/*.rst'
results = []


def result(name, problems):
    results.append(not problems)
    for problem in problems:
        print(f'# {problem}')
    print(f'{"not " if problems else ""}ok {len(results)} - {name}', flush=True)


def read(path):
    with open(path, encoding='utf-8') as file:
        return file.read()


def run(*command):
    """What a command has to complain of."""
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    said = (ran.stdout + ran.stderr).splitlines()
    return said or ([f'exit status {ran.returncode}'] if ran.returncode else [])


def build(out):
    return run(sys.executable, '-B', '-m', 'sphinx', '-b', 'html', '-n', '-E', '-a', '-q', '-W',
               '--keep-going', '-d', f'{out}/doctrees', 'Documentation', f'{out}/html')


def unreached(html):
    """Pages that no link leads to, beginning at the index."""
    seen, todo = set(), ['index.html']
    while todo:
        page = todo.pop()
        if page in seen or not os.path.exists(f'{html}/{page}'):
            continue
        seen.add(page)
        todo += [os.path.normpath(os.path.join(os.path.dirname(page), link)) for link in
                 re.findall(r'href="([^":#?]+\.html)', read(f'{html}/{page}'))]
    pages = {path[len('Documentation/'):-len('.rst')] + '.html'
             for path in glob.glob('Documentation/**/*.rst', recursive=True)}
    return sorted(pages - seen)


def converts(page, out):
    """A manual page by rst2man and mandoc."""
    target = f'{out}/{os.path.basename(page)[:-4]}'
    said = run('rst2man', '--halt=5', page, target)
    return said + run('mandoc', '-T', 'lint', '-W', 'error', target)


def retyped(html):
    """Options of manual pages that the site shows in another way than they are typed."""
    problems = []
    for page in glob.glob(MANUAL):
        text = read(f'{html}/man/{os.path.basename(page)[:-4]}.html')
        problems += [f'{page}: {option}' for option in
                     sorted(set(re.findall(r'\*\*(--[a-z][\w-]*)\*\*', read(page))))
                     if f'<strong>{option}</strong>' not in text]
    return problems


def undocumented(html):
    """What headers declare, and the references lack; by other means than the references."""
    header = read('uapi/latewind.h')
    wanted = {
        'uapi-reference': re.findall(r'^#define\s+(LW_\w+)', header, re.M) +
                          re.findall(r'^struct (\w+) \{', header, re.M),
        'liblatewind-reference': re.findall(r'^\t(latewind_\w+);', read('lib/liblatewind.map'),
                                            re.M),
        'kernel-api-reference': [name for path in glob.glob('module/**/*.c', recursive=True) for
                                 name in re.findall(r'EXPORT_SYMBOL_GPL\((\w+)\)', read(path))],
    }
    missing = []
    for page, names in wanted.items():
        text = read(f'{html}/{page}.html')
        missing += [f'{page}: no {name}' for name in names if f'id="c.{name}"' not in text]
        if not names:
            missing.append(f'{page}: nothing to look for')
    return missing


def library_page():
    """Functions that liblatewind(3) lacks, and how its example compiles."""
    page = read('Documentation/man/liblatewind.3.rst')
    names = re.findall(r'^\t(latewind_\w+);', read('lib/liblatewind.map'), re.M)
    missing = [f'no {name}()' for name in names if f'**{name}**\\ ()' not in page]
    example = re.search(r'^EXAMPLES\n.*?::\n\n(.*?)\n\n\S', page, re.M | re.S)[1]
    ran = subprocess.run(['gcc', '-Wall', '-Werror', '-Iuapi', '-Ilib', '-xc',
                          '-fsyntax-only', '-'], input=example, capture_output=True, text=True,
                         check=False)
    return missing + ran.stderr.splitlines()


def architecture_page():
    """Names that a machine's folder lacks, or the page on how to add one; and what that has of old."""
    def names(paths):
        return {name for path in paths
                for name in re.findall(r'\b(?:LW_ARCH|lw_arch)_\w+', read(path))}

    folders = glob.glob('module/arch/*')
    has = {folder: names(glob.glob(folder + '/*.h')) for folder in folders}
    used = names(path for path in glob.glob('module/**/*.[ch]', recursive=True)
                 if not path.startswith('module/arch/'))
    page = 'Documentation/howto-architecture.rst'
    stale = names([page]) - set().union(*has.values())
    has[page] = names([page])
    return [f'{where}: no {name}' for where in sorted(has) for name in sorted(used - has[where])] + \
        [f'{page}: {name} is nowhere' for name in sorted(stale)] + \
        ['nothing to look for'] * (len(folders) < 3 or not used)


def is_there(path):
    path = re.sub(r'<[^>]*>', '*', path).rstrip('.,/')
    words = re.match(r'(.*)\{(.*)\}(.*)', path)
    if words:
        return all(is_there(words[1] + word + words[3]) for word in words[2].split(','))
    # Without its end it may be a program, of which there is the source; testing.rst is about
    # selftests/ and leaves that out.
    return any(glob.glob(name) for name in (path, path + '.*', 'selftests/' + path))


def dangling():
    """Links of the files beside README.md, and paths in the pages, to what is not there."""
    problems = []
    for page in glob.glob('*.md'):
        for link in re.findall(r'\]\(([^)#:]+)(?:#[^)]*)?\)|src="([^":]+)"', read(page)):
            target = link[0] or link[1]
            if not os.path.exists(target):
                problems.append(f'{page}: {target}')
    for page in glob.glob('*.md') + glob.glob('Documentation/**/*.rst', recursive=True):
        for path in re.findall(rf'(?<![\w/.$*>~-]){TREE}', read(page)):
            if not is_there(path):
                problems.append(f'{page}: {path}')
    return sorted(set(problems))


def main(out):
    print('TAP version 13\n1..8')
    result('the site builds without a warning', build(out))
    result('every page is reached from the index', unreached(f'{out}/html'))
    result('every manual page converts without a warning',
           [said for page in glob.glob(MANUAL) for said in converts(page, out)])
    result('the site has the options of manual pages as they are typed', retyped(f'{out}/html'))
    result('the references have all that the headers declare', undocumented(f'{out}/html'))
    result('liblatewind(3) has all functions, and its example compiles', library_page())
    result('the page on new architectures has what each folder has', architecture_page())
    result('files that the pages and *.md name are there', dangling())
    return not all(results)


os.chdir(ROOT)
if sys.argv[1:] == ['links']:
    found = dangling()
    print(*found, sep='\n', end='\n' * bool(found))
    sys.exit(bool(found))
sys.exit(main(sys.argv[1]))
