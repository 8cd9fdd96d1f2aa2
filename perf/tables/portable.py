# SPDX-License-Identifier: BSD-3-Clause
"""Our portable algorithms beside the MPI library's own of the same schedule: time ours / time theirs.

    cmake --preset release -DCOLLTREE_PERF=ON && cmake --build --preset release
    perf/tables/make.py portable build/release [--only bcast,gather] [--systems openmpi:2,mpich:2,smpi:16]

Real systems (openmpi:RANKS, mpich:RANKS): both run in turns in one job (side_by_side.cpp). A ratio
is that of the lower quartiles over the rounds' medians: what others take of the machine only adds.
Simulated ones (smpi:RANKS, on --platform): SimGrid's own collectives, each chosen by its control
variable. It does not charge their copies, so ours cost nothing either; the simulator repeats itself
exactly. Prints one table: a row for each algorithm, for each system the ratios of a small, a medium
and a large message, "-" where there is nothing to compare (--verbose says why: the library has no
such algorithm, or one of the two is another one there). Ratios above --mark are starred.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

# collective, ours, Open MPI's, MPICH's, SMPI's. "/BYTES": the segment size of both; SMPI's take none.
# Behind "+" what SMPI's calls in turn.
PAIRS = """
allgather ring ring ring ring
allgather recursive_doubling recursive_doubling recursive_doubling rdb
allgather bruck bruck brucks bruck
allgather neighbor_exchange neighbor - ompi_neighborexchange
allgather gather_bcast linear - GB+gather=ompi_binomial+bcast=binomial_tree
allgatherv ring ring ring ring
allgatherv recursive_doubling - recursive_doubling mpich_rdb
allgatherv bruck bruck brucks ompi_bruck
allgatherv neighbor_exchange neighbor - ompi_neighborexchange
allgatherv gather_bcast basic_default - -
allreduce reduce_bcast/0 nonoverlapping - redbcast+reduce=binomial+bcast=binomial_tree
allreduce recursive_doubling recursive_doubling recursive_doubling rdb
allreduce ring ring - lr
allreduce segmented_ring/8192 segmented_ring - -
allreduce rabenseifner rabenseifner reduce_scatter_allgather rab_rdb
alltoall linear linear scattered basic_linear
alltoall linear@requests=4 linear_sync@requests=4 scattered@requests=4 -
alltoall ring pairwise - ring
alltoall bruck modified_bruck brucks bruck
alltoall pairwise - pairwise pair
alltoallv linear basic_linear scattered ompi_basic_linear
alltoallv ring pairwise - ring
alltoallv pairwise - - pair
barrier tree tree - ompi_tree
barrier double_ring double_ring - ompi_doublering
barrier dissemination bruck dissemination ompi_bruck
barrier recursive_doubling recursive_doubling - ompi_recursivedoubling
bcast linear basic_linear - flattree
bcast binomial/0 binomial binomial binomial_tree
bcast binomial/8192 binomial - -
bcast binary/0 binary - -
bcast binary/8192 binary - -
bcast split_binary/0 split_binary - -
bcast split_binary/8192 split_binary - -
bcast pipeline/8192 pipeline - -
bcast knomial/0 knomial@radix=4 - -
bcast scatter_allgather scatter_allgather scatter_recursive_doubling_allgather scatter_rdb_allgather
bcast scatter_allgather_ring scatter_allgather_ring scatter_ring_allgather scatter_LR_allgather
exscan linear linear - -
exscan recursive_doubling recursive_doubling recursive_doubling -
gather linear basic_linear - ompi_basic_linear
gather binomial binomial binomial ompi_binomial
gather linear_sync/1024 linear_sync - -
reduce linear linear - ompi_basic_linear
reduce binomial/0 binomial binomial binomial
reduce binomial/8192 binomial - -
reduce binary/0 binary - -
reduce binary/8192 binary - -
reduce pipeline/8192 pipeline - -
reduce in_order_binary/0 in_order_binary - -
reduce in_order_binary/8192 in_order_binary - -
reduce rabenseifner rabenseifner reduce_scatter_gather scatter_gather
reduce_scatter reduce_scatterv nonoverlapping - -
reduce_scatter recursive_halving recursive_halving recursive_halving ompi_basic_recursivehalving
reduce_scatter pairwise - pairwise mpich_pair
reduce_scatter ring ring - ompi_ring
reduce_scatter butterfly butterfly - ompi_butterfly
reduce_scatter_block reduce_scatterv basic_linear - -
reduce_scatter_block recursive_halving recursive_halving recursive_halving -
reduce_scatter_block pairwise - pairwise -
reduce_scatter_block butterfly butterfly - -
scan linear linear - -
scan recursive_doubling recursive_doubling recursive_doubling -
scatter linear basic_linear - ompi_basic_linear
scatter binomial binomial binomial ompi_binomial
"""
LIBRARIES = ["openmpi", "mpich", "smpi"]
LAUNCHERS = {"openmpi": ["mpirun.openmpi", "--allow-run-as-root", "--oversubscribe", "-np"],
             "mpich": ["mpirun.mpich", "-launcher", "fork", "-np"]}
WHOLE = ("allreduce", "bcast", "exscan", "reduce", "reduce_scatter", "scan")


def message_sizes(collective, simulated):
    """Bytes of the message; of a block where a call has one for each rank."""
    if collective == "barrier":
        return [0]
    if collective not in WHOLE:
        return [64, 4096, 65536]
    return [1024 if simulated else 64, 16384, 1048576]  # an element for each of many ranks


class Pair:
    def __init__(self, line):
        self.collective, ours, *theirs = line.split()
        self.name, _, segment = ours.partition("/")
        self.segment = segment or None
        self.theirs = dict(zip(LIBRARIES, theirs))

    def title(self):
        segment = f" {int(self.segment) // 1024}K" if self.segment not in (None, "0") else ""
        return f"{self.name}{segment}"

    def cells(self, ranks, size, theirs):
        segment = self.segment or "0"
        start = f"{self.collective} {ranks} {size}"
        return [f"{start} {self.name} {segment}",
                f"{start} {theirs} {'-' if theirs == 'default' else segment}"]


def plan_text(source, rounds, cells):
    return "\n".join(["colltree-plan 2", f"source {source}", f"stop 1 {rounds} 0 0.95 0 0 0",
                      *cells, "end", ""])


def run(command):
    """The last report of each cell, in order; others' lines are not ours to read."""
    # Without it Open MPI's algorithms cannot be chosen.
    environment = dict(os.environ, OMPI_MCA_coll_tuned_use_dynamic_rules="1")
    job = subprocess.run(command, capture_output=True, text=True, env=environment)
    reports = [json.loads(line.split(" ", 1)[1]) for line in job.stdout.splitlines()
               if line.startswith("@colltree ")]
    reports = [report for report in reports if report["event"] in ("measured", "failed")]
    if not reports:
        sys.exit(f"{' '.join(command)}: {job.stderr.strip() or 'no report'}")
    return reports


