// SPDX-License-Identifier: BSD-3-Clause
#include "measure/job.h"

#include <fmt/core.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <utility>
#include <variant>

#include "base/error.h"
#include "base/file.h"
#include "base/process.h"
#include "base/streams.h"
#include "base/text.h"
#include "coll/library_methods.h"
#include "measure/installed_library.h"
#include "measure/platform.h"

namespace colltree::measure {

namespace {

constexpr double kSilence = 120;  // seconds

std::string choose_flavour(const std::string& launcher) {
  const std::vector<std::string> built = built_flavours();
  if (built.empty()) return find_program("colltree-measure-*");  // says where it looked
  if (built.size() == 1) return built.front();
  const LibraryInfo* found = launcher_library(launcher);
  if (found != nullptr && std::ranges::find(built, found->name) != built.end())
    return std::string(found->name);
  throw UsageError(fmt::format("cannot tell which MPI library '{}' starts; say --mpi {}", launcher,
                               join(built, " or --mpi ")));
}

}  // namespace

// From "mpirun (Open MPI) 4.1.4", "HYDRA build details: Version: 4.0.2".
const LibraryInfo* launcher_library(const std::string& launcher) {
  std::string said;
  const auto collect = [&said](std::string_view line) { said.append(line).append("\n"); };
  ChildProcess child({launcher, "--version"});
  child.read_all(10, collect, collect);
  child.wait();
  return library_of_launcher(said);
}

std::vector<std::string> flavours() {
  std::vector<std::string> names = with_libraries({});
  names.emplace_back("mpi");
  return names;
}

std::vector<std::string> built_flavours() {
  std::vector<std::string> built;
  for (const std::string& flavour : flavours()) {
    if (try_program(fmt::format("colltree-measure-{}", flavour))) built.push_back(flavour);
  }
  return built;
}

std::vector<std::string> in_environment(std::vector<std::string> command,
                                        const std::vector<std::string>& variables) {
  if (variables.empty()) return command;
  command.insert(command.end(), variables.begin(), variables.end());
  command.insert(command.begin(), variables.begin(), variables.end());
  command.insert(command.begin(), "env");
  return command;
}

JobStarter::JobStarter(const std::string& launcher, const std::string& flavour)
    : words_(split_command(launcher)),
      flavour_(flavour.empty() ? choose_flavour(words_.front()) : flavour),
      program_(find_program(fmt::format("colltree-measure-{}", flavour_))),
      mpi_(short_library_name(library_version(program_))) {}

void JobStarter::require(Library library) const {
  if (!mpi_.starts_with(name(library)))
    throw UsageError(fmt::format("the launcher's library is {}, not {}", mpi_, name(library)));
}

std::vector<std::string> JobStarter::command(const protocol::Plan& plan,
                                             const std::string& plan_file,
                                             const std::vector<std::string>& settings) const {
  std::vector<std::string> command = with_ranks(words_, plan.ranks());
  command.insert(command.end(), {program_.string(), plan_file});
  command.insert(command.end(), settings.begin(), settings.end());
  return in_environment(std::move(command), variables_);
}

std::string JobStarter::answer(std::uint64_t ranks, const char* question, bool may_fail) const {
  std::vector<std::string> command = with_ranks(words_, ranks);
  command.insert(command.end(), {program_.string(), question});
  if (!variables_.empty()) {
    command.insert(command.begin(), variables_.begin(), variables_.end());
    command.insert(command.begin(), "env");
  }
  constexpr double kAnswer_s = 60;
  const CommandResult result = run_command(command, kAnswer_s);
  if (result.failure.empty() || may_fail) return result.output;
  throw Error(
      fmt::format("{}: ended with {}: {}", join(command, " "), result.failure, result.first_error));
}

std::map<std::string, int> JobStarter::settings() const {
  return parse_settings(answer(1, "--settings", false));
}

std::vector<protocol::LibraryVariable> JobStarter::asked() const {
  std::vector<protocol::LibraryVariable> asked;
  const std::string said = answer(1, "--asked", true);
  for (const std::string_view line : split(said, '\n')) {
    if (auto variable = protocol::parse_variable_line(line)) asked.push_back(std::move(*variable));
  }
  return asked;
}

std::string launcher_remedy(std::string_view said) {
  constexpr std::pair<std::string_view, const char*> kRemedies[] = {
      {"not enough slots",
       "the launcher has too few slots for these ranks; take a larger allocation or smaller "
       "--communicator-sizes, or add --oversubscribe to --launcher"},
      {"run as root",
       "the launcher does not run as root; use another account, or set OMPI_ALLOW_RUN_AS_ROOT=1 "
       "and "
       "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1"},
  };
  for (const auto& [words, remedy] : kRemedies) {
    if (said.find(words) != std::string_view::npos) return remedy;
  }
  return "";
}

protocol::JobLayout JobStarter::layout(std::uint64_t ranks) const {
  return parse_layout(answer(ranks, "--layout", false));
}

std::string JobStarter::run(const protocol::Plan& plan, const std::string& beside,
                            const std::vector<std::string>& settings,
                            const std::function<ChildProcess::LineKind(std::string_view)>& on_line,
                            const std::function<void(std::string_view)>& on_error) const {
  const TransientFile plan_file(fmt::format("{}.plan-{}", beside, ::getpid()), write_plan(plan));
  const InterruptGuard guard;
  std::string first_error;
  ChildProcess child(command(plan, plan_file.name(), settings));
  const auto end = child.read(kSilence, interrupted, on_line, [&](std::string_view line) {
    if (on_error) on_error(line);
    if (first_error.empty() && says_something(line)) first_error = line;
  });
  const std::string trouble = child.wait();
  if (end == ChildProcess::Outcome::kInterrupted) throw Error("interrupted");
  if (end == ChildProcess::Outcome::kSilent)
    return fmt::format("nothing reported for {:.0f} s", kSilence);
  if (trouble.empty() || first_error.empty()) return trouble;
  const std::string remedy = launcher_remedy(first_error);
  return fmt::format("{}: {}", trouble, remedy.empty() ? first_error : remedy);
}

namespace {

class RunningJob {
 public:
  // The job knows nothing of its setting: that is in its environment.
  RunningJob(const protocol::Plan& plan, const std::string& plan_file, const Driver& driver,
             JobObserver& observer)
      : plan_(plan),
        driver_(driver),
        observer_(observer),
        setting_(plan.cells.empty() ? "" : setting_of(plan.cells.front().method)),
        process_(driver.command(plan, plan_file),
                 plan.more ? ChildProcess::Input::kPiped : ChildProcess::Input::kNone) {}

