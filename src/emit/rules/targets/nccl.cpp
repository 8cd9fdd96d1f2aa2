// SPDX-License-Identifier: BSD-3-Clause
// The CSV of NCCL's example tuner plugin (NCCL_TUNER_CONFIG_FILE): the first line that matches
// decides; node and rank counts are one number or -1; no header.
//   collective,min_bytes,max_bytes,algorithm,protocol,channels,nodes,ranks,pipe_ops,registered
#include <fmt/format.h>

#include <array>

#include "base/error.h"
#include "base/text.h"
#include "emit/rules/named_methods.h"
#include "emit/rules/rule_set.h"
#include "emit/rules/targets/targets.h"

namespace colltree {

namespace {

// Algorithm/protocol; the protocol is "simple" where a method does not say.
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
    {Collective::kAllgather, "", "nvls/simple"},
    {Collective::kAllgather, "", "pat/simple"},
    {Collective::kReduceScatter, "", "ring/simple"},
    {Collective::kReduceScatter, "ring_ll", "ring/ll"},
    {Collective::kReduceScatter, "ring_ll128", "ring/ll128"},
    {Collective::kReduceScatter, "", "nvls/simple"},
    {Collective::kReduceScatter, "", "pat/simple"},
};

constexpr std::uint64_t kMostBytes = 4294967295;  // larger ones are unmatched in the stock plugin
constexpr std::uint64_t kMostSingleRanks = 1024;  // lines for single communicator sizes

struct NcclName {
  Collective collective;
  std::string_view name;
};
constexpr NcclName kNcclWords[] = {{Collective::kBcast, "broadcast"},
                                   {Collective::kReduce, "reduce"},
                                   {Collective::kAllgather, "allgather"},
                                   {Collective::kReduceScatter, "reducescatter"},
                                   {Collective::kAllreduce, "allreduce"}};

std::string_view nccl_name(Collective collective) {
  for (const NcclName& one : kNcclWords) {
    if (one.collective == collective) return one.name;
  }
  return "";
}

// One number, or -1 for any: nothing else can be said.
std::string exact(const Span& nodes) {
  if (nodes == Span{}) return "-1";
  if (nodes.least == nodes.most) return std::to_string(nodes.least);
  throw Error(fmt::format("nccl: a line cannot hold {} to {} nodes", nodes.least, nodes.most));
}

std::string line(Collective collective, const Rule& rule, const std::string& ranks) {
  const std::string& method = rule.method.algorithm;
  const std::size_t slash = method.find('/');
  return fmt::format("{},{},{},{},{},-1,{},{},-1,-1\n", nccl_name(collective), rule.message.least,
                     std::min(rule.message.most, kMostBytes), method.substr(0, slash),
                     method.substr(slash + 1), exact(rule.nodes), ranks);
}

std::string row_lines(Collective collective, const RuleRow& row, const std::string& ranks) {
  std::string text;
  for (const Rule& rule : row) {
    if (!is_library_default(rule.method)) text += line(collective, rule, ranks);
  }
  return text;
}

// A row without end comes last and holds for all communicators that no line before it names; up to
// kMostSingleRanks every size of a row gets its lines, beyond it one that stands alone.
std::string write_nccl(const RuleTarget&, const RuleSet& rules, const std::string& comment) {
  std::string text = fmt::format("# {}\n", comment);
  for (const CollectiveRules& one : rules.collectives) {
    for (const RuleRow& row : rows_of(one)) {
      const Span& ranks = row[0].communicator_size;
      if (ranks.most == UINT64_MAX) {
        text += row_lines(one.collective, row, "-1");
        continue;
      }
      const bool alone = ranks.least == ranks.most;
      const std::uint64_t least = alone ? ranks.least : std::max<std::uint64_t>(ranks.least, 2);
      const std::uint64_t most = alone ? ranks.most : std::min(ranks.most, kMostSingleRanks);
      for (std::uint64_t p = least; p <= most; ++p) {
        text += row_lines(one.collective, row, std::to_string(p));
      }
    }
  }
  return text;
}

constexpr std::array<std::string_view, 7> kAlgorithms = {
    "tree", "ring", "collnet_direct", "collnet_chain", "nvls", "nvls_tree", "pat"};
constexpr std::array<std::string_view, 3> kProtocols = {"ll", "ll128", "simple"};

class NcclReader {
 public:
  RuleFile read(std::string_view content) {
    for (std::string_view text : split(content, '\n')) {
      ++line_;
      text = trim(text);
      if (!text.empty() && text[0] != '#') row(text);
    }
    if (file_.rules.collectives.empty() && file_.defects.empty()) {
      line_ = 0;
      error("no line: the file has no rules");
    }
    return std::move(file_);
  }

