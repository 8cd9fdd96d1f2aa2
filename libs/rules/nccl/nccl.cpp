// SPDX-License-Identifier: BSD-3-Clause
// The CSV of NCCL's example tuner plugin (NCCL_TUNER_CONFIG_FILE; NCCL 2.27.5 and later): the first
// line that matches and whose algorithm NCCL can run decides; node and rank counts are one number
// or -1. The plugin refuses nothing: a word that it does not know it takes for another.
//   collective,min_bytes,max_bytes,algorithm,protocol,channels,nodes,ranks,pipe_ops,registered
#include <fmt/core.h>

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "rules/rule_set.h"
#include "rules/targets.h"

namespace colltree::rules {

namespace {

// Algorithm/protocol; the protocol is "simple" where a method does not say. All pairs that NCCL's
// cost table has (src/graph/tuning.cc): of any other the plugin passes the line by.
constexpr NamedMethod kNcclNames[] = {
    {Collective::kAllreduce, "", "ring/simple"},
    {Collective::kAllreduce, "ring_ll", "ring/ll"},
    {Collective::kAllreduce, "ring_ll128", "ring/ll128"},
    {Collective::kAllreduce, "", "tree/simple"},
    {Collective::kAllreduce, "tree_ll", "tree/ll"},
    {Collective::kAllreduce, "tree_ll128", "tree/ll128"},
    {Collective::kAllreduce, "", "collnet_direct/simple"},
    {Collective::kAllreduce, "", "collnet_chain/simple"},
    {Collective::kAllreduce, "", "nvls/simple"},
    {Collective::kAllreduce, "", "nvls_tree/simple"},
    {Collective::kBcast, "pipeline", "ring/simple"},
    {Collective::kBcast, "ring_ll", "ring/ll"},
    {Collective::kBcast, "ring_ll128", "ring/ll128"},
    {Collective::kReduce, "pipeline", "ring/simple"},
    {Collective::kReduce, "ring_ll", "ring/ll"},
    {Collective::kReduce, "ring_ll128", "ring/ll128"},
    {Collective::kAllgather, "", "ring/simple"},
    {Collective::kAllgather, "ring_ll", "ring/ll"},
    {Collective::kAllgather, "ring_ll128", "ring/ll128"},
    {Collective::kAllgather, "", "collnet_direct/simple"},
    {Collective::kAllgather, "", "nvls/simple"},
    {Collective::kAllgather, "", "pat/simple"},
    {Collective::kReduceScatter, "", "ring/simple"},
    {Collective::kReduceScatter, "ring_ll", "ring/ll"},
    {Collective::kReduceScatter, "ring_ll128", "ring/ll128"},
    {Collective::kReduceScatter, "", "collnet_direct/simple"},
    {Collective::kReduceScatter, "", "nvls/simple"},
    {Collective::kReduceScatter, "", "pat/simple"},
};

constexpr std::uint64_t kMostSingleRanks = 1024;  // lines for single communicator sizes

// The collectives of these names, by their places in kNcclCollectives.
constexpr Collective kOursOfNccl[] = {Collective::kBcast, Collective::kReduce,
                                      Collective::kAllgather, Collective::kReduceScatter,
                                      Collective::kAllreduce};
constexpr std::string_view kNcclCollectives[] = {"broadcast", "reduce", "allgather",
                                                 "reducescatter", "allreduce"};
constexpr std::string_view kNcclAlgorithms[] = {
    "tree", "ring", "collnet_direct", "collnet_chain", "nvls", "nvls_tree", "pat"};
constexpr std::string_view kNcclProtocols[] = {"ll", "ll128", "simple"};

// A field can hold only one number, or -1 for any.
std::string exact(const Span& nodes) {
  if (nodes == Span{}) return "-1";
  if (nodes.least == nodes.most) return std::to_string(nodes.least);
  throw Error(fmt::format("nccl: a line cannot hold {} to {} nodes", nodes.least, nodes.most));
}

std::string line(Collective collective, const Rule& rule, const std::string& ranks) {
  const std::string& method = rule.method.algorithm;
  const std::size_t slash = method.find('/');
  const auto place = std::ranges::find(kOursOfNccl, collective) - std::begin(kOursOfNccl);
  return fmt::format("{},{},{},{},{},-1,{},{},-1,-1\n", kNcclCollectives[place], rule.message.least,
                     rule.message.most, method.substr(0, slash), method.substr(slash + 1),
                     exact(rule.nodes), ranks);
}

std::string row_lines(Collective collective, const RuleRow& row, const std::string& ranks) {
  std::string text;
  for (const Rule& rule : row) {
    if (!is_library_default(rule.method)) text += line(collective, rule, ranks);
  }
  return text;
}

constexpr std::size_t kNcclMostFields = 10;
constexpr std::size_t kNcclMostLine = 254;         // the plugin reads longer ones in pieces
constexpr std::uint64_t kOnce32Bits = 4294967295;  // what many files mean by "no end"

// Reads the leading number of a text like strtoull and atoi: no number is 0, and -1 is the largest.
std::uint64_t leading_number(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  const std::string_view digits = text.substr(0, text.find_first_not_of("0123456789"));
  if (digits.empty()) return 0;
  const std::uint64_t value = parse_number<std::uint64_t>(digits).value_or(UINT64_MAX);
  return negative ? 0 - value : value;
}

class NcclReader {
 public:
  RuleFile read(std::string_view content) {
    for (std::string_view text : split(content, '\n')) {
      ++line_;
      if (text.starts_with('#') || trim(text).empty()) continue;
      if (text.size() > kNcclMostLine) {
        error(fmt::format("more than {} characters: the plugin reads the line in pieces",
                          kNcclMostLine));
      }
      row(text);
    }
    if (!has_rows_ && file_.first_error() == nullptr) {
      line_ = 0;
      error("no line of 8 to 10 fields: the file has no rules");
    }
    return std::move(file_);
  }

