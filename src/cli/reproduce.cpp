// SPDX-License-Identifier: BSD-3-Clause
// `colltree reproduce 2006|2007`: the papers' own studies on the simulated clusters, theirs and
// ours side by side. The clusters differ, so the figures do: what compares is their shape.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/error.h"
#include "base/file.h"
#include "cli/command.h"
#include "cli/decision_timing.h"
#include "cli/fit_input.h"
#include "cli/paper_tables.h"
#include "coll/catalogue.h"
#include "emit/emitter.h"
#include "evaluate/penalty_json.h"
#include "measure/campaign_run.h"
#include "model/c45_model.h"
#include "model/quadtree/grid_of_timings.h"
#include "model/quadtree/grid_tree_model.h"
#include "profile/load_timings.h"
#include "report/paper_figures.h"

namespace colltree {

namespace {

using nlohmann::json;

struct Options {
  std::string paper;
  std::string output;
  std::size_t jobs = 0;
  bool json = false;
};

// 2006 considered no segmentation and 1, 8, 16 KB; 2007 all seven sizes.
constexpr std::uint64_t kSegments2006[] = {0, 1 << 10, 8 << 10, 16 << 10};

class Study {
 public:
  explicit Study(const Options& options) : options_(options) {
    std::error_code error;
    std::filesystem::create_directories(options.output, error);
    if (error)
      throw Error(fmt::format("{}: cannot make this folder: {}", options.output, error.message()));
    path_ = std::filesystem::path(options.output) / "profile.db";
  }

  // Times of one collective on a simulated cluster at exactly this grid and these segment sizes.
  Timings timings(const char* platform, const char* grid, Collective collective,
                  std::span<const std::uint64_t> segment_sizes) const {
    CampaignRequest request;
    request.collectives = {collective};
    request.grid = find_grid(grid);
    request.segment_sizes.assign(segment_sizes.begin(), segment_sizes.end());
    const auto driver = make_simulated_driver(find_platform(platform), NoiseModel{}, options_.jobs);
    Profile profile(path_, OpenMode::kWrite);
    run_campaign(request, *driver, profile);
    return restricted(load_timings(profile, platform, collective), request);
  }

  // The paths of the pictures, written beside the profile.
  json write(const std::vector<PaperFigure>& figures) const {
    json paths = json::array();
    for (const PaperFigure& figure : figures) {
      const std::filesystem::path path = path_.parent_path() / (figure.name + ".svg");
      write_file(path, figure.svg);
      paths.push_back(path.string());
    }
    return paths;
  }

 private:
  static bool has(const std::vector<std::uint64_t>& list, std::uint64_t value) {
    return std::ranges::find(list, value) != list.end();
  }

  static Timings restricted(const Timings& all, const CampaignRequest& request) {
    Timings some{all.system, all.provenance, all.collective, {}, {}, {}, {}};
    std::vector<std::size_t> kept;
    for (std::size_t m = 0; m < all.methods.size(); ++m) {
      if (!has(request.segment_sizes, all.methods[m].segment_size.value_or(0))) continue;
      kept.push_back(m);
      some.methods.push_back(all.methods[m]);
    }
    for (std::size_t i = 0; i < all.instances.size(); ++i) {
      const Instance& instance = all.instances[i];
      if (!has(request.grid.communicator_sizes, instance.communicator_size)) continue;
      if (!has(request.grid.message_sizes, instance.message_size)) continue;
      some.instances.push_back(instance);
      some.default_us.push_back(all.default_us[i]);
      for (const std::size_t m : kept) some.time_us.push_back(all.at(i, m));
    }
    return some;
  }

