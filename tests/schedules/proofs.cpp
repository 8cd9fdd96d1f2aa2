// SPDX-License-Identifier: BSD-3-Clause
// The time that a schedule takes, by a network whose answers are all different, beside its formula;
// and the table of docs/reference/algorithms.md.
#include "proofs.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <vector>

#include "parametric/formulas.h"
#include "trial.h"

namespace colltree::test {

namespace {

// A formula is the schedule's time but for what it leaves out: messages that are cut in two, ranks
// that need not wait for one that joins, segments that wait for each other.
constexpr double kMostWhole = 2.001;
constexpr double kMostCut = 4;

// One that waits for messages and one that waits for their bytes.
constexpr parametric::Network kNetworks[] = {{{1000, 30, 50, 0.01}, 0.003}, {{50, 3, 5, 1}, 0.3}};

// Formula / schedule, over methods, numbers of ranks and networks.
struct Ratios {
  double least = 1e9;
  double most = 0;
  std::string least_at;
  std::string most_at;

  bool empty() const { return most == 0; }
  void add(double ratio, const Trial& trial, std::size_t network) {
    if (ratio < least) least_at = fmt::format("{}, network {}", trial.text(), network);
    if (ratio > most) most_at = fmt::format("{}, network {}", trial.text(), network);
    least = std::min(least, ratio);
    most = std::max(most, ratio);
  }
  // "1", or the least and the greatest.
  std::string text() const {
    const bool equal = least > 0.995 && most < 1.005;
    return equal ? "1" : fmt::format("{:.2f}..{:.2f}", least, most);
  }
};

// In quarters, where it is cut.
std::vector<Method> methods_in_quarters(const AlgorithmInfo& info, int size) {
  const bool pieces = message_unit(info.collective) == MessageUnit::kMessage;
  const std::uint64_t quarter = pieces ? 24 * static_cast<std::uint64_t>(size) : 24;
  std::vector<Method> methods = portable_methods(info.collective, std::vector{quarter},
                                                 {.fanout = {2}, .radix = {3, 8}, .requests = {3}});
  std::erase_if(methods, [&](const Method& one) { return one.algorithm != info.algorithm; });
  return methods;
}

void add_ratios(const Trial& trial, Ratios& ratios) {
  const auto size = static_cast<std::uint64_t>(trial.size);
  const bool total = trial.collective == Collective::kReduceScatter;
  Instance at{trial.collective, size, message_size(trial) * (total ? size : 1)};
  if (trial.ranks_per_node != 0) {
    at.ranks_per_node = static_cast<std::uint64_t>(trial.ranks_per_node);
    at.nodes = size / at.ranks_per_node;
  }
  if (!runs_itself(trial) || effective_method(trial.method, at) != trial.method) return;
  for (std::size_t i = 0; i < std::size(kNetworks); ++i) {
    const auto expected = parametric::expected_us(kNetworks[i], trial.method, at);
    if (!expected) return;
    const Outcome outcome = run_trial(trial, 1, &kNetworks[i]);
    if (!outcome.right) fmt::print(stderr, "FAILED {}: wrong results\n", trial.text());
    ratios.add(*expected / outcome.traffic.time, trial, i);
  }
}

Ratios ratios_of(const AlgorithmInfo& info, bool cut) {
  Ratios ratios;
  const bool pieces = message_unit(info.collective) == MessageUnit::kMessage;
  const bool on_nodes = (info.needs & kHierarchy) != 0;
  for (const int size : {2, 3, 4, 5, 6, 7, 8, 12, 13, 16, 20, 24, 31, 32, 33, 48, 64}) {
    if (on_nodes && (size % 4 != 0 || size == 4)) continue;
    for (const Method& method : methods_in_quarters(info, size)) {
      if ((method.segment_size.value_or(0) != 0) != cut) continue;
      Trial trial{info.collective, method, size, pieces ? 12 * size : 12};
      trial.alike = true;
      if (on_nodes) {
        trial.spread = Spread::kBlocks;
        trial.ranks_per_node = 4;
      }
      add_ratios(trial, ratios);
    }
  }
  return ratios;
}

// Formula / schedule as the table of docs/reference/algorithms.md says it; "-": the row has no
// formula.
std::string cost_text(const AlgorithmInfo& info) {
  const Ratios whole = ratios_of(info, false);
  const Ratios cut = ratios_of(info, true);
  if (whole.empty() && cut.empty()) return "-";
  if (cut.empty()) return whole.text();
  return whole.empty() ? "cut " + cut.text() : whole.text() + ", cut " + cut.text();
}

}  // namespace

int check_costs() {
  int failures = 0;
  int rows = 0;
  for (const AlgorithmInfo& info : portable_algorithms()) {
    for (const bool cut : {false, true}) {
      const Ratios ratios = ratios_of(info, cut);
      if (ratios.empty()) continue;
      ++rows;
      const double most = cut ? kMostCut : kMostWhole;
      if (ratios.least >= 1 / most && ratios.most <= most) continue;
      ++failures;
      fmt::print(stderr, "FAILED formula / schedule: {:.3f} ({}) to {:.3f} ({}), not within {}\n",
                 ratios.least, ratios.least_at, ratios.most, ratios.most_at, most);
    }
  }
  fmt::print("{} rows, {} failures\n", rows, failures);
  return failures == 0 && rows > 0 ? 0 : 1;
}

namespace {

constexpr int kSizes[] = {64, 100};
constexpr std::string_view kBegin = "<!-- counted by schedule_check table -->";

std::string number(double value) { return fmt::format("{:.6g}", value); }

// Columns of what is counted, each at every size; "-" where the row does not run.
std::string line_of(const AlgorithmInfo& info) {
  const bool pieces = message_unit(info.collective) == MessageUnit::kMessage;
  std::vector<std::string> columns[4];
  for (const int size : kSizes) {
    Trial trial{info.collective, {std::string(info.algorithm), 0, {}}, size, pieces ? size : 1};
    if ((info.needs & kHierarchy) != 0) trial.spread = Spread::kBlocks;
    trial.ranks_per_node = 8;
    trial.alike = true;
    const bool runs = runs_itself(trial);
    const Traffic one = runs ? run_trial(trial, 1).traffic : Traffic();
    const Traffic all = runs ? run_trial(trial, size).traffic : Traffic();
    const double message = 8.0 * (pieces ? size : 1);
    const double counted[] = {one.time, all.time, static_cast<double>(one.messages),
                              static_cast<double>(one.bytes) / message};
    for (std::size_t i = 0; i < std::size(columns); ++i)
      columns[i].push_back(runs ? number(counted[i]) : "-");
  }
  std::string line = fmt::format("| {} | {} |", name(info.collective), info.algorithm);
  for (const auto& column : columns) {
    for (const std::string& text : column) line += fmt::format(" {} |", text);
  }
  return line + fmt::format(" {} |", cost_text(info));
}

// The lines of the table behind its mark and its two head lines.
std::vector<std::string> lines_of(const std::string& docs) {
  std::ifstream file(docs);
  std::vector<std::string> lines;
  bool inside = false;
  for (std::string line; std::getline(file, line);) {
    if (inside && !line.starts_with("|")) break;
    if (inside) lines.push_back(line);
    inside = inside || line == kBegin;
  }
  if (lines.size() >= 2) lines.erase(lines.begin(), lines.begin() + 2);
  return lines;
}

}  // namespace

int check_table(const std::string& docs) {
  const std::vector<std::string> there = lines_of(docs);
  std::vector<std::string> counted;
  for (const AlgorithmInfo& info : portable_algorithms()) counted.push_back(line_of(info));
  if (there == counted) {
    fmt::print("{} rows\n", counted.size());
    return 0;
  }
  fmt::print(stderr, "FAILED {}: behind '{}' should stand, under the head of the table:\n", docs,
             kBegin);
  for (const std::string& line : counted) {
    const bool right = std::ranges::find(there, line) != there.end();
    fmt::print("{}{}\n", line, right ? "" : "  <- differs");
  }
  return 1;
}

}  // namespace colltree::test
