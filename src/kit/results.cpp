// SPDX-License-Identifier: BSD-3-Clause
#include "kit/results.h"

#include <fmt/core.h>

#include <array>

#include "base/error.h"
#include "base/text.h"
#include "measure/report_line.h"

namespace colltree {

namespace {

constexpr std::array<std::string_view, 8> kKeys = {"made_by", "started", "host", "launcher",
                                                   "library", "source",  "stop", "cells"};
constexpr std::size_t kHeadLines = kKeys.size() + 1;

// The stop rule as a line of a plan has it.
constexpr std::string_view kStop = "stop ";

std::string stop_words(const StopRule& stop) {
  const std::string plan = write_plan({stop, {}});
  const std::size_t at = plan.find(kStop) + kStop.size();
  return plan.substr(at, plan.find('\n', at) - at);
}

StopRule read_stop(const std::string& words, const std::string& file, std::size_t line) {
  std::string plan = write_plan({});
  plan.replace(plan.find(kStop), std::string::npos, fmt::format("{}{}\nend\n", kStop, words));
  try {
    return read_plan(plan, file).stop;
  } catch (const Error&) {
    throw ParseError(file, line, "the stop rule", words);
  }
}

// The value of a member of the one object in a report line; texts without quotes and backslashes.
std::string_view member(std::string_view line, std::string_view key) {
  const std::string name = fmt::format("\"{}\":", key);
  const std::size_t at = line.find(name);
  if (at == std::string_view::npos) return "";
  line.remove_prefix(at + name.size());
  if (!line.starts_with('"')) return line.substr(0, line.find_first_of(",}"));
  line.remove_prefix(1);
  return line.substr(0, line.find('"'));
}

}  // namespace

std::string write_results_head(const ResultsHead& head) {
  return fmt::format(
      "{}\nmade_by {}\nstarted {}\nhost {}\nlauncher {}\nlibrary {}\nsource {}\nstop {}\ncells "
      "{}\n",
      kResultsHeader, head.made_by, head.started_utc, head.host, head.launcher, head.library,
      head.source, stop_words(head.stop), head.cells);
}

bool ResultsHeadReader::take(std::string_view line) {
  if (line_ == kHeadLines) return false;
  ++line_;
  const std::string_view key = line_ == 1 ? kResultsHeader : kKeys[line_ - 2];
  if (line_ == 1 ? line != key : !line.starts_with(fmt::format("{} ", key)))
    throw ParseError(file_, line_, key, line);
  if (line_ > 1) values_.emplace_back(line.substr(key.size() + 1));
  return true;
}

ResultsHead ResultsHeadReader::head() const {
  if (line_ < kHeadLines)
    throw ParseError(file_, line_ + 1, line_ == 0 ? kResultsHeader : kKeys[line_ - 1],
                     "nothing: the file is cut off");
  const auto cells = parse_number<std::uint64_t>(values_[7]);
  if (!cells) throw ParseError(file_, kHeadLines, "a number of cells", values_[7]);
  const StopRule stop = read_stop(values_[6], file_, kHeadLines - 1);
  return {values_[0], values_[1], values_[2], values_[3], values_[4], values_[5], stop, *cells};
}

std::optional<ReportHead> report_head(std::string_view line) {
  if (!line.starts_with(kReportPrefix) || !line.ends_with('}')) return std::nullopt;
  ReportHead head{std::string(member(line, "event")), std::string(member(line, "cell"))};
  if (head.event.empty()) return std::nullopt;
  head.ranks = parse_number<std::uint64_t>(member(line, "ranks")).value_or(0);
  return head;
}

}  // namespace colltree
