// SPDX-License-Identifier: BSD-3-Clause
// What the papers print, and the same tables made here: the parameters of their studies, their
// figures, ours.
//   2006  Decision Trees and MPI Collective Algorithm Selection Problem
//   2007  MPI collective algorithm selection and quadtree encoding, Parallel Computing 33, 613-623
#include <fmt/core.h>

#include "coll/catalogue.h"
#include "deploy/decision_timing.h"
#include "emit/emitter.h"
#include "model/kinds/c45_tree.h"
#include "model/kinds/quadtree.h"
#include "model/quadtree/label_grid.h"
#include "study/paper_study.h"

namespace colltree::study {

namespace {

// 2006, tables 2 (broadcast) and 4 (broadcast and reduce combined): size means leaves; errors are
// misclassified training cases; percentages of the cases (1248 and 2286).
struct PaperC45Row {
  int weight;
  double confidence;
  int leaves_before, errors_before;
  double errors_before_pct;
  int leaves_after, errors_after;
  double errors_after_pct, predicted_pct;
};

constexpr PaperC45Row kTable2[] = {
    {2, 25, 133, 102, 7.9, 127, 103, 7.9, 14.6}, {4, 25, 115, 114, 8.8, 95, 122, 9.4, 15.0},
    {6, 15, 99, 135, 10.4, 65, 149, 11.5, 17.6}, {8, 5, 73, 155, 12.0, 47, 166, 12.8, 21.0},
    {40, 5, 21, 231, 17.8, 21, 231, 17.8, 21.9},
};

constexpr PaperC45Row kTable4[] = {
    {2, 25, 239, 137, 6.0, 221, 142, 6.2, 12.6},  {6, 25, 149, 205, 9.0, 115, 220, 9.6, 14.0},
    {8, 25, 127, 225, 9.8, 103, 235, 10.3, 14.4}, {20, 5, 63, 310, 13.6, 55, 316, 13.8, 20.6},
    {40, 25, 33, 392, 17.1, 33, 392, 17.1, 19.6},
};

// 2006, table 3: performance penalty of the broadcast trees, percent.
struct PaperPenaltyRow {
  int weight;
  double confidence;
  double min, max, mean, median;
};

constexpr PaperPenaltyRow kTable3[] = {
    {2, 25, 0, 75.41, 0.66, 0}, {4, 25, 0, 316.97, 1.16, 0}, {6, 15, 0, 316.97, 3.24, 0},
    {8, 5, 0, 316.97, 1.66, 0}, {40, 5, 0, 316.97, 2.08, 0},
};

// 2007, tables 1 (Frodo) and 2 (Grig): broadcast quadtrees by maximum depth; penalty in percent.
struct PaperQuadtreeRow {
  std::uint64_t max_depth;
  int min_depth;
  double mean_depth;
  double penalty_min, penalty_max, penalty_mean, penalty_median;
  int leaves, nodes;
};

constexpr PaperQuadtreeRow kFrodo2007[] = {
    {1, 1, 1.00, 0, 560.42, 74.62, 2.88, 4, 5}, {2, 1, 1.92, 0, 743.16, 12.56, 0, 13, 17},
    {3, 1, 2.50, 0, 743.15, 12.43, 0, 22, 29},  {4, 2, 3.63, 0, 743.15, 12.01, 0, 91, 121},
    {5, 2, 4.61, 0, 31.14, 0.67, 0, 328, 437},  {6, 2, 5.65, 0, 0, 0, 0, 1153, 1537},
};

constexpr PaperQuadtreeRow kGrig2007[] = {
    {1, 1, 1.00, 0, 337.43, 37.10, 0, 4, 5},    {2, 2, 2.00, 0, 391.53, 18.54, 0, 16, 21},
    {3, 2, 2.76, 0, 247.20, 5.75, 0, 37, 49},   {4, 2, 3.75, 0, 247.20, 3.25, 0, 106, 141},
    {5, 2, 4.61, 0, 225.30, 1.29, 0, 227, 369}, {6, 2, 5.70, 0, 0, 0, 0, 1024, 1365},
};

// 2007, table 3: reduce on Grig, in memory and as a compiled function, on an Athlon 64 at 2.2 GHz.
struct PaperDecisionRow {
  double mean_depth, penalty_mean;
  int memory_bytes;
  double memory_ns;
  int function_size;  // if and else-if statements
  double function_ns;
};

constexpr PaperDecisionRow kDecision2007[] = {
    {1.00, 81.10, 712, 35.61, 4, 11.68},    {1.80, 11.58, 1096, 36.78, 12, 10.70},
    {2.92, 5.63, 3784, 54.53, 68, 13.68},   {3.62, 1.39, 7048, 54.70, 136, 13.87},
    {4.31, 0.97, 13192, 55.02, 264, 13.88}, {5.50, 0.00, 42952, 71.54, 884, 16.47},
};

// A column of a table: the paper's figure and ours.
struct Figure {
  const char* column;
  Json paper;
  Json ours;
};

Json row_of(const char* label, Json row_name, const std::vector<Figure>& figures) {
  Json row = {{label, std::move(row_name)}, {"paper", Json::object()}, {"ours", Json::object()}};
  for (const Figure& figure : figures) {
    row["paper"][figure.column] = figure.paper;
    row["ours"][figure.column] = figure.ours;
  }
  return row;
}

// 2006: C4.5 trees of broadcast and reduce on Grig by weight and confidence level.

// 2006 considered no segmentation and 1, 8, 16 KB; 2007 all seven sizes.
constexpr std::uint64_t kSegments2006[] = {0, 1 << 10, 8 << 10, 16 << 10};

model::Model c45_model(const std::vector<Timings>& timings, int weight, double confidence) {
  model::C45Options options;
  options.weight = weight;
  options.confidence_level = static_cast<float>(confidence);
  return model::fit_c45_tree(timings, options);
}

Json c45_row(const PaperC45Row& paper, const model::Model& model) {
  const model::Pruning& ours = *model.statistics.pruning;
  return row_of("options", fmt::format("-m {} -c {:g}", paper.weight, paper.confidence),
                {{"leaves_before", paper.leaves_before, ours.before.leaves},
                 {"errors_before", paper.errors_before, ours.before.errors},
                 {"errors_before_pct", paper.errors_before_pct, 100 * ours.before.error_rate},
                 {"leaves_after", paper.leaves_after, ours.after.leaves},
                 {"errors_after", paper.errors_after, ours.after.errors},
                 {"errors_after_pct", paper.errors_after_pct, 100 * ours.after.error_rate},
                 {"predicted_pct", paper.predicted_pct, 100 * ours.predicted_error_rate}});
}

// 2007: quadtrees of broadcast by maximum depth on both clusters, and what their decisions cost.

Json quadtree_row(const PaperQuadtreeRow& paper, const model::Model& model,
                  const PenaltySummary& penalty) {
  const model::TreeShape& ours = model.statistics.shape;
  return row_of("max_depth", paper.max_depth,
                {{"min_depth", paper.min_depth, ours.min_depth},
                 {"mean_depth", paper.mean_depth, ours.mean_depth},
                 {"max_pct", paper.penalty_max, 100 * penalty.max},
                 {"mean_pct", paper.penalty_mean, 100 * penalty.mean},
                 {"median_pct", paper.penalty_median, 100 * penalty.median},
                 {"leaves", paper.leaves, ours.leaves},
                 {"nodes", paper.nodes, ours.nodes}});
}

Json quadtree_table(const Timings& timings, std::span<const PaperQuadtreeRow> paper) {
  Json rows = Json::array();
  for (const PaperQuadtreeRow& row : paper) {
    model::GridTreeOptions options;
    options.max_depth = row.max_depth;
    const model::Model model = model::fit_quadtree(
        model::origin_of({timings}), model::make_grid_of({timings}, "collective"), options);
    rows.push_back(quadtree_row(row, model, penalty_of(model, timings)));
  }
  return rows;
}

Json decision_table(const Timings& timings) {
  Json rows = Json::array();
  for (std::size_t i = 0; i < std::size(kDecision2007); ++i) {
    model::GridTreeOptions options;
    options.max_depth = i + 1;
    const model::Model model = model::fit_quadtree(
        model::origin_of({timings}), model::make_grid_of({timings}, "collective"), options);
    const std::string cdt = emit::find_emitter("tree").emit(model, {});
    emit::EmitOptions plain;
    plain.merge = false;
    const std::string source = emit::find_emitter("c").emit(model, plain);
    std::size_t tests = 0;
    for (std::size_t at = 0; (at = source.find("if (", at)) != std::string::npos; ++at) ++tests;
    const std::optional<double> function_ns =
        deploy::compiled_ns(source, fmt::format("colltree_decide_{}", name(timings.collective)));
    const PaperDecisionRow& paper = kDecision2007[i];
    rows.push_back(
        row_of("max_depth", i + 1,
               {{"mean_depth", paper.mean_depth, model.statistics.shape.mean_depth},
                {"mean_pct", paper.penalty_mean, 100 * penalty_of(model, timings).mean},
                {"memory_bytes", paper.memory_bytes, cdt.size()},
                {"memory_ns", paper.memory_ns, deploy::decision_file_ns(cdt, timings.collective)},
                {"function_ifs", paper.function_size, tests},
                {"function_ns", paper.function_ns, function_ns ? Json(*function_ns) : Json()}}));
  }
  return rows;
}

}  // namespace

Json reproduce_2006(const PaperStudy& study) {
  const Timings bcast = study.timings("grig", "grig", Collective::kBcast, kSegments2006);
  const Timings reduce = study.timings("grig", "grig", Collective::kReduce, kSegments2006);
  Json table2 = Json::array();
  Json table3 = Json::array();
  for (std::size_t i = 0; i < std::size(kTable2); ++i) {
    const model::Model model = c45_model({bcast}, kTable2[i].weight, kTable2[i].confidence);
    table2.push_back(c45_row(kTable2[i], model));
    const PenaltySummary penalty = penalty_of(model, bcast);
    const PaperPenaltyRow& paper = kTable3[i];
    table3.push_back(
        row_of("options", table2.back()["options"],
               {{"min_pct", paper.min, 100 * penalty.min},
                {"max_pct", paper.max, 100 * penalty.max},
                {"mean_pct", paper.mean, 100 * penalty.mean},
                {"median_pct", paper.median, 100 * penalty.median},
                {"above_50", paper.weight == 40 ? Json(6) : Json(), penalty.above_50}}));
  }
  Json table4 = Json::array();
  Json figure4 = Json::array();
  for (const PaperC45Row& row : kTable4) {
    const model::Model model = c45_model({bcast, reduce}, row.weight, row.confidence);
    table4.push_back(c45_row(row, model));
    figure4.push_back(row_of("options", table4.back()["options"],
                             {{"bcast_mean_pct", Json(), 100 * penalty_of(model, bcast).mean},
                              {"reduce_mean_pct", Json(), 100 * penalty_of(model, reduce).mean}}));
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

void print_2006(const Json& result) {
  const std::vector<const char*> sizes = {"leaves_before", "errors_before_pct", "leaves_after",
                                          "errors_after_pct", "predicted_pct"};
  print_table("Table 2: broadcast C4.5 trees, Grig (theirs 1248 cases; size is leaves)",
              result["table2"], "options", sizes);
  print_table("Table 3: their performance penalty, %", result["table3"], "options",
              {"min_pct", "max_pct", "mean_pct", "median_pct", "above_50"});
  print_table("Table 4: broadcast and reduce combined (theirs 2286 cases)", result["table4"],
              "options", sizes);
  print_table("Figure 4: mean penalty of the combined trees, % (theirs: below 2.5)",
              result["figure4"], "options", {"bcast_mean_pct", "reduce_mean_pct"});
}

Json reproduce_2007(const PaperStudy& study) {
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

void print_2007(const Json& result) {
  const std::vector<const char*> columns = {"min_depth",  "mean_depth", "max_pct", "mean_pct",
                                            "median_pct", "leaves",     "nodes"};
  print_table("Table 1: broadcast quadtrees by maximum depth, Frodo", result["table1"], "max_depth",
              columns);
  print_table("Table 2: broadcast quadtrees by maximum depth, Grig", result["table2"], "max_depth",
              columns);
  print_table(
      "Table 3: deciding for reduce, Grig (memory: the tree as a compact decision file; times on "
      "this machine)",
      result["table3"], "max_depth",
      {"mean_depth", "mean_pct", "memory_bytes", "memory_ns", "function_ifs", "function_ns"});
}

}  // namespace colltree::study
