// SPDX-License-Identifier: BSD-3-Clause
#include "report/regions.h"

#include <algorithm>
#include <set>

namespace colltree {

namespace {

std::vector<SizeRange> thirds(const std::set<std::uint64_t>& sizes) {
  const std::vector<std::uint64_t> sorted(sizes.begin(), sizes.end());
  const std::size_t parts = std::min<std::size_t>(3, sorted.size());
  std::vector<SizeRange> ranges;
  for (std::size_t part = 0; part < parts; ++part) {
    const std::size_t first = part * sorted.size() / parts;
    const std::size_t end = (part + 1) * sorted.size() / parts;
    ranges.push_back({sorted[first], sorted[end - 1]});
  }
  return ranges;
}

bool holds(const SizeRange& range, std::uint64_t size) {
  return range.first <= size && size <= range.last;
}

}  // namespace

std::vector<GridRegion> regions_of(const Timings& timings) {
  std::set<std::uint64_t> communicators;
  std::set<std::uint64_t> messages;
  for (const Instance& instance : timings.instances) {
    communicators.insert(instance.communicator_size);
    messages.insert(instance.message_size);
  }
  std::vector<GridRegion> regions;
  for (const SizeRange& ranks : thirds(communicators)) {
    for (const SizeRange& bytes : thirds(messages)) {
      std::vector<std::size_t> inside;
      for (std::size_t i = 0; i < timings.instances.size(); ++i) {
        const Instance& at = timings.instances[i];
        if (holds(ranks, at.communicator_size) && holds(bytes, at.message_size)) {
          inside.push_back(i);
        }
      }
      if (!inside.empty()) regions.push_back({ranks, bytes, select_instances(timings, inside)});
    }
  }
  return regions;
}

}  // namespace colltree
