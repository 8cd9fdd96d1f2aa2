# SPDX-License-Identifier: BSD-3-Clause
"""Models decide as the tool does at every telling instance, and damaged ones are refused."""

import itertools
import json
from pathlib import Path

import numpy as np
import pytest
from conftest import MODELS, Tool

import colltree
from colltree import _cdt
from colltree._tree import ATTRIBUTES, values_of

MOST_ASKED = 25  # instances of a model that the tool is asked for one by one


def telling_values(model: colltree.Model, collective: str) -> dict[str, list[int]]:
    """Every threshold of each attribute with its neighbours, and the ends."""
    thresholds = model.thresholds(collective)
    ends = {"communicator_size": [1, 2**31 - 1], "message_size": [0, 2**40], "nodes": [0, 5000], "ranks_per_node": [0, 200]}
    values = {}
    for name, end in ends.items():
        near = [threshold + step for threshold in thresholds.get(name, []) for step in (-1, 0, 1)]
        extra = [4, 5, 6, 7, 8] if name in ("communicator_size", "message_size") else []
        values[name] = sorted(value for value in {*near, *end, *extra} if end[0] <= value <= end[1])
    return values


def instances(model: colltree.Model, collective: str) -> np.ndarray:
    """All combinations of telling values, shape (instances, 4)."""
    values = telling_values(model, collective)
    used = [values[name] if name in ("communicator_size", "message_size") or name in model.thresholds(collective) else [0] for name in values]
    return np.array(list(itertools.product(*used)))


def walk(document: dict, collective: str, instance: dict[str, int]) -> int:
    """The reference: one instance down the tree of the file, as docs/reference/formats/model.md describes it."""
    size = instance["communicator_size"]
    values = {
        **instance,
        "communicator_size_is_power_of_two": int(size & (size - 1) == 0),
        "message_size_is_even": 1 - instance["message_size"] % 2,
    }
    node = next(root["node"] for root in document["body"]["roots"] if root["collective"] == collective)
    while len(document["body"]["nodes"][node]) > 1:
        attribute, threshold, low, high = document["body"]["nodes"][node]
        node = low if values[attribute] <= threshold else high
    return document["body"]["nodes"][node][0]


@pytest.fixture(scope="session")
def fitted(tool: Tool, grig: Path, optimal: Path) -> list[Path]:
    """Trees that were fitted to the stored times."""
    tool("fit", "quadtree", grig, "--collective", "bcast,reduce,alltoall", "-o", "octree.json")
    tool("fit", "c45", grig, "--collective", "bcast", "--parameters", "power_of_two=true,parity=true", "-o", "c45.json")
    tool("fit", "kdtree", grig, "--collective", "reduce", "-o", "kdtree.json")
    return [optimal, *(tool.folder / name for name in ("octree.json", "c45.json", "kdtree.json"))]


def test_every_telling_instance(fitted: list[Path]) -> None:
    compared = 0
    for path in [*MODELS, *fitted]:
        model, document = colltree.read_model(path), json.loads(path.read_text())
        for collective in model.collectives:
            at = instances(model, collective)
            expected = [walk(document, collective, dict(zip(ATTRIBUTES[:4], map(int, row), strict=True))) for row in at]
            index = model.decide_index(collective, at[:, 0], at[:, 1], nodes=at[:, 2], ranks_per_node=at[:, 3])
            assert index.tolist() == expected, (path, collective)
            walked = model._trees[collective].decide(values_of(*at.T.astype(np.uint64)))
            assert walked.tolist() == expected, (path, collective)
            compared += len(at)
    assert compared > 2000


def test_as_the_tool_decides(tool: Tool, fitted: list[Path]) -> None:
    for number, path in enumerate([*MODELS, *fitted]):
        model = colltree.read_model(path)
        collective = model.collectives[number % len(model.collectives)]
        at = instances(model, collective)
        for row in np.random.default_rng(number).permutation(at)[:MOST_ASKED]:
            placed = [f"--{name}={value}" for name, value in (("nodes", row[2]), ("ranks-per-node", row[3])) if value]
            answer = json.loads(tool("explain", collective, row[0], row[1], "--model", path, "--json", *placed))
            expected = (answer["algorithm"], answer.get("segment_size"))
            assert model.decide(collective, int(row[0]), int(row[1]), nodes=int(row[2]), ranks_per_node=int(row[3])) == expected, (path, row)


@pytest.mark.parametrize("form", ["cdt", "tree", "table"])
def test_compact_files_decide_alike(tool: Tool, fitted: list[Path], form: str) -> None:
    for path in [*MODELS, *fitted]:
        model = colltree.read_model(path)
        tool("emit", form, path, "-o", "compact.cdt")
        compact = colltree.read_model(tool.folder / "compact.cdt")
        assert compact.collectives == [one for one in compact.collectives if one in model.collectives] and compact.kind == "cdt"
        for collective in model.collectives:
            at = instances(model, collective)
            arguments = {"nodes": at[:, 2], "ranks_per_node": at[:, 3]}
            one = [compact.methods[i] for i in compact.decide_index(collective, at[:, 0], at[:, 1], **arguments)]
            assert one == [model.methods[i] for i in model.decide_index(collective, at[:, 0], at[:, 1], **arguments)], (path, collective)


