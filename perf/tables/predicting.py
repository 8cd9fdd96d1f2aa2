# SPDX-License-Identifier: BSD-3-Clause
"""predicting COLLTREE FOLDER: the last table of docs/results/predicting.md, what choosing by expected times alone loses (Grig,
Frodo and modern are simulated: half an hour).
"""
import common


def main(arguments):
    colltree, _ = common.in_folder(arguments, __doc__)
    for name in ("grig", "frodo", "modern"):
        common.profile(colltree, name)
    for words in (["grig.db"], ["frodo.db"], ["modern.db"], *([common.profile(colltree, "orfeo"), "--system", system]
                                                          for system in ("orfeo-epyc-core", "orfeo-epyc-node"))):
        common.print_contests(common.rows_of(common.run(colltree, "evaluate", "compare", *words, "--fit", "loggp; c45; optimal", "-o", "-")))
