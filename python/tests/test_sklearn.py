# SPDX-License-Identifier: BSD-3-Clause
"""The classifiers are scikit-learn's to its own checks, and on sizes they decide as ``colltree fit`` does."""

import gzip
import importlib
import itertools
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from conftest import ROOT, Tool

import colltree
from colltree import drive

sys.path.append(str(ROOT / "tests"))
from sample import sampled  # noqa: E402

estimator_checks = pytest.importorskip("sklearn.utils.estimator_checks")
from colltree.sklearn import C45Classifier, OptimalTreeClassifier, QuadtreeClassifier  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")  # scikit-learn tells what it leaves out
ORFEO = ROOT / "tests" / "data" / "orfeo_epyc_openmpi_bcast_reduce.csv.gz"
KINDS = {"c45": C45Classifier, "quadtree": QuadtreeClassifier, "optimal": OptimalTreeClassifier}
CASES: dict[str, list[dict[str, Any]]] = {
    "c45": [{}, {"weight": 8, "confidence": 5}, {"gain": True}],
    "quadtree": [{}, {"max_depth": 3, "reshape": "even"}, {"accuracy_threshold": 0.8, "reshape": "none"}],
    "optimal": [{"leaves": 6}, {"leaves": 4, "objective": "time"}, {"leaves": 3, "objective": "max"}],
}


@pytest.mark.parametrize("learner", [C45Classifier(), *sampled([QuadtreeClassifier(most_ranges=8), OptimalTreeClassifier(leaves=5, most_ranges=8)])])
def test_the_checks_of_scikit_learn(tool: Tool, learner: Any) -> None:
    estimator_checks.check_estimator(learner)


def _instances(X: pd.DataFrame, model: colltree.Model, collective: str) -> pd.DataFrame:
    """The instances where a decision could change: all sizes, every threshold and its neighbours."""
    axes = []
    for column in ("communicator_size", "message_size"):
        near = {value + step for value in model.thresholds(collective).get(column, []) for step in (-1, 0, 1)}
        axes.append(sorted({int(value) for value in X[column]} | {value for value in near if 1 <= value < 2**40}))
    return pd.DataFrame(list(itertools.product(*axes)), columns=X.columns)


