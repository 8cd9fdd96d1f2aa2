// SPDX-License-Identifier: BSD-3-Clause
#include "timings/bootstrap.h"

#include <algorithm>
#include <map>
#include <vector>

#include "base/random.h"

namespace colltree {

namespace {

struct Group {
  double sum = 0;
  double count = 0;
};

std::vector<Group> grouped(std::span<const double> values, std::span<const Instance> at,
                           const Bootstrap& bootstrap) {
  std::map<std::uint64_t, Group> groups;
  for (std::size_t i = 0; i < values.size(); ++i) {
    Group& group = groups[bootstrap.group ? bootstrap.group(at[i]) : i];
    group.sum += values[i];
    group.count += 1;
  }
  std::vector<Group> all;
  for (const auto& [key, group] : groups) all.push_back(group);
  return all;
}

double mean_of_draw(const std::vector<Group>& groups, SeededRandom& random) {
  Group drawn;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const Group& group = groups[random.below(groups.size())];
    drawn.sum += group.sum;
    drawn.count += group.count;
  }
  return drawn.sum / drawn.count;
}

}  // namespace

std::optional<Interval> mean_interval(std::span<const double> values, std::span<const Instance> at,
                                      const Bootstrap& bootstrap) {
  const std::vector<Group> groups = grouped(values, at, bootstrap);
  if (groups.size() < 2 || bootstrap.resamples == 0) return std::nullopt;
  SeededRandom random(bootstrap.seed);
  std::vector<double> means(bootstrap.resamples);
  for (double& mean : means) mean = mean_of_draw(groups, random);
  std::ranges::sort(means);
  const std::size_t tail = means.size() / 40;  // 2.5 % on either side
  return Interval{means[tail], means[means.size() - 1 - tail]};
}

}  // namespace colltree
