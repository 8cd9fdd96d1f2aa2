// SPDX-License-Identifier: BSD-3-Clause
// colltree-measure-<flavour> PLAN: one MPI job that measures a plan. Started by `colltree measure`
// through the launcher; built a second time with SMPI for smpirun, to prove the simulator's
// results.
#include <mpi.h>

#include <algorithm>
#include <exception>
#include <functional>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>

#include "base/streams.h"
#include "base/text.h"
#include "rank/measure_rank.h"
#ifdef COLLTREE_SMPI
#include "rank/simulated_environment.h"
#else
#include <cstdlib>
#include <ctime>
#include <memory>

#include "rank/library_selector.h"
#include "rank/mpi_conductor.h"
#include "rank/witness.h"
#endif

namespace colltree::rank {
namespace {

protocol::ReportNumbering& numbering() {
  static protocol::ReportNumbering of_job;
  return of_job;
}

void print(const protocol::JobReport& report) {
  std::string lines = numbering().line(report);
  if (std::holds_alternative<protocol::CellResult>(report))
    lines += numbering().line(protocol::Checkpoint{});
  print_or_abort(lines);
}

// Rank 0 reads a plan; its text goes to every rank, or an empty text when there is none.
std::string share_plan(const std::function<std::string()>& read_text, const char* file) {
  std::string text;
  std::string trouble;
  if (rank_in(MPI_COMM_WORLD) == 0) {
    try {
      text = read_text();
      if (!text.empty()) protocol::read_plan(text, file);
    } catch (const std::exception& error) {
      trouble = error.what();
      text.clear();
    }
  }
  if (!trouble.empty()) say(concat("colltree-measure: ", trouble, "\n"));
  long size = static_cast<long>(text.size());
  MPI_Bcast(&size, 1, MPI_LONG, 0, MPI_COMM_WORLD);
  text.resize(static_cast<std::size_t>(size));
  MPI_Bcast(text.data(), static_cast<int>(size), MPI_CHAR, 0, MPI_COMM_WORLD);
  return text;
}

// The plan, and those that follow it on standard input.
void measure_all(protocol::Plan plan, const RankEnvironment& environment) {
  report_start(MPI_COMM_WORLD, environment);
  for (;;) {
    measure(plan, MPI_COMM_WORLD, environment);
    if (!plan.more) return;
    if (rank_in(MPI_COMM_WORLD) == 0) print(protocol::PlanDone{});
    const char* source = "standard input";
    const std::string text = share_plan([] { return protocol::next_plan_text(std::cin); }, source);
    if (text.empty()) return;
    plan = protocol::read_plan(text, source);
  }
}

#ifdef COLLTREE_SMPI

// smpirun --cfg=smpi/privatization:no: all ranks share this process, as in colltree-simulate.
void measure_as_rank(const protocol::Plan& plan) {
  static SimulatedStart start;
  SimulatedConductor conductor(start);
  load_simulated_cost();
  RankEnvironment environment = simulated_rank(conductor, hosts_per_node());
  environment.report = print;
  environment.leave_idle = [](MPI_Comm world) { MPI_Barrier(world); };
  measure_all(plan, environment);
}

#else

// Ranks outside the communicator sleep between looks, so that those inside have the cores.
void sleep_at_barrier(MPI_Comm world) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(world, &request);
  for (;;) {
    int done = 0;
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done != 0) return;
    const timespec pause{0, 2'000'000};
    nanosleep(&pause, nullptr);
  }
}

void print_lines(std::string_view lines) {
  std::string numbered;
  while (!lines.empty()) {
    const std::string_view line = lines.substr(0, lines.find('\n') + 1);
    numbered += numbering().number(line);
    lines.remove_prefix(line.size());
  }
  print_or_abort(numbered);
}

// "bcast 1 basic_linear": every number and name that the library's control variables tell, without
// MPI_Init. Written when the library is closed: it flushes standard output, too, and would hide why
// that fails.
void print_methods() {
  std::string text;
  std::optional<ControlVariables> variables(std::in_place);
  for (const LibraryInfo& library : libraries()) {
    for (const CollectiveInfo& info : all_collectives()) {
      for (const auto& [algorithm, number] :
           told_algorithms(*variables, library.library, info.collective))
        text += concat(info.name, " ", number, " ", algorithm, "\n");
    }
  }
  variables.reset();
  write_output(text);
}

