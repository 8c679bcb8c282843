#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""
languages_check.py FILE ENDS PATTERN...: are the stacks in FILE, text of latewind
record, what the program is known to have?

Each PATTERN is a stack from the leaf out, as regular expressions of names with blanks
between them; '...' is any number of frames, '*' is one. Stacks whose first name is that
of some pattern must be one of these, from end to end, and so must those that have
anywhere the second of a pattern that begins with '...'; of all others only how they end
is looked at. ENDS is a regular expression of how a walk may end.

Exit status: 0 if 99.8 % of the former are right, 99 % of all have such an end, and each
pattern was met. The others are of libraries and runtimes as they start, of which there
are few. Walks of threads that were killed meanwhile don't count.
"""
import re
import sys

WANTED = 0.998
WANTED_ENDS = 0.99
FRAME = re.compile(r"\t\s*[0-9a-f]+ (.*?)(?:\+0x[0-9a-f]+)? \((.*)\) \[(\w+)\]$")


def read(path):
    """Pairs of how a stack ends and the names of its user frames."""
    for block in open(path, errors="replace").read().split("\n\n"):
        lines = block.strip("\n").split("\n")
        end = re.search(r" end=([a-z-]+)$", lines[0])
        if not end:
            continue
        frames = [FRAME.match(line) for line in lines[1:]]
        names = [(f[1], f[3]) for f in frames if f and f[3] != "kernel"]
        if names and end[1] != "stopped":
            yield end[1], names


def matches(names, pattern):
    """From the front; '...' takes as few frames as will do."""
    if not pattern:
        return not names
    if pattern[0] == "...":
        return any(matches(names[i:], pattern[1:]) for i in range(len(names) + 1))
    if not names:
        return False
    if pattern[0] != "*" and not re.fullmatch(pattern[0], names[0][0]):
        return False
    return matches(names[1:], pattern[1:])


def is_known(names, pattern):
    if pattern[0] != "...":
        names = names[:1]
    leaf = pattern[pattern[0] == "..."]
    return any(re.fullmatch(leaf, name) for name, _ in names)


def show(end, names):
    print(end + ":", " ".join(f"{name}[{how}]" for name, how in names))


def main():
    path, ends = sys.argv[1:3]
    patterns = [text.split() for text in sys.argv[3:]]
    met = [0] * len(patterns)
    stacks = list(read(path))
    ended = known = wrong = 0
    odd = {}
    for end, names in stacks:
        good = re.fullmatch(ends, end)
        ended += bool(good)
        if any(is_known(names, pattern) for pattern in patterns):
            known += 1
            found = [i for i, p in enumerate(patterns) if good and matches(names, p)]
            for i in found:
                met[i] += 1
            wrong += not found
            good = found
        if not good:
            key = (end, tuple(names))
            odd[key] = odd.get(key, 0) + 1
    print(f"{len(stacks)} stacks, {ended} of them end well; {known} with a known leaf, "
          f"{wrong} of them wrong; patterns met {met}")
    for (end, names), count in sorted(odd.items(), key=lambda item: -item[1])[:8]:
        print(count, end=" ")
        show(end, names)
    if len(stacks) < 100 or not all(met):
        return 1
    return ended < WANTED_ENDS * len(stacks) or wrong > (1 - WANTED) * known


sys.exit(main())
