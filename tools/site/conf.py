# SPDX-License-Identifier: BSD-3-Clause
"""How Sphinx shows docs/ (tools/site/make.py)."""
project = "colltree"
extensions = ["myst_parser"]
html_theme = "furo"
html_title = "colltree"
root_doc = "README"
myst_heading_anchors = 4  # links lead to headings by their names, as on GitHub
html_copy_source = False
html_show_copyright = False
html_theme_options = {"navigation_with_keys": True}
highlight_language = "none"
html_static_path = ["static"]
html_css_files = ["wide.css"]  # help and tables have up to 110 columns
