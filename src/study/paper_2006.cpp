// SPDX-License-Identifier: BSD-3-Clause
// 2006: C4.5 trees of broadcast and reduce on Grig by weight and confidence level.
#include <fmt/core.h>

#include "base/json.h"
#include "model/kinds/c45_tree.h"
#include "study/paper_study.h"
#include "study/paper_tables.h"

namespace colltree {

namespace {

// 2006 considered no segmentation and 1, 8, 16 KB; 2007 all seven sizes.
constexpr std::uint64_t kSegments2006[] = {0, 1 << 10, 8 << 10, 16 << 10};

Model c45_model(const std::vector<Timings>& timings, int weight, double confidence) {
  C45Options options;
  options.weight = weight;
  options.confidence_level = static_cast<float>(confidence);
  return fit_c45_tree(timings, options);
}

Json c45_row(const PaperC45Row& paper, const Model& model) {
  const Pruning& ours = *model.statistics.pruning;
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
           {{"leaves_before", ours.before.leaves},
            {"errors_before", ours.before.errors},
            {"errors_before_pct", 100 * ours.before.error_rate},
            {"leaves_after", ours.after.leaves},
            {"errors_after", ours.after.errors},
            {"errors_after_pct", 100 * ours.after.error_rate},
            {"predicted_pct", 100 * ours.predicted_error_rate}}}};
}

}  // namespace

Json reproduce_2006(const PaperStudy& study) {
  const Timings bcast = study.timings("grig", "grig", Collective::kBcast, kSegments2006);
  const Timings reduce = study.timings("grig", "grig", Collective::kReduce, kSegments2006);
  Json table2 = Json::array();
  Json table3 = Json::array();
  for (std::size_t i = 0; i < std::size(kTable2); ++i) {
    const Model model = c45_model({bcast}, kTable2[i].weight, kTable2[i].confidence);
    table2.push_back(c45_row(kTable2[i], model));
    const PenaltySummary penalty = penalty_of(model, bcast);
    table3.push_back({{"options", table2.back()["options"]},
                      {"paper",
                       {{"min_pct", kTable3[i].min},
                        {"max_pct", kTable3[i].max},
                        {"mean_pct", kTable3[i].mean},
                        {"median_pct", kTable3[i].median},
                        {"above_50", kTable3[i].weight == 40 ? Json(6) : Json()}}},
                      {"ours",
                       {{"min_pct", 100 * penalty.min},
                        {"max_pct", 100 * penalty.max},
                        {"mean_pct", 100 * penalty.mean},
                        {"median_pct", 100 * penalty.median},
                        {"above_50", penalty.above_50}}}});
  }
  Json table4 = Json::array();
  Json figure4 = Json::array();
  for (const PaperC45Row& row : kTable4) {
    const Model model = c45_model({bcast, reduce}, row.weight, row.confidence);
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

}  // namespace colltree
