// SPDX-License-Identifier: BSD-3-Clause
// Time and memory of a decision, every representation in one run; docs/results/decision.md
// explains.
//   decision_perf P.db[:SYSTEM] bcast ompi41_fixed.csv [M.json ...]
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "base/error.h"
#include "base/file.h"
#include "base/input.h"
#include "model/model.h"
#include "model/openmpi/library_rules.h"
#include "profile/load_timings.h"
#include "surrogate/complete.h"
#include "timing.h"
#include "timings/penalty.h"

namespace colltree {

namespace {

struct Subjects {
  std::vector<std::unique_ptr<Candidate>> candidates;
  std::vector<double> penalties;
};

double mean_penalty(const Timings& timings, const model::Model& model) {
  return summarize(model::penalty_points(timings, model)).mean;
}

// What is timed must decide as its model does. Each form has numbers of its own for the methods.
void check(const Candidate& candidate, const model::RuleTree& tree) {
  std::map<std::uint64_t, std::uint64_t> numbers;
  std::set<std::uint64_t> distinct;
  for (const Query& query : make_queries(Load::kRandom, 4096)) {
    const std::uint64_t expected =
        model::decide_from(tree, tree.roots.at(0).node,
                           {tree.roots[0].collective, query.communicator_size, query.message_size});
    const std::uint64_t decided = candidate.decide_all({query});
    distinct.insert(decided);
    if (numbers.emplace(expected, decided).first->second != decided ||
        distinct.size() != numbers.size())
      throw Error(candidate.model + " as " + candidate.form + " does not decide as its model");
  }
}

void add(Subjects& subjects, std::unique_ptr<Candidate> candidate, const model::Model& model,
         double penalty) {
  check(*candidate, model.rules);
  subjects.candidates.push_back(std::move(candidate));
  subjects.penalties.push_back(penalty);
}

void add_all_forms(Subjects& subjects, const std::string& name, const model::Model& model,
                   const Timings& timings) {
  const double penalty = mean_penalty(timings, model);
  const Collective collective = timings.collective;
  add(subjects, generated_c(name, model, "C nested", collective), model, penalty);
  add(subjects, generated_c(name, model, "C", collective), model, penalty);
  add(subjects, compact_file(name, model, "tree", collective), model, penalty);
  add(subjects, compact_file(name, model, "cdt", collective), model, penalty);
}

void add_grid_trees(Subjects& subjects, const Timings& timings) {
  const model::LabelGrid grid = model::make_label_grid(make_decision_map(timings));
  const model::ModelOrigin origin{
      timings.system, timings.provenance, {timings.collective}, timings.instances.size()};
  const auto fit = [&](const std::string& name, const model::GridTreeOptions& options) {
    const model::Model model = model::fit_quadtree(origin, grid, options);
    add(subjects, in_memory(name, grid, model::fit_grid_tree(grid, options).first), model,
        mean_penalty(timings, model));
    add_all_forms(subjects, name, model, timings);
  };
  for (std::uint64_t depth = 1; depth <= 6; ++depth) {
    fit(fmt::format("quadtree depth {}", depth), {.max_depth = depth});
  }
  fit("kdtree exact", {.reshape = model::Reshape::kNone});
}

struct Times {
  std::vector<double> random, uniform, mix, cold;
};

// The largest ratio to Open MPI's function over all models, by form.
void report_worst(const std::vector<std::unique_ptr<Candidate>>& candidates, const Times& times) {
  std::map<std::string, std::array<double, 5>> worst;
  for (std::size_t i = 1; i < candidates.size(); ++i) {
    std::array<double, 5>& row = worst[candidates[i]->form];
    const std::array<double, 5> ratios = {
        static_cast<double>(candidates[i]->bytes), times.random[i] / times.random[0],
        times.uniform[i] / times.uniform[0], times.mix[i] / times.mix[0],
        times.cold[i] / times.cold[0]};
    std::ranges::transform(row, ratios, row.begin(),
                           [](double a, double b) { return std::max(a, b); });
  }
  fmt::print(
      "\n| form | most bytes | random × | uniform × | mix × | cold × |\n"
      "| --- | ---: | ---: | ---: | ---: | ---: |\n");
  for (const auto& [form, row] : worst) {
    fmt::print("| {} | {} | {:.2f} | {:.2f} | {:.2f} | {:.2f} |\n", form, row[0], row[1], row[2],
               row[3], row[4]);
  }
}

void report(const Subjects& subjects) {
  constexpr std::size_t kQueries = 1 << 16;
  constexpr int kRounds = 15;
  const auto& candidates = subjects.candidates;
  const Times times = {warm_ns(candidates, make_queries(Load::kRandom, kQueries), kRounds),
                       warm_ns(candidates, make_queries(Load::kUniform, kQueries), kRounds),
                       warm_ns(candidates, make_queries(Load::kMix, kQueries), kRounds),
                       cold_ns(candidates, make_queries(Load::kRandom, 64), 31)};
  const auto& [random, uniform, mix, cold] = times;
  fmt::print(
      "| decision | form | bytes | penalty % | random ns | × | uniform ns | × | mix ns | × | cold "
      "ns |\n"
      "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n");
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    fmt::print(
        "| {} | {} | {} | {:.2f} | {:.1f} | {:.2f} | {:.1f} | {:.2f} | {:.1f} | {:.2f} | {:.0f} "
        "|\n",
        candidates[i]->model, candidates[i]->form, candidates[i]->bytes,
        100 * subjects.penalties[i], random[i], random[i] / random[0], uniform[i],
        uniform[i] / uniform[0], mix[i], mix[i] / mix[0], cold[i]);
  }
  report_worst(candidates, times);
}

int run(const std::vector<std::string>& arguments) {
  if (arguments.size() < 3) {
    throw UsageError("usage: decision_perf P.db[:SYSTEM] COLLECTIVE ompi41_fixed.csv [M.json ...]");
  }
  const std::size_t colon = arguments[0].find(':');
  const profile::Profile profile(arguments[0].substr(0, colon), profile::OpenMode::kRead);
  std::optional<std::string> system;
  if (colon != std::string::npos) system = arguments[0].substr(colon + 1);
  const Collective collective = parse_collective(arguments[1]);
  const Timings timings = surrogate::complete(
      profile::load_timings(profile, profile.require_system(system).name, collective));
  Subjects subjects;
  // First: everything is compared with it. Its algorithms are not those of the profile.
  const model::Model library =
      model::rules_model({"openmpi", "imported", {collective}, 0},
                         model::parse_openmpi_rules(read_file(arguments[2]), collective));
  add(subjects, generated_c("Open MPI 4.1 fixed", library, "C nested", collective), library, NAN);
  add_grid_trees(subjects, timings);
  for (std::size_t i = 3; i < arguments.size(); ++i) {
    const model::Model model = model::load_model(arguments[i]);
    add_all_forms(subjects, fmt::format("{} ({})", model.kind, arguments[i]), model, timings);
  }
  report(subjects);
  return 0;
}

}  // namespace

}  // namespace colltree

int main(int argc, char** argv) {
  try {
    return colltree::run({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    fmt::print(stderr, "decision_perf: {}\n", error.what());
    return 1;
  }
}
