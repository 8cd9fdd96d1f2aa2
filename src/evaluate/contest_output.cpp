// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/core.h>

#include <algorithm>

#include "base/csv_fields.h"
#include "base/json.h"
#include "base/text.h"
#include "evaluate/comparison.h"
#include "evaluate/points.h"
#include "timings/penalty_json.h"

namespace colltree::evaluate {

namespace {

std::string label(const ContestRow& row) {
  return row.detail.empty() ? row.chooser : fmt::format("{} ({})", row.chooser, row.detail);
}

PenaltySummary training_summary(const Contest& contest, const ContestRow& row) {
  return summarize(row.training, {.seed = contest.seed});
}

PenaltySummary held_out_summary(const Contest& contest, const ContestRow& row, std::size_t part) {
  return summarize(*row.held_out[part],
                   held_out_bootstrap(*contest.parts[part].folds, contest.seed));
}

template <typename Number>
std::string or_dash(const std::optional<Number>& number, const char* form = "{}") {
  return number ? fmt::format(fmt::runtime(form), *number) : "-";
}

PenaltySummary there_summary(const Contest& contest, const ContestRow& row) {
  return summarize(*row.there, {.seed = contest.seed});
}

// "on Q.db (measured)": never without where these times come from.
std::string there_title(const SessionPair& sessions) {
  return fmt::format("on {} ({})", sessions.there_name, sessions.there_system.provenance);
}

// What is judged by what, in one line.
std::string sessions_text(const SessionPair& sessions) {
  const profile::SystemInfo& there = sessions.there_system;
  std::string text = fmt::format(
      "  {}: {}, {}, judged at {} of {} instances among {} methods of both", there_title(sessions),
      there.name, there.mpi, sessions.there.instances.size(),
      sessions.there.instances.size() + sessions.other_instances, sessions.there.methods.size());
  if (sessions.other_methods > 0) text += fmt::format(" ({} in one only)", sessions.other_methods);
  if (sessions.mixes_simulated()) {
    text += fmt::format("; fitted to {} times, judged by {} ones", sessions.here_system.provenance,
                        there.provenance);
  }
  return text + "\n";
}

// What some rows of a table, or of one way to leave points out, need beside their means.
struct Beside {
  // A choice cannot run at one of the points: then means over what can are of different instances,
  // and a charged mean stands beside.
  bool charged = false;
  bool predicted = false;  // figures rest on predictions
  bool all = false;        // every column, not only the first ones

  void see(const PenaltyPoints& points) {
    charged |= !points.cannot_run.empty();
    predicted |= points.predicted > 0;
  }
};
using BesideOf = std::vector<Beside>;  // the training points, by part, the other session's

BesideOf beside_of(const Contest& contest, Detail detail) {
  BesideOf beside(contest.parts.size() + 2, Beside{.all = detail == Detail::kAll});
  for (const ContestRow& row : contest.rows) {
    beside[0].see(row.training);
    for (std::size_t part = 0; part < row.held_out.size(); ++part) {
      if (row.held_out[part]) beside[part + 1].see(*row.held_out[part]);
    }
    if (row.there) beside.back().see(*row.there);
  }
  return beside;
}

// The columns of one kind of points: "  0.75  0.61..0.90  0", and what stands beside.
struct MeanCells {
  std::string mean = "-";
  std::string interval = "-";
  std::string geometric_mean = "-";
  std::string slower = "-";
  std::string cannot_run = "-";
  std::string charged = "-";
  std::string predicted = "-";

