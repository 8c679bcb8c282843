# SPDX-License-Identifier: GPL-2.0
"""Makes manual pages, which are plain docutils, pages of the site, and links what pages name:
latewind-record(1), and ``Documentation/uapi.rst``.
"""
import re

from docutils import nodes
from sphinx import addnodes
from sphinx.transforms import SphinxTransform

PAGE = re.compile(r'\b((?:lib)?latewind[\w-]*)\((\d)\)')
C_SECTIONS = ('3', '4')


class ManualPage(SphinxTransform):
    """Takes the section away that Sphinx makes of a manual page's subtitle."""
    default_priority = 210

    def apply(self):
        if not self.env.docname.startswith('man/'):
            return
        page = next(self.document.findall(nodes.section))
        inner = next(node for node in page.children if isinstance(node, nodes.section))
        title, *rest = inner.children
        brief = nodes.paragraph('', '', *title.children, classes=['brief'])
        rest = [node for node in rest if not isinstance(node, nodes.field_list)]
        page.replace(inner, [brief] + rest)
        if self.env.docname[-1] in C_SECTIONS:
            # There is another page of this name.
            heading = next(page.findall(nodes.title))
            heading += nodes.Text(f'({self.env.docname[-1]})')
            for block in self.document.findall(nodes.literal_block):
                if re.search(r'^\s*#include|;$', block.astext(), re.M):
                    block['language'] = 'c'


class PageLinks(SphinxTransform):
    """Runs before links are resolved."""
    default_priority = 220

    def link(self, target, shown):
        return addnodes.pending_xref(
            '', shown, refdomain='std', reftype='doc', reftarget='/' + target, refexplicit=True,
            refwarn=True, refdoc=self.env.docname)

    def apply(self):
        known = self.env.found_docs
        for literal in list(self.document.findall(nodes.literal)):
            found = re.fullmatch(r'Documentation/(.*)\.rst', literal.astext())
            if found and found[1] in known and not isinstance(literal.parent, nodes.reference):
                literal.replace_self(self.link(found[1], literal.deepcopy()))
        for text in list(self.document.findall(nodes.Text)):
            if isinstance(text.parent, (nodes.literal, nodes.literal_block, nodes.title,
                                        nodes.reference, addnodes.pending_xref)):
                continue
            parts, end = [], 0
            for found in PAGE.finditer(text):
                target = f'man/{found[1]}.{found[2]}'
                if target in known and target != self.env.docname:
                    parts += [nodes.Text(text[end:found.start()]),
                              self.link(target, nodes.inline('', found[0]))]
                    end = found.end()
            if parts:
                text.parent.replace(text, parts + [nodes.Text(text[end:])])


def setup(app):
    app.add_transform(ManualPage)
    app.add_transform(PageLinks)
    return {'parallel_read_safe': True}
