// SPDX-License-Identifier: BSD-3-Clause
#include "evaluate/program_change.h"

#include <algorithm>
#include <functional>

#include "evaluate/sessions.h"

namespace colltree::evaluate {

namespace {

Estimate estimate_of(const std::vector<double>& values, std::size_t judged) {
  Estimate estimate;
  if (!std::ranges::all_of(values, [](double value) { return std::isfinite(value); }))
    return estimate;
  estimate.middle = median(values);
  if (values.size() >= fewest_pairs(judged))
    estimate.interval = median_interval(values, 1 - kFalseAlarms / static_cast<double>(judged));
  return estimate;
}

// `judged`: how many are judged together.
Change change_in(const std::vector<ProgramPair>& pairs, const CallsKey& key, std::size_t judged,
                 const std::function<double(const ProgramRun&)>& time_s) {
  constexpr double kMs = 1000;
  std::vector<double> a_ms, b_ms, differences_ms, logs;
  for (const auto& [a, b] : pairs) {
    a_ms.push_back(kMs * time_s(a));
    b_ms.push_back(kMs * time_s(b));
    differences_ms.push_back(b_ms.back() - a_ms.back());
    logs.push_back(std::log(b_ms.back() / a_ms.back()));
  }
  // The ratio is a difference of logarithms, so that a / b is the inverse of b / a.
  const Estimate log = estimate_of(logs, judged);
  const Interval ratio{std::exp(log.interval.low), std::exp(log.interval.high)};
  return {key,
          estimate_of(a_ms, judged),
          estimate_of(b_ms, judged),
          estimate_of(differences_ms, judged),
          {std::exp(log.middle), ratio}};
}

}  // namespace

ProgramRun program_run(double whole_s, const CallRecord& record) {
  ProgramRun run{{whole_s, record.seconds, 0}, {}};
  const double us_of_ranks =
      1e6 * static_cast<double>(std::max<std::uint64_t>(record.ranks_covered, 1));
  const auto add = [&](const CallsKey& key, double total_us) {
    run.calls_s[key] += total_us / us_of_ranks;
    run.totals_s.back() += total_us / us_of_ranks;
  };
  for (const RecordedCalls& row : record.rows)
    add({std::string(name(row.instance.collective)), row.instance.communicator_size,
         std::bit_floor(row.instance.message_size), row.site.where},
        row.total_us);
  for (const PassedCalls& row : record.passed) {
    if (row.total_us)
      add({row.function, row.communicator_size, std::nullopt, row.site.where}, *row.total_us);
  }
  return run;
}

std::string_view verdict(const Change& change) {
  if (change.difference_ms.interval.low > 0) return "slower";
  if (change.difference_ms.interval.high < 0) return "faster";
  return kNoDifference;
}

ProgramChange change_of(const std::vector<ProgramPair>& pairs) {
  ProgramChange change{.pairs = pairs.size()};
  for (std::size_t i = 0; i < kTotals.size(); ++i)
    change.totals.push_back(
        change_in(pairs, {kTotals[i]}, 1, [i](const ProgramRun& run) { return run.totals_s[i]; }));
  std::map<CallsKey, double> calls;
  for (const auto& [a, b] : pairs) {
    calls.insert(a.calls_s.begin(), a.calls_s.end());
    calls.insert(b.calls_s.begin(), b.calls_s.end());
  }
  for (const auto& [key, some_s] : calls) {
    const auto time_s = [&name = key](const ProgramRun& run) {
      const auto found = run.calls_s.find(name);
      return found == run.calls_s.end() ? 0 : found->second;
    };
    change.calls.push_back(change_in(pairs, key, calls.size(), time_s));
  }
  std::ranges::stable_sort(change.calls, std::ranges::greater(),
                           [](const Change& call) { return std::abs(call.difference_ms.middle); });
  return change;
}

bool are_enough(const std::vector<ProgramPair>& pairs, const StopRule& rule) {
  if (pairs.empty()) return false;
  const ProgramChange change = change_of(pairs);
  const auto [low, high] = change.totals.front().ratio.interval;
  const bool is_narrow = (high - low) / (high + low) <= rule.half_width;  // not where it is NaN
  if (is_narrow && (!rule.judges_calls || pairs.size() >= fewest_pairs(change.calls.size())))
    return true;
  double spent_s = 0, longest_s = 0;
  for (const auto& [a, b] : pairs) {
    const double pair_s = a.totals_s.front() + b.totals_s.front();
    spent_s += pair_s;
    longest_s = std::max(longest_s, pair_s);
  }
  return spent_s + longest_s > rule.budget_s && pairs.size() >= rule.fewest_pairs;
}

}  // namespace colltree::evaluate
