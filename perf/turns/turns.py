#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""turns.py segments BEFORE AFTER [PAIRS]: bcast and reduce by segments of 1 KiB under the runtime libraries of two builds, at 2 to 5 ranks.
turns.py rules BUILD [PAIRS]: small calls that rules leave to the library, without rules and under files of 0, 10, 100 and 1000 of them, at
2 ranks; and, by valgrind, the instructions of such a bcast. Both under Open MPI and MPICH, each variant once in every pair, in
turn. Prints the median of all pairs: the time of the first variant, and what the others take over it.
turns.py node BUILD [RANKS [JOBS [SETTING...]]]: our rows in shared memory beside the library's own choice, in turns in one job (node.c), under
each of the library's settings for a node, or those named ("mpich plain"). Prints the medians of JOBS jobs and, for the fastest of our methods
in each cell, the geometric mean of the ratios up to 32 KiB and the ratios above 1.05. The libraries are those that mpicc.FLAVOUR and mpirun.FLAVOUR lead to, and BUILD is built with them:
    tools/live_libraries.sh build/live bash -c 'cmake --preset release -B build/wheels && ninja -C build/wheels'
    tools/live_libraries.sh build/live perf/turns/turns.py node build/wheels 2 3 "mpich release_gather"
turns.py deployed BUILD [RANKS [JOBS [BUDGET]]]: tunes our own algorithms, then loops like those of OSU, a stencil and CG (a step of it; tests/runtime/steps.c) plain and
under the model."""
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ENVIRONMENT = {"OMPI_MCA_mpi_yield_when_idle": "1", **os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
LAUNCH = {"openmpi": "mpirun.openmpi --oversubscribe --mca btl vader,self -n {}", "mpich": "mpirun.mpich -n {}"}
FORMATS = {"openmpi": "openmpi-4.1", "mpich": "mpich-4.0"}


def command(flavour, ranks, settings):
    words = LAUNCH[flavour].format(ranks).split()
    for name, value in settings.items():
        words += ["-x", f"{name}={value}"] if flavour == "openmpi" else ["-genv", name, value]
    return words


def output(words):
    return subprocess.run(words, env=ENVIRONMENT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, check=True).stdout


def times(program, collectives, sizes):
    """Of a job that a command starts, by collective and bytes."""
    return lambda words: {(line.split()[0], int(line.split()[1])): float(line.split()[2])
                          for line in output([*words, program, collectives, *map(str, sizes)]).splitlines()}


def in_turns(title, flavour, ranks, variants, measure, pairs):
    """`variants`: name -> settings; the first is what the others are compared with. `measure`: a command's times in ns, by (name, bytes)."""
    found = {name: [] for name in variants}
    for pair in range(pairs):
        for name in sorted(variants, reverse=pair % 2 == 1):
            found[name].append(measure(command(flavour, ranks, variants[name])))
    first, *others = variants
    for cell in found[first][0]:
        row = f"{title} {flavour} {ranks} ranks, {cell[0]} {cell[1]} B: {first} {statistics.median(one[cell] for one in found[first]):.0f} ns"
        for name in others:
            more = statistics.median(a[cell] - b[cell] for a, b in zip(found[name], found[first]))
            ratio = statistics.median(a[cell] / b[cell] for a, b in zip(found[name], found[first]))
            row += f"; {name} {more:+.0f} ns, x {ratio:.2f}"
        print(row, flush=True)


def compiled(name, flavour, folder):
    program = f"{folder}/{name}_{flavour}"
    source = next(path for path in (HERE / f"{name}.c", HERE / f"../../tests/runtime/{name}.c") if path.exists())
    subprocess.run([f"mpicc.{flavour}", "-O2", str(source), "-o", program], check=True)
    return program


def segments(folder, before, after, pairs=9):
    for flavour in LAUNCH:
        for ranks in (2, 3, 4, 5):
            for method in ("binomial/1K", "pipeline/1K"):
                variants = {name: {"COLLTREE_FORCE": f"bcast={method},reduce={method}", "LD_PRELOAD": os.path.abspath(f"{build}/libcolltree-{flavour}.so")}
                            for name, build in (("after", after), ("before", before))}
                in_turns(method, flavour, ranks, dict(sorted(variants.items(), reverse=True)), times(compiled("calls", flavour, folder), "bcast,reduce", (8192, 65536, 1048576)), int(pairs))


