// SPDX-License-Identifier: BSD-3-Clause
// colltree-kit --launcher 'mpirun -np {ranks}' [--output FILE] measures, on the cluster, the plan
// that lies beside this program, and keeps the jobs' report lines in one file, which `colltree
// import` reads elsewhere. Built by the kit's Makefile, with nothing but a compiler and an MPI
// library.
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <exception>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "base/process.h"
#include "base/streams.h"
#include "base/text.h"
#include "coll/library_methods.h"
#include "kit/kit_format.h"
#include "measure/installed_library.h"
#include "protocol/report_line.h"

namespace colltree::kit {
namespace {

namespace fs = std::filesystem;

struct Arguments {
  std::vector<std::string> launcher;
  std::string output = "colltree-kit.results";
};

constexpr const char* kUsage =
    "usage: colltree-kit --launcher 'mpirun -np {ranks}' [--output FILE]\n";

Arguments parse_arguments(int argc, char** argv) {
  Arguments arguments;
  for (int i = 1; i < argc; i += 2) {
    const std::string option = argv[i];
    if (option != "--launcher" && option != "--output")
      throw UsageError(concat("unknown option '", option, "'"));
    if (i + 1 == argc) throw UsageError(concat(option, ": needs a value"));
    if (option == "--output") arguments.output = argv[i + 1];
    if (option == "--launcher") arguments.launcher = measure::split_command(argv[i + 1]);
  }
  if (arguments.launcher.empty())
    throw UsageError("--launcher: name the command that starts jobs, such as 'mpirun -np {ranks}'");
  return arguments;
}

std::string now_utc() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  char text[32] = "";
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

// The cells of the plan whose algorithms the installed library has.
class Wanted {
 public:
  Wanted(const KitPlan& kit, const fs::path& program, const std::string& mpi) : kit_(kit) {
    const std::string& source = kit.plan.source;
    if (source != "portable") {
      library_ = parse_library(source);
      if (!mpi.starts_with(source))
        throw Error(concat("the kit is for ", source, "'s own algorithms, and this is ", mpi,
                           "; make one with colltree measure kit --source"));
      survey_ = measure::survey_library(program);
      if (survey_.empty() && *library_ != Library::kOpenmpi)
        throw Error(concat(
            mpi, " does not report the numbers of its algorithms; make a kit without --source"));
      for (const std::string& line : measure::table_differences(*library_, survey_))
        say(concat(mpi, ": ", line, "\n"));
    }
  }

  std::vector<protocol::PlanCell> cells() const {
    std::vector<protocol::PlanCell> cells = kit_.plan.cells;
    if (library_ && kit_.unknown) append_unknown(cells);
    std::erase_if(cells, [&](const protocol::PlanCell& cell) {
      return library_ &&
             !measure::library_has(*library_, survey_, cell.instance.collective, cell.method);
    });
    std::stable_sort(cells.begin(), cells.end(),
                     [&](const protocol::PlanCell& a, const protocol::PlanCell& b) {
                       return std::make_pair(start(a), a.instance.communicator_size) <
                              std::make_pair(start(b), b.instance.communicator_size);
                     });
    return cells;
  }

  // The variable that a job needs in its environment to measure the cell; "" = none.
  std::string start(const protocol::PlanCell& cell) const {
    return library_ ? start_setting(*library_, cell.instance.collective, cell.method) : "";
  }

  std::vector<std::string> settings(const protocol::PlanCell& cell) const {
    return library_ ? measure::start_settings(*library_, cell) : std::vector<std::string>();
  }

 private:
  void append_unknown(std::vector<protocol::PlanCell>& cells) const {
    std::set<Instance> instances;
    for (const protocol::PlanCell& cell : kit_.plan.cells) instances.insert(cell.instance);
    for (const Instance& instance : instances) {
      for (const std::string& name :
           measure::unknown_algorithms(*library_, instance.collective, survey_))
        cells.push_back({protocol::placed(instance, 0), {name, {}}});
    }
  }

  const KitPlan& kit_;
  std::optional<Library> library_;
  measure::LibrarySurvey survey_;
};

// Runs jobs in sequence. A job that dies in a cell is started again, and the cell is tried once
// more.
class Run {
 public:
  Run(const Arguments& arguments, const KitPlan& kit, const fs::path& program, const Wanted& wanted,
      Recorder& recorder)
      : arguments_(arguments),
        kit_(kit),
        program_(program),
        wanted_(wanted),
        recorder_(recorder),
        cells_(wanted.cells()),
        done_(recorder.done()) {}

  void measure() {
    const InterruptGuard guard;
    for (forget_done(); !cells_.empty(); forget_done()) launch();
  }

 private:
  void forget_done() {
    std::erase_if(cells_,
                  [&](const protocol::PlanCell& cell) { return done_.contains(cell_line(cell)); });
  }

  protocol::Plan next_plan() const {
    protocol::Plan plan = kit_.plan;
    const std::string start = wanted_.start(cells_.front());
    const auto end =
        std::find_if(cells_.begin(), cells_.end(),
                     [&](const protocol::PlanCell& cell) { return wanted_.start(cell) != start; });
    plan.cells.assign(cells_.begin(), end);
    return plan;
  }

