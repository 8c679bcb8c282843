#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""pictures.py terminal TEXT SVG     a terminal as 'tmux capture-pane -e -p' prints it
pictures.py beside DIRECTORY SVG  flame graphs of the stacks of perf-fp.txt and latewind.txt,
                                  as demo-guest.sh leaves them, beside each other
"""
import os
import re
import sys
from xml.sax.saxutils import escape

FONT = 'DejaVu Sans Mono, Menlo, Consolas, monospace'


# Terminals

CHAR, LINE, MARGIN = 8.4, 18, 12
INK, PAPER = '#d8dee4', '#1b1f24'
COLOURS = ['#484f58', '#ff7b72', '#56d364', '#e3b341', '#79c0ff', '#d2a8ff', '#76e3ea', '#d8dee4']
SGR = re.compile(r'\x1b\[([\d;]*)m')


class Style:
    def __init__(self):
        self.ink = self.paper = None
        self.bold = self.reverse = False

    def change(self, codes):
        for code in map(int, codes.split(';') if codes else ['0']):
            if code == 0:
                self.__init__()
            elif code in (1, 22):
                self.bold = code == 1
            elif code in (7, 27):
                self.reverse = code == 7
            elif code in range(30, 38) or code in range(90, 98):
                self.ink = COLOURS[code % 10]
            elif code == 39:
                self.ink = None
            elif code in range(40, 48):
                self.paper = COLOURS[code % 10]
            elif code == 49:
                self.paper = None

    def colours(self):
        ink, paper = self.ink or INK, self.paper
        return (paper or PAPER, ink) if self.reverse else (ink, paper)


def runs(line, style):
    """(column, text, ink, paper, bold) of what has one style."""
    column = 0
    for number, part in enumerate(SGR.split(line)):
        if number % 2:
            style.change(part)
        elif part:
            yield (column, part, *style.colours(), style.bold)
            column += len(part)


def terminal(source, target):
    lines = [line.rstrip('\n') for line in open(source, encoding='utf-8')]
    columns = max(len(SGR.sub('', line)) for line in lines)
    width, height = columns * CHAR + 2 * MARGIN, len(lines) * LINE + 2 * MARGIN
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
           f'font-family="{FONT}" font-size="14">',
           f'<rect width="100%" height="100%" rx="8" fill="{PAPER}"/>']
    style = Style()
    for row, line in enumerate(lines):
        for column, text, ink, paper, bold in runs(line, style):
            x, y, long = MARGIN + column * CHAR, MARGIN + row * LINE, len(text) * CHAR
            if paper:
                out.append(f'<rect x="{x:.1f}" y="{y}" width="{long:.1f}" height="{LINE}" '
                           f'fill="{paper}"/>')
            if text.strip():
                out.append(f'<text x="{x:.1f}" y="{y + 13}" fill="{ink}" '
                           f'textLength="{long:.1f}" xml:space="preserve"'
                           f'{" font-weight=" + chr(34) + "bold" + chr(34) if bold else ""}>'
                           f'{escape(text)}</text>')
    write(target, out)


# Flame graphs

FRAME = re.compile(r'\s+[0-9a-f]+ (.*?)(?:\+0x[0-9a-f]+)? \((.*?)\)(?: \[\w[\w-]*\])?$')
PROGRAM = '/usr/bin/python3'
PANEL, GAP, BOX, DEPTH = 470, 20, 13, 34
LEAST = 0.004     # of the whole: what is less is left out
SMALL = 5.6       # a character of a box


class Node:
    def __init__(self):
        self.count, self.below = 0, {}


def stacks(path):
    """Frames of user space, root first, of samples whose innermost one is the program's."""
    for block in open(path, encoding='utf-8', errors='replace').read().split('\n\n'):
        frames = [match.groups() for line in block.split('\n') if (match := FRAME.match(line))]
        if frames and frames[0][1].startswith(PROGRAM):
            yield [short(*frame) for frame in reversed(frames)]


def short(symbol, dso):
    if dso.startswith('/tmp/perf-'):
        return re.sub(r'(::[^:]*):.*', r'\1', symbol)
    return os.path.basename(dso) if symbol == '[unknown]' else symbol


def tree(path):
    root = Node()
    for frames in stacks(path):
        node = root
        node.count += 1
        for frame in frames[:DEPTH - 1]:
            node = node.below.setdefault(frame, Node())
            node.count += 1
    return root


def colour(name, level):
    if name.startswith('py::'):
        return '#7fb2e5'
    return ('#f2b46b', '#eea35a', '#f5c27f')[(len(name) + level) % 3]


def draw(out, node, name, left, width, level, bottom, whole):
    y = bottom - (level + 1) * BOX
    out.append(f'<rect x="{left:.1f}" y="{y}" width="{max(width - 0.5, 0.5):.1f}" '
               f'height="{BOX - 1}" fill="{colour(name, level)}"/>')
    room = int((width - 4) / SMALL)
    if room >= 3:
        text = name if len(name) <= room else name[:room - 1] + '\u2026'
        out.append(f'<text x="{left + 2:.1f}" y="{y + BOX - 4}">{escape(text)}</text>')
    for below, child in sorted(node.below.items()):
        share = child.count / whole
        if share >= LEAST:
            draw(out, child, below, left, share * PANEL, level + 1, bottom, whole)
        left += share * PANEL


def beside(source, target):
    panels = [('perf record -g', 'perf-fp.txt'), ('latewind record', 'latewind.txt')]
    height = 48 + DEPTH * BOX + 8
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{2 * PANEL + 3 * GAP}" '
           f'height="{height}" font-family="{FONT}" font-size="9">',
           '<rect width="100%" height="100%" fill="#ffffff"/>']
    for number, (title, name) in enumerate(panels):
        root = tree(os.path.join(source, name))
        whole = sum(1 for frames in stacks(os.path.join(source, name))
                    if 'Py_BytesMain' in frames)
        left = GAP + number * (PANEL + GAP)
        out.append(f'<text x="{left}" y="20" font-size="15" font-weight="bold">{title}</text>')
        out.append(f'<text x="{left}" y="36" font-size="11">{root.count} samples in python3, '
                   f'{100 * whole / root.count:.1f} % of the stacks reach Py_BytesMain</text>')
        draw(out, root, 'python3 -X perf', left, PANEL, 0, height - 8, root.count)
    write(target, out)


def write(target, lines):
    with open(target, 'w', encoding='utf-8') as file:
        file.write('\n'.join(lines + ['</svg>']) + '\n')


if len(sys.argv) != 4 or sys.argv[1] not in ('terminal', 'beside'):
    sys.exit(__doc__)
(terminal if sys.argv[1] == 'terminal' else beside)(*sys.argv[2:])
