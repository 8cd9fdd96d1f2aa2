// SPDX-License-Identifier: BSD-3-Clause
// UCC: UCC_TL_UCP_TUNE = token#token, token = collective:bytes-bytes:[ranks-ranks]:@algorithm. A
// range holds its first value and not its last; "inf" is no end.
#include <fmt/format.h>

#include "base/text.h"
#include "emit/rules/named_methods.h"
#include "emit/rules/targets/targets.h"

namespace colltree {

namespace {

// Of TL/UCP of 1.10.
constexpr NamedMethod kUccNames[] = {
    {Collective::kAllreduce, "recursive_doubling", "knomial"},
    {Collective::kAllreduce, "rabenseifner reduce_scatter_allgather", "sra_knomial"},
    {Collective::kAllreduce, "", "dbt"},
    {Collective::kAllreduce, "", "sliding_window"},
    {Collective::kAllreduce, "segmented_ring", "ring"},
    {Collective::kBcast, "binomial", "knomial"},
    {Collective::kBcast, "scatter_allgather scatter_recursive_doubling_allgather", "sag_knomial"},
    {Collective::kBcast, "", "dbt"},
    {Collective::kAllgather, "recursive_doubling", "knomial"},
    {Collective::kAllgather, "", "ring"},
    {Collective::kAllgather, "neighbor_exchange", "neighbor"},
    {Collective::kAllgather, "brucks", "bruck"},
    {Collective::kAllgather, "", "sparbit"},
    {Collective::kAllgather, "basic_linear", "linear"},
    {Collective::kAllgather, "", "batched"},
    {Collective::kAllgatherv, "", "ring"},
    {Collective::kAllgatherv, "recursive_doubling", "knomial"},
    {Collective::kAlltoall, "ring", "pairwise"},
    {Collective::kAlltoall, "brucks modified_bruck", "bruck"},
    {Collective::kAlltoall, "", "onesided"},
    {Collective::kReduce, "binomial", "knomial"},
    {Collective::kReduce, "", "dbt"},
    {Collective::kReduce, "rabenseifner reduce_scatter_gather", "srg"},
    {Collective::kReduceScatter, "", "ring"},
    {Collective::kReduceScatter, "recursive_halving", "knomial"},
    {Collective::kGather, "binomial", "knomial"},
};

std::string bytes_text(std::uint64_t bytes) {
  if (bytes == UINT64_MAX) return "inf";
  const std::string text = format_bytes(bytes);
  return text.ends_with('B') ? text.substr(0, text.size() - 1) : lower(text);
}

std::string token(Collective collective, const Rule& rule) {
  const Span& bytes = rule.message;
  const Span& ranks = rule.communicator_size;
  std::string text(name(collective));
  if (bytes.least != 0 || bytes.most != UINT64_MAX) {
    text += fmt::format(":{}-{}", bytes_text(bytes.least),
                        bytes_text(bytes.most == UINT64_MAX ? UINT64_MAX : bytes.most + 1));
  }
  if (ranks.least > 1 || ranks.most != UINT64_MAX) {
    text += fmt::format(":[{}-{}]", ranks.least,
                        ranks.most == UINT64_MAX ? std::string("inf") : std::to_string(ranks.most));
  }
  return text + ":@" + rule.method.algorithm;
}

std::string tune(const RuleSet& rules) {
  std::string text;
  for (const CollectiveRules& one : rules.collectives) {
    for (const Rule& rule : one.rules) {
      if (is_library_default(rule.method)) continue;
      text += (text.empty() ? "" : "#") + token(one.collective, rule);
    }
  }
  return text;
}

// An empty value is no value: UCC refuses it, so the variable is left out.
std::string write_ucc(const RuleTarget&, const RuleSet& rules, const std::string& comment) {
  const std::string value = tune(rules);
  if (value.empty()) return fmt::format("# {}\n# Nothing is chosen: UCC decides.\n", comment);
  return fmt::format("# {}\nexport UCC_TL_UCP_TUNE='{}'\n", comment, value);
}

std::string write_ucc_conf(const RuleTarget&, const RuleSet& rules, const std::string& comment) {
  const std::string value = tune(rules);
  if (value.empty()) return fmt::format("# {}\n# Nothing is chosen: UCC decides.\n", comment);
  return fmt::format(
      "# {}\n# Narrow the section to the machine: [vendor=... model=... ppn=... nnodes=...]\n"
      "[team_size=2-inf]\nUCC_TL_UCP_TUNE={}\n",
      comment, value);
}

class UccReader {
 public:
  explicit UccReader(const RuleTarget& target) : target_(target) {}