  void launch() {
    const protocol::Plan plan = next_plan();
    const TransientFile file(concat(arguments_.output, ".plan-", ::getpid()),
                             protocol::write_plan(plan));
    std::vector<std::string> command = measure::with_ranks(arguments_.launcher, plan.ranks());
    command.push_back(program_.string());
    command.push_back(file.name());
    for (const std::string& setting : wanted_.settings(plan.cells.front()))
      command.push_back(setting);
    running_.clear();
    last_error_.clear();
    job_done_ = false;
    job_ranks_ = plan.ranks();
    const std::size_t done_before = done_.size();
    ChildProcess child(command);
    const ChildProcess::Outcome end = child.read(
        kit_.silence_limit_s, interrupted, [&](std::string_view line) { return hear(line); },
        [&](std::string_view line) { hear_error(line); });
    const std::string trouble = child.wait();
    if (end == ChildProcess::Outcome::kInterrupted)
      throw Error("interrupted; the same command continues");
    if (job_done_ && done_.size() > done_before) return;
    bury(end == ChildProcess::Outcome::kSilent
             ? concat("no answer for ", format_double(kit_.silence_limit_s), " s")
             : concat("the job ended with ", trouble.empty() ? "no result" : trouble),
         done_.size() > done_before);
  }

  void bury(const std::string& reason, bool advanced) {
    const std::string detail = last_error_.empty() ? reason : last_error_;
    if (running_.empty())
      throw Error(advanced ? concat(detail, " between two cells; the same command continues")
                           : detail);
    if (tried_.insert(running_).second) return;
    const std::string line = protocol::report_line(
        protocol::failed_cell(protocol::parse_cell_line(running_, "report", 1),
                              last_error_.empty() ? reason : concat(reason, ": ", last_error_)));
    hear(std::string_view(line).substr(0, line.size() - 1));
  }

  ChildProcess::LineKind hear(std::string_view line) {
    const auto report = report_head(line);
    if (!report) {
      if (!line.starts_with(protocol::kReportPrefix)) say(concat(line, "\n"));
      return ChildProcess::LineKind::kOther;
    }
    if (report->event == "started" && report->ranks < job_ranks_)
      throw Error(concat("the launcher started ", report->ranks, " ranks that see each other, ",
                         job_ranks_,
                         " were asked for: use {ranks} in --launcher, and the launcher of the "
                         "library that the kit was built with"));
    recorder_.keep(line);
    if (report->event == "begun") running_ = report->cell;
    if (report->event == "done") job_done_ = true;
    if (report->event == "measured" || report->event == "failed") {
      running_.clear();
      done_.insert(report->cell);
      if (done_.size() % kSayEvery == 0) say(concat(done_.size(), " cells measured\n"));
    }
    return ChildProcess::LineKind::kProgress;
  }

  void hear_error(std::string_view line) {
    if (line.find_first_not_of(" \t-") == std::string_view::npos) return;
    if (last_error_.empty()) last_error_ = line;
    say(concat(line, "\n"));
  }

  static constexpr std::size_t kSayEvery = 100;

  const Arguments& arguments_;
  const KitPlan& kit_;
  fs::path program_;
  const Wanted& wanted_;
  Recorder& recorder_;
  std::vector<protocol::PlanCell> cells_;
  std::set<std::string> done_;
  std::set<std::string> tried_;
  std::string running_;  // the cell
  std::string last_error_;
  std::uint64_t job_ranks_ = 0;
  bool job_done_ = false;
};

void run(int argc, char** argv) {
  const Arguments arguments = parse_arguments(argc, argv);
  const fs::path folder = fs::read_symlink("/proc/self/exe").parent_path();
  const fs::path program = folder / "colltree-measure";
  const std::string plan_file = (folder / "plan").string();
  const KitPlan kit = read_kit_plan(protocol::text_of_plan(plan_file), plan_file);
  const std::string library = measure::library_version(program);
  const Wanted wanted(kit, program, measure::short_library_name(library));
  const std::size_t cells = wanted.cells().size();
  if (cells == 0) throw Error("the library has none of the methods that the kit asks for");
  Recorder recorder(arguments.output,
                    {kit.made_by, now_utc(), measure::host_name(), join(arguments.launcher, " "),
                     library, kit.plan.source, kit.plan.stop, cells});
  Run(arguments, kit, program, wanted, recorder).measure();
  say(concat(cells, " cells are in ", arguments.output,
             "; now, where colltree is: colltree import ",
             fs::path(arguments.output).filename().string(), " -o P.db\n"));
}

}  // namespace
}  // namespace colltree::kit

int main(int argc, char** argv) {
  colltree::prepare_streams();
  try {
    colltree::kit::run(argc, argv);
  } catch (const colltree::UsageError& error) {
    colltree::say(colltree::concat("colltree-kit: ", error.what(), "\n", colltree::kit::kUsage));
    return 2;
  } catch (const std::exception& error) {
    colltree::say(colltree::concat("colltree-kit: ", error.what(), "\n"));
    return 1;
  }
  return 0;
}
