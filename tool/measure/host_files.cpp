// SPDX-License-Identifier: BSD-3-Clause
#include "measure/host_files.h"

#include <fmt/core.h>
#include <sched.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <numeric>
#include <string_view>

#include "base/error.h"
#include "base/text.h"
#include "measure/installed_library.h"
#include "protocol/plan.h"

namespace colltree::measure {

std::optional<std::uint64_t> number_of_ranks(std::string_view text) {
  return find_whole(trim(text), protocol::kRanksPerNode);
}

Allocation allocation_of(std::span<const std::uint64_t> ranks, std::string known_from) {
  return {std::accumulate(ranks.begin(), ranks.end(), std::uint64_t{0}), std::ranges::max(ranks),
          std::move(known_from)};
}

namespace {

[[noreturn]] void refuse_hosts(const std::string& from, const std::string& why) {
  throw Error(
      fmt::format("--communicator-sizes auto: {}: {}; give the sizes as a list", from, why));
}

// One host of a list: "n1", "n1:4", "user@n1 slots=4 max_slots=8".
struct Host {
  std::string name;
  std::optional<std::uint64_t> slots;
};

Host read_host(const std::string& from, std::string_view text) {
  const std::size_t end = text.find_first_of(" \t");
  const std::string_view first = text.substr(0, end);
  const std::size_t colon = std::min(first.find(':'), first.size());
  Host host{std::string(first.substr(0, colon)), std::nullopt};
  std::string_view count = first.substr(std::min(colon + 1, first.size()));
  std::string rest(end == std::string_view::npos ? "" : text.substr(end));
  for (std::size_t offset; (offset = rest.find(" =")) != std::string::npos ||
                           (offset = rest.find("= ")) != std::string::npos;)
    rest.erase(rest[offset] == ' ' ? offset : offset + 1, 1);
  for (const std::string_view word : split(rest, ' ')) {
    for (const std::string_view key : {"slots=", "cpu=", "count="})
      if (word.starts_with(key)) count = word.substr(key.size());
  }
  if (count.empty()) return host;
  host.slots = number_of_ranks(count);
  if (!host.slots)
    refuse_hosts(from, fmt::format("'{}' is no number of ranks of {}", count, host.name));
  return host;
}

bool is_this_machine(const std::string& host) {
  return host == "localhost" || host == "127.0.0.1" || host == host_name();
}

// A host that stands several times has one rank for each; one that stands once without a number
// has as many as the launcher finds cores there. `node_ranks`: what the launcher is asked for.
Allocation ranks_of(const std::string& from, const std::vector<Host>& hosts,
                    std::optional<std::uint64_t> node_ranks) {
  struct Entry {
    std::uint64_t slots = 0;
    std::size_t times = 0;
    bool is_said = false;
  };
  std::map<std::string, Entry> by_name;
  for (const Host& host : hosts) {
    Entry& entry = by_name[host.name];
    entry.slots += host.slots.value_or(1);
    entry.is_said = entry.is_said || host.slots.has_value();
    ++entry.times;
  }
  std::vector<std::uint64_t> ranks;
  for (const auto& [name, entry] : by_name) {
    std::uint64_t slots = entry.slots;
    if (!entry.is_said && entry.times == 1) {
      if (!node_ranks && !is_this_machine(name))
        refuse_hosts(from,
                     fmt::format("it does not say the ranks of {0} ('{0} slots=N' of Open MPI, "
                                 "'{0}:N' of MPICH and Intel MPI)",
                                 name));
      slots = allowed_cores();
    }
    ranks.push_back(node_ranks ? entry.is_said ? std::min(slots, *node_ranks) : *node_ranks
                               : slots);
  }
  if (ranks.empty()) refuse_hosts(from, "it names no host");
  return allocation_of(ranks, from);
}

// `named_by`: the option or variable.
Allocation read_host_file(std::string_view named_by, const std::string& path,
                          std::optional<std::uint64_t> node_ranks) {
  const std::string from = fmt::format("{} {}", named_by, path);
  std::ifstream file(path);
  if (!file) refuse_hosts(from, fmt::format("{} cannot be read", path));
  std::vector<Host> hosts;
  for (std::string line; std::getline(file, line);) {
    const std::string_view text = trim(std::string_view(line).substr(0, line.find('#')));
    if (text.empty()) continue;
    // "rank 0=n1 slot=0" of a rank file
    const bool is_rank = text.starts_with("rank ") && text.find('=') < text.size();
    hosts.push_back(read_host(from, is_rank ? text.substr(text.find('=') + 1) : text));
    if (is_rank) hosts.back().slots = 1;
  }
  return ranks_of(from, hosts, node_ranks);
}

Allocation read_host_list(const std::string& from, std::string_view text,
                          std::optional<std::uint64_t> node_ranks) {
  std::vector<Host> hosts;
  for (const std::string_view part : split(text, ',')) {
    if (!trim(part).empty()) hosts.push_back(read_host(from, trim(part)));
  }
  for (Host& host : hosts) host.slots = host.slots.value_or(node_ranks.value_or(1));
  return ranks_of(from, hosts, node_ranks);
}

constexpr std::string_view kFileOptions[] = {"-f",
                                             "-hostfile",
                                             "--hostfile",
                                             "-machinefile",
                                             "--machinefile",
                                             "-default-hostfile",
                                             "--default-hostfile",
                                             "-rf",
                                             "-rankfile",
                                             "--rankfile"};
constexpr std::string_view kListOptions[] = {"-H", "-host", "--host", "-hosts", "--hosts"};
constexpr std::string_view kNodeRanks[] = {
    "-ppn", "--ppn", "-perhost", "--perhost", "-npernode", "--npernode", "--ntasks-per-node"};
constexpr std::string_view kNodes[] = {"-N", "--nodes"};
constexpr std::string_view kVariables[] = {"OMPI_MCA_orte_default_hostfile",
                                           "PRTE_MCA_prte_default_hostfile", "HYDRA_HOST_FILE",
                                           "I_MPI_HYDRA_HOST_FILE"};
// They start ranks on other machines whatever stands in the environment.
constexpr std::string_view kElsewhere[] = {"srun", "salloc", "aprun", "jsrun",
                                           "lrun", "flux",   "ssh"};

template <std::size_t count>
bool is_among(std::string_view word, const std::string_view (&words)[count]) {
  return std::ranges::count(words, word) > 0;
}

// The values of the options, joined by commas: "--host a --host=b".
template <std::size_t count>
std::optional<std::pair<std::string, std::string>> option_value(
    const std::vector<std::string>& command, const std::string_view (&options)[count]) {
  std::optional<std::pair<std::string, std::string>> found;
  for (std::size_t i = 1; i < command.size(); ++i) {
    const std::size_t equals = std::min(command[i].find('='), command[i].size());
    const std::string option = command[i].substr(0, equals);
    const bool is_one_word = equals < command[i].size();
    if (!is_among(option, options) || (!is_one_word && i + 1 == command.size())) continue;
    const std::string value = is_one_word ? command[i].substr(equals + 1) : command[i + 1];
    found = std::pair(option, found ? found->second + "," + value : value);
  }
  return found;
}

// "-ppn 4", "-N 4" of Open MPI's mpirun, "--map-by ppr:4:node".
std::optional<std::uint64_t> node_ranks_of(const std::vector<std::string>& command) {
  constexpr std::string_view kOne[] = {"-N"};
  if (const auto said = option_value(command, kNodeRanks)) return number_of_ranks(said->second);
  if (const auto said = option_value(command, kOne)) return number_of_ranks(said->second);
  for (const std::string& word : command) {
    const std::vector<std::string_view> parts = split(word, ':');
    if (parts.size() > 2 && parts[0] == "ppr" && parts[2] == "node")
      return number_of_ranks(parts[1]);
  }
  return std::nullopt;
}

// NAME=VALUE of `env`, and what stands behind --mca.
std::string variable_in(const std::vector<std::string>& command, std::string_view name) {
  constexpr std::string_view kMca = "_MCA_";
  const std::size_t mca = name.find(kMca);
  for (std::size_t i = 0; i < command.size(); ++i) {
    const std::string_view word = command[i];
    if (word.size() > name.size() && word.starts_with(name) && word[name.size()] == '=')
      return command[i].substr(name.size() + 1);
    if (mca < name.size() && word == name.substr(mca + kMca.size()) && i + 1 < command.size())
      return command[i + 1];
  }
  return "";
}

}  // namespace

std::optional<Allocation> hosts_of_launcher(const std::vector<std::string>& command) {
  const auto node_ranks = node_ranks_of(command);
  if (const auto list = option_value(command, kListOptions))
    return read_host_list(list->first, list->second, node_ranks);
  if (const auto file = option_value(command, kFileOptions))
    return read_host_file(file->first, file->second, node_ranks);
  for (const std::string_view name : kVariables) {
    if (const std::string file = variable_in(command, name); !file.empty())
      return read_host_file(name, file, node_ranks);
  }
  return std::nullopt;
}

bool starts_elsewhere(const std::vector<std::string>& command) {
  const auto program = std::ranges::find_if(command, [](const std::string& word) {
    return word != "env" && word.find('=') == std::string::npos;
  });
  return program != command.end() &&
         is_among(std::string_view(*program).substr(program->rfind('/') + 1), kElsewhere);
}

// srun -N 2 --ntasks-per-node 4 outside a job.
Allocation hosts_elsewhere(const std::vector<std::string>& command) {
  const auto nodes = option_value(command, kNodes);
  const auto number = nodes ? number_of_ranks(nodes->second) : std::nullopt;
  const auto ranks = option_value(command, kNodeRanks);
  const auto node_ranks = ranks ? number_of_ranks(ranks->second) : std::nullopt;
  if (!number || !node_ranks)
    refuse_hosts(
        "'" + join(command, " ") + "'",
        "it starts ranks on other machines, and its words do not say nodes and ranks per node");
  return {*number * *node_ranks, *node_ranks, fmt::format("{} and {}", nodes->first, ranks->first)};
}

namespace {

// Open MPI's parameters of the user, where they name a default host file.
std::string file_of_parameters(const char* home) {
  std::ifstream parameters(home == nullptr ? "" : std::string(home) + "/.openmpi/mca-params.conf");
  std::string file;
  for (std::string line; std::getline(parameters, line);) {
    const std::string_view text = trim(std::string_view(line).substr(0, line.find('#')));
    const std::size_t equals = std::min(text.find('='), text.size());
    if (trim(text.substr(0, equals)) == "orte_default_hostfile")
      file = trim(text.substr(std::min(equals + 1, text.size())));
  }
  return file;
}

}  // namespace

std::optional<Allocation> hosts_of_variables(
    const std::function<const char*(const char*)>& variable) {
  for (const std::string_view name : kVariables) {
    const char* file = variable(name.data());
    if (file != nullptr && *file != '\0') return read_host_file(name, file, std::nullopt);
  }
  const std::string file = file_of_parameters(variable("HOME"));
  if (file.empty()) return std::nullopt;
  return read_host_file("orte_default_hostfile", file, std::nullopt);
}

namespace {

// "200000 100000" of cgroups of version 2 in the group and those above it; UINT64_MAX: none limits.
std::uint64_t quota_cores() {
  std::ifstream groups("/proc/self/cgroup");
  std::uint64_t cores = UINT64_MAX;
  for (std::string line; std::getline(groups, line);) {
    if (!line.starts_with("0::")) continue;
    for (std::string group = line.substr(3);; group.erase(group.rfind('/'))) {
      std::ifstream limit("/sys/fs/cgroup" + group + "/cpu.max");
      double quota_us = 0;
      double period_us = 0;
      if (limit >> quota_us >> period_us && period_us > 0)
        cores = std::min(
            cores, std::max<std::uint64_t>(1, static_cast<std::uint64_t>(quota_us / period_us)));
      if (group.find('/') == std::string::npos) break;
    }
  }
  return cores;
}

}  // namespace

std::uint64_t allowed_cores() {
  constexpr int kMostCores = 1 << 16;
  cpu_set_t* mask = CPU_ALLOC(kMostCores);
  const std::size_t bytes = CPU_ALLOC_SIZE(kMostCores);
  const bool is_known = sched_getaffinity(0, bytes, mask) == 0;
  const int allowed = is_known ? CPU_COUNT_S(bytes, mask) : 1;
  CPU_FREE(mask);
  return std::min(quota_cores(), static_cast<std::uint64_t>(std::max(1, allowed)));
}

}  // namespace colltree::measure
