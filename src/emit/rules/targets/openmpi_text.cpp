// SPDX-License-Identifier: BSD-3-Clause
// Writes rules as Open MPI 4.1 and 5.0 read them (docs/formats/openmpi-rules.md):
//   N_COLLECTIVES { ID N_SIZES { RANKS N_RULES { BYTES ALGORITHM FANOUT SEGMENT [REQUESTS] } } }
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>

#include "base/text.h"
#include "emit/rules/openmpi_methods.h"
#include "emit/rules/rule_set.h"
#include "emit/rules/targets/targets.h"
#include "emit/rules/value_list.h"

namespace colltree {

namespace {

const char* key_text(Collective collective) {
  switch (*openmpi_size_key(collective)) {
    case SizeKey::kMessage:
      return collective == Collective::kAllgatherv      ? "mean bytes per rank"
             : collective == Collective::kReduceScatter ? "bytes of all blocks"
                                                        : "bytes of the message";
    case SizeKey::kTimesRanks:
      return "bytes of one block x ranks";
    case SizeKey::kNone:
      return "sizes are not looked at";
  }
  return "";
}

std::string rule_line(const RuleTarget& target, Collective collective, const Rule& rule) {
  const OpenmpiColumns columns = openmpi_columns(collective, rule.method);
  std::string line = fmt::format("{} {} {} {}", rule.message.least, columns.algorithm,
                                 columns.fanout, columns.segment_size);
  if (target.version >= 50) line += fmt::format(" {}", columns.requests);
  return fmt::format("{:<24} # {}\n", line,
                     columns.algorithm == 0 ? "as without rules" : rule.method.label());
}

std::string collective_text(const RuleTarget& target, const CollectiveRules& rules) {
  std::vector<RuleRow> rows = rows_of(rules);
  // Of communicators without ranks: the next row would begin where this one does.
  std::erase_if(rows, [](const RuleRow& row) { return row[0].communicator_size.most == 0; });
  std::string text = fmt::format("\n{} # {}: {}\n{} # communicator sizes\n",
                                 *openmpi_collective_id(rules.collective), name(rules.collective),
                                 key_text(rules.collective), rows.size());
  for (const RuleRow& row : rows) {
    // The first row also holds for all smaller communicators.
    text += fmt::format("{} # ranks and more\n{} # rules\n",
                        std::max<std::uint64_t>(row[0].communicator_size.least, 1), row.size());
    for (const Rule& rule : row) text += rule_line(target, rules.collective, rule);
  }
  return text;
}

std::string write_openmpi_text(const RuleTarget& target, const RuleSet& rules,
                               const std::string& comment) {
  std::vector<CollectiveRules> ordered = rules.collectives;
  std::ranges::sort(ordered, {}, [](const CollectiveRules& one) {
    return *openmpi_collective_id(one.collective);
  });
  std::string text;
  if (target.version >= 50) text += "rule-file-version-2\n";
  text +=
      fmt::format("# {}\n# For {}; columns: bytes algorithm fan-out segment{}\n{} # collectives\n",
                  comment, target.name, target.version >= 50 ? " requests" : "", ordered.size());
  for (const CollectiveRules& one : ordered) text += collective_text(target, one);
  return text;
}

// Reads what write_openmpi_text writes and what others wrote by hand, strictly: Open MPI itself
// ignores a bad file without a word and reads "010" as 8.

constexpr const char* kVersion2 = "rule-file-version-2";

// The library stops here and drops everything: there is nothing more to say about the file.
struct DroppedLine {};

struct SizeRule {
  std::uint64_t bytes;
  Method method;
  std::size_t line;
};

struct CommunicatorRule {
  std::uint64_t ranks;
  std::size_t line;
  std::vector<SizeRule> sizes;
};

class OpenMpiTextReader {
 public:
  OpenMpiTextReader(const RuleTarget& target, std::string_view content)
      : target_(target), tokens_(blank_tokens(content)) {}

  RuleFile read() {
    try {
      read_version();
      const std::uint64_t count = number("the number of collectives", kOpenmpiCollectives);
      if (count == 0) error("0 collectives: the file has no rules");
      for (std::uint64_t i = 0; i < count; ++i) read_collective();
      if (at_ < tokens_.size()) {
        file_.warn(tokens_[at_].line,
                   fmt::format("'{}' after the last rule is not read", tokens_[at_].text));
      }
    } catch (const DroppedLine&) {
      file_.rules = {};
    }
    return std::move(file_);
  }

