// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <optional>
#include <vector>

#include "proofs.h"
#include "trial.h"

namespace colltree::test {

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