def model(rules):
    """Bcast: a rule for each size from 17 bytes on, with two methods in turn; below and behind them the library's own choice."""
    body = [["message_size", 16 + i, 2 * i + 1, 2 * i + 2] if part == 0 else [1 + i % 2 if i > 0 else 0] for i in range(rules) for part in (0, 1)]
    if rules > 0:  # behind the last one
        body += [["message_size", 16 + rules, 2 * rules + 1, 2 * rules + 2], [1 + rules % 2]]
    body.append([0])
    methods = [{"algorithm": "default"}, {"algorithm": "basic_linear"}, {"algorithm": "binomial"}]
    return methods, {"roots": [{"collective": "bcast", "node": 0}], "nodes": body}


def rules_files(colltree, flavour, folder):
    """By variant, the settings that load a file of rules, as colltree writes it."""
    variants = {"plain": {}}
    for count in (0, 10, 100, 1000):
        methods, body = model(count)
        if flavour == "mpich":
            methods[1]["algorithm"] = "scatter_recursive_doubling_allgather"
        origin = {"system": "turns", "provenance": "measured", "collectives": ["bcast"], "instances": 1, "timings": "0", "algorithms": flavour}
        text = {"format": "colltree-model", "version": 2, "kind": "rules", "origin": origin, "methods": methods, "parameters": {}, "statistics": {}, "body": body}
        path = f"{folder}/{flavour}-{count}"
        pathlib.Path(path + ".json").write_text(json.dumps(text))
        subprocess.run([colltree, "emit", FORMATS[flavour], path + ".json", "-o", path + ".rules"], check=True, stdout=subprocess.DEVNULL)
        settings = {"OMPI_MCA_coll_tuned_use_dynamic_rules": "1", "OMPI_MCA_coll_tuned_dynamic_rules_filename": path + ".rules"} \
            if flavour == "openmpi" else {"MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE": path + ".rules"}
        if os.path.exists(path + ".rules.device"):
            settings.update({"MPIR_CVAR_DEVICE_COLLECTIVES": "percoll", "MPIR_CVAR_CH4_COLL_SELECTION_TUNING_JSON_FILE": path + ".rules.device"})
        variants[f"{count} rules"] = settings
    return variants


def fewest_instructions(settings, flavour, program, folder, size, calls):
    """Of all calls, at the root, which waits for nobody: the fewest of two jobs, as a wait for a full queue adds some."""
    fewest = []
    for _ in range(2):
        out = f"{folder}/callgrind"
        words = [*command(flavour, 2, settings), "valgrind", "--tool=callgrind", "--toggle-collect=PMPI_Bcast", f"--callgrind-out-file={out}.%p"]
        subprocess.run([*words, program, f"bcast={calls}", str(size)], env=ENVIRONMENT, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, check=True)
        for path in pathlib.Path(folder).glob("callgrind.*"):
            fewest.append(int(re.search(r"^(?:summary|totals): (\d+)", path.read_text(), re.M)[1]))
            path.unlink()
    return min(fewest)


def instructions(*job):
    """Of one call, without what only the first one does."""
    few, many = 10, 60
    return (fewest_instructions(*job, many) - fewest_instructions(*job, few)) / (many - few)


def rules(folder, build, pairs=15):
    for flavour in LAUNCH:
        variants = rules_files(f"{build}/colltree", flavour, folder)
        program = compiled("calls", flavour, folder)
        for name, settings in variants.items():
            counts = [f"{instructions(settings, flavour, program, folder, size):.0f} at {size} B" for size in (8, 2048)]
            print(f"rules {flavour} bcast, {name}: instructions {', '.join(counts)}", flush=True)
        in_turns("rules", flavour, 2, variants, times(program, "bcast,allreduce,alltoall,barrier", (8, 2048)), int(pairs))


NODE_ROWS = ("barrier", "bcast", "reduce", "allreduce")
# What a version does not know it ignores.
NODE_SETTINGS = {
    "openmpi": {"plain": {}, "polling": {"OMPI_MCA_mpi_yield_when_idle": "0"}, "coll/sm": {"OMPI_MCA_coll_sm_priority": "100"}},
    "mpich": {"plain": {}, **{name: {f"MPIR_CVAR_{row.upper()}_POSIX_INTRA_ALGORITHM": name for row in NODE_ROWS} for name in ("release_gather", "mpir")}},
}
NODE_BYTES = [8 << (2 * i) for i in range(9)] + [4 << 20]  # each third one of more than two ranks


def node_job(words, program, rows, sizes):
    """Of a job: (where the two cores lay, collective, bytes) -> the time of a cache line, of the library, ours and their ratio."""
    lines = [line.split() for line in output([*words, program, ",".join(rows), *map(str, sizes)]).splitlines()]
    return {("near" if float(fields[2]) < 60 else "far", *fields[:2]): [float(value) for value in fields[2:]] for fields in lines if len(fields) > 2}, lines[-1]