  JobOutcome run(double silence_limit_s) {
    const ChildProcess::Outcome outcome = process_.read(
        silence_limit_s, interrupted, [this](std::string_view line) { return read_line(line); },
        [this](std::string_view line) { read_error_line(line); });
    const std::string failure = process_.wait();
    end_.is_interrupted = outcome == ChildProcess::Outcome::kInterrupted;
    if (outcome == ChildProcess::Outcome::kSilent) {
      end_.reason = fmt::format("no answer for {:.0f} s", silence_limit_s);
    } else if (end_.is_damaged && failure.empty()) {
      end_.reason = "a piece of the job's output is missing";
    } else {
      end_.reason = fmt::format("the job ended with {}", failure.empty() ? "no result" : failure);
    }
    return end_;
  }

 private:
  // The first line alone says who the ranks are. Where lines are missing, no report is used: up to
  // the next checkpoint, or to the end where the first line is among them.
  enum class Reading : std::uint8_t { kAll, kFromNextCheckpoint, kNothing };

  ChildProcess::LineKind read_line(std::string_view line) {
    const auto numbered = protocol::parse_numbered_line(line);
    if (!numbered) {
      if (!line.starts_with(protocol::kReportPrefix)) say(fmt::format("{}\n", line));
      return ChildProcess::LineKind::kOther;
    }
    end_.has_reported = true;
    if (numbered->number > 0) check_number(numbered->number);
    if (reading_ == Reading::kAll) {
      std::visit([this](const auto& event) { on(event); }, numbered->report);
    } else {
      read_damaged(numbered->report);
    }
    return ChildProcess::LineKind::kProgress;
  }

