// SPDX-License-Identifier: BSD-3-Clause
#include "parametric/calibration.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/statistics.h"
#include "base/text.h"

namespace colltree::parametric {

namespace {

using Sizes = std::pair<std::uint64_t, std::uint64_t>;

Sizes sizes_of(const Instance& at) { return {at.communicator_size, at.message_size}; }

// The least value that nine of ten do not exceed.
double ninth_decile(std::vector<double> values) {
  std::ranges::sort(values);
  const auto rank = static_cast<std::size_t>(std::ceil(0.9 * static_cast<double>(values.size())));
  return values[std::max<std::size_t>(1, rank) - 1];
}

}  // namespace

namespace {

using Table = PointToPoint::Table;

constexpr double kLeastOverhead_us = 1e-3;
constexpr double kLeastShare = 1e-3;
constexpr double kMostShare = 100;

// At the least measured size.
double first_us(const Table& table, double otherwise) {
  return table.empty() ? otherwise : std::max(0.0, table.front().us);
}

// The median of the slopes of all pairs of points (Theil, Sen); 0 for fewer than two.
double slope(std::span<const PointToPoint::Point> points) {
  std::vector<double> slopes;
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (std::size_t j = i + 1; j < points.size(); ++j)
      slopes.push_back((points[j].us - points[i].us) / (points[j].bytes - points[i].bytes));
  }
  return slopes.empty() ? 0 : std::max(0.0, median(slopes));
}

// Of the largest quarter of the sizes, three at least.
double us_per_byte(const Table& message) {
  const std::size_t last = std::max<std::size_t>(3, message.size() / 4);
  const double found = slope(std::span(message).last(std::min(last, message.size())));
  if (found > 0) return found;
  return message.back().us / std::max(1.0, message.back().bytes);
}

// A send that waits for its receiver ends with the message; one that does not leaves the latency
// and the receiver's overhead behind.
std::uint64_t eager_limit(const PointToPoint& table) {
  std::uint64_t limit = 0;
  std::optional<double> least_left_us;
  for (const PointToPoint::Point& send : table.send) {
    const auto same = std::ranges::find(table.message, send.bytes, &PointToPoint::Point::bytes);
    if (same == table.message.end()) continue;
    const double left_us = same->us - send.us;
    if (!least_left_us) least_left_us = left_us / 2;
    if (left_us < *least_left_us || left_us <= 0) break;
    limit = static_cast<std::uint64_t>(send.bytes);
  }
  return limit == 0 ? kUsualEagerBytes : limit;
}

double fold_slope(const Table& fold) {
  const double found = slope(fold);
  if (found > 0 || fold.empty()) return found;
  return std::max(0.0, fold.back().us / std::max(1.0, fold.back().bytes));
}

// The part of a message's time that does not depend on its bytes. A send that waits pays no
// overhead in SMPI.
double fixed_us(const CalibratedPlatform& platform, double bytes) {
  const double latency_us = 2 * platform.link_latency_us;
  if (bytes > static_cast<double>(platform.eager_bytes)) return latency_us;
  return latency_us + 2 * platform.overhead_us;
}

// A size equal to a threshold belongs to the section below it.
void add_factors(const Table& message, CalibratedPlatform& platform) {
  std::uint64_t above = 0;
  for (const PointToPoint::Point& point : message) {
    if (point.bytes < 1) continue;
    const double way_us = std::max(1e-4, point.us - fixed_us(platform, point.bytes));
    const double share = point.bytes / (way_us * platform.bytes_per_us);
    platform.factors.push_back({above, std::clamp(share, kLeastShare, kMostShare)});
    above = static_cast<std::uint64_t>(point.bytes);
  }
}

}  // namespace

CalibratedPlatform calibrate(const PointToPoint& table, std::uint64_t hosts) {
  if (table.message.size() < 3) {
    throw Error(
        "calibrating needs the times of linear bcast (or scatter) on two communicator sizes or "
        "more, at three message sizes or more: measure --collective bcast,reduce,gather");
  }
  CalibratedPlatform platform;
  platform.hosts = hosts;
  const double shortest_us = table.message.front().us;
  platform.eager_bytes = eager_limit(table);
  const double spaced_us = first_us(table.send, first_us(table.gap, shortest_us / 4));
  platform.overhead_us =
      std::clamp(spaced_us, kLeastOverhead_us, std::max(kLeastOverhead_us, 0.4 * shortest_us));
  platform.link_latency_us = std::max(1e-3, (shortest_us - 2 * platform.overhead_us) / 2);
  platform.bytes_per_us = 1 / us_per_byte(table.message);
  add_factors(table.message, platform);
  platform.reduce_us_per_byte = fold_slope(table.fold);
  return platform;
}

