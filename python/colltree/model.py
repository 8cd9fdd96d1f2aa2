# SPDX-License-Identifier: BSD-3-Clause
"""Models: which method to use for a collective at some communicator size and message size."""

import functools
import json
import os
import re
import struct
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

from . import _cdt, drive
from ._tree import ATTRIBUTES, Decision, Indices, Integers, Tree, values_of
from .errors import Error, PathLike, read_bytes

MODEL_VERSION = 2
DEFAULT = "default"  # the library's own choice
TIE = 1e-9  # relative
Sizes: TypeAlias = int | npt.ArrayLike


class Method(NamedTuple):
    """An algorithm with its segment size in bytes: 0 is not segmented, None is ruled by the library."""

    algorithm: str
    segment_size: int | None


def methods_of(frame: pd.DataFrame) -> list[Method]:
    """Return the method of each row, by the columns algorithm and segment_size."""
    pairs = zip(frame["algorithm"], frame["segment_size"], strict=True)
    return [Method(algorithm, None if pd.isna(segment) else int(segment)) for algorithm, segment in pairs]


def with_methods(frame: pd.DataFrame, methods: Sequence[Method]) -> pd.DataFrame:
    """Return the frame with the columns algorithm and segment_size of a method for each row."""
    segments = pd.array([method.segment_size for method in methods], dtype="Int64")
    return frame.assign(algorithm=[method.algorithm for method in methods], segment_size=segments)


def effective_methods(method: Method, communicator_size: int, message_size: int) -> list[Method]:
    """Return the names under which a method may have been measured at an instance, the requested one first (docs/glossary.md).

    Examples
    --------
    >>> effective_methods(Method("binomial", 1024), 8, 64)
    [Method(algorithm='binomial', segment_size=1024), Method(algorithm='binomial', segment_size=0)]
    """
    ran = effective_method(method, communicator_size, message_size)
    return list(dict.fromkeys([method, ran, Method(re.sub(r"@radix=\d+$", "", ran.algorithm), ran.segment_size)]))


