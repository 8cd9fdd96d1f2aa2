# SPDX-License-Identifier: BSD-3-Clause
"""The command ``python3 -m colltree.study``: the studies of quadtrees as CSV or JSON, ``reproduce``, ``comparison`` and the studies over profiles."""

import json
import sys
from functools import partial
from pathlib import Path
from typing import Any

import comparison
import pandas as pd
import reproduce
from quadtrees import CSV, STUDIES, frame_of

from colltree._study_command import Parser, add_commands, add_timings, exit_code
from colltree.study import Row


def _text(value: Any) -> str:
    return "" if pd.isna(value) else str(value).removesuffix(".0")


def _quadtrees(what: str, asked: Row) -> None:
    output, is_json = asked.pop("output"), asked.pop("json")
    rows = STUDIES[what][0](asked.pop("profile"), {name: value for name, value in asked.items() if value})
    frame = frame_of(rows)
    columns = [*CSV, *(["penalty_predicted"] if "penalty_predicted" in frame else [])]
    lines = [
        [column.replace("penalty_predicted", "predicted") for column in columns],
        *frame[columns].fillna({"penalty_predicted": 0}).to_numpy(object),
    ]
    text = json.dumps(rows, indent=2, sort_keys=True) if is_json else "\n".join(",".join(_text(value) for value in line) for line in lines)
    Path(output).write_text(text + "\n", encoding="utf-8") if output else print(text)


def main(arguments: list[str]) -> int:
    parser = Parser(prog="python3 -m colltree.study", description="studies over profiles, and those of the papers of 2006 and 2007")
    studies = parser.add_subparsers(required=True)
    add_commands(studies)
    apart = {"reproduce": reproduce.main, "comparison": comparison.main}
    studies.add_parser("reproduce", add_help=False, help="the tables and figures of a paper, on simulated clusters")
    studies.add_parser("comparison", add_help=False, help="all decision functions over the public data sets")
    for what, (_, summary) in STUDIES.items():
        study = studies.add_parser(what, help=summary, description=summary)
        study.add_argument("profile", help="the profile (P.db)")
        study.add_argument("-o", "--output", help="the file to write (default: standard output)")
        study.add_argument("--json", action="store_true", help="print JSON instead of CSV")
        for option in ("reshape", "third"):
            study.add_argument(f"--{option}", help="as for colltree fit quadtree")
        add_timings(study)
        study.set_defaults(work=partial(_quadtrees, what))
    if arguments and arguments[0] in apart:
        return apart[arguments[0]](arguments[1:])
    asked = vars(parser.parse_args(arguments))
    return exit_code(partial(asked.pop("work"), asked))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
