#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""messages.py: TAP: each message that Documentation/troubleshooting.rst explains is one that
the tool has. A message is a line of the page that begins with ``; what stands between the
"..." in it has to be in one string of the sources, in that order.
"""
import glob
import os
import re

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PAGE = 'Documentation/troubleshooting.rst'
STRINGS = re.compile(r'"((?:[^"\\\n]|\\.)*)"(?:\s*"((?:[^"\\\n]|\\.)*)")*')
# What C has between the fixed parts of a format, and more strings in the place of one.
CONVERSION = re.compile(r'%%|%[-+ #0]*(?:\d+|\*)?(?:\.(?:\d+|\*))?(?:hh|h|ll|l|z|j)?[a-zA-Z]')


def strings():
    """The formats of the tool, each with a NUL for a conversion."""
    for path in sorted(glob.glob(os.path.join(ROOT, 'tools/*/*.c'))):
        text = open(path, encoding='utf-8').read()
        # adjacent ones are one
        text = re.sub(r'"\s*\n\s*"', '', text)
        for string in STRINGS.finditer(text):
            text_of = string[1].replace('\\n', '\n').replace('\\"', '"')
            yield CONVERSION.sub(lambda found: '%' if found[0] == '%%' else '\0', text_of)


def pattern(message):
    parts = [re.escape(part) for part in message.split('...')]
    # what a format has there, or text that one "..." leaves out
    return re.compile('(?s:.*)'.join(parts))


def main():
    known = list(strings())
    page = open(os.path.join(ROOT, PAGE), encoding='utf-8').read()
    messages = re.findall(r'^``(.*?)``$', page, re.M)
    bad = [message for message in messages
           if not any(pattern(message).search(string) for string in known)]
    print('TAP version 13\n1..2')
    print('' if messages else 'not ', 'ok 1 - the page explains messages', sep='')
    for message in bad:
        print(f'# {PAGE}: no such message: {message}')
    print('not ' if bad else '', 'ok 2 - the tool has each of them', sep='')
    return not messages or bool(bad)


raise SystemExit(main())
