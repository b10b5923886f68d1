"""How the documentation is built; `nox -s docs` does it."""

import sys
from pathlib import Path

import crossdock

sys.path.append(str(Path(__file__).parent))

project = 'crossdock'
author = 'the crossdock developers'
version = release = crossdock.__version__

extensions = [
    'myst_parser',
    'sphinx.ext.autodoc',
    'numpydoc',
    '_sections',
]
exclude_patterns = ['_build']

html_theme = 'furo'
html_title = f'crossdock {release}'
html_static_path = ['_static']
html_css_files = ['custom.css']
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False

myst_enable_extensions = ['colon_fence', 'deflist']
myst_heading_anchors = 3

autodoc_member_order = 'bysource'
autodoc_typehints = 'signature'
autodoc_default_options = {'members': True, 'show-inheritance': True}
numpydoc_show_class_members = False  # autodoc lists them

default_role = 'code'
pygments_style = 'friendly'
pygments_dark_style = 'monokai'
python_use_unqualified_type_names = True
