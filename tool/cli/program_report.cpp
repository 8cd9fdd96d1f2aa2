// SPDX-License-Identifier: BSD-3-Clause
#include "cli/program_report.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/table.h"
#include "base/text.h"

namespace colltree::cli {

namespace {

using evaluate::Change;
using evaluate::Estimate;
using Changes = std::vector<Change>;

// The columns of an estimate; people see it, and its interval, where it has a title.
void add_columns(const std::string& key, const std::string& unit, const std::string& title,
                 const std::string& interval, std::vector<Column>& columns) {
  columns.push_back({key + unit, title, title.empty() ? "" : " {:>10.2f}"});
  columns.push_back({key + "_low" + unit, interval, interval.empty() ? "" : "  {:>13.2f}"});
  columns.push_back({key + "_high" + unit, "", interval.empty() ? "" : " to {:<9.2f}"});
}

// JSON has null and CSV nothing for what is not known.
void add_estimate(const Estimate& estimate, std::vector<Cell>& cells) {
  for (const double value : {estimate.middle, estimate.interval.low, estimate.interval.high})
    cells.emplace_back(std::isfinite(value) ? Json(value) : Json());
}

template <typename Value>
Cell cell_or_blank(const Value& value) {
  return value == Value() ? Cell() : Cell(value);
}

// The totals show the intervals of both commands and of the ratio, calls that of the difference.
Table change_table(const Changes& changes, bool are_totals) {
  const bool with_sites =
      std::ranges::any_of(changes, [](const Change& change) { return !change.key.site.empty(); });
  std::vector<Column> columns = {{"part", are_totals ? "" : "calls", "{:<22}"},
                                 {"communicator_size", "ranks", are_totals ? "" : " {:>7}"},
                                 {"size_class", "size from", are_totals ? "" : " {:>10}"}};
  const char* of_total = are_totals ? "95 % interval" : "";
  add_columns("a", "_ms", "a ms", of_total, columns);
  add_columns("b", "_ms", "b ms", of_total, columns);
  add_columns("difference", "_ms", are_totals ? "" : "b - a ms", are_totals ? "" : "interval",
              columns);
  add_columns("ratio", "", "b / a", of_total, columns);
  columns.push_back({"verdict", "", "  {}"});
  columns.push_back({"site", with_sites ? "call site" : "", with_sites ? "  {}" : ""});
  Table table(std::move(columns));
  for (const Change& change : changes) {
    const evaluate::CallsKey& key = change.key;
    std::vector<Cell> cells = {key.function, cell_or_blank(key.communicator_size),
                               cell_or_blank(key.size_class)};
    for (const Estimate& estimate : {change.a_ms, change.b_ms, change.difference_ms, change.ratio})
      add_estimate(estimate, cells);
    cells.emplace_back(evaluate::verdict(change));
    cells.push_back(cell_or_blank(key.site));
    table.add(std::move(cells));
  }
  return table;
}

Table explained_table(const std::vector<Explained>& steps) {
  Table table({{"settings", "a with these settings of b", "{:<60}"},
               {"share", "explains", " {:>9.2f}"},
               {"low", "95 % interval", "  {:>13.2f}"},
               {"high", "", " to {:.2f}"},
               {"failure", "", "  {}"}});
  for (const Explained& step : steps) {
    std::vector<Cell> cells = {join(step.settings, " and ")};
    add_estimate(step.share, cells);
    cells.push_back(cell_or_blank(printable(step.failure)));
    table.add(std::move(cells));
  }
  return table;
}

std::string answer_text(const Explained& answer) {
  const bool is_single = answer.settings.size() == 1;
  return fmt::format("{} {} {:.0f} % of the difference{}\n", join(answer.settings, " and "),
                     is_single ? "explains" : "together explain", 100 * answer.share.middle,
                     is_single ? "" : "; none of them alone explains half of it");
}

}  // namespace

std::string program_text(const ProgramReport& report) {
  constexpr std::size_t kMostCalls = 20;
  const Changes& calls = report.change.calls;
  const std::size_t shown = std::min(kMostCalls, calls.size());
  std::string text = fmt::format("a: {}\nb: {}\n{}\n", report.commands[0], report.commands[1],
                                 change_table(report.change.totals, true).text());
  if (shown > 0)
    text += change_table({calls.begin(), calls.begin() + static_cast<std::ptrdiff_t>(shown)}, false)
                .text();
  if (shown < calls.size()) text += fmt::format("and {} more (--output)\n", calls.size() - shown);
  text += fmt::format(
      "\npairs of runs: {}; the times are medians, those of calls means over the ranks\n",
      report.change.pairs);
  if (shown > 0)
    text += fmt::format(
        "the intervals of all calls hold together with 95 % confidence: each of {} with {:.2f} %, "
        "which needs {} pairs\n",
        calls.size(), 100 - 5.0 / static_cast<double>(calls.size()),
        evaluate::fewest_pairs(calls.size()));
  if (!report.steps.empty()) text += "\n" + explained_table(report.steps).text();
  return text + (report.answer ? answer_text(*report.answer) : "");
}

std::string program_csv(const ProgramReport& report) {
  Changes changes = report.change.totals;
  changes.insert(changes.end(), report.change.calls.begin(), report.change.calls.end());
  return change_table(changes, false).csv();
}

Json program_json(const ProgramReport& report) {
  Json json = {{"a", report.commands[0]},
               {"b", report.commands[1]},
               {"pairs", report.change.pairs},
               {"totals", change_table(report.change.totals, true).json()},
               {"calls", change_table(report.change.calls, false).json()}};
  if (report.answer) {
    json["bisection"] = explained_table({*report.answer}).json()[0];
    json["bisection"]["steps"] = explained_table(report.steps).json();
  }
  return json;
}

}  // namespace colltree::cli
