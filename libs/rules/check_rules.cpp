// SPDX-License-Identifier: BSD-3-Clause
#include "rules/check_rules.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <span>
#include <vector>

#include "base/error.h"
#include "base/input.h"
#include "base/text.h"
#include "coll/collective.h"
#include "rules/rule_set.h"
#include "rules/safety.h"
#include "rules/script.h"

namespace colltree::rules {

namespace {

class Checker {
 public:
  Checker(const RuleTarget& target, const RuleSet& rules, RuleFile& file)
      : target_(target), rules_(rules), file_(file) {}

  void check() {
    for (const CollectiveRules& collective_rules : rules_.collectives) {
      for (const Rule* rule : unreachable_rules(collective_rules)) {
        file_.warn(rule->line,
                   fmt::format("{}: the rule is never reached", name(collective_rules.collective)));
      }
      check_safety(collective_rules);
      check_sizes(collective_rules);
    }
    check_calls(kCallsReduce, Collective::kReduce);
    check_calls(kCallsBcast, Collective::kBcast);
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
      return mapped(row, [](const Rule& rule) { return rule.message.most; });
    };
    for (std::size_t i = 1; i < rows.size(); ++i) {
      const Rule& rule = rows[i][0];
      const Rule& before = rows[i - 1][0];
      if (rule.required != before.required || rule.excluded != before.excluded ||
          !same_placement(rule, before))
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
    const CollectiveRules* called = rules_.find(callee);
    if (called == nullptr || target_.library != Library::kOpenmpi) return;
    const auto bad = std::ranges::find_if(
        called->rules, [&](const Rule& rule) { return !hazard_of(target_, callee, rule).empty(); });
    if (bad == called->rules.end()) return;
    for (const CollectiveRules& collective_rules : rules_.collectives) {
      for (const Rule& rule : collective_rules.rules) {
        const LibraryAlgorithm* algorithm =
            find_algorithm(Library::kOpenmpi, collective_rules.collective, rule.method.algorithm);
        if (algorithm == nullptr || (algorithm->hazards & hazard) == 0) continue;
        file_.unsafe(rule.line, fmt::format("{} {} calls {}, whose rule in line {} is unsafe",
                                            name(collective_rules.collective), algorithm->algorithm,
                                            name(callee), bad->line));
      }
    }
  }

