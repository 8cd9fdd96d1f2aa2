// SPDX-License-Identifier: BSD-3-Clause
#include "cli/program_report.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "base/json.h"
#include "base/table.h"
#include "base/text.h"
#include "cli/command.h"

namespace colltree::cli {

namespace {

using evaluate::Change;
using evaluate::Estimate;

constexpr std::size_t kMostCalls = 20;

// The columns of an estimate; people see its interval where it is `shown`.
void add_columns(const std::string& key, const std::string& title, const std::string& unit,
                 bool shown, std::vector<Column>& columns) {
  columns.push_back({key + unit, title, " {:>10.2f}"});
  columns.push_back(
      {key + "_low" + unit, shown ? "95 % interval" : "", shown ? "  {:>13.2f}" : ""});
  columns.push_back({key + "_high" + unit, "", shown ? " to {:<9.2f}" : ""});
}

// The totals show the intervals of both commands and of the ratio, calls that of the difference.
Table change_table(bool totals, bool with_sites) {
  std::vector<Column> columns = {{"part", totals ? "" : "calls", "{:<22}"},
                                 {"communicator_size", "ranks", totals ? "" : " {:>7}"},
                                 {"size_class", "size from", totals ? "" : " {:>10}"}};
  add_columns("a", "a ms", "_ms", totals, columns);
  add_columns("b", "b ms", "_ms", totals, columns);
  add_columns("difference", "b - a ms", "_ms", !totals, columns);
  if (totals) columns[columns.size() - 3].form = "";
  add_columns("ratio", "b / a", "", totals, columns);
  columns.push_back({"verdict", "", "  {}"});
  columns.push_back({"site", with_sites ? "call site" : "", with_sites ? "  {}" : ""});
  return Table(std::move(columns));
}

// JSON has null and CSV nothing for what is not known.
std::optional<double> finite(double value) {
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

void add_estimate(const Estimate& estimate, double unit, std::vector<Cell>& cells) {
  for (const double value : {estimate.middle, estimate.interval.low, estimate.interval.high})
    cells.emplace_back(finite(value * unit));
}

void add_row(std::vector<Cell> cells, const Change& change, const std::string& site, Table& table) {
  constexpr double kMs = 1000;
  add_estimate(change.a_s, kMs, cells);
  add_estimate(change.b_s, kMs, cells);
  add_estimate(change.difference_s, kMs, cells);
  add_estimate(change.ratio, 1, cells);
  cells.emplace_back(evaluate::verdict(change));
  cells.push_back(site.empty() ? Cell() : Cell(site));
  table.add(std::move(cells));
}

void add_totals(const evaluate::ProgramChange& change, Table& table) {
  add_row({"whole command", {}, {}}, change.whole, "", table);
  add_row({"after MPI_Init", {}, {}}, change.after_init, "", table);
  add_row({"in collectives", {}, {}}, change.collectives, "", table);
}

void add_calls(const evaluate::ProgramChange& change, std::size_t most, Table& table) {
  for (std::size_t i = 0; i < std::min(most, change.calls.size()); ++i) {
    const auto& [key, calls] = change.calls[i];
    add_row({key.function, key.communicator_size, key.size_class ? Cell(*key.size_class) : Cell()},
            calls, key.site, table);
  }
}

Table explained_table(const std::vector<Explained>& steps) {
  Table table({{"settings", "a with these settings of b", "{:<60}"},
               {"share", "explains", " {:>9.2f}"},
               {"low", "95 % interval", "  {:>13.2f}"},
               {"high", "", " to {:.2f}"},
               {"failure", "", "  {}"}});
  for (const Explained& step : steps) {
    table.add({join(step.settings, " and "), finite(step.share), finite(step.interval.low),
               finite(step.interval.high),
               step.failure.empty() ? Cell() : Cell(printable(step.failure))});
  }
  return table;
}

std::string answer_text(const Explained& answer) {
  const bool is_single = answer.settings.size() == 1;
  return fmt::format("{} {} {:.0f} % of the difference{}\n", join(answer.settings, " and "),
                     is_single ? "explains" : "together explain", 100 * answer.share,
                     is_single ? "" : "; none of them alone explains half of it");
}

}  // namespace

std::string program_text(const ProgramReport& report) {
  const evaluate::ProgramChange& change = *report.change;
  const bool with_sites = std::ranges::any_of(
      change.calls, [](const auto& calls) { return !calls.first.site.empty(); });
  Table totals = change_table(true, false);
  add_totals(change, totals);
  Table calls = change_table(false, with_sites);
  add_calls(change, kMostCalls, calls);
  std::string text =
      fmt::format("a: {}\nb: {}\n{}", report.commands[0], report.commands[1], totals.text());
  if (!change.calls.empty()) text += fmt::format("\n{}", calls.text());
  if (change.calls.size() > kMostCalls)
    text += fmt::format("and {} more (--output)\n", change.calls.size() - kMostCalls);
  text += fmt::format(
      "\npairs of runs: {}; the times are medians, those of calls means over the ranks\n",
      report.pairs);
  if (!report.steps.empty()) text += "\n" + explained_table(report.steps).text();
  return text + (report.answer ? answer_text(*report.answer) : "");
}

std::string program_csv(const ProgramReport& report) {
  Table table = change_table(false, true);
  add_totals(*report.change, table);
  add_calls(*report.change, report.change->calls.size(), table);
  return table.csv();
}

std::string program_json(const ProgramReport& report) {
  Table totals = change_table(true, false);
  add_totals(*report.change, totals);
  Table calls = change_table(false, true);
  add_calls(*report.change, report.change->calls.size(), calls);
  Json json = {{"a", report.commands[0]},
               {"b", report.commands[1]},
               {"pairs", report.pairs},
               {"totals", totals.json()},
               {"calls", calls.json()}};
  if (report.answer) {
    json["bisection"] = explained_table({*report.answer}).json()[0];
    json["bisection"]["steps"] = explained_table(report.steps).json();
  }
  return results_text("colltree/program/1", json);
}

}  // namespace colltree::cli