  void check_number(std::uint64_t number) {
    started_well_ = started_well_ || number == 1;
    if (std::exchange(last_number_, number) + 1 == number) return;
    end_.is_damaged = true;
    end_.cell.reset();
    reading_ = started_well_ ? Reading::kFromNextCheckpoint : Reading::kNothing;
    observer_.output_lost();
  }

  void read_damaged(const protocol::JobReport& report) {
    if (std::holds_alternative<protocol::JobDone>(report)) on(protocol::JobDone{});
    if (std::holds_alternative<protocol::PlanDone>(report)) on(protocol::PlanDone{});
    if (std::holds_alternative<protocol::Checkpoint>(report) &&
        reading_ == Reading::kFromNextCheckpoint)
      reading_ = Reading::kAll;
  }

  void read_error_line(std::string_view line) {
    if (!says_something(line)) return;
    // Why the launcher cannot be started ends the campaign, in one line.
    const bool is_the_end = end_.first_error.empty() && line.starts_with(kCannotStartText);
    if (end_.first_error.empty()) end_.first_error = line;
    constexpr std::size_t kEnough = 400;
    if (end_.said.size() < kEnough) end_.said += concat(end_.said.empty() ? "" : " ", trim(line));
    if (driver_.retries() && !is_the_end) say(fmt::format("{}\n", line));
  }

  void on(const protocol::JobStarted& job) { observer_.started(job, plan_.ranks()); }
  protocol::PlanCell under_its_setting(protocol::PlanCell cell) const {
    cell.method = under_setting(cell.method, setting_);
    return cell;
  }
  void on(const protocol::CellBegun& begun) { end_.cell = under_its_setting(begun.cell); }
  void on(const protocol::CellsBegun&) { end_.several_cells = true; }
  void on(const protocol::CellResult& result) {
    protocol::CellResult known = result;
    known.cell = under_its_setting(known.cell);
    observer_.finished(known);
    end_.cell.reset();
  }
  void on(const protocol::Checkpoint&) {
    end_.several_cells = false;
    observer_.checkpoint();
  }
  void on(const protocol::JobDone&) { end_.is_done = true; }

  // An empty plan ends the job: also where the next one needs another job.
  void on(const protocol::PlanDone&) {
    if (!plan_.more) return;
    const std::optional<protocol::Plan> next =
        end_.is_damaged ? std::nullopt : observer_.next_plan();
    const bool fits = next && driver_.start_setting(next->cells.front()) ==
                                  driver_.start_setting(plan_.cells.front());
    process_.write(fits ? job_text(*next) : protocol::write_plan({plan_.stop, {}, plan_.source}));
  }

  const protocol::Plan& plan_;
  const Driver& driver_;
  JobObserver& observer_;
  std::string setting_;
  ChildProcess process_;
  JobOutcome end_;
  Reading reading_ = Reading::kAll;
  std::uint64_t last_number_ = 0;
  bool started_well_ = false;  // its first line was read
};

}  // namespace

std::string job_text(protocol::Plan plan) {
  for (protocol::PlanCell& cell : plan.cells) cell.method = without_setting(cell.method);
  return protocol::write_plan(plan);
}

JobOutcome run_job(const protocol::Plan& plan, const std::string& plan_file, const Driver& driver,
                   double silence_limit_s, JobObserver& observer) {
  return RunningJob(plan, plan_file, driver, observer).run(silence_limit_s);
}

}  // namespace colltree::measure
