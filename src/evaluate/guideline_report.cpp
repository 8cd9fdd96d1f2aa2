// SPDX-License-Identifier: BSD-3-Clause
#include "evaluate/guideline_report.h"

#include <algorithm>

namespace colltree {

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

}  // namespace

GuidelineReport report_guidelines(const std::vector<Timings>& timings,
                                  const std::vector<GuidelineChooser>& choosers,
                                  const std::vector<Collective>& about, double tolerance) {
  GuidelineReport report{.tolerance = tolerance,
                         .choosers = {},
                         .measured = {},
                         .rows = {},
                         .cases = test_guidelines(timings, choosers, tolerance)};
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
  return {{"tolerance", report.tolerance}, {"guidelines", rows}, {"violations", violations}};
}

}  // namespace colltree
