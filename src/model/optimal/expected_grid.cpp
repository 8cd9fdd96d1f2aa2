// SPDX-License-Identifier: BSD-3-Clause
#include "model/optimal/expected_grid.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numbers>

#include "surrogate/belief.h"

namespace colltree::optimal {

namespace {

double tun(const char* name, double otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::atof(text);
}

bool has_placements(const MeasuredGrid& grid) {
  return std::ranges::any_of(grid.axes, [](const GridAxis& axis) {
    return !axis.is_collective && (axis.attribute == Attribute::kNodes || axis.attribute == Attribute::kRanksPerNode);
  });
}

// The sizes with `between` more between two neighbours that differ by `ratio` or more, and with `ends` one octave beyond.
std::vector<std::uint64_t> extended(const std::vector<std::uint64_t>& sizes, std::size_t between, double ratio, bool ends,
                                    std::uint64_t least) {
  std::vector<std::uint64_t> all;
  // Most sizes are no power of two.
  const auto usual = [&](std::uint64_t size) { return tun("GENERIC", 1) > 0 && least > 0 && size > 4 && (size & (size - 1)) == 0 ? size - 1 : size; };
  const auto between_two = [&](std::uint64_t a, std::uint64_t b, std::size_t count) {
    const double low = static_cast<double>(std::max<std::uint64_t>(a, 1));
    const double high = static_cast<double>(b);
    if (high / low < ratio) return;
    for (std::size_t k = 1; k <= count; ++k) {
      const auto size = static_cast<std::uint64_t>(std::lround(low * std::pow(high / low, static_cast<double>(k) / static_cast<double>(count + 1))));
      if (usual(size) > all.back() && size < b) all.push_back(usual(size));
    }
  };
  const std::size_t beyond = static_cast<std::size_t>(tun("V_BEYOND", 1));
  if (ends && sizes.front() / 2 >= least) {
    all.push_back(usual(sizes.front() / 2));
    between_two(usual(sizes.front() / 2), sizes.front(), beyond);
  }
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    all.push_back(sizes[i]);
    if (i + 1 < sizes.size()) between_two(sizes[i], sizes[i + 1], between);
  }
  if (ends) {
    between_two(sizes.back(), sizes.back() * 2, beyond);
    all.push_back(usual(sizes.back() * 2));
  }
  return all;
}

std::vector<double> trapezoids(const GridAxis& axis) {
  std::vector<double> weights(axis.size(), 1.0);
  if (axis.is_collective || axis.size() < 2) return weights;
  const auto at = [&](std::size_t i) {
    return axis.attribute == Attribute::kMessageSize ? std::log2(static_cast<double>(axis.values[i]) + 16) : octaves(axis.values[i]);
  };
  double total = 0;
  for (std::size_t i = 0; i < axis.size(); ++i) {
    const double low = i == 0 ? at(i) : at(i - 1);
    const double high = i + 1 == axis.size() ? at(i) : at(i + 1);
    total += weights[i] = (high - low) / 2;
  }
  for (double& weight : weights) weight /= total;
  return weights;
}

Instance instance_of(const MeasuredGrid& grid, std::size_t cell) {
  Instance at{.collective = grid.collectives.front()};
  for (std::size_t a = 0; a < grid.axes.size(); ++a) {
    const GridAxis& axis = grid.axes[a];
    const std::uint64_t value = axis.values[cell / grid.stride(a) % axis.size()];
    if (axis.is_collective) at.collective = static_cast<Collective>(value);
    else if (axis.attribute == Attribute::kCommunicatorSize) at.communicator_size = value;
    else if (axis.attribute == Attribute::kMessageSize) at.message_size = value;
    else if (axis.attribute == Attribute::kNodes) at.nodes = value;
    else if (axis.attribute == Attribute::kRanksPerNode) at.ranks_per_node = value;
  }
  return at;
}

// E[max(0, e^X - 1)], X normal.
double expected_harm(double mean, double deviation) {
  if (deviation < 1e-9) return std::max(0.0, std::exp(mean) - 1);
  if (tun("HARM", 1) > 0) {
    const double z = mean / deviation;
    return mean * std::erfc(-z / std::numbers::sqrt2) / 2 + deviation * std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi);
  }
  const auto below = [](double z) { return std::erfc(-z / std::numbers::sqrt2) / 2; };
  const double capped = std::min(mean + deviation * deviation / 2, 5.0);
  return std::max(0.0, std::exp(capped) * below((mean + deviation * deviation) / deviation) - below(mean / deviation));
}

}  // namespace