def node_cells(flavour, ranks, jobs, settings, program, title):
    """By cell, the method of ours that a campaign would choose, and the medians of its jobs."""
    found = {}
    sizes = NODE_BYTES if int(ranks) == 2 else NODE_BYTES[::3]
    for _ in range(int(jobs)):
        for method, rows, least in (("shared_memory", NODE_ROWS, 0), ("shared_memory_direct", NODE_ROWS[1:], 8192), ("shared_memory_tree", NODE_ROWS, 0))[:2 if int(ranks) == 2 else 3]:
            forced = {"COLLTREE_FORCE": ",".join(f"{row}={method}" for row in rows)}
            cells, limit = node_job(command(flavour, ranks, {**settings, **forced}), program, rows, [size for size in sizes if size >= least])
            for cell, values in cells.items():
                found.setdefault(cell, {}).setdefault(method, []).append(values)
        print(f"{title}: {' '.join(limit)} GB/s", flush=True)
    for cell, methods in found.items():
        medians = {method: [statistics.median(values) for values in zip(*several)] for method, several in methods.items()}
        for method, values in medians.items():
            print(f"{title}: {' '.join(cell)} {method} {' '.join(f'{value:g}' for value in values)}", flush=True)
        found[cell] = min(medians.items(), key=lambda one: one[1][-1])
    return dict(sorted(found.items(), key=lambda item: item[0][0]))


def node(folder, build, ranks=2, jobs=5, *wanted):
    for flavour, variants in NODE_SETTINGS.items():
        version = re.search(r"\d+(\.\d+)+", output([f"mpirun.{flavour}", "--version"]))[0]
        for variant, settings in variants.items():
            if wanted and f"{flavour} {variant}" not in wanted:
                continue
            title = f"node {flavour} {version} {variant}, {ranks} ranks"
            loaded = {"LD_PRELOAD": os.path.abspath(f"{build}/libcolltree-{flavour}.so"), **settings}
            cells = node_cells(flavour, ranks, jobs, loaded, compiled("node", flavour, folder), title)
            for place in sorted({place for place, *_ in cells}):
                for row in (*NODE_ROWS, ""):
                    of_row = {cell[1:] for cell in cells if row in ("", cell[1]) and int(cell[2]) <= 32 << 10}
                    small = [cells[place, *cell][1][-1] for cell in of_row if (place, *cell) in cells]
                    if len(small) == len(of_row):
                        print(f"{title}: {place}, {row or 'all'} up to 32 KiB: {statistics.geometric_mean(small):.3f} of the library's time, the largest {max(small):.3f}", flush=True)
                slower = [f"{' '.join(cell[1:])} {method} {values[-1]:.2f}" for cell, (method, values) in cells.items() if cell[0] == place and values[-1] > 1.05]
                print(f"{title}: {place}, above 1.05: {', '.join(slower) or 'none'}", flush=True)


def deployed(folder, build, ranks=2, jobs=15, budget="60s"):
    for flavour in LAUNCH:
        launcher = LAUNCH[flavour].format("{ranks}")
        subprocess.run([f"{build}/colltree", "tune", "--source", "portable", "--mpi", flavour, "--launcher", launcher, "--collective", ",".join(NODE_ROWS),
                        "--communicator-sizes", str(ranks), "--message-sizes", "8..4M:x4", "--budget", budget, "-o", f"{folder}/{flavour}"],
                       env=ENVIRONMENT, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
        loaded = {"LD_PRELOAD": os.path.abspath(f"{build}/libcolltree-{flavour}.so"), "COLLTREE_MODEL": f"{folder}/{flavour}/tuned.cdt"}
        variants = {"plain": {}, "tuned": loaded}
        in_turns("deployed", flavour, ranks, variants, times(compiled("calls", flavour, folder), ",".join(NODE_ROWS), (8, 512, 32768, 1048576)), int(jobs))
        steps = 20000
        for pattern in ("stencil", "cg"):
            words = [compiled("steps", flavour, folder), pattern, str(steps), "0", "0"]
            in_turns("deployed", flavour, ranks, variants, lambda start, words=words, pattern=pattern: {(pattern, 0): float(output([*start, *words]).split()[0]) * 1000 / steps}, int(jobs))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        {"segments": segments, "rules": rules, "node": node, "deployed": deployed}[sys.argv[1]](scratch, *sys.argv[2:])
