// SPDX-License-Identifier: BSD-3-Clause
#include "kit/recorder.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "base/error.h"

namespace colltree {

namespace {

// The first thing in which the heads differ: "was measured by 'a', not 'b'".
std::string difference(const ResultsHead& there, const ResultsHead& here) {
  const auto say = [](std::string_view what, std::string_view old, std::string_view now) {
    return fmt::format("was measured with the {} '{}', not '{}'", what, old, now);
  };
  if (there.launcher != here.launcher) return say("launcher", there.launcher, here.launcher);
  if (there.library != here.library) return say("library", there.library, here.library);
  if (there.source != here.source) return say("methods of", there.source, here.source);
  if (there.made_by != here.made_by) return say("kit of colltree", there.made_by, here.made_by);
  return "was measured with another stop rule or plan";
}

}  // namespace

Recorder::Recorder(const std::string& file, const ResultsHead& head)
    : path_(file), file_(::open(file.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666)) {
  if (!file_.is_open()) fail(errno);
  read(head);
}

void Recorder::fail(int error) const {
  throw Error(fmt::format("{}: cannot write: {}", path_, std::strerror(error)));
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
    throw Error(
        fmt::format("{}: {}; give another file by --output", path_, difference(there, head)));
}

void Recorder::keep(std::string_view line) {
  if (const int error = file_.write_all(fmt::format("{}\n", line)); error != 0) fail(error);
}

}  // namespace colltree