  const RuleTarget& target_;
  const RuleSet& rules_;
  RuleFile& file_;
};

// Variables that choose algorithms of a library: how they begin and what else stands in them.
struct ChoosingVariables {
  std::string_view family;
  std::string_view part;
  const char* library;
};
constexpr ChoosingVariables kChoosing[] = {{"I_MPI_", "ADJUST_", "Intel MPI"},
                                           {"I_MPI_", "TUNING", "Intel MPI"},
                                           {"OMPI_MCA_", "coll_", "Open MPI"},
                                           {"MPIR_CVAR_", "COLL", "MPICH"},
                                           {"MPIR_CVAR_", "ALGORITHM", "MPICH"},
                                           {"UCC_", "_TUNE", "UCC"},
                                           {"NCCL_", "ALGO", "NCCL"},
                                           {"NCCL_", "PROTO", "NCCL"},
                                           {"NCCL_", "TUNER", "NCCL"}};

struct ChoosingSetting {
  Assignment setting;
  const char* library;
};

// Lists the settings of these variables in a script, each place once, without `but_family`.
std::vector<ChoosingSetting> choosing_settings(std::string_view content,
                                               std::string_view but_family) {
  std::vector<ChoosingSetting> found;
  for (const ChoosingVariables& row : kChoosing) {
    if (row.family == but_family) continue;
    for (const ScriptRun& run : read_runs(content, row.family)) {
      for (const Assignment& assignment : run.settings) {
        const bool chooses = assignment.variable.find(row.part) != std::string::npos;
        const bool known = std::ranges::any_of(found, [&](const ChoosingSetting& before) {
          return before.setting.line == assignment.line &&
                 before.setting.variable == assignment.variable;
        });
        if (chooses && !known) found.push_back({assignment, row.library});
      }
    }
  }
  return found;
}

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
  RuleFile file = target.read(content);
  Checker(target, file.rules, file).check();
  for (const RunRules& run : file.runs) {
    RuleFile found;
    Checker(target, run.rules, found).check();
    for (Defect& defect : found.defects) {
      if (std::ranges::count(file.defects, defect) == 0) file.defects.push_back(std::move(defect));
    }
  }
  if (!target.family.empty()) {
    for (const ChoosingSetting& setting : choosing_settings(content, target.family))
      file.warn(setting.setting.line,
                fmt::format("{} is a setting of {}: not taken into account here",
                            setting.setting.variable, setting.library));
  }
  std::ranges::stable_sort(file.defects, {}, &Defect::line);
  check_version(target, content, file);
  for (Defect& defect : file.defects) defect.text = printable(defect.text);
  return file;
}

RuleFile require_readable(const RuleTarget& target, const std::string& path) {
  RuleFile file = check_rules(target, read_file(path, kMostModelBytes));
  if (const Defect* wrong = file.first_error())
    throw Error(
        fmt::format("{}:{}: not fit for {}: {}", path, wrong->line, target.name, wrong->text));
  return file;
}

namespace {

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// "# For openmpi-4.1; columns: ..."
const RuleTarget* named_in_comments(std::string_view content) {
  for (const std::string_view line : split(content, '\n')) {
    const std::size_t start = line.find("For ");
    if (!trim(line).starts_with('#') || start == std::string_view::npos) continue;
    const std::string_view rest = line.substr(start + 4);
    const std::string_view word = rest.substr(0, rest.find_first_of(" ;:,\r"));
    for (const RuleTarget& target : rule_targets()) {
      if (target.name == word) return &target;
    }
  }
  return nullptr;
}

// Returns at most `most` words of the file, without its comments.
std::vector<std::string_view> first_words(std::string_view content, std::size_t most) {
  std::vector<std::string_view> words;
  for (const std::string_view line : split(content, '\n')) {
    for (const std::string_view word : split(trim(line.substr(0, line.find('#'))), ' ')) {
      if (word.empty()) continue;
      words.push_back(word);
      if (words.size() == most) return words;
    }
  }
  return words;
}

bool begins_with_digit(std::string_view word) {
  return !word.empty() && std::isdigit(static_cast<unsigned char>(word[0])) != 0;
}

const RuleTarget* by_sign(std::string_view content) {
  const auto targets = rule_targets();
  const auto found = std::ranges::find_if(targets, [&](const RuleTarget& target) {
    // The sign begins a variable's name: RCCL_ALGO is no variable of CCL_.
    if (!target.sign.empty() && target.sign == target.family)
      return naming_line(content, target.sign) != 0;
    return !target.sign.empty() && has(content, target.sign);
  });
  return found == targets.end() ? nullptr : &found->get();
}

// The forms of files, in the order in which they are tried; the words are those of first_words. The
// form without targets stands for all formats that have a sign.
struct Form {
  std::string_view targets;  // of one form, the likeliest version first
  bool (*looks_so)(std::string_view content, std::span<const std::string_view> words);
};
using Words = std::span<const std::string_view>;
constexpr Form kForms[] = {
    {"rules-json",
     [](std::string_view content, Words words) {
       return words[0].starts_with('{') && has(content, "\"colltree rules\"");
     }},
    {"mpich-4.0 mpich-4.1 mpich-4.2 mpich-4.3 mpich-5.0",
     [](std::string_view content, Words) {
       return has(content, "collective=") && has(content, "{") &&
              (has(content, "algorithm") || has(content, "composition") || has(content, ":"));
     }},
    {"intel",
     [](std::string_view content, Words) {
       return has(content, "I_MPI_ADJUST_") || naming_line(content, "I_MPI_TUNING") != 0;
     }},
    {"ucc ucc-1.5 ucc-1.4 ucc-1.3",
     [](std::string_view content, Words) {
       const bool script = has(content, "#!") || has(content, "export UCC_") ||
                           has(content, "setenv") || has(content, "-x UCC_");
       return has(content, "UCC_TL_UCP_TUNE") || (script && naming_line(content, "UCC_") != 0);
     }},
    {"", [](std::string_view content, Words) { return by_sign(content) != nullptr; }},
    {"nccl",
     [](std::string_view, Words words) {
       return std::ranges::count(words[0], ',') >= 4 && !begins_with_digit(words[0]);
     }},
    {"openmpi-5.0.7",
     [](std::string_view content, Words) { return content.starts_with("rule-file-version-"); }},
    {"openmpi-han",
     [](std::string_view, Words words) {
       return begins_with_digit(words[0]) && std::ranges::any_of(words, [](std::string_view word) {
                return word == "han" || word == "tuned" || find_collective(word);
              });
     }},
    {"openmpi-4.1 openmpi-5.0.7",
     [](std::string_view, Words words) { return words.size() > 1 && begins_with_digit(words[0]); }},
};

}  // namespace

const RuleTarget* detect_target(std::string_view content) {
  constexpr std::size_t kWords = 64;
  if (const RuleTarget* named = named_in_comments(content)) return named;
  const std::vector<std::string_view> words = first_words(content, kWords);
  if (words.empty()) return nullptr;
  for (const Form& form : kForms) {
    if (!form.looks_so(content, words)) continue;
    if (form.targets.empty()) return by_sign(content);
    const std::vector<std::string_view> names = split(form.targets, ' ');
    for (const std::string_view name : names) {
      const RuleTarget& target = find_rule_target(name);
      if (names.size() > 1 && target.read(content).first_error() != nullptr) continue;
      return &target;
    }
    return &find_rule_target(names[0]);
  }
  return nullptr;
}

const RuleTarget& find_or_detect_target(std::string_view name, std::string_view content,
                                        const std::string& file) {
  if (!name.empty()) return find_rule_target(name);
  if (const RuleTarget* found = detect_target(content)) return *found;
  const std::vector<ChoosingSetting> settings = choosing_settings(content, "");
  if (!settings.empty())
    throw Error(fmt::format(
        "{}:{}: {} is a setting of {}, not a rules file; where it names a file, "
        "check that file",
        file, settings[0].setting.line, settings[0].setting.variable, settings[0].library));
  throw UsageError(fmt::format("{}: its format is not known from its content; give --for: {}", file,
                               join(mapped(rule_targets(), &RuleTarget::name), ", ")));
}

}  // namespace colltree::rules
