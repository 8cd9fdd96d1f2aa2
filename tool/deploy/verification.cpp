// SPDX-License-Identifier: BSD-3-Clause
#include "deploy/verification.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/statistics.h"
#include "evaluate/policy.h"
#include "evaluate/sessions.h"
#include "model/fitter.h"

namespace colltree::deploy {

namespace {

constexpr std::size_t kFewestOfRegion = 3;
constexpr double kConfidence = 0.95;  // that no instance is called faster by chance
constexpr const char* kDivider = "optimal:leaves=4";
constexpr std::uint64_t kSeed = 1;

// The instance as a plan asks for it. Where there was one placement only, the launcher places the
// ranks.
Instance asked(const Instance& instance, bool with_placement) {
  if (with_placement) return instance;
  return {instance.collective, instance.communicator_size, instance.message_size};
}

// The rows of the timings where a leaf decides, by leaf.
using RowsOfLeaf = std::map<std::uint32_t, std::vector<std::size_t>>;

RowsOfLeaf regions(const model::RuleTree& tree, const Timings& timings) {
  const std::uint32_t root = model::root_of(tree, timings.collective);
  RowsOfLeaf rows;
  for (std::size_t i = 0; i < timings.instances.size(); ++i) {
    const std::uint32_t leaf = model::leaf_from(tree, root, timings.instances[i]);
    if (!is_library_default(tree.methods[tree.nodes[leaf].method])) rows[leaf].push_back(i);
  }
  return rows;
}

std::vector<std::size_t> rows_left_alone(const model::RuleTree& tree, const Timings& timings) {
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < timings.instances.size(); ++i) {
    if (is_library_default(model::decide(tree, timings.instances[i]))) rows.push_back(i);
  }
  return rows;
}

// The sizes of the table and, within their ends, both sides of the tree's thresholds.
std::set<std::uint64_t> sizes_of(const model::RuleTree& tree, const Timings& timings,
                                 Attribute attribute, std::uint64_t Instance::*size) {
  std::set<std::uint64_t> sizes;
  for (const Instance& instance : timings.instances) sizes.insert(instance.*size);
  const std::uint64_t low = *sizes.begin();
  const std::uint64_t high = *sizes.rbegin();
  for (const model::RuleNode& node : tree.nodes) {
    if (node.is_leaf() || node.attribute != attribute) continue;
    for (const std::uint64_t side : {node.threshold, node.threshold + 1}) {
      if (side > low && side < high) sizes.insert(side);
    }
  }
  return sizes;
}

// The table with one more instance, without a time, for every leaf that holds no measured instance
// because it lies between the measured sizes. Timings with several placements stay as they are: not
// every combination of a communicator size and a placement exists.
Timings with_sizes_between(const model::RuleTree& tree, const Timings& timings) {
  if (timings.instances.empty() || has_several_placements(timings)) return timings;
  const RowsOfLeaf measured = regions(tree, timings);
  const std::uint32_t root = model::root_of(tree, timings.collective);
  const auto message_sizes =
      sizes_of(tree, timings, Attribute::kMessageSize, &Instance::message_size);
  Timings table = timings;
  std::set<std::uint32_t> seen;
  for (const std::uint64_t ranks :
       sizes_of(tree, timings, Attribute::kCommunicatorSize, &Instance::communicator_size)) {
    for (const std::uint64_t bytes : message_sizes) {
      const Instance instance{timings.collective, ranks, bytes};
      const std::uint32_t leaf = model::leaf_from(tree, root, instance);
      if (is_library_default(tree.methods[tree.nodes[leaf].method]) || measured.contains(leaf) ||
          !seen.insert(leaf).second)
        continue;
      table.instances.push_back(instance);
      for (std::size_t m = 0; m < timings.methods.size(); ++m) table.time_us.push_back(Time());
      table.default_us.push_back(Time());
    }
  }
  return table;
}

// The logarithm of the default's time over the method's; 0 where either is not known.
double promised(const Timings& timings, std::size_t row, const Method& method) {
  const double gain =
      std::log(timings.default_us[row].known_us() / timings.time_of(row, method).known_us());
  return std::isfinite(gain) ? gain : 0;
}

// Adds rows of a region to `taken`: the one that promises least, the one that promises most, the
// ends, then others evenly.
void take_sample(const std::vector<std::size_t>& rows, const std::vector<double>& gains,
                 std::size_t wanted, std::set<std::size_t>& taken) {
  wanted = std::min(wanted, rows.size());
  std::set<std::size_t> sample;
  const auto least = std::ranges::min_element(gains) - gains.begin();
  const auto greatest = std::ranges::max_element(gains) - gains.begin();
  for (const auto row : {static_cast<std::size_t>(least), static_cast<std::size_t>(greatest),
                         std::size_t{0}, rows.size() - 1}) {
    if (sample.size() < wanted) sample.insert(rows[row]);
  }
  // Steps of the golden ratio leave no large gap, wherever one stops.
  constexpr double kGolden = 0.6180339887498949;
  for (std::size_t i = 1; sample.size() < wanted; ++i) {
    const double position = std::fmod(static_cast<double>(i) * kGolden, 1.0);
    auto next = static_cast<std::size_t>(position * static_cast<double>(rows.size()));
    while (sample.contains(rows[next])) next = (next + 1) % rows.size();
    sample.insert(rows[next]);
  }
  taken.merge(sample);
}

}  // namespace

