// SPDX-License-Identifier: BSD-3-Clause
// campaign_coverage P.db...: how often what an adaptive campaign states is true, by complete
// profiles, whose times answer in place of a cluster. For every system and collective of the
// profiles, as they are and with two and five percent of noise, a campaign ends after 3, 5 and 10 %
// of the time of all cells. A line for each: which share of the predicted times lies within their
// 95 % intervals, and the mean penalty of the tree that is deployed, of the best fixed method and
// of the library's own choice, as it is stated, with its interval, and as it is by all cells. The
// end counts the intervals that hold the truth, and compares what is stated with it.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "base/random.h"
#include "base/statistics.h"
#include "model/fitter.h"
#include "model/model.h"
#include "profile/load_timings.h"
#include "surrogate/complete.h"
#include "surrogate/constants.h"
#include "surrogate/next_cells.h"
#include "timings/penalty.h"

namespace colltree {
namespace {

constexpr double kShares[] = {0.03, 0.05, 0.10};
constexpr double kNoises[] = {0, 0.02, 0.05};
constexpr double kUnimportant = 1e-4;  // a penalty

struct Covered {
  std::size_t all = 0;
  std::size_t within = 0;
  void add(bool is_within) {
    ++all;
    within += is_within ? 1 : 0;
  }
  double share() const {
    return 100 * static_cast<double>(within) / static_cast<double>(std::max<std::size_t>(all, 1));
  }
};

// The statements on one kind of choice.
struct Statements {
  Covered held;
  std::size_t above = 0;       // the interval lies above the truth
  std::vector<double> ratios;  // stated over true, where either is of importance
};

class Trial {
 public:
  Trial(const Timings& truth, double share, std::uint64_t seed)
      : truth_(truth), seen_(truth), share_(share), seed_(seed) {
    grid_ = surrogate::prediction_grid(truth_.instances);
    for (std::size_t i = 0; i < truth_.instances.size(); ++i) instance_[point_of(i)] = i;
    surrogate_.emplace(grid_, truth_.methods.size() + 1, seed_);
    seen_.time_us.assign(truth_.time_us.size(), kNoTime);
    seen_.default_us.assign(truth_.default_us.size(), kNoTime);
    measure();
    predict();
  }

  // The default is the column behind the methods.
  Time time_of(const Timings& of, std::size_t i, std::size_t column) const {
    return column == of.methods.size() ? of.default_us[i] : of.time_at(i, column);
  }
  bool is_measured(std::size_t i, std::size_t column) const {
    return measured_.contains({column, i});
  }

  void tell(const std::string& noise, std::map<std::string, Statements>& all) const {
    Covered times;
    for (std::size_t i = 0; i < truth_.instances.size(); ++i) {
      for (std::size_t column = 0; column <= truth_.methods.size(); ++column) {
        const Time time = time_of(seen_, i, column);
        if (!time.is_predicted()) continue;
        const double true_us = time_of(truth_, i, column).known_us();
        const Interval interval = *time.interval();
        times.add(interval.low <= true_us && true_us <= interval.high);
      }
    }
    fmt::print("{} {} {} {:.0f} %: {} of {} cells, {:.1f} % of times held", truth_.system,
               name(truth_.collective), noise, 100 * share_, measured_.size(), cells_,
               times.share());
    const model::Model tree = model::parse_fitter(model::deployed_fitter()).fit({seen_});
    const auto fixed = best_fixed_method(seen_);
    const auto penalties = [](const Chooser& choose) {
      return [&](const Timings& of) { return penalty_points(of, choose); };
    };
    const auto statements = [&](const char* choice) -> Statements& {
      return all[fmt::format("{}, {:2.0f} % of the time", choice, 100 * share_)];
    };
    tell(statements("tree"), "tree",
         penalties([&](const Instance& at) { return tree.decide(at); }));
    if (fixed) {
      tell(statements("best fixed"), "fixed",
           penalties([&](const Instance&) { return fixed->method; }));
    }
    tell(statements("default"), "default", default_penalty_points);
    fmt::print("\n");
    std::fflush(stdout);
  }

 private:
  std::size_t point_of(std::size_t i) const {
    const Instance& at = truth_.instances[i];
    return grid_.point(at.communicator_size, at.message_size, at.ranks_per_node);
  }

