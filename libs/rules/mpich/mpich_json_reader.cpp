// SPDX-License-Identifier: BSD-3-Clause
// Reads selection files of MPICH as rules with guards. A chain of conditions is an if / else-if
// chain that must end in "any" (or a yes and a no), so the rules in the order of the file are
// exact: the first that applies decides. What MPICH aborts at in MPI_Init is an error, what it
// aborts at in a call unsafe (each tried with 4.0.2: tests/data/rules/mpich-4.0.malformed).
#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "rules/mpich/mpich_conditions.h"
#include "rules/mpich/mpich_json.h"
#include "rules/mpich/mpich_methods.h"
#include "rules/safety.h"

namespace colltree::rules {

namespace {

void establish(Rule& rule, const MpichFacts& facts, bool holds) {
  (facts.met == holds ? rule.required : rule.excluded) |= facts.need;
}

// The algorithm that passes a call on to a library for GPUs. It is not measured: MPICH looks up a
// call that the library cannot run again, finds this rule again, and crashes (run: 5.0.1).
constexpr std::string_view kCcl = "MPIR_Allreduce_intra_ccl";
constexpr int kCclSince = 50;

bool is_choice(std::string_view key) {
  const MpichTest test = split_test(key);
  return test.key == "algorithm" || test.key == "composition";
}

// The variable that names a file whose first choice is none of MPICH's own algorithms: the device's
// compositions, or the algorithms of shared memory. nullptr: the file is of MPICH's own selection.
const char* other_variable(const Json& value) {
  for (const Json::Member& member : value.items()) {
    const MpichTest test = split_test(member.key);
    if (test.key == "composition") return "MPIR_CVAR_CH4_COLL_SELECTION_TUNING_JSON_FILE";
    if (test.key == "algorithm")
      return test.value.starts_with("MPIDI_POSIX_mpi_")
                 ? "MPIR_CVAR_CH4_POSIX_COLL_SELECTION_TUNING_JSON_FILE"
                 : nullptr;
    if (const char* below = other_variable(member.value)) return below;
  }
  return nullptr;
}

class MpichJsonReader {
 public:
  explicit MpichJsonReader(const RuleTarget& target) : target_(target) {}

  RuleFile read(std::string_view content) {
    if (!content.empty() && content.size() % 4096 == 0) {
      file_.warn(
          0, "the file's size is a multiple of 4096: MPICH reads beyond its end; add a blank line");
    }
    try {
      const Json value = Json::parse(content, JsonDialect::kJsonC);
      if (const char* variable = other_variable(value)) {
        file_.error(value.line(),
                    fmt::format("the file is for {} and holds no rules, which stand in the file of "
                                "MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE; MPICH aborts in "
                                "MPI_Init where it expects that one",
                                variable));
        return std::move(file_);
      }
      root(value);
      const std::size_t behind = content.find_first_not_of(" \t\r\n", value.place().end);
      if (behind != std::string_view::npos && content[behind] != '/')
        file_.warn(0, "what follows the end of the JSON is not read");
    } catch (const JsonError& wrong) {
      refuse(wrong.line, wrong.what());
    }
    if (file_.first_error() != nullptr) file_.rules = {};
    return std::move(file_);
  }

  RuleSet rules(const Json& value) {
    root(value);
    return std::move(file_.rules);
  }

 private:
  void refuse(std::size_t line, const std::string& text) {
    file_.error(line, text + "; MPICH aborts in MPI_Init");
  }

  // Splits a key as the target's version of MPICH reads it.
  MpichTest test_of(std::string_view key) const {
    MpichTest test = split_test(key);
    if (test.key == "comm_hierarchy" && test.value.starts_with("node") &&
        is_blind_to_its_own(target_))
      test.value = "flat";
    return test;
  }

  // json-c puts the last value of a key into the place of the first.
  std::vector<const Json::Member*> members_of(const Json& value) {
    std::vector<const Json::Member*> members;
    std::map<std::string_view, std::size_t> place;
    for (const Json::Member& member : value.items()) {
      const auto [found, is_new] = place.emplace(member.key, members.size());
      if (is_new) {
        members.push_back(&member);
      } else {
        file_.warn(member.line(), fmt::format("\"{}\" stands twice: the last counts", member.key));
        members[found->second] = &member;
      }
    }
    return members;
  }

