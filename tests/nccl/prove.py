#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Proves a rules file for NCCL with an installed tuner plugin, without a GPU:

    tests/nccl/prove.py COLLTREE PLUGIN.so RULES.csv

The plugin is loaded as NCCL does it (interfaces 4 to 7), gets the file by NCCL_TUNER_CONFIG_FILE, and is asked for each
collective of the file, on the numbers of ranks that it names (of long lists on some) and on one beside, just below and just at
every threshold. Its
answer, for one call whose buffers are not registered, is the entry of the cost table that it makes the cheapest; it must be what
`colltree explain --rules` says.
Prints the differences and one line of counts; exit code 1 if there is a difference or nothing was asked.
"""
import ctypes
import os
import re
import subprocess
import sys

COLLECTIVES = {"broadcast": "bcast", "reduce": "reduce", "allgather": "allgather", "reducescatter": "reduce_scatter",
               "allreduce": "allreduce"}
FUNCTIONS = list(COLLECTIVES)  # in the order of ncclFunc_t
ALGORITHMS = ["tree", "ring", "collnet_direct", "collnet_chain", "nvls", "nvls_tree", "pat"]
PROTOCOLS = ["ll", "ll128", "simple"]
UNTOUCHED, IGNORED = 1.0, -1.0  # costs: the second where NCCL cannot run the collective so
RUNS = {"broadcast": {"ring"}, "reduce": {"ring"}, "allgather": {"ring", "nvls", "pat", "collnet_direct"},
        "reducescatter": {"ring", "nvls", "pat", "collnet_direct"}, "allreduce": set(ALGORITHMS) - {"pat"}}
MOST_BYTES = 2**62  # that colltree is asked for; "no end" is beyond
OWN = "the library's own choice"

Logger = ctypes.CFUNCTYPE(None, ctypes.c_int, ctypes.c_ulong, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p)
Init = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_void_p), ctypes.c_uint64, ctypes.c_size_t, ctypes.c_size_t,
                        Logger, ctypes.c_void_p, ctypes.c_void_p)
Init4 = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_size_t, ctypes.c_size_t, Logger, ctypes.POINTER(ctypes.c_void_p))
Ask = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t, ctypes.c_int, ctypes.c_void_p,
                       ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.POINTER(ctypes.c_int))
End = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)


class Interface(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("init", ctypes.c_void_p), ("ask", ctypes.c_void_p), ("end", ctypes.c_void_p)]


class Plugin:
    """A tuner plugin, one communicator at a time."""

    def __init__(self, file):
        library = ctypes.CDLL(os.path.abspath(file))
        for version in (7, 6, 5, 4):
            try:
                self.interface = Interface.in_dll(library, f"ncclTunerPlugin_v{version}")
            except ValueError:
                continue
            self.version = version
            return
        sys.exit(f"{file}: no tuner of interface 4 to 7")

    def open(self, ranks, nodes):
        self.context = ctypes.c_void_p()
        self.quiet = Logger(lambda *_: None)
        if self.version == 4:
            code = Init4(self.interface.init)(ranks, nodes, self.quiet, ctypes.byref(self.context))
        else:
            domains = (ctypes.c_int * 16)()  # more than either structure holds
            constants = (ctypes.c_double * 4096)()
            code = Init(self.interface.init)(ctypes.byref(self.context), 0, ranks, nodes, self.quiet,
                                             ctypes.addressof(domains), ctypes.addressof(constants))
        if code != 0:
            sys.exit(f"the plugin's init ends with {code}")

    def answer(self, collective, size):
        pairs = [(algorithm, protocol) for algorithm in ALGORITHMS for protocol in PROTOCOLS]
        table = (ctypes.c_float * len(pairs))(*(
            UNTOUCHED if algorithm in RUNS[collective] and (algorithm in ("ring", "tree") or protocol == "simple") else IGNORED
            for algorithm, protocol in pairs))
        channels = ctypes.c_int(0)
        code = Ask(self.interface.ask)(self.context, FUNCTIONS.index(collective), size, 1, ctypes.addressof(table),
                                       len(ALGORITHMS), len(PROTOCOLS), 0, ctypes.byref(channels))
        if code != 0:
            return f"error {code}"
        return " and ".join("/".join(pair) for pair, cost in zip(pairs, table) if IGNORED < cost < UNTOUCHED) or OWN

    def close(self):
        End(self.interface.end)(self.context)


def rows(file):
    with open(file) as lines:
        for line in lines:
            fields = [field.strip() for field in line.split(",")]
            if len(fields) >= 8 and not line.startswith("#") and fields[1].isdigit():
                yield fields[0], int(fields[1]), int(fields[2]), int(fields[6]), int(fields[7])


def probes(file):
    """(collective, ranks): nodes and the keys at which the answer may change."""
    all_rows = list(rows(file))
    asked = {}
    for collective in COLLECTIVES:
        own = [row for row in all_rows if row[0] == collective]
        named = {row[4] for row in own if row[4] > 0}
        # A line is for one number of ranks: of long lists the small ones, around the powers of two, and the last.
        some = {ranks for ranks in named if ranks <= 5 or ranks & (ranks - 1) == 0 or ranks == max(named)}
        beside = {ranks + 1 for ranks in named if ranks == max(named)} or {2, 3, 8}
        for ranks in sorted(some | beside) if own else []:
            keys = {64}
            for _, least, most, _, rank_count in own:
                if rank_count in (-1, ranks):
                    keys |= {least, most + 1}
            asked[collective, ranks] = keys
    return asked


def said(colltree, rules, collective, ranks, size):
    """What colltree says: the size that is looked up, and the method."""
    text = subprocess.run([colltree, "explain", COLLECTIVES[collective], str(ranks), str(size), "--rules", rules, "--for",
                           "nccl"], check=True, capture_output=True, text=True).stdout
    key = int(re.search(r"looked up as (\d+) bytes", text).group(1))
    method = re.search(r"^method: (.*)$", text, re.M).group(1)
    return key, method


def plain(method):
    """ "NvlsTree/simple_0K" and "nvls_tree/simple" are one. """
    return re.sub(r"_0[kb]?$", "", method.lower()).replace("_", "")


def main(colltree, file, rules):
    os.environ["NCCL_TUNER_CONFIG_FILE"] = os.path.abspath(rules)
    plugin = Plugin(file)
    calls = differences = 0
    for (collective, ranks), keys in probes(rules).items():
        plugin.open(ranks, 1)
        scale = ranks if collective == "allgather" else 1
        sizes = {max(0, at) for key in keys if key < MOST_BYTES for at in ((key - 1) // scale, -(-key // scale))}
        for size in sorted(sizes):
            key, method = said(colltree, rules, collective, ranks, size)
            got = plugin.answer(collective, key)
            calls += 1
            if plain(got) == plain(method):
                continue
            differences += 1
            print(f"{collective} on {ranks} ranks, {key} bytes: the file says {method}, the plugin {got}")
        plugin.close()
    print(f"{plugin.interface.name.decode()}, interface {plugin.version}: {calls} answers compared; {differences} mismatches")
    return 1 if differences or not calls else 0


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
