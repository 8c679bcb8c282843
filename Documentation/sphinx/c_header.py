# SPDX-License-Identifier: GPL-2.0
"""Reads C headers as this tree has them: kernel-doc, constants, structs, functions."""
import os
import re
from collections import namedtuple

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TOKEN = re.compile(r'''
    (?P<comment>/\*.*?\*/)
  | ^\#define[ \t]+(?P<define>\w+)(?P<params>\([^)]*\))?[ \t]+
        (?P<value>[^\n]*?)[ \t]*(?P<note>/\*(?:[^*]|\*(?!/))*\*/)?$
  | ^\#[^\n]*
  | ^static_assert\(sizeof\(struct[ ](?P<asserted>\w+)\)[ ]==[ ](?P<size>\d+)[^;]*;
  | ^struct[ ](?P<struct>\w+)[ ]\{\n(?P<fields>.*?)^\};
  | ^struct[ ](?P<forward>\w+);
  | ^typedef[ ](?P<typedef>[^;]*);
  | ^(?P<function>[a-z_][^;{}\#"/]*?\b(?P<name>\w+)\([^;{}]*\));
''', re.M | re.S | re.X)
FIELD = re.compile(r'''(?P<type>[\w ]+?)[ ]?(?P<pointer>\*?)
    (?: \(\*(?P<function>\w+)\)(?P<args>\(.*\))
      | \b(?P<name>\w+)(?P<array>\[(?P<count>\w*)\])?)''', re.X)
SIZES = {'bool': 1, 'char': 1, 'u8': 1, 'u16': 2, 'u32': 4, 's32': 4, 'u64': 8, 's64': 8}

# A comment: paragraphs are lists of lines, with what indents them.
Text = namedtuple('Text', 'paragraphs')
Opaque = namedtuple('Opaque', 'name text')
Constant = namedtuple('Constant', 'name value note')
Constants = namedtuple('Constants', 'text members')
Ioctl = namedtuple('Ioctl', 'name direction number argument')
Field = namedtuple('Field', 'offset size declaration about')
Struct = namedtuple('Struct', 'name brief fields size text')
Typedef = namedtuple('Typedef', 'text declaration')
Function = namedtuple('Function', 'name brief declaration params text')


def read(path):
    with open(os.path.join(ROOT, path), encoding='utf-8') as file:
        return file.read()


def paragraphs(lines):
    """They end with an empty line, and before what the comment says of results."""
    parts = [[]]
    for line in lines:
        if not line or re.match(r'(Return|Errors|Context)\b.*:', line):
            parts.append([])
        if line:
            parts[-1].append(line)
    return [part for part in parts if part]


def lines_of(comment):
    lines = re.sub(r'^/\*+|\s*\*/$', '', comment).split('\n')
    lines = [re.sub(r'^\s*\* ?' if i else '^ ', '', line).rstrip() for i, line in enumerate(lines)]
    return lines[1:] if not lines[0] else lines


def text_of(comment):
    return Text(paragraphs(lines_of(comment)) if comment else [])


def kernel_doc(comment):
    """(name, brief, {parameter: text}, Text)"""
    lines = lines_of(comment)
    if not comment.startswith('/**'):
        return None, '', {}, Text([])
    ends = [i for i, line in enumerate(lines + ['']) if not line or line[0] == '@']
    name, _, brief = ' '.join(' '.join(lines[:ends[0]]).split()).partition(' - ')
    params, at, last = {}, ends[0], None
    while at < len(lines) and lines[at]:
        found = re.match(r'@(\w+): ?(.*)', lines[at])
        if found:
            last = found[1]
        params[last] = found[2] if found else params[last] + ' ' + lines[at].strip()
        at += 1
    return name.split()[-1], brief.strip(), params, Text(paragraphs(lines[at:]))


def kernel_docs(path):
    """{name: kernel_doc() of its comment} of a source."""
    return {doc[0]: doc for doc in map(kernel_doc, re.findall(r'/\*\*.*?\*/', read(path), re.S))}


