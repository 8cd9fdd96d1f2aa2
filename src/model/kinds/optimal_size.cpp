// SPDX-License-Identifier: BSD-3-Clause
#include "model/kinds/optimal_size.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <optional>

#include "base/error.h"
#include "base/work.h"
#include "model/optimal/measured_grid.h"
#include "timings/instance_grid.h"
#include "timings/penalty.h"

namespace colltree::model {

namespace {

constexpr std::size_t kFolds = 5;
constexpr std::uint64_t kSeed = 1;

struct Sum {
  double penalty = 0;
  double points = 0;

  void add(const Sum& other) {
    penalty += other.penalty;
    points += other.points;
  }
};
// By the size or block that was held out.
using Groups = std::map<std::pair<HeldOut, std::size_t>, Sum>;

std::optional<Folds> folds_of(const std::vector<Timings>& timings, HeldOut kind) {
  try {
    return Folds(timings, {kind, kFolds, kSeed});
  } catch (const Error&) {
    return std::nullopt;  // too few sizes of this kind to leave any out
  }
}

// docs/results/models.md: by its tables.
std::size_t usual_leaves(const std::vector<Timings>& timings) {
  double points = 0;
  for (const Timings& one : timings) points += static_cast<double>(one.instances.size());
  return static_cast<std::size_t>(std::lround(1.5 * std::log2(points)));
}

// The greatest model of at most `leaves` leaves: more would gain nothing.
const Model* model_of_size(const std::vector<Model>& models, std::size_t leaves) {
  const Model* found = nullptr;
  for (const Model& model : models) {
    if (model.statistics.certificate->leaves <= leaves) found = &model;
  }
  return found;
}

class Judging {
 public:
  Judging(const std::vector<Timings>& timings, const std::vector<std::size_t>& sizes)
      : timings_(timings), sizes_(sizes), groups_(sizes.size()), possible_(sizes.size(), true) {}

  void leave_out(const FoldSearches& searches) {
    const Folds& folds = searches.folds;
    for (std::size_t fold = 0; fold < folds.count(); ++fold) {
      judge_fold(searches.models[fold], part(timings_, folds, fold).left_out, searches.kind, folds);
    }
  }

  SizeChoice choice() const {
    SizeChoice choice;
    const std::size_t judged = judged_sizes();
    if (judged == 0) return choice;
    std::size_t best = 0;
    for (std::size_t i = 1; i < judged; ++i) {
      if (mean(i) < mean(best)) best = i;
    }
    for (std::size_t i = 0; i < judged; ++i) {
      choice.held_out.push_back({sizes_[i], mean(i), standard_error(i, best)});
    }
    choice.best = sizes_[best];
    choice.chosen = sizes_[nearest_to_usual(choice.held_out, best)];
    return choice;
  }

 private:
  void judge_fold(const std::vector<Model>& models, const std::vector<Timings>& left_out,
                  HeldOut kind, const Folds& folds) {
    for (std::size_t i = 0; i < sizes_.size(); ++i) {
      const Model* model = model_of_size(models, sizes_[i]);
      possible_[i] = possible_[i] && model != nullptr;
      if (model != nullptr) judge(*model, left_out, kind, folds, groups_[i]);
    }
  }

  static void judge(const Model& model, const std::vector<Timings>& left_out, HeldOut kind,
                    const Folds& folds, Groups& groups) {
    for (const Timings& one : left_out) {
      for (std::size_t i = 0; i < one.instances.size(); ++i) {
        const double penalty = charged_penalty_at(one, i, model.decide(one.instances[i]));
        groups[{kind, folds.group(one.instances[i])}].add({penalty, 1});
      }
    }
  }

  std::size_t judged_sizes() const {
    std::size_t count = 0;
    while (count < groups_.size() && !groups_[count].empty()) ++count;
    return count;
  }

  double mean(std::size_t i) const {
    if (!possible_[i]) return std::numeric_limits<double>::infinity();
    Sum all;
    for (const auto& [group, sum] : groups_[i]) all.add(sum);
    return all.penalty / all.points;
  }

  // Of mean(i) - mean(best), from the differences of each group.
  double standard_error(std::size_t i, std::size_t best) const {
    const double difference = mean(i) - mean(best);
    if (!std::isfinite(difference)) return 0;
    double squares = 0;
    double points = 0;
    for (const auto& [group, sum] : groups_[i]) {
      const double of_group = sum.penalty - groups_[best].at(group).penalty;
      squares += std::pow(of_group - sum.points * difference, 2);
      points += sum.points;
    }
    const auto count = static_cast<double>(groups_[i].size());
    return count < 2 ? 0 : std::sqrt(squares * count / (count - 1)) / points;
  }

  // The usual size, or as far from it towards the best as it takes to be no worse.
  std::size_t nearest_to_usual(const std::vector<JudgedSize>& judged, std::size_t best) const {
    const std::size_t usual = usual_leaves(timings_);
    std::size_t at = judged.size() - 1;
    while (at > 0 && sizes_[at] > usual) --at;
    const auto is_as_good = [&](std::size_t i) {
      return judged[i].mean - judged[best].mean <= judged[i].standard_error;
    };
    while (at != best && !is_as_good(at)) at += at < best ? 1 : -1;
    return at;
  }

  const std::vector<Timings>& timings_;
  const std::vector<std::size_t>& sizes_;
  std::vector<Groups> groups_;  // by size
  std::vector<bool> possible_;
};

}  // namespace

std::size_t searches_at_a_time(const std::vector<Timings>& timings, const OptimalOptions& options) {
  const double boxes = optimal::box_count(make_grid(timings).axes) * (options.power_of_two ? 2 : 1);
  const double bytes = boxes * 8 * static_cast<double>(options.leaves + 3);
  return static_cast<std::size_t>(
      std::clamp(static_cast<double>(options.memory_limit_bytes) / bytes, 1.0, 64.0));
}

SizeSearches search_sizes(const std::vector<Timings>& timings, const OptimalOptions& options) {
  SizeSearches searches;
  for (const HeldOut kind : {HeldOut::kCommunicatorSizes, HeldOut::kMessageSizes}) {
    std::optional<Folds> folds = folds_of(timings, kind);
    if (!folds) continue;
    const std::size_t count = folds->count();
    searches.left_out.push_back({kind, *std::move(folds), std::vector<std::vector<Model>>(count)});
  }
  // The one of all points takes longest: it begins.
  std::vector<std::function<void()>> work = {
      [&] { searches.all = fit_optimal_sizes(timings, options); }};
  for (FoldSearches& one : searches.left_out) {
    for (std::size_t fold = 0; fold < one.models.size(); ++fold) {
      work.emplace_back([&timings, &options, &one, fold] {
        one.models[fold] = fit_optimal_sizes(part(timings, one.folds, fold).rest, options);
      });
    }
  }
  in_parallel(work.size(), searches_at_a_time(timings, options), [&](std::size_t i) { work[i](); });
  return searches;
}

SizeChoice choose_size(const std::vector<Timings>& timings, const SizeSearches& searches,
                       const std::vector<std::size_t>& sizes) {
  Judging judging(timings, sizes);
  for (const FoldSearches& one : searches.left_out) judging.leave_out(one);
  return judging.choice();
}

}  // namespace colltree::model
