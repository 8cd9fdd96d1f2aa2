// SPDX-License-Identifier: BSD-3-Clause
#include "emit/rules/rule_target.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <climits>
#include <filesystem>
#include <iterator>
#include <map>
#include <set>

#include "base/error.h"
#include "base/file.h"
#include "base/printable.h"
#include "base/text.h"
#include "emit/rules/formats.h"
#include "emit/rules/mpich_merge.h"
#include "emit/rules/mpich_methods.h"
#include "emit/rules/named_methods.h"
#include "emit/rules/openmpi_han.h"
#include "emit/rules/openmpi_methods.h"
#include "emit/rules/rule_set.h"
#include "emit/rules/safety.h"

namespace colltree {

namespace {

std::vector<std::string> settings_of_tuned(const std::string& file) {
  return {"OMPI_MCA_coll_tuned_use_dynamic_rules=1",
          "OMPI_MCA_coll_tuned_dynamic_rules_filename=" + file};
}

std::vector<std::string> settings_of_mpich(const std::string& file) {
  return {"MPIR_CVAR_DEVICE_COLLECTIVES=none", "MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE=" + file};
}

constexpr RuleTarget kTargets[] = {
    {"openmpi-4.1",
     "rules file of Open MPI 4.1 and 5.0 to 5.0.6",
     {"Open MPI", "4.1", "5.0.6", "run: 4.1.4"},
     Library::kOpenmpi,
     41,
     PlacementAxis::kNone,
     true,
     true,
     INT64_MAX,
     INT_MAX,
     openmpi_size_key,
     express_openmpi,
     write_openmpi_text,
     read_openmpi_text,
     nullptr,
     settings_of_tuned},
    {"openmpi-5.0.7",
     "rules file, version 2, of Open MPI 5.0.7 and later 5.0",
     {"Open MPI", "5.0.7", "5.0", "run: 5.0.7"},
     Library::kOpenmpi,
     50,
     PlacementAxis::kNone,
     true,
     true,
     INT64_MAX,
     INT_MAX,
     openmpi_size_key,
     express_openmpi,
     write_openmpi_text,
     read_openmpi_text,
     nullptr,
     settings_of_tuned},
    {kHanTarget,
     "rules file of Open MPI 5's coll/han: who carries out a call on several nodes",
     {"Open MPI", "5.0", "5.0", "run: 5.0.7 on 4 nodes"},
     std::nullopt,
     50,
     PlacementAxis::kNone,
     true,
     true,
     INT64_MAX,
     INT_MAX,
     han_size_key,
     express_han,
     write_openmpi_han,
     read_openmpi_han,
     nullptr,
     settings_of_han},
    {"openmpi-6",
     "JSON rules of Open MPI 6",
     {"Open MPI", "6.0", "6", "its sources of 2026; not run"},
     Library::kOpenmpi,
     60,
     PlacementAxis::kDistribution,
     true,
     true,
     INT64_MAX,
     INT_MAX,
     openmpi_size_key,
     express_openmpi,
     write_openmpi_json,
     read_openmpi_json,
     nullptr,
     settings_of_tuned},
    {"mpich-4.0",
     "selection file of MPICH 4.0, JSON",
     {"MPICH", "4.0", "4.0", "run: 4.0.2"},
     Library::kMpich,
     40,
     PlacementAxis::kRanksPerNode,
     true,
     false,
     INT_MAX,
     INT_MAX,
     mpich_size_key,
     express_mpich,
     write_mpich_json,
     read_mpich_json,
     merge_mpich_json,
     settings_of_mpich},
    {"mpich-4.1",
     "selection file of MPICH 4.1, JSON",
     {"MPICH", "4.1", "4.1", "its sources; not run"},
     Library::kMpich,
     41,
     PlacementAxis::kRanksPerNode,
     true,
     false,
     INT_MAX,
     INT_MAX,
     mpich_size_key,
     express_mpich,
     write_mpich_json,
     read_mpich_json,
     merge_mpich_json,
     settings_of_mpich},
    {"mpich-4.2",
     "selection file of MPICH 4.2 and later, JSON",
     {"MPICH", "4.2", "4.3", "run: 4.2.1"},
     Library::kMpich,
     42,
     PlacementAxis::kRanksPerNode,
     true,
     false,
     INT_MAX,
     INT_MAX,
     mpich_size_key,
     express_mpich,
     write_mpich_json,
     read_mpich_json,
     merge_mpich_json,
     settings_of_mpich},
    {"ucc",
     "UCC_TL_UCP_TUNE for the shell",
     {"UCC", "", "1.10", "its sources; not run"},
     std::nullopt,
     110,
     PlacementAxis::kNone,
     true,
     true,
     INT64_MAX,
     INT_MAX,
     ucc_size_key,
     express_named,
     write_ucc,
     read_ucc},
    {"ucc-conf",
     "section of ucc.conf",
     {"UCC", "", "1.10", "its sources; not run"},
     std::nullopt,
     110,
     PlacementAxis::kNone,
     true,
     true,
     INT64_MAX,
     INT_MAX,
     ucc_size_key,
     express_named,
     write_ucc_conf,
     read_ucc},
    {"nccl",
     "CSV of NCCL's example tuner plugin",
     {"NCCL", "", "", "the example tuner plugin, interfaces 4 to 7; run: its code, interface 6"},
     std::nullopt,
     0,
     PlacementAxis::kNone,
     true,
     true,
     UINT32_MAX,
     INT_MAX,
     nccl_size_key,
     express_named,
     write_nccl,
     read_nccl},
    {"intel",
     "I_MPI_ADJUST variables of Intel MPI",
     {"Intel MPI", "", "2021.15", "its manual; not run"},
     std::nullopt,
     0,
     PlacementAxis::kNone,
     true,
     true,
     INT_MAX,
     INT_MAX,
     intel_size_key,
     express_named,
     write_intel,
     read_intel},
    {"oneccl",
     "CCL variables of oneCCL",
     {"oneCCL", "", "2021.15", "its manual; not run"},
     std::nullopt,
     0,
     PlacementAxis::kNone,
     false,
     true,
     INT64_MAX,
     INT_MAX,
     oneccl_size_key,
     express_named,
     write_oneccl,
     read_oneccl},
    {"smpi",
     "options of smpirun",
     {"SimGrid", "", "4.0", "run: 3.32"},
     std::nullopt,
     0,
     PlacementAxis::kNone,
     false,
     true,
     INT64_MAX,
     INT_MAX,
     smpi_size_key,
     express_named,
     write_smpi,
     read_smpi},
    {"rules-csv",
     "the rules as a table, any method",
     {"", "", "", ""},
     std::nullopt,
     0,
     PlacementAxis::kRanksPerNode,
     true,
     true,
     UINT64_MAX,
     UINT64_MAX,
     any_size_key,
     express_any,
     write_rules_csv,
     read_rules_csv,
     nullptr,
     nullptr,
     true},
    {"rules-json",
     "the rules as JSON, any method",
     {"", "", "", ""},
     std::nullopt,
     0,
     PlacementAxis::kRanksPerNode,
     true,
     true,
     UINT64_MAX,
     UINT64_MAX,
     any_size_key,
     express_any,
     write_rules_json,
     read_rules_json,
     nullptr,
     nullptr,
     true},
};

// The first version that reads a target's files, by library and from old to new.
struct LibraryReader {
  std::string_view library;
  std::array<int, 3> since;
  const char* target;
};

constexpr LibraryReader kReaders[] = {
    {"openmpi", {4, 1, 0}, "openmpi-4.1"}, {"openmpi", {5, 0, 7}, "openmpi-5.0.7"},
    {"openmpi", {6, 0, 0}, "openmpi-6"},   {"mpich", {4, 0, 0}, "mpich-4.0"},
    {"mpich", {4, 1, 0}, "mpich-4.1"},     {"mpich", {4, 2, 0}, "mpich-4.2"}};

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
                  hint.empty() ? fmt::format("; known are {}", join(names, ", ")) : hint));
}

