// SPDX-License-Identifier: BSD-3-Clause
#include "rules/targets/ucc_reader.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "base/text.h"
#include "rules/targets/ucc_tune.h"
#include "rules/value_list.h"

namespace colltree::rules {

// "UCC_TL_UCP_BCAST_SAG_KN_RADIX": of knomial the collective's own, of allgatherv allgather's.
std::string radix_variable(Collective collective, std::string_view algorithm) {
  const Collective named =
      collective == Collective::kAllgatherv ? Collective::kAllgather : collective;
  std::string_view kind = algorithm.substr(0, algorithm.find("knomial"));
  while (kind.ends_with('_')) kind.remove_suffix(1);
  return fmt::format("UCC_TL_UCP_{}{}{}_KN_RADIX", upper(ucc_word(named)), kind.empty() ? "" : "_",
                     upper(kind));
}

namespace {

constexpr std::string_view kUccPrefix = "UCC_";

// The radix that a file sets for each algorithm that has one.
class RadixReader {
 public:
  RadixReader() = default;
  // The radices of a section, where it sets none those of `outside`.
  explicit RadixReader(const RadixReader* outside) : outside_(outside) {}

  // Whether the variable is one for radices; `problem` says what is not understood of its value.
  bool take(std::string_view variable, std::string_view value, std::string& problem) {
    if (!variable.ends_with("KN_RADIX")) return false;
    const auto radix = parse_number<std::uint64_t>(value);
    if (radix) {
      set_[std::string(variable)] = *radix;
    } else if (lower(value) != "auto") {
      problem = fmt::format("{}: radices by size are not taken into account here", variable);
    }
    return true;
  }

  // `line`: the rules of this line; 0: all.
  void apply(const RuleTarget& target, RuleSet& rules, std::size_t line = 0) const {
    for (CollectiveRules& one : rules.collectives) {
      for (Rule& rule : one.rules) {
        if (line != 0 && rule.line != line) continue;
        const auto row = std::ranges::find_if(target.names, [&](const NamedMethod& name) {
          return name.collective == one.collective && name.theirs == rule.method.algorithm;
        });
        if (row == target.names.end() || row->radix == 0) continue;
        const std::uint64_t all = value("UCC_TL_UCP_KN_RADIX");
        rule.method.parameters.radix =
            all != 0 ? all : value(radix_variable(one.collective, rule.method.algorithm));
      }
    }
  }

 private:
  std::uint64_t value(const std::string& variable) const {
    const auto found = set_.find(variable);
    if (found != set_.end()) return found->second;
    return outside_ == nullptr ? 0 : outside_->value(variable);
  }

  std::map<std::string, std::uint64_t> set_;
  const RadixReader* outside_ = nullptr;
};

// Whether the variable lets other components than TL/UCP decide: their strings, and lists of
// components that are more or less than TL/UCP beside those of other memory.
bool is_of_other_components(std::string_view variable, std::string_view value) {
  if (variable.ends_with("_TUNE")) return variable != kUccTune;
  if (variable.ends_with("USE_TUNING") || variable == "UCC_CONFIG_FILE") return true;
  if (variable.ends_with("UCC_CLS")) return lower(value) != "basic";
  if (!variable.ends_with("TLS")) return false;
  const bool negated = value.starts_with('^');
  const auto names = split(negated ? value.substr(1) : value, ',');
  const bool named = std::ranges::count(names, "ucp") > 0;
  return negated == named || (!negated && names.size() > 1);
}

void add_tune(const RuleTarget& target, std::size_t line, std::string_view value, RuleFile& file,
              const Rule& where = {}) {
  UccTune made = read_ucc_tune(target, value);
  for (std::string& one : made.dropped) file.error(line, std::move(one));
  for (std::string& one : made.warnings) file.warn(line, std::move(one));
  for (CollectiveRules& one : made.rules.collectives) {
    for (Rule& rule : one.rules) {
      rule.line = line;
      rule.communicator_size.least =
          std::max(rule.communicator_size.least, where.communicator_size.least);
      rule.communicator_size.most =
          std::min(rule.communicator_size.most, where.communicator_size.most);
      if (rule.communicator_size.least > rule.communicator_size.most) continue;
      rule.ranks_per_node = where.ranks_per_node;
      rule.nodes = where.nodes;
      rule.conditions.insert(rule.conditions.end(), where.conditions.begin(),
                             where.conditions.end());
      file.rules.of(one.collective).rules.push_back(std::move(rule));
    }
  }
}

// ucc.conf: [section] and NAME=VALUE as src/utils/ini.c reads them, quotes are part of a value.
// What the file's reader does not take makes ucc_init fail.
class ConfReader {
 public:
  explicit ConfReader(const RuleTarget& target) : target_(target) {}