std::vector<Instance> instances_to_verify(const model::RuleTree& tree, const Timings& known,
                                          std::size_t most) {
  const Timings timings = with_sizes_between(tree, known);
  struct Region {
    std::vector<std::size_t> rows;
    std::vector<double> gains;
    double saved = 0;
  };
  std::vector<Region> promising;
  double saved = 0;
  for (const auto& [leaf, rows] : regions(tree, timings)) {
    Region region{rows, {}};
    for (const std::size_t row : rows) {
      region.gains.push_back(promised(timings, row, tree.methods[tree.nodes[leaf].method]));
      region.saved += std::max(region.gains.back(), 0.0);
    }
    saved += region.saved;
    promising.push_back(std::move(region));
  }
  std::set<std::size_t> taken;
  for (const Region& region : promising) {
    const double share = saved > 0 ? region.saved / saved : 0;
    const auto wanted = static_cast<std::size_t>(std::lround(share * static_cast<double>(most)));
    take_sample(region.rows, region.gains, std::max(wanted, kFewestOfRegion), taken);
  }
  std::vector<Instance> instances;
  const bool with_placement = has_several_placements(known);
  for (const std::size_t row : taken)
    instances.push_back(asked(timings.instances[row], with_placement));
  return instances;
}

std::size_t instances_in_time(const Timings& timings, double budget_s, double cell_budget_s) {
  constexpr double kBetweenCalls_us = 50;  // until the ranks have agreed on the next start
  std::vector<double> times_us;
  for (std::size_t i = 0; i < timings.default_us.size(); ++i) {
    if (!timings.default_us[i].is_impossible())
      times_us.push_back(timings.default_us[i].known_us());
  }
  const SideBySideRequest side;
  const double each_s =
      std::min(cell_budget_s, side.samples * (kBetweenCalls_us + median(times_us)) / 1e6);
  const double instance_s =
      2 * each_s * static_cast<double>(evaluate::rounds_for(kVerifiedInstances));
  return static_cast<std::size_t>(std::clamp(budget_s / std::max(instance_s, 1e-9), 1.0,
                                             static_cast<double>(kVerifiedInstances)));
}

std::vector<Instance> instances_left_alone(const model::RuleTree& tree, const Timings& timings) {
  constexpr std::size_t kMost = 4;
  std::vector<std::size_t> alone = rows_left_alone(tree, timings);
  std::vector<Instance> instances;
  if (alone.size() == timings.instances.size()) return instances;
  const std::size_t count = std::min(kMost, alone.size());
  for (std::size_t i = 0; i < count; ++i)
    instances.push_back(asked(timings.instances[alone[(2 * i + 1) * alone.size() / (2 * count)]],
                              has_several_placements(timings)));
  return instances;
}

std::string_view name(Verdict verdict) {
  constexpr std::string_view kNames[] = {"kept", "kept in parts",
                                         "back to the library's own choice",
                                         "the library's own choice before, too"};
  return kNames[static_cast<std::size_t>(verdict)];
}

bool Verification::changed() const {
  return std::ranges::any_of(regions, [](const VerifiedRegion& region) {
    return region.verdict == Verdict::kCut || region.verdict == Verdict::kDropped;
  });
}

namespace {

class Verifier {
 public:
  Verifier(const model::RuleTree& tree, const Timings& timings, const RoundsOfPairs& pairs)
      : timings_(with_sizes_between(tree, timings)),
        with_placement_(has_several_placements(timings)),
        pairs_(pairs),
        regions_(regions(tree, timings_)) {
    result_.tree = tree;
    for (const auto& [leaf, rows] : regions_) {
      for (const std::size_t row : rows) judged_ += pairs_.count(asked_at(row));
    }
  }

  Verification run() {
    const std::vector<std::size_t> alone = rows_left_alone(result_.tree, timings_);
    for (const auto& [leaf, rows] : regions_) judge(leaf, rows);
    judge_alone(alone);
    model::validate(result_.tree);
    return std::move(result_);
  }

 private:
  using Rounds = std::vector<std::vector<evaluate::Pair>>;

  Instance asked_at(std::size_t row) const {
    return asked(timings_.instances[row], with_placement_);
  }

  // Returns the rounds at those of the rows that were measured.
  Rounds measured_rounds(const std::vector<std::size_t>& rows, VerifiedRegion& region) const {
    Rounds rounds;
    for (const std::size_t row : rows) {
      const auto found = pairs_.find(asked_at(row));
      if (found == pairs_.end()) continue;
      region.slower += evaluate::median_gain(found->second) < 1;
      region.instances.push_back(found->first);
      rounds.push_back(found->second);
    }
    if (!rounds.empty()) region.gain = evaluate::gain_of(rounds, kSeed);
    return rounds;
  }

