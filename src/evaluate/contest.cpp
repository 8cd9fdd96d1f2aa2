// SPDX-License-Identifier: BSD-3-Clause
#include "evaluate/contest.h"

#include <algorithm>
#include <chrono>
#include <mutex>

#include "base/error.h"
#include "base/json.h"
#include "base/work.h"
#include "evaluate/contender.h"
#include "evaluate/sessions.h"

namespace colltree::evaluate {

namespace {

// Enough to see each way of leaving out, whichever of them these timings allow.
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

ContestRow default_row(const Timings& timings, const std::string& mpi,
                       const std::vector<HeldOutPart>& parts) {
  ContestRow row{.chooser = "default", .detail = mpi, .training = default_penalty_points(timings)};
  for (const HeldOutPart& part : parts) {
    row.held_out.push_back(part.folds ? std::optional(row.training) : std::nullopt);
  }
  return row;
}

std::optional<std::uint64_t> leaves_of(const FittedChooser& fitted) {
  if (!fitted.model) return std::nullopt;
  return fitted.model->statistics.shape.leaves;
}

class Rowing {
 public:
  Rowing(const Timings& timings, const Timings* there, const std::vector<HeldOutPart>& parts,
         const std::vector<Contender>& contenders, const DeploymentOf& deployment,
         const std::function<void()>& after_fit)
      : timings_(timings),
        there_(there),
        parts_(parts),
        contenders_(contenders),
        deployment_(deployment),
        after_fit_(after_fit) {}

  std::vector<ContestRow> rows() {
    // One after the other: how long each takes is shown.
    for (const Contender& contender : contenders_) rows_.push_back(training_row(contender));
    leave_out();
    return std::move(rows_);
  }

 private:
  // One fit without some points.
  struct Piece {
    std::size_t row = 0;
    std::size_t part = 0;
    std::size_t fold = 0;
    PenaltyPoints points;
    std::string refused;
  };

  ContestRow training_row(const Contender& contender) const {
    ContestRow row{.chooser = contender.name};
    try {
      fit_to_all(row, contender);
    } catch (const Error& error) {
      row = {.chooser = contender.name, .refused = error.what()};
    }
    return row;
  }

  void fit_to_all(ContestRow& row, const Contender& contender) const {
    const auto start = std::chrono::steady_clock::now();
    const FittedChooser fitted = contender.fit({timings_});
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
    after_fit_();
    row.fit_ms = took.count();
    row.detail = fitted.detail;
    row.leaves = leaves_of(fitted);
    row.training = penalty_points(timings_, fitted.choose);
    if (there_ != nullptr) row.there = penalty_points(*there_, fitted.choose);
    row.deployment = deployment_(fitted, timings_);
    for (const HeldOutPart& part : parts_) {
      row.held_out.push_back(part.folds ? std::optional(PenaltyPoints()) : std::nullopt);
    }
  }

  std::vector<Piece> pieces() const {
    std::vector<Piece> pieces;
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      if (!rows_[row].refused.empty()) continue;
      for (std::size_t part = 0; part < parts_.size(); ++part) {
        const std::size_t folds = parts_[part].folds ? parts_[part].folds->count() : 0;
        for (std::size_t fold = 0; fold < folds; ++fold)
          pieces.push_back({row, part, fold, {}, ""});
      }
    }
    return pieces;
  }

  void leave_out() {
    std::vector<Piece> all = pieces();
    // What took long with all points begins, so that no core waits for it at the end.
    std::vector<Piece*> order;
    for (Piece& piece : all) order.push_back(&piece);
    std::ranges::stable_sort(order, std::greater(),
                             [&](const Piece* piece) { return *rows_[piece->row].fit_ms; });
    in_parallel(order.size(), fits_at_a_time({timings_}),
                [&](std::size_t i) { fit_without(*order[i]); });
    for (Piece& piece : all) take_in(std::move(piece));
  }

  void fit_without(Piece& piece) const {
    try {
      const FoldParts folds = part({timings_}, *parts_[piece.part].folds, piece.fold);
      piece.points = points_of_fold(folds, contenders_[piece.row]).front();
    } catch (const Error& error) {
      piece.refused = error.what();
    }
    const std::lock_guard lock(progress_);
    after_fit_();
  }

  void take_in(Piece piece) {
    ContestRow& row = rows_[piece.row];
    if (!row.refused.empty()) return;
    if (piece.refused.empty()) {
      row.held_out[piece.part]->add(piece.points);
    } else {
      row = {.chooser = row.chooser, .refused = std::move(piece.refused)};
    }
  }

  const Timings& timings_;
  const Timings* const there_;  // null: no other session
  const std::vector<HeldOutPart>& parts_;
  const std::vector<Contender>& contenders_;
  const DeploymentOf& deployment_;
  const std::function<void()>& after_fit_;
  mutable std::mutex progress_;
  std::vector<ContestRow> rows_;
};

Contest contest_of(const Timings& timings, const Timings* there, const std::string& mpi,
                   const std::vector<Contender>& contenders, const ContestOptions& options,
                   const DeploymentOf& deployment, const std::function<void()>& after_fit) {
  Contest contest{.collective = timings.collective,
                  .instances = timings.instances.size(),
                  .seed = options.seed,
                  .parts = make_parts(timings, options),
                  .rows = {},
                  .sessions = {}};
  ContestRow by_default = default_row(timings, mpi, contest.parts);
  if (there != nullptr) by_default.there = default_penalty_points(*there);
  if (!by_default.training.values.empty()) contest.rows.push_back(std::move(by_default));
  Rowing rowing(timings, there, contest.parts, contenders, deployment, after_fit);
  for (ContestRow& row : rowing.rows()) contest.rows.push_back(std::move(row));
  return contest;
}

// The rows that noise alone makes: what the best methods here lose there, and the reverse.
void add_floors(const SessionPair& sessions, Contest& contest) {
  std::vector<ComparisonRow> floors = noise_floor_between(sessions, contest.seed);
  for (ComparisonRow& floor : floors) {
    ContestRow row{.chooser = std::move(floor.chooser),
                   .detail = std::move(floor.detail),
                   .held_out = {contest.parts.size(), std::nullopt}};
    (&floor == floors.data() ? row.there.emplace() : row.training) = std::move(floor.points);
    contest.rows.push_back(std::move(row));
  }
}

}  // namespace

Contest run_contest(const Timings& timings, const std::string& mpi,
                    const std::vector<Contender>& contenders, const ContestOptions& options,
                    const DeploymentOf& deployment, const std::function<void()>& after_fit) {
  return contest_of(timings, nullptr, mpi, contenders, options, deployment, after_fit);
}

Contest run_contest(const SessionPair& sessions, const std::string& mpi,
                    const std::vector<Contender>& contenders, const ContestOptions& options,
                    const DeploymentOf& deployment, const std::function<void()>& after_fit) {
  Contest contest =
      contest_of(sessions.here, &sessions.there, mpi, contenders, options, deployment, after_fit);
  contest.sessions = sessions;
  add_floors(sessions, contest);
  return contest;
}

std::size_t fits_of(std::size_t contenders, const ContestOptions& options) {
  return contenders * (1 + options.held_out.size() * options.folds);
}

}  // namespace colltree::evaluate
