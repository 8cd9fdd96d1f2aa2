// SPDX-License-Identifier: BSD-3-Clause
// The distribution of prediction errors: a scaled Student's t, fitted to the surprises of a
// campaign. A system has sizes that nothing predicts, and a normal tail would rule them out.
#pragma once

#include <span>
#include <vector>

namespace colltree::surrogate {

// E[max(0, d + s Z)], Z standard normal: the gain over 0 of knowing a value of mean -d and standard
// deviation s (expected improvement; Jones et al. 1998).
double expected_excess(double difference, double deviation);

// A t distribution as a mixture of normal ones of several widths.
class ErrorTail {
 public:
  struct Width {
    double weight = 0;
    double factor = 1;  // of the predicted standard deviation
  };

  // Degrees of freedom 4, width as predicted: until there are surprises to learn from.
  ErrorTail();
  // Surprises: error / predicted standard deviation, of the latest measurements.
  static ErrorTail fitted(std::span<const double> surprises);

  const std::vector<Width>& widths() const { return widths_; }
  // The widths without the rarest, which is certain enough for a mean over a whole grid.
  std::span<const Width> usual_widths() const { return std::span(widths_).first(kUsual); }

  double expected_excess(double difference, double deviation) const;
  // The number of predicted standard deviations within which 95 % of the errors lie.
  double deviations_of_95() const;

 private:
  static constexpr std::size_t kUsual = 4;
  explicit ErrorTail(std::vector<Width> widths) : widths_(std::move(widths)) {}
  std::vector<Width> widths_;
};

}  // namespace colltree::surrogate