  RuleFile read(std::string_view content) {
    std::size_t number = 0;
    bool found = false;
    for (std::string_view text : split(content, '\n')) {
      ++number;
      text = trim(text);
      if (text.empty() || text[0] == '#' || text[0] == '[') continue;
      line_ = number;
      if (text.starts_with("export ")) text = trim(text.substr(7));
      const std::size_t equals = text.find('=');
      const std::string_view variable = trim(text.substr(0, equals));
      if (equals == std::string_view::npos) {
        error(fmt::format("expected VARIABLE=VALUE, got '{}'", text));
      } else if (variable == "UCC_TL_UCP_TUNE") {
        if (found) error("UCC_TL_UCP_TUNE stands twice: the last one counts");
        if (found) file_.rules = {};
        found = true;
        value(trim(text.substr(equals + 1)));
      } else if (!variable.starts_with("UCC_")) {
        error(fmt::format("'{}' is no variable of UCC", variable));
      }
    }
    if (!found) {
      line_ = 0;
      error("no UCC_TL_UCP_TUNE");
    }
    return std::move(file_);
  }

 private:
  void error(std::string text) { file_.error(line_, std::move(text)); }
  void warn(std::string text) { file_.warn(line_, std::move(text)); }

  void value(std::string_view text) {
    if (!text.empty() && (text[0] == '\'' || text[0] == '"')) {
      if (text.size() < 2 || text.back() != text[0]) {
        error("a quote without its end");
        return;
      }
      text = text.substr(1, text.size() - 2);
    }
    if (text.empty()) {
      error("no token: nothing is chosen");
      return;
    }
    for (const std::string_view one : split(text, '#')) token(trim(one));
  }

  void token(std::string_view text) {
    if (text.empty()) return error("an empty token between two '#'");
    const std::vector<std::string_view> parts = split(text, ':');
    Rule rule{.line = line_};
    std::vector<Collective> collectives;
    if (!read_collectives(parts[0], collectives)) return;
    bool algorithm = false;
    bool bytes = false;
    bool team = false;
    bool score = false;
    const auto once = [&](bool& seen, const char* what) {
      if (seen) error(fmt::format("token '{}': {} stands twice", text, what));
      seen = true;
    };
    std::string wanted;
    for (std::size_t i = 1; i < parts.size(); ++i) {
      const std::string_view part = trim(parts[i]);
      if (part.starts_with('@')) {
        once(algorithm, "the algorithm");
        wanted = part.substr(1);
      } else if (part.starts_with('[')) {
        once(team, "the team size");
        if (!read_team(part, rule)) return;
      } else if (part.find('-') != std::string_view::npos) {
        once(bytes, "the message size");
        if (!read_range(part, rule.message)) return;
      } else if (part == "host" || part == "cuda" || part == "rocm" || part == "cuda_managed") {
        if (part != "host") warn(fmt::format("token '{}': for {} memory only", text, part));
      } else if (part == "inf" || parse_number<std::uint64_t>(part)) {
        once(score, "the score");
        if (part == "0") disabled(text);
      } else {
        error(fmt::format("token '{}': '{}' is no range, [team], score, memory type or @algorithm",
                          text, part));
        return;
      }
    }
    if (!algorithm && !score) {
      error(fmt::format("token '{}': neither a score nor an algorithm", text));
      return;
    }
    if (algorithm) keep(collectives, wanted, rule);
  }

