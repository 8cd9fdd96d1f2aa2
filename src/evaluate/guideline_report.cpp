// SPDX-License-Identifier: BSD-3-Clause
#include "evaluate/guideline_report.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/text.h"
#include "evaluate/comparison.h"

namespace colltree::evaluate {

namespace {

const char* verdict_name(Verdict verdict) {
  switch (verdict) {
    case Verdict::kNotMeasured:
      return "not measured";
    case Verdict::kKept:
      return "kept";
    case Verdict::kWithinNoise:
      return "within noise";
    case Verdict::kNoInterval:
      return "broken, no interval";
    case Verdict::kCertain:
      return "certain";
  }
  return "";
}

Json instance_json(const Instance& at) {
  return {{"collective", name(at.collective)},
          {"communicator_size", at.communicator_size},
          {"message_size", at.message_size},
          {"nodes", at.nodes},
          {"ranks_per_node", at.ranks_per_node}};
}

Json cost_json(const Cost& cost) {
  return {{"time_us", cost.time_us}, {"low_us", cost.low_us}, {"high_us", cost.high_us}};
}

Json calls_json(const GuidelineTest& test) {
  Json calls = Json::array();
  for (const GuidelineCall& call : test.calls) {
    Json one = instance_json(call.instance);
    one.update({{"times", call.times}, {"method", call.method.label()}});
    calls.push_back(one);
  }
  return calls;
}

Json test_json(const GuidelineTest& test, const std::string& chooser) {
  Json json{{"chooser", chooser}, {"verdict", verdict_name(test.verdict)}};
  if (test.verdict == Verdict::kNotMeasured) return json;
  json.update({{"method", test.method.label()},
               {"factor", test.factor()},
               {"left", cost_json(test.left)},
               {"right", cost_json(test.right)},
               {"calls", calls_json(test)}});
  return json;
}

Json case_json(const GuidelineReport& report, const GuidelineCase& one) {
  Json by = Json::array();
  for (std::size_t c = 0; c < one.by.size(); ++c)
    by.push_back(test_json(one.by[c], report.choosers[c]));
  Json json = instance_json(one.instance);
  json.update({{"guideline", guidelines()[one.guideline].name}, {"by", by}});
  return json;
}

Json row_json(const GuidelineReport& report, std::size_t guideline) {
  const Guideline& one = guidelines()[guideline];
  Json by = Json::array();
  for (std::size_t c = 0; c < report.choosers.size(); ++c) {
    const GuidelineTally sum = tally(report.cases, guideline, c);
    by.push_back({{"chooser", report.choosers[c]},
                  {"tested", sum.tested},
                  {"broken", sum.broken},
                  {"certain", sum.certain},
                  {"within_noise", sum.within_noise}});
  }
  Json missing = Json::array();
  for (const std::string_view name : not_measured(report, one)) missing.push_back(name);
  return {{"name", one.name}, {"text", one.text}, {"not_measured", missing}, {"by", by}};
}

// Whether a chooser before `chooser` has it as well: then it is listed there.
bool is_listed(const GuidelineCase& one, std::size_t chooser) {
  return std::ranges::any_of(std::span(one.by).first(chooser),
                             [](const GuidelineTest& test) { return is_broken(test.verdict); });
}

using Cells = std::vector<std::vector<std::string>>;
using Cases = std::vector<const GuidelineCase*>;

std::string table_text(const Cells& rows) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], row[c].size());
  }
  std::string text;
  for (const auto& row : rows) {
    for (std::size_t c = 0; c < row.size(); ++c) text += fmt::format("  {:<{}}", row[c], widths[c]);
    text.erase(text.find_last_not_of(' ') + 1);
    text += '\n';
  }
  return text;
}

bool is_tested(const GuidelineReport& report, std::size_t guideline) {
  return std::ranges::count(report.cases, guideline, &GuidelineCase::guideline) > 0;
}

// "5/30 (+2 ~)"
std::string tally_text(const GuidelineTally& sum) {
  if (sum.tested == 0) return "-";
  const std::string noise =
      sum.within_noise > 0 ? fmt::format(" (+{} ~)", sum.within_noise) : std::string();
  return fmt::format("{}/{}{}", sum.broken, sum.tested, noise);
}

