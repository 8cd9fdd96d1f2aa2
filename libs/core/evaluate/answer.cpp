// SPDX-License-Identifier: BSD-3-Clause
#include "evaluate/answer.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/text.h"
#include "evaluate/runs.h"

namespace colltree::evaluate {

namespace {

// The instances of a class where the library's own choice has a time.
Timings select_class(const Timings& timings, std::size_t band) {
  std::vector<std::size_t> inside;
  for (std::size_t i = 0; i < timings.instances.size(); ++i) {
    if (band_of(timings.instances[i].message_size) == band &&
        !timings.default_us[i].is_impossible())
      inside.push_back(i);
  }
  return select_instances(timings, inside);
}

double geometric_mean(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += std::log(value);
  return std::exp(sum / static_cast<double>(values.size()));
}

std::string chosen_text(const Timings& timings, const Chooser& choose) {
  std::set<std::string> labels;
  for (const Instance& instance : timings.instances) {
    const Method method = choose(instance);
    labels.insert(is_library_default(method) ? "library's own" : method.label());
  }
  return labels.size() == 1 ? *labels.begin() : fmt::format("{} methods", labels.size());
}

}  // namespace

std::optional<Interval> versus_default_interval(const PenaltyPoints& points) {
  std::vector<double> ratios = points.versus_default;
  std::vector<double> draws = points.drawn_versus_default;
  for (double& ratio : ratios) ratio = std::log1p(ratio);
  for (double& ratio : draws) ratio = std::log1p(ratio);
  const auto interval = mean_interval(ratios, points.instances, {}, draws);
  if (!interval) return std::nullopt;
  return Interval{std::expm1(interval->low), std::expm1(interval->high)};
}

std::vector<AnswerRow> answer_of(const Timings& timings, const Chooser& choose) {
  std::vector<AnswerRow> rows;
  for (std::size_t band = 0; band < kBands; ++band) {
    const Timings inside = select_class(timings, band);
    const auto best = best_fixed_method(inside);
    if (!best) continue;
    const PenaltyPoints points = choose ? penalty_points(inside, choose) : best->points;
    if (points.versus_default.empty()) continue;
    const auto [least, most] = std::ranges::minmax(inside.instances, {}, &Instance::message_size);
    rows.push_back({.collective = timings.collective,
                    .least_bytes = least.message_size,
                    .most_bytes = most.message_size,
                    .default_us = geometric_mean(inside.default_us.known_us()),
                    .best = best->method.label(),
                    .chosen = choose ? chosen_text(inside, choose) : "",
                    .versus_default = *summarize(points).versus_default,
                    .interval = versus_default_interval(points)});
  }
  return rows;
}

std::vector<AnswerRow> telling_rows(std::vector<AnswerRow> rows, std::size_t most) {
  if (rows.size() <= most) return rows;
  std::vector<double> gains;
  for (const AnswerRow& row : rows) gains.push_back(row.versus_default);
  std::ranges::nth_element(gains, gains.begin() + static_cast<std::ptrdiff_t>(most));
  const double first_left_out = gains[most];
  // If several rows gain exactly as much as the first that finds no room, the first of them stay.
  auto equal = static_cast<std::size_t>(std::ranges::count_if(
      rows, [&](const AnswerRow& row) { return row.versus_default < first_left_out; }));
  std::erase_if(rows, [&](const AnswerRow& row) {
    return row.versus_default > first_left_out ||
           (row.versus_default == first_left_out && equal++ >= most);
  });
  return rows;
}

Table answer_table(const std::vector<AnswerRow>& rows) {
  const bool is_chosen =
      std::ranges::any_of(rows, [](const auto& row) { return !row.chosen.empty(); });
  Table table({{"collective", "collective", "  {:<20}"},
               {"least_message_size"},
               {"most_message_size"},
               {"message_sizes", "sizes", " {:<10}"},
               {"default_us", "default us", " {:>10.4g}"},
               {"best", "best one method", "  {:<20} "},
               {"chosen", is_chosen ? "deployed" : "", is_chosen ? "{:<16}" : ""},
               {"versus_default", " beside default", "{}"},
               {"low", "", ""},
               {"high", "", ""}});
  // Two digits, and whole percent from ten on.
  const auto percent = [](double fraction) {
    return std::abs(fraction) < 0.1 ? fmt::format("{:+.2g}", 100 * fraction)
                                    : fmt::format("{:+.0f}", 100 * fraction);
  };
  for (const AnswerRow& row : rows) {
    const std::string sizes =
        row.least_bytes == row.most_bytes
            ? format_bytes(row.least_bytes)
            : fmt::format("{}..{}", format_bytes(row.least_bytes), format_bytes(row.most_bytes));
    std::string gain = fmt::format("{:>4} %", percent(row.versus_default));
    if (row.interval)
      gain += fmt::format(" ({}..{})", percent(row.interval->low), percent(row.interval->high));
    table.add({name(row.collective), row.least_bytes, row.most_bytes, sizes, row.default_us,
               row.best, row.chosen, Cell(row.versus_default, gain),
               row.interval ? Cell(row.interval->low, "") : Cell(std::optional<double>()),
               row.interval ? Cell(row.interval->high, "") : Cell(std::optional<double>())});
  }
  return table;
}

}  // namespace colltree::evaluate
