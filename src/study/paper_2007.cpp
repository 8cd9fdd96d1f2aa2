// SPDX-License-Identifier: BSD-3-Clause
// 2007: quadtrees of broadcast by maximum depth on both clusters, and what their decisions cost.
#include <fmt/core.h>

#include <optional>

#include "base/json.h"
#include "coll/catalogue.h"
#include "deploy/decision_timing.h"
#include "emit/emitter.h"
#include "model/kinds/quadtree.h"
#include "model/quadtree/label_grid.h"
#include "study/paper_study.h"
#include "study/paper_tables.h"

namespace colltree {

namespace {

Json quadtree_row(const PaperQuadtreeRow& paper, const Model& model,
                  const PenaltySummary& penalty) {
  const TreeShape& ours = model.statistics.shape;
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
           {{"min_depth", ours.min_depth},
            {"mean_depth", ours.mean_depth},
            {"max_pct", 100 * penalty.max},
            {"mean_pct", 100 * penalty.mean},
            {"median_pct", 100 * penalty.median},
            {"leaves", ours.leaves},
            {"nodes", ours.nodes}}}};
}

Json quadtree_table(const Timings& timings, std::span<const PaperQuadtreeRow> paper) {
  Json rows = Json::array();
  for (const PaperQuadtreeRow& row : paper) {
    GridTreeOptions options;
    options.max_depth = row.max_depth;
    const Model model =
        fit_quadtree(origin_of({timings}), make_grid_of({timings}, "collective"), options);
    rows.push_back(quadtree_row(row, model, penalty_of(model, timings)));
  }
  return rows;
}

Json decision_table(const Timings& timings) {
  Json rows = Json::array();
  for (std::size_t i = 0; i < std::size(kDecision2007); ++i) {
    GridTreeOptions options;
    options.max_depth = i + 1;
    const Model model =
        fit_quadtree(origin_of({timings}), make_grid_of({timings}, "collective"), options);
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
                     {{"mean_depth", model.statistics.shape.mean_depth},
                      {"mean_pct", 100 * penalty_of(model, timings).mean},
                      {"memory_bytes", cdt.size()},
                      {"memory_ns", decision_file_ns(cdt, timings.collective)},
                      {"function_ifs", tests},
                      {"function_ns", function_ns ? Json(*function_ns) : Json()}}}});
  }
  return rows;
}

}  // namespace

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

}  // namespace colltree