 private:
  void error(std::string text) { file_.error(line_, std::move(text)); }
  [[noreturn]] void drop(const std::string& text) {
    error(text + "; Open MPI ignores the whole file without a message");
    throw DroppedLine{};
  }

  void read_version() {
    if (tokens_.empty() || !tokens_[0].text.starts_with("rule-file-version")) return;
    line_ = tokens_[0].line;
    if (tokens_[0].text != kVersion2) {
      drop(fmt::format("expected {}, got '{}'", kVersion2, tokens_[0].text));
    }
    if (target_.version < 50) {
      drop("rule-file-version-2 is read by 4.1.8 and 5.0.7 and later only");
    }
    version2_ = true;
    ++at_;
  }

  // As strtol(.., 0) reads it, which is what the library does, with what it would do wrong said.
  std::uint64_t value_of(std::string_view text, const std::string& what) {
    const std::string copy(text);
    char* end = nullptr;
    errno = 0;
    const long long value = std::strtoll(copy.c_str(), &end, 0);
    if (end == copy.c_str() || *end != '\0') {
      error(
          fmt::format("expected {}, got '{}'; Open MPI skips what it cannot read and takes other "
                      "numbers for it",
                      what, text));
      throw DroppedLine{};
    }
    if (errno != 0) drop(fmt::format("{} is too large for {}", text, what));
    if (value < 0) drop(fmt::format("{} is negative: {}", what, text));
    const bool prefixed = text.size() > 1 && text[0] == '0';
    if (prefixed && (text[1] == 'x' || text[1] == 'X')) {
      file_.warn(line_, fmt::format("'{}' is read as hexadecimal: {}", text, value));
    } else if (prefixed) {
      error(fmt::format("'{}' is read as octal: {}", text, value));
    }
    return static_cast<std::uint64_t>(value);
  }

  std::uint64_t number(const std::string& what, std::uint64_t most = INT64_MAX) {
    if (at_ == tokens_.size()) {
      if (!tokens_.empty()) line_ = tokens_.back().line;
      drop(fmt::format("the file ends where {} is expected", what));
    }
    line_ = tokens_[at_].line;
    const std::uint64_t value = value_of(tokens_[at_++].text, what);
    if (value > most) drop(fmt::format("{} is {}; at most {}", what, value, most));
    return value;
  }

  void read_collective() {
    const std::uint64_t id = number("a collective's number", INT32_MAX);
    const std::size_t id_line = line_;
    if (id >= kOpenmpiCollectives) {
      drop(fmt::format("collective number {}: there are 0 to {}", id, kOpenmpiCollectives - 1));
    }
    const auto collective = openmpi_collective(id);
    if (!collective) {
      file_.warn(id_line,
                 fmt::format("collective {} ({}): coll/tuned has no rules for it; no effect", id,
                             openmpi_collective_name(id)));
    } else if (file_.rules.find(*collective) != nullptr) {
      error(fmt::format("{} has rules above already; only these count", name(*collective)));
      std::erase_if(file_.rules.collectives,
                    [&](const CollectiveRules& one) { return one.collective == *collective; });
    }
    const std::uint64_t count = number("the number of communicator sizes", INT32_MAX);
    if (count == 0) file_.warn(line_, "no communicator sizes: no effect");
    std::vector<CommunicatorRule> communicators;
    for (std::uint64_t i = 0; i < count; ++i) read_communicator(collective, communicators);
    if (collective && count > 0) keep(*collective, communicators);
  }

  void read_communicator(std::optional<Collective> collective,
                         std::vector<CommunicatorRule>& communicators) {
    const std::uint64_t ranks = number("a communicator size", INT32_MAX);
    if (!communicators.empty() && ranks <= communicators.back().ranks) {
      error(fmt::format("communicator size {} after {}: sizes must ascend, or rules are hidden",
                        ranks, communicators.back().ranks));
    } else if (communicators.empty() && ranks > 2) {
      file_.warn(
          line_,
          fmt::format("the first communicator size is {}; its rules also hold for all smaller "
                      "communicators",
                      ranks));
    }
    communicators.push_back({ranks, line_, {}});
    const std::uint64_t count = number("the number of message sizes", INT32_MAX);
    if (count == 0) error("no message sizes for this communicator size");
    for (std::uint64_t i = 0; i < count; ++i) read_size(collective, communicators.back());
  }

