// SPDX-License-Identifier: BSD-3-Clause
// `colltree study portfolio`: the smallest set of methods worth measuring on a similar machine
// (docs/tasks/tuning.md).
#include "evaluate/portfolio.h"

#include <fmt/core.h>

#include <memory>

#include "base/json.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/profile_options.h"
#include "evaluate/comparison.h"

namespace colltree::cli {

namespace {

struct PortfolioOptions {
  ProfileOptions input;
  double within = 0.01;
  std::string judge;  // "": none
};

// What the methods lose on a profile.
struct Judged {
  std::string profile;
  PenaltyPoints points;
};

struct Found {
  const Timings* timings;
  evaluate::Portfolio portfolio;
  std::vector<Judged> judged;  // by what they were chosen from first
};

std::string labels(const evaluate::Portfolio& portfolio) {
  std::vector<std::string> labels;
  for (const Method& method : portfolio.methods()) labels.push_back(method.label());
  return join(labels, ",");
}

std::vector<Found> find_all(const SystemTimings& loaded, const SystemTimings& other,
                            const PortfolioOptions& options) {
  std::vector<Found> all;
  for (const Timings& timings : loaded.timings) {
    Found found{&timings, evaluate::find_portfolio(timings, options.within), {}};
    const std::vector<Method> methods = found.portfolio.methods();
    if (methods.empty()) continue;
    found.judged.push_back(
        {options.input.profile, evaluate::penalty_of_choosing_among(timings, methods)});
    for (const Timings& one : other.timings) {
      if (one.collective == timings.collective)
        found.judged.push_back({options.judge, evaluate::penalty_of_choosing_among(one, methods)});
    }
    all.push_back(std::move(found));
  }
  return all;
}

void print_text(const Found& found) {
  const evaluate::Portfolio& portfolio = found.portfolio;
  const std::size_t size = portfolio.members.size();
  fmt::print("{}: {} of {} methods{}; {} of {} cells, {} % of the time of a call of each\n",
             name(found.timings->collective), size, portfolio.of_methods,
             portfolio.at_least == size ? "" : fmt::format(" ({} at least)", portfolio.at_least),
             portfolio.cells, portfolio.all_cells, evaluate::percent_text(portfolio.time_share));
  const auto instances = static_cast<double>(found.timings->instances.size());
  for (const evaluate::PortfolioMember& member : portfolio.members) {
    fmt::print("  {:<24} fastest at {:>5} %, the only one within at {:>5} %\n",
               member.method.label(),
               evaluate::percent_text(static_cast<double>(member.best_at) / instances),
               evaluate::percent_text(static_cast<double>(member.needed_at) / instances));
  }
  for (const Judged& judged : found.judged) {
    const PenaltySummary summary = summarize(judged.points);
    fmt::print("  penalty of the fastest of them on {}: mean {} %, max {} %{}{}\n", judged.profile,
               evaluate::percent_text(summary.mean), evaluate::percent_text(summary.max),
               summary.predicted == 0 ? ""
                                      : fmt::format(" at {} instances{}", summary.instances,
                                                    evaluate::of_them_predicted(summary.predicted)),
               judged.points.cannot_run.empty() ? ""
                                                : fmt::format(", none can run at {} instances",
                                                              judged.points.cannot_run.size()));
  }
  fmt::print("  --collective {} --methods {}\n", name(found.timings->collective),
             labels(portfolio));
}

Json found_json(const Found& found) {
  Json members = Json::array();
  for (const evaluate::PortfolioMember& member : found.portfolio.members) {
    members.push_back({{"method", member.method.label()},
                       {"best_at", member.best_at},
                       {"needed_at", member.needed_at}});
  }
  Json judged = Json::array();
  for (const Judged& one : found.judged) {
    const PenaltySummary summary = summarize(one.points);
    Json json = {{"profile", printable(one.profile)},
                 {"instances", summary.instances},
                 {"mean", summary.mean},
                 {"max", summary.max},
                 {"cannot_run", one.points.cannot_run.size()}};
    if (summary.predicted > 0) json["predicted"] = summary.predicted;
    judged.push_back(std::move(json));
  }
  return {{"collective", name(found.timings->collective)},
          {"methods", members},
          {"at_least", found.portfolio.at_least},
          {"of_methods", found.portfolio.of_methods},
          {"cells", found.portfolio.cells},
          {"all_cells", found.portfolio.all_cells},
          {"time_share", found.portfolio.time_share},
          {"penalties", judged}};
}

void report(const PortfolioOptions& options) {
  const SystemTimings loaded = load_system_timings(options.input);
  SystemTimings other;
  if (!options.judge.empty()) {
    ProfileOptions judge = options.input;
    judge.profile = options.judge;
    judge.system.reset();
    other = load_system_timings(judge);
  }
  const std::vector<Found> all = find_all(loaded, other, options);
  if (options.input.json) {
    Json collectives = Json::array();
    for (const Found& found : all) collectives.push_back(found_json(found));
    fmt::print("{}", results_text("colltree/portfolio/1", {{"system", loaded.system.name},
                                                           {"provenance", loaded.system.provenance},
                                                           {"within", options.within},
                                                           {"collectives", collectives}}));
    return;
  }
  fmt::print(
      "{} ({}): the smallest set of methods of which one is within {} % of the best everywhere\n",
      loaded.system.name, loaded.system.provenance, evaluate::percent_text(options.within));
  for (const Found& found : all) print_text(found);
}

}  // namespace

// It holds the command below; the studies of the papers are in the Python package.
void declare_study(CommandLine&) {}

void declare_portfolio(CommandLine& line) {
  auto options = std::make_shared<PortfolioOptions>();
  add_profile_options(line, options->input);
  line.add_percent("--within", options->within, limits::kPercentOfPenalty,
                   "at each instance, the fastest of them may be slower than the best method by "
                   "this much, in "
                   "percent")
      .show_default();
  line.add("--judge-on", options->judge,
           "also say what choosing among them loses on this other profile");
  line.set_work([options] { report(*options); });
}

}  // namespace colltree::cli
