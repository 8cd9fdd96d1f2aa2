// SPDX-License-Identifier: BSD-3-Clause
#include "evaluate/points.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <mutex>

#include "base/error.h"
#include "base/work.h"
#include "model/kinds/optimal.h"
#include "model/optimal/measured_grid.h"
#include "timings/instance_grid.h"
#include "timings/interpolation.h"

namespace colltree::evaluate {

namespace {

class NearestMeasured {
 public:
  explicit NearestMeasured(const Timings& timings) {
    for (std::size_t i = 0; i < timings.instances.size(); ++i) {
      if (const auto best = timings.best_at(i))
        best_.emplace_back(timings.instances[i], timings.methods[*best]);
    }
  }

  const Method& choose(const Instance& instance) const {
    return std::ranges::min_element(
               best_, {},
               [&](const auto& measured) { return squared_distance(measured.first, instance); })
        ->second;
  }

 private:
  static double squared_distance(const Instance& a, const Instance& b) {
    // A placement that is not known (0) is no reason to prefer a point.
    const auto apart = [](std::uint64_t size, std::uint64_t beside) {
      const double difference = size == 0 || beside == 0 ? 0 : octaves(size) - octaves(beside);
      return difference * difference;
    };
    const double ranks = octaves(a.communicator_size) - octaves(b.communicator_size);
    const double bytes = octaves(a.message_size) - octaves(b.message_size);
    return ranks * ranks + bytes * bytes + apart(a.nodes, b.nodes) +
           apart(a.ranks_per_node, b.ranks_per_node);
  }

