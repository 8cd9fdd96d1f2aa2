// SPDX-License-Identifier: BSD-3-Clause
// Axes of pictures: which values lie where, and which are labelled.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace colltree::report {

enum class Scale : std::uint8_t { kLinear, kLog2, kLog10 };

struct Tick {
  double value;
  std::string label;  // "" = a small tick
};

struct Axis {
  std::string title;  // with the unit
  Scale scale = Scale::kLinear;
  double low = 0;  // what is shown, in values
  double high = 1;
  std::vector<Tick> ticks;

  // 0 at `low`, 1 at `high`; outside: the nearer of them.
  double place(double value) const;
};

// Where an empty message lies on a logarithmic axis: half a byte, as for interpolation (grid.h).
double message_place(std::uint64_t bytes);

// `pixels` is the length there is for labels of about 11 pixels' height.
// `empty`: an empty message has its place there, and a label.
Axis message_size_axis(double low, double high, double pixels, bool empty = false);
// Counts: linear, or log2 when `sizes` (ascending) mostly grow by factors.
Axis count_axis(std::string title, std::span<const std::uint64_t> sizes, double pixels);
Axis log2_count_axis(std::string title, double low, double high, double pixels);
Axis time_axis(double low_us, double high_us, double pixels);
// From 0 to at least `high`, in the unit of the title.
Axis linear_axis(std::string title, double high, double pixels);
// Penalties as fractions, decade by decade, from below the least that is not zero (but not without
// end). When one is zero or below that end, the lowest tick is labelled 0: they are shown there.
Axis log_penalty_axis(std::string title, std::span<const double> penalties);
// A place for each name: 0, 1, 2, ...
Axis category_axis(std::string title, std::span<const std::string> names);

}  // namespace colltree::report