  RuleFile read(std::string_view content) {
    if (content.starts_with("\xEF\xBB\xBF")) content.remove_prefix(3);
    for (const std::string_view text : split(content, '\n')) {
      ++line_;
      line(text);
    }
    if (failed_) return {.rules = {}, .defects = std::move(file_.defects)};
    if (!found_ && file_.defects.empty())
      file_.error(0, fmt::format("no {} is set here", kUccTune));
    say_sections();
    for (const Section& one : sections_) one.radices.apply(target_, file_.rules, one.where.line);
    if (for_all_ != 0) radices_.apply(target_, file_.rules, for_all_);
    return std::move(file_);
  }

 private:
  void fail(const std::string& why) {
    file_.error(line_, why + ": ucc_init fails");
    failed_ = true;
  }

  void line(std::string_view text) {
    const std::string_view bare = trim(text);
    if (text.size() > kUccMostLine) {
      fail(fmt::format("{} bytes in a line; UCC reads {}", text.size(), kUccMostLine));
    } else if (bare.empty() || bare[0] == '#' || bare[0] == ';') {
      return;
    } else if (!name_.empty() && bare.data() != text.data()) {
      fail(fmt::format("a blank in front: the line goes on with the value of {}", name_));
    } else if (bare[0] == '[') {
      begin_section(bare);
    } else {
      variable(bare);
    }
  }

  // A section: the teams that it is for, and its settings.
  struct Section {
    Rule where;  // with the line of its string
    std::map<std::string, std::string> words;
    Span sockets;
    std::map<std::string, std::string> variables;
    RadixReader radices;
  };

  void begin_section(std::string_view bare) {
    const std::size_t end = bare.find(']');
    if (end == std::string_view::npos) return fail("a section without ']'");
    name_.clear();
    names_.clear();
    sections_.push_back({.radices = RadixReader(&radices_)});
    sections_.back().where.line = line_;
    for (const std::string_view key : split(bare.substr(1, end - 1), ' ')) {
      if (!key.empty()) section_key(key);
    }
  }

  void section_key(std::string_view text) {
    const std::size_t equals = std::min(text.find('='), text.size());
    const std::string_view key = text.substr(0, equals);
    const std::string_view value = text.substr(std::min(equals + 1, text.size()));
    if (value.empty()) return fail(fmt::format("'{}' is no KEY=VALUE", text));
    Section& section = sections_.back();
    Rule& where = section.where;
    if (lower(key) == "vendor" || key == "model") {
      where.conditions.push_back(lower(text));
      section.words[lower(key)] = lower(value);
      return;
    }
    const std::map<std::string_view, Span*> spans = {{"team_size", &where.communicator_size},
                                                     {"ppn", &where.ranks_per_node},
                                                     {"nnodes", &where.nodes},
                                                     {"sock", &section.sockets}};
    const auto found = spans.find(key);
    if (found == spans.end()) return fail(fmt::format("a section has no '{}'", key));
    const auto span = range(value);
    if (!span) {
      return fail(fmt::format("'{}' is no range of numbers; write 2-{}", value, kUccMostTeam));
    }
    *found->second = *span;
    if (key == "sock") where.conditions.emplace_back(text);
  }

  static std::optional<Span> range(std::string_view text) {
    const std::size_t dash = text.find('-');
    const auto least = parse_number<std::uint64_t>(text.substr(0, dash));
    const auto most =
        dash == std::string_view::npos ? least : parse_number<std::uint64_t>(text.substr(dash + 1));
    if (!least || !most) return std::nullopt;
    return Span{*least, *most >= kUccMostTeam ? UINT64_MAX : *most};
  }

  void variable(std::string_view bare) {
    const std::size_t end = bare.find_first_of("=:");
    if (end == std::string_view::npos) return fail(fmt::format("'{}' is no NAME=VALUE", bare));
    name_ = trim(bare.substr(0, end));
    std::string_view value = bare.substr(end + 1);
    for (std::size_t at = value.find(';'); at != std::string_view::npos;
         at = value.find(';', at + 1)) {
      const bool comment = at > 0 && (value[at - 1] == ' ' || value[at - 1] == '\t');
      if (comment) value = value.substr(0, at);
      if (comment) break;
    }
    if (name_.find("UCC_") == std::string::npos)
      return fail(fmt::format("'{}' is no variable of UCC", name_));
    if (!names_.insert(name_).second) return fail(fmt::format("{} stands twice", name_));
    set(trim(value));
  }

