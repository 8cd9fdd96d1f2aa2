// SPDX-License-Identifier: BSD-3-Clause
// The programs whose rule files are written and read. Each format has a file in its library's
// folder and each target a line in targets.def. A target says which collectives and methods it can
// express, what its message sizes mean, and how its files are written and read.
#pragma once

#include <array>
#include <climits>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "rules/rule_set.h"

namespace colltree::rules {

// The versions of a library for which a format of rules is known.
struct KnownVersions {
  const char* library;  // "Open MPI"; "" = the format is ours
  const char* first;    // "4.1"; "" = no version is known to begin it
  const char* last;     // all that begin alike belong to it: "5.0" holds 5.0.9
  const char* seen;     // "run: 4.1.4"
};

// "Open MPI 4.1 to 5.0.6 (run: 4.1.4)"
std::string text(const KnownVersions& known);

// "5.0.8rc1" -> 5, 0, 8.
std::array<int, 3> version_numbers(std::string_view text);

// True if the version is newer than the last known version; false if the last one is not known.
bool is_newer(const KnownVersions& known, std::string_view version);

// The version of the library that a comment line of a file states, as in "# For openmpi-4.1; ..."
// or "# rules for Open MPI 5.0.7"; "" if there is none.
struct StatedVersion {
  std::size_t line = 0;
  std::string version;
};
StatedVersion stated_version(const KnownVersions& known, std::string_view content);

// The quantity that a target compares with its sizes, in terms of message_size m
// (coll/collective.h) and communicator size p.
enum class SizeKey : std::uint8_t {
  kMessage,     // m
  kTimesRanks,  // m x p
  kNone,        // rules cannot depend on the size
};

// The value that a rule file's message sizes are compared with at this instance.
std::uint64_t message_key(SizeKey key, const Instance& instance);

// A method as a target says it. `method` is canonical: our name for the algorithm, a segment size
// (0 = none), parameters only where they matter; so two ways to say one thing are equal. Nothing
// when the target has no such method; `reason` says what it lacks.
struct Expressed {
  std::optional<Method> method;
  std::string reason;
};

enum class Severity : std::uint8_t {
  kError,    // the library ignores, refuses or misreads the file
  kUnsafe,   // a correct program can go wrong or hang
  kWarning,  // suspicious or without effect
};
std::string_view name(Severity severity);

struct Defect {
  std::size_t line = 0;  // 0: the file as a whole
  Severity severity = Severity::kError;
  std::string text;

  bool operator==(const Defect&) const = default;
};

// The rules for one command of a script that runs several under settings of their own.
struct RunRules {
  std::size_t line = 0;  // of the command; 0: whoever loads the script
  RuleSet rules;
};

std::string run_text(const RunRules& run);  // "line 3"

struct RuleFile {
  RuleSet rules;               // what the library would make of the file, as far as it can be read
  std::vector<RunRules> runs;  // of a script with several; `rules` are those of the last
  std::vector<Defect> defects;

  void add(std::size_t line, Severity severity, std::string text) {
    defects.push_back({line, severity, std::move(text)});
  }
  void error(std::size_t line, std::string text) { add(line, Severity::kError, std::move(text)); }
  void unsafe(std::size_t line, std::string text) { add(line, Severity::kUnsafe, std::move(text)); }
  void warn(std::size_t line, std::string text) { add(line, Severity::kWarning, std::move(text)); }

