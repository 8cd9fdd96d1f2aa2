// SPDX-License-Identifier: BSD-3-Clause
#include "evaluate/comparison.h"

#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "base/table.h"
#include "timings/penalty_json.h"

namespace colltree::evaluate {

namespace {

constexpr std::size_t kMostListed = 5;  // choices that cannot run, in the text
constexpr std::size_t kMostOwned = 3;   // means that outliers own

std::string signed_percent(const std::optional<double>& fraction) {
  return fraction ? fmt::format("{:+.1f}", 100 * *fraction) : "-";
}

// The columns of a table, with those that stand in it only where a row needs them. If a choice
// cannot run at some instance, the means of two rows are of different instances, and charged means
// can be compared.
std::vector<Column> columns_of(const Comparison& comparison, std::size_t width, Detail detail) {
  bool charged = false;
  bool predicted = false;
  for (const ComparisonRow& row : comparison.rows) {
    charged |= !row.points.cannot_run.empty() && !row.points.values.empty();
    predicted |= row.points.predicted > 0;
  }
  const bool is_short = detail == Detail::kShort;
  const auto form = [](bool is_shown, const char* text) { return is_shown ? text : ""; };
  return {{"", "", fmt::format("  {{:<{}}}", width)},
          {"", "mean", "  {:>7}"},
          {"", "95 % interval", form(is_short, " {:>14}")},
          {"", "charged", form(!is_short && charged, " {:>7}")},
          {"", "geomean", form(!is_short, " {:>7}")},
          {"", "median", form(!is_short, " {:>7}")},
          {"", "p95", form(!is_short, " {:>7}")},
          {"", "max", " {:>7}"},
          {"", "vs default", form(is_short, " {:>10}")},
          {"", "no run", form(is_short && charged, " {:>7}")},
          {"", "charged", form(is_short && charged, " {:>7}")},
          {"", ">5", form(!is_short, " {:>5}")},
          {"", ">10", form(!is_short, " {:>5}")},
          {"", ">50", form(!is_short, " {:>5}")},
          {"", "no run", form(!is_short, " {:>6}")},
          {"", "beats", form(!is_short, " {:>6}")},
          {"", "vs def", form(!is_short, " {:>7}")},
          {"", "slower", form(!is_short, " {:>6}")},
          {"", "predicted", form(predicted, " {:>9}")},
          {"", "mean 95 %", form(!is_short, "  {}")}};
}

// The cells of columns_of.
std::vector<Cell> cells_of(const ComparisonRow& row, const PenaltySummary& summary) {
  const std::size_t no_run = row.points.cannot_run.size();
  const std::string charged = percent_text(summary.charged_mean);
  const std::string interval = interval_text(summary.mean_interval);
  const std::string change = signed_percent(summary.versus_default);
  return {label(row),
          percent_text(summary.mean),
          interval,
          charged,
          percent_text(summary.geometric_mean.value_or(0)),
          percent_text(summary.median),
          percent_text(summary.p95),
          percent_text(summary.max),
          change,
          no_run,
          charged,
          percent_text(summary.share_above_5),
          percent_text(summary.share_above_10),
          percent_text(summary.share_above_50),
          no_run,
          row.points.faster_than_all,
          change,
          percent_text(summary.share_slower),
          summary.predicted,
          interval};
}

// A campaign can end before it knows the methods. Then all or most instances rest on predictions
// whose mean is not known within a factor of 100, and the figures would mislead.
bool rests_on_nothing(const PenaltySummary& summary) {
  constexpr double kFactor = 100;
  constexpr double kLeast = 0.01;  // of an interval that begins at 0
  if (summary.predicted == 0 || 2 * summary.predicted <= summary.instances) return false;
  const auto& interval = summary.mean_interval;
  return summary.predicted == summary.instances ||
         (interval && interval->high > kFactor * std::max(interval->low, kLeast));
}

void add_row(const ComparisonRow& row, Table& table) {
  const PenaltySummary summary = summarize(row.points, row.bootstrap);
  if (summary.instances == 0) return table.add({label(row)}, "  no time at any instance");
  if (rests_on_nothing(summary))
    return table.add({label(row)},
                     fmt::format("  no figures: {} of {} instances rest on uncertain predictions",
                                 summary.predicted, summary.instances));
  table.add(cells_of(row, summary));
}

std::string cannot_run_text(const ComparisonRow& row) {
  const std::vector<CannotRun>& choices = row.points.cannot_run;
  std::string text;
  for (std::size_t i = 0; i < choices.size() && i < kMostListed; ++i) {
    text += fmt::format("    {} chooses {} on {} ranks with {} B, which has no time there\n",
                        row.chooser, choices[i].method.label(),
                        choices[i].instance.communicator_size, choices[i].instance.message_size);
  }
  if (choices.size() > kMostListed) {
    text += fmt::format("    and {} more; --json lists them all\n", choices.size() - kMostListed);
  }
  return text;
}

// Returns how much of the sum of penalties the greatest twentieth of them makes, at least one.
double share_of_few(std::vector<double> penalties) {
  std::ranges::sort(penalties, std::greater());
  const auto few = static_cast<std::ptrdiff_t>(std::max<std::size_t>(1, penalties.size() / 20));
  return std::accumulate(penalties.begin(), penalties.begin() + few, 0.0) /
         std::accumulate(penalties.begin(), penalties.end(), 0.0);
}

struct OwnedMean {
  const NamedPoints* named;
  PenaltySummary summary;

