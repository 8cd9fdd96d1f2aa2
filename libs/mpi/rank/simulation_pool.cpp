// SPDX-License-Identifier: BSD-3-Clause
#include "rank/simulation_pool.h"

#include <fmt/core.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <string>
#include <utility>
#include <variant>

#include "base/streams.h"
#include "base/text.h"

namespace colltree::rank {

protocol::Plan part_of(const protocol::Plan& plan, std::size_t begin, std::size_t end) {
  const auto cell = plan.cells.begin();
  return {plan.stop,
          {cell + static_cast<std::ptrdiff_t>(begin), cell + static_cast<std::ptrdiff_t>(end)}};
}

namespace {

std::string all_of(int file) {
  struct stat status {};
  if (::fstat(file, &status) != 0) return "";
  std::string text(static_cast<std::size_t>(status.st_size), '\0');
  const ssize_t got = ::pread(file, text.data(), text.size(), 0);
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(0, got)));
  return text;
}

std::string describe(int status) {
  if (WIFSIGNALED(status))
    return fmt::format("ended by signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)));
  if (WEXITSTATUS(status) != 0) return fmt::format("ended with exit code {}", WEXITSTATUS(status));
  return "deadlock, or MPI_Abort";  // SimGrid exits with 0 on both
}

}  // namespace

SimulationPool::SimulationPool(std::size_t jobs,
                               std::function<void(const protocol::Plan&, int)> simulate)
    : jobs_(jobs), simulate_(std::move(simulate)) {}

void SimulationPool::say(const protocol::JobReport& report) {
  fmt::print("{}", numbering_.line(report));
}

void SimulationPool::add(protocol::Plan plan) {
  while (children_.size() >= jobs_) collect();
  const int said = ::memfd_create("colltree-instance", MFD_CLOEXEC);
  if (said < 0) throw Breakdown("cannot make a file in memory: too many open files");
  std::fflush(nullptr);
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid < 0) throw Breakdown("cannot start a process: out of memory or processes");
  if (pid == 0) {
    // A child that nobody will read ends with its parent.
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(1);
    simulate_(plan, said);
    ::_exit(0);
  }
  children_.push_back({pid, said, std::move(plan)});
}

void SimulationPool::drain() {
  while (!children_.empty()) collect();
}

// Waits until a child ends.
void SimulationPool::collect() {
  int status = 0;
  const pid_t pid = ::waitpid(-1, &status, 0);
  const auto ended = std::ranges::find(children_, pid, &Child::pid);
  if (ended != children_.end()) finish(ended, status);
}

void SimulationPool::finish(std::list<Child>::iterator position, int status) {
  Child child = std::move(*position);
  children_.erase(position);
  const std::string said = all_of(child.said);
  ::close(child.said);
  std::vector<protocol::JobReport> reports;
  for (const std::string_view line : split(said, '\n')) {
    if (auto report = protocol::parse_report_line(line)) reports.push_back(std::move(*report));
  }
  forward(child, reports, status);
}

void SimulationPool::forward(Child& child, const std::vector<protocol::JobReport>& reports,
                             int status) {
  std::size_t begun = 0;
  std::size_t ended = 0;
  std::size_t complete = 0;  // cells of the instances that are over
  for (const protocol::JobReport& report : reports) {
    if (std::holds_alternative<protocol::JobDone>(report)) {
      complete = ended;
      continue;
    }
    if (std::holds_alternative<protocol::JobStarted>(report) && std::exchange(started_, true))
      continue;
    if (std::holds_alternative<protocol::CellBegun>(report)) ++begun;
    if (std::holds_alternative<protocol::CellResult>(report)) ++ended;
    say(report);
  }
  const bool at_rest = status == 0 && complete > 0 && begun == complete;
  if (!at_rest) fail(child, begun, ended++, status);
  say(protocol::Checkpoint{});
  finish_output();
  if (ended < child.plan.cells.size()) add(part_of(child.plan, ended, child.plan.cells.size()));
}

// The cell that was running has failed; the cells after it are tried in a new child.
void SimulationPool::fail(const Child& child, std::size_t begun, std::size_t ended, int status) {
  if (begun == ended)
    throw Breakdown(fmt::format("a simulation ended outside any cell ({})", describe(status)));
  say(protocol::failed_cell(child.plan.cells[ended], describe(status)));
}

}  // namespace colltree::rank
