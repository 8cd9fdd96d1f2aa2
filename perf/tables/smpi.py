# SPDX-License-Identifier: BSD-3-Clause
"""What a fitted tree over our algorithms gains on SMPI's ports of Open MPI's and MPICH's selectors:

    perf/tables/make.py smpi COLLTREE FOLDER [COLLECTIVE...]        # MOST_RANKS=200: without the larger ones

Simulates 32 to 512 ranks, 1 and 8 on a node, into profiles in FOLDER (two hours of one core; what is there is not measured again), fits an
optimal tree for each collective and placement, without the selector among its choices, and prints Markdown tables: time of
the selector / time of what the tree chooses, on the points it was fitted to and on held-out communicator sizes;
and what each family of algorithms adds.
"""
import json
import math
import os

import common

RANKS = [ranks for ranks in (32, 50, 96, 128, 200, 512) if ranks <= int(os.environ.get("MOST_RANKS", "512"))]
MESSAGE, BLOCK, TOTAL = "8,256,8K,128K,1M,4M", "8,128,1K,8K", "4K,64K,512K,4M"
SIZES = {"barrier": "0", "bcast": MESSAGE, "reduce": MESSAGE, "allreduce": MESSAGE, "allgather": BLOCK, "allgatherv": BLOCK,
         "alltoall": BLOCK, "alltoallv": BLOCK, "gather": BLOCK, "scatter": BLOCK, "reduce_scatter_block": BLOCK,
         "reduce_scatter": TOTAL}
PLACEMENTS = {"flat": 1, "nodes": 8}
SELECTORS = {"ompi": "Open MPI's", "mpich": "MPICH's"}
LEAVES = 24
FAMILIES = {"nodes": ("hierarchical", "multi_leader", "locality"), "circulant": ("circulant",),
            "radix": ("recursive_multiplying", "radix="), "dual tree, two trees": ("dual_tree", "two_tree")}


def platform(name, selector):
    """512 ranks behind links of 200 Gbit/s: hosts on one switch, or 64 nodes of 8 cores on full fat trees of 8 nodes."""
    modern = open(os.path.join(common.ROOT, "platforms", "modern.xml"), encoding="utf-8").read()
    head = modern[:modern.index('  <zone id="modern"')].replace('selector" value="ompi"', f'selector" value="{selector}"')
    costs = '    <prop id="colltree/reduce_ns_per_byte" value="0.1"/>\n    <prop id="colltree/copy_ns_per_byte" value="0.1"/>\n'
    if name == "flat":
        body = ('    <cluster id="hosts" prefix="n-" suffix="" radical="0-511" speed="1Gf" bw="25GBps" lat="0.35us"\n'
                '             loopback_bw="160GBps" loopback_lat="0.12us"/>\n')
    else:
        body = '    <prop id="colltree/ranks_per_node" value="8"/>\n' + "".join(node(n) for n in range(64)) + switches(64)
    return f'{head}  <zone id="{name}" routing="Full">\n{costs}{body}  </zone>\n</platform>\n'


def node(number):
    n = f"{number:02}"
    lines = [f'<host id="m-{n}-{core}" speed="1Gf"/>' for core in range(8)]
    lines += [f'<router id="switch-{n}"/>',
              f'<link id="memory-{n}" bandwidth="160GBps" latency="0.12us" sharing_policy="SHARED"/>',
              f'<link id="nic-{n}" bandwidth="25GBps" latency="0.25us" sharing_policy="SPLITDUPLEX"/>']
    for core in range(8):
        lines.append(f'<route src="m-{n}-{core}" dst="switch-{n}"><link_ctn id="nic-{n}" direction="UP"/></route>')
        lines += [f'<route src="m-{n}-{core}" dst="m-{n}-{other}"><link_ctn id="memory-{n}"/></route>' for other in range(core, 8)]
    return f'    <zone id="node-{n}" routing="Full">\n' + "".join(f"      {line}\n" for line in lines) + "    </zone>\n"


