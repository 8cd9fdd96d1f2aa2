# SPDX-License-Identifier: BSD-3-Clause
"""The tool's ways to learn a tree as classifiers of scikit-learn, beside which any other learner can stand.

A row of ``X`` is an instance and a class is a method. ``fit`` takes the class of each row, or a matrix of costs (times) with a column for each
class. The programs ``colltree`` and ``colltree-c45`` learn; this module writes their input and reads their trees. On communicator sizes and
message sizes (``colltree.training_data``) the decisions are those of ``colltree fit``, except that ties go to the first column.
"""

import json
import subprocess
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from . import drive
from ._tree import Indices
from .errors import Error
from .model import TIE, Model, read_model

try:
    from sklearn.base import BaseEstimator, ClassifierMixin
    from sklearn.utils.multiclass import check_classification_targets
    from sklearn.utils.validation import check_is_fitted
except ImportError:
    raise ImportError("colltree.sklearn needs scikit-learn 1.2 or later; install it with pip install scikit-learn") from None
try:
    from sklearn.utils.validation import validate_data
except ImportError:  # scikit-learn before 1.6 has it as a method

    def validate_data(estimator: Any, *arrays: Any, **options: Any) -> Any:  # noqa: D103
        return estimator._validate_data(*arrays, **options)


Floats: TypeAlias = npt.NDArray[np.float64]
MOST_SIZES = 128  # a column of sizes with more distinct values is divided into ranges, like any other column
_LARGEST_SIZE = 2**31 - 1
_UNKNOWN = np.float32(-999)  # C4.5's mark of an unknown number


class Tree(NamedTuple):
    """A fitted tree: arrays over its nodes, shape (nodes,). A value goes low that is at most the threshold; ``low`` is -1 in a leaf."""

    feature: Indices
    threshold: Floats
    low: Indices
    high: Indices
    label: Indices

    def decide(self, X: Floats) -> Indices:
        """Return the label of each row: a place in ``classes_``."""
        node = np.zeros(len(X), dtype=np.int64)
        while (rows := np.flatnonzero(self.low[node] >= 0)).size:
            tested = node[rows]
            goes_low = X[rows, self.feature[tested]] <= self.threshold[tested]
            node[rows] = np.where(goes_low, self.low[tested], self.high[tested])
        return self.label[node]


def _tree(nodes: Iterable[tuple[int, float, int, int, int]]) -> Tree:
    return Tree(*map(np.array, zip(*nodes, strict=True)))


class _TreeClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """What the classifiers share; ``_grow(X, costs, is_labelled)`` of each returns its tree."""

    tree_: Tree

    def fit(self, X: Any, y: Any) -> Any:
        """Learn a tree and return the classifier, with ``classes_``, ``n_features_in_`` and ``tree_``.

        Parameters
        ----------
        X : array_like, shape (rows, features)
            Finite numbers.
        y : array_like, shape (rows,) or (rows, classes)
            The class of each row. Or its cost with each class, a number from 1e-6 to 1e15, infinite where the class cannot be chosen;
            ``classes_`` are then the numbers of the columns, and of equal costs the first is the best.
        """
        is_labelled = not _are_costs(y)
        if is_labelled:
            X, y = validate_data(self, X, y)
            check_classification_targets(y)
            self.classes_, label = np.unique(y, return_inverse=True)
            costs = 1.0 + (label[:, None] != np.arange(len(self.classes_)))
        else:
            X = validate_data(self, X)
            costs = _checked_costs(y, len(X))
            self.classes_ = np.arange(costs.shape[1])
        self.tree_ = self._grow(np.asarray(X, dtype=np.float64), costs, is_labelled)
        return self

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return the chosen class of each row, shape (rows,)."""
        check_is_fitted(self)
        X = validate_data(self, X, reset=False)
        chosen: npt.NDArray[Any] = self.classes_[self.tree_.decide(np.asarray(X, dtype=np.float64))]
        return chosen

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the share of right classes; with costs minus the mean penalty, where a choice that cannot run costs as much as the slowest."""
        if not _are_costs(y):
            return float(super().score(X, y, sample_weight))
        costs = _checked_costs(y, len(X))
        slowest = np.where(np.isfinite(costs), costs, 0).max(axis=1)
        chosen = np.minimum(costs[np.arange(len(costs)), self.predict(X)], slowest)
        return -float(np.average(chosen / costs.min(axis=1) - 1, weights=sample_weight))

    def get_n_leaves(self) -> int:
        """Return the number of leaves of the tree."""
        check_is_fitted(self)
        return int(np.count_nonzero(self.tree_.low < 0))


def _are_costs(y: Any) -> bool:
    shape = np.asarray(y).shape
    return len(shape) == 2 and shape[1] > 1


def _checked_costs(costs: Any, rows: int) -> Floats:
    matrix = np.asarray(costs, dtype=np.float64)
    are_legal = ((matrix >= 1e-6) & ((matrix <= 1e15) | np.isposinf(matrix))).all() and not np.isinf(matrix).all(axis=1).any()
    if len(matrix) != rows or not are_legal:
        raise ValueError(f"costs: expected {rows} rows like X, of numbers from 1e-6 to 1e15 (scale them) or infinity, one of each row finite")
    return matrix