bool tells_of_messages(Collective collective, const Method& method) {
  const bool unsegmented = method.segment_size.value_or(0) == 0;
  switch (collective) {
    case Collective::kBcast:
      return unsegmented && (method.algorithm == "linear" || method.algorithm == "binary");
    case Collective::kReduce:
    case Collective::kScatter:
    case Collective::kGather:
      return unsegmented && method.algorithm == "linear";
    default:
      return false;
  }
}

namespace {

std::string seconds(double us) { return format_double(us * 1e-6); }

std::string factors_text(const CalibratedPlatform& platform) {
  std::vector<std::string> sections;
  for (const CalibratedPlatform::Factor& factor : platform.factors)
    sections.push_back(
        fmt::format("{}:{}", factor.above_bytes, fmt::format("{:.6g}", factor.share)));
  return join(sections, ";");
}

// Of text that stands in an attribute.
std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '&') {
      result += "&amp;";
    } else if (c == '<') {
      result += "&lt;";
    } else if (c == '"') {
      result += "&quot;";
    } else {
      result += c;
    }
  }
  return result;
}

}  // namespace

std::string platform_xml(const CalibratedPlatform& platform, const std::string& name,
                         const std::string& title) {
  const std::string overhead = seconds(platform.overhead_us) + ":0";
  std::string xml = R"(<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<!-- Written by colltree study calibrate (docs/tasks/simulating.md). Simulated: a model of the machine whose times it
     was made from, not the machine. -->
<platform version="4.1">
  <config>
)";
  const auto option = [&xml](std::string_view id, const std::string& value) {
    xml += fmt::format("    <prop id=\"{}\" value=\"{}\"/>\n", id, escaped(value));
  };
  option("network/model", "IB");
  option("network/crosstraffic", "0");
  option("surf/precision", "1e-9");
  option("contexts/stack-size", "512");
  option("smpi/simulate-computation", "no");
  option("smpi/wtime", "0");
  option("smpi/host-speed", "1Gf");
  option("smpi/coll-selector", "ompi");
  option("smpi/async-small-thresh", "0");
  option("smpi/send-is-detached-thresh", fmt::to_string(platform.eager_bytes));
  option("smpi/os", "0:" + overhead);
  option("smpi/ois", fmt::format("0:{};{}:{}:0", overhead, platform.eager_bytes,
                                 seconds(platform.overhead_us)));
  option("smpi/or", "0:" + overhead);
  option("smpi/bw-factor", factors_text(platform));
  option("smpi/lat-factor", "0:1.0");
  xml += fmt::format("  </config>\n  <zone id=\"{}\" routing=\"Full\">\n", escaped(name));
  option("colltree/title", title);
  option("colltree/reduce_ns_per_byte", format_double(platform.reduce_us_per_byte * 1e3));
  xml += fmt::format(
      "    <cluster id=\"{0}-nodes\" prefix=\"{0}-\" suffix=\"\" radical=\"0-{1}\" speed=\"1Gf\" "
      "bw=\"{2}Bps\" lat=\"{3}us\"\n             loopback_bw=\"{2}Bps\" loopback_lat=\"{3}us\"/>\n"
      "  </zone>\n</platform>\n",
      escaped(name), platform.hosts - 1, format_double(platform.bytes_per_us * 1e6),
      format_double(platform.link_latency_us));
  return xml;
}

SimulatedError simulated_error(const Timings& measured, const Timings& simulated,
                               const std::function<bool(const Method&)>& which) {
  std::map<Sizes, std::size_t> rows;
  for (std::size_t i = 0; i < simulated.instances.size(); ++i)
    rows.emplace(sizes_of(simulated.instances[i]), i);
  std::vector<double> errors;
  double logarithms = 0;
  for (std::size_t i = 0; i < measured.instances.size(); ++i) {
    const auto row = rows.find(sizes_of(measured.instances[i]));
    if (row == rows.end()) continue;
    for (std::size_t m = 0; m < measured.methods.size(); ++m) {
      const Method& method = measured.methods[m];
      const auto column = std::ranges::find(simulated.methods, method);
      if (column == simulated.methods.end() || method.algorithm == kDefaultAlgorithm) continue;
      const double real_us = measured.at(i, m).measured_us();
      const double model_us =
          simulated.at(row->second, static_cast<std::size_t>(column - simulated.methods.begin()))
              .measured_us();
      if (!which(method) || !(real_us > 0) || !(model_us > 0)) continue;
      errors.push_back(std::abs(model_us - real_us) / real_us);
      logarithms += std::log(model_us / real_us);
    }
  }
  if (errors.empty()) return {};
  return {errors.size(), median(errors), ninth_decile(errors),
          std::exp(logarithms / static_cast<double>(errors.size()))};
}

Json simulated_error_json(const SimulatedError& error) {
  if (error.cells == 0) return {{"cells", 0}};
  return {
      {"cells", error.cells}, {"median", error.median}, {"p90", error.p90}, {"ratio", error.ratio}};
}

}  // namespace colltree::parametric
