// SPDX-License-Identifier: BSD-3-Clause
#include "timings/recorded_cost.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <tuple>
#include <utility>

namespace colltree {

namespace {

double distance(std::uint64_t a, std::uint64_t b) {
  return std::abs(std::log2(static_cast<double>(a) + 1) - std::log2(static_cast<double>(b) + 1));
}

// The nearest instance, with the same placement if there is one.
std::optional<std::size_t> nearest(const Timings& timings, const Instance& sought) {
  std::optional<std::size_t> best;
  std::pair<double, std::pair<double, bool>> least;
  for (std::size_t i = 0; i < timings.instances.size(); ++i) {
    const Instance& candidate = timings.instances[i];
    const double ranks = distance(candidate.communicator_size, sought.communicator_size);
    const double bytes = distance(candidate.message_size, sought.message_size);
    if (ranks > 1 || bytes > 1) continue;
    const bool elsewhere =
        candidate.nodes != sought.nodes || candidate.ranks_per_node != sought.ranks_per_node;
    const auto far = std::make_pair(ranks, std::make_pair(bytes, elsewhere));
    if (!best || far < least) {
      best = i;
      least = far;
    }
  }
  return best;
}

void add_best(const Timings& timings, RecordedRowCost& row) {
  const auto instance = nearest(timings, row.calls.instance);
  if (!instance) return;
  const Time ran = timings.time_of(*instance, row.calls.method);
  const double ran_us = ran.known_us();
  Time best = timings.default_us[*instance];
  row.best = library_default();
  for (std::size_t method = 0; method < timings.methods.size(); ++method) {
    const Time time = timings.time_at(*instance, method);
    if (time.is_impossible() || (!best.is_impossible() && time.known_us() >= best.known_us()))
      continue;
    best = time;
    row.best = timings.methods[method];
  }
  const double best_us = best.known_us();
  row.predicted = ran.is_predicted() || best.is_predicted();
  if (std::isnan(ran_us) || std::isnan(best_us) || ran_us <= 0) return;
  row.in_profile = true;
  row.saved_share = (row.share - row.waiting_share) * std::max(0.0, 1 - best_us / ran_us);
}

RecordedCost& cost_of(std::vector<RecordedCost>& costs, Collective collective) {
  const auto found = std::ranges::find(costs, collective, &RecordedCost::collective);
  if (found != costs.end()) return *found;
  costs.push_back({.collective = collective});
  return costs.back();
}

bool is_ours(const RecordedCalls& calls) { return !is_library_default(calls.method); }

}  // namespace

double share_of_run(const CallRecord& record, double total_us) {
  const double run_us = record.seconds * 1e6 * static_cast<double>(record.ranks_covered);
  return run_us > 0 ? total_us / run_us : 0;
}

TimeShares time_shares(const CallRecord& record) {
  TimeShares shares;
  for (const RecordedCalls& calls : record.rows) {
    shares.total_us += calls.total_us;
    shares.by_why[calls.why] += calls.total_us;
    if (is_ours(calls)) shares.decided += calls.total_us;
  }
  for (const PassedCalls& calls : record.passed) {
    if (!calls.total_us) continue;
    shares.total_us += *calls.total_us;
    shares.by_why[calls.why] += *calls.total_us;
  }
  if (shares.total_us <= 0) return shares;
  shares.decided /= shares.total_us;
  for (auto& [why, time_us] : shares.by_why) time_us /= shares.total_us;
  return shares;
}

std::vector<RecordedCost> recorded_cost(const CallRecord& record,
                                        const std::vector<Timings>& timings) {
  std::vector<RecordedCost> costs;
  for (const RecordedCalls& calls : record.rows) {
    RecordedRowCost row{.calls = calls};
    row.share = share_of_run(record, calls.total_us);
    if (calls.sampled_us > 0)
      row.waiting_share = row.share * std::min(1.0, calls.waiting_us / calls.sampled_us);
    for (const Timings& table : timings) {
      if (table.collective == calls.instance.collective && calls.instance.communicator_size > 1)
        add_best(table, row);
    }
    RecordedCost& cost = cost_of(costs, calls.instance.collective);
    cost.calls += calls.calls;
    cost.bytes += calls.bytes;
    cost.rank_calls += calls.rank_calls;
    cost.total_us += calls.total_us;
    cost.share += row.share;
    cost.decided_share += is_ours(calls) ? static_cast<double>(calls.rank_calls) : 0;
    cost.profiled_share += row.in_profile ? row.share : 0;
    cost.saved_share += row.saved_share;
    cost.rows.push_back(std::move(row));
  }
  for (RecordedCost& cost : costs) {
    if (cost.rank_calls != 0) cost.decided_share /= static_cast<double>(cost.rank_calls);
    std::ranges::stable_sort(cost.rows, std::ranges::greater(),
                             [](const RecordedRowCost& row) { return row.calls.total_us; });
  }
  std::ranges::stable_sort(costs, std::ranges::greater(), &RecordedCost::total_us);
  return costs;
}

std::vector<SiteCost> site_costs(const CallRecord& record, const std::vector<RecordedCost>& costs) {
  using Key = std::tuple<CallSite, std::string, std::optional<std::uint64_t>>;
  std::map<Key, SiteCost> sums;
  const auto sum_of = [&](const Key& key) -> SiteCost& {
    SiteCost& sum = sums[key];
    std::tie(sum.site, sum.function, sum.size_class) = key;
    return sum;
  };
  for (const RecordedCost& cost : costs) {
    for (const RecordedRowCost& row : cost.rows) {
      const Instance& instance = row.calls.instance;
      SiteCost& sum = sum_of({row.calls.site, std::string(name(instance.collective)),
                              std::bit_floor(instance.message_size)});
      sum.calls += row.calls.calls;
      sum.share += row.share;
      // A rank waits for none on a communicator of its own.
      if (row.calls.sampled_us > 0 || instance.communicator_size == 1)
        sum.sampled_share += row.share;
      sum.waiting_share += row.waiting_share;
      sum.saved_share += row.saved_share;
    }
  }
  for (const PassedCalls& calls : record.passed) {
    if (!calls.total_us) continue;
    SiteCost& sum = sum_of({calls.site, calls.function, std::nullopt});
    sum.calls += calls.calls;
    sum.share += share_of_run(record, *calls.total_us);
  }
  std::vector<SiteCost> sorted;
  for (auto& [key, sum] : sums) sorted.push_back(std::move(sum));
  std::ranges::stable_sort(sorted, std::ranges::greater(), &SiteCost::share);
  return sorted;
}

}  // namespace colltree