def _best_labels(costs: Floats) -> Indices:
    labels: Indices = np.argmax(costs <= costs.min(axis=1, keepdims=True) * (1 + TIE), axis=1)
    return labels


class C45Classifier(_TreeClassifier):
    """C4.5, release 8 (``colltree-c45``), over any number of features; of costs it sees which class is the best in each row.

    Numbers that differ by less than 1e-5 are equal to it.

    Parameters
    ----------
    weight, confidence, gain : int, float, bool
        The options of ``colltree fit c45``.

    Examples
    --------
    >>> C45Classifier(weight=1).fit([[2, 64], [2, 65536], [4, 64], [4, 65536]], [[1, 2], [9, 4], [2, 3], [9, 5]]).predict([[3, 50]])
    array([0])
    """

    def __init__(self, weight: int = 2, confidence: float = 25, gain: bool = False) -> None:
        self.weight = weight
        self.confidence = confidence
        self.gain = gain

    def _grow(self, X: Floats, costs: Floats, is_labelled: bool) -> Tree:
        return _c45_tree(X, _best_labels(costs), "-m", str(self.weight), "-c", str(self.confidence), *(["-g"] if self.gain else []))


def _c45_tree(X: Floats, labels: Indices, *options: str) -> Tree:
    """Return the pruned tree. Rows and classes have the order that ``colltree fit c45`` gives them, so that ties end alike."""
    largest = np.finfo(np.float32).max
    values = np.clip(X, -largest, largest).astype(np.float32)
    values[values == _UNKNOWN] = np.nextafter(_UNKNOWN, np.float32(0))
    order = np.lexsort((labels, *values.T[::-1]))
    classes = list(dict.fromkeys(labels[order].tolist()))
    with tempfile.TemporaryDirectory() as folder:
        stem = Path(folder, "table")
        names = [", ".join(f"c{label}" for label in classes), *(f"f{feature}: continuous" for feature in range(X.shape[1]))]
        stem.with_suffix(".names").write_text("".join(f"{name}.\n" for name in names), encoding="ascii")
        cases = zip(values[order].astype(np.float64).tolist(), labels[order], strict=True)
        stem.with_suffix(".data").write_text("".join(f"{','.join(map(repr, row))},c{label}\n" for row, label in cases), encoding="ascii")
        program = Path(drive.find_program()).with_name("colltree-c45")
        if not program.exists():
            raise Error(f"{program}: no such program, which learns C4.5 trees; install it beside colltree (docs/tasks/installing.md)")
        command = [str(program), "-f", str(stem), *options, "--emit", "json"]
        ended = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if ended.returncode != 0:
        message = ended.stderr.strip().rpartition("\n")[2].removeprefix("colltree-c45: ")
        raise Error(message or f"colltree-c45 ended with exit code {ended.returncode} and no message")
    try:
        nodes, rows = [json.loads(ended.stdout)], []
    except RecursionError:
        raise Error("the C4.5 tree is deeper than Python can read; raise weight, or lower confidence") from None
    for node in nodes:  # grows, level by level
        if "cut" in node:
            rows.append((node["att"], _greatest_rounded_to(np.float32(node["cut"])), len(nodes), len(nodes) + 1, -1))
            nodes += node["br"]
        else:
            rows.append((-1, 0.0, -1, -1, classes[node["leaf"]]))
    return _tree(rows)


def _greatest_rounded_to(value: np.float32) -> float:
    """Return the greatest number that C4.5, which holds 32 bits of each, does not tell from the value."""
    middle = (float(value) + float(np.nextafter(value, np.float32(np.inf)))) / 2
    return middle if np.float32(middle) == value else float(np.nextafter(middle, -np.inf))


def _as_sizes(values: Floats, most_ranges: int, least_size: int) -> tuple[Indices, Floats | None]:
    """Return a feature as sizes: as it is, or 1, 2, ... for ranges of it, then with the greatest value that becomes at most 0, 1, 2, ..."""
    distinct = np.unique(values)
    are_sizes = (distinct == np.floor(distinct)) & (distinct >= least_size) & (distinct <= _LARGEST_SIZE)
    if are_sizes.all() and len(distinct) <= MOST_SIZES:
        return values.astype(np.int64), None
    middle = distinct[:-1] / 2 + distinct[1:] / 2
    cuts = np.where(middle < distinct[1:], middle, distinct[:-1])
    if len(distinct) > most_ranges:
        cuts = cuts[np.linspace(0, len(cuts), max(most_ranges, 1), endpoint=False).astype(np.int64)[1:]]
    return np.searchsorted(cuts, values) + 1, np.concatenate(([-np.inf], cuts, [np.inf]))