  double excess() const { return summary.mean - summary.geometric_mean.value_or(summary.mean); }
  // Penalties that are all large have a mean far above the geometric one too, and no outliers.
  bool is_owned() const {
    return excess() > 0.05 && summary.mean > 2 * *summary.geometric_mean &&
           share_of_few(named->points->values) > 0.5;
  }
};

std::string text_of(const OwnedMean& mean) {
  const PenaltyPoints& points = *mean.named->points;
  const auto greatest = std::ranges::max_element(points.values);
  const Instance& owner =
      points.instances[static_cast<std::size_t>(greatest - points.values.begin())];
  PenaltyPoints others{.values = {points.values.begin(), greatest}};
  others.values.insert(others.values.end(), greatest + 1, points.values.end());
  return fmt::format(
      "  {}: outliers own the mean of {} %: without {} ranks, {} B ({} %) it is {} %; the "
      "geometric mean is {} %\n",
      mean.named->name, percent_text(mean.summary.mean), owner.communicator_size,
      owner.message_size, percent_text(*greatest), percent_text(summarize(others).mean),
      percent_text(*mean.summary.geometric_mean));
}

}  // namespace

std::string label(const ComparisonRow& row) {
  return row.detail.empty() ? row.chooser : fmt::format("{} ({})", row.chooser, row.detail);
}

std::string outlier_lines(const std::vector<NamedPoints>& means) {
  std::vector<OwnedMean> owned;
  for (const NamedPoints& named : means) {
    const OwnedMean mean{&named, summarize(*named.points)};
    if (mean.is_owned()) owned.push_back(mean);
  }
  std::ranges::stable_sort(owned, std::greater(), &OwnedMean::excess);
  std::string text;
  for (std::size_t i = 0; i < owned.size() && i < kMostOwned; ++i) text += text_of(owned[i]);
  if (owned.size() > kMostOwned)
    text += fmt::format("  and {} more such means\n", owned.size() - kMostOwned);
  return text;
}

Comparison compare_baselines(const Timings& timings, const std::string& mpi) {
  Comparison comparison{timings.collective, timings.instances.size()};
  PenaltyPoints by_default = default_penalty_points(timings);
  if (!by_default.values.empty()) {
    comparison.rows.push_back({"default", mpi, std::move(by_default)});
  }
  if (auto fixed = best_fixed_method(timings)) {
    comparison.rows.push_back({"best fixed", fixed->method.label(), std::move(fixed->points)});
  }
  return comparison;
}

const char* const kShortColumns =
    "Penalty: how much longer the choice takes than the best method of an instance, in %; 'vs "
    "default': its time\nbeside the library's own choice (geometric mean), in %; below 0 is "
    "faster. --details prints more.";

std::string comparison_text(const Comparison& comparison, Detail detail) {
  std::size_t width = 24;
  for (const ComparisonRow& row : comparison.rows) width = std::max(width, label(row).size());
  std::string text = fmt::format("{}: penalty in % over {} instances\n",
                                 name(comparison.collective), comparison.instances);
  Table table(columns_of(comparison, width, detail));
  for (const ComparisonRow& row : comparison.rows) add_row(row, table);
  text += table.text();
  for (const ComparisonRow& row : comparison.rows) text += cannot_run_text(row);
  std::vector<NamedPoints> means;
  for (const ComparisonRow& row : comparison.rows) {
    if (!rests_on_nothing(summarize(row.points, row.bootstrap)))
      means.push_back({label(row), &row.points});
  }
  return text + outlier_lines(means);
}

Json comparison_json(const Comparison& comparison) {
  Json choosers = Json::array();
  for (const ComparisonRow& row : comparison.rows) {
    Json chooser = {{"chooser", row.chooser},
                    {"detail", row.detail},
                    {"performance_penalty", penalty_json(summarize(row.points, row.bootstrap))},
                    {"cannot_run", cannot_run_json(row.points.cannot_run)},
                    {"faster_than_all", row.points.faster_than_all}};
    if (row.same_best) chooser["same_best"] = *row.same_best;
    choosers.push_back(std::move(chooser));
  }
  return {{"collective", name(comparison.collective)},
          {"instances", comparison.instances},
          {"choosers", choosers}};
}

std::string percent_text(const std::optional<double>& fraction) {
  if (!fraction) return "-";
  const double value = 100 * *fraction;
  if (value == 0) return "0";
  return fmt::format("{:.{}f}", value, value < 1 ? 2 : value < 100 ? 1 : 0);
}

std::string of_them_predicted(std::size_t instances) {
  return instances == 0 ? "" : fmt::format(", {} of them by predicted times", instances);
}

std::string interval_text(const std::optional<Interval>& interval) {
  if (!interval) return "-";
  return percent_text(interval->low) + ".." + percent_text(interval->high);
}

}  // namespace colltree::evaluate