  void root(const Json& value) {
    if (value.kind() != JsonKind::kObject) {
      refuse(value.line(), fmt::format("the file is {}, not an object", name(value.kind())));
      return;
    }
    std::set<std::string> seen;
    for (const Json::Member* member : members_of(value)) {
      const MpichTest test = test_of(member->key);
      if (test.key != "collective" || test.comparison != "=") {
        file_.error(member->line(),
                    fmt::format("expected \"collective=...\", got \"{}\"", member->key));
        continue;
      }
      collective(test.value, *member);
      seen.insert(fmt::format("{}{}", kCollectiveKey, test.value));
    }
    say_missing(seen);
  }

  void say_missing(const std::set<std::string>& seen) {
    constexpr std::size_t kNamed = 4;
    std::vector<std::string> missing;
    for (const Json::Member& member : mpich_stock().items()) {
      if (!seen.contains(member.key)) missing.push_back(member.key);
    }
    if (missing.empty()) return;
    std::ranges::sort(missing);
    const std::size_t count = missing.size();
    missing.resize(std::min(count, kNamed));
    file_.unsafe(0, fmt::format("{}{} {} missing: a call of it aborts", join(missing, ", "),
                                count > kNamed ? fmt::format(" and {} more", count - kNamed) : "",
                                count == 1 ? "is" : "are"));
  }

  void collective(const std::string& wanted, const Json::Member& member) {
    std::vector<std::string> names;
    for (const Json::Member& stock : mpich_stock().items())
      names.push_back(stock.key.substr(kCollectiveKey.size()));
    if (std::ranges::count(names, wanted) == 0) {
      refuse(member.line(),
             fmt::format("unknown collective '{}'{}", wanted, did_you_mean(wanted, names)));
      return;
    }
    name_ = wanted;
    own_ = find_collective(wanted);
    rules_ = {.collective = own_.value_or(Collective::kBcast)};
    node(member.value, Rule{}, true, false);
    if (own_ && mpich_size_key(*own_)) file_.rules.rules_for(*own_) = rules_;
  }

  // `wanted` says that rules are kept, because the path is one for users' calls; `below_call` is
  // that of greatest_value.
  void node(const Json& value, const Rule& path, bool wanted, bool below_call) {
    if (value.kind() != JsonKind::kObject) {
      refuse(value.line(),
             fmt::format("{}: expected an object, got {}", name_, name(value.kind())));
      return;
    }
    if (value.items().empty()) {
      refuse(value.line(), fmt::format("{}: an empty object chooses nothing", name_));
      return;
    }
    is_choice(value.items()[0].key) ? leaf(value, path, wanted)
                                    : chain(value, path, wanted, below_call);
  }

  void chain(const Json& value, Rule path, bool wanted, bool below_call) {
    bool complete = false;
    bool has_any = false;
    std::set<std::string> words;
    const std::vector<const Json::Member*> members = members_of(value);
    for (const Json::Member* entry : members) {
      const Json::Member& member = *entry;
      const MpichTest test = test_of(member.key);
      if (has_any) {
        refuse(member.line(),
               fmt::format("{}: \"{}\" stands behind the chain's \"any\"", name_, member.key));
        return;
      }
      if (complete)
        file_.warn(member.line(), fmt::format("{}: \"{}\" is never reached", name_, member.key));
      const MpichComplaint wrong = check_condition(name_, test, member.key, below_call);
      if (!wrong.text.empty())
        file_.add(member.line(), wrong.severity, fmt::format("{}: {}", name_, wrong.text));
      if (wrong.severity == Severity::kError) continue;
      if (wrong.severity == Severity::kUnsafe) return fails(path, member.line(), wanted);
      Rule inside = path;
      if (wanted) check_local(test, path, member);
      const bool reached = !wanted || narrow(inside, test, member.line(), below_call);
      const bool outside = !inside_intra_;
      if (test.key == "comm_type" && test.value == "intra") inside_intra_ = true;
      // Calls between communicators, and MPICH's own on communicators that it makes, do not count.
      const bool users_calls = !(test.key == "comm_type" && test.value == "inter") &&
                               !(test.key == "comm_hierarchy" && test.value.starts_with("node"));
      node(member.value, inside, wanted && reached && users_calls,
           below_call || !is_of_communicator(test));
      if (outside) inside_intra_ = false;
      establish(path, facts_of(test), false);
      if (reached) begin_behind(path, test, below_call);
      words.insert(test.key + "=" + test.value);
      has_any = test.value == "any";
      complete = complete || has_any ||
                 (words.contains(test.key + "=yes") && words.contains(test.key + "=no")) ||
                 (words.contains("comm_type=intra") && words.contains("comm_type=inter"));
    }
    if (!complete) stays_open(*members.back(), path, wanted);
  }

