// SPDX-License-Identifier: BSD-3-Clause
// What colltree and its jobs say to each other, what MPI libraries say of themselves, and how a
// cluster is described: plans, report lines, results of a kit, surveys, platforms, batch systems.
#include <fmt/core.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmath>
#include <sstream>
#include <string>
#include <vector>

#include "base/file.h"
#include "batch/batch_template.h"
#include "batch/job_log.h"
#include "batch/submission.h"
#include "coll/described_values.h"
#include "kit/kit_format.h"
#include "measure/installed_library.h"
#include "measure/platform.h"
#include "protocol/plan.h"
#include "protocol/report_line.h"
#include "reader.h"

namespace colltree::fuzz {
namespace {

void read_measuring_plan(std::string_view input) {
  std::istringstream stream{std::string(input)};
  protocol::next_plan_text(stream);
  const protocol::Plan plan = protocol::read_plan(std::string(input), "plan");
  const std::string text = write_plan(plan);
  require(write_plan(protocol::read_plan(text, "again")) == text,
          "a plan written again is the same");
}

void read_kit(std::string_view input) {
  const std::string text = write_kit_plan(kit::read_kit_plan(std::string(input), "plan"));
  require(write_kit_plan(kit::read_kit_plan(text, "again")) == text,
          "a kit's plan written again is the same");
}

void read_kit_results(std::string_view input) {
  kit::ResultsHeadReader reader("results");
  bool head = true;
  while (!input.empty()) {
    const std::size_t end = input.find('\n');
    const std::string_view line = input.substr(0, end);
    head = head && reader.take(line);
    if (!head) kit::report_head(line);
    input.remove_prefix(end == std::string_view::npos ? input.size() : end + 1);
  }
  const std::string text = write_results_head(reader.head());
  kit::ResultsHeadReader again("again");
  std::size_t begin = 0;
  for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', begin)) {
    require(again.take(std::string_view(text).substr(begin, end - begin)), "a head is all head");
    begin = end + 1;
  }
  require(again.head() == reader.head(), "a head written again is the same");
}

// A line of a job, as it arrives on its standard output.
void read_report(std::string_view input) {
  protocol::parse_witness_line(input);
  protocol::parse_variable_line(input);
  kit::report_head(input);
  const auto report = protocol::parse_report_line(input);
  if (!report) return;
  const std::string text = report_line(*report);
  const auto again = protocol::parse_report_line(std::string_view(text).substr(0, text.size() - 1));
  require(again.has_value(), "a report written again is one");
  require(report_line(*again) == text, "a report written again is the same");
  std::string numbered = protocol::ReportNumbering().line(*report);
  numbered.pop_back();
  const auto back = protocol::parse_numbered_line(numbered);
  require(back && back->number == 1 && report_line(back->report) == text,
          "a numbered report is the same");
}

void read_survey(std::string_view input) {
  const std::string text(input);
  measure::short_library_name(text);
  measure::parse_survey(text);
  measure::parse_layout(input);
  const measure::LibrarySettings settings = measure::parse_settings(input);
  require(measure::parse_settings(measure::settings_text(settings)) == settings,
          "settings written again are the same");
  constexpr std::string_view kKnown[] = {"auto", "binomial", "smp", "ring", "ring_extended"};
  described_values(input, kKnown);
  described_values(input, {});
}

// A file in memory, for what is read by name.
std::string in_memory(std::string_view input) {
  static const int descriptor = ::memfd_create("fuzzed", 0);
  require(::ftruncate(descriptor, 0) == 0 && ::pwrite(descriptor, input.data(), input.size(), 0) ==
                                                 static_cast<ssize_t>(input.size()),
          "memory can be written");
  return fmt::format("/proc/self/fd/{}", descriptor);
}

void read_platform(std::string_view input) { measure::find_platform(in_memory(input)); }

void read_batch_template(std::string_view input) {
  batch::parse_batch_template(std::string(input), "site.batch");
}

// What Slurm prints when a job is submitted.
void read_batch_answer(std::string_view input) {
  static const batch::BatchTemplate slurm = batch::slurm_template("");
  batch::job_name(slurm, std::string(input));
}

void read_job_log(std::string_view input) {
  const batch::JobLog log(in_memory(input));
  require(std::isfinite(log.used_s()) && log.used_s() >= 0, "what was used is a number");
}

}  // namespace

std::vector<Reader> job_readers() {
  return {{"plan", read_measuring_plan},
          {"kit-plan", read_kit},
          {"kit-results", read_kit_results},
          {"report-line", read_report},
          {"survey", read_survey},
          {"platform", read_platform},
          {"batch-template", read_batch_template},
          {"batch-answer", read_batch_answer},
          {"job-log", read_job_log}};
}

}  // namespace colltree::fuzz
