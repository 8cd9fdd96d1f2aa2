# SPDX-License-Identifier: BSD-3-Clause
"""What ``colltree report --json`` says of times, as frames: those of all methods, and the predictions for a profile."""

import json
import os
import re
from typing import Any

import numpy as np
import pandas as pd

from . import drive
from .errors import PathLike

Json = dict[str, Any]
POINT = ["system", "collective", "communicator_size", "message_size", "algorithm", "segment_size"]


def segment_of(label: str) -> int | None:
    """Return the segment size in bytes that a label such as Binomial_1K names."""
    found = re.search(r"_(\d+)([KMB]?)$", label)
    return int(found[1]) * {"K": 1024, "M": 1024**2, "B": 1, "": 1}[found[2]] if found else None


def report_data(path: PathLike, **options: Any) -> Json:
    """Return the JSON of ``colltree report`` without the expensive parts: the times of all methods, and how models are judged."""
    return dict(json.loads(drive.run("report", os.fspath(path), quiet=True, json=True, no_deployed=True, most_leaves=1, **options)))


def reported_times(entry: Json) -> pd.DataFrame:
    """Return the times of a collective, and the ends of their intervals: a row for each instance and method that has one."""
    methods = [(method["algorithm"], segment_of(method["label"])) for method in entry["methods"][: entry["measured_methods"]]]
    columns = {name: np.array(entry[name] or entry["time_us"], dtype=float).reshape(-1, len(methods)) for name in ("time_us", "low_us", "high_us")}
    times = {method: {column: values[:, i] for column, values in columns.items()} for i, method in enumerate(methods)}
    instances = pd.DataFrame(entry["instances"]).assign(collective=entry["collective"])
    nothing = np.full(len(instances), np.nan)
    times["default", None] = {"time_us": np.array(entry["default_us"] or nothing, dtype=float), "low_us": nothing, "high_us": nothing}
    parts = [instances.assign(algorithm=name, segment_size=segment, **found) for (name, segment), found in times.items()]
    return pd.concat(parts).dropna(subset="time_us").astype({"segment_size": "Int64"})


def _points(frame: pd.DataFrame) -> pd.MultiIndex:
    types = {name: np.int64 if name.endswith("_size") else str for name in POINT}
    return pd.MultiIndex.from_frame(frame[POINT].fillna({"segment_size": -1}).astype(types))


def with_predictions(frame: pd.DataFrame, path: PathLike) -> pd.DataFrame:
    """Return the rows of a profile with the predicted times, missing for methods of which no cell was measured."""
    wanted = frame["kind"] == "predicted"
    parts = [pd.DataFrame(columns=[*POINT, "time_us"])]
    for system, rows in frame[wanted].groupby("system", observed=True):
        document = report_data(path, system=system, collective=rows["collective"].astype(str).unique())
        parts += [reported_times(entry).assign(system=system) for entry in document["collectives"]]
    known = pd.concat(parts)
    times = pd.Series(known["time_us"].to_numpy(float), index=_points(known))
    times = times[~times.index.duplicated(keep="last")]
    frame.loc[wanted, "time_us"] = times.reindex(_points(frame[wanted])).to_numpy()
    return frame
