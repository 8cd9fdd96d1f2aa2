// SPDX-License-Identifier: BSD-3-Clause
// What tests of pictures share.
#pragma once

#include <string>
#include <vector>

#include "timings/timings.h"

namespace colltree::testing {

// Elements are closed in the order in which they were opened.
inline bool well_formed(const std::string& svg) {
  std::vector<std::string> open;
  for (std::size_t at = 0; (at = svg.find('<', at)) != std::string::npos;) {
    const std::size_t end = svg.find('>', at);
    if (end == std::string::npos) return false;
    const std::string tag = svg.substr(at + 1, end - at - 1);
    at = end;
    if (tag.ends_with('/') || tag.starts_with('?')) continue;
    if (!tag.starts_with('/')) {
      open.push_back(tag.substr(0, tag.find(' ')));
    } else if (open.empty() || open.back() != tag.substr(1)) {
      return false;
    } else {
      open.pop_back();
    }
  }
  return open.empty() && svg.ends_with("</svg>\n");
}

// Timings for tests of pictures: two communicator sizes, three message sizes, one point missing.
inline Timings tiny_timings() {
  Timings timings{.system = "tiny",
                  .provenance = "measured",
                  .collective = Collective::kBcast,
                  .methods = {{"linear", 0}, {"binomial", 0}, {"binomial", 1024}},
                  .instances = {},
                  .time_us = {},
                  .default_us = {}};
  const auto add = [&](std::uint64_t ranks, std::uint64_t bytes, std::vector<double> times,
                       double by_default) {
    timings.instances.push_back({Collective::kBcast, ranks, bytes});
    for (const double time : times)
      timings.time_us.push_back(Time::measured(time, {time * 0.9, time * 1.2}));
    timings.default_us.push_back(by_default);
  };
  add(2, 1, {10, 12, kNoTime}, 10);
  add(2, 64, {20, 22, kNoTime}, 21.5);
  add(2, 4096, {90, 70, 60}, 90);
  add(4, 1, {20, 15, kNoTime}, 20);
  add(4, 4096, {200, 120, 100}, 200);
  return timings;
}

}  // namespace colltree::testing
