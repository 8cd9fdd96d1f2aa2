// SPDX-License-Identifier: BSD-3-Clause
#include "deploy/side_by_side.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <set>

#include "base/error.h"
#include "base/statistics.h"
#include "base/streams.h"
#include "base/work.h"

namespace colltree::deploy {

namespace {

enum class Arm : std::uint8_t { kDefault, kDeployed };

class SideBySide {
 public:
  SideBySide(const SideBySideRequest& request, const measure::JobStarter& starter)
      : request_(request),
        instances_(request.instances),
        stop_{1, request.samples, 0, 0.95, request.cell_budget_s, 3, 0},
        rules_(std::get_if<RulesArm>(&request.deployed)),
        methods_(std::get_if<MethodsArm>(&request.deployed)),
        setting_(std::get_if<SettingArm>(&request.deployed)),
        starter_(starter) {
    // A plan has the instances of one communicator together.
    std::ranges::stable_sort(instances_, {}, [](const Instance& instance) {
      return std::pair(instance.communicator_size, instance.ranks_per_node);
    });
    if (rules_ == nullptr) {
      parts_.push_back({instances_, {}});
      return;
    }
    for (const auto& [ranks_per_node, files] : *rules_) add_part(ranks_per_node, files);
  }

  RoundsOfPairs run() {
    using Clock = std::chrono::steady_clock;
    const auto seconds = [](Clock::duration time) {
      return std::chrono::duration<double>(time).count();
    };
    const Clock::time_point start = Clock::now();
    Clock::time_point begun = start;
    double longest_s = 0;
    RoundsOfPairs measured;
    Progress progress(fmt::format("verifying {}", starter_.mpi()),
                      request_.rounds - request_.first_round, "rounds");
    for (std::size_t round = request_.first_round; round < request_.rounds; ++round) {
      round_.clear();
      const bool default_first = round % 2 == 0;
      for (const Part& part : parts_) {
        if (in_one_job()) {
          run_job(starter_, both(part, default_first), part.settings);
        } else {
          run_arm(part, default_first ? Arm::kDefault : Arm::kDeployed);
          run_arm(part, default_first ? Arm::kDeployed : Arm::kDefault);
        }
      }
      std::erase_if(round_, [](const auto& entry) {
        return entry.second.default_us <= 0 || entry.second.tuned_us <= 0;
      });
      for (const auto& [instance, pair] : round_) measured[instance].push_back(pair);
      if (request_.on_round) request_.on_round(round_);
      progress.advance();
      const auto now = Clock::now();
      longest_s = std::max(longest_s, seconds(now - begun));
      begun = now;
      if (round + 1 < request_.rounds && seconds(now - start) + longest_s > request_.time_limit_s) {
        say(fmt::format(
            "the verification ends early, after {} of {} rounds: another one would pass its time "
            "of "
            "{:.0f} s\n",
            round + 1, request_.rounds, request_.time_limit_s));
        break;
      }
    }
    return measured;
  }

 private:
  // The instances of one job, and the settings that load its rules.
  struct Part {
    std::vector<Instance> instances;
    std::vector<std::string> settings;
  };

  // The files are for the instances of this placement that no part has taken yet.
  void add_part(std::uint64_t ranks_per_node, const std::vector<rules::RulesFile>& files) {
    Part part{{}, rules::settings_to_load(files)};
    for (const Instance& instance : instances_) {
      if ((ranks_per_node == 0 || has_placement(instance, ranks_per_node)) &&
          taken_.insert(instance).second)
        part.instances.push_back(instance);
    }
    if (!part.instances.empty()) parts_.push_back(std::move(part));
  }

  // A job can switch rules of coll/tuned on and off; other rules are read when it starts.
  bool in_one_job() const {
    if (setting_ != nullptr) return false;
    return rules_ == nullptr || std::ranges::all_of(*rules_, [](const auto& entry) {
             return std::ranges::all_of(entry.second, [](const rules::RulesFile& file) {
               return file.target->library == Library::kOpenmpi;
             });
           });
  }

  static protocol::PlanCell cell(const Instance& instance, const Method& method) {
    return {protocol::placed(instance, instance.ranks_per_node), method};
  }