  void disabled(std::string_view text) {
    warn(fmt::format("token '{}': score 0 switches the range off", text));
  }

  bool read_collectives(std::string_view text, std::vector<Collective>& collectives) {
    for (const std::string_view one : split(text, ',')) {
      const auto found = read_collective(target_, trim(one), line_, file_);
      if (!found) return false;
      collectives.push_back(*found);
    }
    return true;
  }

  std::optional<std::uint64_t> size(std::string_view text) {
    if (text == "inf") return UINT64_MAX;
    return parse_bytes(text);
  }

  bool read_range(std::string_view text, Span& span) {
    const std::size_t dash = text.find('-');
    const auto least = size(trim(text.substr(0, dash)));
    const auto end = size(trim(text.substr(dash + 1)));
    if (!least || !end) {
      error(fmt::format("'{}' is no range of bytes; write 4k-1m or 0-inf", text));
      return false;
    }
    if (*end <= *least) {
      error(fmt::format("range {} is empty", text));
      return false;
    }
    span = {*least, *end == UINT64_MAX ? UINT64_MAX : *end - 1};
    return true;
  }

  bool read_team(std::string_view text, Rule& rule) {
    const std::string_view inside = text.substr(1, text.size() - 2);
    const std::size_t dash = inside.find('-');
    const auto least = text.ends_with(']') ? size(inside.substr(0, dash)) : std::nullopt;
    const auto most = dash == std::string_view::npos ? least : size(inside.substr(dash + 1));
    if (!least || !most) {
      error(fmt::format("'{}' is no team size; write [4-64]", text));
      return false;
    }
    if (*most < *least) {
      error(fmt::format("team size {} is empty", text));
      return false;
    }
    rule.communicator_size = {*least, *most};
    return true;
  }

  void keep(const std::vector<Collective>& collectives, const std::string& wanted, Rule rule) {
    for (const Collective collective : collectives) {
      const std::vector<std::string> names = target_names(target_, collective);
      std::string theirs = wanted;
      if (const auto number = parse_number<std::size_t>(wanted)) {
        warn(fmt::format("@{}: numbers of algorithms differ between versions; write the name",
                         *number));
        continue;
      }
      bool known = false;
      for (const std::string& one : names) known = known || one == theirs;
      if (!known) {
        error(fmt::format("{} has no algorithm '{}'{}", name(collective), theirs,
                          did_you_mean(theirs, names)));
        continue;
      }
      rule.method = {theirs, 0};
      file_.rules.of(collective).rules.push_back(rule);
    }
  }

  const RuleTarget& target_;
  RuleFile file_;
  std::size_t line_ = 0;
};

RuleFile read_ucc(const RuleTarget& target, std::string_view content) {
  return UccReader(target).read(content);
}

std::optional<SizeKey> ucc_size_key(Collective collective) {
  if (!has_names(kUccNames, collective)) return std::nullopt;
  switch (collective) {
    case Collective::kBcast:
    case Collective::kReduce:
    case Collective::kAllreduce:
    case Collective::kReduceScatter:
      return SizeKey::kMessage;
    default:
      return SizeKey::kTimesRanks;
  }
}

}  // namespace

RuleTarget targets::ucc() {
  return {.name = "ucc",
          .summary = "UCC_TL_UCP_TUNE for the shell",
          .versions = {"UCC", "", "1.10", "its sources; not run"},
          .size_key = ucc_size_key,
          .names = kUccNames,
          .express = express_named,
          .write = write_ucc,
          .read = read_ucc};
}

RuleTarget targets::ucc_conf() {
  RuleTarget target = ucc();
  target.name = "ucc-conf";
  target.summary = "section of ucc.conf";
  target.write = write_ucc_conf;
  return target;
}

}  // namespace colltree
