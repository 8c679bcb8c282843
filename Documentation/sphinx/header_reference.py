# SPDX-License-Identifier: GPL-2.0
"""The directive header-reference: the reference of a C header, made of the header.

    .. header-reference:: uapi/latewind.h
       :docs: <source with the kernel-doc of functions that the header only declares>
       :ioctls: <source with the table ops[]: which files know an ioctl, and what it needs>
"""
import os
import re

from docutils import nodes
from docutils.parsers.rst import directives
from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective
from sphinx.util.nodes import nested_parse_with_titles

import c_header
from header_names import HEADERS, Names, label_of, prefix_of

ERRORS = r'(Errors|LW_IOC_\w+:)'
DIRECTIONS = {'W': (1, 'the module reads it'), 'WR': (3, 'the module reads it and writes it back')}


class HeaderReference(SphinxDirective):
    required_arguments = 1
    option_spec = {'docs': directives.unchanged, 'ioctls': directives.unchanged}
    names = None

    def run(self):
        type(self).names = self.names or Names()
        header = c_header.Header(self.arguments[0], self.options.get('docs'))
        for path in (self.arguments[0], *self.options.values(), *HEADERS):
            self.env.note_dependency(os.path.join(c_header.ROOT, path))
        self.out, self.section, self.labels = [], '', set()
        self.header = header
        intro, *items = header.items
        self.text(intro)
        if header.ioctls:
            self.ioctls(items)
        for item in items:
            kind = type(item).__name__.lower()
            if kind in ('struct', 'constants') and self.section in ('', 'Ioctls'):
                self.title('Structs and constants', '=')
            if kind == 'function' and self.section == 'Structs and constants':
                self.title('Functions', '=')
            getattr(self, 'write_' + kind)(item)
        section = nodes.section()
        source = os.path.join(c_header.ROOT, self.arguments[0])
        nested_parse_with_titles(self.state, StringList(self.out, source), section)
        return section.children

    def write(self, *lines, indent=''):
        self.out += [indent + line if line else '' for line in lines] + ['']

    def title(self, text, underline):
        self.write(text, underline * len(text))
        if underline == '=':
            self.section = text

    def text(self, text, indent=''):
        inline = self.names.inline
        for lines in text.paragraphs:
            if all(line[0] in ' \t' for line in lines):
                # As they stand in the comment, behind its " * ".
                self.write('::', '', *(('   ' + line).expandtabs(8) for line in lines),
                           indent=indent)
                continue
            items = re.split(r'\n(?:- |\t(?=-E))|^- ', '\n'.join(lines))
            items = [' '.join(item.split()) for item in items]
            if items[0]:
                word, colon, rest = items[0].partition(':')
                if colon and re.match('Return|Context|Errors', word):
                    self.write(f'**{word}:** {inline(rest.strip())}', indent=indent)
                else:
                    self.write(inline(items[0]), indent=indent)
            for item in items[1:]:
                self.write('* ' + inline(item), indent=indent)

    def table(self, head, widths, rows, indent=''):
        lines = ['.. list-table::', '   :header-rows: 1', '   :align: left',
                 f'   :widths: {widths}', '']
        for row in [head] + rows:
            for i, cell in enumerate(row):
                lines.append(('     - ' if i else '   * - ') + cell)
        self.write(*lines, indent=indent)

    def target(self, macro):
        self.write(f'.. c:macro:: {macro}', '   :no-typesetting:')

    def ioctls(self, items):
        structs = {item.name: item for item in items if isinstance(item, c_header.Struct)}
        needs = dict(re.findall(r'\{ (LW_IOC_\w+), \d+, [^{}]*,\s+([\w| ]+) \}',
                                c_header.read(self.options['ioctls'])))
        self.title('Ioctls', '=')
        for ioctl in self.header.ioctls.values():
            struct, flags = structs[ioctl.argument], needs[ioctl.name].split(' | ')
            bits, says = DIRECTIONS[ioctl.direction]
            number = bits << 30 | struct.size << 16 | 0xf7 << 8 | ioctl.number
            files = 'a session' if 'SESSION' in flags else \
                'any open device, and ``/proc/latewind``' if 'PROC' in flags else 'any open device'
            rights = [text for flag, text in (
                ('SET_UP', ':c:macro:`LW_IOC_SETUP` before'),
                ('PERFMON', 'CAP_PERFMON or CAP_SYS_ADMIN')) if flag in flags]
            brief = re.sub(r' \(LW_IOC[^)]*\)', '', struct.brief)
            self.write(f'.. c:macro:: {ioctl.name}')
            self.write(self.names.inline(brief[:1].upper() + brief[1:] + '.'), '',
                       f':Argument: :c:struct:`{struct.name}`, {struct.size} bytes: {says}',
                       f':Number: {ioctl.number}, ``{number:#x}``',
                       f':Files: {files}',
                       f':Needs: {"; ".join(rights) or "nothing by itself, see the errors"}',
                       indent='   ')
            own = [lines for lines in struct.text.paragraphs if re.match(ERRORS, lines[0]) and
                   (lines[0].startswith('Errors') or lines[0].startswith(ioctl.name + ':'))]
            self.text(c_header.Text(own), '   ')

    def write_text(self, text):
        first, stop, _ = re.match(r'(.*?)([.:,]|$)(.*)', text.paragraphs[0][0]).groups()
        self.title(first, '=')
        if stop == '.':
            rest = ' '.join(text.paragraphs[0])[len(first) + 1:].strip()
            text = c_header.Text([[rest]] * bool(rest) + text.paragraphs[1:])
        self.text(text)

    def write_opaque(self, item):
        self.write_text(item.text)
        self.write(f'.. c:struct:: {item.name}')
        self.write('Only the library knows what is in it.', indent='   ')

    def write_constants(self, group):
        prefix, names = prefix_of(group.members), [member.name for member in group.members]
        if prefix and prefix not in self.labels:
            self.labels.add(prefix)
            self.write(f'.. _{label_of(prefix)}:')
        self.title(prefix.replace('_*', r'\_\*') if prefix else
                   ', '.join(names[:2]) + ' and more' * (len(names) > 2), '-')
        self.text(group.text)
        for name in names:
            self.target(name)
        self.table(('Name', 'Value', 'Meaning'), '40 20 60',
                   [(f'``{m.name}``', f'``{m.value}``', self.names.inline(m.note))
                    for m in group.members])

    def write_struct(self, struct):
        self.title(f'struct {struct.name}', '-')
        # A domain of Sphinx has one name space; a function of the same name has it.
        taken = self.names.roles[struct.name] == 'func'
        self.write('.. container::' if taken else f'.. c:struct:: {struct.name}')
        self.write(self.names.inline(struct.brief[:1].upper() + struct.brief[1:]) +
                   f'. {struct.size} bytes.', indent='   ')
        self.table(('Offset', 'Bytes', 'Field', 'Meaning'), '10 10 40 80', [
            (str(field.offset), str(field.size or '...'), f'``{field.declaration}``',
             self.names.inline(field.about)) for field in struct.fields], '   ')
        ioctls = [name for name, ioctl in self.header.ioctls.items()
                  if ioctl.argument == struct.name]
        self.text(c_header.Text([lines for lines in struct.text.paragraphs
                                 if not ioctls or not re.match(ERRORS, lines[0])]), '   ')
        if ioctls:
            self.write('Errors: see ' + ', '.join(f':c:macro:`{name}`' for name in ioctls) + '.',
                       indent='   ')

    def write_typedef(self, item):
        self.write(f'.. c:type:: {item.declaration}')
        self.text(item.text, '   ')

    def write_function(self, function):
        self.write(f'.. c:function:: {function.declaration}')
        brief = function.brief[:1].upper() + function.brief[1:]
        self.write(self.names.inline(brief) + ('' if brief.endswith('?') else '.'), indent='   ')
        for name, about in function.params.items():
            self.write(f':param {name}: {self.names.inline(about)}', indent='   ')
        self.text(function.text, '   ')


def setup(app):
    app.add_directive('header-reference', HeaderReference)
    return {'parallel_read_safe': True}