 private:
  void error(std::string text) { file_.error(line_, std::move(text)); }
  void warn(std::string text) { file_.warn(line_, std::move(text)); }

  template <typename Names>
  bool known(std::string_view word, const Names& names, const char* what) {
    std::vector<std::string> list(names.begin(), names.end());
    for (const std::string& one : list) {
      if (one == word) return true;
    }
    error(fmt::format("'{}' is no {}{}", word, what, did_you_mean(word, list)));
    return false;
  }

  // Exact or -1, which is any.
  bool count(std::string_view text, const char* what, Span& span) {
    const auto value = parse_number<std::int64_t>(text);
    if (!value || *value < -1 || *value == 0) {
      error(fmt::format("{} is '{}'; one number or -1", what, text));
      return false;
    }
    if (*value > 0) {
      span = {static_cast<std::uint64_t>(*value), static_cast<std::uint64_t>(*value)};
    }
    return true;
  }

  void row(std::string_view text) {
    std::vector<std::string_view> fields = split(text, ',');
    for (std::string_view& field : fields) field = trim(field);
    if (fields.size() < 8 || fields.size() > 10) {
      error(fmt::format("{} fields; a line has 8 to 10", fields.size()));
      return;
    }
    if (fields[0] == "collective_type" || fields[0] == "collective") {
      error("a header: every line is read as a rule");
      return;
    }
    std::vector<std::string> names;
    std::optional<Collective> collective;
    for (const NcclName& one : kNcclWords) {
      names.emplace_back(one.name);
      if (one.name == fields[0]) collective = one.collective;
    }
    if (!collective) {
      error(fmt::format("unknown collective '{}'{}", fields[0], did_you_mean(fields[0], names)));
      return;
    }
    Rule rule{.line = line_};
    if (!sizes(fields, rule) || !known(fields[3], kAlgorithms, "algorithm") ||
        !known(fields[4], kProtocols, "protocol") || !small_numbers(fields)) {
      return;
    }
    if (!count(fields[6], "nodes", rule.nodes) ||
        !count(fields[7], "ranks", rule.communicator_size)) {
      return;
    }
    if (rule.nodes.least > rule.communicator_size.most) {
      warn("more nodes than ranks: never matched");
    }
    rule.method = {fmt::format("{}/{}", fields[3], fields[4]), 0};
    file_.rules.of(*collective).rules.push_back(rule);
  }

  bool sizes(const std::vector<std::string_view>& fields, Rule& rule) {
    const auto least = parse_number<std::uint64_t>(fields[1]);
    const auto most = parse_number<std::uint64_t>(fields[2]);
    if (!least || !most) {
      error(fmt::format("'{}' is no number of bytes", least ? fields[2] : fields[1]));
      return false;
    }
    if (*least > *most) {
      error(fmt::format("sizes {} to {}: never matched", *least, *most));
      return false;
    }
    if (*most > kMostBytes) {
      warn(fmt::format("{} bytes: the stock plugin matches up to {}", *most, kMostBytes));
    }
    rule.message = {*least, *most >= kMostBytes ? UINT64_MAX : *most};
    return true;
  }

  bool small_numbers(const std::vector<std::string_view>& fields) {
    Span unused;
    if (!count(fields[5], "channels", unused)) return false;
    for (std::size_t i = 8; i < fields.size(); ++i) {
      const auto value = parse_number<std::int64_t>(fields[i]);
      if (!value || *value < -1) {
        error(fmt::format("{} is '{}'; one number or -1",
                          i == 8 ? "pipe operations" : "registered buffers", fields[i]));
        return false;
      }
    }
    return true;
  }

  RuleFile file_;
  std::size_t line_ = 0;
};

RuleFile read_nccl(const RuleTarget&, std::string_view content) {
  return NcclReader().read(content);
}

std::optional<SizeKey> nccl_size_key(Collective collective) {
  if (!has_names(kNcclNames, collective)) return std::nullopt;
  return collective == Collective::kAllgather ? SizeKey::kTimesRanks : SizeKey::kMessage;
}

}  // namespace

RuleTarget targets::nccl() {
  return {.name = "nccl",
          .summary = "CSV of NCCL's example tuner plugin",
          .versions = {"NCCL", "", "",
                       "the example tuner plugin, interfaces 4 to 7; run: its code, interface 6"},
          .most_message = kMostBytes,
          .size_key = nccl_size_key,
          .names = kNcclNames,
          .express = express_named,
          .write = write_nccl,
          .read = read_nccl};
}

}  // namespace colltree
