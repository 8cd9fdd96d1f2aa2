// SPDX-License-Identifier: BSD-3-Clause
#include "parametric/parameters.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/error.h"
#include "coll/catalogue.h"
#include "parametric/formulas.h"
#include "parametric/least_deviations.h"
#include "parametric/point_to_point.h"

namespace colltree {

namespace {

using Table = PointToPoint::Table;
using Factors = std::array<double, kMostUnknowns>;

// A gap below this share of its message's time, often 0, says no more than that it is small.
constexpr double kGapInTheNoise = 0.05;

// An empty message costs what one of a byte does.
double further_bytes(double bytes) { return std::max(bytes - 1, 0.0); }

Deviation relative(const Factors& factors, double us) { return {factors, us, us > 0 ? 1 / us : 0}; }

// o: how long a blocking send of the smallest message keeps its rank, where that is known, but at
// most half of what L + 2 o and g leave for it. Else g.
double send_overhead(const PointToPoint& seen, double start_us, double gap_us) {
  const double measured = seen.send.empty() ? gap_us : seen.send.front().us;
  return std::min({measured, gap_us, start_us / 2});
}

// G is common to a message and to what the next one adds.
LogGP fit_loggp(const PointToPoint& seen) {
  std::vector<Deviation> rows;
  for (const auto& [bytes, us] : seen.message)
    rows.push_back(relative({1, 0, further_bytes(bytes)}, us));
  for (std::size_t i = 0; i < seen.gap.size(); ++i) {
    rows.push_back(relative({0, 1, further_bytes(seen.gap[i].bytes)}, seen.gap[i].us));
    rows.back().weight = 1 / std::max(seen.gap[i].us, seen.message[i].us * kGapInTheNoise);
  }
  const Factors found = least_deviations(rows);
  const double overhead = send_overhead(seen, found[0], found[1]);
  return {found[0] - 2 * overhead, overhead, found[1], found[2]};
}

// Linear between the points, of which there is one at least; below them as the first, above them on
// along the last two.
double interpolated(const Table& table, double bytes) {
  if (table.size() == 1 || bytes <= table.front().bytes) return table.front().us;
  const auto above = std::ranges::upper_bound(table.begin() + 1, table.end() - 1, bytes, {},
                                              &PointToPoint::Point::bytes);
  const PointToPoint::Point& high = *above;
  const PointToPoint::Point& low = *(above - 1);
  const double slope = (high.us - low.us) / (high.bytes - low.bytes);
  return bytes > high.bytes ? high.us + std::max(slope, 0.0) * (bytes - high.bytes)
                            : low.us + slope * (bytes - low.bytes);
}

std::optional<double> fit_gamma(const PointToPoint& seen) {
  if (seen.fold.empty()) return std::nullopt;
  std::vector<Deviation> rows;
  for (const auto& [bytes, us] : seen.fold) {
    const double message = interpolated(seen.message, bytes);
    rows.push_back({{bytes, 0, 0}, us, message > 0 ? 1 / message : 0});
  }
  return least_deviations(rows)[0];
}

std::string missing(const ParameterSource& source, std::string_view what) {
  const std::string where = source.provenance == "simulated"
                                ? "--platform " + source.system
                                : "--launcher 'mpirun -np {ranks}' --system " + source.system;
  return fmt::format(
      "{}: {} has {}: colltree measure {} --collective bcast,reduce --methods linear,binary "
      "--communicator-sizes 2..6 --message-sizes 1..1M:x4 -o {}",
      source.profile, source.system, what, where, source.profile);
}

}  // namespace

bool folds_messages(Collective collective) {
  const Network with{{.latency_us = 1}, 1};
  const Network without{{.latency_us = 1}, 0};
  return std::ranges::any_of(portable_algorithms(), [&](const AlgorithmInfo& info) {
    const Method method{std::string(info.algorithm), 0};
    const Instance at{collective, 4, 1024};
    return info.collective == collective &&
           expected_us(with, method, at) != expected_us(without, method, at);
  });
}

NetworkParameters estimate_parameters(std::span<const Timings> timings,
                                      const ParameterSource& source) {
  const PointToPoint seen = observe_point_to_point(timings);
  if (seen.message.empty()) {
    throw Error(missing(source,
                        "no times of bcast linear at two communicator sizes, which tell what "
                        "a message takes"));
  }
  return {fit_loggp(seen), fit_gamma(seen)};
}

Network network_for(const NetworkParameters& parameters, Collective collective,
                    const ParameterSource& source) {
  if (!folds_messages(collective)) return {parameters.loggp, 0};
  if (!parameters.gamma_us_per_byte) {
    throw Error(missing(source,
                        "no times of reduce linear at two communicator sizes, which tell "
                        "what folding a byte takes"));
  }
  return {parameters.loggp, *parameters.gamma_us_per_byte};
}

}  // namespace colltree