def _assert_equal(tool: Tool, profile: Path, frame: pd.DataFrame, collective: str, kind: str, options: dict[str, Any]) -> None:
    tool("fit", "quadtree", profile, "--collective", collective, "--parameters", "max_depth=0", "-o", "order.json")
    X, costs, methods = colltree.training_data(frame, collective, colltree.read_model(tool.folder / "order.json").methods)
    tool("fit", kind, profile, "--collective", collective, "-o", "m.json", *drive.arguments_of(drive.fit_options(options)))
    model = colltree.read_model(tool.folder / "m.json")
    shuffled = np.random.default_rng(1).permutation(len(X))
    learner = KINDS[kind](**options).fit(X.iloc[shuffled], costs[shuffled])
    instances = _instances(X, model, collective)
    expected = model.decide(collective, instances["communicator_size"].to_numpy(), instances["message_size"].to_numpy())
    assert isinstance(expected, pd.DataFrame)
    chosen = [methods[column] for column in learner.predict(instances)]
    assert [method.algorithm for method in chosen] == expected["algorithm"].tolist(), (collective, kind, options)
    assert [method.segment_size for method in chosen] == [None if pd.isna(size) else size for size in expected["segment_size"]]
    assert -learner.score(X, costs) == pytest.approx(model.statistics["performance_penalty"]["mean"], rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("kind", list(KINDS))
def test_decisions_are_those_of_colltree_fit(tool: Tool, grig: Path, kind: str) -> None:
    frame = colltree.read_profile(grig)
    for options in sampled(CASES[kind]):
        for collective in ("bcast", "reduce"):
            _assert_equal(tool, grig, frame, collective, kind, options)


def test_decisions_on_orfeo(tool: Tool) -> None:
    """On a real machine, too. ``colltree fit c45`` also tests the placement where it varies, which the classifier gets as further columns."""
    lines = gzip.decompress(ORFEO.read_bytes()).decode().splitlines()
    kept = [line for line in lines[1:] if line.startswith("orfeo-epyc-core") and int(line.split(",")[3]) % 8 == 2]  # half of the sizes
    (tool.folder / "orfeo.csv").write_text("\n".join([lines[0], *kept]) + "\n")
    tool("import", "orfeo.csv", "--message-sizes", "total", "-o", "orfeo.db")
    frame = colltree.read_profile(tool.folder / "orfeo.db")
    for kind in KINDS:
        _assert_equal(tool, tool.folder / "orfeo.db", frame, "reduce", kind, {})
    tool("fit", "c45", "orfeo.db", "--collective", "bcast", "-o", "m.json")
    model = colltree.read_model(tool.folder / "m.json")
    X, costs, methods = colltree.training_data(frame, "bcast")
    frame = frame[frame["collective"] == "bcast"]
    placed = X.merge(frame[[*X.columns, "nodes", "ranks_per_node"]].drop_duplicates(), on=list(X.columns), how="left").astype(np.int64)
    assert len(placed.columns) == 4 and len(placed) == len(X)
    chosen = C45Classifier().fit(placed, costs).predict(placed)
    sizes = [placed[column].to_numpy() for column in placed.columns]
    index = model.decide_index("bcast", sizes[0], sizes[1], nodes=sizes[2], ranks_per_node=sizes[3])
    assert [methods[column] for column in chosen] == [model.methods[i] for i in index]


def test_features_that_are_no_sizes(tool: Tool) -> None:
    """Among three columns the telling one is found, and the optimal tree makes as few errors as the best single threshold."""
    random = np.random.default_rng(3)
    X = random.normal(size=(40, 3))
    y = np.where(X[:, 1] + 0.3 * random.normal(size=40) > 0.1, "ring", "chain")
    learner = OptimalTreeClassifier(leaves=2, most_ranges=100).fit(X, y)
    least = min(min(np.sum((X[:, 1] <= cut) != (y == low)) for low in ("ring", "chain")) for cut in X[:, 1])
    assert 1 in learner.features_ and np.sum(learner.predict(X) != y) == least > 0
    assert learner.statistics_["certificate"]["status"] == "optimal" and learner.get_n_leaves() == 2
    feature, threshold = learner.tree_.feature[0], learner.tree_.threshold[0]
    below, above = X[X[:, feature] <= threshold, feature].max(), X[X[:, feature] > threshold, feature].min()
    assert threshold == pytest.approx((below + above) / 2)
    neighbours = np.array([[0.5], [np.nextafter(0.5, 1)]])
    assert OptimalTreeClassifier().fit(neighbours, ["ring", "chain"]).predict(neighbours).tolist() == ["ring", "chain"]
    coarse = OptimalTreeClassifier(leaves=2, most_ranges=4).fit(X, y)
    assert least <= np.sum(coarse.predict(X) != y) < 20


def test_costs(tool: Tool) -> None:
    """Errors that cost much are avoided, and a class that cannot be chosen never is."""
    X = np.column_stack([[2, 4, 8, 16] * 2, [1] * 4 + [64] * 4])
    costs = np.array([[1, 2]] * 6 + [[9, 1]] * 2, dtype=float)
    assert OptimalTreeClassifier(leaves=1).fit(X, costs).predict(X).tolist() == [1] * 8  # 7 errors would cost less than one
    assert OptimalTreeClassifier(leaves=1).fit(X, costs.argmin(axis=1)).predict(X).tolist() == [0] * 8
    unequal = OptimalTreeClassifier(leaves=1).fit([[2, 1]] * 3 + [[4, 1]], ["ring"] * 3 + ["chain"])
    assert unequal.predict([[4, 1]]).tolist() == ["ring"]  # each row counts, not each instance
    costs[0, 1] = np.inf
    learner = OptimalTreeClassifier(leaves=4).fit(X, costs)
    assert learner.predict(X)[0] == 0 and learner.score(X, costs) == 0
    doubled = OptimalTreeClassifier(leaves=1, objective="time").fit(np.vstack([X, X[:1]]), np.vstack([costs, [[1, 1]]]))
    assert doubled.predict(X).tolist() == [0] * 8  # the sum of the costs of equal rows is infinite as well
    assert OptimalTreeClassifier(leaves=2).fit([[2, 1], [4, 1]], [[1e-6, 1e15], [1e15, 1e-6]]).predict([[2, 1], [4, 1]]).tolist() == [0, 1]
    with pytest.raises(ValueError, match="costs: expected 8 rows like X, of numbers from 1e-6 to 1e15"):
        learner.fit(X, costs[:-1])
    for wrong in (0, -1, np.nan, 1e16):
        with pytest.raises(ValueError, match="costs: expected"):
            learner.fit(X, np.where(costs == 9, wrong, costs))
    with pytest.raises(colltree.Error, match="at least 2 are needed") as raised:
        OptimalTreeClassifier(leaves=1).fit(X[:2], [[1, np.inf], [np.inf, 1]])
    assert "\n" not in str(raised.value)


def test_odd_numbers_of_c45(tool: Tool) -> None:
    """The number that means unknown in its files, and numbers beyond float32."""
    column = np.array([-1e300, -999.0, -998.0, 1e-300, 1.0, 1.0001, 1e300])
    for cut in range(1, len(column)):
        y = (np.arange(len(column)) >= cut).astype(int)
        assert C45Classifier(weight=1).fit(column[:, None], y).predict(column[:, None]).tolist() == y.tolist(), cut
    for rows in ([0, 1], [1, 0]):  # a tie goes to the class of the first instance, not of the first row
        assert C45Classifier().fit(np.array([[2, 1], [4, 1]])[rows], np.array(["ring", "chain"])[rows]).predict([[9, 9]]) == ["ring"]
    learner = C45Classifier(weight=1).fit([[1.0], [2.0]], ["ring", "chain"])
    assert learner.predict([[1 + 2.0**-24], [1 + 2.0**-23]]).tolist() == ["ring", "chain"]  # the first is 1 in 32 bits


def test_what_is_missing(tool: Tool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    X, y = [[2, 1], [4, 1]], ["ring", "chain"]
    (tmp_path / "colltree").write_text("#!/bin/sh\n")
    (tmp_path / "colltree").chmod(0o755)
    monkeypatch.setenv(drive.PROGRAM_VARIABLE, str(tmp_path / "colltree"))
    with pytest.raises(colltree.Error, match="colltree-c45: no such program, which learns C4.5 trees; install it beside colltree"):
        C45Classifier().fit(X, y)
    monkeypatch.setenv(drive.PROGRAM_VARIABLE, "/nowhere/colltree")
    with pytest.raises(colltree.Error, match="which is no program; install it"):
        QuadtreeClassifier().fit(X, y)
    monkeypatch.delitem(sys.modules, "colltree.sklearn")
    monkeypatch.setitem(sys.modules, "sklearn.base", None)
    with pytest.raises(ImportError, match="^colltree.sklearn needs scikit-learn 1.2 or later; install it with pip install scikit-learn$"):
        importlib.import_module("colltree.sklearn")


def test_parameters_out_of_range(tool: Tool) -> None:
    X, y = [[2, 1], [4, 1], [2, 3]], ["ring", "chain", "ring"]
    for learner in (C45Classifier(weight=0), OptimalTreeClassifier(leaves=0), QuadtreeClassifier(reshape="odd")):
        with pytest.raises(colltree.Error) as raised:
            learner.fit(X, y)
        assert "\n" not in str(raised.value) and not str(raised.value).startswith("colltree")
