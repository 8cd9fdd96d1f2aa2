// SPDX-License-Identifier: BSD-3-Clause
// Reads selection files of MPICH, strictly, as rules with guards. A chain of conditions is an if /
// else-if chain that must end in "any" (or a yes and a no), so the rules in the order of the file
// are exact: the first that applies decides.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <climits>
#include <set>

#include "base/text.h"
#include "emit/rules/json_lines.h"
#include "emit/rules/mpich_conditions.h"
#include "emit/rules/mpich_methods.h"
#include "emit/rules/safety.h"
#include "emit/rules/targets/mpich_json.h"

namespace colltree {

namespace {

void establish(Rule& rule, std::uint32_t need, bool holds) {
  (holds ? rule.required : rule.excluded) |= need;
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
      root(parse_json_lines(content));
    } catch (const JsonError& wrong) {
      file_.error(wrong.line, wrong.text + "; MPICH aborts in MPI_Init");
      file_.rules = {};
    }
    return std::move(file_);
  }

 private:
  void root(const JsonValue& value) {
    if (value.kind != JsonKind::kObject) {
      file_.error(value.line, fmt::format("the file is {}, not an object", name(value.kind)));
      return;
    }
    std::set<std::string> seen;
    for (const JsonMember& member : value.members) {
      const MpichTest test = split_test(member.key);
      if (test.key != "collective" || test.comparison != "=") {
        file_.error(member.line,
                    fmt::format("expected \"collective=...\", got \"{}\"", member.key));
        continue;
      }
      collective(test.value, member, seen);
    }
    std::set<std::string> missing;
    for (const MpichStock& row : mpich_stock()) {
      if (!seen.contains(std::string(row.collective))) missing.insert(std::string(row.collective));
    }
    for (const std::string& one : missing) {
      file_.error(0, fmt::format("collective={} is missing: its first call aborts", one));
    }
  }

  void collective(const std::string& wanted, const JsonMember& member,
                  std::set<std::string>& seen) {
    std::vector<std::string> names;
    bool known = false;
    for (const MpichStock& row : mpich_stock()) {
      if (names.empty() || names.back() != row.collective) names.emplace_back(row.collective);
      known = known || row.collective == wanted;
    }
    if (!known) {
      file_.error(member.line, fmt::format("unknown collective '{}'{}; MPICH aborts in MPI_Init",
                                           wanted, did_you_mean(wanted, names)));
      return;
    }
    if (!seen.insert(wanted).second) {
      file_.error(member.line, fmt::format("collective={} stands twice", wanted));
      return;
    }
    name_ = wanted;
    own_ = find_collective(wanted);
    rules_ = {.collective = own_.value_or(Collective::kBcast)};
    node(member.value, Rule{}, true, false);
    if (own_ && mpich_size_key(*own_)) file_.rules.collectives.push_back(rules_);
  }

  // `wanted`: rules of intracommunicators are kept. `below_size`: under a condition on the message.
  void node(const JsonValue& value, const Rule& path, bool wanted, bool below_size) {
    if (value.kind != JsonKind::kObject) {
      file_.error(value.line,
                  fmt::format("{}: expected an object, got {}", name_, name(value.kind)));
      return;
    }
    if (value.members.empty()) {
      file_.error(value.line,
                  fmt::format("{}: an empty object chooses nothing: the call aborts", name_));
      return;
    }
    if (value.members[0].key.starts_with("algorithm")) {
      leaf(value, path, wanted);
      return;
    }
    chain(value, path, wanted, below_size);
  }

  void chain(const JsonValue& value, Rule path, bool wanted, bool below_size) {
    bool complete = false;
    std::set<std::string> words;
    for (const JsonMember& member : value.members) {
      const MpichTest test = split_test(member.key);
      if (complete) {
        file_.warn(member.line, fmt::format("{}: \"{}\" is never reached", name_, member.key));
      }
      const MpichComplaint wrong = check_condition(name_, test, member.key, below_size);
      if (!wrong.text.empty()) file_.error(member.line, fmt::format("{}: {}", name_, wrong.text));
      if (!wrong.readable) continue;
      if (wanted) check_local(test, path, member);
      Rule inside = path;
      narrow(inside, test, member.line);
      const bool message = test.key.ends_with("msg_size") || test.key == "count";
      const bool outside = !inside_intra_;
      if (test.key == "comm_type" && test.value == "intra") inside_intra_ = true;
      node(member.value, inside, wanted && !(test.key == "comm_type" && test.value == "inter"),
           below_size || message);
      if (outside) inside_intra_ = false;
      const MpichFacts facts = facts_of(test);
      if (facts.need != 0) establish(path, facts.need, !facts.met);
      begin_behind(path, test);
      words.insert(test.key + "=" + test.value);
      const std::string& key = test.key;
      complete = complete || test.value == "any" ||
                 (words.contains(key + "=yes") && words.contains(key + "=no")) ||
                 (words.contains("comm_type=intra") && words.contains("comm_type=inter"));
    }
    if (!complete) {
      const std::string key = split_test(value.members.back().key).key;
      file_.error(value.members.back().line,
                  fmt::format("{}: the chain does not end in \"{}=any\": a call beyond aborts",
                              name_, key));
    }
  }

  void check_local(const MpichTest& test, const Rule& path, const JsonMember& member) {
    const std::string why = local_answer(name_, test, (path.excluded & kInPlace) != 0);
    if (why.empty()) return;
    file_.unsafe(member.line, fmt::format("{}: ranks can answer \"{}\" differently and hang: {}",
                                          name_, member.key, why));
  }