  void stays_open(const Json::Member& last, const Rule& path, bool wanted) {
    const MpichTest test = test_of(last.key);
    const bool taken = may_stay_open(test);
    file_.add(last.line(), taken ? Severity::kUnsafe : Severity::kError,
              fmt::format("{}: the chain does not end in \"{}=any\": {}", name_, test.key,
                          taken ? "a call beyond aborts" : "MPICH aborts in MPI_Init"));
    if (taken) fails(path, last.line(), wanted);
  }

  // A call that comes here aborts.
  void fails(Rule path, std::size_t line, bool wanted) {
    if (!wanted || !own_ || !mpich_size_key(*own_)) return;
    path.method = {"aborts", 0};
    keep(std::move(path), line);
  }

  void keep(Rule rule, std::size_t line) {
    rule.line = line;
    // The first rule that applies decides, so lower ends have no effect.
    rule.communicator_size.least = 0;
    rule.message.least = 0;
    rules_.rules.push_back(std::move(rule));
  }

  void check_local(const MpichTest& test, const Rule& path, const Json::Member& member) {
    const std::string why = local_answer(name_, test, (path.excluded & kInPlace) != 0);
    if (why.empty()) return;
    file_.unsafe(member.line(), fmt::format("{}: ranks can answer \"{}\" differently and hang: {}",
                                            name_, member.key, why));
  }

  // Only calls with values for which this test fails reach the later tests of a chain.
  void begin_behind(Rule& rule, const MpichTest& test, bool below_call) const {
    if (!test.comparison.starts_with("<") || test.value == "pow2") return;
    const auto next = static_cast<std::uint64_t>(greatest_value(test, below_call)) + 1;
    if (test.key == "comm_size") rule.communicator_size.least = next;
    if (own_ && test.key == mpich_size_condition(*own_)) rule.message.least = next;
  }

  // Returns false if the test never holds.
  bool narrow(Rule& rule, const MpichTest& test, std::size_t line, bool below_call) {
    if (test.comparison != "=" && test.value != "pow2") {
      const std::int64_t most = greatest_value(test, below_call);
      if (most < 0) return false;
      const bool looked_up = own_ && test.key == mpich_size_condition(*own_);
      Span* const span = test.key == "comm_size"      ? &rule.communicator_size
                         : test.key == "comm_avg_ppn" ? &rule.ranks_per_node
                         : looked_up                  ? &rule.message
                                                      : nullptr;
      if (span != nullptr) span->most = std::min(span->most, static_cast<std::uint64_t>(most));
      if (span == nullptr && own_ && mpich_size_key(*own_)) {
        const std::string_view asked = mpich_size_condition(*own_);
        file_.warn(line,
                   fmt::format("{}: {} is not taken into account here (rules are compared "
                               "by {})",
                               name_, test.key, asked.empty() ? "communicator size only" : asked));
      }
    }
    establish(rule, facts_of(test), true);
    return true;
  }

  // Returns the last of several algorithms, which counts; a condition cannot stand beside them.
  const Json::Member& chosen(const Json& value) {
    const Json::Member* last = &value.items().front();
    for (const Json::Member& member : value.items().subspan(1)) {
      if (!is_choice(member.key)) {
        refuse(member.line(), fmt::format("{}: \"{}\" beside an algorithm", name_, member.key));
        return *last;
      }
      file_.warn(last->line(), fmt::format("{}: \"{}\" does not count: \"{}\" comes after it",
                                           name_, last->key, member.key));
      last = &member;
    }
    return *last;
  }