  void set(std::string_view value) {
    std::string problem;
    const bool in_section = !sections_.empty();
    RadixReader& radices = in_section ? sections_.back().radices : radices_;
    if (in_section) sections_.back().variables[name_] = value;
    if (name_.starts_with("export ")) {
      file_.error(line_, "'export' is for a shell: UCC reads another name");
    } else if (name_ == kUccTune) {
      found_ = true;
      if (!in_section) for_all_ = line_;
      if (in_section && for_all_ != 0) {
        file_.warn(line_,
                   fmt::format("never counts: {} of line {} is for all teams", kUccTune, for_all_));
      } else {
        add_tune(target_, line_, value, file_, in_section ? sections_.back().where : Rule{});
        if (in_section) sections_.back().where.line = line_;
      }
    } else if (radices.take(name_, value, problem)) {
      if (!problem.empty()) file_.warn(line_, problem);
    } else if (is_of_other_components(name_, value)) {
      file_.warn(line_, not_taken_into_account("", name_));
    }
  }

  // Whether one team can have what both ask, its ranks on its nodes included.
  static bool can_meet(const Section& a, const Section& b) {
    const auto both = [](const Span& one, const Span& two) {
      return Span{std::max(one.least, two.least), std::min(one.most, two.most)};
    };
    const Span ranks = both(a.where.communicator_size, b.where.communicator_size);
    const Span nodes = both(a.where.nodes, b.where.nodes);
    const Span on_node = both(a.where.ranks_per_node, b.where.ranks_per_node);
    const Span sockets = both(a.sockets, b.sockets);
    for (const Span& one : {ranks, nodes, on_node, sockets}) {
      if (one.least > one.most) return false;
    }
    std::uint64_t most = 0;
    const bool endless = __builtin_mul_overflow(nodes.most, on_node.most, &most);
    if ((!endless && most < ranks.least) || nodes.least * on_node.least > ranks.most) return false;
    return std::ranges::all_of(a.words, [&](const auto& word) {
      const auto found = b.words.find(word.first);
      return found == b.words.end() || found->second == word.second;
    });
  }

  // Whether they give one variable two values.
  bool contradict(const Section& a, const Section& b) const {
    return std::ranges::any_of(a.variables, [&](const auto& one) {
      if (one.first == kUccTune && for_all_ != 0) return false;
      const auto found = b.variables.find(one.first);
      return found != b.variables.end() && found->second != one.second;
    });
  }

  // UCC applies all that hold for a team in the order of a hash table.
  void say_sections() {
    for (const Section& one : sections_) {
      std::string lines;
      for (const Section& another : sections_) {
        if (&one == &another || !can_meet(one, another) || !contradict(one, another)) continue;
        lines += fmt::format("{}{}", lines.empty() ? "" : ", ", another.where.line);
      }
      if (lines.empty()) continue;
      file_.warn(one.where.line,
                 fmt::format("another section (line {}) can hold for the same team: which of them "
                             "counts is not defined",
                             lines));
    }
  }

  const RuleTarget& target_;
  RuleFile file_;
  RadixReader radices_;
  std::vector<Section> sections_;
  std::set<std::string> names_;  // of the section
  std::string name_;             // of the last variable
  std::size_t line_ = 0;
  std::size_t for_all_ = 0;  // the line of a tune outside sections
  bool found_ = false;
  bool failed_ = false;
};

bool read_settings(const RuleTarget& target, const std::vector<Assignment>& settings,
                   RuleFile& file) {
  RadixReader radices;
  bool any = false;
  for (const Assignment& one : settings) {
    std::string problem;
    if (one.variable == kUccTune) {
      any = true;
      if (one.value.empty() && one.problem.empty()) {
        file.error(one.line, "no token: nothing is chosen");
      } else if (has_value(one, file)) {
        add_tune(target, one.line, one.value, file);
      }
    } else if (one.variable.ends_with("KN_RADIX")) {
      if (has_value(one, file)) radices.take(one.variable, one.value, problem);
      if (!problem.empty()) file.warn(one.line, problem);
    } else if (is_of_other_components(one.variable, one.value)) {
      any = true;
      file.warn(one.line, not_taken_into_account("", one.variable));
    }
  }
  radices.apply(target, file.rules);
  return any;
}

// The line of the first "[section]"; 0: the content is no ucc.conf. A shell's own '[' has a blank
// behind it.
std::size_t first_section(std::string_view content) {
  std::size_t line = 0;
  for (const std::string_view text : split(content, '\n')) {
    ++line;
    const std::string_view bare = trim(text);
    if (bare.size() > 2 && bare[0] == '[' && bare[1] >= 'a' && bare[1] <= 'z') return line;
  }
  return 0;
}

}  // namespace

RuleFile read_ucc_conf(const RuleTarget& target, std::string_view content) {
  return ConfReader(target).read(content);
}

RuleFile read_ucc(const RuleTarget& target, std::string_view content) {
  if (const std::size_t line = first_section(content); line != 0) {
    RuleFile file = read_ucc_conf(target, content);
    file.warn(line, "a section: read as ucc.conf (ucc-conf), not as a script");
    return file;
  }
  return read_each_run(content, kUccPrefix, kUccTune, [&](const auto& settings, RuleFile& file) {
    return read_settings(target, settings, file);
  });
}

}  // namespace colltree::rules
