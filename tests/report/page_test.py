#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""page_test.py COLLTREE CHROMIUM: makes a page of made-up timings, reads it (tags, requests), then uses it in one
start of headless Chromium, in a wide and in a narrow frame (page_test.js), and compares what it shows with what
`colltree evaluate`, `decide` and the timings say."""
import csv
import html
import html.parser
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

COLLTREE, CHROMIUM = map(os.path.abspath, sys.argv[1:])
METHODS = [("linear", 0), ("binomial", 0), ("binomial", 1024), ("binary", 8192), ("pipeline", 1024)]
RANKS = [2, 3, 4, 6, 8, 12, 16, 24, 32]
SIZES = [4 ** k for k in range(12)]
HOLE = (6, 256)


def label(algorithm, segment):
    return "default" if algorithm == "default" else f"{algorithm.capitalize()}_{segment // 1024}K"


def made_up(collective):
    """Rows of samples; each method has its own latency and bandwidth, so lines cross. Always the same."""
    state = 1
    for ranks in RANKS:
        for size in SIZES:
            if (ranks, size) == HOLE:
                continue
            for k, (algorithm, segment) in enumerate([*METHODS, ("default", "")]):
                us = (3 + 2 * k) * ranks.bit_length() + size * (1 + ranks / 16) / (20 * (k + 1) ** 1.5)
                for sample in range(7):
                    state = (state * 1664525 + 1013904223) % 2 ** 32
                    noisy = us * (3 if algorithm == "default" else 1) * (0.95 + 0.1 * state / 2 ** 32)
                    yield ["made-up", "<test> & 1.0", collective, ranks, "", "", size, algorithm, segment, sample, f"{noisy:.6f}"]


def colltree(*words):
    done = subprocess.run([COLLTREE, *words], capture_output=True, text=True)
    assert done.returncode == 0, f"colltree {' '.join(words)}: {done.stderr}"
    return done.stdout


class Tags(html.parser.HTMLParser):
    """Elements are closed in the order in which they were opened; nothing is loaded."""
    VOID = {"meta", "link", "input", "br"}

    def __init__(self):
        super().__init__()
        self.open = []

    def handle_starttag(self, tag, attributes):
        names = dict(attributes)
        assert "src" not in names and names.get("href", "data:,") == "data:,", f"{tag} loads {names}"
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open and self.open[-1] == tag, f"</{tag}> in {self.open}"
        self.open.pop()


def percent(fraction):
    value = 100 * fraction
    return "0 %" if value == 0 else f"{value:.{2 if value < 1 else 1 if value < 100 else 0}f} %"


def microseconds(text):
    value, unit = text.split("\n")[0].split("\t")[0].split(" ")[:2]
    return float(value) * {"µs": 1, "ms": 1e3, "s": 1e6}[unit]


def near(one, other, what):
    assert abs(one - other) <= 6e-4 * abs(other) + 1e-9, f"{what}: {one}, not {other}"


def equal(one, other, what):
    assert one == other, f"{what}: {one!r}, not {other!r}"


def ask(page, scripts):
    """What page_test.js found in each frame."""
    watch = "<script>window.problems = []; for (const kind of ['error', 'securitypolicyviolation']) addEventListener(kind, (e) => problems.push(e.message ?? e.blockedURI));</script>"
    watched = html.escape(page.replace("<title>", watch + "<title>", 1))
    frames = "".join(f'<iframe width="{width}" height="900" srcdoc="{watched}"></iframe>' for width in (1280, 400))
    with open("window.html", "w", encoding="utf-8") as file:
        file.write(f'<!doctype html><meta charset="utf-8"><pre id="found"></pre>{frames}<script>{scripts}</script>')
    dumped = subprocess.run([CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
                             f"--user-data-dir={os.getcwd()}/browser", "--dump-dom", "file://" + os.path.abspath("window.html")],
                            check=True, capture_output=True, text=True).stdout
    found = json.loads(html.unescape(re.search(r'<pre id="found">(.*?)</pre>', dumped, re.S).group(1)))
    assert isinstance(found, list), found["error"]
    return found


def check_cells(found, medians):
    for cell in found["cells"]:
        ranks, size = re.fullmatch(r"(\d+) ranks, (\S+)", cell["title"]).groups()
        size = next(bytes for bytes in SIZES if size in (f"{bytes}B", f"{bytes // 1024}K", f"{bytes // 2 ** 20}M"))
        times = medians[int(ranks), size]
        equal(len(cell["times"]), len(times), "methods at " + cell["title"])
        for row in cell["times"]:
            method = row[0].replace("model", "").strip()
            near(microseconds(row[1]), times[method], f"{method} at {cell['title']}")
        decided = json.loads(colltree("explain", "bcast", ranks, str(size), "--json", "--model", "o.json"))["method"]
        equal([one.replace("model", "").strip() for one in cell["chosen"]], [decided], "model at " + cell["title"])
        assert f"{decided} loses {percent(times[decided] / min(times.values()) - 1)}" in cell["facts"], cell["facts"]


def check(found, width, evaluated, medians):
    assert found["width"] <= width and found["wideAfter"] <= width, f"wider than {width}: {found['width']}"
    equal(found["problems"], [], "problems")
    equal(found["opens"], "What the model to deploy asks for", "opens")
    for leaves, figures in evaluated.items():
        readout = f"mean penalty {percent(figures['mean'])}, median {percent(figures['median'])}, at worst {percent(figures['max'])}"
        assert any(line[:2] == [str(leaves), readout] for line in found["leaves"]), f"{leaves}: {readout} is not in {found['leaves']}"
    equal((found["redrawn"], found["unchanged"]), (True, True), "the slider redraws the model's map, and not the best's")
    check_cells(found, medians)
    equal(found["keys"], ["6 ranks, 1K", "8 ranks, 1K", "8 ranks, 256B", "4 ranks, 256B", "3 ranks, 256B", "3 ranks, 1K", "4 ranks, 1K", "4 ranks, 1K",
                          "4 ranks, 1K", "2 ranks, 1B"], "arrows pass over what was not measured, Enter pins, Escape releases")
    equal(found["times"], ["2 ranks"], "the curves that are shown")
    light, dark, again = found["schemes"]
    assert light != dark and light == again, found["schemes"]
    equal(found["collective"], ["reduce"], "the collective that is shown")


def main():
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "page_test.js"), encoding="utf-8") as file:
        script = file.read()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        rows = [row for collective in ("bcast", "reduce") for row in made_up(collective)]
        with open("t.csv", "w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["system", "mpi", "collective", "procs", "nodes", "ppn", "msg_bytes", "algorithm", "segment_bytes", "rep", "time_us"])
            writer.writerows(rows)
        colltree("import", "t.csv", "-o", "t.db")
        colltree("report", "t.db", "--most-leaves", "5", "-o", "t.html")
        with open("t.html", encoding="utf-8") as file:
            page = file.read()
        tags = Tags()
        tags.feed(page)
        equal(tags.open, [], "elements that are not closed")
        for svg in re.findall(r"<svg.*?</svg>", page, re.S):
            xml.etree.ElementTree.fromstring(svg)
        evaluated = {}
        for leaves in (1, 3):
            colltree("fit", "optimal", "t.db", "--collective", "bcast", "--leaves", str(leaves), "-o", "o.json")
            judged = json.loads(colltree("evaluate", "o.json", "--on", "t.db", "--json"))["collectives"][0]["choosers"]
            evaluated[leaves] = next(one for one in judged if one["chooser"] == "o.json")["performance_penalty"]
        samples = {}
        for row in rows:
            if row[2] == "bcast":
                samples.setdefault((row[3], row[6]), {}).setdefault(label(row[7], row[8]), []).append(float(row[10]))
        medians = {at: {method: statistics.median(times) for method, times in methods.items()} for at, methods in samples.items()}
        for found, width in zip(ask(page, script), (1280, 400)):
            check(found, width, evaluated, medians)
            assert "<test> & 1.0" in found["text"], "names are text"
    print("ok")


main()