  void leaf(const Json& value, const Rule& path, bool wanted) {
    const Json::Member& member = chosen(value);
    const MpichTest test = test_of(member.key);
    if (member.value.kind() != JsonKind::kObject)
      refuse(member.value.line(),
             fmt::format("{}: expected an object, got {}", name_, name(member.value.kind())));
    const std::string prefix = "MPIR_" + upper(name_.substr(0, 1)) + name_.substr(1) + "_";
    if (!test.value.starts_with(prefix)) {
      const bool elsewhere = std::ranges::any_of(mpich_algorithms(), [&](const auto& algorithm) {
        return is_in(algorithm, target_.version) && algorithm.library_name == test.value;
      });
      file_.add(member.line(), elsewhere ? Severity::kUnsafe : Severity::kError,
                fmt::format("{}: algorithm '{}' is none of this collective: {}", name_, test.value,
                            elsewhere ? "the call aborts" : "MPICH aborts in MPI_Init"));
      if (elsewhere) fails(path, member.line(), wanted);
      return;
    }
    const std::string rest = test.value.substr(prefix.size());
    if (!own_ || rest.starts_with("inter_") || !mpich_size_key(*own_)) return;
    known_algorithm(test.value, member, path, wanted);
  }

  void ccl(const Json::Member& member, Rule path, bool wanted) {
    file_.unsafe(member.line(),
                 fmt::format("{} ccl: a call that the library for GPUs cannot run (a build without "
                             "it, host memory, another type or operation) comes back to this rule "
                             "and crashes",
                             name_));
    if (!wanted) return;
    path.method = {"ccl", 0};
    keep(std::move(path), member.line());
  }

  void known_algorithm(const std::string& wanted_name, const Json::Member& member, Rule path,
                       bool wanted) {
    if (wanted_name == kCcl && target_.version >= kCclSince) return ccl(member, path, wanted);
    const LibraryAlgorithm* algorithm = nullptr;
    std::vector<std::string> names;
    for (const LibraryAlgorithm& row : mpich_algorithms()) {
      if (row.collective != *own_ || !is_in(row, target_.version) || row.library_name.empty())
        continue;
      names.emplace_back(row.library_name);
      if (row.library_name == wanted_name) algorithm = &row;
    }
    if (algorithm == nullptr) {
      file_.error(member.line(),
                  fmt::format("{}: unknown algorithm '{}'{}; {} aborts in MPI_Init", name_,
                              wanted_name, did_you_mean(wanted_name, names), target_.name));
      return;
    }
    path.method = {std::string(algorithm->algorithm), 0};
    read_mpich_parameters(target_, *algorithm, member, path.method, file_);
    if (!wanted) return;
    if (!inside_intra_ && wanted_name.find("_intra_") != std::string::npos &&
        mpich_stock()[fmt::format("{}{}", kCollectiveKey, name_)].contains("comm_type=inter")) {
      file_.unsafe(
          member.line(),
          fmt::format("{} {} is also reached by intercommunicators: wrong results or an abort; "
                      "put it below comm_type=intra",
                      name_, algorithm->algorithm));
    }
    for (const std::string_view guard : unmet_guards(algorithm->needs, path)) {
      file_.unsafe(
          member.line(),
          fmt::format("{} {} without the guard {}: wrong results or an abort where it is not so",
                      name_, algorithm->algorithm, guard));
    }
    path.line = member.line();
    const std::string hazard = hazard_of(target_, *own_, path, RuleUnit::kKey);
    if (!hazard.empty()) file_.unsafe(member.line(), hazard);
    keep(std::move(path), member.line());
  }

  const RuleTarget& target_;
  RuleFile file_;
  std::string name_;
  std::optional<Collective> own_;
  CollectiveRules rules_;
  bool inside_intra_ = false;
};

}  // namespace

RuleFile read_mpich_json(const RuleTarget& target, std::string_view content) {
  return MpichJsonReader(target).read(content);
}

RuleSet mpich_rules(const RuleTarget& target, const Json& file) {
  return MpichJsonReader(target).rules(file);
}

}  // namespace colltree::rules
