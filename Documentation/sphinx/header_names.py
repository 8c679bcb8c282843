# SPDX-License-Identifier: GPL-2.0
"""Words of comments as reStructuredText: what headers declare becomes a link."""
import os
import re

import c_header

HEADERS = ('uapi/latewind.h', 'lib/liblatewind.h', 'module/include/linux/latewind.h')
WORD = re.compile(r'''@(?P<at>\w+) | (?P<emphasis>\*\w+\*) | (?P<escape>[\\`*|])
    | (?P<file>\b[\w/]+\.(?:[ch]|ko)\b) | \b(?P<group>LW_[A-Z0-9_]*_)\*
    | (?:struct[ ])?\b(?P<name>[A-Za-z_]\w*)(?P<rest>\(\)|(?:\.|->)[a-z]\w*)?''', re.X)


def prefix_of(members):
    """What a group of constants is called: LW_END_*."""
    names = [member.name for member in members]
    common = os.path.commonprefix(names)
    common = common[:common.rfind('_') + 1]
    return common + '*' if len(names) > 1 and common.count('_') > 1 else None


def label_of(group):
    return 'group-' + group.strip('_*').lower().replace('_', '-')


class Names:
    """What a word of a comment can link to, of all headers."""

    def __init__(self):
        self.roles, self.groups = {}, set()
        for path in HEADERS:
            docs = 'module/core/tracer.c' if 'module' in path else None
            header = c_header.Header(path, docs)
            self.roles |= dict.fromkeys(header.ioctls, 'macro')
            for item in header.items:
                if isinstance(item, c_header.Constants):
                    self.roles |= {m.name.partition('(')[0]: 'macro' for m in item.members}
                    self.groups |= {prefix_of(item.members)} - {None}
                elif isinstance(item, (c_header.Struct, c_header.Opaque)):
                    self.roles.setdefault(item.name, 'struct')
                elif isinstance(item, c_header.Function):
                    self.roles[item.name] = 'func'

    def word(self, match):
        text, name, rest = match[0], match['name'], match['rest'] or ''
        if match['file']:
            return f'``{text}``'
        if match['emphasis']:
            return text
        if match['escape']:
            return '\\' + text
        if match['at']:
            return f'``{match["at"]}``'
        if match['group']:
            return f':ref:`{text} <{label_of(text)}>`' if text in self.groups else f'``{text}``'
        role = self.roles.get(name)
        if role == 'func' or role == 'struct':
            return f':c:{role}:`{text} <{name}>`'
        if role:
            return f':c:macro:`{name}`'
        return f'``{text}``' if rest else re.sub(r'_$', r'\\_', text)

    def inline(self, text):
        def marked(match):
            out, after = self.word(match), text[match.end():match.end() + 1]
            if not out.endswith('`'):
                return out
            # reStructuredText has no markup inside of words.
            before = text[:match.start()][-1:]
            return ('' if before in '' or before in ' \'"([{<-/:' else '\\ ') + out + \
                ('' if after in '' or after in ' \'")]}>-/:.,;!?' else '\\ ')
        return WORD.sub(marked, text)
