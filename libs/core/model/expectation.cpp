// SPDX-License-Identifier: BSD-3-Clause
#include "model/expectation.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>

#include "base/random.h"
#include "base/statistics.h"
#include "base/text.h"
#include "model/optimal/expected_grid.h"
#include "surrogate/belief.h"
#include "surrogate/equals.h"

namespace colltree::model {

namespace {

constexpr std::size_t kDraws = 100;    // at each size
constexpr double kSurely = 3;          // standard deviations
constexpr std::size_t kMostNamed = 3;  // communicator sizes

class Judging {
 public:
  Judging(const RuleTree& rules, const optimal::MeasuredGrid& grid,
          const std::vector<Timings>& timings, std::uint64_t most_ranks)
      : rules_(rules), grid_(grid), most_ranks_(most_ranks) {
    default_column_ = column_of(library_default());
    for (const Timings& table : timings) {
      for (const Instance& instance : table.instances)
        measured_ranks_.insert(instance.communicator_size);
      if (table.session_deviation) expected_.session_measured = true;
      expected_.session_deviation =
          std::max(expected_.session_deviation, table.session_deviation.value_or(0));
      expected_.jobs = std::max(expected_.jobs, table.jobs);
      separable_ = separable_ && surrogate::tells_methods_from_jobs(table);
    }
    if (!expected_.session_measured) expected_.session_deviation = surrogate::kUsualOfSession;
  }

  Expectation run() {
    double change = 0;
    double judged = 0;
    for (std::size_t cell = 0; cell < grid_.cells(); ++cell) {
      if (grid_.share[cell] <= 0) continue;
      const std::uint64_t communicator_size = optimal::sizes_at(grid_, cell).communicator_size;
      if (communicator_size > most_ranks_) continue;
      const std::size_t chosen = chosen_at(cell);
      if (!can_run(cell, chosen)) continue;
      if (may_be_worth(communicator_size)) {
        savings_[communicator_size].weight += grid_.share[cell];
        savings_[communicator_size].sum += grid_.share[cell] * saving_at(cell, chosen);
      }
      if (!can_run(cell, default_column_)) continue;
      judged += grid_.share[cell];
      if (chosen == default_column_) continue;
      const surrogate::Belief of_default = belief(cell, default_column_);
      const surrogate::Belief of_chosen = belief(cell, chosen);
      change += grid_.share[cell] * (of_chosen.mean - of_default.mean);
      expected_.share_slower +=
          grid_.share[cell] *
          surrogate::chance_slower(of_chosen, of_default, kNoticeable, expected_.session_deviation);
    }
    if (judged > 0) {
      expected_.versus_default = std::expm1(change / judged);
      expected_.share_slower /= judged;
      expected_.promised = separable_ || is_more_than_between_jobs(change / judged);
    }
    list_worth();
    return std::move(expected_);
  }

 private:
  struct Saving {
    double sum = 0;
    double weight = 0;
  };

  // No size above the largest that was measured is worth measuring, because nobody said that the
  // machine has as many ranks.
  bool may_be_worth(std::uint64_t communicator_size) const {
    return communicator_size <= *measured_ranks_.rbegin() &&
           !measured_ranks_.contains(communicator_size);
  }

  // Both jobs, that of the chosen method and that of the default, may have been lucky.
  bool is_more_than_between_jobs(double log_change) const {
    return expected_.jobs == Jobs::kRepeated &&
           std::abs(log_change) > kDeviationsOf95 * std::sqrt(2) * expected_.session_deviation;
  }

  std::size_t column_of(const Method& method) const {
    return index_of(grid_.methods, method).value_or(grid_.methods.size());
  }
  // A method that is no candidate any more (it was left out of the fit) counts as the default.
  std::size_t chosen_at(std::size_t cell) const {
    const std::size_t column = column_of(decide(rules_, optimal::sizes_at(grid_, cell)));
    return column < grid_.methods.size() ? column : default_column_;
  }
  bool can_run(std::size_t cell, std::size_t method) const {
    return method < grid_.methods.size() &&
           !std::isnan(grid_.time_us[grid_.value_index(cell, method)]);
  }
  surrogate::Belief belief(std::size_t cell, std::size_t method) const {
    const std::size_t index = grid_.value_index(cell, method);
    return {std::log(grid_.time_us[index]), grid_.deviation[index]};
  }

