// SPDX-License-Identifier: BSD-3-Clause
#include "batch/batch_template.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>

#include "base/error.h"
#include "base/text.h"
#include "measure/installed_library.h"

namespace colltree::batch {

namespace {

constexpr double kMinute_s = 60;
constexpr double kHour_s = 60 * kMinute_s;
constexpr double kDay_s = 24 * kHour_s;

// Options that would hide a job, or its output, from the process that watches it.
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
  const std::vector<std::string> words = measure::split_command(options, "--slurm");
  // Of several parts, each with its own nodes, srun without --het-group uses the first only.
  if (std::ranges::find(words, ":") != words.end()) {
    throw UsageError(
        "--slurm: ' : ' makes a heterogeneous job, and srun starts ranks in its first part only; "
        "ask for one part");
  }
  for (const std::string& word : words) {
    for (const std::string_view ours : kOurs) {
      if (word == ours || word.starts_with(fmt::format("{}=", ours)))
        throw UsageError(fmt::format("--slurm: {} is set by colltree itself; leave it out", ours));
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
      throw UsageError(fmt::format("--slurm: expected a number of nodes, got '{}'", *nodes));
  }
  const auto tasks_of = [&](const char* letter, const char* name) -> std::optional<std::uint64_t> {
    const auto text = value_of(words, letter, name);
    if (!text) return std::nullopt;
    const auto tasks = parse_number<std::uint64_t>(*text);
    if (!tasks || *tasks == 0 || *tasks > kMostTasks)
      throw UsageError(
          fmt::format("--slurm: expected a number of tasks after {}, got '{}'", name, *text));
    return tasks;
  };
  shape.ranks = tasks_of("-n", "--ntasks");
  shape.ranks_per_node = tasks_of("--ntasks-per-node", "--ntasks-per-node");
  if (const auto limit = value_of(words, "-t", "--time")) {
    shape.limit_s = parse_slurm_limit_s(*limit);
    if (!shape.limit_s)
      throw UsageError(fmt::format(
          "--slurm: expected a time limit, 30, 1:30:00 or 1-00:00:00, got '{}'", *limit));
  }
  return shape;
}

namespace {

constexpr std::string_view kHeader = "colltree-batch 1";

// scontrol knows a job for some minutes after its end, sacct (where there is accounting) for ever.
constexpr const char* kSlurm = R"(colltree-batch 1
submit sbatch --parsable --open-mode=append --output={output} {options} {begin} {script}
begin --begin=now+{seconds}
job ^([0-9]+)
look scontrol -o show job {job}
look sacct -n -P -X -j {job} -o State,ElapsedRaw,NNodes
state pending (JobState=|^)(PENDING|CONFIGURING|REQUEUE\w*|RESV_DEL_HOLD|SPECIAL_EXIT)
state running (JobState=|^)(RUNNING|COMPLETING|SUSPENDED|STOPPED|RESIZING|SIGNALING|STAGE_OUT)
state done (JobState=|^)COMPLETED
state timed_out (JobState=|^)(TIMEOUT|DEADLINE)
state cancelled (JobState=|^)(CANCELLED|REVOKED)
state node_failed (JobState=|^)(NODE_FAIL|BOOT_FAIL)
state preempted (JobState=|^)PREEMPTED
state out_of_memory (JobState=|^)OUT_OF_MEMORY
state failed (JobState=|^)FAILED
seconds RunTime=([-0-9:]+)
seconds \|([0-9]+)\|
nodes NumNodes=([0-9]+)
nodes \|([0-9]+)$
cancel scancel {job}
script
#!/bin/bash
{command}
)";

// std::regex calls itself for each part of a pattern, and for each repetition that it counts: large
// ones are more than the stack.
bool is_small(const std::string& pattern) {
  std::uint64_t repetitions = 1;
  for (std::size_t at = 0; at < pattern.size(); ++at) {
    if (pattern[at] != '{') continue;
    const std::string_view counts = std::string_view(pattern).substr(at + 1);
    std::uint64_t most = 1;
    for (const std::string_view count : split(counts.substr(0, counts.find('}')), ','))
      most = std::max(most, parse_number<std::uint64_t>(count).value_or(1));
    repetitions *= std::min<std::uint64_t>(most, 1000);
    if (repetitions > 100) return false;
  }
  return pattern.size() <= 500;
}

class TemplateReader {
 public:
  TemplateReader(const std::string& text, const std::string& file) : file_(file) {
    made_.name = file;
    const auto lines = split(text, '\n');
    if (lines.front() != kHeader) throw ParseError(file, 1, kHeader, lines.front());
    for (number_ = 2; number_ <= lines.size() && lines[number_ - 1] != "script"; ++number_)
      take(lines[number_ - 1]);
    if (number_ > lines.size()) miss("script");
    made_.script = text.substr(static_cast<std::size_t>(lines[number_ - 1].data() - text.data()) +
                               std::string_view("script\n").size());
    check();
  }

  BatchTemplate made() const { return made_; }

 private:
  using Setter = std::function<void(TemplateReader&, const std::string&)>;

