// SPDX-License-Identifier: BSD-3-Clause
// The pessimistic error estimate of C4.5: the upper limit of a binomial error rate at confidence
// level CF (reference/c45-release8.md, section 5).
#pragma once

namespace colltree::c45 {

class Pessimistic {
 public:
  // `confidence` as a fraction: 0.25 for -c 25.
  explicit Pessimistic(float confidence);
  // Errors to add to the `errors` seen among `cases`.
  float extra(float cases, float errors) const;
  // Errors to expect of a leaf.
  float leaf(float cases, float errors) const { return errors + extra(cases, errors); }

 private:
  float no_error(float cases) const;

  double log_confidence_;
  float q_;  // the squared quantile
};

}  // namespace colltree::c45
