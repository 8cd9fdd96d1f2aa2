// SPDX-License-Identifier: BSD-3-Clause
// How much of a test's repetitions is tried now. A test that repeats itself over numbered cases
// (seeds, recorded runs, folds) asks here which of them to try: in the default tier one in ten, in
// the thorough one in three, in the long one each (docs/developing/testing.md). Which ones they are
// follows from the number of the commit, so that successive landings try all of them.
#pragma once

#include <cstddef>
#include <vector>

namespace colltree::testing {

// Of the cases 0 to count - 1 those whose turn it is; at least one. COLLTREE_TEST_SHARE: percent of
// the cases, else 10; COLLTREE_TEST_SEED: the number that chooses them, else that of the commit.
// Prints both, which a failed test shows. Example: for (std::size_t seed : sampled(1000)) ...
std::vector<std::size_t> sampled(std::size_t count);

// The least prime from stride * 100 / COLLTREE_TEST_SHARE on, at most 100 percent: a prime is in
// step with no loop of a test.
std::size_t prime_stride(std::size_t stride);

std::size_t test_seed();

// COLLTREE_TEST_SHARE itself. Above 100 some tests try more than the long tier does, for hours.
std::size_t test_share();

}  // namespace colltree::testing
