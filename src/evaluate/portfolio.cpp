// SPDX-License-Identifier: BSD-3-Clause
#include "evaluate/portfolio.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "evaluate/set_cover.h"

namespace colltree {

namespace {

// A method asked for where it cannot run as itself runs as its fallback, and may be good so.
bool is_within(const Timings& timings, std::size_t instance, const Method& method, double within) {
  return timings.time_of(instance, method).known_us() <=
         (1 + within) * timings.least_known_us(instance);
}

std::optional<std::size_t> fastest(const Timings& timings, std::size_t instance,
                                   const std::vector<Method>& methods) {
  std::vector<double> times_us;
  for (const Method& method : methods)
    times_us.push_back(timings.time_of(instance, method).known_us());
  return best_method(times_us);
}

void count_members(const Timings& timings, double within, Portfolio& portfolio) {
  const std::vector<Method> methods = portfolio.methods();
  for (std::size_t i = 0; i < timings.instances.size(); ++i) {
    const auto first = fastest(timings, i, methods);
    if (!first) continue;
    ++portfolio.members[*first].best_at;
    const auto good = [&](const Method& method) { return is_within(timings, i, method, within); };
    if (std::ranges::count_if(methods, good) == 1) ++portfolio.members[*first].needed_at;
  }
}

void count_cells(const Timings& timings, Portfolio& portfolio) {
  double all_us = 0, us = 0;
  for (std::size_t m = 0; m < timings.methods.size(); ++m) {
    const bool member = std::ranges::any_of(portfolio.members, [&](const PortfolioMember& one) {
      return one.method == timings.methods[m];
    });
    std::size_t cells = 0;
    for (std::size_t i = 0; i < timings.instances.size(); ++i) {
      const double time_us = timings.at(i, m).known_us();
      if (std::isnan(time_us)) continue;
      ++cells;
      all_us += time_us;
      if (member) us += time_us;
    }
    portfolio.all_cells += cells;
    if (member) portfolio.cells += cells;
    if (cells > 0) ++portfolio.of_methods;
  }
  portfolio.time_share = all_us > 0 ? us / all_us : 0;
}

}  // namespace

std::vector<Method> Portfolio::methods() const {
  std::vector<Method> methods;
  for (const PortfolioMember& member : members) methods.push_back(member.method);
  return methods;
}

Portfolio find_portfolio(const Timings& timings, double within) {
  std::vector<std::vector<std::size_t>> good;
  for (std::size_t i = 0; i < timings.instances.size(); ++i) {
    std::vector<std::size_t> here;
    for (std::size_t m = 0; m < timings.methods.size(); ++m) {
      if (is_within(timings, i, timings.methods[m], within)) here.push_back(m);
    }
    if (!here.empty()) good.push_back(std::move(here));
  }
  const Cover cover = least_cover(good, timings.methods.size());
  Portfolio portfolio;
  portfolio.at_least = cover.at_least;
  for (const std::size_t m : cover.sets) portfolio.members.push_back({timings.methods[m]});
  count_members(timings, within, portfolio);
  count_cells(timings, portfolio);
  return portfolio;
}

PenaltyPoints penalty_of_choosing_among(const Timings& timings,
                                        const std::vector<Method>& methods) {
  std::map<Instance, Method> chosen;
  for (std::size_t i = 0; i < timings.instances.size(); ++i) {
    // Where none can run, the first: charged as the slowest.
    chosen[timings.instances[i]] = methods[fastest(timings, i, methods).value_or(0)];
  }
  return penalty_points(timings, [&](const Instance& at) { return chosen.at(at); });
}

}  // namespace colltree