std::string tested_text(const GuidelineReport& report) {
  Cells rows{{"broken/tested"}};
  std::ranges::copy(report.choosers, std::back_inserter(rows[0]));
  for (const std::size_t g : report.rows) {
    if (!is_tested(report, g)) continue;
    auto& row = rows.emplace_back(std::vector{guidelines()[g].text});
    for (std::size_t c = 0; c < report.choosers.size(); ++c)
      row.push_back(tally_text(tally(report.cases, g, c)));
  }
  return table_text(rows);
}

std::string untested_text(const GuidelineReport& report) {
  Cells rows{{"not tested", "because"}};
  for (const std::size_t g : report.rows) {
    if (is_tested(report, g)) continue;
    const auto missing = not_measured(report, guidelines()[g]);
    rows.push_back({guidelines()[g].text, missing.empty() ? "no times at sizes that fit"
                                                          : "no times of " + join(missing, ", ")});
  }
  if (rows.size() == 1) return "";
  return table_text(rows) + "  Measure what is missing into the same profile to test them.\n";
}

std::string placement_text(const Instance& at) {
  if (at.nodes == 0 && at.ranks_per_node == 0) return "";
  const auto known = [](std::uint64_t number) {
    return number == 0 ? std::string("?") : std::to_string(number);
  };
  return fmt::format(" ({} x {})", known(at.nodes), known(at.ranks_per_node));
}

std::string ranks_text(const Instance& at) {
  return fmt::format("{} ranks{}", at.communicator_size, placement_text(at));
}

// Only what differs from the left side: "8 x 1024 B", "bcast 1024 B", "64 ranks (64 x 1)".
std::string call_text(const GuidelineCall& call, const Instance& left) {
  const Instance& at = call.instance;
  if (at.communicator_size != left.communicator_size) return ranks_text(at);
  std::string text = call.times > 1 ? fmt::format("{} x ", call.times) : std::string();
  if (at.collective != left.collective) text += fmt::format("{} ", name(at.collective));
  return text + fmt::format("{} B", at.message_size);
}

std::string calls_text(const GuidelineTest& test, const Instance& left) {
  std::vector<std::string> calls;
  for (const GuidelineCall& call : test.calls) calls.push_back(call_text(call, left));
  return join(calls, " + ");
}

// The column "certain".
const char* certainty(Verdict verdict) {
  if (verdict == Verdict::kCertain) return "yes";
  return verdict == Verdict::kNoInterval ? "?" : "no";
}

// What another chooser makes of a violation.
std::string outcome_text(const GuidelineTest& test) {
  if (test.verdict == Verdict::kNotMeasured) return "-";
  if (test.verdict == Verdict::kKept) return "removed";
  return fmt::format("x{:.3g}{}", test.factor(), test.verdict == Verdict::kWithinNoise ? " ~" : "");
}

std::vector<std::string> violation_row(const GuidelineCase& one, std::size_t by) {
  const GuidelineTest& test = one.by[by];
  std::vector<std::string> row = {fmt::format("x{:.3g}", test.factor()),
                                  certainty(test.verdict),
                                  guidelines()[one.guideline].name,
                                  fmt::format("{}, {}, {} B", name(one.instance.collective),
                                              ranks_text(one.instance), one.instance.message_size),
                                  fmt::format("{:.4g} us", test.left.time_us),
                                  fmt::format("{:.4g} us", test.right.time_us)};
  for (std::size_t c = 1; c < one.by.size(); ++c) {
    if (c != by) row.push_back(outcome_text(one.by[c]));
  }
  row.push_back(calls_text(test, one.instance));
  return row;
}

std::string violations_text(const GuidelineReport& report, std::size_t by, const Cases& broken,
                            std::size_t limit) {
  if (broken.empty() || limit == 0) return "";
  Cells rows{{"factor", "certain", "guideline", "where", "takes", "instead of"}};
  for (std::size_t c = 1; c < report.choosers.size(); ++c) {
    if (c != by) rows[0].push_back(report.choosers[c]);
  }
  rows[0].emplace_back("by");
  for (const GuidelineCase* one : std::span(broken).first(std::min(limit, broken.size())))
    rows.push_back(violation_row(*one, by));
  const std::string rest =
      broken.size() > limit
          ? fmt::format("  and {} more; --most N or --json\n", broken.size() - limit)
          : "";
  return table_text(rows) + rest;
}

// "12 violations, 3 more that may be noise"
std::string count_text(const Cases& broken, std::size_t by) {
  const auto noise = std::ranges::count_if(broken, [&](const GuidelineCase* one) {
    return one->by[by].verdict == Verdict::kWithinNoise;
  });
  const std::size_t certain = broken.size() - static_cast<std::size_t>(noise);
  return fmt::format("{} violation{}", certain, certain == 1 ? "" : "s") +
         (noise > 0 ? fmt::format(", {} more that may be noise", noise) : "");
}

