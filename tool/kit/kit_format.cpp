// SPDX-License-Identifier: BSD-3-Clause
#include "kit/kit_format.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "base/error.h"
#include "base/text.h"
#include "protocol/report_line.h"

namespace colltree::kit {

namespace {

constexpr std::string_view kPlanHeader = "colltree-kit-plan 1";
constexpr std::size_t kLinesBefore = 4;  // the plan

constexpr std::array<std::string_view, 8> kKeys = {"made_by", "started", "host", "launcher",
                                                   "library", "source",  "stop", "cells"};
constexpr std::size_t kHeadLines = kKeys.size() + 1;

// The stop rule as a line of a plan has it.
constexpr std::string_view kStop = "stop ";

std::string stop_words(const protocol::StopRule& stop) {
  const std::string plan = protocol::write_plan({stop, {}});
  const std::size_t position = plan.find(kStop) + kStop.size();
  return plan.substr(position, plan.find('\n', position) - position);
}

protocol::StopRule read_stop(const std::string& words, const std::string& file, std::size_t line) {
  std::string plan = protocol::write_plan({});
  plan.replace(plan.find(kStop), std::string::npos, concat(kStop, words, "\nend\n"));
  try {
    return protocol::read_plan(plan, file).stop;
  } catch (const Error&) {
    throw ParseError(file, line, "the stop rule", words);
  }
}

// The value of a member of the one object in a report line; texts without quotes and backslashes.
std::string_view member(std::string_view line, std::string_view key) {
  const std::string name = concat("\"", key, "\":");
  const std::size_t position = line.find(name);
  if (position == std::string_view::npos) return "";
  line.remove_prefix(position + name.size());
  if (!line.starts_with('"')) return line.substr(0, line.find_first_of(",}"));
  line.remove_prefix(1);
  return line.substr(0, line.find('"'));
}

// The first thing in which the heads differ: "was measured by 'a', not 'b'".
std::string difference(const ResultsHead& there, const ResultsHead& here) {
  const auto say = [](std::string_view what, std::string_view old, std::string_view now) {
    return concat("was measured with the ", what, " '", old, "', not '", now, "'");
  };
  if (there.launcher != here.launcher) return say("launcher", there.launcher, here.launcher);
  if (there.library != here.library) return say("library", there.library, here.library);
  if (there.source != here.source) return say("methods of", there.source, here.source);
  if (there.made_by != here.made_by) return say("kit of colltree", there.made_by, here.made_by);
  return "was measured with another stop rule or plan";
}

}  // namespace

std::string write_kit_plan(const KitPlan& kit) {
  return concat(kPlanHeader, "\nmade_by ", kit.made_by, "\nsilence_limit_s ",
                format_double(kit.silence_limit_s), "\nunknown ", kit.unknown ? "yes" : "no", "\n",
                protocol::write_plan(kit.plan));
}

KitPlan read_kit_plan(const std::string& text, const std::string& file) {
  const auto lines = split(text, '\n');
  if (lines.front() != kPlanHeader) throw ParseError(file, 1, kPlanHeader, lines.front());
  std::size_t number = 0;
  const auto value = [&](std::string_view key) {
    const std::string_view line = ++number < lines.size() ? lines[number] : std::string_view();
    if (!line.starts_with(key) || line.substr(key.size(), 1) != " ")
      throw ParseError(file, number + 1, key, line);
    return line.substr(key.size() + 1);
  };
  KitPlan kit;
  kit.made_by = value("made_by");
  const std::string_view limit = value("silence_limit_s");
  const auto limit_s = parse_number<double>(limit);
  if (!limit_s) throw ParseError(file, number + 1, "a number", limit);
  kit.silence_limit_s = *limit_s;
  kit.unknown = value("unknown") == "yes";
  if (lines.size() <= kLinesBefore)
    throw ParseError(file, lines.size(), "a plan", "nothing: the file is cut off");
  const std::size_t begin = static_cast<std::size_t>(lines[kLinesBefore].data() - text.data());
  kit.plan = protocol::read_plan(text.substr(begin), file);
  return kit;
}

std::string write_results_head(const ResultsHead& head) {
  return concat(kResultsHeader, "\nmade_by ", head.made_by, "\nstarted ", head.started_utc,
                "\nhost ", head.host, "\nlauncher ", head.launcher, "\nlibrary ", head.library,
                "\nsource ", head.source, "\nstop ", stop_words(head.stop), "\ncells ", head.cells,
                "\n");
}

bool ResultsHeadReader::take(std::string_view line) {
  if (line_ == kHeadLines) return false;
  ++line_;
  const std::string_view key = line_ == 1 ? kResultsHeader : kKeys[line_ - 2];
  if (line_ == 1 ? line != key : !line.starts_with(concat(key, " ")))
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
  const protocol::StopRule stop = read_stop(values_[6], file_, kHeadLines - 1);
  return {values_[0], values_[1], values_[2], values_[3], values_[4], values_[5], stop, *cells};
}

std::optional<ReportHead> report_head(std::string_view line) {
  if (!line.starts_with(protocol::kReportPrefix) || !line.ends_with('}')) return std::nullopt;
  ReportHead head{std::string(member(line, "event")), std::string(member(line, "cell"))};
  if (head.event.empty()) return std::nullopt;
  head.ranks = parse_number<std::uint64_t>(member(line, "ranks")).value_or(0);
  return head;
}

Recorder::Recorder(const std::string& file, const ResultsHead& head)
    : path_(file), file_(::open(file.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666)) {
  if (!file_.is_open()) fail(errno);
  read(head);
}

void Recorder::fail(int error) const {
  throw Error(concat(path_, ": cannot write: ", std::strerror(error)));
}

void Recorder::read(const ResultsHead& head) {
  std::ifstream in(path_, std::ios::binary);
  ResultsHeadReader reader(path_);
  off_t whole = 0;  // bytes in complete lines
  std::string line;
  while (std::getline(in, line) && !in.eof()) {
    whole += static_cast<off_t>(line.size()) + 1;
    if (reader.take(line)) continue;
    const auto report = report_head(line);
    if (report && (report->event == "measured" || report->event == "failed"))
      done_.insert(report->cell);
  }
  if (whole == 0 && !kResultsHeader.starts_with(line))
    throw ParseError(path_, 1, kResultsHeader, line);
  // A line that was cut off by a kill or a full disk would swallow the next.
  if (::ftruncate(file_.number(), whole) != 0) fail(errno);
  if (whole == 0) {
    if (const int error = file_.write_all(write_results_head(head)); error != 0) fail(error);
    return;
  }
  ResultsHead there = reader.head();
  there.host = head.host;  // another node of the same cluster
  there.started_utc = head.started_utc;
  if (there != head)
    throw Error(concat(path_, ": ", difference(there, head), "; give another file by --output"));
}

void Recorder::keep(std::string_view line) {
  if (const int error = file_.write_all(concat(line, "\n")); error != 0) fail(error);
}

}  // namespace colltree::kit