  // Under rules the library's default method obeys the file, and the built-in one does not.
  Method default_method() const {
    return rules_ == nullptr ? library_default()
                             : Method{protocol::kBuiltinAlgorithm, std::nullopt};
  }
  Method deployed_method(const Instance& instance) const {
    return rules_ == nullptr ? methods_->at(instance) : library_default();
  }

  protocol::Plan both(const Part& part, bool default_first) const {
    protocol::Plan plan{stop_, {}, rules_ == nullptr ? "portable" : "openmpi-rules"};
    for (const Instance& instance : part.instances) {
      plan.cells.push_back(
          cell(instance, default_first ? default_method() : deployed_method(instance)));
      plan.cells.push_back(
          cell(instance, default_first ? deployed_method(instance) : default_method()));
    }
    return plan;
  }

  void run_arm(const Part& part, Arm arm) {
    arm_ = arm;
    protocol::Plan plan{stop_, {}};
    for (const Instance& instance : part.instances)
      plan.cells.push_back(cell(instance, library_default()));
    if (setting_ == nullptr)
      return run_job(starter_, std::move(plan),
                     arm == Arm::kDefault ? std::vector<std::string>{} : part.settings);
    measure::JobStarter under = starter_;
    if (arm == Arm::kDeployed) under.use(*setting_);
    run_job(under, std::move(plan), {});
  }

  // A placement needs every node of the job.
  void run_job(const measure::JobStarter& starter, protocol::Plan plan,
               const std::vector<std::string>& settings) {
    if (std::ranges::any_of(plan.cells, &Instance::ranks_per_node, &protocol::PlanCell::instance))
      plan.least_ranks = instances_.back().communicator_size;
    bool done = false;
    const std::string trouble =
        starter.run(plan, request_.beside, settings, [this, &done](std::string_view line) {
          const auto report = protocol::parse_report_line(line);
          if (!report) return ChildProcess::LineKind::kOther;
          done = done || std::holds_alternative<protocol::JobDone>(*report);
          if (const auto* result = std::get_if<protocol::CellResult>(&*report);
              result != nullptr && !result->failure)
            note(*result);
          return ChildProcess::LineKind::kProgress;
        });
    if (!done)
      throw Error(fmt::format("the job ended early: {}", trouble.empty() ? "no end" : trouble));
  }

  void note(const protocol::CellResult& measured) {
    const Instance instance = measured.cell.instance;
    const bool deployed =
        in_one_job() ? measured.cell.method == deployed_method(instance) : arm_ == Arm::kDeployed;
    evaluate::Pair& pair = round_[instance];
    pair.session = request_.session;
    (deployed ? pair.tuned_us : pair.default_us) = median(measured.samples_us);
    if (request_.on_cell) request_.on_cell(measured, deployed);
  }

  const SideBySideRequest& request_;
  std::vector<Instance> instances_;
  protocol::StopRule stop_;
  const RulesArm* rules_;  // nullptr: our own methods
  const MethodsArm* methods_;
  const SettingArm* setting_;
  const measure::JobStarter& starter_;
  std::vector<Part> parts_;
  std::set<Instance> taken_;
  Arm arm_ = Arm::kDefault;
  std::map<Instance, evaluate::Pair> round_;
};

}  // namespace

SessionRounds next_session(std::size_t measured, std::size_t rounds, std::size_t sessions) {
  if (measured >= rounds) return {sessions - 1, rounds};
  const std::size_t session = measured * sessions / rounds;
  return {session, ((session + 1) * rounds + sessions - 1) / sessions};
}

RoundsOfPairs measure_side_by_side(const SideBySideRequest& request,
                                   const measure::JobStarter& starter) {
  return SideBySide(request, starter).run();
}

RoundsOfPairs in_most_rounds(RoundsOfPairs rounds, std::size_t count) {
  std::erase_if(rounds, [&](const auto& entry) { return 4 * entry.second.size() < 3 * count; });
  for (const auto& [instance, pairs] : rounds) count = std::min(count, pairs.size());
  for (auto& [instance, pairs] : rounds) pairs.resize(count);
  return rounds;
}

}  // namespace colltree::deploy
