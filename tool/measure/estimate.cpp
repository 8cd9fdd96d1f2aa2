// SPDX-License-Identifier: BSD-3-Clause
#include "measure/estimate.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "base/error.h"
#include "measure/adaptive_plan.h"
#include "measure/allocation.h"

namespace colltree::measure {

namespace {

// The guess for a machine that nobody knows yet is a tree of messages, 10 us each and 1 GB/s.
// Blocks that every rank gets from every other pass each link as many times as there are ranks.
// Ranks that share a core wait for their turn.
double guess_us(const protocol::PlanCell& cell, std::uint64_t cores) {
  constexpr double kTurn_us = 3000;
  constexpr double kByte_us = 1e-3;
  const double message_us = cell.instance.communicator_size > cores ? kTurn_us : 10;
  const auto ranks = static_cast<double>(cell.instance.communicator_size);
  const auto bytes = static_cast<double>(cell.instance.message_size);
  const bool block = message_unit(cell.instance.collective) == MessageUnit::kBlock;
  return std::log2(ranks + 1) * message_us + bytes * kByte_us * (block ? ranks : 1);
}

// The number of cores, or a large one if the allocation does not say it.
std::uint64_t cores_here() {
  try {
    return find_allocation(std::getenv).ranks;
  } catch (const Error&) {
    return UINT64_MAX;
  }
}

std::string cells_text(std::size_t cells) {
  return fmt::format("{} {}", cells, cells == 1 ? "cell" : "cells");
}

// The budget as a fraction of the cost of all cells.
double share_of(const CampaignEstimate& estimate) {
  const Budget& budget = estimate.budget;
  if (budget.seconds) return *budget.seconds / std::max(1e-9, estimate.seconds);
  if (budget.cells) return static_cast<double>(*budget.cells) / static_cast<double>(estimate.cells);
  return budget.share.value_or(1);
}

std::string budget_text(const CampaignEstimate& estimate) {
  const double share = share_of(estimate);
  const std::string first =
      fmt::format("the first {} ({}) only show what each method is like",
                  cells_text(estimate.first_cells), about_text(estimate.first_seconds));
  if (!estimate.budget.seconds && !estimate.budget.cells && !estimate.budget.share)
    return fmt::format("; --until ends it earlier, and {}", first);
  if (share >= 1) return "; the budget is enough for all of them";
  std::string text = fmt::format(
      "; the budget buys about {:.2g} % of that, the rest is predicted; {}", 100 * share, first);
  // They are cut short at two fifths of a budget.
  constexpr double kShareOfFirst = 0.4;
  const double first_share =
      estimate.budget.cells
          ? static_cast<double>(estimate.first_cells) / static_cast<double>(estimate.cells)
          : estimate.first_seconds / std::max(1e-9, estimate.seconds);
  if (share * kShareOfFirst < first_share)
    text += fmt::format(": it is too small to compare all methods, which takes about {}",
                        estimate.budget.cells
                            ? cells_text(static_cast<std::size_t>(std::ceil(
                                  static_cast<double>(estimate.first_cells) / kShareOfFirst)))
                            : about_text(estimate.first_seconds / kShareOfFirst));
  return text;
}

}  // namespace

CampaignEstimate estimate(const CampaignRequest& request, const Driver& driver) {
  const std::vector<protocol::PlanCell> cells = plan_cells(request, driver);
  // Between the fewest repetitions and the most.
  protocol::StopRule stop = request.stop;
  stop.min_samples = static_cast<std::uint32_t>(
      std::sqrt(static_cast<double>(stop.min_samples) * static_cast<double>(stop.max_samples)));
  const std::uint64_t cores = driver.retries() ? cores_here() : UINT64_MAX;
  const auto cost_s = [&](const protocol::PlanCell& cell, double time_us) {
    return driver.cost_s(cell, time_us, stop);
  };
  CampaignEstimate estimate{.cells = cells.size(), .budget = request.budget};
  for (const protocol::PlanCell& cell : cells)
    estimate.seconds += cost_s(cell, guess_us(cell, cores));
  if (driver.retries())
    estimate.most_seconds = static_cast<double>(cells.size()) * request.stop.cell_budget_s;
  estimate.most_seconds = std::max(estimate.most_seconds, driver.retries() ? estimate.seconds : 0);
  if (!request.budget.adaptive()) return estimate;
  AdaptivePlan plan(cells, request.budget, cost_s);
  for (const protocol::PlanCell& cell : plan.first()) {
    ++estimate.first_cells;
    estimate.first_seconds += cost_s(cell, guess_us(cell, cores));
  }
  return estimate;
}

std::string about_text(double seconds) {
  if (seconds < 1) return "1 s";
  if (seconds < 100) return fmt::format("{:.0f} s", seconds);
  if (seconds < 6000) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

std::string estimate_text(const CampaignEstimate& estimate) {
  std::string text = fmt::format("{}, about {} of measuring", cells_text(estimate.cells),
                                 about_text(estimate.seconds));
  if (estimate.most_seconds > 0)
    text += fmt::format(" (at most {})", about_text(estimate.most_seconds));
  return estimate.budget.adaptive() ? text + budget_text(estimate) : text;
}

}  // namespace colltree::measure
