// SPDX-License-Identifier: BSD-3-Clause
// campaign_coverage P.db SYSTEM COLLECTIVE SHARE SEED...: how often the intervals of an adaptive
// campaign hold what a complete profile says, whose times answer in place of a cluster. For each
// seed a campaign that ends after SHARE of the time of all cells; on standard output of
//   inside   the predicted times between the sizes that their method was measured at
//   beyond   those at larger or smaller ones
//   default  the mean penalty of the library's own choice: as it is said, its interval, the truth
//   fixed    the same of every method that can run everywhere: how many intervals hold the truth
// the share that lies within 95 % intervals.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "base/random.h"
#include "profile/load_timings.h"
#include "surrogate/complete.h"
#include "surrogate/constants.h"
#include "surrogate/next_cells.h"
#include "timings/penalty.h"

namespace colltree {
namespace {

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
    return column == of.methods.size() ? of.default_us[i] : of.at(i, column);
  }
  bool is_measured(std::size_t i, std::size_t column) const {
    return measured_.contains({column, i});
  }

  void tell() const {
    Covered inside;
    Covered beyond;
    for (std::size_t i = 0; i < truth_.instances.size(); ++i) {
      for (std::size_t column = 0; column <= truth_.methods.size(); ++column) {
        const Time time = time_of(seen_, i, column);
        if (!time.is_predicted()) continue;
        const double true_us = time_of(truth_, i, column).known_us();
        const Interval interval = *time.interval();
        const bool within = interval.low <= true_us && true_us <= interval.high;
        (surrogate_->is_beyond({column, point_of(i)}) ? beyond : inside).add(within);
      }
    }
    fmt::print("{} {} seed {}: {:.0f} % measured; inside {:.1f} % of {}, beyond {:.1f} % of {}",
               truth_.system, name(truth_.collective), seed_,
               100.0 * static_cast<double>(measured_.size()) / static_cast<double>(cells_),
               inside.share(), inside.all, beyond.share(), beyond.all);
    tell_penalties();
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
    surrogate::WantedTimes wanted;
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

  void tell_penalties() const {
    const PenaltySummary said = summarize(default_penalty_points(seen_), Bootstrap{});
    const double true_mean = summarize(default_penalty_points(truth_)).mean;
    const Interval interval = said.mean_interval.value_or(Interval{said.mean, said.mean});
    Covered fixed;
    for (const Method& method : truth_.methods) {
      const Chooser choose = [&](const Instance&) { return method; };
      const PenaltyPoints is = penalty_points(truth_, choose);
      if (!is.cannot_run.empty()) continue;
      const PenaltySummary its = summarize(penalty_points(seen_, choose), Bootstrap{});
      if (!its.mean_interval) continue;
      const double mean = summarize(is).mean;
      fixed.add(its.mean_interval->low <= mean && mean <= its.mean_interval->high);
    }
    fmt::print("; default {:.1f} ({:.1f}..{:.1f}), true {:.1f}{}; fixed {} of {}\n",
               100 * said.mean, 100 * interval.low, 100 * interval.high, 100 * true_mean,
               interval.low <= true_mean && true_mean <= interval.high ? "" : " MISSED",
               fixed.within, fixed.all);
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

}  // namespace
}  // namespace colltree

int main(int argc, char** argv) {
  using namespace colltree;
  if (argc < 6) {
    fmt::print("usage: campaign_coverage P.db SYSTEM COLLECTIVE SHARE SEED...\n");
    return 2;
  }
  const profile::Profile profile(argv[1], profile::OpenMode::kRead);
  profile::LoadOptions options;
  options.default_candidate = false;
  const Timings truth = profile::load_timings(profile, argv[2], parse_collective(argv[3]), options);
  for (int i = 5; i < argc; ++i) Trial(truth, std::stod(argv[4]), std::stoull(argv[i])).tell();
  return 0;
}