const RuleTarget& rule_target_of(std::string_view mpi) {
  const std::size_t dash = std::min(mpi.find('-'), mpi.size());
  const std::string_view library = mpi.substr(0, dash);
  const auto version = version_numbers(mpi.substr(std::min(dash + 1, mpi.size())));
  const char* target = nullptr;
  for (const LibraryReader& reader : kReaders) {
    if (reader.library == library && reader.since <= version) target = reader.target;
  }
  if (target == nullptr)
    throw Error(fmt::format(
        "{}: no format of rules is known for it (Open MPI from 4.1, MPICH from 4.0)", mpi));
  const RuleTarget& found = find_rule_target(target);
  if (is_newer(found.versions, mpi.substr(dash + 1)))
    throw Error(fmt::format("{}: newer than the versions whose rules are known: {}", mpi,
                            text(found.versions)));
  return found;
}

std::vector<std::string> settings_to_load(const std::vector<RulesFile>& files) {
  std::vector<std::string> settings;
  for (const RulesFile& file : files) {
    std::ranges::move(file.target->settings(std::filesystem::absolute(file.name).string()),
                      std::back_inserter(settings));
  }
  return settings;
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

// What is wrong with rules beyond their form.

namespace {

class Checker {
 public:
  Checker(const RuleTarget& target, RuleFile& file) : target_(target), file_(file) {}

  void check() {
    for (const CollectiveRules& one : file_.rules.collectives) {
      for (const Rule* rule : unreachable_rules(one)) {
        file_.warn(rule->line, fmt::format("{}: the rule is never reached", name(one.collective)));
      }
      check_safety(one);
      check_sizes(one);
    }
    check_calls(kCallsReduce, Collective::kReduce);
    check_calls(kCallsBcast, Collective::kBcast);
    std::ranges::stable_sort(file_.defects, {}, &Defect::line);
  }

 private:
  void check_safety(const CollectiveRules& rules) {
    if (target_.library == Library::kMpich) return;  // its reader knows what a chain has excluded
    for (const Rule& rule : rules.rules) {
      const std::string hazard = hazard_of(target_, rules.collective, rule, RuleUnit::kKey);
      if (!hazard.empty()) file_.unsafe(rule.line, hazard);
    }
    if (!needs_one_size(target_, rules.collective)) return;
    for (const RuleRow& row : rows_of(rules)) {
      if (row.size() < 2) continue;
      file_.unsafe(
          row[1].line,
          fmt::format("{}: more than one message size: not all ranks know the size that rules "
                      "are looked up with, so they can choose differently and hang",
                      name(rules.collective)));
    }
  }

  void check_sizes(const CollectiveRules& rules) {
    const auto key = target_.size_key(rules.collective);
    const std::vector<RuleRow> rows = rows_of(rules);
    if (key == SizeKey::kNone) {
      for (const RuleRow& row : rows) {
        const bool several = std::ranges::any_of(row, [](const Rule& rule) {
          return rule.message.least != 0 || rule.message.most != UINT64_MAX;
        });
        if (several) {
          file_.warn(row.back().line,
                     fmt::format("{}: rules of {} cannot depend on the message size",
                                 name(rules.collective), target_.name));
        }
      }
    }
    if (key == SizeKey::kTimesRanks) check_unit(rules.collective, rows);
  }

  // Sizes in bytes x ranks differ from one communicator size to the next; the same list everywhere
  // was most likely written in bytes of one rank.
  void check_unit(Collective collective, const std::vector<RuleRow>& rows) {
    const auto sizes = [](const RuleRow& row) {
      std::vector<std::uint64_t> values;
      for (const Rule& rule : row) values.push_back(rule.message.most);
      return values;
    };
    for (std::size_t i = 1; i < rows.size(); ++i) {
      const Rule& one = rows[i][0];
      const Rule& before = rows[i - 1][0];
      if (one.required != before.required || one.excluded != before.excluded ||
          !same_placement(one, before))
        continue;
      if (rows[i].size() < 2 || sizes(rows[i]) != sizes(rows[i - 1])) continue;
      file_.warn(
          rows[i][1].line,
          fmt::format(
              "{}: the same message sizes as from line {} on; they are compared with bytes of "
              "one block x ranks and look like bytes of one block",
              name(collective), rows[i - 1][0].line));
      return;
    }
  }

  // Algorithms that run another collective of the communicator are as safe as its rules.
  void check_calls(std::uint32_t hazard, Collective callee) {
    const CollectiveRules* called = file_.rules.find(callee);
    if (called == nullptr || target_.library != Library::kOpenmpi) return;
    const auto bad = std::ranges::find_if(
        called->rules, [&](const Rule& rule) { return !hazard_of(target_, callee, rule).empty(); });
    if (bad == called->rules.end()) return;
    for (const CollectiveRules& one : file_.rules.collectives) {
      for (const Rule& rule : one.rules) {
        const LibraryAlgorithm* algorithm =
            find_algorithm(Library::kOpenmpi, one.collective, rule.method.algorithm);
        if (algorithm == nullptr || (algorithm->hazards & hazard) == 0) continue;
        file_.unsafe(rule.line, fmt::format("{} {} calls {}, whose rule in line {} is unsafe",
                                            name(one.collective), algorithm->algorithm,
                                            name(callee), bad->line));
      }
    }
  }

  const RuleTarget& target_;
  RuleFile& file_;
};

}  // namespace

namespace {

// A file for a version that nobody has looked at may mean something else than it did.
void check_version(const RuleTarget& target, std::string_view content, RuleFile& file) {
  if (*target.versions.library == '\0') return;
  const StatedVersion stated = stated_version(target.versions, content);
  const bool bounded = *target.versions.last != '\0';
  if (stated.version.empty() || (bounded && !is_newer(target.versions, stated.version))) return;
  file.add(stated.line, bounded ? Severity::kError : Severity::kWarning,
           fmt::format("the file says it is for {} {}; known is {}", target.versions.library,
                       stated.version, text(target.versions)));
}

}  // namespace

RuleFile check_rules(const RuleTarget& target, std::string_view content) {
  RuleFile file = target.read(target, content);
  Checker(target, file).check();
  check_version(target, content, file);
  for (Defect& defect : file.defects) defect.text = printable(defect.text);
  return file;
}

RuleFile require_readable(const RuleTarget& target, const std::string& path) {
  RuleFile file = check_rules(target, read_file(path, kMostModelBytes));
  for (const Defect& one : file.defects) {
    if (one.severity == Severity::kError)
      throw Error(fmt::format("{}:{}: not fit for {}: {}", path, one.line, target.name, one.text));
  }
  return file;
}

}  // namespace colltree
