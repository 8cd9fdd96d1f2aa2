// SPDX-License-Identifier: BSD-3-Clause
#include "deploy/beyond.h"

#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <set>

#include "base/bounds.h"
#include "base/error.h"
#include "base/statistics.h"
#include "coll/catalogue.h"
#include "model/fitter.h"
#include "model/model.h"
#include "parametric/formulas.h"
#include "parametric/parameters.h"
#include "parametric/prediction.h"
#include "profile/profile.h"
#include "timings/penalty.h"

namespace colltree::deploy {

namespace {

constexpr std::string_view kPredicted = "predicted:";

std::uint64_t most_ranks_of(const Timings& timings) {
  return timings.instances.back().communicator_size;
}

// The sizes double, with one halfway between, until there are enough.
std::vector<std::uint64_t> larger_sizes(std::uint64_t measured, std::uint64_t most) {
  std::set<std::uint64_t> sizes = {most};
  for (std::uint64_t size = measured; size < most; size *= 2) {
    for (const std::uint64_t next : {size + size / 2, 2 * size}) {
      if (next > measured && next < most) sizes.insert(next);
    }
  }
  // A power of two often has another best method than its neighbours.
  for (std::uint64_t power = 2; power <= most; power *= 2) {
    if (power > measured) sizes.insert({power, std::min(most, power + 1)});
  }
  return {sizes.begin(), sizes.end()};
}

Time time_of(const parametric::Prediction& prediction) {
  const Interval itself{prediction.time_us, prediction.time_us};
  return Time::predicted(prediction.time_us, prediction.interval_us.value_or(itself));
}

void add_predicted(const parametric::Predictor& predictor, const Instance& instance,
                   Timings& table) {
  table.instances.push_back(instance);
  table.default_us.push_back(kNoTime);
  const std::vector<Method> here = applicable_methods(table.methods, instance);
  for (const Method& method : table.methods) {
    const bool runs = std::ranges::count(here, method) > 0;
    const auto prediction = runs ? predictor.predict(method, instance) : std::nullopt;
    table.time_us.push_back(prediction ? time_of(*prediction) : Time());
  }
}

// Predicted times of the methods that have a formula. The other methods are left out.
Timings predicted_table(const Timings& timings, const parametric::Network& network,
                        std::uint64_t most_ranks) {
  const parametric::Predictor predictor(network, timings);
  Timings table{
      .system = timings.system, .provenance = timings.provenance, .collective = timings.collective};
  for (const Method& method : timings.methods) {
    if (parametric::has_formula(timings.collective, method)) table.methods.push_back(method);
  }
  std::set<std::uint64_t> message_sizes;
  for (const Instance& instance : timings.instances) message_sizes.insert(instance.message_size);
  for (const std::uint64_t ranks : larger_sizes(most_ranks_of(timings), most_ranks)) {
    for (const std::uint64_t bytes : message_sizes)
      add_predicted(predictor, {timings.collective, ranks, bytes}, table);
  }
  return table;
}

double median_interval_factor(const Timings& table, const model::RuleTree& tree) {
  std::vector<double> factors;
  for (std::size_t i = 0; i < table.instances.size(); ++i) {
    const auto chosen = std::ranges::find(table.methods, model::decide(tree, table.instances[i]));
    if (chosen == table.methods.end()) continue;
    const auto interval =
        table.time_at(i, static_cast<std::size_t>(chosen - table.methods.begin())).interval();
    if (interval && interval->low > 0) factors.push_back(interval->high / interval->low);
  }
  return median(factors);
}

// `tree` up to `ranks` ranks, `larger` above.
model::RuleTree joined(const model::RuleTree& tree, std::uint64_t ranks,
                       const model::RuleTree& larger) {
  model::RuleTree both;
  const std::uint32_t test = model::append_test(both, Attribute::kCommunicatorSize, ranks);
  const std::uint32_t low = model::append_nodes(both, tree) + tree.roots.front().node;
  const std::uint32_t high = model::append_nodes(both, larger) + larger.roots.front().node;
  both.nodes[test].low = low;
  both.nodes[test].high = high;
  both.roots = {{tree.roots.front().collective, test}};
  return both;
}

BeyondPrediction predict_beyond(model::RuleTree& tree, const Timings& timings,
                                std::span<const Timings> system_timings, std::uint64_t most_ranks,
                                const std::string& profile) {
  const std::uint64_t measured = most_ranks_of(timings);
  const parametric::ParameterSource source{timings.system, timings.provenance, profile};
  const parametric::Network network = parametric::network_for(
      parametric::estimate_parameters(system_timings, source), timings.collective, source);
  const Timings table = predicted_table(timings, network, most_ranks);
  const model::RuleTree larger = model::parse_fitter("optimal:leaves=auto").fit({table}).rules;
  BeyondPrediction prediction{timings.collective, measured, most_ranks};
  prediction.interval_factor = median_interval_factor(table, larger);
  for (std::size_t i = 0; i < table.instances.size(); ++i) {
    prediction.penalty_of_nearest +=
        charged_penalty_at(table, i, model::decide(tree, table.instances[i])) /
        static_cast<double>(table.instances.size());
  }
  tree = joined(tree, measured, larger);
  return prediction;
}

}  // namespace

Beyond usual_beyond(const Timings& timings, const rules::RuleTarget* target) {
  const bool is_real = timings.provenance != profile::kProvenanceSimulated;
  return {is_real && !rules::is_all_or_none(target) ? Beyond::Choice::kDefault
                                                    : Beyond::Choice::kNearest};
}

Beyond parse_beyond(std::string_view text) {
  if (text == "nearest") return {Beyond::Choice::kNearest, 0};
  if (text == "default") return {Beyond::Choice::kDefault, 0};
  if (text.starts_with(kPredicted)) {
    return {Beyond::Choice::kPredicted,
            parse_whole(text.substr(kPredicted.size()), {2, 1U << 24U}, "--beyond predicted")};
  }
  throw UsageError(
      fmt::format("--beyond: expected nearest, default or predicted:RANKS, got '{}'", text));
}

void require_possible(const Beyond& beyond, std::uint64_t ranks, const MeasuredMethods& methods) {
  if (beyond.choice != Beyond::Choice::kPredicted) return;
  if (beyond.most_ranks <= ranks) {
    throw UsageError(fmt::format("--beyond predicted:{}: {} ranks are measured; give more",
                                 beyond.most_ranks, ranks));
  }
  bool folds = false;
  for (const auto& [collective, tried] : methods) {
    folds = folds || parametric::folds_messages(collective);
    const auto formula_of = std::bind_front(parametric::has_formula, collective);
    if (std::ranges::any_of(tried, formula_of)) continue;
    throw UsageError(fmt::format(
        "--beyond predicted: no measured method of {} has a formula; give nearest or default",
        name(collective)));
  }
  const auto has_linear = [&](Collective collective) {
    const auto tried = methods.find(collective);
    return tried != methods.end() && std::ranges::any_of(tried->second, [&](const Method& method) {
             const auto ours = parametric::method_of_formula(collective, method);
             return ours && ours->algorithm == "linear" && method.segment_size.value_or(0) == 0;
           });
  };
  const bool sends = has_linear(Collective::kBcast) || has_linear(Collective::kScatter);
  if (sends && (!folds || has_linear(Collective::kReduce))) return;
  throw UsageError(fmt::format(
      "--beyond predicted: the times of {} linear, which give the cost of a message, are not "
      "measured; add them by --collective and --methods, or give nearest or default",
      sends ? "reduce" : "bcast"));
}

std::optional<BeyondPrediction> extend_beyond(model::RuleTree& tree, const Timings& timings,
                                              std::span<const Timings> system_timings,
                                              const Beyond& beyond, const std::string& profile) {
  if (beyond.choice == Beyond::Choice::kPredicted)
    return predict_beyond(tree, timings, system_timings, beyond.most_ranks, profile);
  if (beyond.choice == Beyond::Choice::kDefault)
    tree = joined(tree, most_ranks_of(timings),
                  model::one_leaf(timings.collective, library_default()));
  return std::nullopt;
}

}  // namespace colltree::deploy
