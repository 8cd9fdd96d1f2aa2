// SPDX-License-Identifier: BSD-3-Clause
#include "timings/folds.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "base/error.h"
#include "base/random.h"
#include "base/text.h"
#include "timings/instance_grid.h"

namespace colltree {

namespace {

constexpr std::string_view kNames[] = {"communicator_sizes", "message_sizes", "blocks"};

}  // namespace

std::string_view name(HeldOut held_out) { return kNames[static_cast<std::size_t>(held_out)]; }

std::vector<HeldOut> parse_held_out(std::string_view names) {
  std::vector<HeldOut> kinds;
  for (const std::string_view word : split(names, ',')) {
    const auto* found = std::ranges::find(kNames, trim(word));
    if (found == std::end(kNames))
      throw UsageError(
          fmt::format("--held-out: unknown '{}'; known are {}", trim(word), join(kNames, ", ")));
    const auto held_out = static_cast<HeldOut>(found - std::begin(kNames));
    if (std::ranges::count(kinds, held_out) == 0) kinds.push_back(held_out);
  }
  return kinds;
}

std::size_t Folds::Axis::run(std::uint64_t size) const {
  const auto index =
      static_cast<std::size_t>(std::ranges::lower_bound(sizes, size) - sizes.begin());
  return std::min(index, sizes.size() - 1) * runs / sizes.size();
}

std::size_t Folds::group(const Instance& instance) const {
  return ranks_.run(instance.communicator_size) * bytes_.runs + bytes_.run(instance.message_size);
}

Folds::Folds(const std::vector<Timings>& timings, const FoldOptions& options)
    : ranks_{values_of(timings, Attribute::kCommunicatorSize)},
      bytes_{values_of(timings, Attribute::kMessageSize)} {
  if (options.folds < 2) {
    throw UsageError(fmt::format("--folds: must be 2 or more, not {}", options.folds));
  }
  const bool blocks = options.held_out == HeldOut::kBlocks;
  if (options.held_out != HeldOut::kMessageSizes) ranks_.runs = ranks_.sizes.size();
  if (options.held_out != HeldOut::kCommunicatorSizes) bytes_.runs = bytes_.sizes.size();
  count_ = std::min(options.folds, std::max(ranks_.runs, bytes_.runs));
  if (blocks) ranks_.runs = std::min(ranks_.runs, count_);
  if (blocks) bytes_.runs = std::min(bytes_.runs, count_);
  SeededRandom random(options.seed);
  const std::vector<std::size_t> rows = random.permutation(ranks_.runs);
  const std::vector<std::size_t> columns = random.permutation(bytes_.runs);
  for (const std::size_t row : rows) {
    for (const std::size_t column : columns) fold_of_group_.push_back((row + column) % count_);
  }
  check(timings, options.held_out);
}

void Folds::check(const std::vector<Timings>& timings, HeldOut held_out) const {
  for (const Timings& table : timings) {
    std::set<std::size_t> folds;
    for (const Instance& instance : table.instances) folds.insert(fold(instance));
    if (folds.size() > 1) continue;
    const char* remedy = held_out == HeldOut::kCommunicatorSizes
                             ? "; hold out message_sizes, or measure more communicator sizes"
                             : "; measure more sizes";
    throw Error(fmt::format(
        "{}: nothing would be left to fit when {} are held out: all {} instances are in one fold{}",
        name(table.collective), name(held_out), table.instances.size(), remedy));
  }
}

FoldParts part(const std::vector<Timings>& timings, const Folds& folds, std::size_t fold) {
  FoldParts parts;
  for (const Timings& table : timings) {
    std::vector<std::size_t> rest;
    std::vector<std::size_t> left_out;
    for (std::size_t i = 0; i < table.instances.size(); ++i) {
      (folds.fold(table.instances[i]) == fold ? left_out : rest).push_back(i);
    }
    parts.rest.push_back(select_instances(table, rest));
    parts.left_out.push_back(select_instances(table, left_out));
  }
  return parts;
}

}  // namespace colltree
