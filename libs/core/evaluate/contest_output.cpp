// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/core.h>

#include <algorithm>

#include "base/csv_fields.h"
#include "base/json.h"
#include "base/table.h"
#include "base/text.h"
#include "evaluate/comparison.h"
#include "evaluate/points.h"
#include "timings/penalty_json.h"

namespace colltree::evaluate {

namespace {

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

// Points by which a row is judged: the training points, each held-out part that has folds, those of
// the other session.
struct Judged {
  std::string name;
  const PenaltyPoints* points;  // nullptr: the row is not judged by these
  Bootstrap bootstrap;

  PenaltySummary summary() const { return summarize(*points, bootstrap); }
};

template <typename Value>
const Value* pointer_to(const std::optional<Value>& value) {
  return value ? &*value : nullptr;
}

std::vector<Judged> judged_points(const Comparison& contest, const ComparisonRow& row) {
  const Bootstrap bootstrap{.seed = contest.seed};
  std::vector<Judged> judged = {{"training", &row.points, bootstrap}};
  for (std::size_t part = 0; part < contest.parts.size(); ++part) {
    const HeldOutPart& held_out = contest.parts[part];
    if (!held_out.folds) continue;
    judged.push_back({std::string(name(held_out.kind)),
                      part < row.held_out.size() ? pointer_to(row.held_out[part]) : nullptr,
                      held_out_bootstrap(*held_out.folds, contest.seed)});
  }
  if (contest.sessions)
    judged.push_back({there_title(*contest.sessions), pointer_to(row.there), bootstrap});
  return judged;
}

// True if a figure of the points rests on predictions.
bool is_predicted(const Judged& judged) {
  return judged.points != nullptr && judged.points->predicted > 0;
}

// At these points a choice cannot run: the means of different rows are then of different instances,
// and a charged mean stands beside them.
bool is_charged(const Judged& judged) {
  return judged.points != nullptr && !judged.points->cannot_run.empty();
}

// Adds the columns for one kind of points, which a row holds at `index` of judged_points().
void add_columns(const Comparison& contest, std::size_t index, const std::string& group,
                 bool in_detail, bool has_max, std::vector<Column>& columns) {
  const auto any = [&](bool (*is_so)(const Judged&)) {
    return std::ranges::any_of(contest.rows, [&](const ComparisonRow& row) {
      return is_so(judged_points(contest, row)[index]);
    });
  };
  const bool charged = any(is_charged);
  const auto form = [](bool is_shown, const char* text) { return is_shown ? text : ""; };
  const Column added[] = {{"", "mean", "  {:>6}"},
                          {"", "95 %", " {:>14}"},
                          {"", "geomean", form(in_detail, " {:>7}")},
                          {"", "slower", form(in_detail, " {:>6}")},
                          {"", "no run", form(charged || in_detail, " {:>6}")},
                          {"", "charged", form(charged, " {:>7}")},
                          {"", "predicted", form(any(is_predicted), " {:>9}")},
                          {"", "max", form(has_max, " {:>6}")}};
  for (Column column : added) {
    column.group = group;
    columns.push_back(std::move(column));
  }
}

// The cells of add_columns.
std::vector<Cell> cells_of(const Judged& judged) {
  if (judged.points == nullptr ||
      (judged.points->values.empty() && judged.points->cannot_run.empty()))
    return std::vector<Cell>(8, Cell(nullptr));
  const PenaltySummary summary = judged.summary();
  const auto figure = [&](double value) {
    return summary.instances == 0 ? "-" : percent_text(value);
  };
  return {figure(summary.mean),
          interval_text(summary.mean_interval),
          percent_text(summary.geometric_mean),
          percent_text(summary.share_slower),
          judged.points->cannot_run.size(),
          percent_text(summary.charged_mean),
          summary.predicted,
          figure(summary.max)};
}

void add_row(const Comparison& contest, const ComparisonRow& row, Table& table) {
  if (!row.refused.empty()) return table.add({label(row)}, "  cannot be fitted: " + row.refused);
  std::vector<Cell> cells = {label(row), row.leaves, row.bytes};
  for (const Judged& judged : judged_points(contest, row))
    std::ranges::move(cells_of(judged), std::back_inserter(cells));
  cells.insert(cells.end(), {row.fit_ms, row.decide_ns});
  table.add(std::move(cells));
}

template <typename Number>
Json or_null(const std::optional<Number>& number) {
  return number ? Json(*number) : Json();
}

Json row_json(const Comparison& contest, const ComparisonRow& row) {
  if (!row.refused.empty()) return {{"chooser", row.chooser}, {"refused", row.refused}};
  Json json = {{"chooser", row.chooser},
               {"detail", row.detail},
               {"leaves", or_null(row.leaves)},
               {"bytes", or_null(row.bytes)},
               {"fit_ms", or_null(row.fit_ms)},
               {"decide_ns", or_null(row.decide_ns)},
               {"faster_than_all", row.points.faster_than_all},
               {"held_out", Json::object()}};
  for (const Judged& judged : judged_points(contest, row)) {
    if (judged.points == nullptr) continue;
    const Json figures = {{"performance_penalty", penalty_json(judged.summary())},
                          {"cannot_run", cannot_run_json(judged.points->cannot_run)}};
    if (judged.points == &row.points) {
      json.update(figures);
    } else if (judged.points == pointer_to(row.there)) {
      json["on"] = figures;
    } else {
      json["held_out"][judged.name] = figures;
    }
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

// The held-out points of what is not fitted are its training points: named once.
std::vector<NamedPoints> means_of(const Comparison& contest) {
  std::vector<NamedPoints> means;
  for (const ComparisonRow& row : contest.rows) {
    means.push_back({label(row) + " on training points", &row.points});
    for (std::size_t part = 0; part < row.held_out.size(); ++part) {
      const std::optional<PenaltyPoints>& points = row.held_out[part];
      if (points && summarize(*points).mean != summarize(row.points).mean)
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

std::string contest_text(const Comparison& contest, Detail detail) {
  std::size_t width = 24;
  for (const ComparisonRow& row : contest.rows) width = std::max(width, label(row).size());
  std::string text = fmt::format("{}: penalty in % over {} instances\n", name(contest.collective),
                                 contest.instances);
  const bool in_detail = detail == Detail::kAll;
  std::vector<Column> columns = {{"", "", fmt::format("  {{:<{}}}", width)},
                                 {"", "leaves", "  {:>6}"},
                                 {"", "bytes", in_detail ? " {:>7}" : ""}};
  add_columns(contest, 0, "training points", in_detail, true, columns);
  std::size_t index = 0;
  for (const HeldOutPart& part : contest.parts) {
    if (!part.folds) {
      text += fmt::format("  not held out by {}: {}\n", name(part.kind), part.refused);
      continue;
    }
    const std::string folds = in_detail ? fmt::format(", {} folds", part.folds->count()) : "";
    add_columns(contest, ++index, fmt::format("{}{}", name(part.kind), folds), in_detail, false,
                columns);
  }
  if (contest.sessions) {
    text += sessions_text(*contest.sessions);
    add_columns(contest, ++index, "  " + there_title(*contest.sessions), in_detail, true, columns);
  }
  columns.push_back({"", "fit ms", in_detail ? "  {:>7.2f}" : ""});
  columns.push_back({"", "ns", in_detail ? " {:>6.0f}" : ""});
  Table table(std::move(columns));
  for (const ComparisonRow& row : contest.rows) add_row(contest, row, table);
  return text + table.text() + outlier_lines(means_of(contest));
}

Json contest_json(const Comparison& contest) {
  Json choosers = Json::array();
  for (const ComparisonRow& row : contest.rows) choosers.push_back(row_json(contest, row));
  Json json = {{"collective", name(contest.collective)},
               {"instances", contest.instances},
               {"seed", contest.seed},
               {"held_out", json_list(contest.parts, part_json)},
               {"choosers", choosers}};
  if (contest.sessions) json["on"] = sessions_json(*contest.sessions);
  return json;
}

std::string contests_csv(std::span<const Comparison> contests, const std::string& system) {
  const bool predicted = std::ranges::any_of(contests, [](const Comparison& contest) {
    return std::ranges::any_of(contest.rows, [&](const ComparisonRow& row) {
      return std::ranges::any_of(judged_points(contest, row), is_predicted);
    });
  });
  std::vector<Column> columns;
  for (const std::string_view key :
       {"system",       "collective", "chooser",        "detail",         "leaves",
        "bytes",        "fit_ms",     "decide_ns",      "points",         "instances",
        "cannot_run",   "mean",       "mean_low",       "mean_high",      "median",
        "p95",          "max",        "share_above_5",  "share_above_10", "share_above_50",
        "charged_mean", "predicted",  "geometric_mean", "share_slower"})
    columns.push_back({std::string(predicted || key != "predicted" ? key : "")});
  Table table(std::move(columns));
  for (const Comparison& contest : contests) {
    for (const ComparisonRow& row : contest.rows) {
      if (!row.refused.empty()) continue;
      for (const Judged& judged : judged_points(contest, row)) {
        if (judged.points == nullptr) continue;
        const PenaltySummary summary = judged.summary();
        const auto& interval = summary.mean_interval;
        const bool is_there = judged.points == pointer_to(row.there);
        std::vector<Cell> cells = {system, name(contest.collective),
                                   Cell({}, csv_quoted(row.chooser)),
                                   Cell({}, csv_quoted(row.detail))};
        cells.insert(cells.end(), {row.leaves, row.bytes, row.fit_ms, row.decide_ns});
        cells.push_back(Cell({}, is_there ? csv_quoted(judged.name) : judged.name));
        cells.insert(cells.end(), {summary.instances, judged.points->cannot_run.size()});
        for (const std::optional<double>& figure :
             {std::optional(summary.mean), interval ? std::optional(interval->low) : std::nullopt,
              interval ? std::optional(interval->high) : std::nullopt,
              std::optional(summary.median), std::optional(summary.p95), std::optional(summary.max),
              std::optional(summary.share_above_5), std::optional(summary.share_above_10),
              std::optional(summary.share_above_50), std::optional(summary.charged_mean)})
          cells.push_back(summary.instances == 0 ? Cell(nullptr) : Cell(figure));
        cells.insert(cells.end(),
                     {summary.predicted, summary.geometric_mean, summary.share_slower});
        table.add(std::move(cells));
      }
    }
  }
  return table.csv();
}

}  // namespace colltree::evaluate
