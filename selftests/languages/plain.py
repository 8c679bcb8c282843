# SPDX-License-Identifier: GPL-2.0
"""A chain of calls in Python, whose names it tells itself with -X perf."""


def leaf(count):
    total = 0
    for i in range(count):
        total ^= i * i
    return total


def three(count):
    return leaf(count) + 1


def two(count):
    return three(count) + 1


def one(count):
    return two(count) + 1


for _ in range(30):
    one(100000)
