// SPDX-License-Identifier: BSD-3-Clause
#include "cli/tune_verdict.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <iterator>

#include "base/text.h"
#include "deploy/tuning.h"
#include "evaluate/answer.h"

namespace colltree::cli {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kWidth = 100;
constexpr std::size_t kIndent = 8;  // behind the word of a row

// A row: its word, and its text in lines below each other.
void add_row(std::vector<std::string>& lines, std::string_view word, std::string_view text) {
  std::string line = fmt::format("  {:<{}}", word, kIndent - 2);
  bool is_begun = false;
  for (const std::string_view part : split(text, ' ')) {
    if (is_begun && line.size() + 1 + part.size() > kWidth) {
      lines.push_back(std::move(line));
      line = std::string(kIndent, ' ');
      is_begun = false;
    }
    if (is_begun) line += ' ';
    line += part;
    is_begun = true;
  }
  lines.push_back(std::move(line));
}

// Lists the items that fit in one row behind `before` bytes, and counts the others.
std::string listed(const std::vector<std::string>& items, std::size_t before) {
  constexpr std::size_t kFurther = 9;  // ", 12 more"
  std::string text;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const std::size_t further = i + 1 < items.size() ? kFurther : 0;
    const std::size_t end = kIndent + before + text.size() + 2 + items[i].size() + further;
    if (i > 0 && end > kWidth) return fmt::format("{}, {} more", text, items.size() - i);
    text += (i == 0 ? "" : ", ") + items[i];
  }
  return text;
}

// The deployed model of one collective, in figures.
struct Deployed {
  std::string_view collective;
  double versus_default = 0;  // a fraction of its time; below 0: less
  double share_slower = 0;    // of the sizes
  bool at_all_sizes = false;  // of both: expected, also between measured sizes; else of these
};

Deployed deployed_of(const deploy::Tuning& tuning, const deploy::FittedModel& fitted) {
  const Timings& timings = tuning.timings_of(fitted);
  const std::string_view collective = name(timings.collective);
  const auto& expectation = fitted.model.statistics.expectation;
  if (expectation && expectation->versus_default)
    return {collective, *expectation->versus_default, expectation->share_slower, true};
  const PenaltySummary summary = summarize(model::penalty_points(timings, fitted.model));
  return {collective, summary.versus_default.value_or(0), summary.share_slower.value_or(0)};
}

class Verdict {
 public:
  Verdict(const TunedIn& in, const deploy::Tuning& tuning) : in_(in), tuning_(tuning) {
    for (const deploy::FittedModel& fitted : tuning.fitted) {
      if (!fitted.deploy) continue;
      if (tuning.deploys(fitted)) {
        deployed_.push_back(deployed_of(tuning, fitted));
      } else {
        left_.emplace_back(name(fitted.model.origin.collectives.front()));
      }
    }
    for (const Collective collective : tuning.unmeasured)
      left_.push_back(fmt::format("{} (not measured)", name(collective)));
    std::ranges::stable_sort(deployed_, {}, &Deployed::versus_default);
  }

  std::vector<std::string> lines() {
    if (deployed_.empty()) {
      add_nothing();
      return std::move(lines_);
    }
    const std::string sizes = deployed_.front().at_all_sizes
                                  ? fmt::format("all sizes up to {} ranks", most_ranks())
                                  : "the sizes of the grid";
    lines_.push_back(
        fmt::format("Verdict for {} ({}, {}); what is expected is of {}:", tuning_.system.name,
                    tuning_.system.provenance, tuning_.system.mpi, sizes));
    add_left();
    add_gain();
    add_list("risk", "over 2 % slower at: ", " of the sizes", [](const Deployed& deployed) {
      return fmt::format("{} {:.2g} %", deployed.collective, 100 * deployed.share_slower);
    });
    add_setting();
    add_use();
    add_answer();
    return std::move(lines_);
  }

 private:
  bool is_simulated() const { return tuning_.system.provenance == profile::kProvenanceSimulated; }

  std::uint64_t most_ranks() const {
    std::uint64_t ranks = 0;
    for (const Timings& timings : tuning_.timings)
      ranks = std::max(ranks, timings.instances.back().communicator_size);
    return ranks;
  }

  void add_nothing() {
    std::string why = tuning_.undecided;
    if (why.empty())
      why = tuning_.verified.empty()
                ? "by these times no method is better than the library's own choice."
                : "the verification showed no gain over the library's own choice (--details).";
    const bool has_setting = tuning_.setting && !tuning_.setting->is_plain();
    add_row(lines_, "", (has_setting ? "No rules are deployed: " : "Nothing is deployed: ") + why);
    lines_.front().erase(0, kIndent);
    const std::string file = tuning_.run_time_file.empty() && !tuning_.rules.empty()
                                 ? tuning_.rules.rbegin()->second.front().name
                                 : tuning_.run_time_file;
    if (!file.empty())
      add_row(lines_, "", fmt::format("{} leaves every call to the library.", file));
    add_setting();
  }