 private:
  void error(std::string text) { file_.error(line_, std::move(text)); }
  void warn(std::string text) { file_.warn(line_, std::move(text)); }

  // The plugin takes every word that it does not know for `otherwise`.
  std::string_view word(std::string_view text, const char* what,
                        std::span<const std::string_view> known, std::string_view otherwise) {
    if (std::ranges::count(known, text) > 0) return text;
    const std::vector<std::string> list(known.begin(), known.end());
    error(fmt::format("'{}' is no {}{}; the plugin takes it for {}", text, what,
                      did_you_mean(text, list), otherwise));
    return otherwise;
  }

  void row(std::string_view text) {
    std::vector<std::string_view> fields = split(text, ',');
    while (!fields.empty() && fields.back().empty()) fields.pop_back();
    if (std::ranges::count(fields, "") > 0) {
      return error("an empty field: the plugin passes it by and takes the next in its place");
    }
    const bool comment = trim(text).starts_with('#');
    if (fields.size() < 8) {
      return warn(comment
                      ? fmt::format("'#' behind a blank begins no comment; the plugin passes the "
                                    "line by, because it has {} of 8 fields",
                                    fields.size())
                      : fmt::format("{} fields: the plugin passes the line by; a rule has 8 to "
                                    "10",
                                    fields.size()));
    }
    has_rows_ = true;
    if (comment) return error("'#' behind a blank begins no comment: the plugin reads a rule");
    for (std::string_view& field : fields) field = trim(field);
    if (fields[0] == "collective_type" || fields[0] == "collective" || fields[0] == "colltype") {
      warn("a header: the plugin reads it as a rule for 0 ranks, which is never matched");
      return;
    }
    if (fields.size() > kNcclMostFields) {
      warn(fmt::format("{} fields: the plugin reads {}", fields.size(), kNcclMostFields));
    }
    rule(fields);
  }

  void rule(const std::vector<std::string_view>& fields) {
    const std::string_view collective =
        word(fields[0], "collective", kNcclCollectives, "allreduce");
    Rule rule{.message = {bytes(fields[1]), bytes(fields[2])}, .line = line_};
    rule.method = {fmt::format("{}/{}", word(fields[3], "algorithm", kNcclAlgorithms, "ring"),
                               word(fields[4], "protocol", kNcclProtocols, "simple")),
                   0};
    channels(fields[5]);
    const bool matched = count(fields[6], "nodes", rule.nodes) &&
                         count(fields[7], "ranks", rule.communicator_size) &&
                         (fields.size() < 9 || operations(fields[8], rule)) &&
                         (fields.size() < 10 || registered(fields[9], rule));
    if (matched && can_match(rule)) keep(collective, std::move(rule));
  }

  void keep(std::string_view word, Rule rule) {
    const Collective collective =
        kOursOfNccl[std::ranges::find(kNcclCollectives, word) - std::begin(kNcclCollectives)];
    const bool runs = std::ranges::any_of(kNcclNames, [&](const NamedMethod& named_method) {
      return named_method.collective == collective && named_method.theirs == rule.method.algorithm;
    });
    if (!runs) {
      warn(fmt::format("NCCL cannot run {} as {}: the plugin passes the line by", word,
                       rule.method.algorithm));
      return;
    }
    if (rule.message.most == kOnce32Bits) {
      warn(fmt::format("ends at {} bytes: larger messages are not matched; {} is no end",
                       kOnce32Bits, UINT64_MAX));
    }
    file_.rules.rules_for(collective).rules.push_back(std::move(rule));
  }