class Header:
    """items: what the header declares, in its order; ioctls, numbers: {name: ...}."""

    def __init__(self, path, docs=None):
        self.path, self.docs = path, kernel_docs(docs) if docs else {}
        self.items, self.ioctls, self.numbers, self.sizes = [], {}, {}, {}
        comment, comment_gap, end, text = None, True, 0, read(path)
        for token in TOKEN.finditer(text):
            gap = text.count('\n', end, token.start()) > 1
            end = token.end()
            if comment and (gap or token['comment']):
                self.add_text(comment)
                comment = None
            if token['comment']:
                comment, comment_gap = token['comment'], gap
                continue
            self.add(token, comment, comment_gap if comment else gap)
            comment = None
        self.merge_constants()

    def add_text(self, comment):
        if 'SPDX' not in comment and '\n' in comment:
            self.items.append(text_of(comment))

    def add(self, token, comment, gap):
        if token['define']:
            self.add_define(token, comment, gap)
        elif token['struct']:
            self.add_struct(token, comment)
        elif token['asserted']:
            if self.sizes[token['asserted']][0] != int(token['size']):
                raise ValueError(f'{self.path}: size of {token["asserted"]}')
        elif token['forward']:
            if comment and token['forward'].startswith('latewind_'):
                self.items.append(Opaque(token['forward'], text_of(comment)))
        elif token['typedef']:
            self.items.append(Typedef(text_of(comment), ' '.join(token['typedef'].split())))
        elif token['function']:
            doc = kernel_doc(comment) if comment else self.docs[token['name']]
            self.items.append(Function(token['name'], doc[1], ' '.join(token['function'].split()),
                                       doc[2], doc[3]))
        elif comment:
            self.add_text(comment)

    def add_define(self, token, comment, gap):
        name, value = token['define'], token['value']
        ioctl = re.match(r'_IO(W?R?)\((\w+), (\d+), struct (\w+)\)', value)
        if ioctl:
            self.ioctls[name] = Ioctl(name, ioctl[1], int(ioctl[3]), ioctl[4])
            return
        if re.fullmatch(r'\(?~?(0x)?[0-9A-Fa-f]+U?L*\)?', value):
            value = re.sub(r'U?L*(\)?)$', r'\1', value)
            self.numbers[name] = value
        constant = Constant(name + (token['params'] or ''), value, token['note'] or '')
        last = self.items[-1] if self.items else None
        if not gap and isinstance(last, Constants):
            # A comment inside a group is of the next one.
            note = ' '.join(map(str.strip, lines_of(comment or token['note'] or '')))
            last.members.append(constant._replace(note=note))
            return
        text = text_of(comment)
        if len(text.paragraphs) > 3:
            # Of all that follows, not of the constant alone.
            self.items.append(text)
            text = Text([])
        note = ' '.join(map(str.strip, lines_of(constant.note)))
        self.items.append(Constants(text, [constant._replace(note=note)]))

    def merge_constants(self):
        """Of a constant by itself the comment is its note; with its likes it makes a group."""
        items, self.items = self.items, []
        for item in items:
            if isinstance(item, Constants) and len(item.members) == 1 and \
                    len(item.text.paragraphs) == 1 and not item.members[0].note:
                member = item.members[0]._replace(note=' '.join(item.text.paragraphs[0]))
                last = self.items[-1]
                if isinstance(last, Constants) and not last.text.paragraphs and \
                        last.members[0].name.split('_')[:2] == member.name.split('_')[:2]:
                    last.members.append(member)
                    continue
                item = Constants(Text([]), [member])
            self.items.append(item)

    def add_struct(self, token, comment):
        name, brief, params, text = kernel_doc(comment)
        offset, most, fields = 0, 1, []
        for text_of_field in re.sub(r'/\*.*?\*/', '', token['fields'], flags=re.S).split(';')[:-1]:
            declaration = ' '.join(text_of_field.split())
            parts = FIELD.fullmatch(declaration)
            field = parts and (parts['name'] or parts['function'])
            if field not in params:
                raise ValueError(f'{self.path}: no description of {name}: {declaration}')
            base = parts['type'].split()[-1].lstrip('_')
            size, align = self.sizes.get(base, (SIZES.get(base),) * 2)
            if parts['pointer'] or parts['args']:
                size, align = 8, 8
            nr = '1' if parts['array'] is None else parts['count'] or '0'
            offset = -(-offset // align) * align
            size *= int(self.numbers.get(nr, nr), 0)
            fields.append(Field(offset, size, declaration, params[field]))
            offset, most = offset + size, max(most, align)
        self.sizes[token['struct']] = (-(-offset // most) * most, most)
        self.items.append(Struct(token['struct'], brief, fields,
                                 self.sizes[token['struct']][0], text))
