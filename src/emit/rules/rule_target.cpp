// SPDX-License-Identifier: BSD-3-Clause
#include "emit/rules/rule_target.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <climits>

#include "base/error.h"
#include "base/text.h"
#include "emit/rules/formats.h"
#include "emit/rules/mpich_methods.h"
#include "emit/rules/named_methods.h"
#include "emit/rules/openmpi_methods.h"

namespace colltree {

namespace {

constexpr RuleTarget kTargets[] = {
    {"openmpi-4.1", "rules file of Open MPI 4.1 and 5.0 to 5.0.6", Library::kOpenmpi, 41,
     PlacementAxis::kNone, true, true, INT64_MAX, INT_MAX, openmpi_size_key, express_openmpi,
     write_openmpi_text, read_openmpi_text},
    {"openmpi-5.0.7", "rules file, version 2, of Open MPI 5.0.7 and later 5.0", Library::kOpenmpi,
     50, PlacementAxis::kNone, true, true, INT64_MAX, INT_MAX, openmpi_size_key, express_openmpi,
     write_openmpi_text, read_openmpi_text},
    {"openmpi-6", "JSON rules of Open MPI 6", Library::kOpenmpi, 60, PlacementAxis::kNone, true,
     true, INT64_MAX, INT_MAX, openmpi_size_key, express_openmpi, write_openmpi_json,
     read_openmpi_json},
    {"mpich-4.0", "selection file of MPICH 4.0, JSON", Library::kMpich, 40,
     PlacementAxis::kRanksPerNode, true, false, INT_MAX, INT_MAX, mpich_size_key, express_mpich,
     write_mpich_json, read_mpich_json},
    {"mpich-4.1", "selection file of MPICH 4.1, JSON", Library::kMpich, 41,
     PlacementAxis::kRanksPerNode, true, false, INT_MAX, INT_MAX, mpich_size_key, express_mpich,
     write_mpich_json, read_mpich_json},
    {"mpich-4.2", "selection file of MPICH 4.2 and later, JSON", Library::kMpich, 42,
     PlacementAxis::kRanksPerNode, true, false, INT_MAX, INT_MAX, mpich_size_key, express_mpich,
     write_mpich_json, read_mpich_json},
    {"ucc", "UCC_TL_UCP_TUNE for the shell", std::nullopt, 110, PlacementAxis::kNone, true, true,
     INT64_MAX, INT_MAX, ucc_size_key, express_named, write_ucc, read_ucc},
    {"ucc-conf", "section of ucc.conf", std::nullopt, 110, PlacementAxis::kNone, true, true,
     INT64_MAX, INT_MAX, ucc_size_key, express_named, write_ucc_conf, read_ucc},
    {"nccl", "CSV of NCCL's example tuner plugin", std::nullopt, 0, PlacementAxis::kNone, true,
     true, UINT32_MAX, INT_MAX, nccl_size_key, express_named, write_nccl, read_nccl},
    {"intel", "I_MPI_ADJUST variables of Intel MPI", std::nullopt, 0, PlacementAxis::kNone, true,
     true, INT_MAX, INT_MAX, intel_size_key, express_named, write_intel, read_intel},
    {"oneccl", "CCL variables of oneCCL", std::nullopt, 0, PlacementAxis::kNone, false, true,
     INT64_MAX, INT_MAX, oneccl_size_key, express_named, write_oneccl, read_oneccl},
    {"smpi", "options of smpirun", std::nullopt, 0, PlacementAxis::kNone, false, true, INT64_MAX,
     INT_MAX, smpi_size_key, express_named, write_smpi, read_smpi},
    {"rules-csv", "the rules as a table, any method", std::nullopt, 0, PlacementAxis::kRanksPerNode,
     true, true, UINT64_MAX, UINT64_MAX, any_size_key, express_any, write_rules_csv,
     read_rules_csv},
    {"rules-json", "the rules as JSON, any method", std::nullopt, 0, PlacementAxis::kRanksPerNode,
     true, true, UINT64_MAX, UINT64_MAX, any_size_key, express_any, write_rules_json,
     read_rules_json},
};

// The first version that reads a target's files, by library and from old to new.
struct Reader {
  std::string_view library;
  std::array<int, 3> since;
  const char* target;
};

constexpr Reader kReaders[] = {
    {"openmpi", {4, 1, 0}, "openmpi-4.1"}, {"openmpi", {5, 0, 7}, "openmpi-5.0.7"},
    {"openmpi", {6, 0, 0}, "openmpi-6"},   {"mpich", {4, 0, 0}, "mpich-4.0"},
    {"mpich", {4, 1, 0}, "mpich-4.1"},     {"mpich", {4, 2, 0}, "mpich-4.2"}};

// "5.0.8rc1" -> 5, 0, 8.
std::array<int, 3> version_numbers(std::string_view text) {
  std::array<int, 3> numbers{};
  std::size_t part = 0;
  for (const std::string_view word : split(text, '.')) {
    const std::string_view digits = word.substr(0, word.find_first_not_of("0123456789"));
    if (part < numbers.size()) numbers[part++] = parse_number<int>(digits).value_or(0);
  }
  return numbers;
}

}  // namespace

std::span<const RuleTarget> rule_targets() { return kTargets; }

const RuleTarget& find_rule_target(std::string_view name) {
  const auto* found = std::ranges::find_if(
      kTargets, [&](const RuleTarget& one) { return std::string_view(one.name) == name; });
  if (found != std::end(kTargets)) return *found;
  std::vector<std::string> names;
  for (const RuleTarget& one : kTargets) names.emplace_back(one.name);
  const std::string hint = did_you_mean(name, names);
  throw UsageError(
      fmt::format("unknown format of rules '{}'{}", name,
                  hint.empty() ? fmt::format("; known are {}", fmt::join(names, ", ")) : hint));
}

const RuleTarget& rule_target_of(std::string_view mpi) {
  const std::size_t dash = std::min(mpi.find('-'), mpi.size());
  const std::string_view library = mpi.substr(0, dash);
  const auto version = version_numbers(mpi.substr(std::min(dash + 1, mpi.size())));
  const char* target = nullptr;
  for (const Reader& reader : kReaders) {
    if (reader.library == library && reader.since <= version) target = reader.target;
  }
  if (target == nullptr)
    throw Error(fmt::format(
        "{}: no format of rules is known for it (Open MPI from 4.1, MPICH from 4.0)", mpi));
  return find_rule_target(target);
}

std::vector<std::string> settings_to_load(Library library, const std::string& file) {
  if (library == Library::kMpich)
    return {"MPIR_CVAR_DEVICE_COLLECTIVES=none",
            "MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE=" + file};
  return {"OMPI_MCA_coll_tuned_use_dynamic_rules=1",
          "OMPI_MCA_coll_tuned_dynamic_rules_filename=" + file};
}

std::vector<std::string> collectives_of(const RuleTarget& target) {
  std::vector<std::string> names;
  for (const CollectiveInfo& info : all_collectives()) {
    if (target.size_key(info.collective)) names.emplace_back(info.name);
  }
  return names;
}

std::optional<Collective> read_collective(const RuleTarget& target, std::string_view word,
                                          std::size_t line, RuleFile& file) {
  const auto found = find_collective(word);
  if (found && target.size_key(*found)) return found;
  file.error(line, fmt::format("unknown collective '{}'{}", word,
                               did_you_mean(word, collectives_of(target))));
  return std::nullopt;
}

std::uint64_t message_key(SizeKey key, const Instance& at) {
  if (key == SizeKey::kNone) return 0;
  if (key == SizeKey::kMessage) return at.message_size;
  std::uint64_t product = 0;
  const bool over = __builtin_mul_overflow(at.message_size, at.communicator_size, &product);
  return over ? UINT64_MAX : product;
}

std::string_view name(Severity severity) {
  static constexpr std::string_view kNames[] = {"error", "unsafe", "warning"};
  return kNames[static_cast<std::size_t>(severity)];
}

RuleQuery query_of(const RuleTarget& target, const Instance& at) {
  RuleQuery query = query_of(at);
  const auto key = target.size_key(at.collective);
  query.message = key ? message_key(*key, at) : 0;
  return query;
}

const Rule* find_rule(const RuleTarget& target, const RuleSet& rules, const Instance& at) {
  const CollectiveRules* own = rules.find(at.collective);
  return own == nullptr ? nullptr : find_rule(*own, query_of(target, at));
}

Method decide(const RuleTarget& target, const RuleSet& rules, const Instance& at) {
  const Rule* rule = find_rule(target, rules, at);
  return rule == nullptr ? library_default() : rule->method;
}

}  // namespace colltree