  const Options& options_;
  std::filesystem::path path_;
};

PenaltySummary penalty_of(const DecisionFunction& model, const Timings& timings) {
  return summarize(
      penalty_points(timings, [&](const Instance& instance) { return model.decide(instance); }));
}

C45Model c45_model(const std::vector<Timings>& timings, int weight, double confidence) {
  C45Options options;
  options.weight = weight;
  options.confidence_level = static_cast<float>(confidence);
  return {origin_of(timings), timings, options};
}

json c45_row(const PaperC45Row& paper, const C45Model& model) {
  const json ours = model.statistics();
  const json& before = ours.at("before_pruning");
  const json& after = ours.at("after_pruning");
  const auto percent = [](const json& rate) { return 100 * rate.get<double>(); };
  return {{"options", fmt::format("-m {} -c {:g}", paper.weight, paper.confidence)},
          {"paper",
           {{"leaves_before", paper.leaves_before},
            {"errors_before", paper.errors_before},
            {"errors_before_pct", paper.errors_before_pct},
            {"leaves_after", paper.leaves_after},
            {"errors_after", paper.errors_after},
            {"errors_after_pct", paper.errors_after_pct},
            {"predicted_pct", paper.predicted_pct}}},
          {"ours",
           {{"leaves_before", before.at("leaves")},
            {"errors_before", before.at("errors")},
            {"errors_before_pct", percent(before.at("error_rate"))},
            {"leaves_after", after.at("leaves")},
            {"errors_after", after.at("errors")},
            {"errors_after_pct", percent(after.at("error_rate"))},
            {"predicted_pct", percent(after.at("predicted_error_rate"))}}}};
}

json quadtree_row(const PaperQuadtreeRow& paper, const GridTreeModel& model,
                  const PenaltySummary& penalty) {
  const json ours = model.statistics();
  return {{"max_depth", paper.max_depth},
          {"paper",
           {{"min_depth", paper.min_depth},
            {"mean_depth", paper.mean_depth},
            {"max_pct", paper.penalty_max},
            {"mean_pct", paper.penalty_mean},
            {"median_pct", paper.penalty_median},
            {"leaves", paper.leaves},
            {"nodes", paper.nodes}}},
          {"ours",
           {{"min_depth", ours.at("min_depth")},
            {"mean_depth", ours.at("mean_depth")},
            {"max_pct", 100 * penalty.max},
            {"mean_pct", 100 * penalty.mean},
            {"median_pct", 100 * penalty.median},
            {"leaves", ours.at("leaves")},
            {"nodes", ours.at("nodes")}}}};
}

std::string cell(const json& value) {
  if (value.is_null()) return "-";
  if (value.is_number_integer()) return value.dump();
  return fmt::format("{:.2f}", value.get<double>());
}

// One table: `label` names a row's own field, `fields` the columns, each as theirs/ours.
void print_table(const std::string& title, const json& rows, const char* label,
                 const std::vector<const char*>& fields) {
  constexpr int kWidth = 19;
  fmt::print("\n{}\n  {:<13}", title, label);
  for (const char* field : fields) fmt::print("{:>{}}", field, kWidth);
  fmt::print("\n");
  for (const json& row : rows) {
    const json& name = row.at(label);
    fmt::print("  {:<13}", name.is_string() ? name.get<std::string>() : cell(name));
    for (const char* field : fields) {
      fmt::print("{:>{}}", cell(row.at("paper").at(field)) + " / " + cell(row.at("ours").at(field)),
                 kWidth);
    }
    fmt::print("\n");
  }
}

constexpr const char* kCaveat =
    "Each column: the paper's figure / ours. Theirs were measured on clusters that are gone, ours "
    "are simulated\n"
    "(SimGrid SMPI, platforms/*.xml, not calibrated): equal figures are not to be expected, the "
    "same shape is.\n";

json reproduce_2006(const Study& study) {
  const Timings bcast = study.timings("grig", "grig", Collective::kBcast, kSegments2006);
  const Timings reduce = study.timings("grig", "grig", Collective::kReduce, kSegments2006);
  json table2 = json::array();
  json table3 = json::array();
  for (std::size_t i = 0; i < std::size(kTable2); ++i) {
    const C45Model model = c45_model({bcast}, kTable2[i].weight, kTable2[i].confidence);
    table2.push_back(c45_row(kTable2[i], model));
    const PenaltySummary penalty = penalty_of(model, bcast);
    table3.push_back({{"options", table2.back()["options"]},
                      {"paper",
                       {{"min_pct", kTable3[i].min},
                        {"max_pct", kTable3[i].max},
                        {"mean_pct", kTable3[i].mean},
                        {"median_pct", kTable3[i].median},
                        {"above_50", kTable3[i].weight == 40 ? json(6) : json()}}},
                      {"ours",
                       {{"min_pct", 100 * penalty.min},
                        {"max_pct", 100 * penalty.max},
                        {"mean_pct", 100 * penalty.mean},
                        {"median_pct", 100 * penalty.median},
                        {"above_50", penalty.above_50}}}});
  }
  json table4 = json::array();
  json figure4 = json::array();
  for (const PaperC45Row& row : kTable4) {
    const C45Model model = c45_model({bcast, reduce}, row.weight, row.confidence);
    table4.push_back(c45_row(row, model));
    figure4.push_back({{"options", table4.back()["options"]},
                       {"paper", {{"bcast_mean_pct", nullptr}, {"reduce_mean_pct", nullptr}}},
                       {"ours",
                        {{"bcast_mean_pct", 100 * penalty_of(model, bcast).mean},
                         {"reduce_mean_pct", 100 * penalty_of(model, reduce).mean}}}});
  }
  return {{"paper", 2006},
          {"instances_bcast", bcast.instances.size()},
          {"instances_reduce", reduce.instances.size()},
          {"table2", table2},
          {"table3", table3},
          {"table4", table4},
          {"figure4", figure4},
          {"figures", study.write(figures_2006(bcast, reduce))}};
}

json quadtree_table(const Timings& timings, std::span<const PaperQuadtreeRow> paper) {
  json rows = json::array();
  for (const PaperQuadtreeRow& row : paper) {
    GridTreeOptions options;
    options.max_depth = row.max_depth;
    const GridTreeModel model(origin_of({timings}), make_grid_of({timings}, "collective"), options);
    rows.push_back(quadtree_row(row, model, penalty_of(model, timings)));
  }
  return rows;
}

json decision_table(const Timings& timings) {
  json rows = json::array();
  for (std::size_t i = 0; i < std::size(kDecision2007); ++i) {
    GridTreeOptions options;
    options.max_depth = i + 1;
    const GridTreeModel model(origin_of({timings}), make_grid_of({timings}, "collective"), options);
    const std::string cdt = find_emitter("tree").emit(model, {});
    EmitOptions plain;
    plain.merge = false;
    const std::string source = find_emitter("c").emit(model, plain);
    std::size_t tests = 0;
    for (std::size_t at = 0; (at = source.find("if (", at)) != std::string::npos; ++at) ++tests;
    const std::optional<double> function_ns =
        compiled_ns(source, fmt::format("colltree_decide_{}", name(timings.collective)));
    const PaperDecisionRow& paper = kDecision2007[i];
    rows.push_back({{"max_depth", i + 1},
                    {"paper",
                     {{"mean_depth", paper.mean_depth},
                      {"mean_pct", paper.penalty_mean},
                      {"memory_bytes", paper.memory_bytes},
                      {"memory_ns", paper.memory_ns},
                      {"function_ifs", paper.function_size},
                      {"function_ns", paper.function_ns}}},
                    {"ours",
                     {{"mean_depth", model.statistics().at("mean_depth")},
                      {"mean_pct", 100 * penalty_of(model, timings).mean},
                      {"memory_bytes", cdt.size()},
                      {"memory_ns", decision_file_ns(cdt, timings.collective)},
                      {"function_ifs", tests},
                      {"function_ns", function_ns ? json(*function_ns) : json()}}}});
  }
  return rows;
}

json reproduce_2007(const Study& study) {
  const auto timings = [&](const char* platform, const char* grid, Collective collective) {
    return study.timings(platform, grid, collective, paper_segment_sizes());
  };
  Timings2007 all{.frodo_bcast = {},
                  .frodo_reduce = {},
                  .grig_bcast = timings("grig", "grig-2007", Collective::kBcast),
                  .grig_reduce = timings("grig", "grig-2007", Collective::kReduce)};
  all.frodo_bcast = timings("frodo", "frodo", Collective::kBcast);
  all.frodo_reduce = timings("frodo", "frodo", Collective::kReduce);
  return {{"paper", 2007},
          {"instances_frodo", all.frodo_bcast.instances.size()},
          {"instances_grig", all.grig_bcast.instances.size()},
          {"table1", quadtree_table(all.frodo_bcast, kFrodo2007)},
          {"table2", quadtree_table(all.grig_bcast, kGrig2007)},
          {"table3", decision_table(all.grig_reduce)},
          {"figures", study.write(figures_2007(all))}};
}

void print_2006(const json& study) {
  const std::vector<const char*> sizes = {"leaves_before", "errors_before_pct", "leaves_after",
                                          "errors_after_pct", "predicted_pct"};
  print_table("Table 2: broadcast C4.5 trees, Grig (theirs 1248 cases; size is leaves)",
              study["table2"], "options", sizes);
  print_table("Table 3: their performance penalty, %", study["table3"], "options",
              {"min_pct", "max_pct", "mean_pct", "median_pct", "above_50"});
  print_table("Table 4: broadcast and reduce combined (theirs 2286 cases)", study["table4"],
              "options", sizes);
  print_table("Figure 4: mean penalty of the combined trees, % (theirs: below 2.5)",
              study["figure4"], "options", {"bcast_mean_pct", "reduce_mean_pct"});
}

void print_2007(const json& study) {
  const std::vector<const char*> columns = {"min_depth",  "mean_depth", "max_pct", "mean_pct",
                                            "median_pct", "leaves",     "nodes"};
  print_table("Table 1: broadcast quadtrees by maximum depth, Frodo", study["table1"], "max_depth",
              columns);
  print_table("Table 2: broadcast quadtrees by maximum depth, Grig", study["table2"], "max_depth",
              columns);
  print_table(
      "Table 3: deciding for reduce, Grig (memory: the tree as a compact decision file; times on "
      "this machine)",
      study["table3"], "max_depth",
      {"mean_depth", "mean_pct", "memory_bytes", "memory_ns", "function_ifs", "function_ns"});
}

void reproduce(const Options& options) {
  const Study study(options);
  const json result = options.paper == "2006" ? reproduce_2006(study) : reproduce_2007(study);
  if (options.json) {
    fmt::print("{}\n", result.dump(2));
    return;
  }
  fmt::print("{}", kCaveat);
  options.paper == "2006" ? print_2006(result) : print_2007(result);
  fmt::print("\nFigures:\n");
  for (const json& path : result["figures"]) fmt::print("  {}\n", path.get<std::string>());
}

}  // namespace

void declare_reproduce(CLI::App& app) {
  auto options = std::make_shared<Options>();
  app.add_option("paper", options->paper, "2006 (C4.5) or 2007 (quadtrees)")
      ->required()
      ->check(CLI::IsMember({"2006", "2007"}));
  app.add_option("-o,--output", options->output,
                 "folder for the profile and the figures; continued if it exists")
      ->required();
  app.add_option("--jobs", options->jobs, "simulations at once (default: one for each core)");
  app.add_flag("--json", options->json, "print JSON");
  app.callback([options] { reproduce(*options); });
}

}  // namespace colltree