  std::vector<std::pair<Instance, Method>> best_;
};

FittedChooser chooser_of(std::shared_ptr<const model::Model> model) {
  const model::Model* kept = model.get();  // alive as long as the struct it goes into
  return {[kept](const Instance& instance) { return kept->decide(instance); },
          model::nothing_to_choose(*kept) ? "nothing to choose" : "", std::move(model)};
}

FittedChooser fit_best_fixed(const std::vector<Timings>& timings) {
  auto methods = std::make_shared<std::map<Collective, Method>>();
  std::string detail;
  for (const Timings& table : timings) {
    const auto fixed = best_fixed_method(table);
    if (!fixed) throw Error(fmt::format("{}: no method was measured", name(table.collective)));
    methods->emplace(table.collective, fixed->method);
    detail += (detail.empty() ? "" : ", ") + fixed->method.label();
  }
  return {[methods](const Instance& instance) { return methods->at(instance.collective); }, detail,
          nullptr};
}

struct LeastExpected {
  parametric::Network network;
  std::vector<Method> methods;
  // The first of the measured methods where none has a formula.
  Method choose(const Instance& instance) const {
    std::vector<double> times;
    for (const Method& method : methods)
      times.push_back(parametric::expected_us(network, method, instance).value_or(kNoTime));
    return methods[best_method(times).value_or(0)];
  }
};

// A reference that treats the collectives apart: `make` builds it from the timings of one.
template <typename Make>
Contender by_collective(std::string name, Make make) {
  return {std::move(name), [make](const std::vector<Timings>& timings) -> FittedChooser {
            using Reference = decltype(make(timings.front()));
            auto references = std::make_shared<std::map<Collective, Reference>>();
            for (const Timings& table : timings) references->emplace(table.collective, make(table));
            return {[references](const Instance& instance) {
                      return references->at(instance.collective).choose(instance);
                    },
                    "", nullptr};
          }};
}

// The penalties at one fold, by collective.
std::vector<PenaltyPoints> points_of_fold(const FoldParts& parts, const Contender& contender) {
  const FittedChooser fitted = contender.fit(parts.rest);
  std::vector<PenaltyPoints> points;
  for (const Timings& table : parts.left_out)
    points.push_back(penalty_points(table, fitted.choose));
  return points;
}

}  // namespace

Contender fitted_by(const model::Fitter& fitter) {
  return {fitter.name(), [fitter](const std::vector<Timings>& timings) {
            return chooser_of(std::make_shared<model::Model>(fitter.fit(timings)));
          }};
}

Contender fixed_model(std::string name, std::shared_ptr<const model::Model> model) {
  return {std::move(name), [model](const std::vector<Timings>&) { return chooser_of(model); }};
}

Contender best_fixed() { return {"best fixed", fit_best_fixed}; }

Contender exact_map() {
  return by_collective("exact map", [](const Timings& table) { return NearestMeasured(table); });
}

Contender interpolation() {
  return by_collective("interpolation", [](const Timings& table) { return LogLogTimes(table); });
}

Contender least_expected_time(std::string name,
                              std::function<parametric::Network(Collective)> network_for) {
  return by_collective(std::move(name), [network_for](const Timings& table) {
    return LeastExpected{network_for(table.collective), table.methods};
  });
}

std::size_t fits_at_a_time(const std::vector<Timings>& timings) {
  constexpr double kBytesOfBox = 2 * 8 * 40;  // frontiers of forty leaves, powers of two apart
  const double boxes = optimal::box_count(make_grid(timings).axes);
  const auto memory_bytes = static_cast<double>(model::OptimalOptions{}.memory_limit_bytes);
  return static_cast<std::size_t>(std::clamp(memory_bytes / (kBytesOfBox * boxes), 1.0, 64.0));
}

std::vector<PenaltyPoints> held_out_points(const std::vector<Timings>& timings, const Folds& folds,
                                           const Contender& contender,
                                           const std::function<void()>& after_fold) {
  std::vector<std::vector<PenaltyPoints>> by_fold(folds.count());
  std::mutex progress;
  in_parallel(folds.count(), fits_at_a_time(timings), [&](std::size_t fold) {
    by_fold[fold] = points_of_fold(part(timings, folds, fold), contender);
    const std::lock_guard lock(progress);
    after_fold();
  });
  std::vector<PenaltyPoints> points(timings.size());
  for (const std::vector<PenaltyPoints>& of_fold : by_fold) {
    for (std::size_t i = 0; i < points.size(); ++i) points[i].add(of_fold[i]);
  }
  return points;
}

Bootstrap held_out_bootstrap(const Folds& folds, std::uint64_t seed) {
  return {.seed = seed,
          .group = [folds](const Instance& instance) { return folds.group(instance); }};
}

namespace {

// Makes every part, whichever of them these timings allow, so that a reader sees each way.
std::vector<HeldOutPart> make_parts(const Timings& timings, const ContestOptions& options) {
  std::vector<HeldOutPart> parts;
  for (const HeldOut kind : options.held_out) {
    HeldOutPart part{kind, std::nullopt, ""};
    try {
      part.folds.emplace(std::vector<Timings>{timings},
                         FoldOptions{kind, options.folds, options.seed});
    } catch (const UsageError&) {
      throw;
    } catch (const Error& error) {
      part.refused = error.what();
    }
    parts.push_back(std::move(part));
  }
  return parts;
}

class ContestRows {
 public:
  ContestRows(const Timings& timings, const Timings* there, const std::vector<HeldOutPart>& parts,
              const std::vector<Contender>& contenders, const Deployment& deployment,
              const std::function<void()>& after_fit)
      : timings_(timings),
        there_(there),
        parts_(parts),
        contenders_(contenders),
        deployment_(deployment),
        after_fit_(after_fit) {}

  std::vector<ComparisonRow> rows() {
    // The fits to all points follow one another, because the time that each takes is shown.
    for (const Contender& contender : contenders_) {
      ComparisonRow row{.chooser = contender.name};
      try {
        fit_to_all(row, contender);
      } catch (const Error& error) {
        row = {.chooser = contender.name, .refused = error.what()};
      }
      rows_.push_back(std::move(row));
    }
    hold_out();
    return std::move(rows_);
  }

 private:
  // A fit without the points of one fold.
  struct Refit {
    std::size_t row = 0;
    std::size_t part = 0;
    std::size_t fold = 0;
    PenaltyPoints points;
    std::string refused;
  };

