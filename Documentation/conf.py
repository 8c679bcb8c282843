# SPDX-License-Identifier: GPL-2.0
# The site: make docs.
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, 'sphinx'))

project = 'Latewind'
author = 'The Latewind authors'
copyright = author
with open(os.path.join(HERE, '../VERSION'), encoding='utf-8') as _file:
    release = version = _file.read().strip()

needs_sphinx = '7.2'
extensions = ['header_reference', 'site_pages']
exclude_patterns = ['sphinx']
highlight_language = 'none'
# Or --pid would be shown with a dash that no shell knows.
smartquotes = False
nitpicky = True
# Types of C, of linux/types.h and of headers that are not ours.
nitpick_ignore_regex = [
    ('c:identifier', r'(__)?[us]\d+|size_t|bool|pt_regs|perf_event_attr|lw_tracer')]

html_theme = 'furo'
html_title = f'Latewind {release}'
html_copy_source = False
html_show_copyright = False
html_static_path = ['sphinx/static']
html_css_files = ['site.css']
