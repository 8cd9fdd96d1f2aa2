// SPDX-License-Identifier: BSD-3-Clause
#include "model/optimal/bisection.h"

#include <limits>

namespace colltree::optimal {

namespace {

class Bisection {
 public:
  Bisection(const std::vector<double>& limits, std::size_t most_leaves, const FewestLeaves& ask)
      : limits_(limits), ask_(ask), low_(most_leaves, 0), high_(most_leaves, limits.size()) {}

  // Halves the open interval of this number of leaves until nothing is open; false: stopped.
  bool settle(std::size_t leaves) {
    std::size_t& low = low_[leaves - 1];
    std::size_t& high = high_[leaves - 1];
    while (low < high) {
      // limits.size() stands for "no limit is kept"; the greatest limit tells whether that is so.
      const std::size_t middle =
          high == limits_.size() && low + 1 < high ? limits_.size() - 1 : (low + high) / 2;
      const auto fewest = ask_(limits_[middle]);
      if (!fewest) return false;
      note(middle, *fewest);
    }
    return true;
  }

  LimitBounds bounds() const {
    LimitBounds bounds;
    for (std::size_t k = 0; k < low_.size(); ++k) {
      bounds.low.push_back(at(low_[k]));
      bounds.high.push_back(at(high_[k]));
    }
    return bounds;
  }

 private:
  void note(std::size_t limit, std::size_t fewest) {
    for (std::size_t leaves = 1; leaves <= low_.size(); ++leaves) {
      if (leaves >= fewest) {
        high_[leaves - 1] = std::min(high_[leaves - 1], limit);
      } else {
        low_[leaves - 1] = std::max(low_[leaves - 1], limit + 1);
      }
    }
  }
  double at(std::size_t index) const {
    return index < limits_.size() ? limits_[index] : std::numeric_limits<double>::infinity();
  }

  const std::vector<double>& limits_;
  const FewestLeaves& ask_;
  std::vector<std::size_t> low_;  // index of the least limit that may be kept
  std::vector<std::size_t> high_;
};

}  // namespace

LimitBounds bisect_limits(const std::vector<double>& limits, std::size_t most_leaves,
                          std::size_t wanted, const FewestLeaves& fewest_leaves) {
  Bisection bisection(limits, most_leaves, fewest_leaves);
  bool running = bisection.settle(wanted);
  for (std::size_t leaves = 1; running && leaves <= most_leaves; ++leaves) {
    running = bisection.settle(leaves);
  }
  return bisection.bounds();
}

}  // namespace colltree::optimal