std::string default_text(const GuidelineReport& report, std::size_t limit) {
  const Cases broken = worst_first(report.cases, 0);
  std::string text = "\n" + report.choosers[0] + ": " + count_text(broken, 0);
  for (std::size_t c = 1; c < report.choosers.size() && !broken.empty(); ++c) {
    const auto removed = std::ranges::count_if(
        broken, [&](const GuidelineCase* one) { return one->by[c].verdict == Verdict::kKept; });
    text += fmt::format("; {} removes {}", report.choosers[c], removed);
  }
  return text + "\n" + violations_text(report, 0, broken, limit);
}

// Where the default breaks a guideline as well stands in its own list.
std::string other_text(const GuidelineReport& report, std::size_t by, bool beside_default,
                       std::size_t limit) {
  Cases broken = worst_first(report.cases, by);
  std::string text = "\n" + report.choosers[by] + ": " + count_text(broken, by);
  if (beside_default && !broken.empty()) {
    std::erase_if(broken, [](const GuidelineCase* one) { return is_broken(one->by[0].verdict); });
    text += fmt::format("; where the default has none: {}", count_text(broken, by));
  }
  return text + "\n" + violations_text(report, by, broken, limit);
}

}  // namespace

GuidelineReport report_guidelines(const std::vector<Timings>& timings,
                                  const std::vector<GuidelineChooser>& choosers,
                                  const std::vector<Collective>& about, double tolerance) {
  GuidelineReport report{.tolerance = tolerance,
                         .choosers = {},
                         .measured = {},
                         .rows = {},
                         .cases = test_guidelines(timings, choosers, tolerance),
                         .predicted = prediction_note(timings)};
  for (const GuidelineChooser& chooser : choosers) report.choosers.push_back(chooser.name);
  for (const Timings& table : timings) report.measured.push_back(table.collective);
  const auto asked = [&](Collective one) { return std::ranges::count(about, one) > 0; };
  for (std::size_t g = 0; g < guidelines().size(); ++g) {
    const auto& left = guidelines()[g].left;
    if (!left || asked(*left)) report.rows.push_back(g);
  }
  std::erase_if(report.cases,
                [&](const GuidelineCase& one) { return !asked(one.instance.collective); });
  return report;
}

std::vector<std::string_view> not_measured(const GuidelineReport& report,
                                           const Guideline& guideline) {
  std::vector<std::string_view> missing;
  const auto need = [&](Collective collective) {
    if (std::ranges::count(report.measured, collective) == 0) missing.push_back(name(collective));
  };
  if (guideline.left) need(*guideline.left);
  for (const GuidelineTerm& term : guideline.right) need(term.collective);
  return missing;
}

Json guideline_json(const GuidelineReport& report) {
  Json rows = Json::array();
  for (const std::size_t g : report.rows) rows.push_back(row_json(report, g));
  Json violations = Json::array();
  for (std::size_t c = 0; c < report.choosers.size(); ++c) {
    for (const GuidelineCase* one : worst_first(report.cases, c)) {
      if (!is_listed(*one, c)) violations.push_back(case_json(report, *one));
    }
  }
  Json json = {{"tolerance", report.tolerance}, {"guidelines", rows}, {"violations", violations}};
  if (!report.predicted.empty()) json["not_tested"] = report.predicted;
  return json;
}

std::string guideline_text(const GuidelineReport& report, std::size_t limit) {
  const std::string not_tested =
      report.predicted.empty() ? ""
                               : report.predicted + "; guidelines are tested by measured ones\n";
  if (report.cases.empty()) return untested_text(report) + not_tested;
  const bool has_default = std::ranges::any_of(report.cases, [](const GuidelineCase& one) {
    return one.by[0].verdict != Verdict::kNotMeasured;
  });
  std::string text = tested_text(report);
  text += has_default ? default_text(report, limit)
                      : "\n" + report.choosers[0] + ": not measured, so nothing is known of it\n";
  for (std::size_t c = 1; c < report.choosers.size(); ++c)
    text += other_text(report, c, has_default, limit);
  const std::string untested = untested_text(report);
  return (untested.empty() ? text : text + "\n" + untested) + not_tested;
}

}  // namespace colltree::evaluate
