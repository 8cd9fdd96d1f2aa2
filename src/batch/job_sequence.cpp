// SPDX-License-Identifier: BSD-3-Clause
#include "batch/job_sequence.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "base/error.h"
#include "base/input.h"
#include "base/text.h"

namespace colltree::batch {

namespace {

struct StateRow {
  JobState state;
  std::string_view name;
  int most_fruitless;  // jobs in a row that end so and gain nothing; 0: none follows
  const char* remedy;
};

constexpr const char* kSameCommand = "the same command continues";

constexpr std::array<StateRow, 10> kStates = {{
    {JobState::kPending, "pending", 0, ""},
    {JobState::kRunning, "running", 0, ""},
    {JobState::kDone, "done", 0, ""},
    {JobState::kTimedOut, "timed_out", 2,
     "no cell was measured within its time limit; ask for a longer one"},
    {JobState::kCancelled, "cancelled", 0, kSameCommand},
    {JobState::kNodeFailed, "node_failed", 3,
     "nodes fail again and again; leave them out (sbatch --exclude)"},
    {JobState::kPreempted, "preempted", 3,
     "other jobs take its nodes before a cell is measured; ask for another partition or quality of "
     "service"},
    {JobState::kOutOfMemory, "out_of_memory", 2,
     "ask for more memory (sbatch --mem) or smaller --message-sizes"},
    {JobState::kFailed, "failed", 3, "its output says why"},
    {JobState::kGone, "gone", 3,
     "the batch system forgets its jobs before they have measured a cell; see its output"},
}};

const StateRow& row_of(JobState state) {
  for (const StateRow& row : kStates) {
    if (row.state == state) return row;
  }
  return kStates.back();
}

}  // namespace

std::string_view name(JobState state) { return row_of(state).name; }

std::optional<JobState> find_job_state(std::string_view name) {
  for (const StateRow& row : kStates) {
    if (row.name == name) return row.state;
  }
  return std::nullopt;
}

JobSequence::Next JobSequence::after(const JobEnd& end) {
  constexpr int kWrongUsage = 2;
  if (end.code == kUnfinishedCode) {
    fruitless_ = 0;
    return {Step::kSubmit, ""};
  }
  if (end.code == 0 || (end.state == JobState::kDone && !end.code)) return {Step::kFinished, ""};
  const StateRow& row = row_of(end.state == JobState::kDone ? JobState::kFailed : end.state);
  fruitless_ = end.cells > 0 ? 0 : fruitless_ + 1;
  const bool hopeless = row.most_fruitless == 0 || end.code == kWrongUsage;
  if (!hopeless && fruitless_ < row.most_fruitless) return {Step::kSubmit, ""};
  return {Step::kStop, std::string(row.remedy)};
}

namespace {
constexpr double kMostSeconds = 1e15;
}

JobLog::JobLog(std::filesystem::path file) : file_(std::move(file)) {
  if (!std::filesystem::exists(file_)) return;
  const std::string text = read_file(file_, kMostModelBytes);
  const auto lines = split(text, '\n');
  // The last line has no end when it was cut off; append() closes it.
  for (std::size_t i = 0; i + 1 < lines.size(); ++i)
    if (!lines[i].empty()) take(lines[i], i + 1);
}

// "1 submitted 17", "1 ended timed_out seconds 61 nodes 4 cells 120".
void JobLog::take(std::string_view line, std::size_t number) {
  const auto words = split(line, ' ');
  const auto fail = [&] {
    throw ParseError(file_.string(), number, "a line of a job that colltree wrote", line);
  };
  if (words.size() == 3 && words[1] == "submitted") {
    jobs_.push_back({jobs_.size() + 1, std::string(words[2])});
    return;
  }
  if (words.size() != 9 || words[1] != "ended" || jobs_.empty()) fail();
  const auto state = find_job_state(words[2]);
  const auto seconds = parse_number<double>(words[4]);
  const auto nodes = parse_number<std::uint64_t>(words[6]);
  const auto cells = parse_number<std::uint64_t>(words[8]);
  const bool is_time = seconds && *seconds >= 0 && *seconds <= kMostSeconds;  // no NaN either
  if (!state || !is_time || !nodes || !cells) fail();
  JobRecord& job = jobs_.back();
  job = {job.number, job.id, state, *seconds, *nodes, *cells};
}

const JobRecord* JobLog::unfinished() const {
  return jobs_.empty() || jobs_.back().end ? nullptr : &jobs_.back();
}

double JobLog::used_s() const {
  double used_s = 0;
  for (const JobRecord& job : jobs_) used_s += job.seconds;
  return used_s;
}

double JobLog::node_hours() const {
  double hours = 0;
  for (const JobRecord& job : jobs_) hours += job.seconds / 3600 * static_cast<double>(job.nodes);
  return hours;
}

const JobRecord& JobLog::submitted(const std::string& id) {
  jobs_.push_back({jobs_.size() + 1, id});
  append(fmt::format("{} submitted {}", jobs_.size(), id));
  return jobs_.back();
}

void JobLog::ended(const JobRecord& job) {
  jobs_.back() = job;
  append(fmt::format("{} ended {} seconds {:.0f} nodes {} cells {}", job.number, name(*job.end),
                     job.seconds, job.nodes, job.cells));
}

void JobLog::append(const std::string& line) const {
  const Descriptor file(::open(file_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666));
  const int error = file.is_open() ? file.write_all(line + "\n") : errno;
  if (error != 0)
    throw Error(fmt::format("{}: cannot write: {}", file_.string(), std::strerror(error)));
}

WatchLock::WatchLock(const std::filesystem::path& log)
    : file_(::open(log.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666)) {
  if (!file_.is_open())
    throw Error(fmt::format("{}: cannot write: {}", log.string(), std::strerror(errno)));
  // File systems without locks are watched without one.
  if (::flock(file_.number(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    throw Error(
        fmt::format("{}: another colltree watches these jobs; wait for it, or end it and rerun the "
                    "same command",
                    log.string()));
}

}  // namespace colltree::batch
