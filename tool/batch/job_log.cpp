// SPDX-License-Identifier: BSD-3-Clause
#include "batch/job_log.h"

#include <fcntl.h>
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "base/input.h"
#include "base/text.h"

namespace colltree::batch {

namespace {

constexpr std::array<std::string_view, 5> kEvents = {"started", "ended", "session", "finished",
                                                     "reopened"};

constexpr double kMostSeconds = 1e11;  // thousands of years

}  // namespace

JobLog::JobLog(std::filesystem::path file) : file_(std::move(file)) {
  std::istringstream in(std::filesystem::exists(file_) ? read_text(file_, kMostModelBytes) : "");
  std::size_t number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    const std::vector<std::string_view> words = split(line, ' ');
    const auto event = std::ranges::find(kEvents, words.front());
    const auto time_s =
        words.size() == 2 ? parse_number<double>(words.back()) : std::optional<double>();
    if (event == kEvents.end() || !time_s || !(*time_s >= 0 && *time_s <= kMostSeconds))
      throw ParseError(file_.string(), number, "a line that a job of colltree wrote", line);
    take(static_cast<JobEvent>(event - kEvents.begin()), *time_s);
  }
}

void JobLog::take(JobEvent event, double time_s) {
  is_finished_ = event == JobEvent::kFinished;
  if (event == JobEvent::kStarted) {
    ++jobs_;
    started_s_ = time_s;
    return;
  }
  // Clocks of nodes differ.
  if (started_s_) used_s_ += std::max(0.0, time_s - *started_s_);
  started_s_.reset();
  if (event == JobEvent::kSession) session_s_ = time_s;
}

void JobLog::add(JobEvent event, double time_s) {
  const Descriptor file(::open(file_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666));
  const std::string line =
      fmt::format("{} {:.1f}\n", kEvents[static_cast<std::size_t>(event)], time_s);
  const int error = file.is_open() ? file.write_all(line) : errno;
  if (error != 0)
    throw Error(fmt::format("{}: cannot write: {}", file_.string(), std::strerror(error)));
  take(event, time_s);
}

void JobLog::start(double time_s, double last_stored_s) {
  if (started_s_) add(JobEvent::kEnded, std::max(*started_s_, last_stored_s));
  add(JobEvent::kStarted, time_s);
}

}  // namespace colltree::batch