def effective_method(method: Method, communicator_size: int, message_size: int) -> Method:
    """Return the method that really runs: without segments that cut nothing, and binary where a message cannot be split in two.

    Examples
    --------
    >>> effective_method(Method("binomial", 1024), 8, 64)
    Method(algorithm='binomial', segment_size=0)
    """
    algorithm, segment = method
    if algorithm.startswith("split_binary") and (communicator_size < 3 or message_size < 2):
        algorithm = algorithm.replace("split_binary", "binary", 1)
    radix = re.search(r"radix=(\d+)", algorithm)
    if radix and int(radix[1]) >= communicator_size:
        algorithm = algorithm.replace(radix[0], f"radix={1 << max(communicator_size - 1, 1).bit_length()}")
    if segment:
        piece = message_size
        if algorithm.startswith("split_binary"):
            piece = -(-message_size // 2)
        elif algorithm.startswith("segmented_ring"):
            piece = -(-message_size // communicator_size)
        segment = 0 if segment >= piece else segment
    return Method(algorithm, segment)


def _sizes(name: str, values: Sizes) -> Integers:
    array = np.asarray(values)
    if array.size and array.dtype.kind not in "iu" and not (array.dtype == object and all(isinstance(value, int) for value in array.flat)):
        raise Error(f"{name}: expected whole numbers, got {array.dtype}; convert them with .astype(int)")
    if array.size and (array.min() < 0 or array.max() > 2**64 - 1):
        raise Error(f"{name}: expected numbers from 0 to 2**64 - 1, got {array.min()} to {array.max()}")
    return array.astype(np.uint64)


@dataclass(frozen=True, eq=False)
class Model:
    """A decision function, as ``read_model`` returns it.

    Attributes
    ----------
    path, kind, methods : Path, str, list of Method
        The file; how it was found (``"quadtree"``, ``"optimal"``, ...; ``"cdt"``: a compact decision file); what it chooses from.
    origin : dict
        The system and library of the times that it was fitted to, as far as the file says.
    statistics : dict
        Sizes and penalties of the fit; empty for a compact decision file.
    """

    path: Path
    kind: str
    methods: list[Method]
    origin: dict[str, Any]
    statistics: dict[str, Any]
    _decisions: dict[str, Decision] = field(repr=False)
    _trees: dict[str, Tree] = field(repr=False)

    @property
    def collectives(self) -> list[str]:
        """The collectives that the model decides for."""
        return list(self._decisions)

    def decide_index(self, collective: str, communicator_size: Sizes, message_size: Sizes, *, nodes: Sizes = 0, ranks_per_node: Sizes = 0) -> Indices:
        """Return the chosen methods as indices into ``methods``.

        Parameters
        ----------
        collective : str
            Its name, such as ``"bcast"``.
        communicator_size, message_size : int or array_like of int
            Ranks, and bytes as docs/glossary.md counts them. The arguments are broadcast together.
        nodes, ranks_per_node : int or array_like of int
            The placement; 0 means not known.

        Returns
        -------
        ndarray of int64
            In the shape of the arguments together.

        Examples
        --------
        >>> model.decide_index("bcast", [[4], [8]], [64, 1024]).shape
        (2, 2)
        """
        if collective not in self._decisions:
            raise Error(f"{self.path}: does not decide for {collective}; it does for {', '.join(self._decisions)}")
        arguments = {"communicator_size": communicator_size, "message_size": message_size, "nodes": nodes, "ranks_per_node": ranks_per_node}
        sizes = [_sizes(name, values) for name, values in arguments.items()]
        return np.broadcast_to(self._decisions[collective].decide(values_of(*sizes)), np.broadcast_shapes(*(size.shape for size in sizes)))

    def decide(
        self, collective: str, communicator_size: Sizes, message_size: Sizes, *, nodes: Sizes = 0, ranks_per_node: Sizes = 0
    ) -> Method | pd.DataFrame:
        """Return the chosen method, for arrays a frame with one row for each instance. The parameters are those of ``decide_index``.

        Returns
        -------
        Method or DataFrame
            A method where all arguments are single numbers. Otherwise the broadcast instances in C order: communicator_size, message_size
            (bytes), algorithm (categorical) and segment_size (bytes, 0: not segmented, missing: ruled by the library).

        Examples
        --------
        >>> model.decide("bcast", 8, 1024)
        Method(algorithm='split_binary', segment_size=0)
        >>> model.decide("bcast", 8, [64, 1024]).algorithm.tolist()
        ['linear', 'split_binary']
        """
        chosen = self.decide_index(collective, communicator_size, message_size, nodes=nodes, ranks_per_node=ranks_per_node)
        if chosen.ndim == 0:
            return self.methods[int(chosen)]
        sizes: dict[str, Sizes] = {"communicator_size": communicator_size, "message_size": message_size}
        instances = {name: np.broadcast_to(np.asarray(values), chosen.shape).ravel() for name, values in sizes.items()}
        return pd.DataFrame({**instances, **{name: column.take(chosen.ravel()) for name, column in self._columns.items()}}, copy=False)

    @functools.cached_property
    def _columns(self) -> dict[str, Any]:
        """The algorithm and the segment size of each of the methods."""
        frame = with_methods(pd.DataFrame(index=range(len(self.methods))), self.methods).astype({"algorithm": "category"})
        return {str(name): column.array for name, column in frame.items()}

    def thresholds(self, collective: str) -> dict[str, list[int]]:
        """Return the ascending thresholds of each attribute that the decisions for a collective test.

        Examples
        --------
        >>> model.thresholds("bcast")
        {'communicator_size': [2, 4], 'message_size': [765, 1715, 15394]}
        """
        decision = self._decisions[collective]
        if isinstance(decision, Tree):
            return {ATTRIBUTES[attribute]: sorted(found) for attribute, found in decision.tests().items()}
        return {ATTRIBUTES[attribute]: found.tolist() for attribute, found in zip(decision.attributes, decision.thresholds, strict=True)}

    def to_rules(self, target: str, **options: Any) -> str:
        """Return the text of a rules file for an MPI library, which ``colltree emit`` writes.

        Parameters
        ----------
        target, **options : str
            ``"openmpi-4.1"``, ``"mpich-4.2"``, ``"rules-json"``, ... (``colltree emit --help`` lists them), and options such as ``on="P.db"``.

        Examples
        --------
        >>> Path("bcast.rules").write_text(model.to_rules("openmpi-4.1"))
        """
        with tempfile.TemporaryDirectory() as folder:
            output = Path(folder) / "emitted"
            drive.run("emit", target, self.path, output=output, **options)
            return output.read_text(encoding="utf-8")

    def to_c(self, **options: Any) -> str:
        """Return the model as C99 source; ``to_c(prefix="mine")`` names its functions.

        Examples
        --------
        >>> Path("bcast.c").write_text(model.to_c())
        """
        return self.to_rules("c", **options)


def read_model(path: PathLike) -> Model:
    """Read a model (``M.json``) or a compact decision file (``F.cdt``), also as gzip.

    Examples
    --------
    >>> colltree.read_model("bcast.json").collectives
    ['bcast']
    """
    content = read_bytes(path)
    name = os.fspath(path)
    if content.startswith(_cdt.MAGIC[:4]):
        try:
            found = _cdt.read(content)
        except (ValueError, struct.error) as error:
            raise Error(f"{name}: is no compact decision file that can be used: {error}; write it again with colltree emit cdt") from None
        methods = [Method(*method) for method in found.methods]
        trees = {collective: decision for collective, decision in found.decisions.items() if isinstance(decision, Tree)}
        return Model(Path(path), "cdt", methods, found.origin, {}, found.decisions | _tables(trees), trees)
    try:
        document = json.loads(content.decode("utf-8-sig"))
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
        raise Error(f"{name}: is no JSON ({error}); a model is what colltree fit writes") from None
    if not isinstance(document, dict) or document.get("format") != "colltree-model":
        raise Error(f"{name}: is no model of colltree; a model is what colltree fit writes")
    if document.get("version") != MODEL_VERSION:
        raise Error(f"{name}: is a model of version {document.get('version')}, and this package reads {MODEL_VERSION}; update colltree")
    try:
        methods = [Method(str(method["algorithm"]), _segment(method)) for method in document["methods"]]
        trees = _trees(document["body"], len(methods))
        return Model(Path(path), str(document["kind"]), methods, dict(document["origin"]), dict(document["statistics"]), _tables(trees), trees)
    except (KeyError, TypeError, ValueError, IndexError, OverflowError, AttributeError) as error:
        what = f"has no field {error}" if isinstance(error, KeyError) else str(error)
        raise Error(f"{name}: is a damaged model: {what}; fit it again with colltree fit") from None


def _tables(trees: dict[str, Tree]) -> dict[str, Decision]:
    return {collective: tree.to_table() or tree for collective, tree in trees.items()}


def _segment(method: dict[str, Any]) -> int | None:
    segment = method.get("segment_size")
    if segment is not None and (not isinstance(segment, int) or not 0 <= segment < 2**63):
        raise ValueError(f"{segment!r} is no segment size")
    return segment


def _trees(body: dict[str, Any], methods: int) -> dict[str, Tree]:
    """Return the tree of each root of the body of a model; all share the arrays of nodes."""
    nodes = body["nodes"]
    rows = np.full((len(nodes), 5), -1, dtype=object)  # attribute, threshold, low, high, method
    for index, node in enumerate(nodes):
        is_leaf = len(node) == 1
        rows[index] = (-1, 0, -1, -1, *node) if is_leaf else (ATTRIBUTES.index(node[0]), *node[1:], -1)
        if any(type(number) is not int or number < 0 for number in (node if is_leaf else node[1:])):
            raise ValueError(f"node {index} holds something else than whole numbers")
        if is_leaf and node[0] >= methods:
            raise ValueError(f"node {index} names method {node[0]} of {methods}")
        if not is_leaf and not (index < node[2] < len(nodes) and index < node[3] < len(nodes)):
            raise ValueError(f"a child of node {index} does not come after it")
    columns: list[npt.NDArray[Any]] = [column.astype(np.uint64 if place == 1 else np.int64) for place, column in enumerate(rows.T)]
    attribute, threshold, low, high, method = columns
    tree = Tree(attribute, threshold, low, high, method, root=0)
    trees = {}
    for root in body["roots"]:
        if type(root["node"]) is not int or not 0 <= root["node"] < len(nodes):
            raise ValueError(f"the root of {root['collective']} is no node")
        trees[str(root["collective"])] = replace(tree, root=root["node"])
    return trees
