# SPDX-License-Identifier: BSD-3-Clause
"""Peers from machine learning: for each collective one regressor per method, which predicts log(time) from log2(communicator size),
log2(message size + 1) and, where several are known, log2(ranks per node). Of the methods that have a time at the
nearest training point the one of the least predicted time is chosen: a regressor does not know where a method cannot run.

Of scikit-learn (Debian package python3-sklearn): RandomForestRegressor with 100 trees, GradientBoostingRegressor with its defaults
(100 trees of depth 3, learning rate 0.1); nothing is tuned, random_state is 1.
"""
import collections
import itertools
import math
import statistics

import common

try:
    from sklearn.ensemble import GradientBoostingRegressor, RandomForestRegressor
    REGRESSORS = {"random forest": lambda: RandomForestRegressor(n_estimators=100, random_state=1),
                  "gradient boosting": lambda: GradientBoostingRegressor(random_state=1)}
except ImportError:
    REGRESSORS = {}

Instance = collections.namedtuple("Instance", "communicator_size message_size ranks_per_node")


def engine(seed):
    """std::mt19937_64, which neither Python nor numpy has."""
    state = [seed]
    for i in range(1, 312):
        state.append((6364136223846793005 * (state[-1] ^ state[-1] >> 62) + i) % 2**64)
    while True:
        for i in range(312):
            x = state[i] >> 31 << 31 | state[(i + 1) % 312] % 2**31
            state[i] = state[(i + 156) % 312] ^ x >> 1 ^ x % 2 * 0xB5026F5AA96619E9
            y = state[i] ^ state[i] >> 29 & 0x5555555555555555
            y ^= y << 17 & 0x71D67FFFEDA60000
            y ^= y << 37 & 0xFFF7EEE000000000
            yield y ^ y >> 43


def permutation(random, count):
    """As SeededRandom of libs/base/random.h."""
    order = list(range(count))
    for left in range(count, 1, -1):
        other = next(random) * left >> 64
        order[left - 1], order[other] = order[other], order[left - 1]
    return order


def folds_of(instances, kind):
    """As Folds of libs/core/timings/folds.cpp with five folds and seed 1: the parts of `instances` that are held out in turn."""
    axes = [sorted({at[axis] for at in instances}) for axis in (0, 1)]
    runs = [1 if kind == "message_sizes" else len(axes[0]), 1 if kind == "communicator_sizes" else len(axes[1])]
    count = min(5, max(runs))
    if kind == "blocks":
        runs = [min(run, count) for run in runs]
    random = engine(1)
    rows, columns = [permutation(random, run) for run in runs]
    folds = collections.defaultdict(list)
    for at in instances:
        row, column = [axes[axis].index(at[axis]) * runs[axis] // len(axes[axis]) for axis in (0, 1)]
        folds[(rows[row] + columns[column]) % count].append(at)
    return list(folds.values())


def times_of(colltree, file, system):
    """{collective: {instance: {method: median of its times}}} of what `compare` judges by: without instances where only the library's own
    choice was measured. No method of these sets has a segment size, so what is asked for is what runs (effective_method).
    """
    samples = collections.defaultdict(list)
    for row in common.rows_of(common.run(colltree, "export", file, "--system", system, "-o", "-")):
        assert not row["segment_bytes"]
        if not row["algorithm"].startswith("ext:"):
            at = Instance(int(row["procs"]), int(row["msg_bytes"]), int(row["ppn"] or 0))
            samples[row["collective"], at, row["algorithm"]].append(float(row["time_us"]))
    times = collections.defaultdict(lambda: collections.defaultdict(dict))
    for (collective, at, method), values in sorted(samples.items()):
        times[collective][at][method] = statistics.median(values)
    return {collective: {at: cell for at, cell in cells.items() if set(cell) != {"default"}} for collective, cells in times.items()}


def charged(cell, method):
    """The penalty; a method that cannot run is charged as the slowest."""
    return cell.get(method, max(cell.values())) / min(cell.values()) - 1


def choices(regressor, training, instances, features):
    """The method for each of the instances."""
    predicted = {}
    for method in sorted(set().union(*training.values())):
        at = [one for one in training if method in training[one]]
        fitted = regressor().fit([features[one] for one in at], [math.log(training[one][method]) for one in at])
        predicted[method] = fitted.predict([features[one] for one in instances])
    nearest = [min(training, key=lambda one: math.dist(features[one], features[at])) for at in instances]
    return [min(sorted(training[near]), key=lambda method: predicted[method][i]) for i, near in enumerate(nearest)]


def losses_of(colltree, file, system, kinds):
    """{(chooser, collective, kind): mean charged penalty}."""
    losses = {}
    for collective, times in times_of(colltree, file, system).items():
        features = {at: [math.log2(at.communicator_size), math.log2(at.message_size + 1)] for at in times}
        if len({at.ranks_per_node for at in times} - {0}) > 1:
            for at in times:
                features[at].append(math.log2(at.ranks_per_node or 1))
        for kind, (chooser, regressor) in itertools.product(kinds, REGRESSORS.items()):
            folds = folds_of(times, kind)
            if len(folds) == 1:
                continue
            penalties = []
            for held_out in folds:
                training = {at: times[at] for at in times if at not in held_out}
                chosen = choices(regressor, training, held_out, features)
                penalties += [charged(times[at], method) for at, method in zip(held_out, chosen)]
            losses[chooser, collective, kind] = statistics.fmean(penalties)
    return losses
