// SPDX-License-Identifier: BSD-3-Clause
#include "parametric/point_to_point.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "base/statistics.h"
#include "parametric/formulas.h"

namespace colltree::parametric {

namespace {

using Table = PointToPoint::Table;
using TimesBySize = std::map<std::uint64_t, std::map<std::uint64_t, double>>;  // message, then p

// Several placements of one point: the last one's time.
TimesBySize unsegmented_times(std::span<const Timings> timings, Collective collective,
                              std::string_view algorithm) {
  TimesBySize found;
  for (const Timings& measured : timings) {
    if (measured.collective != collective) continue;
    for (std::size_t method = 0; method < measured.methods.size(); ++method) {
      const Method& m = measured.methods[method];
      const auto ours = method_of_formula(collective, m);
      if (!ours || ours->name() != algorithm || m.segment_size.value_or(0) != 0) continue;
      for (std::size_t i = 0; i < measured.instances.size(); ++i) {
        const double us = measured.time_at(i, method).measured_us();
        const Instance& instance = measured.instances[i];
        if (!std::isnan(us) && instance.communicator_size >= 2)
          found[instance.message_size][instance.communicator_size] = us;
      }
    }
  }
  return found;
}

struct Line {
  double at_two = 0;
  double slope = 0;
};

// A first message is not faster than what the next ones add: so the smallest p bounds the slope.
std::optional<Line> line_over_ranks(const std::map<std::uint64_t, double>& by_ranks) {
  std::vector<double> slopes;
  for (auto low = by_ranks.begin(); low != by_ranks.end(); ++low) {
    for (auto high = std::next(low); high != by_ranks.end(); ++high)
      slopes.push_back((high->second - low->second) /
                       static_cast<double>(high->first - low->first));
  }
  if (slopes.empty()) return std::nullopt;
  const auto& [ranks, us] = *by_ranks.begin();
  const double slope = std::clamp(median(slopes), 0.0, us / static_cast<double>(ranks - 1));
  return Line{us - static_cast<double>(ranks - 2) * slope, slope};
}

std::map<std::uint64_t, Line> lines(std::span<const Timings> timings, Collective collective) {
  std::map<std::uint64_t, Line> found;
  for (const auto& [bytes, by_ranks] : unsegmented_times(timings, collective, "linear")) {
    if (const auto line = line_over_ranks(by_ranks)) found.emplace(bytes, *line);
  }
  return found;
}

Table slopes_of(const std::map<std::uint64_t, Line>& lines) {
  Table table;
  for (const auto& [bytes, line] : lines) table.push_back({static_cast<double>(bytes), line.slope});
  return table;
}

// The ranks of a binary bcast whose root's second send lies on the longest path, and the messages
// there.
constexpr std::pair<std::uint64_t, double> kBinaryBcasts[] = {{3, 1}, {5, 2}, {6, 2}};

Table blocking_sends(std::span<const Timings> timings, const Table& message) {
  const TimesBySize times = unsegmented_times(timings, Collective::kBcast, "binary");
  Table table;
  for (const auto& [bytes, us] : message) {
    const auto by_ranks = times.find(static_cast<std::uint64_t>(bytes));
    if (by_ranks == times.end()) continue;
    for (const auto& [ranks, messages] : kBinaryBcasts) {
      const auto time = by_ranks->second.find(ranks);
      if (time == by_ranks->second.end()) continue;
      table.push_back({bytes, std::max(time->second - messages * us, 0.0)});
      break;
    }
  }
  return table;
}

// A linear reduce's first message is folded.
Table folds(const std::map<std::uint64_t, Line>& reduce, const Table& message) {
  Table table;
  for (const auto& [bytes, us] : message) {
    const auto line = reduce.find(static_cast<std::uint64_t>(bytes));
    if (line != reduce.end()) table.push_back({bytes, std::max(line->second.at_two - us, 0.0)});
  }
  return table;
}

constexpr Collective kLooksAt[] = {Collective::kBcast, Collective::kScatter, Collective::kReduce};

}  // namespace

std::span<const Collective> point_to_point_collectives() { return kLooksAt; }

PointToPoint observe_point_to_point(std::span<const Timings> timings) {
  PointToPoint seen;
  auto sends = lines(timings, Collective::kBcast);
  if (sends.empty()) sends = lines(timings, Collective::kScatter);
  for (const auto& [bytes, line] : sends)
    seen.message.push_back({static_cast<double>(bytes), line.at_two});
  seen.gap = slopes_of(sends);
  seen.send = blocking_sends(timings, seen.message);
  const auto reduce = lines(timings, Collective::kReduce);
  seen.fold = folds(reduce, seen.message);
  return seen;
}

}  // namespace colltree::parametric
