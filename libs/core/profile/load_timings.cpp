// SPDX-License-Identifier: BSD-3-Clause
#include "profile/load_timings.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <map>
#include <numeric>
#include <set>

#include "base/error.h"
#include "base/random.h"
#include "base/statistics.h"
#include "base/text.h"
#include "profile/import.h"
#include "profile/overview.h"
#include "profile/rows.h"
#include "profile/schema.h"

namespace colltree::profile {

namespace {

constexpr double kConfidence = 0.95;
// The share of a copied campaign's repeated cells that have equal samples. In a few cells samples
// are equal, too, when the clock is coarse compared with their time.
constexpr double kCopiedShare = 0.95;

using Pool = std::map<std::pair<Instance, Method>, std::vector<double>>;  // samples in us

struct Held {
  Pool pool;
  // The median of each campaign, in us; a simulated system has a single entry.
  std::map<Pool::key_type, std::vector<double>> sessions;
  WantedCells wanted;
};

bool are_equal(const std::vector<double>& samples_us) {
  return std::ranges::adjacent_find(samples_us, std::not_equal_to()) == samples_us.end();
}

// True if the file repeats one figure for each cell instead of listing samples.
bool is_copied(const Pool& campaign) {
  std::size_t repeated = 0;
  std::size_t equal = 0;
  for (const auto& [point, values] : campaign) {
    if (values.size() < 2) continue;
    ++repeated;
    equal += are_equal(values) ? 1 : 0;
  }
  return repeated > 0 && static_cast<double>(equal) >= kCopiedShare * static_cast<double>(repeated);
}

constexpr std::size_t kFewestPoints = 20;

// The logarithm of the ratio of two times of a method, and its variance by the samples of both.
using Change = std::pair<double, double>;

double variance_of_median(const std::vector<double>& samples_us) {
  const Interval interval = median_interval(samples_us, kConfidence);
  return interval.low > 0 ? std::pow(log_deviation(interval), 2) : 0;
}

// The changes at each instance, one for every method that both campaigns have.
std::map<Instance, std::vector<Change>> changes_between(const Pool& earlier, const Pool& later) {
  std::map<Instance, std::vector<Change>> changes;
  for (const auto& [point, samples_us] : earlier) {
    const auto found = later.find(point);
    if (found == later.end()) continue;
    changes[point.first].push_back(
        {std::log(median(found->second) / median(samples_us)),
         variance_of_median(samples_us) + variance_of_median(found->second)});
  }
  return changes;
}

// The changes from one job of a method to its next. Nothing common to the methods is subtracted: if
// every method has its private job, methods have nothing in common.
std::vector<Change> changes_between_jobs(const std::map<CampaignId, Pool>& campaigns) {
  std::map<Pool::key_type, const std::vector<double>*> last;
  std::vector<Change> changes;
  for (const auto& [id, campaign] : campaigns) {
    for (const auto& [point, samples_us] : campaign) {
      const auto [before, is_first] = last.try_emplace(point, &samples_us);
      if (!is_first)
        changes.emplace_back(std::log(median(samples_us) / median(*before->second)),
                             variance_of_median(*before->second) + variance_of_median(samples_us));
      before->second = &samples_us;
    }
  }
  return changes;
}

// The standard deviation of the logarithm of a method's time from one session to another, without
// the change that all methods of an instance have in common (a busier machine) and without the
// noise of the medians.
std::optional<double> session_deviation(const std::map<CampaignId, Pool>& campaigns) {
  std::vector<double> changes;
  std::vector<double> variances;
  const auto is_of_one_instance = [](const auto& a, const auto& b) {
    return a.first.first == b.first.first;
  };
  if (std::ranges::none_of(campaigns, [&](const auto& campaign) {
        const Pool& pool = campaign.second;
        return std::ranges::adjacent_find(pool, is_of_one_instance) != pool.end();
      })) {
    for (const auto& [log, variance] : changes_between_jobs(campaigns)) {
      changes.push_back(std::abs(log));
      variances.push_back(variance);
    }
  }
  for (auto next = campaigns.begin(); next != campaigns.end(); ++next) {
    if (next == campaigns.begin()) continue;
    for (auto& [instance, of_methods] : changes_between(std::prev(next)->second, next->second)) {
      const auto count = static_cast<double>(of_methods.size());
      if (count < 2) continue;  // nothing to compare it with
      double common = 0;
      for (const auto& [log, variance] : of_methods) common += log / count;
      for (const auto& [log, variance] : of_methods) {
        changes.push_back(std::abs(log - common) * std::sqrt(count / (count - 1)));
        variances.push_back(variance);
      }
    }
  }
  if (changes.size() < kFewestPoints) return std::nullopt;
  const double total = std::pow(median(changes), 2) / kMedianOfSquares;
  return std::sqrt(std::max(0.0, total - median(variances)) / 2);
}

void pool_campaigns(const std::map<CampaignId, Pool>& campaigns, Timings& table, Held& held) {
  for (const auto& [id, campaign] : campaigns) {
    const bool copied = table.provenance == kProvenanceImported && is_copied(campaign);
    table.has_copied_samples |= copied;
    for (const auto& [point, values] : campaign) {
      const auto end = copied && are_equal(values) ? values.begin() + 1 : values.end();
      std::vector<double>& pool = held.pool[point];
      pool.insert(pool.end(), values.begin(), end);
      std::vector<double>& sessions = held.sessions[point];
      if (sessions.empty() || table.provenance != kProvenanceSimulated)
        sessions.push_back(median(values));
    }
  }
  if (table.provenance != kProvenanceSimulated)
    table.session_deviation = session_deviation(campaigns);
  if (table.provenance == kProvenanceImported)
    table.jobs = table.session_deviation ? Jobs::kRepeated : Jobs::kNotKnown;
}

// Reads the cells of the table's system and collective.
Held read_cells(const Profile& profile, Timings& table, const LoadOptions& options) {
  return explained(profile.path(), [&] {
    const CellFilter filter{options.campaign, table.system, table.collective};
    Held held;
    std::map<CampaignId, Pool> campaigns;  // each has its own origin
    const auto take = [&](CampaignId campaign, const Cell& cell) {
      held.wanted.see(cell);
      if (cell.status != CellStatus::kOk || cell.samples.empty()) return;
      if (!options.external && cell.key.method.algorithm.starts_with("ext:")) return;
      std::vector<double>& times = campaigns[campaign][{cell.key.instance, cell.key.method}];
      std::ranges::copy(times_us(cell), std::back_inserter(times));
    };
    visit_cells(profile.database(), profile.path(), filter,
                [&](CampaignId campaign, std::int64_t, const Cell& cell) {
                  if (setting_of(cell.key.method) != options.setting) return;
                  if (options.setting.empty()) return take(campaign, cell);
                  Cell bare = cell;
                  bare.key.method = without_setting(cell.key.method);
                  take(campaign, bare);
                });
    pool_campaigns(campaigns, table, held);
    return held;
  });
}

// The points that were wanted and not measured. A point without a placement gets the one that its
// communicator size was measured with.
WantedTimes left_to_predict(const Held& held) {
  std::map<std::uint64_t, Instance> placements;
  for (const auto& [point, values] : held.pool)
    placements.try_emplace(point.first.communicator_size, point.first);
  WantedTimes left;
  for (auto [instance, method] : held.wanted.left()) {
    const auto found = placements.find(instance.communicator_size);
    if (instance.ranks_per_node == 0 && found != placements.end()) {
      instance.nodes = found->second.nodes;
      instance.ranks_per_node = found->second.ranks_per_node;
    }
    left.emplace(instance, method);
  }
  return left;
}

double summarize(std::vector<double>& values, Summary summary) {
  switch (summary) {
    case Summary::kMinimum:
      return *std::ranges::min_element(values);
    case Summary::kMean:
      std::ranges::sort(values);  // the sum must not depend on the order of the rows
      return std::accumulate(values.begin(), values.end(), 0.0) /
             static_cast<double>(values.size());
    case Summary::kMedian:
      break;
  }
  return median(values);
}

void allot(Timings& timings, const Pool& pool, const WantedTimes& wanted,
           const LoadOptions& options) {
  std::set<Instance> instances;
  std::set<Method> methods;
  bool has_default = false;
  for (const auto& [point, values] : pool) {
    if (is_library_default(point.second)) {
      has_default = true;
      if (options.default_alone) instances.insert(point.first);
      continue;
    }
    instances.insert(point.first);
    methods.insert(point.second);
  }
  // A method without any time cannot be predicted.
  for (const auto& [instance, method] : wanted) {
    if (methods.contains(method)) instances.insert(instance);
  }
  timings.instances.assign(instances.begin(), instances.end());
  timings.methods = in_tie_order(timings.collective, methods);
  const bool real = timings.provenance != kProvenanceSimulated;
  if (has_default && real && options.default_candidate) {
    timings.methods.push_back(library_default());
  }
  timings.time_us.assign(timings.instances.size() * timings.methods.size(), kNoTime);
  timings.default_us.assign(timings.instances.size(), kNoTime);
}

// Each of several sessions has the same weight, however many samples it has, because sessions
// differ by more than the noise of their medians.
Time time_of_sessions(const std::vector<double>& values, std::span<const double> sessions,
                      double session_deviation) {
  const double pooled_us = median(values);
  const double time_us = sessions.size() < 2 ? pooled_us : median(sessions);
  const Interval pooled = median_interval(values, kConfidence);
  const double factor = std::exp(kDeviationsOf95 * session_deviation /
                                 std::sqrt(static_cast<double>(sessions.size())));
  const double moved = time_us / pooled_us;
  return Time::measured(time_us, {moved * pooled.low / factor, moved * pooled.high * factor});
}

void fill(Timings& timings, Held& held, Summary summary) {
  const double session_deviation = timings.session_deviation.value_or(0);
  std::size_t row = 0;
  for (auto& [point, values] : held.pool) {  // by instance, as timings.instances
    while (row < timings.instances.size() && timings.instances[row] < point.first) ++row;
    if (row == timings.instances.size() || timings.instances[row] != point.first) continue;
    const Time time = summary == Summary::kMedian
                          ? time_of_sessions(values, held.sessions.at(point), session_deviation)
                          : Time::measured(summarize(values, summary));
    if (is_library_default(point.second)) timings.default_us.set(row, time.known_us());
    const auto column = index_of(timings.methods, point.second);
    if (!column) continue;  // the default, which is no candidate
    timings.time_us.set(row * timings.methods.size() + *column, time);
  }
}

// "" (not known) as soon as one campaign does not say it.
std::string owner_of_algorithms(const Profile& profile, const SystemInfo& system) {
  std::set<std::string> owners;
  for (const StoredCampaign& campaign : profile.campaigns()) {
    if (campaign.info.system.name == system.name) owners.insert(owner_of_algorithms(campaign.info));
  }
  return owners.contains("") ? "" : join(owners, " and ");
}

Timings empty_table(const Profile& profile, const std::string& name, Collective collective) {
  const SystemInfo system = profile.require_system(name);
  return {.system = name,
          .provenance = system.provenance,
          .collective = collective,
          .algorithms = owner_of_algorithms(profile, system),
          .mpi = system.mpi};
}

// Removes the instances where a method has only one sample; returns their number.
std::size_t keep_repeated(Pool& pool) {
  std::set<Instance> single;
  for (const auto& [point, values] : pool) {
    if (!is_library_default(point.second) && values.size() < 2) single.insert(point.first);
  }
  std::erase_if(pool, [&](const auto& entry) {
    return single.contains(entry.first.first) || entry.second.size() < 2;
  });
  return single.size();
}

}  // namespace

std::optional<StoredTimings> find_timings(const Profile& profile, const std::string& system,
                                          Collective collective, const LoadOptions& options) {
  StoredTimings stored{empty_table(profile, system, collective), {}, options.ranks_per_node};
  Held held = read_cells(profile, stored.timings, options);
  stored.wanted = left_to_predict(held);
  allot(stored.timings, held.pool, stored.wanted, options);
  const auto is_asked_for = [&](const Instance& instance) {
    return options.ranks_per_node == 0 || has_placement(instance, options.ranks_per_node);
  };
  if (std::ranges::none_of(stored.timings.instances, is_asked_for)) return std::nullopt;
  fill(stored.timings, held, options.summary);
  return stored;
}

std::optional<TimingHalves> find_timing_halves(const Profile& profile, const std::string& system,
                                               Collective collective, const LoadOptions& options,
                                               std::uint64_t seed) {
  TimingHalves halves{empty_table(profile, system, collective), {}, 0};
  Held held = read_cells(profile, halves.first, options);
  // Both halves are of the same sessions.
  halves.first.session_deviation.reset();
  for (auto& [point, sessions] : held.sessions) sessions.resize(1);
  halves.left_out = keep_repeated(held.pool);
  allot(halves.first, held.pool, {}, options);
  if (halves.first.instances.empty()) return std::nullopt;
  halves.second = halves.first;
  Held second_half{{}, held.sessions, {}};
  SeededRandom random(seed);
  for (auto& [point, values] : held.pool) {
    std::ranges::sort(values);  // what is dealt must not depend on the order of the rows
    random.shuffle(values);
    const auto half = static_cast<std::ptrdiff_t>(values.size() / 2);
    second_half.pool[point].assign(values.begin() + half, values.begin() + 2 * half);
    values.erase(values.begin() + half, values.end());
  }
  fill(halves.first, held, options.summary);
  fill(halves.second, second_half, options.summary);
  if (options.ranks_per_node != 0) {
    for (Timings* half : {&halves.first, &halves.second})
      *half = select_placement(*half, options.ranks_per_node);
  }
  if (halves.first.instances.empty()) return std::nullopt;
  return halves;
}

StoredTimings load_timings(const Profile& profile, const std::string& system, Collective collective,
                           const LoadOptions& options) {
  if (auto stored = find_timings(profile, system, collective, options)) return *stored;
  LoadOptions alone = options;
  alone.default_alone = true;
  if (find_timings(profile, system, collective, alone)) {
    throw Error(fmt::format(
        "{}: of {} on {} only the library's own choice was measured, so there is nothing to choose "
        "from; 'colltree evaluate compare {} OTHER.db' sets it beside another run or profile",
        profile.path().string(), name(collective), system, profile.path().filename().string()));
  }
  throw Error(fmt::format("{}: has no timings of {} on {}{}{}", profile.path().string(),
                          name(collective), system,
                          options.setting.empty() ? "" : " under setting " + options.setting,
                          options.ranks_per_node == 0
                              ? ""
                              : fmt::format(" with {} ranks per node", options.ranks_per_node)));
}

}  // namespace colltree::profile
