// SPDX-License-Identifier: BSD-3-Clause
#include "measure/allocation.h"

#include <fmt/core.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <optional>
#include <string_view>
#include <thread>
#include <vector>

#include "base/error.h"
#include "base/process.h"
#include "base/text.h"
namespace colltree::measure {

namespace {

constexpr std::uint64_t kMostAllocated = std::uint64_t{1} << 20;
constexpr double kAnswer_s = 60;

using Variable = std::function<const char*(const char*)>;
using RanksOfNodes = std::vector<std::uint64_t>;  // empty: the text cannot be understood

std::vector<std::string> words_in(std::string_view text) {
  std::vector<std::string> words;
  for (const std::string_view word : split(text, ' '))
    if (!trim(word).empty()) words.emplace_back(trim(word));
  return words;
}

RanksOfNodes counted(const std::vector<std::string>& hosts) {
  std::map<std::string, std::uint64_t> by_host;
  for (const std::string& host : hosts) ++by_host[host];
  RanksOfNodes ranks;
  for (const auto& [host, count] : by_host) ranks.push_back(count);
  return ranks;
}

// The forms in which batch systems say it.

// Slurm's "4(x3),2": three nodes with four each, one with two.
RanksOfNodes repeated_counts(const std::string& text) {
  RanksOfNodes ranks;
  for (const std::string_view part : split(text, ',')) {
    const std::size_t open = std::min(part.find("(x"), part.size());
    const bool is_repeated = open < part.size();
    if (is_repeated && !part.ends_with(')')) return {};
    const auto count = number_of_ranks(part.substr(0, open));
    const auto nodes = is_repeated ? number_of_ranks(part.substr(open + 2, part.size() - open - 3))
                                   : std::optional<std::uint64_t>(1);
    if (!count || !nodes) return {};
    ranks.insert(ranks.end(), *nodes, *count);
  }
  return ranks;
}

// LSF's "hostA 2 hostB 3".
RanksOfNodes counts_behind_hosts(const std::string& text) {
  const std::vector<std::string> words = words_in(text);
  RanksOfNodes ranks;
  for (std::size_t i = 1; i < words.size(); i += 2) {
    const auto count = number_of_ranks(words[i]);
    if (!count) return {};
    ranks.push_back(*count);
  }
  return words.size() % 2 == 0 ? ranks : RanksOfNodes{};
}

std::vector<std::string> lines_of_file(const std::string& path) {
  std::vector<std::string> lines;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);)
    if (!trim(line).empty()) lines.emplace_back(trim(line));
  return lines;
}

// The file of PBS and OAR: a line for each rank.
RanksOfNodes file_of_hosts(const std::string& path) { return counted(lines_of_file(path)); }

// Grid Engine's file: "host ranks queue processors" in each line.
RanksOfNodes file_of_counts(const std::string& path) {
  RanksOfNodes ranks;
  for (const std::string& line : lines_of_file(path)) {
    const std::vector<std::string> words = words_in(line);
    const auto count = words.size() < 2 ? std::nullopt : number_of_ranks(words[1]);
    if (!count) return {};
    ranks.push_back(*count);
  }
  return ranks;
}

// HTCondor's ad of the machine: "Cpus = 4".
RanksOfNodes condor_cores(const std::string& path) {
  for (const std::string& line : lines_of_file(path)) {
    const std::size_t equals = std::min(line.find('='), line.size());
    if (lower(trim(std::string_view(line).substr(0, equals))) != "cpus") continue;
    const auto count = number_of_ranks(line.substr(std::min(equals + 1, line.size())));
    return count ? RanksOfNodes{*count} : RanksOfNodes{};
  }
  return {};
}

// A batch system's variable. It lists the ranks per node in one of the forms above; with `nodes` it
// is one number, of all ranks or per node.
struct Source {
  const char* variable;
  RanksOfNodes (*read)(const std::string& text) = nullptr;
  std::vector<const char*> nodes = {};  // the first that is set
  bool is_each_nodes = false;
};

struct BatchSystem {
  const char* name;
  std::vector<const char*> job;  // one of these is set in each of its jobs
  std::vector<Source> sources;
};

