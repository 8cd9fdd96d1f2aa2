#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""schemas.py BUILD SOURCES: everything that colltree writes as JSON follows its schema in docs/reference/formats/schemas. A row of
EXAMPLES for each schema is executed; a command with --json, a schema or a name of a schema in the sources without a row fails, and so
does a schema that accepts a document with an unknown or without a required field (a sample of them)."""
import importlib.util
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import sample
from commands import kinds

try:
    import jsonschema
except ImportError:
    print("skipped: no python3-jsonschema")
    sys.exit(77)

BUILD, SOURCES = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
KINDS = kinds(str(BUILD / "colltree"))
SCHEMAS = {file.stem: json.loads(file.read_text(encoding="utf-8")) for file in sorted((SOURCES / "docs/reference/formats/schemas").glob("*.json"))}
BY_ID = {schema["$id"]: schema for schema in SCHEMAS.values()}
GRIG = "--platform grig --grid tiny --collective bcast"
JOB = "--launcher 'mpirun.openmpi --oversubscribe --mca btl vader,self -np {ranks}' --mpi openmpi"
SMALL = "--communicator-sizes 2 --message-sizes 1K --samples 1..2 --cell-budget 1 --foreign-load 0"
TO_VERIFY = "--collective bcast --communicator-sizes 2 --message-sizes 1K --rounds 5 --samples 2"
PROGRAM = f"mpirun.openmpi --oversubscribe --mca btl vader,self -n 2 {BUILD}/tests/runtime_programs/many_calls_openmpi 2 64"
# What a row needs: the simulator, Open MPI, pandas; "" nothing. Then the schema and the command; STUDY: one of the Python package; "FILE: "
# before it: the file that it writes is the document. Rows are executed in this order and use the files of earlier ones; a row without a schema only makes a file.
EXAMPLES = [
    ("", "", "import SOURCES/tests/campaign/grig_tiny-3.32.csv -o grig.db"),
    ("", "kit", "measure kit --communicator-sizes 2..4 --message-sizes 1..1K:x4 -o kit.tar.gz --json"),
    ("", "methods", "measure methods --json"),
    ("", "library-methods", "measure methods --source mpich --json"),
    ("", "fit", "fit optimal grig.db --collective bcast --parameters leaves=auto -o bcast.json --json"),
    *(("", "fit", f"fit {kind} grig.db --collective bcast,reduce -o {kind}.json --json") for kind in KINDS),
    ("", "", "fit quadtree grig.db --collective bcast,reduce --parameters max_depth=3 -o both.json"),
    ("pandas", "", "STUDY smooth both.json --on grig.db --within 10% -o smooth.json"),
    ("", "model", "FILE: bcast.json"),
    *(("", "model", f"FILE: {kind}.json") for kind in KINDS),
    ("pandas", "model", "FILE: smooth.json"),
    *(("", "model", f"FILE: {file}") for file in sorted((SOURCES / "tests/data/models").glob("*.json"))),
    ("", "", "emit rules-json bcast.json -o rules-json.json"),
    ("", "rules-json", "FILE: rules-json.json"),
    ("", "", "emit mpich-4.1 both.json -o bcast.mpich"),
    ("", "rules", "show bcast.mpich --json"),
    ("", "rules", "show rules-json.json --json"),
    ("", "check", "check bcast.mpich --on grig.db --json"),
    ("", "profile", "show grig.db --json"),
    ("", "maps", "show grig.db --map --json"),
    ("", "record", "show SOURCES/tests/fuzz/corpus/record/small --on grig.db --json"),
    ("", "record", "show SOURCES/tests/fuzz/corpus/record/sites --json"),
    ("", "explain", "explain bcast 8 1024 --model bcast.json --json"),
    ("", "report", "report grig.db --fit optimal:leaves=32 --json"),
    ("", "evaluate", "evaluate bcast.json --on grig.db --held-out communicator_sizes --json"),
    ("", "compare", "evaluate compare grig.db --collective bcast --fit 'quadtree; optimal:leaves=2' --json"),
    ("", "compare-models", "evaluate compare grig.db bcast.json --json"),
    ("pandas", "cliffs", "STUDY cliffs bcast.json --on grig.db --factor 1 --json"),
    ("pandas", "guidelines", "STUDY guidelines grig.db bcast.json --json"),
    ("pandas", "portfolio", "STUDY portfolio grig.db --collective bcast --json"),
    ("simulator", "measure", f"measure {GRIG} --budget 40cells --jobs 1 -o adaptive.db --json"),
    ("simulator", "compare", "evaluate compare grig.db --on adaptive.db --collective bcast --fit quadtree --held-out none --json"),
    ("simulator", "side-by-side", "evaluate compare grig.db adaptive.db --collective bcast --json"),
    ("simulator", "profile", "show adaptive.db --json"),
    ("simulator", "maps", "show adaptive.db --map --json"),
    ("simulator", "network", "show adaptive.db --parameters --json"),
    ("simulator", "report", "report adaptive.db --fit optimal:leaves=32 --on grig.db --json"),
    ("simulator+pandas", "guidelines", "STUDY guidelines adaptive.db --json"),
    ("simulator", "tune", f"tune {GRIG} --methods linear,binomial --communicator-sizes 2..4 -o tuned --json"),
    ("simulator", "tune-estimate", f"tune {GRIG} --budget 10s -o none --dry-run --json"),
    ("simulator", "report-line", "LINES: SIMULATE"),
    ("openmpi", "tune-both", f"tune {JOB} {SMALL} --collective bcast --source portable,openmpi --segment-sizes 0 --sessions 0 -o sources --json"),
    ("openmpi", "measure", f"measure {JOB} {SMALL} --collective bcast --source portable,openmpi --segment-sizes 0 -o sources.db --json"),
    ("openmpi", "", "emit openmpi-4.1 both.json -o bcast.rules"),
    ("openmpi", "", "emit cdt bcast.json -o bcast.cdt"),
    ("openmpi", "verify", f"verify --rules bcast.rules {JOB} {TO_VERIFY} --json"),
    ("openmpi", "doctor", f"verify doctor --model bcast.cdt {JOB} --collective bcast --communicator-sizes 2 --message-sizes 1K --time-limit 1 --json"),
    ("openmpi", "program", f"verify program --a 'X=1 {PROGRAM}' --b 'X=2 {PROGRAM}' --budget 1s --json"),
    ("openmpi", "check", f"check bcast.rules --for openmpi-4.1 --live {JOB} --communicator-sizes 2 --json"),
    ("c45", "c45", "C45 -f toy -u --json"),
]


def find_program(name):
    """The program of this build."""
    return BUILD / name


def features():
    """What rows can need and this build has."""
    said = subprocess.run([find_program("colltree"), "--version"], check=True, stdout=subprocess.PIPE, text=True).stdout
    found = {"", *(name for name, word in {"simulator": "simulates", "openmpi": "openmpi"}.items() if word in said)}
    found |= {"pandas"} if importlib.util.find_spec("pandas") and importlib.util.find_spec("matplotlib") else set()
    return found | ({"c45"} if find_program("colltree-c45").exists() else set())


def run_line(line, folder):
    """The standard output and error of a row, and its exit code."""
    program = find_program("colltree")
    if line == "LINES: SIMULATE":
        (folder / "plan").write_text("colltree-plan 2\nsource portable\nstop 1 1 0 0.95 0 0 0\nbcast 4 1024 binomial 0\nbcast 1 1 dual_tree 0\nend\n")
        line = f"{find_program('colltree-simulate')} {SOURCES}/platforms/grig.xml plan 1"
    elif line.startswith("C45"):
        (folder / "toy.names").write_text("a, b.\nsize: continuous.\nkind: x, y, z.\n")
        cases = "".join(f"{size}, {'xyz'[size % 3]}, {'ab'[size % 3 == 1 or size > 20]}\n" for size in range(30))
        for ending in (".data", ".test"):
            (folder / f"toy{ending}").write_text(cases)
        line = f"{find_program('colltree-c45')}{line[3:]}"
    elif line.startswith("STUDY"):
        line = f"{sys.executable} -m colltree.study{line[5:]}"
    else:
        line = f"{program} {line.replace('SOURCES', str(SOURCES))}"
    python = {"COLLTREE_PROGRAM": str(program), "PYTHONPATH": str(SOURCES / "python"), "PYTHONDONTWRITEBYTECODE": "1"}
    environment = {**os.environ, **python, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_mpi_yield_when_idle": "1"}
    ended = subprocess.run(["bash", "-c", line], cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    return ended.stdout, ended.stderr, ended.returncode


def documents_of(line, folder):
    """The JSON documents of a row: those of a list each."""
    if line.startswith("FILE: "):
        text = (folder / line[6:]).read_text(encoding="utf-8")
    else:
        text, error, _ = run_line(line, folder)
        if not text:
            sys.exit(f"schemas.py: no JSON of {line}: {error}")
    if line.startswith("LINES: "):
        return [json.loads(row.removeprefix("@colltree ")) for row in text.splitlines() if row.startswith("@colltree ")]
    found = json.loads(text)
    return found if isinstance(found, list) else [found]


def validator(name):
    schema = SCHEMAS[name]
    try:
        from referencing import Registry, Resource  # of jsonschema 4.18 and later, whose RefResolver is no longer complete
    except ImportError:
        return jsonschema.Draft202012Validator(schema, resolver=jsonschema.RefResolver(schema["$id"], schema, store=BY_ID))
    registry = Registry().with_resources([(identity, Resource.from_contents(one)) for identity, one in BY_ID.items()])
    return jsonschema.Draft202012Validator(schema, registry=registry)


def is_closed(schema):
    return schema.get("additionalProperties") is False or schema.get("unevaluatedProperties") is False or "oneOf" in schema


def spoilt(document, schema):
    """The document with mistakes that a schema must notice: a field more, and each required field missing."""
    if is_closed(schema):
        yield "a field that it does not know", {**document, "an_unknown_field": []}
    for field in schema.get("required", []):
        yield f"no {field}", {name: value for name, value in document.items() if name != field}
    for field in document:
        if field not in ("options", "detail", "rules"):
            yield f"another kind of {field}", {**document, field: {"neither": "kind"} if not isinstance(document[field], dict) else 7}


def faults_of(name, line, documents):
    found = validator(name)
    for document in documents:
        for error in found.iter_errors(document):
            inner = "; ".join(one.message[:200] for one in error.context or [])
            yield f"{name}.json refuses {line}: {'/'.join(map(str, error.absolute_path))}: {error.message[:300]} {inner}"
    if documents and found.is_valid(documents[0]):
        for what, document in sample.sampled(spoilt(documents[0], SCHEMAS[name])):
            if found.is_valid(document):
                yield f"{name}.json accepts {what} in {line}"


def faults_of_sources():
    """What has no row: a schema, a schema that a source names, a command with --json."""
    rows = {name for _, name, _ in EXAMPLES}
    yield from (f"no row for {name}.json" for name in SCHEMAS if name not in rows | {"common"})
    yield from (f"no schema {name}" for name in rows - {""} if name not in SCHEMAS)
    for file in sorted([*(SOURCES / "libs").rglob("*.cpp"), *(SOURCES / "tool").rglob("*.cpp")]):
        text = file.read_text(encoding="utf-8")
        for name in re.findall(r'"colltree/([\w-]+)/\d+"', text):
            if f"colltree/{name}/" not in json.dumps(SCHEMAS.get(name, {})):
                yield f"{file.relative_to(SOURCES)}: colltree/{name} has no schema of this version"
        if file.parent.name == "cli" and re.search(r"(?<!data)\.dump\(", text) and "void print_results" not in text:
            yield f"{file.relative_to(SOURCES)}: prints JSON without print_results, so without the name of its schema"
    commands = re.findall(r"^COLLTREE_(?:SUB)?COMMAND\((?:\"[^\"]*\"|(\w+)),\s*(\w+)", (SOURCES / "tool/cli/commands.def").read_text(), re.MULTILINE)
    for words in ([word for word in command if word] for command in commands):
        said = subprocess.run([find_program("colltree"), *words, "--help"], stdout=subprocess.PIPE, text=True).stdout
        line = " ".join(words)
        if re.search(r"^ *--json", said, re.MULTILINE) and not any(row[2].startswith(line + " ") and "--json" in row[2] for row in EXAMPLES):
            yield f"{line} --json has no row"


def main():
    faults = list(faults_of_sources())
    for name, schema in SCHEMAS.items():
        jsonschema.Draft202012Validator.check_schema(schema)
        faults += [f"{name}.json has no {field}" for field in ("$schema", "$id", "title", "description") if field not in schema]
    here = features()
    skipped = sorted({word for need, _, _ in EXAMPLES for word in need.split("+")} - here)
    done = 0
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        for need, name, line in EXAMPLES:
            if not set(need.split("+")) <= here:
                continue
            if not name:
                _, error, code = run_line(line, folder)
                faults += [f"{line}: {error}"] if code else []
                continue
            faults += faults_of(name, line, documents_of(line, folder))
            done += 1
    print("\n".join(faults))
    print(f"{'bad' if faults else 'ok'}: {done} documents of {len(SCHEMAS) - 1} schemas" + (f"; not there: {', '.join(skipped)}" if skipped else ""))
    return 1 if faults else 0


sys.exit(main())