  void read_size(std::optional<Collective> collective, CommunicatorRule& communicator) {
    const std::uint64_t bytes = number("a message size");
    const std::size_t line = line_;
    if (communicator.sizes.empty() && bytes != 0) {
      drop(fmt::format("the first message size is {}, not 0", bytes));
    }
    if (!communicator.sizes.empty() && bytes <= communicator.sizes.back().bytes) {
      error(fmt::format("message size {} after {}: sizes must ascend, or rules are hidden", bytes,
                        communicator.sizes.back().bytes));
    }
    OpenmpiColumns columns;
    columns.algorithm = number("an algorithm's number", INT32_MAX);
    columns.fanout = number("a fan-out", INT32_MAX);
    columns.segment_size = number("a segment size", INT32_MAX);
    if (version2_ && at_ < tokens_.size() && tokens_[at_].line == line_) {
      columns.requests = number("a number of requests", INT32_MAX);
    }
    if (line_ != line) {
      line_ = line;
      file_.warn(line, "the rule's numbers stand on several lines");
    } else if (at_ < tokens_.size() && tokens_[at_].line == line) {
      error(fmt::format("more than {} numbers in a rule: '{}' is read as the next rule's first",
                        version2_ ? 5 : 4, tokens_[at_].text));
    }
    communicator.sizes.push_back({bytes, method_of(collective, columns), line});
  }

  Method method_of(std::optional<Collective> collective, const OpenmpiColumns& columns) {
    if (!collective) return library_default();
    std::vector<std::string> problems;
    const auto method = openmpi_method(target_, *collective, columns, problems);
    for (const std::string& problem : problems) file_.warn(line_, problem);
    if (method) return *method;
    error(fmt::format("{} has no algorithm {} in {}: each call fails with MPI_ERR_ARG",
                      name(*collective), columns.algorithm, target_.name));
    return {fmt::format("algorithm_{}", columns.algorithm), 0};
  }

  void keep(Collective collective, const std::vector<CommunicatorRule>& communicators) {
    CollectiveRules made{.collective = collective};
    for (std::size_t i = 0; i < communicators.size(); ++i) {
      const CommunicatorRule& one = communicators[i];
      Span ranks{i == 0 ? 0 : one.ranks,
                 i + 1 == communicators.size() ? UINT64_MAX : communicators[i + 1].ranks - 1};
      for (std::size_t j = 0; j < one.sizes.size(); ++j) {
        Rule rule{.communicator_size = ranks};
        rule.message = {one.sizes[j].bytes,
                        j + 1 == one.sizes.size() ? UINT64_MAX : one.sizes[j + 1].bytes - 1};
        rule.method = one.sizes[j].method;
        rule.line = one.sizes[j].line;
        made.rules.push_back(std::move(rule));
      }
    }
    file_.rules.collectives.push_back(std::move(made));
  }

  const RuleTarget& target_;
  std::vector<BlankToken> tokens_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
  bool version2_ = false;
  RuleFile file_;
};

RuleFile read_openmpi_text(const RuleTarget& target, std::string_view content) {
  return OpenMpiTextReader(target, content).read();
}

}  // namespace

RuleTarget targets::openmpi_4_1() {
  return openmpi_target({.name = "openmpi-4.1",
                         .summary = "rules file of Open MPI 4.1 and 5.0 to 5.0.6",
                         .versions = {"Open MPI", "4.1", "5.0.6", "run: 4.1.4"},
                         .version = 41,
                         .write = write_openmpi_text,
                         .read = read_openmpi_text});
}

RuleTarget targets::openmpi_5_0_7() {
  return openmpi_target({.name = "openmpi-5.0.7",
                         .summary = "rules file, version 2, of Open MPI 5.0.7 and later 5.0",
                         .versions = {"Open MPI", "5.0.7", "5.0", "run: 5.0.7"},
                         .version = 50,
                         .write = write_openmpi_text,
                         .read = read_openmpi_text});
}

}  // namespace colltree
