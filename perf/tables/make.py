#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes a table of the pages again:

    perf/tables/make.py TABLE ARGUMENT...        perf/tables/make.py TABLE --help

Profiles lie in a FOLDER; what it holds already is not measured again.
"""
import importlib
import os
import sys

TABLES = {
    "between": "docs/results/models.md: between the measured sizes",
    "predicting": "docs/results/predicting.md",
    "exports": "docs/results/rules.md: one profile for all targets",
    "proofs": "docs/results/verifying.md: which targets were proved, by the logs of the tests",
    "smpi": "docs/results/algorithms.md: beside SMPI's ports of Open MPI's and MPICH's selectors",
    "portable": "docs/results/algorithms.md: beside the libraries' own algorithms",
    "campaign": "docs/results/tuning.md: adaptive campaigns beside their peers",
    "c45": "docs/results/models.md: C4.5's training time beside J48 and scikit-learn",
    "simulation": "docs/results/simulation.md: cells per second of two builds",
}


def main():
    if len(sys.argv) < 2 or sys.argv[1] not in TABLES:
        sys.exit(__doc__ + "\n" + "\n".join(f"    {table:<12} {page}" for table, page in TABLES.items()))
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    sys.exit(importlib.import_module(sys.argv[1]).main(sys.argv[2:]))


main()
