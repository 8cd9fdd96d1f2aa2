// SPDX-License-Identifier: BSD-3-Clause
#include "timings/timings.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "base/error.h"
#include "base/input.h"
#include "base/text.h"
#include "coll/catalogue.h"

namespace colltree {

std::size_t Times::predicted() const {
  return static_cast<std::size_t>(std::ranges::count(is_predicted_, std::uint8_t{1}));
}

void Times::assign(std::size_t count, double measured_us) {
  *this = Times(std::vector<double>(count, measured_us));
}

void Times::make_room_for(const Time& time) {
  if (low_us_.empty() && time.interval()) {
    low_us_.assign(us_.size(), kNoTime);
    high_us_.assign(us_.size(), kNoTime);
  }
  if (is_predicted_.empty() && time.is_predicted_) is_predicted_.assign(us_.size(), 0);
}

void Times::set(std::size_t index, const Time& time) {
  make_room_for(time);
  us_[index] = time.us_;
  if (!low_us_.empty()) {
    low_us_[index] = time.low_us_;
    high_us_[index] = time.high_us_;
  }
  if (!is_predicted_.empty()) is_predicted_[index] = time.is_predicted_ ? 1 : 0;
}

void Times::push_back(const Time& time) {
  us_.push_back(kNoTime);
  if (!low_us_.empty()) {
    low_us_.push_back(kNoTime);
    high_us_.push_back(kNoTime);
  }
  if (!is_predicted_.empty()) is_predicted_.push_back(0);
  set(us_.size() - 1, time);
}

std::optional<std::size_t> Timings::column_of(std::size_t instance, const Method& method) const {
  for (const Method& asked : {method, effective_method(method, instances[instance])}) {
    const auto column = index_of(methods, asked);
    if (column && !time_at(instance, *column).is_impossible()) return column;
  }
  return std::nullopt;
}

std::optional<std::size_t> Timings::default_column() const {
  return index_of(methods, true, is_library_default);
}

Time Timings::time_of(std::size_t instance, const Method& method) const {
  if (is_library_default(method)) return default_us[instance];
  const auto column = column_of(instance, method);
  return column ? time_at(instance, *column) : Time();
}

namespace {

void append_number(std::string& bytes, std::uint64_t number) {
  for (int shift = 0; shift < 64; shift += 8) bytes += static_cast<char>(number >> shift);
}

std::string bytes_of(const Timings& timings) {
  std::string bytes = timings.system + '\n' + timings.provenance + '\n';
  std::vector<std::size_t> columns;  // not the default's: a candidate or not, the session is one
  for (std::size_t m = 0; m < timings.methods.size(); ++m) {
    if (is_library_default(timings.methods[m])) continue;
    columns.push_back(m);
    bytes += timings.methods[m].papers_label() + '\n';
  }
  for (const Instance& instance : timings.instances) {
    for (const std::uint64_t number :
         {std::uint64_t{static_cast<std::uint8_t>(instance.collective)}, instance.communicator_size,
          instance.message_size, instance.nodes, instance.ranks_per_node}) {
      append_number(bytes, number);
    }
  }
  for (std::size_t i = 0; i < timings.instances.size(); ++i) {
    for (const std::size_t m : columns) {
      const double time = timings.time_at(i, m).known_us();
      append_number(bytes, std::isnan(time) ? 0 : std::bit_cast<std::uint64_t>(time));
    }
  }
  return bytes;
}

}  // namespace

std::vector<Method> in_tie_order(Collective collective, const std::set<Method>& methods) {
  std::vector<Method> ordered(methods.begin(), methods.end());
  std::ranges::sort(ordered, {}, [&](const Method& method) {
    return std::tuple(catalogue_rank(collective, method), method.segment_size, method.name());
  });
  return ordered;
}

std::string hash_of(const std::vector<Timings>& timings) {
  std::vector<std::string> hashes;
  for (const Timings& table : timings) hashes.push_back(content_hash(bytes_of(table)));
  std::ranges::sort(hashes);
  return content_hash(join(hashes, " "));
}

TimeCounts counts_of(const Timings& timings) {
  TimeCounts counts;
  const auto count = [&](const Time& time) {
    counts.measured += time.kind() == TimeKind::kMeasured ? 1 : 0;
    counts.predicted += time.kind() == TimeKind::kPredicted ? 1 : 0;
  };
  for (std::size_t cell = 0; cell < timings.time_us.size(); ++cell) count(timings.time_us[cell]);
  if (timings.default_column()) return counts;
  for (std::size_t i = 0; i < timings.default_us.size(); ++i) count(timings.default_us[i]);
  return counts;
}

Timings select_placement(const Timings& timings, std::uint64_t ranks_per_node) {
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < timings.instances.size(); ++i) {
    if (has_placement(timings.instances[i], ranks_per_node)) chosen.push_back(i);
  }
  return select_instances(timings, chosen);
}

bool has_several_placements(const Timings& timings) {
  std::map<std::uint64_t, std::uint64_t> placement;
  return std::ranges::any_of(timings.instances, [&](const Instance& instance) {
    return placement.emplace(instance.communicator_size, instance.ranks_per_node).first->second !=
           instance.ranks_per_node;
  });
}