  std::uint64_t bytes(std::string_view text) {
    const std::uint64_t value = leading_number(text);
    if (!parse_number<std::uint64_t>(text)) {
      error(fmt::format("'{}' is no number of bytes; the plugin reads {}", text, value));
    }
    return value;
  }

  bool can_match(const Rule& rule) {
    if (rule.message.least > rule.message.most) {
      warn(fmt::format("sizes {} to {}: never matched", rule.message.least, rule.message.most));
      return false;
    }
    if (rule.nodes.least > rule.communicator_size.most) {
      warn("more nodes than ranks: never matched");
    }
    return true;
  }

  // Reads a number like atoi. `what` names the field, which no call matches if the number is 0,
  // except where 0 is a value of its own.
  std::int64_t number(std::string_view text, const char* what) {
    const auto value = static_cast<std::int64_t>(leading_number(text));
    if (!parse_number<std::int64_t>(text)) {
      error(fmt::format("{} is '{}', and no number; the plugin reads {}", what, text, value));
    }
    return value;
  }

  void channels(std::string_view text) {
    const std::int64_t value = number(text, "channels");
    if (value < -1 || value == 0) error(fmt::format("channels is '{}'; one number or -1", text));
  }

  // A field is an exact value or -1, which stands for any.
  bool count(std::string_view text, const char* what, Span& span) {
    const std::int64_t value = number(text, what);
    if (value == -1) return true;
    if (value < 1) {
      warn(fmt::format("{} is '{}': never matched", what, text));
      return false;
    }
    span = {static_cast<std::uint64_t>(value), static_cast<std::uint64_t>(value)};
    return true;
  }

  // The number of calls in a group that NCCL carries out together; an ordinary call is alone.
  bool operations(std::string_view text, Rule& rule) {
    Span span;
    if (!count(text, "pipe operations", span)) return false;
    if (span == Span{}) return true;
    rule.conditions.push_back(
        fmt::format("{} pipe {}", span.least, span.least == 1 ? "operation" : "operations"));
    rule.usual = rule.usual && span.least == 1;
    return true;
  }

  bool registered(std::string_view text, Rule& rule) {
    const std::int64_t value = number(text, "registered buffers");
    if (value == -1) return true;
    if (value != 0 && value != 1) {
      warn(fmt::format("registered buffers is '{}', not 0, 1 or -1: never matched", text));
      return false;
    }
    rule.conditions.emplace_back(value == 1 ? "registered buffers" : "buffers not registered");
    rule.usual = rule.usual && value == 0;
    return true;
  }

  RuleFile file_;
  std::size_t line_ = 0;
  bool has_rows_ = false;  // lines that the plugin reads as rules
};

class NcclTarget final : public NamedTarget {
 public:
  using NamedTarget::NamedTarget;
  // A row without an end comes last and holds for all communicators that no earlier line names.
  // Every communicator size of the other rows gets its own lines up to kMostSingleRanks, and beyond
  // it only a row of a single size.
  std::string write(const RuleSet& rules, const std::string& comment) const override {
    std::string text = fmt::format("# {}\n", comment);
    for (const CollectiveRules& collective_rules : rules.collectives) {
      for (const RuleRow& row : rows_of(collective_rules)) {
        const Span& ranks = row[0].communicator_size;
        if (ranks.most == UINT64_MAX) {
          text += row_lines(collective_rules.collective, row, "-1");
          continue;
        }
        const bool alone = ranks.least == ranks.most;
        const std::uint64_t least = alone ? ranks.least : std::max<std::uint64_t>(ranks.least, 2);
        const std::uint64_t most = alone ? ranks.most : std::min(ranks.most, kMostSingleRanks);
        for (std::uint64_t p = least; p <= most; ++p) {
          text += row_lines(collective_rules.collective, row, std::to_string(p));
        }
      }
    }
    return text;
  }
  RuleFile read(std::string_view content) const override { return NcclReader().read(content); }

 private:
  SizeKey key_of(Collective collective) const override {
    return collective == Collective::kAllgather ? SizeKey::kTimesRanks : SizeKey::kMessage;
  }
};

}  // namespace

RuleTargets targets::nccl() {
  return targets_with<NcclTarget>(
      {{.name = "nccl",
        .summary = "CSV of NCCL's example tuner plugin",
        .versions = {"NCCL", "2.27.5", "",
                     "the example tuner plugin, interfaces 4 to 7; run: its code, interface 6"},
        .goes_on = true,
        .most_message = UINT64_MAX,
        .most_single_sizes = kMostSingleRanks,
        .names = kNcclNames}});
}

}  // namespace colltree::rules
