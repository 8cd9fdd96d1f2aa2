// SPDX-License-Identifier: BSD-3-Clause
#include "evaluate/program_change.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <set>

namespace colltree::evaluate {

namespace {

constexpr double kConfidence = 0.95;

Estimate estimate_of(const std::vector<double>& values) {
  if (values.size() < kFewestPairs) return {median(values), {-INFINITY, INFINITY}};
  return {median(values), median_interval(values, kConfidence)};
}

// The ratio is estimated as a difference of logarithms, so that a / b is the inverse of b / a.
Estimate ratio_of(const std::vector<double>& logs) {
  if (!std::ranges::all_of(logs, [](double log) { return std::isfinite(log); }))
    return {NAN, {-INFINITY, INFINITY}};
  const Estimate log = estimate_of(logs);
  if (logs.size() < kFewestPairs) return {std::exp(log.middle), log.interval};
  return {std::exp(log.middle), {std::exp(log.interval.low), std::exp(log.interval.high)}};
}

using TimeOf = std::function<double(const ProgramRun&)>;

Change change_in(const std::vector<ProgramPair>& pairs, const TimeOf& time_s) {
  std::vector<double> a_s, b_s, differences_s, logs;
  for (const auto& [a, b] : pairs) {
    a_s.push_back(time_s(a));
    b_s.push_back(time_s(b));
    differences_s.push_back(b_s.back() - a_s.back());
    logs.push_back(std::log(b_s.back()) - std::log(a_s.back()));
  }
  return {estimate_of(a_s), estimate_of(b_s), estimate_of(differences_s), ratio_of(logs)};
}

TimeOf time_of_calls(const CallsKey& key) {
  return [&key](const ProgramRun& run) {
    const auto found = run.calls_s.find(key);
    return found == run.calls_s.end() ? 0 : found->second;
  };
}

}  // namespace

ProgramRun program_run(double whole_s, const CallRecord& record) {
  ProgramRun run{.whole_s = whole_s, .after_init_s = record.seconds};
  const double us_of_ranks =
      1e6 * static_cast<double>(std::max<std::uint64_t>(record.ranks_covered, 1));
  const auto add = [&](const CallsKey& key, double total_us) {
    run.calls_s[key] += total_us / us_of_ranks;
    run.collective_s += total_us / us_of_ranks;
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
  if (change.difference_s.interval.low > 0) return "slower";
  if (change.difference_s.interval.high < 0) return "faster";
  return kNoDifference;
}

Change whole_change(const std::vector<ProgramPair>& pairs) {
  return change_in(pairs, [](const ProgramRun& run) { return run.whole_s; });
}

ProgramChange change_of(const std::vector<ProgramPair>& pairs) {
  ProgramChange change{
      .whole = whole_change(pairs),
      .after_init = change_in(pairs, [](const ProgramRun& run) { return run.after_init_s; }),
      .collectives = change_in(pairs, [](const ProgramRun& run) { return run.collective_s; })};
  std::set<CallsKey> keys;
  for (const ProgramPair& pair : pairs) {
    for (const ProgramRun& run : pair) {
      for (const auto& [key, time_s] : run.calls_s) keys.insert(key);
    }
  }
  for (const CallsKey& key : keys)
    change.calls.emplace_back(key, change_in(pairs, time_of_calls(key)));
  std::ranges::stable_sort(change.calls, std::ranges::greater(), [](const auto& calls) {
    return std::abs(calls.second.difference_s.middle);
  });
  return change;
}

}  // namespace colltree::evaluate
