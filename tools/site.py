#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""site.py COLLTREE FOLDER: the pages of docs/ as a site, FOLDER/html/index.html, by Sphinx with MyST and the theme furo (Debian:
python3-myst-parser, furo). The page of all options is what the program COLLTREE prints. A link that leads nowhere, a page that
docs/README.md does not list and whatever else Sphinx warns of are errors: exit code 1.
"""
import os
import re
import shutil
import subprocess
import sys

DOCS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "docs")
# Of Sphinx. Links lead to headings by their names, as on GitHub.
SETTINGS = {"project": "colltree", "html_title": "colltree", "root_doc": "README", "extensions": ["myst_parser"], "myst_heading_anchors": 4,
            "html_theme": "furo", "html_static_path": ["static"], "html_css_files": ["wide.css"], "highlight_language": "none",
            "html_copy_source": False, "html_show_copyright": False}
# The parts of the manual in the list of pages at the left: (title, pages).
PARTS = [("Learn", r"(tutorial|concepts|glossary)\.md"), ("Tasks", r"tasks/.*"), ("Reference", r"reference/[^/]*\.md|reference/formats/README\.md"),
         ("Developing", r"architecture\.md|developing/.*"), ("Results", r"results/.*")]
LINK = re.compile(r"\[([^\]]*)\]\(([^)#\s]+)(#[^)\s]*)?\)")


def options_page(colltree):
    """Every command's help, as it is printed."""
    page = ["# Commands and options\n", "What `--help` prints for each command.\n"]

    def add(path):
        text = subprocess.run([colltree, *path, "--help"], check=True, stdout=subprocess.PIPE, text=True).stdout
        page.append(f"{'#' * (1 + max(1, len(path)))} {' '.join(['colltree', *path])}\n\n```text\n{text.rstrip()}\n```\n")
        # Below the root commands stand under several titles, all of them behind the options.
        listed = text.split("\nOptions:\n")[1].split("\nExample:\n")[0] if not path else "".join(re.findall(r"\nSubcommands:\n(?:  .*\n)*", text))
        for command in re.findall(r"^  ([a-z0-9-]+)  +\S", listed, re.M):
            add([*path, command])

    add([])
    return "\n".join(page)


def without_outside(page, text):
    """Links to files of the repository that are no pages, as names of these files."""
    def named(link):
        title, path, _ = link.groups()
        if re.match("[a-z]+:", path):
            return link.group(0)
        there = os.path.normpath(os.path.join("docs", os.path.dirname(page), path))
        if there.startswith("docs" + os.sep) and (path.endswith((".md", ".png", ".svg"))):
            return link.group(0)
        return f"{title} (`{there}`)"

    return LINK.sub(named, re.sub(r"^\[(.*\.patch)\]\(\1\)$", r"```{literalinclude} \1\n:language: diff\n```", text, flags=re.M))


def toctrees(index, pages):
    """The list of pages at the left, in the order in which the index links to them, by the last link to each."""
    order = {path: place for place, (_, path, _) in enumerate(LINK.findall(index))}
    order["reference/options.md"] = -1
    text = ""
    for title, pattern in PARTS:
        found = sorted((page for page in pages if re.fullmatch(pattern, page)), key=lambda page: order[page] if page in order else sys.exit(f"docs/README.md does not link to {page}"))
        text += f"\n```{{toctree}}\n:hidden:\n:caption: {title}\n\n" + "\n".join(page[:-3] for page in found) + "\n```\n"
    return text


def main(colltree, folder):
    source = os.path.join(folder, "source")
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(DOCS, source)
    with open(os.path.join(source, "reference", "options.md"), "w", encoding="utf-8") as file:
        file.write(options_page(colltree))
    pages = sorted(os.path.relpath(os.path.join(parent, name), source) for parent, _, names in os.walk(source) for name in names if name.endswith(".md"))
    for page in pages:
        path = os.path.join(source, page)
        with open(path, encoding="utf-8") as file:
            text = file.read()
        if page == "README.md":
            text += toctrees(text, pages)
        if page == "reference/formats/README.md":
            text += "\n```{toctree}\n:hidden:\n:glob:\n\n*\n```\n"
        with open(path, "w", encoding="utf-8") as file:
            # Languages of code that Sphinx does not know; commands with a prompt.
            text = re.sub("^```(pbs|lsf|flux)$", "```text", text, flags=re.M)
            file.write(without_outside(page, re.sub(r"^```sh\n(?=\$ )", "```console\n", text, flags=re.M)))
    static = os.path.join(folder, "static")
    os.makedirs(static)
    with open(os.path.join(static, "wide.css"), "w", encoding="utf-8") as file:
        file.write(".content { width: 56em; } .sidebar-drawer { width: 17em; } pre { font-size: 0.8em; }")  # help has 100 columns
    with open(os.path.join(folder, "conf.py"), "w", encoding="utf-8") as file:
        file.write("".join(f"{name} = {value!r}\n" for name, value in SETTINGS.items()))
    done = subprocess.run(["sphinx-build", "-q", "-W", "--keep-going", "-c", folder, source, os.path.join(folder, "html")], check=False)
    if done.returncode == 0:
        shutil.copy(os.path.join(folder, "html", "README.html"), os.path.join(folder, "html", "index.html"))
        print(f"{os.path.join(folder, 'html', 'index.html')}: {len(pages)} pages")
    return done.returncode


if len(sys.argv) != 3:
    sys.exit(__doc__)
if shutil.which("sphinx-build") is None:
    print("site.py: no sphinx-build: install Debian's python3-myst-parser and furo", file=sys.stderr)
    sys.exit(77)  # the test is skipped
sys.exit(main(os.path.abspath(sys.argv[1]), sys.argv[2]))
