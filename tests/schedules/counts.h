// SPDX-License-Identifier: BSD-3-Clause
// What is counted of the messages of several trials, and what must hold of it whatever the
// algorithm: no row of its own says what it sends.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>

#include "trial.h"

namespace colltree::test {

class Failures {
 public:
  void add(const Trial& trial, std::string_view why);
  long count() const { return count_; }

 private:
  long count_ = 0;
};

// The traffic of one collective on a number of ranks.
class Counts {
 public:
  Counts(Collective collective, int size, Failures& failures)
      : collective_(collective), size_(size), failures_(failures) {}

  void add(const Trial& trial, const Traffic& traffic);

  // After all methods: the papers' bounds are reached.
  void check_least();

 private:
  // A trial but for its segments.
  using Key = std::tuple<std::string, int, int, bool, Spread, int>;

  void check_segments(const Trial& trial, const Traffic& traffic);
  void check_nodes(const Trial& trial, const Traffic& traffic);

  Collective collective_;
  int size_;
  Failures& failures_;
  std::map<Key, std::uint64_t> uncut_bytes_;
  double least_rounds_ = 1e9;
  std::optional<std::uint64_t> least_bytes_;  // of calls whose blocks are words
};

}  // namespace colltree::test
