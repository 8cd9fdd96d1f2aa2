// SPDX-License-Identifier: BSD-3-Clause
// What starts jobs of one installed MPI library: the launcher, and the measuring program that is
// linked with the library.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/process.h"
#include "coll/library_algorithms.h"
#include "measure/plan.h"

namespace colltree {

class JobStarter {
 public:
  // `launcher`: the command before the program, with {ranks}; "mpirun -np {ranks} -hostfile F".
  // `flavour` names colltree-measure-<flavour>; "" = the one that fits the launcher. Throws Error.
  JobStarter(const std::string& launcher, const std::string& flavour);

  // Throws UsageError when it is another library.
  void require(Library library) const;

  const std::vector<std::string>& launcher() const { return words_; }
  const std::string& flavour() const { return flavour_; }
  const std::filesystem::path& program() const { return program_; }
  const std::string& mpi() const { return mpi_; }  // "openmpi-4.1.4"

  // Command for a plan, on as many ranks as its largest communicator. `settings`: NAME=VALUE of the
  // ranks' environment.
  std::vector<std::string> command(const Plan& plan, const std::string& plan_file,
                                   const std::vector<std::string>& settings) const;

  // Of the library in a job of one rank (library_survey.h: library_settings). Throws Error.
  std::map<std::string, int> settings() const;

  // Where so many ranks lie when it starts them. Throws Error.
  JobLayout layout(std::uint64_t ranks) const;

  // Runs a job to its end; every line of its output goes to `on_line`, which says whether it is a
  // sign that the work goes on. "" or how it failed: also no sign for two minutes. The plan lies
  // beside the file `beside` meanwhile: the job's nodes must see it. Throws Error when a signal
  // arrives.
  std::string run(const Plan& plan, const std::string& beside,
                  const std::vector<std::string>& settings,
                  const std::function<ChildProcess::LineKind(std::string_view)>& on_line) const;

 private:
  std::vector<std::string> words_;
  std::string flavour_;
  std::filesystem::path program_;
  std::string mpi_;
};

// "openmpi" or "mpich", as the launcher says of itself; "" = it says neither.
std::string launcher_flavour(const std::string& launcher);
// Those whose programs lie beside this one, of openmpi, mpich, mpi.
std::vector<std::string> built_flavours();

}  // namespace colltree
