// SPDX-License-Identifier: BSD-3-Clause
// What measured times say of the time of every method at any size, also one that nobody measured:
// a Gaussian process for each method (process.h) on the logarithm of its time beside the level that
// all methods have in common at a point. A campaign works on the logarithm itself (surrogate.h),
// because a point where few methods were measured tells no level: beside it, it needs a fifth more
// cells. Three kernels of different lengths and an interpolation are averaged, and what they
// disagree by counts as uncertainty.
#pragma once

#include <span>
#include <vector>

#include "surrogate/constants.h"
#include "timings/timings.h"

namespace colltree::surrogate {

// Of one method at one instance.
struct Belief {
  double mean = 0;        // logarithm of the time beside the common level of all methods
  double deviation = 0;   // standard deviation of that
  double cannot_run = 0;  // the share of the measurements nearby where the method could not run
};

// instances x methods of the table, row by row. Cost: for n measured points up to 256 n^3 for each
// method and n^2 for each instance; beyond 256 points each instance is judged by the 256 nearest.
std::vector<Belief> beliefs(const Timings& timings, std::span<const Instance> instances);

// That the first takes more time than the second by more than a fraction on another day, when the
// logarithms of the times of a method differ by a standard deviation of `session`. Tails as of
// ErrorTail.
double chance_slower(const Belief& one, const Belief& other, double fraction,
                     double session = kUsualOfSession);

}  // namespace colltree::surrogate