class _GridClassifier(_TreeClassifier):
    """A tree over two features by ``colltree fit``, from a profile in which the rows of equal sizes are one instance with the sum of their costs.

    Of more features it takes the first two that a C4.5 tree tests. ``features_`` are the columns, ``statistics_`` those of the model.
    """

    _kind: str

    def _options(self, is_labelled: bool) -> dict[str, Any]:
        return {name: value for name, value in self.get_params().items() if name != "most_ranges"}

    def _grow(self, X: Floats, costs: Floats, is_labelled: bool) -> Tree:
        tested = _c45_tree(X, _best_labels(costs)).feature if X.shape[1] > 2 else np.array([-1])
        self.features_ = sorted(list(dict.fromkeys([*tested[tested >= 0].tolist(), *range(X.shape[1])]))[:2])
        sizes, limits = np.ones((len(X), 2), dtype=np.int64), []
        for column, (feature, least) in enumerate(zip(self.features_, (1, 0), strict=False)):
            sizes[:, column], greatest = _as_sizes(X[:, feature], self.most_ranges, least)
            limits.append(greatest)
        instances, row = np.unique(sizes, axis=0, return_inverse=True)
        sums = np.zeros((len(instances), costs.shape[1]))
        np.add.at(sums, row.ravel(), costs)
        model = _fit_on_grid(self._kind, instances, sums, self._options(is_labelled))
        self.statistics_ = model.statistics
        return _tree_of_model(model, self.features_, limits)


def _fit_on_grid(kind: str, instances: Indices, costs: Floats, options: dict[str, Any]) -> Model:
    """Return the model of ``colltree fit KIND``, whose methods are named by the numbers of the classes."""
    digits = len(str(costs.shape[1]))
    rows = ["system,mpi,collective,procs,nodes,ppn,msg_bytes,algorithm,segment_bytes,rep,time_us"]
    for (ranks, size), line in zip(instances.tolist(), costs.tolist(), strict=True):
        prefix = f"table,,bcast,{ranks},,,{size},class"
        rows += (f"{prefix}{number:0{digits}},0,0,{cost!r}" for number, cost in enumerate(line) if cost != np.inf)
    with tempfile.TemporaryDirectory() as folder:
        table, profile, model = (Path(folder, name) for name in ("table.csv", "table.db", "model.json"))
        table.write_text("\n".join(rows) + "\n", encoding="ascii")
        drive.run("import", table, output=profile, quiet=True)
        drive.run(f"fit {kind}", profile, output=model, quiet=True, **options)
        return read_model(model)


def _tree_of_model(model: Model, features: list[int], limits: list[Floats | None]) -> Tree:
    tree, rows = model._trees["bcast"], []
    columns = (column.tolist() for column in (tree.attribute, tree.threshold, tree.low, tree.high, tree.method))
    for attribute, threshold, low, high, method in zip(*columns, strict=True):
        if low < 0:
            rows.append((-1, 0.0, -1, -1, int(model.methods[method].algorithm.removeprefix("class"))))
        else:
            greatest = limits[attribute]
            value = threshold if greatest is None else greatest[min(threshold, len(greatest) - 1)]
            rows.append((features[attribute], float(value), low, high, -1))
    return _tree(rows)


class QuadtreeClassifier(_GridClassifier):
    """The quadtree of the 2007 paper (``colltree fit quadtree``) over two features.

    Parameters
    ----------
    max_depth, accuracy_threshold, reshape : int or None, float, str
        The options of ``colltree fit quadtree``.
    most_ranges : int
        Ranges into which a feature is divided that does not hold sizes.

    Examples
    --------
    >>> QuadtreeClassifier().fit([[2, 64], [2, 65536], [4, 64], [4, 65536]], ["ring", "chain", "ring", "chain"]).predict([[3, 100]])
    array(['ring'], dtype='<U5')
    """

    _kind = "quadtree"

    def __init__(self, max_depth: int | None = None, accuracy_threshold: float = 1.0, reshape: str = "end", most_ranges: int = 32) -> None:
        self.max_depth = max_depth
        self.accuracy_threshold = accuracy_threshold
        self.reshape = reshape
        self.most_ranges = most_ranges


class OptimalTreeClassifier(_GridClassifier):
    """The tree of least penalty at its size (``colltree fit optimal``) over two features; ``statistics_["certificate"]`` is its proof.

    Parameters
    ----------
    leaves, objective, time_limit : int or "auto", str, float or None
        The options of ``colltree fit optimal``. With labels the objective ``"auto"`` is the number of errors, and ``"time"`` is the mean cost.
    most_ranges : int
        Ranges into which a feature is divided that does not hold sizes.

    Examples
    --------
    >>> OptimalTreeClassifier(leaves=2).fit([[2, 64], [2, 65536], [4, 64], [4, 65536]], [[1, 2], [9, 4], [2, 3], [9, 5]]).get_n_leaves()
    2
    """

    _kind = "optimal"

    def __init__(self, leaves: int | str = 10, objective: str = "auto", time_limit: float | None = None, most_ranges: int = 32) -> None:
        self.leaves = leaves
        self.objective = objective
        self.time_limit = time_limit
        self.most_ranges = most_ranges

    def _options(self, is_labelled: bool) -> dict[str, Any]:
        counts_errors = is_labelled and self.objective == "auto" and self.leaves != "auto"
        return super()._options(is_labelled) | ({"objective": "time"} if counts_errors else {})
