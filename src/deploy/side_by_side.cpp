// SPDX-License-Identifier: BSD-3-Clause
#include "deploy/side_by_side.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/error.h"
#include "base/progress.h"
#include "base/statistics.h"
#include "emit/rules/rule_target.h"
#include "measure/report_line.h"

namespace colltree {

namespace {

enum class Arm : std::uint8_t { kDefault, kTuned };

class SideBySide {
 public:
  SideBySide(const SideBySideRequest& request, const JobStarter& starter)
      : request_(request),
        rules_(std::filesystem::absolute(request.rules).string()),
        starter_(starter) {}

  std::map<Instance, std::vector<Pair>> run() {
    Progress progress(fmt::format("verifying {}", starter_.mpi()), request_.rounds, "rounds");
    for (std::size_t round = 0; round < request_.rounds; ++round) {
      round_.clear();
      if (request_.library == Library::kOpenmpi) {
        run_job(both(round), settings_to_load(request_.library, rules_));
      } else {
        run_arm(round % 2 == 0 ? Arm::kDefault : Arm::kTuned);
        run_arm(round % 2 == 0 ? Arm::kTuned : Arm::kDefault);
      }
      for (const auto& [instance, pair] : round_) {
        if (pair.default_us > 0 && pair.tuned_us > 0) pairs_[instance].push_back(pair);
      }
      progress.advance();
    }
    std::erase_if(pairs_, [&](const auto& one) { return one.second.size() < request_.rounds; });
    return pairs_;
  }

 private:
  std::vector<Instance> instances() const {
    std::vector<Instance> all;
    for (const std::uint64_t ranks : request_.grid.communicator_sizes) {
      for (const Collective collective : request_.collectives) {
        if (message_unit(collective) == MessageUnit::kNone) {
          all.push_back({collective, ranks, 0});
          continue;
        }
        for (const std::uint64_t message : request_.grid.message_sizes)
          all.push_back({collective, ranks, message});
      }
    }
    return all;
  }

  static PlanCell cell(const Instance& at, const char* algorithm) {
    return {at.collective, at.communicator_size, at.message_size, {algorithm, std::nullopt}};
  }

  // Which comes first changes from round to round.
  Plan both(std::size_t round) const {
    Plan plan{request_.stop, {}, "openmpi-rules"};
    for (const Instance& at : instances()) {
      plan.cells.push_back(cell(at, round % 2 == 0 ? kBuiltinAlgorithm : kDefaultAlgorithm));
      plan.cells.push_back(cell(at, round % 2 == 0 ? kDefaultAlgorithm : kBuiltinAlgorithm));
    }
    return plan;
  }

  void run_arm(Arm arm) {
    arm_ = arm;
    Plan plan{request_.stop, {}};
    for (const Instance& at : instances()) plan.cells.push_back(cell(at, kDefaultAlgorithm));
    if (arm == Arm::kDefault) return run_job(plan, {});
    run_job(plan, settings_to_load(request_.library, rules_));
  }

  void run_job(const Plan& plan, const std::vector<std::string>& settings) {
    bool done = false;
    const std::string trouble =
        starter_.run(plan, rules_, settings, [this, &done](std::string_view line) {
          const auto report = parse_report_line(line);
          if (!report) return Worker::Heard::kNoise;
          done = done || std::holds_alternative<JobDone>(*report);
          if (const auto* measured = std::get_if<CellMeasured>(&*report)) note(*measured);
          return Worker::Heard::kSign;
        });
    if (!done)
      throw Error(fmt::format("the job ended early: {}", trouble.empty() ? "no end" : trouble));
  }

  void note(const CellMeasured& measured) {
    Pair& pair = round_[measured.cell.instance()];
    const bool one_job = request_.library == Library::kOpenmpi;
    const bool tuned =
        one_job ? measured.cell.method.algorithm == kDefaultAlgorithm : arm_ == Arm::kTuned;
    (tuned ? pair.tuned_us : pair.default_us) = median(measured.samples_us);
  }

  const SideBySideRequest& request_;
  std::string rules_;
  const JobStarter& starter_;
  Arm arm_ = Arm::kDefault;
  std::map<Instance, Pair> round_;
  std::map<Instance, std::vector<Pair>> pairs_;
};

}  // namespace

std::map<Instance, std::vector<Pair>> measure_side_by_side(const SideBySideRequest& request,
                                                           const JobStarter& starter) {
  return SideBySide(request, starter).run();
}

}  // namespace colltree
