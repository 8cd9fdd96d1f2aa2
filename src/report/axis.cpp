// SPDX-License-Identifier: BSD-3-Clause
#include "report/axis.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"

namespace colltree::report {

namespace {

double scaled(Scale scale, double value) {
  if (scale == Scale::kLog2) return std::log2(value);
  if (scale == Scale::kLog10) return std::log10(value);
  return value;
}

// "4K", "512": message sizes without the B, which the title says.
std::string bytes_label(std::uint64_t bytes) {
  std::string label = format_bytes(bytes);
  if (label.ends_with('B')) label.pop_back();
  return label;
}

std::string time_label(double us) {
  if (us >= 1e6) return fmt::format("{:g} s", us / 1e6);
  if (us >= 1e3) return fmt::format("{:g} ms", us / 1e3);
  if (us < 0.999) return fmt::format("{:g} ns", us * 1e3);
  return fmt::format("{:g} \u00b5s", us);
}

// Powers of two between the ends, every `step`-th of them labelled.
void add_powers(Axis& axis, int step, std::string (*label)(std::uint64_t)) {
  const int first = std::max(0, static_cast<int>(std::ceil(std::log2(axis.low) - 1e-9)));
  const int last = static_cast<int>(std::floor(std::log2(axis.high) + 1e-9));
  for (int power = first; power <= last && power < 63; ++power) {
    const std::uint64_t value = std::uint64_t{1} << power;
    axis.ticks.push_back({static_cast<double>(value), power % step == 0 ? label(value) : ""});
  }
}

std::string count_label(std::uint64_t count) { return fmt::format("{}", count); }

// The least 1, 2 or 5 times a power of ten that is not below `least`.
double round_step(double least) {
  const double decade = std::pow(10, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * decade >= least * (1 - 1e-9)) return factor * decade;
  }
  return 10 * decade;
}

bool grows_by_factors(std::span<const std::uint64_t> sizes) {
  constexpr double kFactor = 1.4;
  std::size_t factors = 0;
  for (std::size_t i = 1; i < sizes.size(); ++i) {
    if (static_cast<double>(sizes[i]) >= kFactor * static_cast<double>(sizes[i - 1])) ++factors;
  }
  return sizes.size() > 2 && 2 * factors > sizes.size() - 1;
}

Axis linear_count_axis(std::string title, std::span<const std::uint64_t> sizes, double pixels) {
  const auto low = static_cast<double>(sizes.front());
  const auto high = static_cast<double>(sizes.back());
  Axis axis{std::move(title), Scale::kLinear, low, high, {}};
  constexpr double kPixelsForALabel = 22;
  const double least = (high - low) / std::max(1.0, pixels / kPixelsForALabel);
  std::uint64_t step = 1;
  while (static_cast<double>(step) < least) step *= 2;  // ranks come in powers of two
  for (std::uint64_t value = (sizes.front() + step - 1) / step * step; value <= sizes.back();
       value += step) {
    axis.ticks.push_back({static_cast<double>(value), count_label(value)});
  }
  return axis;
}

}  // namespace

double Axis::place(double value) const {
  const double from = scaled(scale, low);
  const double to = scaled(scale, high);
  if (to <= from) return 0.5;
  return std::clamp((scaled(scale, std::max(value, low)) - from) / (to - from), 0.0, 1.0);
}

double message_place(std::uint64_t bytes) { return bytes == 0 ? 0.5 : static_cast<double>(bytes); }

Axis message_size_axis(double low, double high, double pixels, bool empty) {
  Axis axis{"message size [bytes]", Scale::kLog2, low, high, {}};
  constexpr double kPixelsForALabel = 34;
  const double per_power = pixels / std::max(1.0, std::log2(high / low));
  int step = 1;
  while (step * per_power < kPixelsForALabel) ++step;
  if (step == 2) step = 3;  // 1, 8, 64, 512, 4K: what people expect
  if (empty) axis.ticks.push_back({0.5, "0"});
  add_powers(axis, step, bytes_label);
  if (empty && per_power < kPixelsForALabel / 2) axis.ticks[1].label.clear();
  return axis;
}

