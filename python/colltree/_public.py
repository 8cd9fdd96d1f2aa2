# SPDX-License-Identifier: BSD-3-Clause
"""The public names of the package, which ``__init__`` imports when one of them is asked for."""

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