  void judge(std::uint32_t leaf, const std::vector<std::size_t>& rows) {
    VerifiedRegion region{timings_.collective,
                          result_.tree.methods[result_.tree.nodes[leaf].method]};
    const Rounds rounds = measured_rounds(rows, region);
    if (region.slower == 0 && evaluate::is_proven(region.gain)) {
      region.verdict = Verdict::kKept;
    } else if (region.slower > 0 && is_any_faster(rounds) && divide(leaf, region.method, rows)) {
      region.verdict = Verdict::kCut;
    } else {
      region.verdict = Verdict::kDropped;
      leave(leaf);
    }
    if (region.verdict != Verdict::kDropped)
      saved_ += std::log(region.gain.factor) * static_cast<double>(rows.size());
    result_.regions.push_back(std::move(region));
  }

  // True if an instance is faster, with the confidence that none of the judged is called so by
  // chance.
  bool is_any_faster(const Rounds& rounds) const {
    const double confidence =
        1 - (1 - kConfidence) / static_cast<double>(std::max<std::size_t>(judged_, 1));
    return std::ranges::any_of(rounds, [&](const std::vector<evaluate::Pair>& pairs) {
      return evaluate::gain_interval(pairs, confidence).low > 1;
    });
  }

  void leave(std::uint32_t leaf) {
    result_.tree.nodes[leaf] = {};
    result_.tree.nodes[leaf].method =
        model::index_of_method(result_.tree.methods, library_default());
  }

  void judge_alone(const std::vector<std::size_t>& alone) {
    VerifiedRegion region{timings_.collective, library_default()};
    region.verdict = Verdict::kAlone;
    if (measured_rounds(alone, region).empty()) return;
    const double lost = -std::log(region.gain.factor) * static_cast<double>(alone.size());
    if (region.gain.interval.high < 1 && lost > saved_) {
      for (const auto& [leaf, rows] : regions_) leave(leaf);
      for (VerifiedRegion& judged : result_.regions) judged.verdict = Verdict::kDropped;
    }
    result_.regions.push_back(std::move(region));
  }

  // The leaf becomes a tree of the region's method and the default, fitted to what was measured;
  // false: of the default alone. Slower instances count as ones where the method cannot run.
  bool divide(std::uint32_t leaf, const Method& method, const std::vector<std::size_t>& rows) {
    Timings measured{.system = timings_.system,
                     .provenance = timings_.provenance,
                     .collective = timings_.collective};
    measured.methods = {method, library_default()};
    for (const std::size_t row : rows) {
      const auto found = pairs_.find(asked_at(row));
      if (found == pairs_.end()) continue;
      const evaluate::Pair times = evaluate::medians(found->second);
      const bool slower = evaluate::median_gain(found->second) < 1;
      measured.instances.push_back(timings_.instances[row]);
      measured.time_us.push_back(slower ? kNoTime : times.tuned_us);
      measured.time_us.push_back(times.default_us);
      measured.default_us.push_back(times.default_us);
    }
    const model::RuleTree parts = model::parse_fitter(kDivider).fit({measured}).rules;
    const auto decide = [&](const Instance& instance) { return model::decide(parts, instance); };
    if (!evaluate::is_deployed(decide, measured)) return false;
    model::RuleTree& tree = result_.tree;
    const std::uint32_t first = model::append_nodes(tree, parts);
    tree.nodes[leaf] = tree.nodes[first + model::root_of(parts, timings_.collective)];
    return true;
  }

  Timings timings_;
  bool with_placement_;
  const RoundsOfPairs& pairs_;
  RowsOfLeaf regions_;
  std::size_t judged_ = 0;  // instances of regions that were measured
  double saved_ = 0;        // logarithm of the time, summed over the rows of what is kept
  Verification result_;
};

}  // namespace

Verification verify_regions(const model::RuleTree& tree, const Timings& timings,
                            const RoundsOfPairs& pairs) {
  return Verifier(tree, timings, pairs).run();
}

void keep_all_or_none(const model::RuleTree& tree, const RoundsOfPairs& pairs,
                      Verification& verification) {
  const Collective collective = tree.roots.front().collective;
  std::vector<std::vector<evaluate::Pair>> measured;
  for (const auto& [instance, rounds] : pairs) {
    if (instance.collective == collective) measured.push_back(rounds);
  }
  const bool kept = !measured.empty() && evaluate::is_proven(evaluate::gain_of(measured, kSeed));
  verification.tree = kept ? tree : model::one_leaf(collective, library_default());
  for (VerifiedRegion& region : verification.regions)
    region.verdict = kept ? Verdict::kKept : Verdict::kDropped;
}

}  // namespace colltree::deploy