  static const std::map<std::string, Setter, std::less<>>& setters() {
    static const std::map<std::string, Setter, std::less<>> all = {
        {"submit", [](auto& r, auto& v) { r.made_.submit = v; }},
        {"begin", [](auto& r, auto& v) { r.made_.begin = v; }},
        {"job", [](auto& r, auto& v) { r.made_.job = r.pattern(v); }},
        {"look", [](auto& r, auto& v) { r.made_.look.push_back(v); }},
        {"state", [](auto& r, auto& v) { r.take_state(v); }},
        {"seconds", [](auto& r, auto& v) { r.made_.seconds.push_back(r.pattern(v)); }},
        {"nodes", [](auto& r, auto& v) { r.made_.nodes.push_back(r.pattern(v)); }},
        {"cancel", [](auto& r, auto& v) { r.made_.cancel = v; }},
        {"nodes_asked",
         [](auto& r, auto& v) {
           r.made_.nodes_asked = parse_number<std::uint64_t>(v);
           if (!r.made_.nodes_asked) r.refuse("a number of nodes", v);
         }},
        {"time_asked",
         [](auto& r, auto& v) {
           r.made_.seconds_asked = parse_duration_s(v);
           if (!r.made_.seconds_asked) r.refuse("a time, S, M:S, H:M:S or D-H:M:S", v);
         }},
    };
    return all;
  }

  void take(std::string_view line) {
    if (line.empty() || line.starts_with('#')) return;
    const std::size_t blank = std::min(line.find(' '), line.size());
    const auto found = setters().find(line.substr(0, blank));
    const std::string value(trim(line.substr(blank)));
    if (found == setters().end() || value.empty()) {
      std::vector<std::string> keys;
      for (const auto& [key, setter] : setters()) keys.push_back(key);
      refuse(fmt::format("script or a value of {}", join(keys, ", ")), line);
    }
    seen_.insert_or_assign(found->first, number_);
    found->second(*this, value);
  }

  void take_state(const std::string& value) {
    const std::size_t blank = std::min(value.find(' '), value.size());
    const auto state = find_job_state(std::string_view(value).substr(0, blank));
    if (!state || blank == value.size())
      refuse(
          "a state (pending, running, done, timed_out, cancelled, node_failed, preempted, "
          "out_of_memory, failed, gone) and a pattern",
          value);
    made_.states.emplace_back(*state, pattern(value.substr(blank + 1)));
  }

  std::regex pattern(const std::string& text) const {
    if (!is_small(text))
      refuse("a regular expression of 500 bytes at most, with repetitions up to 100 in all", text);
    try {
      return std::regex(text, std::regex::ECMAScript | std::regex::multiline);
    } catch (const std::regex_error&) {
      refuse("a regular expression", text);
    }
  }

  void check() const {
    for (const char* key : {"submit", "job", "look", "state"}) {
      if (!seen_.contains(key)) miss(key);
    }
    if (made_.submit.find("{script}") == std::string::npos) lacks("submit", "{script}");
    if (!made_.begin.empty()) {
      if (made_.submit.find("{begin} ") == std::string::npos) lacks("submit", "{begin}");
      if (made_.begin.find("{seconds}") == std::string::npos) lacks("begin", "{seconds}");
    }
    for (const std::string& look : made_.look)
      if (look.find("{job}") == std::string::npos) lacks("look", "{job}");
    if (made_.script.find("{command}") == std::string::npos)
      throw ParseError(file_, number_, "{command} in the script", "none");
  }

  void lacks(std::string_view key, std::string_view what) const {
    throw ParseError(file_, seen_.find(key)->second, fmt::format("{} after {}", what, key), "none");
  }
  [[noreturn]] void miss(std::string_view key) const {
    throw Error(
        fmt::format("{}: has no line '{}'; docs/tasks/batch.md shows a whole one", file_, key));
  }
  [[noreturn]] void refuse(std::string_view expected, std::string_view got) const {
    throw ParseError(file_, number_, expected, got);
  }

  std::string file_;
  std::size_t number_ = 0;
  std::map<std::string, std::size_t, std::less<>> seen_;
  BatchTemplate made_;
};

}  // namespace

BatchTemplate parse_batch_template(const std::string& text, const std::string& file) {
  return TemplateReader(text, file).made();
}

std::string submit_text(const BatchTemplate& words, std::uint64_t begin_in_s) {
  constexpr std::string_view kBegin = "{begin} ";
  const std::string begin = with_value(words.begin, "seconds", std::to_string(begin_in_s)) + " ";
  std::string text = words.submit;
  if (const std::size_t at = text.find(kBegin); at != std::string::npos)
    text.replace(at, kBegin.size(), begin_in_s == 0 ? "" : begin);
  return text;
}

BatchTemplate slurm_template(const std::string& options) {
  BatchTemplate slurm = parse_batch_template(kSlurm, "Slurm");
  const JobShape shape = slurm_shape(options);
  slurm.nodes_asked = shape.nodes;
  slurm.seconds_asked = shape.limit_s;
  const std::size_t at = slurm.submit.find("{options}");
  slurm.submit.replace(at, std::string_view("{options}").size(), options);
  return slurm;
}

}  // namespace colltree::batch