ExpectedGrid make_expected_grid(std::span<const Timings> timings, double caution) {
  MeasuredGrid measured = make_measured_grid(timings);
  const bool placed = has_placements(measured);
  MeasuredGrid grid;
  grid.collectives = measured.collectives;
  grid.methods = measured.methods;
  const bool dense = measured.measured_cells() > 256;
  const std::size_t kBetween = static_cast<std::size_t>(tun("V_BETWEEN", 3));
  const double ratio = dense ? 1.5 : 0;
  for (std::size_t a = 0; a < measured.axes.size(); ++a) {
    const GridAxis& axis = measured.axes[a];
    if (axis.is_collective) { grid.axes.push_back(axis); continue; }
    std::vector<std::uint64_t> values = axis.values;
    if (axis.attribute == Attribute::kMessageSize)
      values = extended(axis.values, static_cast<std::size_t>(tun("V_BYTES", 1)), ratio, false, 0);
    else if (axis.attribute == Attribute::kCommunicatorSize && !placed)
      values = extended(axis.values, kBetween, ratio, !dense && tun("V_ENDS", 1) > 0, 2);
    grid.axes.push_back(make_axis(axis.attribute, values));
  }
  std::size_t cells = 1;
  for (const GridAxis& axis : grid.axes) cells *= axis.size();
  const std::size_t methods = grid.methods.size();
  grid.instance.resize(cells);
  grid.weight.assign(cells, 0);
  grid.time_us.assign(cells * methods, kNoTime);
  grid.exists.assign(cells * methods, false);
  ExpectedGrid expected{std::move(grid), std::vector<double>(cells * methods, kNotAllowed)};
  std::vector<std::vector<double>> weights;
  for (const GridAxis& axis : expected.grid.axes) weights.push_back(trapezoids(axis));
  double total = 0;
  for (const Timings& one : timings) {
    std::vector<Instance> points;
    std::vector<std::size_t> places;
    std::vector<std::optional<std::size_t>> row_of;
    for (std::size_t cell = 0; cell < cells; ++cell) {
      const Instance at = instance_of(expected.grid, cell);
      if (at.collective != one.collective && timings.size() > 1) continue;
      const std::size_t near = measured.cell_of(at);
      const bool same = instance_of(measured, near).communicator_size == at.communicator_size && instance_of(measured, near).message_size == at.message_size;
      if (same && measured.instance[near]) expected.grid.instance[cell] = measured.instance[near];
      if (placed && !measured.instance[near]) continue;
      Instance there = at;
      there.collective = one.collective;
      if (!placed && measured.instance[near]) {
        const Instance& known = one.instances[*measured.instance[near]];
        there.ranks_per_node = known.ranks_per_node;
      }
      points.push_back(there);
      places.push_back(cell);
    }
    const std::vector<surrogate::Belief> beliefs = surrogate::beliefs(one, points);
    const auto fallback = one.default_column();
    for (std::size_t i = 0; i < points.size(); ++i) {
      const std::size_t cell = places[i];
      const surrogate::Belief* row = beliefs.data() + i * one.methods.size();
      double least = INFINITY, most = -INFINITY;
      double weight = 1;
      for (std::size_t a = 0; a < weights.size(); ++a)
        weight *= weights[a][cell / expected.grid.stride(a) % expected.grid.axes[a].size()];
      expected.grid.weight[cell] = weight;
      total += weight;
      for (std::size_t m = 0; m < one.methods.size(); ++m) {
        if (row[m].cannot_run > 0.9) continue;
        least = std::min(least, row[m].mean);
        most = std::max(most, row[m].mean);
      }
      for (std::size_t m = 0; m < one.methods.size(); ++m) {
        const std::size_t column = static_cast<std::size_t>(std::ranges::find(expected.grid.methods, one.methods[m]) - expected.grid.methods.begin());
        const std::size_t at = expected.grid.at(cell, column);
        expected.grid.exists[at] = true;
        const auto& known = expected.grid.instance[cell];
        if (known && std::isnan(one.time_of(*known, one.methods[m]).known_us())) continue;
        const surrogate::Belief& belief = row[m];
        expected.grid.time_us[at] = std::exp(belief.mean);
        const double q = known ? 0 : belief.cannot_run;
        double cost = (1 - q) * std::max(0.0, belief.mean - least) + q * std::max(0.5, most - least);
        if (fallback && m != *fallback && caution > 0) {
          const surrogate::Belief& own = row[*fallback];
          if (own.cannot_run < 0.9)
            cost += caution * expected_harm(belief.mean - own.mean, std::hypot(belief.deviation, std::min(tun("OWNMAX", 10), tun("OWN", 0.4) * own.deviation)));
        }
        expected.cost[at] = cost;
      }
    }
  }
  for (double& weight : expected.grid.weight) weight /= total;
  // Holes of grids with placements cost nothing.
  for (std::size_t at = 0; at < expected.cost.size(); ++at) {
    if (expected.grid.weight[at / methods] > 0) continue;
    expected.cost[at] = 0;
    expected.grid.exists[at] = true;
  }
  expected.grid.tied_us = expected.grid.time_us;
  return expected;
}

}  // namespace colltree::optimal
