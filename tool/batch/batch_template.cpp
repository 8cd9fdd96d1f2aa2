// SPDX-License-Identifier: BSD-3-Clause
#include "batch/batch_template.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>

#include "base/error.h"
#include "base/text.h"
#include "measure/installed_library.h"

namespace colltree::batch {

namespace {

constexpr double kMinute_s = 60;
constexpr double kDay_s = 24 * 60 * kMinute_s;

// Options that would hide the name of a job, or its output.
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

// "H:M:S" with as many parts as there are.
std::optional<double> parse_clock_s(std::string_view text) {
  double sum_s = 0;
  const auto parts = split(text, ':');
  for (const std::string_view part : parts) {
    const auto number = parse_number<std::uint32_t>(part);
    if (!number) return std::nullopt;
    sum_s = sum_s * 60 + *number;
  }
  return parts.size() <= 3 ? std::optional(sum_s) : std::nullopt;
}

}  // namespace

std::optional<double> parse_time_s(std::string_view text, double unit_s) {
  const std::size_t dash = text.find('-');
  if (dash == std::string_view::npos) {
    const auto clock_s = parse_clock_s(text);
    return clock_s && text.find(':') == std::string_view::npos ? *clock_s * unit_s : clock_s;
  }
  const auto days = parse_number<std::uint32_t>(text.substr(0, dash));
  std::string clock(text.substr(dash + 1));  // hours first
  while (split(clock, ':').size() < 3) clock += ":0";
  const auto clock_s = parse_clock_s(clock);
  return days && clock_s ? std::optional(*days * kDay_s + *clock_s) : std::nullopt;
}

JobShape slurm_shape(const std::string& options) {
  JobShape shape;
  if (trim(options).empty()) return shape;
  const std::vector<std::string> words = measure::split_command(options, "--batch");
  // Without --het-group srun uses only the first of several parts, each with its own nodes.
  if (std::ranges::find(words, ":") != words.end()) {
    throw UsageError(
        "--batch: ' : ' makes a heterogeneous job, and srun starts ranks in its first part only; "
        "ask for one part");
  }
  for (const std::string& word : words) {
    for (const std::string_view ours : kOurs) {
      if (word == ours || word.starts_with(fmt::format("{}=", ours)))
        throw UsageError(fmt::format("--batch: {} is set by colltree itself; leave it out", ours));
    }
  }
  constexpr std::uint64_t kMostTasks = 1 << 20;
  // "2-4" nodes: at most four.
  if (const auto nodes = value_of(words, "-N", "--nodes")) {
    const std::size_t dash = nodes->find('-');
    const auto least = parse_number<std::uint64_t>(nodes->substr(0, dash));
    shape.nodes =
        dash == std::string::npos ? least : parse_number<std::uint64_t>(nodes->substr(dash + 1));
    if (!least || !shape.nodes || *shape.nodes < std::max(*least, std::uint64_t{1}))
      throw UsageError(fmt::format("--batch: expected a number of nodes, got '{}'", *nodes));
  }
  const auto tasks_of = [&](const char* letter, const char* name) -> std::optional<std::uint64_t> {
    const auto text = value_of(words, letter, name);
    if (!text) return std::nullopt;
    const auto tasks = parse_number<std::uint64_t>(*text);
    if (!tasks || *tasks == 0 || *tasks > kMostTasks)
      throw UsageError(
          fmt::format("--batch: expected a number of tasks after {}, got '{}'", name, *text));
    return tasks;
  };
  shape.ranks = tasks_of("-n", "--ntasks");
  shape.ranks_per_node = tasks_of("--ntasks-per-node", "--ntasks-per-node");
  if (const auto limit = value_of(words, "-t", "--time")) {
    shape.limit_s = parse_time_s(*limit, kMinute_s);
    if (!shape.limit_s)
      throw UsageError(fmt::format(
          "--batch: expected a time limit, 30, 1:30:00 or 1-00:00:00, got '{}'", *limit));
  }
  return shape;
}

namespace {

constexpr std::string_view kHeader = "colltree-batch 1";

constexpr const char* kSlurm = R"(colltree-batch 1
submit sbatch --parsable --open-mode=append --output={output} {options} {dependency} {begin} {script}
dependency --dependency=afterany:{job}
begin --begin=now+{seconds}
job ^([0-9]+)
cancel scancel {job}
script
#!/bin/bash
{command}
)";

// std::regex calls itself for each part of a pattern, and for each repetition that it counts: large
// ones are more than the stack.
bool is_small(const std::string& pattern) {
  std::uint64_t repetitions = 1;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] != '{') continue;
    const std::string_view counts = std::string_view(pattern).substr(i + 1);
    std::uint64_t most = 1;
    for (const std::string_view count : split(counts.substr(0, counts.find('}')), ','))
      most = std::max(most, parse_number<std::uint64_t>(count).value_or(1));
    repetitions *= std::min<std::uint64_t>(most, 1000);
    if (repetitions > 100) return false;
  }
  return pattern.size() <= 500;
}