def switches(nodes):
    lines = []
    for leaf in range(nodes // 8):
        lines += [f'<link id="leaf-{leaf}" bandwidth="200GBps" latency="0.1us" sharing_policy="FATPIPE"/>',
                  f'<link id="uplink-{leaf}" bandwidth="200GBps" latency="0.2us" sharing_policy="SPLITDUPLEX"/>']
    for a in range(nodes):
        for b in range(a + 1, nodes):
            links = f'<link_ctn id="leaf-{a // 8}"/>'
            if a // 8 != b // 8:
                links = f'<link_ctn id="uplink-{a // 8}" direction="UP"/><link_ctn id="uplink-{b // 8}" direction="DOWN"/>'
            lines.append(f'<zoneRoute src="node-{a:02}" dst="node-{b:02}" gw_src="switch-{a:02}" gw_dst="switch-{b:02}">{links}</zoneRoute>')
    return "".join(f"    {line}\n" for line in lines)


def measure(colltree, collective, name, selector):
    file = f"{collective}-{name}-{selector}.db"
    with open(f"{name}-{selector}.xml", "w", encoding="utf-8") as out:
        out.write(platform(name, selector))
    common.run(colltree, "measure", "--platform", f"./{name}-{selector}.xml", "--collective", collective, "--communicator-sizes",
        ",".join(map(str, RANKS)), "--ranks-per-node", PLACEMENTS[name], "--message-sizes", SIZES[collective], "--segment-sizes",
        "0,32K,128K", "--silence-limit", 3600, "-o", file, *(["--methods", "default"] if selector != "ompi" else []))
    return [row for row in common.rows_of(common.run(colltree, "export", file, "-o", "-")) if int(row["procs"]) in RANKS]


def times_of(rows):
    """{(ranks, bytes): {(algorithm, segment): us}}, the selector's under ("default", "")."""
    times = {}
    for row in rows:
        method = row["algorithm"], row["segment_bytes"]
        times.setdefault((int(row["procs"]), int(row["msg_bytes"])), {})[method] = float(row["time_us"])
    return times


def choices(colltree, collective, name, rows, instances):
    """What a tree that is fitted to `rows` chooses at `instances`."""
    file = f"fit-{collective}-{name}"
    profile = common.write_part(colltree, [row for row in rows if row["algorithm"] != "default"], file)
    common.run(colltree, "fit", "optimal", profile, "--collective", collective, "--parameters", f"leaves={LEAVES}", "-o", file + ".json")
    for ranks, size in instances:
        said = json.loads(common.run(colltree, "explain", collective, ranks, size, "--json", "--model", file + ".json"))
        yield (ranks, size), (said["algorithm"], str(said.get("segment_size", "")))


def time_of(times, method):
    """A method whose segment is not smaller than the message is the one without."""
    algorithm, segment = method
    for known in (method, (algorithm, "0"), (algorithm, "")):
        if known in times:
            return times[known]
    return None


def gains(chosen, times, selected):
    """Time of the selector / time of what is chosen, where both have one."""
    for at, method in chosen:
        ours = time_of(times[at], method)
        theirs = selected.get(at, {}).get(("default", ""))
        if ours is not None and theirs is not None:
            yield theirs / ours


def mean(values):
    return math.exp(sum(map(math.log, values)) / len(values)) if values else math.nan


def cells(values):
    return f"{mean(values):.2f} | {min(values):.2f}" if values else "- | -"


def left_out(times):
    """{family: [best time without it / best time]} over the instances."""
    slower = {family: [] for family in FAMILIES}
    for methods in times.values():
        ours = {method: time for method, time in methods.items() if method[0] != "default"}
        for family, words in FAMILIES.items():
            rest = [time for method, time in ours.items() if not any(word in method[0] for word in words)]
            slower[family].append(min(rest) / min(ours.values()))
    return slower


def table(title, found, collectives):
    names = [(name, selector) for name in PLACEMENTS for selector in SELECTORS]
    print(f"\n{title}\n\n| collective | " + " | ".join(f"{PLACEMENTS[name]} a node, {SELECTORS[selector]}: mean | least"
                                                     for name, selector in names) + " |\n| --- |" + " --: | --: |" * len(names))
    for collective in collectives:
        print(f"| {collective} | " + " | ".join(cells(found[collective, *at]) for at in names) + " |")
    print("| all | " + " | ".join(cells([gain for collective in collectives for gain in found[collective, *at]]) for at in names) + " |")


def main(arguments):
    colltree, wanted = common.in_folder(arguments, __doc__)
    collectives = wanted or list(SIZES)
    fitted, apart, added, untimed = {}, {}, {}, 0
    for collective in collectives:
        for name in PLACEMENTS:
            rows = measure(colltree, collective, name, "ompi")
            times = times_of(rows)
            selected = {"ompi": times, "mpich": times_of(measure(colltree, collective, name, "mpich"))}
            on = list(choices(colltree, collective, name, rows, times))
            held_out = []
            for ranks in RANKS:
                rest = [row for row in rows if int(row["procs"]) != ranks]
                held_out += choices(colltree, collective, name, rest, [at for at in times if at[0] == ranks])
            untimed += sum(time_of(times[at], method) is None for at, method in on + held_out)
            for selector in SELECTORS:
                fitted[collective, name, selector] = list(gains(on, times, selected[selector]))
                apart[collective, name, selector] = list(gains(held_out, times, selected[selector]))
            added[collective, name] = left_out(times)
    table("On the points fitted to:", fitted, collectives)
    table("On held-out communicator sizes:", apart, collectives)
    print(f"\nChoices without a time of their own, in no figure: {untimed}\n\n| collective | " + " | ".join(FAMILIES) + " |\n| --- |" + " --: |" * len(FAMILIES))
    for collective in collectives:
        values = [[slower for name in PLACEMENTS for slower in added[collective, name][family]] for family in FAMILIES]
        print(f"| {collective} | " + " | ".join(f"{mean(value):.2f} ({max(value):.1f})" for value in values) + " |")

