# SPDX-License-Identifier: BSD-3-Clause
"""between COLLTREE FOLDER [FITTER...]: what decision functions lose at held-out sizes of the measured data sets: the geometric mean
over all comparisons (system, collective and kind of held-out points) of 1 + the mean penalty, where a choice that cannot run is
charged as the slowest method. A table for the sets of few points by which the constants were chosen, one for those by which they
were judged, and one for ORFEO; one of what is fitted to a session and judged by another.
"""
import itertools

import common
import regression
from common import geometric

GROUPS = {"few points, chosen by": ["fugaku", "dane", "tuolumne1", "tuolumne2"], "few points, judged by": ["pico", "marenostrum5"],
          "ORFEO": ["orfeo"]}
SESSIONS = ["tuolumne1", "tuolumne2"]
KINDS = ["communicator_sizes", "message_sizes", "blocks"]
FITTERS = ["optimal:leaves=auto", "optimal:leaves=auto,caution=0", "optimal:leaves=10", "quadtree", "c45:weight=2,confidence=25"]


def losses_of(colltree, names, fitters):
    """{chooser: {(set, system, collective, kind): mean charged penalty}}."""
    losses = {}
    for name in names:
        for system in common.systems_of(colltree, common.profile(colltree, name)):
            text = common.run(colltree, "evaluate", "compare", name + ".db", "--system", system, "--held-out", ",".join(KINDS), "--fit", ";".join(fitters), "-o", "-")
            for row in common.rows_of(text):
                if row["points"] in KINDS and row["charged_mean"]:
                    losses.setdefault(row["chooser"], {})[name, system, row["collective"], row["points"]] = float(row["charged_mean"])
            for (peer, *key), loss in regression.losses_of(colltree, name + ".db", system, KINDS).items():
                losses.setdefault(peer, {})[name, system, *key] = loss
    return losses


def print_group(title, losses):
    default = losses["default"]
    judged = set.intersection(*(set(one) for name, one in losses.items() if name in ("interpolation", "optimal:leaves=auto", "default")))
    print(f"## {title}\n\n{len(judged)} comparisons; in brackets the worst.\n")
    common.head("decision function", "all", *(kind.replace("_", " ") for kind in KINDS), "above 1.02 x default")
    for name, one in losses.items():
        if not judged <= set(one):
            continue
        of_kinds = [common.percent(geometric([one[key] for key in judged if key[3] == kind])) for kind in KINDS]
        above = sum(1 + one[key] > 1.02 * (1 + default[key]) for key in judged)
        worst = common.percent(max(one[key] for key in judged))
        common.row(name, f"{common.percent(geometric([one[key] for key in judged]))} ({worst})", *of_kinds, above)
    print()


def print_sessions(colltree, fitters):
    """The mean charged penalty."""
    print("## Another session\n")
    common.head("decision function", *(f"{one} judged by {other}" for one, other in itertools.permutations(SESSIONS, 2)))
    means = {}
    for one, other in itertools.permutations(SESSIONS, 2):
        text = common.run(colltree, "evaluate", "compare", one + ".db", "--on", other + ".db", "--fit", ";".join(fitters), "-o", "-")
        for row in common.rows_of(text):
            if row["points"].startswith("on ") and row["charged_mean"]:
                means.setdefault(row["chooser"], []).append(common.percent(row["charged_mean"]))
    for chooser, of_both in means.items():
        common.row(chooser, *of_both)


def main(arguments):
    colltree, fitters = common.in_folder(arguments, __doc__)
    if not regression.REGRESSORS:
        print("Without random forest and gradient boosting: scikit-learn is missing (tools/install_dependencies.sh perf).\n")
    for title, names in GROUPS.items():
        print_group(title, losses_of(colltree, names, fitters or FITTERS))
    print_sessions(colltree, fitters or FITTERS)
