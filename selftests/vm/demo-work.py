#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""What the demo records: an interpreter, a regular expression engine, sorting,
big numbers and a deep recursion, in a few seconds of an emulated machine."""
import re


def words(count):
    state = 1
    for _ in range(count):
        state = state * 1103515245 + 12345 & 0x7fffffff
        yield f'{state:x}'


def tree(items):
    if len(items) < 2:
        return items
    pivot = items[len(items) // 2]
    return (tree([i for i in items if i < pivot]) + [i for i in items if i == pivot] +
            tree([i for i in items if i > pivot]))


def main():
    for _ in range(12):
        text = list(words(6000))
        ordered = tree(text)
        by_length = sorted(text, key=lambda word: (len(word), word))
        found = re.sub('([0-9]+)[a-f]+', lambda match: match[1], ' '.join(text))
        print(ordered[0], by_length[0], len(found), len(str(3 ** 9000)))


main()