  static void cut(Span& span, const MpichTest& test) {
    const std::uint64_t value = parse_number<std::uint64_t>(test.value).value_or(0);
    const std::uint64_t most = test.comparison == "<" && value > 0 ? value - 1 : value;
    span.most = std::min(span.most, most);
  }

  // What comes later in the chain is only reached above what the test holds.
  void begin_behind(Rule& rule, const MpichTest& test) const {
    if (!test.comparison.starts_with("<") || test.value == "pow2") return;
    Span below;
    cut(below, test);
    if (below.most == UINT64_MAX) return;
    if (test.key == "comm_size") rule.communicator_size.least = below.most + 1;
    if (own_ && test.key == mpich_size_condition(*own_)) rule.message.least = below.most + 1;
  }

  void narrow(Rule& rule, const MpichTest& test, std::size_t line) {
    if (test.comparison != "=" && test.value != "pow2") {
      if (test.key == "comm_size") cut(rule.communicator_size, test);
      if (test.key == "comm_avg_ppn") cut(rule.ranks_per_node, test);
      if (test.key.ends_with("msg_size")) message(rule, test, line);
      if (test.key == "count" && own_) other_unit(test, line);
    }
    const MpichFacts facts = facts_of(test);
    if (facts.need != 0) establish(rule, facts.need, facts.met);
  }

  void message(Rule& rule, const MpichTest& test, std::size_t line) {
    if (!own_) return;
    if (test.key == mpich_size_condition(*own_)) {
      cut(rule.message, test);
    } else {
      other_unit(test, line);
    }
  }

  void other_unit(const MpichTest& test, std::size_t line) {
    if (!mpich_size_key(*own_)) return;
    file_.warn(
        line, fmt::format("{}: {} is not taken into account here (rules are compared by {})", name_,
                          test.key,
                          mpich_size_condition(*own_).empty() ? "communicator size only"
                                                              : mpich_size_condition(*own_)));
  }

  void leaf(const JsonValue& value, Rule path, bool wanted) {
    const JsonMember& member = value.members[0];
    const MpichTest test = split_test(member.key);
    if (value.members.size() > 1) {
      file_.error(value.members[1].line,
                  fmt::format("{}: \"{}\" beside an algorithm", name_, value.members[1].key));
    }
    const std::string prefix =
        "MPIR_" + std::string(1, static_cast<char>(std::toupper(name_[0]))) + name_.substr(1) + "_";
    if (!test.value.starts_with(prefix)) {
      file_.error(member.line,
                  fmt::format("{}: algorithm '{}' is none of this collective: the call aborts",
                              name_, test.value));
      return;
    }
    const std::string rest = test.value.substr(prefix.size());
    if (!own_ || rest.starts_with("inter_") || !mpich_size_key(*own_)) return;
    known_algorithm(test.value, member, path, wanted);
  }

  void known_algorithm(const std::string& wanted_name, const JsonMember& member, Rule path,
                       bool wanted) {
    const LibraryAlgorithm* algorithm = nullptr;
    std::vector<std::string> names;
    for (const LibraryAlgorithm& one : mpich_algorithms()) {
      if (one.collective != *own_ || !is_in(one, target_.version) || one.library_name.empty())
        continue;
      names.emplace_back(one.library_name);
      if (one.library_name == wanted_name) algorithm = &one;
    }
    if (algorithm == nullptr) {
      file_.error(member.line,
                  fmt::format("{}: unknown algorithm '{}'{}; {} aborts in MPI_Init", name_,
                              wanted_name, did_you_mean(wanted_name, names), target_.name));
      return;
    }
    path.method = {std::string(algorithm->algorithm), 0};
    read_mpich_parameters(*algorithm, member, path.method, file_);
    if (!wanted) return;
    if (!inside_intra_ && wanted_name.find("_intra_") != std::string::npos && has_inter()) {
      file_.unsafe(
          member.line,
          fmt::format("{} {} is also reached by intercommunicators: wrong results or an abort; "
                      "put it below comm_type=intra",
                      name_, algorithm->algorithm));
    }
    check_guards(*algorithm, path, member.line);
    path.line = member.line;
    const std::string hazard = hazard_of(target_, *own_, path, RuleUnit::kKey);
    if (!hazard.empty()) file_.unsafe(member.line, hazard);
    // The first rule that applies decides: lower ends say nothing more.
    path.communicator_size.least = 0;
    path.message.least = 0;
    // Facts of a call that its algorithm does not care for cannot matter to the look-up.
    rules_.rules.push_back(path);
  }

  bool has_inter() const {
    for (const MpichStock& row : mpich_stock()) {
      if (row.collective == name_ && row.conditions.starts_with("comm_type=inter")) return true;
    }
    return false;
  }

  void check_guards(const LibraryAlgorithm& algorithm, const Rule& path, std::size_t line) {
    static constexpr std::pair<std::uint32_t, const char*> kGuards[] = {
        {kPowerOfTwo, "comm_size=pow2"},
        {kCommutative, "is_commutative=yes"},
        {kBuiltInOperation, "is_op_built_in=yes"},
        {kCountAtLeastPowerOfTwo, "count<pow2 before it"},
        {kRegularBlocks, "is_block_regular=yes"},
        {kInPlace, "is_sendbuf_inplace=yes"},
        {kNotInPlace, "is_sendbuf_inplace=no"}};
    for (const auto& [need, guard] : kGuards) {
      if ((algorithm.needs & need) == 0) continue;
      const bool met =
          need == kNotInPlace ? (path.excluded & kInPlace) != 0 : (path.required & need) != 0;
      if (met) continue;
      file_.unsafe(
          line,
          fmt::format("{} {} without the guard {}: wrong results or an abort where it is not so",
                      name_, algorithm.algorithm, guard));
    }
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

}  // namespace colltree
