// SPDX-License-Identifier: BSD-3-Clause
// From what the times of a machine say of single messages (point_to_point.h) to a platform of the
// simulator: the numbers that docs/tasks/simulating.md explains, and the file that SimGrid reads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/json.h"
#include "parametric/point_to_point.h"
#include "timings/timings.h"

namespace colltree::parametric {

// A flat cluster: every pair of hosts is two links apart.
struct CalibratedPlatform {
  std::uint64_t hosts = 0;
  double bytes_per_us = 0;        // of a link, as large messages have it
  double link_latency_us = 0;     // of each of the two links
  double overhead_us = 0;         // of a send and of a receive
  std::uint64_t eager_bytes = 0;  // above it a send waits for its receiver
  // The share of the bandwidth that messages above `above_bytes` get; ascending, the first from 0.
  struct Factor {
    std::uint64_t above_bytes;
    double share;
  };
  std::vector<Factor> factors;
  double reduce_us_per_byte = 0;
};

inline constexpr std::uint64_t kUsualEagerBytes = 8192;

// Overheads are what spaces messages without content, the latency what is left of one, the
// bandwidth is the slope of the largest, and each measured size has the share of it that makes the
// simulated message take as long as the measured one. The eager limit is the greatest size whose
// blocking send is over before the message is there; kUsualEagerBytes where nothing tells. The
// cost of a byte in the ranks cannot be separated from its time on the way: all of it counts as
// time on the way. Throws Error where `table` holds fewer than three sizes of messages.
CalibratedPlatform calibrate(const PointToPoint& table, std::uint64_t hosts);

// A SimGrid file; `name` is a word, `title` a line for people.
std::string platform_xml(const CalibratedPlatform& platform, const std::string& name,
                         const std::string& title);

// Whether the calibration looks at this method's times: what is judged without them is held out.
bool tells_of_messages(Collective collective, const Method& method);

// How well simulated times predict measured ones, cell by cell.

struct SimulatedError {
  std::size_t cells = 0;
  double median = 0;  // of |simulated - measured| / measured
  double p90 = 0;
  double ratio = 1;  // simulated / measured, geometric mean
};

// Of the cells of both whose method is one of `which`; instances are the same where communicator
// and message size are, wherever the ranks lie. Not the default, which is another library's.
SimulatedError simulated_error(const Timings& measured, const Timings& simulated,
                               const std::function<bool(const Method&)>& which);

Json simulated_error_json(const SimulatedError& error);

}  // namespace colltree::parametric