// Within a system the first that is set counts. Flux comes first because its instances run inside
// jobs of the others.
const std::vector<BatchSystem>& batch_systems() {
  static const std::vector<BatchSystem> kSystems = {
      {"Flux", {"FLUX_URI", "FLUX_JOB_ID"}, {{"FLUX_JOB_SIZE", nullptr, {"FLUX_JOB_NNODES"}}}},
      {"Slurm",
       {"SLURM_JOB_ID", "SLURM_JOBID"},
       {{"SLURM_NTASKS", nullptr, {"SLURM_JOB_NUM_NODES", "SLURM_NNODES"}},
        {"SLURM_NPROCS", nullptr, {"SLURM_JOB_NUM_NODES", "SLURM_NNODES"}},
        {"SLURM_TASKS_PER_NODE", repeated_counts},
        {"SLURM_NTASKS_PER_NODE", nullptr, {"SLURM_JOB_NUM_NODES", "SLURM_NNODES"}, true},
        {"SLURM_JOB_CPUS_PER_NODE", repeated_counts}}},
      {"PBS",
       {"PBS_JOBID"},
       {{"PBS_NP", nullptr, {"PBS_NUM_NODES"}},
        {"PBS_NODEFILE", file_of_hosts},
        {"PBS_NUM_PPN", nullptr, {"PBS_NUM_NODES"}, true}}},
      {"LSF",
       {"LSB_JOBID"},
       {{"LSB_MCPU_HOSTS", counts_behind_hosts},
        {"LSB_HOSTS", [](const std::string& hosts) { return counted(words_in(hosts)); }},
        {"LSB_DJOB_HOSTFILE", file_of_hosts},
        {"LSB_DJOB_NUMPROC"}}},
      {"OAR",
       {"OAR_JOB_ID", "OAR_JOBID"},
       {{"OAR_NODEFILE", file_of_hosts}, {"OAR_NODE_FILE", file_of_hosts}}},
      {"PJM", {"PJM_JOBID"}, {{"PJM_MPI_PROC", nullptr, {"PJM_NODE"}}}},
      {"HTCondor",
       {"_CONDOR_JOB_AD", "_CONDOR_SLOT", "_CONDOR_PROCNO"},
       {{"_CONDOR_MACHINE_AD", condor_cores}}},
      {"Cobalt", {"COBALT_JOBID"}, {}},
      {"LoadLeveler", {"LOADL_STEP_ID"}, {}},
      {"Grid Engine",
       {"PE_HOSTFILE", "SGE_TASK_ID"},
       {{"PE_HOSTFILE", file_of_counts}, {"NSLOTS", nullptr, {"NHOSTS"}}}},
  };
  return kSystems;
}

std::string value_of(const Variable& variable, const char* name) {
  const char* text = name == nullptr ? nullptr : variable(name);
  return text == nullptr ? "" : std::string(trim(text));
}

// The first of them that is set; none: null.
const char* first_set(const Variable& variable, const std::vector<const char*>& names) {
  const auto found = std::ranges::find_if(
      names, [&](const char* name) { return !value_of(variable, name).empty(); });
  return found == names.end() ? nullptr : *found;
}

// A job of a batch system: what shows it, and what it says.
struct Job {
  const BatchSystem& system;
  const Variable& variable;
  const char* shown_by;

  [[noreturn]] void not_understood(std::string_view why) const {
    throw Error(fmt::format(
        "--communicator-sizes auto: this is a job of {} ({} is set), {}; give the sizes as a list",
        system.name, shown_by, why));
  }
  std::uint64_t number(const char* name) const {
    const std::string text = value_of(variable, name);
    if (const auto number = number_of_ranks(text)) return *number;
    not_understood(fmt::format("and {}='{}' is no number of ranks or nodes", name, text));
  }
};

Allocation read_list(const Job& job, const Source& source) {
  const std::string text = value_of(job.variable, source.variable);
  RanksOfNodes ranks = source.read(text);
  // On IBM's CSM machines the first host of a job runs its script and none of its ranks.
  if (ranks.size() > 1 && job.variable("CSM_ALLOCATION_ID") != nullptr) ranks.erase(ranks.begin());
  // Each node of a job in HTCondor's parallel universe has what this one has.
  if (ranks.size() == 1 && !value_of(job.variable, "_CONDOR_NPROCS").empty())
    ranks.assign(job.number("_CONDOR_NPROCS"), ranks.front());
  if (ranks.empty() || ranks.size() > kMostAllocated)
    job.not_understood(fmt::format("and {}='{}' does not say ranks", source.variable, text));
  return allocation_of(ranks, source.variable);
}