def ratio(ours, theirs):
    """Ratio, quartiles of the rounds' ratios, the two times; or the reason why there is none."""
    for report in (ours, theirs):
        if report["event"] == "failed":
            return f"{report['cell']}: {report['reason']}"
    rounds = sorted(a / b for a, b in zip(ours["samples_us"], theirs["samples_us"]) if b > 0)
    if not rounds:
        return f"{ours['cell']}: no round counts"
    fast = [sorted(report["samples_us"])[len(rounds) // 4] for report in (ours, theirs)]
    return fast[0] / fast[1], rounds[len(rounds) // 4], rounds[3 * len(rounds) // 4], *fast


def real(build, library, ranks, pairs, rounds, folder):
    wanted = [(pair, size) for pair in pairs if pair.theirs[library] != "-"
              for size in message_sizes(pair.collective, False)]
    cells = [cell for pair, size in wanted for cell in pair.cells(ranks, size, pair.theirs[library])]
    plan = os.path.join(folder, "plan")
    with open(plan, "w") as file:
        file.write(plan_text(library, rounds, cells))
    program = os.path.join(build, f"side_by_side_{library}")
    reports = run([*LAUNCHERS[library], str(ranks), program, plan])
    return {(pair, size): ratio(*reports[2 * i:2 * i + 2])
            for i, (pair, size) in enumerate(wanted)}


def with_choice(platform, collective, choices, folder):
    """The platform with SMPI's algorithms for the collective and for what it calls, copies free."""
    words = f"{collective}={choices}".split("+")
    chosen = "".join(f'<prop id="smpi/{name}" value="{algorithm}"/>'
                     for name, algorithm in (word.split("=") for word in words))
    with open(platform) as file:
        text, found = re.subn(r"(<config[^>]*>)", r"\1" + chosen, file.read(), count=1)
    if found == 0:
        sys.exit(f"{platform}: has no <config>")
    text = re.sub(r'(copy_ns_per_byte" value=)"[^"]*"', r'\1"0"', text)
    path = os.path.join(folder, "platform.xml")
    with open(path, "w") as file:
        file.write(text)
    return path


def simulated(build, platform, ranks, pairs, folder):
    results = {}
    for pair in pairs:
        if pair.theirs["smpi"] == "-":
            continue
        chosen = with_choice(platform, pair.collective, pair.theirs["smpi"], folder)
        sizes = message_sizes(pair.collective, True)
        cells = [pair.cells(ranks, size, "default") for size in sizes]
        plan = os.path.join(folder, "plan")
        with open(plan, "w") as file:
            file.write(plan_text("portable", 1, [cell for both in cells for cell in both]))
        command = [os.path.join(build, "colltree-simulate"), chosen, plan, "1"]
        by_cell = {report["cell"]: report for report in run(command)}
        for size, both in zip(sizes, cells):
            results[pair, size] = ratio(*(by_cell[cell] for cell in both))
    return results


def shown(found, mark):
    if found is None or isinstance(found, str):
        return "-"
    return f"{found[0]:.2f}{'*' if found[0] > mark else ''}"


def column(pair, system, results, mark):
    sizes = message_sizes(pair.collective, system.startswith("smpi"))
    words = [shown(results.get((pair, size)), mark) for size in sizes]
    return "-" if set(words) == {"-"} else " ".join(words)


def print_table(pairs, systems, results, mark):
    print("| collective | algorithm | " + " | ".join(systems) + " |")
    print("| --- | --- |" + " --- |" * len(systems))
    for pair in pairs:
        columns = [column(pair, system, results[system], mark) for system in systems]
        print(f"| {pair.collective} | {pair.title()} | " + " | ".join(columns) + " |")


def say_details(pair, size, system, found):
    what = f"{system} {pair.collective} {pair.title()} {size}"
    if isinstance(found, str):
        print(f"{what}: {found}", file=sys.stderr)
    else:
        print(f"{what}: {found[0]:.3f} ({found[1]:.3f} .. {found[2]:.3f}), "
              f"{found[3]:.2f} us / {found[4]:.2f} us", file=sys.stderr)


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("--systems", default="openmpi:2,mpich:2,openmpi:4,mpich:4,smpi:16,smpi:64")
    parser.add_argument("--only", help="collectives, or collective/algorithm; separated by commas")
    parser.add_argument("--rounds", type=int, default=25)
    parser.add_argument("--platform", default="platforms/nano.xml")
    parser.add_argument("--mark", type=float, default=1.1)
    parser.add_argument("--verbose", action="store_true",
                        help="quartiles, times and reasons on standard error")
    options = parser.parse_args(arguments)
    pairs = [Pair(line) for line in PAIRS.strip().splitlines()]
    if options.only:
        only = options.only.split(",")
        pairs = [pair for pair in pairs
                 if pair.collective in only or f"{pair.collective}/{pair.name}" in only]
    systems = options.systems.split(",")
    results = {}
    for system in systems:
        library, ranks = system.split(":")
        with tempfile.TemporaryDirectory() as folder:
            if library == "smpi":
                results[system] = simulated(options.build, options.platform, ranks, pairs, folder)
            else:
                results[system] = real(options.build, library, ranks, pairs, options.rounds, folder)
        if options.verbose:
            for (pair, size), found in results[system].items():
                say_details(pair, size, system, found)
    print_table(pairs, systems, results, options.mark)