  void fit_to_all(ComparisonRow& row, const Contender& contender) const {
    const auto start = std::chrono::steady_clock::now();
    const FittedChooser fitted = contender.fit({timings_});
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
    after_fit_();
    row.fit_ms = took.count();
    row.detail = fitted.detail;
    if (fitted.model) row.leaves = fitted.model->statistics.shape.leaves;
    row.points = penalty_points(timings_, fitted.choose);
    if (there_ != nullptr) row.there = penalty_points(*there_, fitted.choose);
    deployment_(fitted, timings_, row);
    for (const HeldOutPart& part : parts_)
      row.held_out.push_back(part.folds ? std::optional(PenaltyPoints()) : std::nullopt);
  }

  void hold_out() {
    std::vector<Refit> refits;
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      for (std::size_t part = 0; part < parts_.size() && rows_[row].refused.empty(); ++part) {
        const std::size_t folds = parts_[part].folds ? parts_[part].folds->count() : 0;
        for (std::size_t fold = 0; fold < folds; ++fold)
          refits.push_back({row, part, fold, {}, ""});
      }
    }
    // A contender that took long with all points begins, so that no core waits for it at the end.
    std::vector<Refit*> order;
    for (Refit& refit : refits) order.push_back(&refit);
    std::ranges::stable_sort(order, std::greater(),
                             [&](const Refit* refit) { return *rows_[refit->row].fit_ms; });
    in_parallel(order.size(), fits_at_a_time({timings_}),
                [&](std::size_t i) { fit_without(*order[i]); });
    for (Refit& refit : refits) {
      ComparisonRow& row = rows_[refit.row];
      if (!row.refused.empty()) continue;
      if (refit.refused.empty()) {
        row.held_out[refit.part]->add(refit.points);
      } else {
        row = {.chooser = row.chooser, .refused = std::move(refit.refused)};
      }
    }
  }

  void fit_without(Refit& refit) {
    try {
      const FoldParts folds = part({timings_}, *parts_[refit.part].folds, refit.fold);
      refit.points = points_of_fold(folds, contenders_[refit.row]).front();
    } catch (const Error& error) {
      refit.refused = error.what();
    }
    const std::lock_guard lock(progress_);
    after_fit_();
  }

  const Timings& timings_;
  const Timings* const there_;  // null: no other session
  const std::vector<HeldOutPart>& parts_;
  const std::vector<Contender>& contenders_;
  const Deployment& deployment_;
  const std::function<void()>& after_fit_;
  std::mutex progress_;
  std::vector<ComparisonRow> rows_;
};

}  // namespace

Comparison run_contest(const Timings& timings, const std::string& mpi,
                       const std::vector<Contender>& contenders, const ContestOptions& options,
                       const Deployment& deployment, const std::function<void()>& after_fit,
                       std::shared_ptr<const SessionPair> sessions) {
  Comparison contest{.collective = timings.collective,
                     .instances = timings.instances.size(),
                     .seed = options.seed,
                     .parts = make_parts(timings, options),
                     .sessions = std::move(sessions)};
  const Timings* const there = contest.sessions ? &contest.sessions->there : nullptr;
  ComparisonRow by_default{
      .chooser = "default", .detail = mpi, .points = default_penalty_points(timings)};
  for (const HeldOutPart& part : contest.parts)
    by_default.held_out.push_back(part.folds ? std::optional(by_default.points) : std::nullopt);
  if (there != nullptr) by_default.there = default_penalty_points(*there);
  if (!by_default.points.values.empty()) contest.rows.push_back(std::move(by_default));
  ContestRows fitted(timings, there, contest.parts, contenders, deployment, after_fit);
  std::ranges::move(fitted.rows(), std::back_inserter(contest.rows));
  if (there == nullptr) return contest;
  // Noise alone makes two rows: what the best methods here lose there, and the reverse.
  std::vector<ComparisonRow> floors = noise_floor_between(*contest.sessions, contest.seed);
  floors.front().there = std::exchange(floors.front().points, {});
  std::ranges::move(floors, std::back_inserter(contest.rows));
  return contest;
}

std::size_t fits_of(std::size_t contenders, const ContestOptions& options) {
  return contenders * (1 + options.held_out.size() * options.folds);
}

}  // namespace colltree::evaluate