Axis count_axis(std::string title, std::span<const std::uint64_t> sizes, double pixels) {
  if (!grows_by_factors(sizes)) return linear_count_axis(std::move(title), sizes, pixels);
  return log2_count_axis(std::move(title), static_cast<double>(sizes.front()),
                         static_cast<double>(sizes.back()), pixels);
}

Axis log2_count_axis(std::string title, double low, double high, double pixels) {
  Axis axis{std::move(title), Scale::kLog2, low, high, {}};
  constexpr double kPixelsForALabel = 22;
  const double per_power = pixels / std::max(1.0, std::log2(high / low));
  int step = 1;
  while (step * per_power < kPixelsForALabel) ++step;
  add_powers(axis, step, count_label);
  return axis;
}

Axis time_axis(double low_us, double high_us, double pixels) {
  Axis axis{"time", Scale::kLog10, low_us, high_us, {}};
  const int first = static_cast<int>(std::floor(std::log10(low_us)));
  const int last = static_cast<int>(std::ceil(std::log10(high_us)));
  const bool few = std::log10(high_us / low_us) < 1.5 && pixels > 100;
  for (int decade = first; decade <= last; ++decade) {
    for (int digit = 1; digit < 10; ++digit) {
      const double value = digit * std::pow(10, decade);
      if (value < low_us * (1 - 1e-9) || value > high_us * (1 + 1e-9)) continue;
      const bool labelled = digit == 1 || (few && (digit == 2 || digit == 5));
      axis.ticks.push_back({value, labelled ? time_label(value) : ""});
    }
  }
  return axis;
}

Axis linear_axis(std::string title, double high, double pixels) {
  constexpr double kPixelsForALabel = 36;
  const double step =
      round_step(std::max(high, 1e-9) / std::max(1.0, std::floor(pixels / kPixelsForALabel)));
  const auto steps = static_cast<int>(std::ceil(std::max(high, 1e-9) / step - 1e-9));
  Axis axis{std::move(title), Scale::kLinear, 0, steps * step, {}};
  for (int i = 0; i <= steps; ++i)
    axis.ticks.push_back({i * step, fmt::format("{:.6g}", i * step)});
  return axis;
}

Axis log_penalty_axis(std::string title, std::span<const double> penalties) {
  constexpr double kEnd = 1e-4;
  double least = 1;
  double most = 10 * kEnd;
  for (const double penalty : penalties) {
    most = std::max(most, penalty);
    if (penalty > 0) least = std::min(least, penalty);
  }
  const bool has_zero = std::ranges::any_of(penalties, [](double one) { return one < kEnd; });
  // A decade is left between the least and the zero.
  const int lowest = static_cast<int>(std::floor(std::log10(std::max(least, kEnd)) + 1e-9));
  const int end = static_cast<int>(std::lround(std::log10(kEnd)));
  const int first = has_zero && least < kEnd ? end : has_zero ? std::max(end, lowest - 1) : lowest;
  const int last = std::max(first + 1, static_cast<int>(std::ceil(std::log10(most) - 1e-9)));
  Axis axis{std::move(title), Scale::kLog10, std::pow(10, first), std::pow(10, last), {}};
  for (int decade = first; decade <= last; ++decade) {
    const double value = std::pow(10, decade);
    const bool zero = has_zero && decade == first;
    axis.ticks.push_back({value, zero ? "0" : fmt::format("{:.6g} %", 100 * value)});
    for (int digit = 2; digit < 10 && decade < last && !zero; ++digit) {
      axis.ticks.push_back({digit * value, ""});
    }
  }
  return axis;
}

Axis category_axis(std::string title, std::span<const std::string> names) {
  Axis axis{std::move(title), Scale::kLinear, -0.4, static_cast<double>(names.size()) - 0.6, {}};
  for (std::size_t i = 0; i < names.size(); ++i) {
    axis.ticks.push_back({static_cast<double>(i), names[i]});
  }
  return axis;
}

}  // namespace colltree::report