  // The chosen method first, then the methods that may be faster.
  std::vector<surrogate::Belief> rivals(std::size_t cell, std::size_t chosen) const {
    std::vector<surrogate::Belief> rivals{belief(cell, chosen)};
    const double slow = rivals[0].mean + kSurely * rivals[0].deviation;
    for (std::size_t m = 0; m < grid_.methods.size(); ++m) {
      if (m == chosen || !can_run(cell, m)) continue;
      const surrogate::Belief rival = belief(cell, m);
      if (rival.mean - kSurely * rival.deviation < slow) rivals.push_back(rival);
    }
    return rivals;
  }

  // Estimates by random draws what the time there would shrink by if all times were known. The
  // draws are the same whatever else is judged.
  double saving_at(std::size_t cell, std::size_t chosen) const {
    const std::vector<surrogate::Belief> candidates = rivals(cell, chosen);
    if (candidates.size() == 1) return 0;
    SeededRandom random(cell);
    const auto draw = [&](const surrogate::Belief& log_time) {
      return log_time.mean + log_time.deviation * random.normal();
    };
    double sum = 0;
    for (std::size_t k = 0; k < kDraws; ++k) {
      const double of_chosen = draw(candidates[0]);
      double least = of_chosen;
      for (std::size_t i = 1; i < candidates.size(); ++i)
        least = std::min(least, draw(candidates[i]));
      sum += -std::expm1(least - of_chosen);
    }
    return sum / kDraws;
  }

  void list_worth() {
    for (const auto& [communicator_size, saving] : savings_) {
      const double mean = saving.sum / saving.weight;
      if (mean >= kNoticeable) expected_.worth.push_back({communicator_size, mean});
    }
    std::ranges::stable_sort(expected_.worth, std::greater(), &WorthMeasuring::saving);
  }

  const RuleTree& rules_;
  const optimal::MeasuredGrid& grid_;
  std::uint64_t most_ranks_;
  std::set<std::uint64_t> measured_ranks_;  // communicator sizes
  std::size_t default_column_ = 0;
  bool separable_ = true;                    // methods and jobs
  std::map<std::uint64_t, Saving> savings_;  // by communicator size
  Expectation expected_;
};

void add_gain(const Model& model, const Expectation& expectation, std::vector<std::string>& texts) {
  const double change = expectation.versus_default.value_or(0);
  if (change == 0) return;
  if (!expectation.promised) {
    texts.push_back(
        expectation.jobs == Jobs::kRepeated
            ? fmt::format(
                  "no gain is promised: jobs of one method were seen to differ by {:.2g} %, "
                  "which may be all that tells the methods apart",
                  100 * expectation.session_deviation)
            : "no gain is promised: each method may have been measured in a job of its own, and "
              "how much jobs differ is not known (docs/tasks/fitting.md)");
    return;
  }
  texts.push_back(
      fmt::format("expected at all sizes{}: {:.2g} % {} time than the library's own choice",
                  model.weighted ? " of the mix" : ", measured or not", 100 * std::abs(change),
                  change > 0 ? "more" : "less"));
  texts.push_back(fmt::format(
      "expected to be slower than it by more than {:.0f} % at {:.2g} % of the sizes (a method {} "
      "to differ by {:.2g} % from day to day)",
      100 * kNoticeable, 100 * expectation.share_slower,
      expectation.session_measured ? "was seen" : "is assumed",
      100 * expectation.session_deviation));
}

}  // namespace

Expectation expectation_of(const RuleTree& rules, const optimal::MeasuredGrid& grid,
                           const std::vector<Timings>& timings) {
  return Judging(rules, grid, timings, UINT64_MAX).run();
}

Expectation expectation_of(const RuleTree& rules, const std::vector<Timings>& timings,
                           std::uint64_t most_ranks) {
  std::vector<std::pair<Collective, Method>> left_out;
  const auto grid = optimal::make_expected_grid(optimal::told_apart(timings, left_out), 0);
  return Judging(rules, grid, timings, most_ranks).run();
}

std::string worth_text(const Expectation& expectation) {
  if (!expectation.promised) return "";
  std::vector<std::string> named;
  for (const WorthMeasuring& size : expectation.worth) {
    if (named.size() == kMostNamed) break;
    named.push_back(fmt::format("{} ({:.2g} %)", size.communicator_size, 100 * size.saving));
  }
  if (named.empty()) return "";
  return fmt::format("worth measuring, by what may be saved there: communicator sizes {}",
                     join(named, ", "));
}

std::vector<std::string> statements(const Model& model) {
  std::vector<std::string> texts;
  if (const std::string text = like_default_text(model); !text.empty()) texts.push_back(text);
  if (const auto& expectation = model.statistics.expectation) {
    add_gain(model, *expectation, texts);
    if (std::string text = worth_text(*expectation); !text.empty())
      texts.push_back(std::move(text));
  }
  return texts;
}

}  // namespace colltree::model
