// SPDX-License-Identifier: BSD-3-Clause
// What `colltree evaluate guidelines` says: the guidelines tested on a profile for several
// choosers, and which of the violations another choice removes (docs/tasks/judging.md).
#pragma once

#include "base/json.h"
#include "evaluate/guidelines.h"

namespace colltree::evaluate {

struct GuidelineReport {
  double tolerance = 0;
  std::vector<std::string> choosers;  // the library's default first
  std::vector<Collective> measured;   // those that the timings hold
  std::vector<std::size_t> rows;      // of guidelines(): those that were asked for
  std::vector<GuidelineCase> cases;
  std::string predicted = "";  // how many times were predicted, and so not tested; "": none
};

// Guidelines about these collectives (their left sides); what replaces them is taken from all the
// timings. `choosers`: the default first.
GuidelineReport report_guidelines(const std::vector<Timings>& timings,
                                  const std::vector<GuidelineChooser>& choosers,
                                  const std::vector<Collective>& about, double tolerance);

// The collectives that the guideline speaks of and the timings lack.
std::vector<std::string_view> not_measured(const GuidelineReport& report,
                                           const Guideline& guideline);

// How often each guideline is broken, and for each chooser at most `limit` violations, the worst
// first: all of the default, of the others those that the default has not. Last what could not be
// tested, and why.
std::string guideline_text(const GuidelineReport& report, std::size_t limit);

// {tolerance, guidelines: [{name, text, not_measured, by: [{chooser, tested, broken, certain,
// within_noise}]}], violations: [{guideline, the fields of its instance, by: [{chooser, verdict,
// method, factor, left, right, calls}]}]}. Violations: all that some chooser has, those of the
// default first, the worst first.
Json guideline_json(const GuidelineReport& report);

}  // namespace colltree::evaluate