Allocation read(const Job& job, const Source& source) {
  if (source.read != nullptr) return read_list(job, source);
  const std::uint64_t number = job.number(source.variable);
  const char* nodes_by = first_set(job.variable, source.nodes);
  if (source.is_each_nodes && nodes_by == nullptr)
    job.not_understood(fmt::format("but {} is not", join(source.nodes, " or ")));
  const std::uint64_t nodes = nodes_by == nullptr ? 1 : job.number(nodes_by);
  if (source.is_each_nodes) return {number * nodes, number, source.variable};
  return {number, (number + nodes - 1) / nodes, source.variable};
}

// Within an instance of Flux no variable says what it has.
Allocation ask_flux(const Job& job) {
  const CommandResult result = run_command(
      {"flux", "resource", "list", "-n", "--states=up", "-o", "{nnodes} {ncores}"}, kAnswer_s);
  const std::vector<std::string> words = words_in(result.output);
  const auto nodes = words.size() == 2 ? number_of_ranks(words[0]) : std::nullopt;
  const auto cores = words.size() == 2 ? number_of_ranks(words[1]) : std::nullopt;
  if (!result.failure.empty() || !nodes || !cores) {
    job.not_understood(
        fmt::format("and 'flux resource list' does not say its cores ({})",
                    result.first_error.empty() ? result.output : result.first_error));
  }
  return {*cores, (*cores + *nodes - 1) / *nodes, "flux resource list"};
}

void refuse_heterogeneous(const Job& job) {
  const char* name = first_set(job.variable, {"SLURM_HET_SIZE", "SLURM_PACK_SIZE"});
  const std::string parts = value_of(job.variable, name);
  if (parts.empty() || parts == "1") return;
  job.not_understood(fmt::format(
      "heterogeneous of {} parts by {}; srun without --het-group starts ranks in the first part "
      "only",
      parts, name));
}

std::string names_of(const BatchSystem& system) {
  std::vector<std::string> names;
  for (const Source& source : system.sources) names.emplace_back(source.variable);
  return names.empty() ? "and no variable of it that is known here says its ranks"
                       : fmt::format("but none of {} is", join(names, ", "));
}

std::optional<Allocation> allocation_of_job(const Variable& variable) {
  for (const BatchSystem& system : batch_systems()) {
    const auto said = std::ranges::find_if(system.sources, [&](const Source& source) {
      return !value_of(variable, source.variable).empty();
    });
    const bool is_said = said != system.sources.end();
    const char* shown_by = first_set(variable, system.job);
    if (shown_by == nullptr && !is_said) continue;
    const Job job{system, variable, shown_by != nullptr ? shown_by : said->variable};
    refuse_heterogeneous(job);
    if (is_said) return read(job, *said);
    if (std::string_view(job.shown_by) == "FLUX_URI") return ask_flux(job);
    job.not_understood(names_of(system));
  }
  return std::nullopt;
}

}  // namespace

Allocation find_allocation(const Variable& variable, const std::vector<std::string>& launcher) {
  const bool is_elsewhere = starts_elsewhere(launcher);
  if (const auto hosts = is_elsewhere ? std::nullopt : hosts_of_launcher(launcher)) return *hosts;
  if (const auto of_job = allocation_of_job(variable)) return *of_job;
  if (is_elsewhere) return hosts_elsewhere(launcher);
  if (const auto hosts = hosts_of_variables(variable)) return *hosts;
  const std::uint64_t cores = allowed_cores();
  const bool are_all = cores >= std::thread::hardware_concurrency();
  return {cores, cores,
          are_all ? "the cores of this machine" : "the cores of this machine that may be used"};
}

Allocation find_allocation(const Platform& platform) {
  const CommandResult result = run_command(
      {find_program("colltree-simulate").string(), "--hosts", platform.file.string()}, kAnswer_s);
  const auto hosts = parse_number<std::uint64_t>(trim(result.output));
  if (!result.failure.empty() || !hosts || *hosts < 1) {
    throw Error(fmt::format("{}: cannot count its hosts ({}); give --communicator-sizes",
                            platform.file.string(),
                            result.failure.empty() ? result.output : result.failure));
  }
  return {*hosts, platform.ranks_per_node, platform.file.filename().string()};
}

std::string allocation_text(const Allocation& allocation) {
  return fmt::format("up to {} ranks, {} on a node, by {}", allocation.ranks,
                     allocation.ranks_per_node, allocation.known_from);
}

}  // namespace colltree::measure
