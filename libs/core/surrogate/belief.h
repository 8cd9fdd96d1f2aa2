// SPDX-License-Identifier: BSD-3-Clause
// Estimates the time of every method at any size, also one that nobody measured, from measured
// times: a Gaussian process for each method (process.h) on the logarithm of its time beside the
// level that all methods have in common at a point. A campaign works on the logarithm itself
// (surrogate.h), because a point where few methods were measured tells no level; with the level it
// needs a fifth more cells. Three kernels of different lengths and an interpolation are averaged,
// and their disagreement counts as uncertainty.
#pragma once

#include <span>
#include <vector>

#include "surrogate/constants.h"
#include "timings/timings.h"

namespace colltree::surrogate {

// The estimate for one method at one instance.
struct Belief {
  double mean = 0;        // logarithm of the time beside the common level of all methods
  double deviation = 0;   // standard deviation of that
  double cannot_run = 0;  // the share of the measurements nearby where the method could not run
};

// The result is instances x methods of the table, row by row. Cost: for n measured points up to 256
// n^3 for each method and n^2 for each instance; beyond 256 points a few instances together are
// judged by the points nearest to them alone.
std::vector<Belief> beliefs(const Timings& timings, std::span<const Instance> instances);

// The probability that the first takes more time than the second by more than a fraction on another
// day, when the logarithms of a method's times differ by a standard deviation of `session` from day
// to day. The tails are those of ErrorTail.
double chance_slower(const Belief& first, const Belief& second, double fraction,
                     double session = kUsualOfSession);

}  // namespace colltree::surrogate