  std::string text(Beside beside) const {
    std::string text = fmt::format("  {:>6} {:>14}", mean, interval);
    if (beside.all) text += fmt::format(" {:>7} {:>6}", geometric_mean, slower);
    if (beside.charged || beside.all) text += fmt::format(" {:>6}", cannot_run);
    if (beside.charged) text += fmt::format(" {:>7}", charged);
    if (beside.predicted) text += fmt::format(" {:>9}", predicted);
    return text;
  }
};

std::string mean_titles(Beside beside) {
  return MeanCells{"mean", "95 %", "geomean", "slower", "no run", "charged", "predicted"}.text(
      beside);
}

std::string mean_text(const PenaltySummary& summary, std::size_t cannot_run, Beside beside) {
  if (summary.instances + cannot_run == 0) return MeanCells{}.text(beside);
  return MeanCells{summary.instances == 0 ? "-" : percent_text(summary.mean),
                   interval_text(summary.mean_interval),
                   percent_text(summary.geometric_mean),
                   percent_text(summary.share_slower),
                   std::to_string(cannot_run),
                   percent_text(summary.charged_mean),
                   std::to_string(summary.predicted)}
      .text(beside);
}

std::string there_text(const Contest& contest, const ContestRow& row, Beside beside) {
  if (!row.there) return MeanCells{}.text(beside) + fmt::format(" {:>6}", "-");
  const PenaltySummary summary = there_summary(contest, row);
  return mean_text(summary, row.there->cannot_run.size(), beside) +
         fmt::format(" {:>6}", summary.instances == 0 ? "-" : percent_text(summary.max));
}

std::string row_text(const Contest& contest, const ContestRow& row, std::size_t width,
                     const BesideOf& beside) {
  std::string text = fmt::format("  {:<{}}", label(row), width);
  if (!row.refused.empty()) return text + "  cannot be fitted: " + row.refused + "\n";
  const PenaltySummary training = training_summary(contest, row);
  text += fmt::format("  {:>6}", or_dash(row.leaves));
  if (beside[0].all) text += fmt::format(" {:>7}", or_dash(row.deployment.bytes));
  text += mean_text(training, row.training.cannot_run.size(), beside[0]);
  text += fmt::format(" {:>6}", training.instances == 0 ? "-" : percent_text(training.max));
  for (std::size_t part = 0; part < contest.parts.size(); ++part) {
    if (!contest.parts[part].folds) continue;
    text += row.held_out[part] ? mean_text(held_out_summary(contest, row, part),
                                           row.held_out[part]->cannot_run.size(), beside[part + 1])
                               : MeanCells{}.text(beside[part + 1]);
  }
  if (contest.sessions) text += there_text(contest, row, beside.back());
  if (beside[0].all)
    text += fmt::format("  {:>7} {:>6}", or_dash(row.fit_ms, "{:.2f}"),
                        or_dash(row.deployment.decide_ns, "{:.0f}"));
  return text + "\n";
}

Json held_out_json(const Contest& contest, const ContestRow& row) {
  Json all = Json::object();
  for (std::size_t part = 0; part < row.held_out.size(); ++part) {
    if (!row.held_out[part]) continue;
    all[name(contest.parts[part].kind)] = {
        {"performance_penalty", penalty_json(held_out_summary(contest, row, part))},
        {"cannot_run", cannot_run_json(row.held_out[part]->cannot_run)}};
  }
  return all;
}

template <typename Number>
Json or_null(const std::optional<Number>& number) {
  return number ? Json(*number) : Json();
}

Json row_json(const Contest& contest, const ContestRow& row) {
  if (!row.refused.empty()) return {{"chooser", row.chooser}, {"refused", row.refused}};
  Json json = {{"chooser", row.chooser},
               {"detail", row.detail},
               {"leaves", or_null(row.leaves)},
               {"bytes", or_null(row.deployment.bytes)},
               {"fit_ms", or_null(row.fit_ms)},
               {"decide_ns", or_null(row.deployment.decide_ns)},
               {"performance_penalty", penalty_json(training_summary(contest, row))},
               {"cannot_run", cannot_run_json(row.training.cannot_run)},
               {"faster_than_all", row.training.faster_than_all},
               {"held_out", held_out_json(contest, row)}};
  if (row.there) {
    json["on"] = {{"performance_penalty", penalty_json(there_summary(contest, row))},
                  {"cannot_run", cannot_run_json(row.there->cannot_run)}};
  }
  return json;
}

Json sessions_json(const SessionPair& sessions) {
  return {{"profile", printable(sessions.there_name)},
          {"system", sessions.there_system.name},
          {"provenance", sessions.there_system.provenance},
          {"mpi", sessions.there_system.mpi},
          {"instances", sessions.there.instances.size()},
          {"other_instances", sessions.other_instances},
          {"methods", sessions.there.methods.size()},
          {"other_methods", sessions.other_methods}};
}

Json part_json(const HeldOutPart& part) {
  if (!part.folds) return {{"kind", name(part.kind)}, {"refused", part.refused}};
  return {{"kind", name(part.kind)}, {"folds", part.folds->count()}};
}

std::string csv_number(const std::optional<double>& value) {
  return value ? fmt::format("{:.6g}", *value) : "";
}

std::string csv_line(const ContestRow& row, const std::string& head, std::string_view points,
                     const PenaltySummary& summary, std::size_t cannot_run,
                     const ContestCsv& form) {
  std::string text = fmt::format(
      "{},{},{},{},{},{},{},{},{},{}", head, csv_quoted(row.chooser), csv_quoted(row.detail),
      row.leaves ? fmt::format("{}", *row.leaves) : "",
      row.deployment.bytes ? fmt::format("{}", *row.deployment.bytes) : "", csv_number(row.fit_ms),
      csv_number(row.deployment.decide_ns), points, summary.instances, cannot_run);
  const auto& interval = summary.mean_interval;
  for (const std::optional<double>& figure :
       {std::optional(summary.mean), interval ? std::optional(interval->low) : std::nullopt,
        interval ? std::optional(interval->high) : std::nullopt, std::optional(summary.median),
        std::optional(summary.p95), std::optional(summary.max),
        std::optional(summary.share_above_5), std::optional(summary.share_above_10),
        std::optional(summary.share_above_50), std::optional(summary.charged_mean)}) {
    text += "," + (summary.instances == 0 ? "" : csv_number(figure));
  }
  if (form.predicted) text += fmt::format(",{}", summary.predicted);
  return text + fmt::format(",{},{}\n", csv_number(summary.geometric_mean),
                            csv_number(summary.share_slower));
}

// The held-out points of what is not fitted are its training points: named once.
std::vector<NamedPoints> means_of(const Contest& contest) {
  std::vector<NamedPoints> means;
  for (const ContestRow& row : contest.rows) {
    means.push_back({label(row) + " on training points", &row.training});
    for (std::size_t part = 0; part < row.held_out.size(); ++part) {
      const std::optional<PenaltyPoints>& points = row.held_out[part];
      if (points && summarize(*points).mean != summarize(row.training).mean)
        means.push_back(
            {fmt::format("{} on {}", label(row), name(contest.parts[part].kind)), &*points});
    }
    if (row.there)
      means.push_back(
          {fmt::format("{} {}", label(row), there_title(*contest.sessions)), &*row.there});
  }
  return means;
}

}  // namespace

std::string contest_text(const Contest& contest, Detail detail) {
  std::size_t width = 24;
  for (const ContestRow& row : contest.rows) width = std::max(width, label(row).size());
  std::string text = fmt::format("{}: penalty in % over {} instances\n", name(contest.collective),
                                 contest.instances);
  const bool all = detail == Detail::kAll;
  std::string columns = fmt::format("  {:<{}}  {:>6}", "", width, "leaves");
  if (all) columns += fmt::format(" {:>7}", "bytes");
  std::string titles(columns.size(), ' ');
  const BesideOf beside = beside_of(contest, detail);
  const auto add_points = [&](const std::string& title, const std::string& its_columns) {
    titles += fmt::format("{:>{}}", title, its_columns.size());
    columns += its_columns;
  };
  add_points("training points", mean_titles(beside[0]) + fmt::format(" {:>6}", "max"));
  for (std::size_t i = 0; i < contest.parts.size(); ++i) {
    const HeldOutPart& part = contest.parts[i];
    if (!part.folds) {
      text += fmt::format("  not held out by {}: {}\n", name(part.kind), part.refused);
      continue;
    }
    const std::string folds = all ? fmt::format(", {} folds", part.folds->count()) : "";
    add_points(fmt::format("{}{}", name(part.kind), folds), mean_titles(beside[i + 1]));
  }
  if (contest.sessions) {
    text += sessions_text(*contest.sessions);
    add_points("  " + there_title(*contest.sessions),
               mean_titles(beside.back()) + fmt::format(" {:>6}", "max"));
  }
  if (all) columns += fmt::format("  {:>7} {:>6}", "fit ms", "ns");
  text += titles + "\n" + columns + "\n";
  for (const ContestRow& row : contest.rows) text += row_text(contest, row, width, beside);
  return text + outlier_lines(means_of(contest));
}

Json contest_json(const Contest& contest) {
  Json parts = Json::array();
  for (const HeldOutPart& part : contest.parts) parts.push_back(part_json(part));
  Json choosers = Json::array();
  for (const ContestRow& row : contest.rows) choosers.push_back(row_json(contest, row));
  Json json = {{"collective", name(contest.collective)},
               {"instances", contest.instances},
               {"seed", contest.seed},
               {"held_out", parts},
               {"choosers", choosers}};
  if (contest.sessions) json["on"] = sessions_json(*contest.sessions);
  return json;
}

bool rests_on_predictions(const Contest& contest) {
  return std::ranges::any_of(beside_of(contest, Detail::kAll), &Beside::predicted);
}

std::string contest_csv(const Contest& contest, const std::string& system, const ContestCsv& form) {
  std::string text;
  if (form.header) {
    text = fmt::format(
        "system,collective,chooser,detail,leaves,bytes,fit_ms,decide_ns,points,instances,"
        "cannot_run,mean,mean_low,mean_high,median,p95,max,share_above_5,share_above_10,"
        "share_above_50,charged_mean{},geometric_mean,share_slower\n",
        form.predicted ? ",predicted" : "");
  }
  const std::string head = fmt::format("{},{}", csv_field(system), name(contest.collective));
  for (const ContestRow& row : contest.rows) {
    if (!row.refused.empty()) continue;
    text += csv_line(row, head, "training", training_summary(contest, row),
                     row.training.cannot_run.size(), form);
    for (std::size_t part = 0; part < contest.parts.size(); ++part) {
      if (!contest.parts[part].folds || !row.held_out[part]) continue;
      text +=
          csv_line(row, head, name(contest.parts[part].kind), held_out_summary(contest, row, part),
                   row.held_out[part]->cannot_run.size(), form);
    }
    if (!row.there) continue;
    text += csv_line(row, head, csv_quoted(there_title(*contest.sessions)),
                     there_summary(contest, row), row.there->cannot_run.size(), form);
  }
  return text;
}

}  // namespace colltree::evaluate
