// SPDX-License-Identifier: BSD-3-Clause
// A job: how it is started, the lines that one of a campaign reports, and how it ends.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/process.h"
#include "coll/library_algorithms.h"
#include "measure/driver.h"
#include "protocol/plan.h"
#include "protocol/report_line.h"

namespace colltree::measure {

// The command with these variables, NAME=VALUE, in the environment of the launcher and of the
// measuring program, which puts what stands behind its plan into the environment of each rank.
std::vector<std::string> in_environment(std::vector<std::string> command,
                                        const std::vector<std::string>& variables);

// The remedy for a launcher's message on its standard error; "": none is known.
std::string launcher_remedy(std::string_view said);

// Starts jobs of one installed MPI library with the launcher and the measuring program that is
// linked with the library.
class JobStarter {
 public:
  // `launcher`: the command before the program, with {ranks}; "mpirun -np {ranks} -hostfile F".
  // `flavour` names colltree-measure-<flavour>; "" = the one that fits the launcher. Throws Error.
  JobStarter(const std::string& launcher, const std::string& flavour);

  // Throws UsageError when it is another library.
  void require(Library library) const;

  // All its jobs run under these variables from now on.
  void use(std::vector<std::string> variables) { variables_ = std::move(variables); }

  const std::vector<std::string>& launcher() const { return words_; }
  const std::string& flavour() const { return flavour_; }
  const std::filesystem::path& program() const { return program_; }
  const std::string& mpi() const { return mpi_; }  // "openmpi-4.1.4"

  // Command for a plan, on as many ranks as its largest communicator. `settings`: NAME=VALUE of the
  // ranks' environment.
  std::vector<std::string> command(const protocol::Plan& plan, const std::string& plan_file,
                                   const std::vector<std::string>& settings) const;

  // The settings of the library in a job of one rank. Throws Error.
  std::map<std::string, int> settings() const;

  // The variables that the environment and Open MPI's parameter files ask of the library in a job
  // of one rank (rank/asked_settings.h), whatever a job that obeys them does. Throws Error.
  std::vector<protocol::LibraryVariable> asked() const;

  // The nodes of the ranks when the launcher starts this number of them. Throws Error.
  protocol::JobLayout layout(std::uint64_t ranks) const;

  // Runs a job to its end; every line of its output goes to `on_line`, which says whether it is a
  // sign that the work goes on, and of its errors to `on_error`. "" or how it failed: also no sign
  // for two minutes. The plan lies beside the file `beside` meanwhile: the job's nodes must see it.
  // Throws Error when a signal arrives.
  std::string run(const protocol::Plan& plan, const std::string& beside,
                  const std::vector<std::string>& settings,
                  const std::function<ChildProcess::LineKind(std::string_view)>& on_line,
                  const std::function<void(std::string_view)>& on_error = {}) const;

 private:
  // Asks the program by an option and returns what it prints. Throws Error, unless it may fail.
  std::string answer(std::uint64_t ranks, const char* question, bool may_fail) const;

  std::vector<std::string> words_;
  std::string flavour_;
  std::filesystem::path program_;
  std::string mpi_;
  std::vector<std::string> variables_;
};

// The library whose launcher it says it is; nullptr: it says none that is known.
const LibraryInfo* launcher_library(const std::string& launcher);
// The flavours that our programs can be built with: each library, and "mpi", the only one of a
// cluster.
std::vector<std::string> flavours();
// The flavours whose programs lie beside this one.
std::vector<std::string> built_flavours();

// The campaign, as a running job sees it. What these functions throw ends the job.
class JobObserver {
 public:
  virtual ~JobObserver() = default;

  // `asked_ranks`: what the launcher was asked for.
  virtual void started(const protocol::JobStarted& job, std::uint64_t asked_ranks) = 0;
  virtual void finished(const protocol::CellResult& result) = 0;
  // All results up to here may be stored.
  virtual void checkpoint() = 0;
  // Lines of the output are missing: results behind the last checkpoint are incomplete.
  virtual void output_lost() = 0;
  // The job has measured its plan and can take the plan returned; nothing ends it.
  virtual std::optional<protocol::Plan> next_plan() = 0;
};

struct JobOutcome {
  bool is_interrupted = false;             // by a signal to this program
  bool is_done = false;                    // the job reported its end
  bool has_reported = false;               // at least one line
  bool is_damaged = false;                 // a line of its output is missing
  bool several_cells = false;              // it died while it measured several cells at once
  std::optional<protocol::PlanCell> cell;  // in which it died
  std::string first_error;                 // the first line of its standard error; "": none
  std::string said;                        // about seven lines of it as one
  std::string reason;                      // "the job ended with exit code 3", "no answer for 60 s"
};

// The text of a plan for its job, which runs the methods of all cells without their setting.
std::string job_text(protocol::Plan plan);

// Runs a job of the plan, whose text lies in `plan_file`, and of the next plans where the plan has
// `more` and the job's start setting is theirs too. Other output goes to standard error.
JobOutcome run_job(const protocol::Plan& plan, const std::string& plan_file, const Driver& driver,
                   double silence_limit_s, JobObserver& observer);

}  // namespace colltree::measure