std::vector<std::uint64_t> placements_of(const Timings& timings) {
  std::set<std::uint64_t> occurring;
  std::set<std::uint64_t> of_several_nodes;
  for (const Instance& instance : timings.instances) {
    occurring.insert(instance.ranks_per_node);
    if (instance.ranks_per_node != instance.communicator_size)
      of_several_nodes.insert(instance.ranks_per_node);
  }
  const std::set<std::uint64_t>& chosen = of_several_nodes.empty() ? occurring : of_several_nodes;
  return {chosen.begin(), chosen.end()};
}

Timings select_instances(const Timings& timings, std::span<const std::size_t> instances) {
  Timings part = timings;
  part.instances.clear();
  part.time_us = part.default_us = {};
  for (const std::size_t i : instances) {
    part.instances.push_back(timings.instances[i]);
    part.default_us.push_back(timings.default_us.empty() ? Time() : timings.default_us[i]);
    for (std::size_t m = 0; m < timings.methods.size(); ++m)
      part.time_us.push_back(timings.time_at(i, m));
  }
  return part;
}

Timings select_methods(const Timings& timings, std::span<const Method> methods) {
  Timings part = timings;
  part.methods = {methods.begin(), methods.end()};
  part.time_us = {};
  std::vector<std::size_t> columns;
  for (const Method& method : methods) columns.push_back(*index_of(timings.methods, method));
  for (std::size_t i = 0; i < timings.instances.size(); ++i) {
    for (const std::size_t m : columns) part.time_us.push_back(timings.time_at(i, m));
  }
  return part;
}

std::vector<Method> common_methods(const Timings& table, const Timings& second) {
  std::vector<Method> common;
  for (const Method& method : table.methods) {
    if (std::ranges::count(second.methods, method) > 0) common.push_back(method);
  }
  return common;
}

double Timings::least_known_us(std::size_t instance) const {
  return least_time(known_row(instance));
}

double Timings::greatest_known_us(std::size_t instance) const {
  double greatest = kNoTime;
  for (const double time : known_row(instance)) greatest = std::fmax(greatest, time);
  return greatest;
}

std::optional<std::size_t> Timings::best_at(std::size_t instance) const {
  return best_method(known_row(instance));
}

std::optional<std::size_t> Timings::best_measured_at(std::size_t instance) const {
  std::vector<double> measured_us;
  for (std::size_t m = 0; m < methods.size(); ++m)
    measured_us.push_back(time_at(instance, m).measured_us());
  return best_method(measured_us);
}

double least_time(std::span<const double> times_us) {
  double least = kNoTime;
  for (const double time : times_us) least = std::fmin(least, time);
  return least;
}

std::optional<std::size_t> best_method(std::span<const double> times_us, double tie_tolerance) {
  const double least = least_time(times_us);
  if (std::isnan(least)) return std::nullopt;
  for (std::size_t m = 0;; ++m) {
    if (times_us[m] <= least * (1 + tie_tolerance)) return m;
  }
}

namespace {

struct Candidate {
  SumOrder order;
  std::vector<Method> methods;
  std::size_t without = 0;  // instances where none of them has a time
  double mean_penalty = 0;
  double max_penalty = 0;
};

std::vector<Candidate> orders_of(const Timings& timings) {
  std::vector<Candidate> candidates;
  for (const Method& method : timings.methods) {
    const auto order = sum_order(timings.collective, method);
    if (!order) continue;
    auto found = std::ranges::find(candidates, *order, &Candidate::order);
    if (found == candidates.end()) found = candidates.insert(candidates.end(), {*order, {}});
    found->methods.push_back(method);
  }
  return candidates;
}

void judge(Candidate& candidate, const Timings& timings) {
  double sum = 0;
  for (std::size_t i = 0; i < timings.instances.size(); ++i) {
    std::vector<double> times_us;
    for (const Method& method : candidate.methods)
      times_us.push_back(timings.time_of(i, method).known_us());
    const double best_us = least_time(times_us);
    if (std::isnan(best_us)) {
      ++candidate.without;
      continue;
    }
    const double penalty = std::max(0.0, best_us / timings.least_known_us(i) - 1);
    sum += penalty;
    candidate.max_penalty = std::max(candidate.max_penalty, penalty);
  }
  candidate.mean_penalty = sum / static_cast<double>(timings.instances.size());
}

std::string why_none(const Timings& timings, const std::vector<Candidate>& orders) {
  const std::string where = fmt::format("{} on {}", name(timings.collective), timings.system);
  if (orders.empty())
    return fmt::format("{}: none of the methods always adds up in one order", where);
  const Candidate& nearest = *std::ranges::min_element(orders, {}, &Candidate::without);
  return fmt::format("{}: no order of sums has a method at every instance ({}: none at {} of {})",
                     where, text_of(nearest.order), nearest.without, timings.instances.size());
}

}  // namespace

Timings in_one_order(const Timings& timings) {
  if (!adds_up(timings.collective)) return timings;
  std::vector<Candidate> orders = orders_of(timings);
  const Candidate* best = nullptr;
  for (Candidate& candidate : orders) {
    judge(candidate, timings);
    if (candidate.without == 0 && (best == nullptr || candidate.mean_penalty < best->mean_penalty))
      best = &candidate;
  }
  if (best == nullptr) {
    throw Error(why_none(timings, orders) +
                "; measure more methods, such as reduce binomial, allreduce recursive_doubling and "
                "butterfly");
  }
  Timings narrowed = select_methods(timings, best->methods);
  narrowed.one_order = {timings.collective,     text_of(best->order), best->methods.size(),
                        timings.methods.size(), best->mean_penalty,   best->max_penalty};
  return narrowed;
}

}  // namespace colltree
