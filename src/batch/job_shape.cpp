// SPDX-License-Identifier: BSD-3-Clause
#include "batch/job_shape.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "base/error.h"
#include "base/text.h"
#include "measure/launch.h"

namespace colltree {

namespace {

constexpr double kMinute_s = 60;
constexpr double kHour_s = 60 * kMinute_s;
constexpr double kDay_s = 24 * kHour_s;

// What would hide a job, or its output, from who watches it.
constexpr std::array<std::string_view, 8> kOurs = {
    "--output", "-o", "--array", "-a", "--wrap", "--parsable", "--open-mode", "--wait"};

// The value of an option in either spelling, "-N4", "-N 4", "--nodes=4", "--nodes 4"; the last
// counts.
std::optional<std::string> value_of(const std::vector<std::string>& words, std::string_view shortly,
                                    std::string_view fully) {
  std::optional<std::string> value;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == shortly || word == fully) {
      if (i + 1 < words.size()) value = words[i + 1];
    } else if (word.starts_with(fmt::format("{}=", fully))) {
      value = word.substr(fully.size() + 1);
    } else if (word.starts_with(shortly) && !word.starts_with("--")) {
      value = word.substr(shortly.size());
    }
  }
  return value;
}

// "H:M:S" with as many parts as there are, the last of them worth `last_s`.
std::optional<double> parse_parts_s(std::string_view text, double last_s) {
  double sum_s = 0;
  const auto parts = split(text, ':');
  for (const std::string_view part : parts) {
    const auto number = parse_number<std::uint32_t>(part);
    if (!number) return std::nullopt;
    sum_s = sum_s * 60 + *number * last_s;
  }
  return parts.size() <= 3 ? std::optional(sum_s) : std::nullopt;
}

}  // namespace

std::optional<double> parse_duration_s(std::string_view text) {
  const std::size_t dash = text.find('-');
  if (dash == std::string_view::npos) return parse_parts_s(text, 1);
  const auto days = parse_number<std::uint32_t>(text.substr(0, dash));
  const auto rest_s = parse_parts_s(text.substr(dash + 1), 1);
  if (!days || !rest_s) return std::nullopt;
  return *days * kDay_s + *rest_s;
}

std::optional<double> parse_slurm_limit_s(std::string_view text) {
  const std::size_t dash = text.find('-');
  if (dash == std::string_view::npos)
    return parse_parts_s(text, text.find(':') == std::string_view::npos ? kMinute_s : 1);
  const auto days = parse_number<std::uint32_t>(text.substr(0, dash));
  std::string clock(text.substr(dash + 1));  // hours first
  while (split(clock, ':').size() < 3) clock += ":0";
  const auto rest_s = parse_parts_s(clock, 1);
  if (!days || !rest_s) return std::nullopt;
  return *days * kDay_s + *rest_s;
}

JobShape slurm_shape(const std::string& options) {
  JobShape shape;
  if (trim(options).empty()) return shape;
  const std::vector<std::string> words = split_command(options, "--slurm");
  // Of several parts, each with its own nodes, srun without --het-group uses the first only.
  if (std::ranges::find(words, ":") != words.end()) {
    throw UsageError(
        "--slurm: ' : ' makes a heterogeneous job, and srun starts ranks in its first part only; "
        "ask for one part");
  }
  for (const std::string& word : words) {
    for (const std::string_view ours : kOurs) {
      if (word == ours || word.starts_with(fmt::format("{}=", ours)))
        throw UsageError(fmt::format("--slurm: {} is said by colltree itself; leave it out", ours));
    }
  }
  // "2-4" nodes: at most four.
  if (const auto nodes = value_of(words, "-N", "--nodes")) {
    const std::size_t dash = nodes->find('-');
    const auto least = parse_number<std::uint64_t>(nodes->substr(0, dash));
    shape.nodes =
        dash == std::string::npos ? least : parse_number<std::uint64_t>(nodes->substr(dash + 1));
    if (!least || !shape.nodes || *shape.nodes < std::max(*least, std::uint64_t{1}))
      throw UsageError(fmt::format("--slurm: expected a number of nodes, got '{}'", *nodes));
  }
  if (const auto limit = value_of(words, "-t", "--time")) {
    shape.limit_s = parse_slurm_limit_s(*limit);
    if (!shape.limit_s)
      throw UsageError(fmt::format(
          "--slurm: expected a time limit, 30, 1:30:00 or 1-00:00:00, got '{}'", *limit));
  }
  return shape;
}

}  // namespace colltree