// "coll_tuned_bcast_algorithm 0": what could change how collectives run. Works without MPI_Init.
void print_settings() {
  std::string text;
  const ControlVariables variables;
  for (const char* prefix : {"coll_", "MPIR_CVAR_"}) {
    for (const auto& [name, value] : variables.read_all(prefix))
      text += concat(name, " ", value, "\n");
  }
  write_output(text);
}

// Prints the settings asked of the library even if a job that obeys them dies. Works without
// MPI_Init.
void print_asked() {
  std::string text;
  const ControlVariables variables;
  for (const protocol::LibraryVariable& variable : asked_settings(variables))
    text += protocol::variable_line(variable);
  write_output(text);
}

void print_library() {
  char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  MPI_Get_library_version(version, &length);
  write_output(concat(version, "\n"));
}

// The questions that need no job, and who prints the answer.
constexpr std::pair<std::string_view, void (*)()> kQuestions[] = {{"--methods", print_methods},
                                                                  {"--settings", print_settings},
                                                                  {"--library", print_library},
                                                                  {"--asked", print_asked}};

// The exit code; none: it is no question.
std::optional<int> answer(int argc, char** argv) {
  for (const auto& [option, print_answer] : kQuestions) {
    if (argc != 2 || option != argv[1]) continue;
    try {
      with_output(print_answer);
      return 0;
    } catch (const std::exception& error) {
      say(concat("colltree-measure: ", error.what(), "\n"));
      return 1;
    }
  }
  return std::nullopt;
}

// NAME=VALUE arguments become environment variables before MPI_Init: any launcher hands over
// arguments, not every one the environment. "NAME=" takes one away.
void set_environment(int first, int argc, char** argv) {
  for (int i = first; i < argc; ++i) {
    const std::string setting = argv[i];
    const std::size_t equals = setting.find('=');
    if (equals + 1 == setting.size()) {
      unsetenv(setting.substr(0, equals).c_str());
    } else if (equals != std::string::npos) {
      setenv(setting.substr(0, equals).c_str(), setting.c_str() + equals + 1, 1);
    }
  }
}

std::unique_ptr<MethodSelector> make_selector(const std::string& source) {
  if (source == "openmpi-rules") return std::make_unique<RulesSelector>();
  if (source == "portable") return nullptr;
  const Library library = parse_library(source);
  if (library == Library::kIntel) return std::make_unique<StartedSelector>(library);
  return std::make_unique<LibrarySelector>(library);
}

void measure_as_rank(const protocol::Plan& plan) {
  if (plan.source == "witness") return run_witness(plan);
  MpiConductor conductor(MPI_COMM_WORLD);
  yield_while_waiting(conductor.clock().oversubscribed());
  LoadGuard guard(MPI_COMM_WORLD, conductor.clock().cores());
  const std::unique_ptr<MethodSelector> selector = make_selector(plan.source);
  RankEnvironment environment;
  environment.selector = selector.get();
  environment.load_guard = &guard;
  environment.conductor = &conductor;
  environment.report = print;
  environment.report_lines = print_lines;
  environment.leave_idle = sleep_at_barrier;
  environment.between_groups = [&conductor](MPI_Comm) { conductor.clock().synchronise(); };
  environment.buffer_pool_bytes = std::size_t{64} << 20;
  measure_all(plan, environment);
}

#endif

// "layout 4 8": nodes, and the ranks on the fullest of them.
int print_layout() {
  const protocol::JobLayout layout = layout_of_job(MPI_COMM_WORLD, {});
  if (rank_in(MPI_COMM_WORLD) == 0)
    print_or_abort(concat("layout ", layout.nodes, " ", layout.ranks_per_node, "\n"));
  return 0;
}

int main_rank(const char* path) {
  if (std::string_view(path) == "--layout") return print_layout();
  const std::string text = share_plan([path] { return protocol::text_of_plan(path); }, path);
  if (text.empty()) return 1;
  measure_as_rank(protocol::read_plan(text, path));
  if (rank_in(MPI_COMM_WORLD) == 0) print(protocol::JobDone{});
  return 0;
}

}  // namespace
}  // namespace colltree::rank

int main(int argc, char** argv) {
#ifndef COLLTREE_SMPI
  colltree::prepare_streams();
  if (const auto code = colltree::rank::answer(argc, argv)) return *code;
  colltree::rank::set_environment(2, argc, argv);
#endif
  MPI_Init(&argc, &argv);
  int code = 2;
  if (argc >= 2) {
    code = colltree::rank::main_rank(argv[1]);
  } else {
    colltree::say("usage: colltree-measure PLAN [NAME=VALUE...] (started by `colltree measure`)\n");
  }
  MPI_Finalize();
  return code;
}
