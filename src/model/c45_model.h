// SPDX-License-Identifier: BSD-3-Clause
// The C4.5 decision tree of the 2006 paper as a model (kind "c45"): weight and confidence level
// rule its size (section 3, tables 2 and 4). Body in docs/formats/model.md.
#pragma once

#include <span>
#include <string>

#include "base/json.h"
#include "model/c45_based.h"

namespace colltree {

// One row of the paper's tables 2 and 4, on the training instances.
struct C45Statistics {
  std::uint64_t leaves_before = 0, nodes_before = 0, errors_before = 0;
  std::uint64_t leaves_after = 0, nodes_after = 0, errors_after = 0;
  double predicted_error_rate = 0;  // pessimistic estimate, a fraction
};

class C45Model final : public C45Based {
 public:
  // Fits.
  C45Model(ModelOrigin origin, const std::vector<Timings>& timings, const C45Options& options)
      : C45Model(std::move(origin), make_c45_table(timings, options.features), options) {}
  // From a file. Throws Error.
  explicit C45Model(const StoredModel& stored);

  std::string kind() const override { return "c45"; }
  Method decide(const Instance& instance) const override;
  // One root for each collective: the tests on the collective are decided beforehand.
  RuleTree lower() const override;
  Json body() const override;

  // As tables 1 and 5 of the paper print it: with (cases/errors).
  std::string text() const;
  const c45::Tree& tree() const { return tree_; }

 private:
  C45Model(ModelOrigin origin, const C45Table& table, const C45Options& options);
  void validate_tree() const;

  c45::Tree tree_;
};

struct C45SweepPoint {
  int weight = 0;
  float confidence_level = 0;
  C45Statistics statistics;
};

// Every weight with every confidence level: the tree is grown once per weight and pruned once per
// confidence level. Trees of the same figures are in tables 2 and 4. Weights are shared out over
// the machine's cores; the points are by weight, then by confidence level.
std::vector<C45SweepPoint> c45_sweep(const C45Table& table, std::span<const int> weights,
                                     std::span<const float> confidence_levels);

extern const Kind kC45Kind;

}  // namespace colltree