  std::size_t count(Severity severity) const;
  const Defect* first_error() const;  // nullptr: the target takes the file
};

// Thrown inside a reader, which catches it: the error is noted, and nothing more can be read.
struct NotReadFurther {};

// The target's name for a method of ours that no table of coll/ holds.
struct NamedMethod {
  Collective collective;
  std::string_view ours;    // names of ours, blank between two; theirs is always one too
  std::string_view theirs;  // profiles measured with the target carry it
  int since = 0;            // the first version that has it, as TargetFacts::version
  std::uint64_t radix = 0;  // theirs takes a radix, and of this it is ours; 0: it takes none
  // A note for when it is written, which says where another algorithm runs; or the reason why it is
  // not written.
  std::string_view remark = "";
  int written_since = 0;  // of those that have it; INT_MAX: never
};

// The differences between targets that are data alone.
struct TargetFacts {
  const char* name = "";
  const char* summary = "";
  KnownVersions versions = {"", "", "", ""};
  std::optional<Library> library = std::nullopt;  // whose algorithms it names; none: by `names`
  int version = 0;  // 41, 50, 60 of Open MPI; 40 to 43 and 50 of MPICH; 103, 104, 105, 108 of UCC
  PlacementAxis placement = PlacementAxis::kNone;
  bool has_communicator_size = true;  // rules can ask for it
  bool leaves_parts = true;  // rules for some calls of a collective leave the others to the library
  bool goes_on = false;      // at an error in a file the library neither stops nor drops all of it
  std::uint64_t most_message = INT64_MAX;     // the largest size that a rule can name
  std::uint64_t most_communicator = INT_MAX;  // the largest communicator size that a rule can name
  // Rules name single communicator sizes up to this size, or all sizes; 0 means that they name
  // intervals.
  std::uint64_t most_single_sizes = 0;
  std::span<const NamedMethod> names = {};
  // The radix of an algorithm stands beside the rules and is the same for all rules.
  bool one_radix = false;
  // The rules are for our own algorithms or for readers, and name no algorithms of a library.
  bool neutral = false;
  // A text that every file of the format holds and no file of another format (check_rules.cpp);
  // "": its files are recognised by more than a text.
  std::string_view sign = "";
  bool is_started = false;  // the library is started here under its files (settings)
  bool is_script = false;   // a shell sources its files, no variable names one
  // The prefix of the variables that its files set; "": they set none.
  std::string_view family = "";
  bool merges = false;  // rules can stand in a site's own file (merge)
  bool has_companion = false;
};

class RuleTarget : public TargetFacts {
 public:
  explicit RuleTarget(const TargetFacts& facts) : TargetFacts(facts) {}
  virtual ~RuleTarget() = default;

  // Nothing means that the target has no rules for the collective.
  virtual std::optional<SizeKey> size_key(Collective collective) const = 0;
  virtual Expressed express(Collective collective, const Method& method) const = 0;
  // Writes rules in the target's keys with canonical methods. Throws Error when the format cannot
  // hold them.
  virtual std::string write(const RuleSet& rules, const std::string& comment) const = 0;
  // Never throws: everything that is wrong is a defect.
  virtual RuleFile read(std::string_view content) const = 0;
  // Returns the environment, as NAME=VALUE, under which the library loads the file of this absolute
  // path. It may read the file, so it throws Error.
  virtual std::vector<std::string> settings(const std::string&) const { return {}; }
  // Puts the rules into a site's file in place of its own. Throws JsonError.
  virtual std::string merge(const RuleSet&, std::string_view) const { return {}; }
  // Writes the second file that must lie beside a file of these rules under the name of
  // companion_of; "" if none is needed.
  virtual std::string companion(const RuleSet&) const { return {}; }
};

std::string companion_of(const std::string& file);
// Writes the companion, or removes one of earlier rules where the text is "".
void keep_companion(const std::string& file, const std::string& text);

// All targets, in the order of targets.def.
std::span<const std::reference_wrapper<const RuleTarget>> rule_targets();
// Throws UsageError with the nearest name.
const RuleTarget& find_rule_target(std::string_view name);

// True where the library's rules leave no part of a collective to it (Intel MPI). Then models are
// fitted without its own choice, and a whole collective is kept or nothing of it. No target stands
// for our own runtime library, which leaves parts.
inline bool is_all_or_none(const RuleTarget* target) {
  return target != nullptr && !target->leaves_parts;
}

// Finds the format that an installed library ("mpich-4.0.2", "openmpi-5.0.8") reads. Throws Error
// for any other library, and for a version newer than those that are known.
const RuleTarget& rule_target_of(std::string_view mpi);

// Reports the keys in an object of a rules file that are not read: unknown ones, each with the
// nearest known key, and repeated ones, of which the first counts.
void check_keys(const Json& object, const std::vector<std::string>& known, RuleFile& file);

// Rules in a file. Several are loaded together: coll/tuned's, and coll/han's that stands above.
struct RulesFile {
  const RuleTarget* target = nullptr;
  std::string name;
};
// NAME=VALUE of the environment under which the library loads them.
std::vector<std::string> settings_to_load(const std::vector<RulesFile>& files);
// The lines that a user types in a shell for the same.
std::vector<std::string> shell_lines(const std::vector<RulesFile>& files);

// The names of the collectives that the target has rules for.
std::vector<std::string> collectives_of(const RuleTarget& target);
// Finds the collective that a word of a file names; an unknown one becomes an error of the file.
std::optional<Collective> read_collective(const RuleTarget& target, std::string_view word,
                                          std::size_t line, RuleFile& file);

// The method that a file chooses at an instance. Throws Error when it has no rules for the
// collective and the target could have had some; the library's own choice where no rule applies.
Method decide(const RuleTarget& target, const RuleSet& rules, const Instance& instance);
const Rule* find_rule(const RuleTarget& target, const RuleSet& rules, const Instance& instance);
RuleQuery query_of(const RuleTarget& target, const Instance& instance);

}  // namespace colltree::rules
