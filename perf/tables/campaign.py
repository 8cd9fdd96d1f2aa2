# SPDX-License-Identifier: BSD-3-Clause
"""Adaptive campaigns beside their peers, replayed over complete profiles (docs/results/tuning.md).

    perf/tables/make.py campaign BUILD -o FOLDER [--seeds 5] P.db:SYSTEM:COLLECTIVE[:NOISE] ...

Runs BUILD/campaign_replay for every grid and seed, and a forest (scikit-learn) on the same random
cells; writes FOLDER/replay.csv, campaign.md (median over the seeds of the mean penalty at shares of
the time) and campaign.svg.
"""
import argparse
import collections
import csv
import io
import math
import pathlib
import re
import statistics
import subprocess
import sys

MARKS = [1, 2, 3, 5, 8, 12]  # % of the time
WAYS = ["adaptive", "random", "forest", "coarse"]


def replay(build, profile, system, collective, seed, noise, *more):
    command = [f"{build}/campaign_replay", profile, system, collective, str(seed), str(noise), *more]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return list(csv.reader(text.splitlines()))


def forest(build, profile, system, collective, seed, noise):
    """A regression forest over (log sizes, method) on random cells, as ACCLAiM learns from."""
    import numpy
    from sklearn.ensemble import RandomForestRegressor

    rows = [[float(x) for x in row[1:]] for row in replay(build, profile, system, collective, seed, noise, "plan")]
    data = numpy.array(rows)
    methods = int(data[:, 2].max()) + 1
    features = numpy.hstack([numpy.log2(data[:, :1]), numpy.log2(data[:, 1:2] + 1), numpy.eye(methods)[data[:, 2].astype(int)]])
    times = data[:, 3]
    seen = times * numpy.exp(noise * numpy.random.default_rng(seed).standard_normal(len(times)))
    share = 100 * numpy.cumsum(times) / times.sum()
    points = numpy.unique(data[:, :2], axis=0, return_inverse=True)[1]
    result = []
    for mark in MARKS:
        count = int(numpy.searchsorted(share, mark)) + 1
        model = RandomForestRegressor(n_estimators=50, random_state=seed, n_jobs=1)
        model.fit(features[:count], numpy.log(seen[:count]))
        predicted = model.predict(features)
        best = collections.defaultdict(lambda: (math.inf, 0.0))
        least = collections.defaultdict(lambda: math.inf)
        for i, point in enumerate(points):
            best[point] = min(best[point], (predicted[i], times[i]))
            least[point] = min(least[point], times[i])
        penalty = statistics.fmean(best[p][1] / least[p] - 1 for p in best)
        result.append((mark, 100 * penalty))
    return result


def at_marks(rows, way):
    """The penalty when this share of the time was spent: of coarse grids the finest within it."""
    points = [(float(r[2]), float(r[3]), float(r[4] or "nan")) for r in rows if r[0] == way]
    found = {}
    for mark in MARKS:
        if way == "coarse":
            within = [p for p in points if p[0] <= mark]
            if within:
                found[mark] = max(within)[1:]
        else:
            beyond = [p for p in points if p[0] >= mark]
            if beyond:
                found[mark] = beyond[0][1:]
            elif points:
                found[mark] = points[-1][1:]
    return found


def draw(path, names):
    """Write the picture of all grids, three in a row."""
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "python"))
    import matplotlib.pyplot as plt
    import pandas

    from colltree import plot

    plt.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "colltree", "font.sans-serif": ["DejaVu Sans"]})
    replays = pandas.read_csv(path.with_name("replay.csv"))
    rows = math.ceil(len(names) / 3)
    figure, axes = plt.subplots(rows, min(3, len(names)), figsize=(3.2 * min(3, len(names)), 2.6 * rows), squeeze=False, layout="constrained")
    for ax in axes.flat[len(names):]:
        ax.set_axis_off()
    for name, ax in zip(names, axes.flat):
        plot.campaign_cost(replays, name, ax=ax)
        ax.minorticks_off()
        ax.tick_params(length=0)
        ax.set(xlabel="share of the time [%]" if ax in axes[-1] else "", ylabel="mean penalty" if ax in axes[:, 0] else "")
        if name != names[0]:
            ax.get_legend().remove()
    picture = io.StringIO()
    figure.savefig(picture, format="svg", metadata={"Date": None})
    path.write_text(re.sub(r"\n *", " ", picture.getvalue()) + "\n")


def main(arguments):
    options = argparse.ArgumentParser()
    options.add_argument("build")
    options.add_argument("-o", "--output", required=True)
    options.add_argument("--seeds", type=int, default=5)
    options.add_argument("grids", nargs="+")
    options = options.parse_args(arguments)
    folder = pathlib.Path(options.output)
    folder.mkdir(parents=True, exist_ok=True)
    table, names, honest = {}, [], []
    with open(folder / "replay.csv", "w") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(["grid", "seed", "way", "share_of_time", "penalty", "expected"])
        for grid in options.grids:
            profile, system, collective, *rest = grid.split(":")
            noise = float(rest[0]) if rest else 0
            name = f"{system} {collective}" + (f", noise {100 * noise:g} %" if noise else "")
            names.append(name)
            seen = collections.defaultdict(lambda: collections.defaultdict(list))
            for seed in range(1, options.seeds + 1):
                rows = replay(options.build, profile, system, collective, seed, noise)
                found = {way: at_marks(rows, way) for way in ("adaptive", "random", "coarse")}
                found["forest"] = {m: (p, math.nan) for m, p in forest(options.build, profile, system, collective, seed, noise)}
                for way, points in found.items():
                    for mark, (penalty, expected) in points.items():
                        seen[way][mark].append((penalty, expected))
                        writer.writerow([name, seed, way, mark, penalty, expected])
                        if way == "adaptive":
                            honest.append(abs(math.log((expected + 0.05) / (penalty + 0.05))) <= math.log(2))
            for way, points in seen.items():
                table[name, way] = {m: (statistics.median(p for p, _ in v), statistics.median(e for _, e in v)) for m, v in points.items()}
            print(name, {way: round(table.get((name, way), {}).get(5, (math.nan,))[0], 3) for way in WAYS}, file=sys.stderr, flush=True)
    lines = ["| grid | " + " | ".join(f"{m} % of the time" for m in MARKS) + " | expected at 5 % | random, 5 % | forest, 5 % | coarse grid, 5 % |",
             "| --- |" + " --- |" * (len(MARKS) + 4)]
    for name in names:
        cell = lambda way, mark, which=0: f"{table[name, way][mark][which]:.2f}" if mark in table.get((name, way), {}) else "-"
        lines.append(f"| {name} | " + " | ".join(cell("adaptive", m) for m in MARKS) +
                     f" | {cell('adaptive', 5, 1)} | " + " | ".join(cell(way, 5) for way in WAYS[1:]) + " |")
    lines.append(f"\nExpected penalty within a factor of two of the true one (0.05 % added to both): {sum(honest)} of {len(honest)}.")
    (folder / "campaign.md").write_text("\n".join(lines) + "\n")
    draw(folder / "campaign.svg", names)