// A key of a template, and the part that its value must hold.
struct KeyRow {
  std::string_view name;
  std::string_view part = "";
  bool is_needed = false;
};
constexpr KeyRow kKeys[] = {
    {"submit", "{script}", true},
    {"dependency", "{job}"},
    {"begin"},
    {"job", "", true},
    {"cancel"},
    {"nodes_asked"},
    {"time_asked"},
    // Colltree 1 watched jobs by them. Its templates still work.
    {"look"},
    {"state"},
    {"seconds"},
    {"nodes"},
};

class TemplateReader {
 public:
  TemplateReader(const std::string& text, const std::string& file) : file_(file) {
    const auto lines = split(text, '\n');
    if (lines.front() != kHeader) throw ParseError(file, 1, kHeader, lines.front());
    std::size_t number = 2;
    for (; number <= lines.size() && lines[number - 1] != "script"; ++number)
      take(lines[number - 1], number);
    if (number > lines.size()) miss("script");
    script_ = text.substr(static_cast<std::size_t>(lines[number - 1].data() - text.data()) +
                          std::string_view("script\n").size());
    if (script_.find("{command}") == std::string::npos)
      throw ParseError(file_, number, "{command} in the script", "none");
  }

  BatchTemplate batch_template() const {
    for (const KeyRow& key : kKeys) {
      if (key.is_needed && !values_.contains(key.name)) miss(key.name);
      require(key.name, key.part);
    }
    for (const std::string_view key : {"dependency", "begin"})
      if (values_.contains(key)) require("submit", fmt::format("{{{}}}", key));
    if (value("begin").find('%') == std::string::npos) require("begin", "{seconds}");
    BatchTemplate system;
    system.name = file_;
    system.submit = value("submit");
    system.dependency = value("dependency");
    system.begin = value("begin");
    system.job = pattern("job");
    system.cancel = value("cancel");
    if (const auto asked = values_.find("nodes_asked"); asked != values_.end()) {
      system.nodes_asked = parse_number<std::uint64_t>(asked->second.value);
      if (!system.nodes_asked) refuse(asked->second, "a number of nodes");
    }
    if (const auto asked = values_.find("time_asked"); asked != values_.end()) {
      system.seconds_asked = parse_time_s(asked->second.value, 1);
      if (!system.seconds_asked) refuse(asked->second, "a time, S, M:S, H:M:S or D-H:M:S");
    }
    system.script = script_;
    return system;
  }

 private:
  struct Line {
    std::size_t number;
    std::string value;
  };

  void take(std::string_view line, std::size_t number) {
    if (line.empty() || line.starts_with('#')) return;
    const std::size_t blank = std::min(line.find(' '), line.size());
    const auto key = std::ranges::find(kKeys, line.substr(0, blank), &KeyRow::name);
    const std::string value(trim(line.substr(blank)));
    if (key == std::end(kKeys) || value.empty()) {
      std::vector<std::string> names;
      for (const KeyRow& row : kKeys) names.emplace_back(row.name);
      throw ParseError(file_, number, fmt::format("script or a value of {}", join(names, ", ")),
                       line);
    }
    values_.insert_or_assign(key->name, Line{number, value});
  }

  std::string value(std::string_view key) const {
    const auto found = values_.find(key);
    return found == values_.end() ? "" : found->second.value;
  }

  // Throws where the key is there and its value does not hold the part.
  void require(std::string_view key, std::string_view part) const {
    const auto found = values_.find(key);
    if (found != values_.end() && found->second.value.find(part) == std::string::npos)
      throw ParseError(file_, found->second.number, fmt::format("{} after {}", part, key), "none");
  }

  std::regex pattern(std::string_view key) const {
    const Line& line = values_.find(key)->second;
    if (!is_small(line.value))
      refuse(line, "a regular expression of 500 bytes at most, with repetitions up to 100 in all");
    try {
      return std::regex(line.value, std::regex::ECMAScript | std::regex::multiline);
    } catch (const std::regex_error&) {
      refuse(line, "a regular expression");
    }
  }

  [[noreturn]] void refuse(const Line& line, std::string_view expected) const {
    throw ParseError(file_, line.number, expected, line.value);
  }

  [[noreturn]] void miss(std::string_view key) const {
    throw Error(
        fmt::format("{}: has no line '{}'; docs/tasks/batch.md shows a whole one", file_, key));
  }

  std::string file_;
  std::map<std::string_view, Line> values_;
  std::string script_;
};

}  // namespace

BatchTemplate parse_batch_template(const std::string& text, const std::string& file) {
  return TemplateReader(text, file).batch_template();
}

BatchTemplate slurm_template(const std::string& options) {
  BatchTemplate slurm = parse_batch_template(kSlurm, "Slurm");
  const JobShape shape = slurm_shape(options);
  slurm.nodes_asked = shape.nodes;
  slurm.seconds_asked = shape.limit_s;
  slurm.submit = with_value(slurm.submit, "options", options);
  return slurm;
}

}  // namespace colltree::batch
