# SPDX-License-Identifier: BSD-3-Clause
"""Timings and decisions of MPI collectives in Python.

colltree measures the algorithms of MPI collectives and turns the times into a decision function. This package reads its files as pandas
frames, decides with its models over numpy arrays, draws with matplotlib, and starts the program ``colltree`` for everything that measures or
fits. Only what starts the program needs it installed.

Sizes are in bytes, times in microseconds (``time_us``), and a penalty is a fraction: 0.1 means 10 % slower than the best method.

Examples
--------
>>> import colltree
>>> profile = colltree.read_profile("grig.db")
>>> model = colltree.read_model("bcast.json")
>>> model.decide("bcast", 64, 1024)
Method(algorithm='split_binary', segment_size=0)
>>> colltree.plot.decision_map(profile, "bcast", model=model)
"""

from . import plot
from ._report import report
from .drive import check_rules, compare, measure, tune
from .errors import Error
from .model import Method, Model, read_model
from .penalty import best_methods, penalties, point_times, training_data
from .read import read_map, read_profile, read_profile_parts, read_record, read_rules

__all__ = [
    "Error",
    "Method",
    "Model",
    "best_methods",
    "check_rules",
    "compare",
    "measure",
    "penalties",
    "plot",
    "point_times",
    "read_map",
    "read_model",
    "read_profile",
    "read_profile_parts",
    "read_record",
    "read_rules",
    "report",
    "training_data",
    "tune",
]
__version__ = "1.0.0"
