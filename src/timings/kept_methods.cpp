// SPDX-License-Identifier: BSD-3-Clause
#include "timings/kept_methods.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "coll/catalogue.h"

namespace colltree {

namespace {

std::size_t default_column(const Timings& timings) {
  if (const auto column = timings.default_column()) return *column;
  throw Error(fmt::format(
      "{} on {}: a gain over the library's own choice needs its times; measure 'default' too, or "
      "leave the gain out",
      name(timings.collective), timings.system));
}

Timings with_default_times(const Timings& timings, std::size_t column) {
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < timings.instances.size(); ++i) {
    if (!timings.at(i, column).is_impossible()) kept.push_back(i);
  }
  if (kept.size() == timings.instances.size()) return timings;
  return select_instances(timings, kept);
}

Timings proven(const Timings& all, double gain) {
  const std::size_t column = default_column(all);
  Timings timings = with_default_times(all, column);
  if (timings.instances.empty()) {
    throw Error(fmt::format(
        "{} on {}: at no instance was the library's own choice measured beside another method; "
        "complete the measurement, with --retry-failed where it failed, or leave the gain out "
        "(--least-gain none)",
        name(timings.collective), timings.system));
  }
  for (std::size_t i = 0; i < timings.instances.size(); ++i) {
    const double limit_us = timings.at(i, column).interval_or_itself().low;
    for (std::size_t m = 0; m < timings.methods.size(); ++m) {
      const bool is_faster = timings.at(i, m).interval_or_itself().high * (1 + gain) <= limit_us;
      if (m != column && !is_faster) timings.time_us.set(i * timings.methods.size() + m, Time());
    }
  }
  return timings;
}

}  // namespace

std::vector<Timings> proven(const std::vector<Timings>& timings, double gain) {
  std::vector<Timings> result;
  for (const Timings& one : timings) result.push_back(proven(one, gain));
  return result;
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
  std::vector<Candidate> all;
  for (const Method& method : timings.methods) {
    const auto order = sum_order(timings.collective, method);
    if (!order) continue;
    auto found = std::ranges::find(all, *order, &Candidate::order);
    if (found == all.end()) found = all.insert(all.end(), {*order, {}});
    found->methods.push_back(method);
  }
  return all;
}

void judge(Candidate& one, const Timings& timings) {
  double sum = 0;
  for (std::size_t i = 0; i < timings.instances.size(); ++i) {
    std::vector<double> times_us;
    for (const Method& method : one.methods)
      times_us.push_back(timings.time_of(i, method).known_us());
    const double best_us = least_time(times_us);
    if (std::isnan(best_us)) {
      ++one.without;
      continue;
    }
    const double penalty = std::max(0.0, best_us / timings.least_known_us(i) - 1);
    sum += penalty;
    one.max_penalty = std::max(one.max_penalty, penalty);
  }
  one.mean_penalty = sum / static_cast<double>(timings.instances.size());
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
  for (Candidate& one : orders) {
    judge(one, timings);
    if (one.without == 0 && (best == nullptr || one.mean_penalty < best->mean_penalty)) best = &one;
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
