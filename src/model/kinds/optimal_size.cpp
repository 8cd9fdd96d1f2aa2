// SPDX-License-Identifier: BSD-3-Clause
#include "model/kinds/optimal_size.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

#include "base/error.h"
#include "timings/folds.h"
#include "timings/penalty.h"

namespace colltree {

namespace {

constexpr std::size_t kFolds = 5;
constexpr std::uint64_t kSeed = 1;

struct Sum {
  double penalty = 0;
  double points = 0;
};
// By what was left out together.
using Groups = std::map<std::pair<HeldOut, std::size_t>, Sum>;

std::optional<Folds> folds_of(const std::vector<Timings>& timings, HeldOut kind) {
  try {
    return Folds(timings, {kind, kFolds, kSeed});
  } catch (const Error&) {
    return std::nullopt;  // too few sizes of this kind to leave any out
  }
}

// The greatest model of at most so many leaves: more would gain nothing.
const Model* model_of_size(const std::vector<Model>& models, std::size_t leaves) {
  const Model* found = nullptr;
  for (const Model& model : models) {
    if (model.statistics.certificate->leaves <= leaves) found = &model;
  }
  return found;
}

class Judging {
 public:
  Judging(const std::vector<Timings>& timings, const std::vector<std::size_t>& sizes,
          const OptimalOptions& options)
      : timings_(timings),
        sizes_(sizes),
        options_(options),
        groups_(sizes.size()),
        possible_(sizes.size(), true) {}

  void leave_out(HeldOut kind) {
    const std::optional<Folds> folds = folds_of(timings_, kind);
    if (!folds) return;
    for (std::size_t fold = 0; fold < folds->count(); ++fold) {
      const FoldParts parts = part(timings_, *folds, fold);
      const std::vector<Model> models = fit_optimal_sizes(parts.rest, options_);
      for (std::size_t i = 0; i < sizes_.size(); ++i) {
        const Model* model = model_of_size(models, sizes_[i]);
        possible_[i] = possible_[i] && model != nullptr;
        if (model != nullptr) judge(*model, parts.left_out, kind, *folds, groups_[i]);
      }
    }
  }

  SizeChoice choice() const {
    SizeChoice choice;
    for (std::size_t i = 0; i < sizes_.size() && !groups_[i].empty(); ++i) {
      choice.held_out.push_back(judged(i));
    }
    if (choice.held_out.empty()) return choice;
    const auto best = std::ranges::min_element(choice.held_out, {}, &JudgedSize::mean);
    const double limit = best->mean + best->standard_error;
    const auto chosen = std::ranges::find_if(
        choice.held_out, [&](const JudgedSize& size) { return size.mean <= limit; });
    choice.best = best->leaves;
    choice.chosen = chosen->leaves;
    return choice;
  }

 private:
  static void judge(const Model& model, const std::vector<Timings>& left_out, HeldOut kind,
                    const Folds& folds, Groups& groups) {
    for (const Timings& one : left_out) {
      for (std::size_t i = 0; i < one.instances.size(); ++i) {
        Sum& sum = groups[{kind, folds.group(one.instances[i])}];
        sum.penalty += charged_penalty_at(one, i, model.decide(one.instances[i]));
        sum.points += 1;
      }
    }
  }

  JudgedSize judged(std::size_t i) const {
    Sum all;
    for (const auto& [group, sum] : groups_[i]) {
      all.penalty += sum.penalty;
      all.points += sum.points;
    }
    const double mean = all.penalty / all.points;
    double squares = 0;
    for (const auto& [group, sum] : groups_[i]) {
      squares += std::pow(sum.penalty - sum.points * mean, 2);
    }
    const auto count = static_cast<double>(groups_[i].size());
    const double error = count < 2 ? 0 : std::sqrt(squares * count / (count - 1)) / all.points;
    return {sizes_[i], possible_[i] ? mean : std::numeric_limits<double>::infinity(), error};
  }

  const std::vector<Timings>& timings_;
  const std::vector<std::size_t>& sizes_;
  const OptimalOptions& options_;
  std::vector<Groups> groups_;  // by size
  std::vector<bool> possible_;
};

}  // namespace

SizeChoice choose_size(const std::vector<Timings>& timings, const std::vector<std::size_t>& sizes,
                       const OptimalOptions& options) {
  Judging judging(timings, sizes, options);
  judging.leave_out(HeldOut::kCommunicatorSizes);
  judging.leave_out(HeldOut::kMessageSizes);
  return judging.choice();
}

}  // namespace colltree