def test_shapes(optimal: Path) -> None:
    model = colltree.read_model(optimal)
    assert isinstance(model.decide("bcast", 8, 1024), colltree.Method)
    frame = model.decide("bcast", [[2], [8]], [1, 1024, 32768])
    assert frame["communicator_size"].tolist() == [2, 2, 2, 8, 8, 8] and frame["message_size"].tolist() == [1, 1024, 32768] * 2
    each = [model.decide("bcast", ranks, size) for ranks in (2, 8) for size in (1, 1024, 32768)]
    assert list(zip(frame["algorithm"], frame["segment_size"], strict=True)) == each
    assert model.decide_index("bcast", np.ones((3, 1), int), np.ones((1, 4), int), nodes=np.ones(4, int)).shape == (3, 4)
    assert model.decide("bcast", [], []).empty
    assert model.decide("bcast", 2**64 - 1, 2**64 - 1).algorithm == "pipeline"


def test_what_is_no_instance(optimal: Path) -> None:
    model = colltree.read_model(optimal)
    with pytest.raises(colltree.Error, match="optimal.json: does not decide for scan; it does for bcast"):
        model.decide("scan", 8, 8)
    with pytest.raises(colltree.Error, match="message_size: expected numbers from 0"):
        model.decide("bcast", 8, [-1, 5])
    with pytest.raises(colltree.Error, match="communicator_size: expected whole numbers, got float64"):
        model.decide("bcast", 8.5, 5)


def test_damaged_models_are_refused(optimal: Path, tmp_path: Path) -> None:
    document = json.loads(optimal.read_text())
    nodes = len(document["body"]["nodes"])
    bad = tmp_path / "bad.json"

    def refused(content: object) -> str:
        bad.write_text(content if isinstance(content, str) else json.dumps(content))
        with pytest.raises(colltree.Error) as raised:
            colltree.read_model(bad)
        assert str(raised.value).startswith(f"{bad}: ") and "\n" not in str(raised.value)
        return str(raised.value)

    def changed(node: list[object]) -> dict:
        return {**document, "body": {**document["body"], "nodes": [node, *document["body"]["nodes"][1:]]}}

    assert "is a model of version 3, and this package reads 2; update colltree" in refused({**document, "version": 3})
    assert "is no model of colltree" in refused({"format": "x"})
    assert "is no JSON" in refused("system,mpi")
    assert "does not come after it" in refused(changed(["message_size", 5, 0, 1]))
    assert "does not come after it" in refused(changed(["message_size", 5, 1, nodes]))
    assert "names method" in refused(changed([len(document["methods"])]))
    assert "whole numbers" in refused(changed(["message_size", 5.5, 1, 2]))
    assert "damaged model" in refused(changed(["colour", 5, 1, 2]))
    assert "has no field 'methods'" in refused({key: value for key, value in document.items() if key != "methods"})


def test_damaged_compact_files_are_refused(tool: Tool, optimal: Path, tmp_path: Path) -> None:
    for form in ("tree", "table"):
        tool("emit", form, optimal, "-o", "whole.cdt")
        whole = (tool.folder / "whole.cdt").read_bytes()
        bad = tmp_path / "bad.cdt"
        for at in range(8, len(whole)):
            # The checksum is made right, so that what is behind it is checked too; whatever is accepted must decide.
            content = bytearray(whole)
            content[at] ^= 0xFF
            if at >= 24:
                content[16:24] = _cdt._checksum(bytes(content[24:])).to_bytes(8, "little")
            bad.write_bytes(content)
            try:
                model = colltree.read_model(bad)
                for collective in model.collectives:
                    model.decide(collective, [1, 2, 3, 9], [0, 900, 1716, 10**6])
            except colltree.Error as error:
                assert "bad.cdt" in str(error)
            else:
                assert at >= 24
        bad.write_bytes(whole[:-1])
        with pytest.raises(colltree.Error, match="bytes instead of"):
            colltree.read_model(bad)


def test_rules_and_c(tool: Tool, optimal: Path) -> None:
    model = colltree.read_model(optimal)
    tool("emit", "c", optimal, "-o", "optimal.c", "--prefix", "mine")
    assert model.to_c(prefix="mine") == (tool.folder / "optimal.c").read_text()
    tool("emit", "openmpi-4.1", optimal, "-o", "optimal.rules")
    assert model.to_rules("openmpi-4.1") == (tool.folder / "optimal.rules").read_text()
    assert colltree.check_rules(tool.folder / "optimal.rules").attrs["for"] == "openmpi-4.1"
    with pytest.raises(colltree.Error, match="unknown target 'nothing'"):
        model.to_rules("nothing")