  void add_setting() {
    if (!tuning_.setting) return;
    std::string text = deploy::setting_text(*tuning_.setting);
    if (!tuning_.setting->is_plain()) text += "; load " + tuning_.setting_files.front();
    add_row(lines_, "set", text);
  }

  // Below the head, with as many rows as find room. For its first row others go.
  void add_answer() {
    constexpr std::size_t kMostLines = 12;
    for (const char* begin : {"  risk", "        left to the library"}) {
      if (lines_.size() + 2 > kMostLines)
        std::erase_if(lines_, [&](const std::string& line) { return line.starts_with(begin); });
    }
    if (lines_.size() + 2 > kMostLines) return;
    const std::size_t room = kMostLines - lines_.size() - 1;
    std::string text = answer_table(evaluate::telling_rows(deployed_answer(tuning_), room)).text();
    text.pop_back();
    const auto table = split(text, '\n');
    lines_.insert(lines_.begin() + 1, table.begin(), table.end());
  }

  void add_list(std::string_view word, const std::string& before, const std::string& behind,
                const std::function<std::string(const Deployed&)>& text) {
    std::vector<std::string> items;
    for (const Deployed& deployed : deployed_) items.push_back(text(deployed));
    add_row(lines_, word, before + listed(items, before.size() + behind.size()) + behind);
  }

  // Jobs above the measured communicator sizes then run as without the files.
  bool leaves_larger_jobs() const {
    return std::ranges::all_of(tuning_.fitted, [&](const deploy::FittedModel& fitted) {
      if (!fitted.deploy) return true;
      const auto& instances = tuning_.timings_of(fitted).instances;
      return std::ranges::all_of(instances, [&](Instance larger) {
        larger.communicator_size = most_ranks() + 1;
        return is_library_default(fitted.model.decide(larger));
      });
    });
  }

  void add_left() {
    std::vector<std::string> left = left_;
    if (leaves_larger_jobs())
      left.push_back(fmt::format("all calls on more than {} ranks", most_ranks()));
    const std::string before = "left to the library: ";
    if (!left.empty()) add_row(lines_, "", before + listed(left, before.size()));
  }

  void add_gain() {
    add_list("gain", "time beside the default: ", "", [](const Deployed& deployed) {
      return fmt::format("{} {:+.2g} %", deployed.collective, 100 * deployed.versus_default);
    });
    if (is_simulated()) return;
    if (!tuning_.kept_gain)
      return add_row(lines_, "", "not verified: a method can have been the fastest by chance");
    add_row(
        lines_, "",
        fmt::format("verified{}: {:.3g} times as fast (95 %: {:.3g} to {:.3g}) at {} instance{}",
                    tuning_.sessions > 1 ? fmt::format(" in {} sessions", tuning_.sessions) : "",
                    tuning_.kept_gain->factor, tuning_.kept_gain->interval.low,
                    tuning_.kept_gain->interval.high, tuning_.kept_instances,
                    tuning_.kept_instances == 1 ? "" : "s"));
  }

  void add_use() {
    if (is_simulated())
      return add_row(
          lines_, "use",
          "not for deployment: these times are simulated; --launcher measures a real cluster");
    if (!tuning_.run_time_file.empty()) {
      add_row(lines_, "load",
              fmt::format("colltree run --model {} -- {} PROGRAM", tuning_.run_time_file,
                          with_value(in_.launcher, "ranks", std::to_string(most_ranks()))));
      return add_row(lines_, "undo",
                     "start programs without 'colltree run'; nothing else is changed");
    }
    const auto& [ranks_per_node, files] = *tuning_.rules.rbegin();
    if (tuning_.rules.size() > 1)
      add_row(lines_, "load",
              fmt::format("in jobs with {} ranks on each node (the folder has a file for each "
                          "placement)",
                          ranks_per_node));
    bool is_first = tuning_.rules.size() == 1;
    for (const std::string& line : rules::shell_lines(files)) {
      lines_.push_back(fmt::format("  {:<{}}{}", is_first ? "load" : "", kIndent - 2, line));
      is_first = false;
    }
    add_row(lines_, "undo", "start jobs without these lines; nothing else is changed");
  }

  const TunedIn& in_;
  const deploy::Tuning& tuning_;
  std::vector<Deployed> deployed_;
  std::vector<std::string> left_;  // collectives without a rule
  std::vector<std::string> lines_;
};

}  // namespace

std::vector<evaluate::AnswerRow> deployed_answer(const deploy::Tuning& tuning) {
  std::vector<evaluate::AnswerRow> rows;
  for (const deploy::FittedModel& fitted : tuning.fitted) {
    if (!fitted.deploy || !tuning.deploys(fitted)) continue;
    const auto choose = [&](const Instance& instance) { return fitted.model.decide(instance); };
    std::ranges::move(evaluate::answer_of(tuning.timings_of(fitted), choose),
                      std::back_inserter(rows));
  }
  return rows;
}

std::vector<std::string> verdict_lines(const TunedIn& in, const deploy::Tuning& tuning) {
  return Verdict(in, tuning).lines();
}

}  // namespace colltree::cli