  void measure() {
    const std::size_t columns = truth_.methods.size() + 1;
    surrogate::Surrogate& surrogate = *surrogate_;
    double total_us = 0;
    std::vector<surrogate::GridCell> of_default;
    for (const auto& [point, i] : instance_) {
      for (std::size_t column = 0; column < columns; ++column) {
        if (time_of(truth_, i, column).is_impossible()) continue;
        surrogate.allow({column, point});
        total_us += time_of(truth_, i, column).known_us();
        ++cells_;
        if (column + 1 == columns) of_default.push_back({column, point});
      }
    }
    SeededRandom(seed_).shuffle(of_default);
    const double overhead_us = 0.2 * total_us / static_cast<double>(cells_);
    const surrogate::CellCost cost = [&](surrogate::GridCell, double time_us) {
      return time_us + overhead_us;
    };
    double spent_us = 0;
    double on_default_us = 0;
    const auto record = [&](surrogate::GridCell cell) {
      const std::size_t i = instance_.at(cell.point);
      if (!measured_.emplace(cell.method, i).second) return;
      const double time_us = time_of(truth_, i, cell.method).known_us();
      surrogate.record(cell, time_us, 0);
      const Time time = Time::measured(time_us);
      if (cell.method + 1 == columns) {
        on_default_us += cost(cell, time_us);
        seen_.default_us.set(i, time);
      } else {
        seen_.time_us.set(i * truth_.methods.size() + cell.method, time);
      }
      spent_us += cost(cell, time_us);
    };
    const double budget_us = share_ * (total_us + overhead_us * static_cast<double>(cells_));
    std::vector<surrogate::GridCell> batch = surrogate::first_cells(surrogate);
    while (!batch.empty() && spent_us < budget_us) {
      for (const surrogate::GridCell cell : batch) {
        if (spent_us < budget_us) record(cell);
      }
      while (!of_default.empty() && on_default_us < surrogate::kShareOfDefault * spent_us) {
        record(of_default.back());
        of_default.pop_back();
      }
      surrogate.update();
      batch = surrogate::next_cells(surrogate, std::max<std::size_t>(8, surrogate.measured() / 25),
                                    cost);
    }
  }

  void predict() {
    profile::WantedTimes wanted;
    for (std::size_t i = 0; i < truth_.instances.size(); ++i) {
      for (std::size_t column = 0; column <= truth_.methods.size(); ++column) {
        if (time_of(truth_, i, column).is_impossible() || is_measured(i, column)) continue;
        wanted.emplace(truth_.instances[i], column == truth_.methods.size()
                                                ? library_default()
                                                : truth_.methods[column]);
      }
    }
    surrogate::predict_times(seen_, wanted);
  }

  template <typename Penalties>
  void tell(Statements& statements, const char* choice, Penalties penalties) const {
    const PenaltySummary stated = summarize(penalties(seen_), Bootstrap{});
    const double is = summarize(penalties(truth_)).mean;
    const Interval interval = stated.mean_interval.value_or(Interval{stated.mean, stated.mean});
    const bool held = interval.low <= is && is <= interval.high;
    statements.held.add(held);
    statements.above += is < interval.low ? 1 : 0;
    statements.ratios.push_back((stated.mean + kUnimportant) / (is + kUnimportant));
    fmt::print("; {} {:.2f} ({:.2f}..{:.2f}), true {:.2f}{}", choice, 100 * stated.mean,
               100 * interval.low, 100 * interval.high, 100 * is, held ? "" : " MISSED");
  }

  const Timings& truth_;
  Timings seen_;
  double share_;
  std::uint64_t seed_;
  surrogate::PredictionGrid grid_;
  std::map<std::size_t, std::size_t> instance_;             // by point
  std::set<std::pair<std::size_t, std::size_t>> measured_;  // column, instance
  std::size_t cells_ = 0;
  std::optional<surrogate::Surrogate> surrogate_;  // of what was measured
};

// As a measurement of every cell would find them.
Timings with_noise(Timings timings, double noise) {
  SeededRandom random(1);
  for (Times* times : {&timings.time_us, &timings.default_us}) {
    for (std::size_t i = 0; noise > 0 && i < times->size(); ++i)
      times->set(i, (*times)[i].known_us() * std::exp(noise * random.normal()));
  }
  return timings;
}

void replay(const profile::Profile& profile, std::map<std::string, Statements>& all) {
  profile::LoadOptions options;
  options.default_candidate = false;
  for (const profile::SystemInfo& system : profile.systems()) {
    for (const Collective collective : profile.collectives(system.name)) {
      const Timings timings =
          surrogate::complete(profile::load_timings(profile, system.name, collective, options));
      for (const double noise : kNoises) {
        const Timings truth = with_noise(timings, noise);
        for (const double share : kShares)
          Trial(truth, share, 1).tell(fmt::format("noise {} %", 100 * noise), all);
      }
    }
  }
}

}  // namespace
}  // namespace colltree

int main(int argc, char** argv) {
  using namespace colltree;
  if (argc < 2) {
    fmt::print("usage: campaign_coverage P.db...\n");
    return 2;
  }
  std::map<std::string, Statements> all;
  for (int i = 1; i < argc; ++i) replay(profile::Profile(argv[i], profile::OpenMode::kRead), all);
  for (auto& [choice, its] : all) {
    std::ranges::sort(its.ratios);
    fmt::print(
        "{}: the interval holds the truth in {} of {} cases, lies above it in {}; stated over "
        "true {:.2f} to {:.2f}, median {:.2f}\n",
        choice, its.held.within, its.held.all, its.above, its.ratios.front(), its.ratios.back(),
        median(its.ratios));
  }
  return 0;
}
