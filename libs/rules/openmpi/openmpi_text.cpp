// SPDX-License-Identifier: BSD-3-Clause
// Writes rules as Open MPI 4.1 and 5.0 read them (docs/reference/formats/rules.md):
//   N_COLLECTIVES { ID N_SIZES { RANKS N_RULES { BYTES ALGORITHM FANOUT SEGMENT [REQUESTS] } } }
#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/text.h"
#include "rules/openmpi/openmpi_methods.h"
#include "rules/rule_set.h"
#include "rules/scanned_file.h"
#include "rules/targets.h"
#include "rules/value_list.h"

namespace colltree::rules {

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
  // Rows for communicators without ranks go, since the next row would begin where they do.
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

// Reads as the library does, which takes nearly any text: it refuses a file whole only where
// numbers are missing, negative, or name a collective that there is not. What is read and was
// hardly meant is a warning. (scanned_file.h; openmpi_own_reader_test.cpp compares with the
// library.)

// The library goes down a list while its values do not exceed the call's, and takes the last entry
// that it reached. So an entry holds from the greatest value so far on. Entries that are never
// taken have no span.
std::vector<std::optional<Span>> spans_going_down(const std::vector<std::uint64_t>& values) {
  std::vector<std::optional<Span>> spans(values.size());
  std::uint64_t least = 0;
  std::uint64_t most_so_far = values.empty() ? 0 : values[0];
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i + 1 == values.size()) {
      spans[i] = Span{least, UINT64_MAX};
      break;
    }
    most_so_far = std::max(most_so_far, values[i + 1]);
    if (most_so_far > least) spans[i] = Span{least, most_so_far - 1};
    least = most_so_far;
  }
  return spans;
}

class OpenMpiTextReader final : public ScannedRules {
 public:
  OpenMpiTextReader(const RuleTarget& target, std::string_view content)
      : ScannedRules(target, content, "Open MPI ignores the whole file without a message"),
        content_(content) {}

 private:
  void read_all() override {
    read_version();
    const std::uint64_t count = number("the number of collectives");
    if (count > kOpenmpiCollectives)
      drop(fmt::format("the number of collectives is {}; at most {}", count, kOpenmpiCollectives));
    if (count == 0) warn("0 collectives: the file has no rules");
    for (std::uint64_t i = 0; i < count; ++i) read_collective();
  }

  std::vector<std::optional<Span>> spans_of(
      const std::vector<std::uint64_t>& values) const override {
    return spans_going_down(values);
  }

  std::string hiding(std::size_t line_before,
                     const std::optional<Span>& span_before) const override {
    return fmt::format(
        "Open MPI reads an ascending list; what line {} says is {}", line_before,
        span_before ? fmt::format("taken up to {} only", span_before->most) : "never taken");
  }

  void read_version() {
    const std::size_t begin = content_.find_first_not_of(" \t\r\n");
    if (begin != std::string_view::npos && content_[begin] == '{')
      drop("JSON, which only Open MPI 6 reads");
    if (target_.version < 50) {
      if (content_.starts_with("rule-file-version-"))
        drop("a file of version 2 is read by Open MPI 4.1.8, 5.0.7 and later only");
      return;
    }
    const auto version = scanned_.take_version();
    has_requests_ = version && *version > 1;
    if (version && *version != 2)
      warn(fmt::format("rule-file-version-{} is read as version {}", *version,
                       has_requests_ ? 2 : 1));
  }

  // The library keeps the low 32 bits.
  std::int32_t small_number(const std::string& what) {
    const std::uint64_t value = number(what);
    const auto kept = static_cast<std::int32_t>(static_cast<std::uint32_t>(value));
    if (value > INT32_MAX)
      warn(fmt::format("{} is {}; Open MPI keeps 32 bits of it: {}", what, value, kept));
    return kept;
  }

  void read_collective() {
    const std::uint64_t id = number("a collective's number");
    const std::size_t id_line = line_;
    if (id >= kOpenmpiCollectives) {
      drop(fmt::format("collective number {}: there are 0 to {}", id, kOpenmpiCollectives - 1));
    }
    const auto collective = openmpi_collective(id);
    if (!collective) {
      file_.warn(id_line,
                 fmt::format("collective {} ({}): coll/tuned has no rules for it; no effect", id,
                             openmpi_collective_name(id)));
    } else if (!seen_.insert(*collective).second) {
      warn(fmt::format("{} has rules above already; only these count", name(*collective)));
      forget(*collective);
    }
    const std::uint64_t count = number("the number of communicator sizes");
    if (count == 0) warn("no communicator sizes: no effect");
    std::vector<Row> communicators;
    for (std::uint64_t i = 0; i < count; ++i) read_communicator(collective, communicators);
    if (collective && count > 0) keep(*collective, communicators);
  }

  void read_communicator(std::optional<Collective> collective, std::vector<Row>& communicators) {
    const std::int32_t ranks = small_number("a communicator size");
    if (communicators.empty() && ranks > 2)
      warn(
          fmt::format("the first communicator size is {}; its rules also hold for all smaller "
                      "communicators",
                      ranks));
    communicators.push_back({static_cast<std::uint64_t>(std::max(ranks, 0)), line_, {}});
    const std::uint64_t count = number("the number of message sizes");
    if (count == 0) warn("no message sizes: as without rules");
    for (std::uint64_t i = 0; i < count; ++i) read_size(collective, communicators.back());
  }

  void read_size(std::optional<Collective> collective, Row& communicator) {
    const std::uint64_t bytes = number("a message size");
    const std::size_t line = line_;
    OpenmpiColumns columns;
    columns.algorithm = static_cast<std::uint32_t>(small_number("an algorithm's number"));
    columns.fanout = static_cast<std::uint64_t>(std::max(small_number("a fan-out"), 0));
    columns.segment_size = static_cast<std::uint32_t>(small_number("a segment size"));
    if (has_requests_ && scanned_.digit_follows())
      columns.requests = static_cast<std::uint32_t>(small_number("a number of requests"));
    if (communicator.rules.empty() && bytes != 0) {
      line_ = line;
      drop(fmt::format("the first message size is {}, not 0", bytes));
    }
    if (line_ != line) {
      line_ = line;
      warn("the rule's numbers stand on several lines");
    } else if (scanned_.digit_follows()) {
      warn(fmt::format("more than {} numbers in a rule: the next is read as the next rule's first",
                       has_requests_ ? 5 : 4));
    }
    communicator.rules.push_back(
        {.message = {bytes, UINT64_MAX}, .method = method_of(collective, columns), .line = line});
  }

  Method method_of(std::optional<Collective> collective, const OpenmpiColumns& columns) {
    if (!collective) return library_default();
    std::vector<std::string> problems;
    const auto method = openmpi_method(target_, *collective, columns, problems);
    for (const std::string& problem : problems) warn(problem);
    if (method) return *method;
    file_.unsafe(line_, fmt::format("{} has no algorithm {} in {}: each call that this rule "
                                    "decides fails with MPI_ERR_ARG",
                                    name(*collective), columns.algorithm, target_.name));
    return unknown_openmpi_method(columns.algorithm);
  }

  std::string_view content_;
  bool has_requests_ = false;  // a rule may have a fifth number
};

// The number of parts that a file in the usual layout (counts alone on a line, a rule on each line)
// states, and the number that follow.
struct AnnouncedParts {
  std::size_t line = 0;
  std::uint64_t announced = 0;
  std::uint64_t found = 0;
  const char* what = "";
};

class LayoutReader {
 public:
  // Returns the wrong counts by line, or none where the file has another layout.
  std::vector<AnnouncedParts> read(std::string_view content) {
    std::size_t line = 0;
    for (std::string_view text : split(content, '\n')) {
      ++line;
      text = trim(text.substr(0, text.find('#')));
      if (text.empty() || text.starts_with("rule-file-version-")) continue;
      const auto numbers = blank_tokens(text);
      const auto count = parse_number<std::uint64_t>(numbers[0].text);
      if (!count || (numbers.size() > 1 && (numbers.size() < 4 || !rule()))) return {};
      if (numbers.size() == 1) counts_.push_back(AnnouncedParts{line, *count, 0, ""});
    }
    for (const auto* parts : {&rules_, &sizes_}) close(*parts);
    std::ranges::sort(wrong_, {}, &AnnouncedParts::line);
    return std::move(wrong_);
  }

 private:
  // Five counts stand before the first rule of a file, four before that of a collective and two
  // before that of a communicator size, and two more for each communicator size without a rule.
  bool rule() {
    if (counts_.empty() && !rules_) return false;
    const std::size_t count = counts_.size();
    if (count % 2 != (rules_ ? 0U : 1U) || (!rules_ && count < 5)) return false;
    std::size_t next = rules_ ? 0 : 1;
    if (count - next > 2) {
      open(sizes_, counts_[next + 1], "communicator sizes");
      next += 2;
    }
    for (; next < count; next += 2) {
      ++sizes_->found;
      open(rules_, counts_[next + 1], "message sizes");
    }
    counts_.clear();
    ++rules_->found;
    return true;
  }

  void open(std::optional<AnnouncedParts>& parts, AnnouncedParts next, const char* what) {
    close(parts);
    next.what = what;
    parts = next;
  }

  void close(const std::optional<AnnouncedParts>& parts) {
    if (parts && parts->announced != parts->found) wrong_.push_back(*parts);
  }

  std::vector<AnnouncedParts> counts_;  // since the last rule
  std::optional<AnnouncedParts> sizes_;
  std::optional<AnnouncedParts> rules_;
  std::vector<AnnouncedParts> wrong_;
};

// The text behind a wrong count is read in wrong places, so only that count is reported.
void say_wrong_count(std::string_view content, RuleFile& file) {
  const std::vector<AnnouncedParts> wrong = LayoutReader().read(content);
  if (wrong.empty()) return;
  const bool dropped = file.rules.collectives.empty();
  const std::string more = wrong.size() == 1
                               ? ""
                               : fmt::format(" (the same fault in {} more place{})",
                                             wrong.size() - 1, wrong.size() == 2 ? "" : "s");
  file.defects.clear();
  file.error(wrong[0].line,
             fmt::format("the file announces {} {} here, and {} follow{}; Open MPI reads on in the "
                         "wrong place{}",
                         wrong[0].announced, wrong[0].what, wrong[0].found, more,
                         dropped ? " and ignores the whole file without a message" : ""));
}

class OpenmpiTextTarget final : public OpenmpiTarget {
 public:
  using OpenmpiTarget::OpenmpiTarget;
  std::string write(const RuleSet& rules, const std::string& comment) const override {
    std::vector<CollectiveRules> ordered = rules.collectives;
    std::ranges::sort(ordered, {}, [](const CollectiveRules& collective_rules) {
      return *openmpi_collective_id(collective_rules.collective);
    });
    std::string text;
    if (version >= 50) text += "rule-file-version-2\n";
    text += fmt::format(
        "# {}\n# For {}; columns: bytes algorithm fan-out segment{}\n{} # collectives\n", comment,
        name, version >= 50 ? " requests" : "", ordered.size());
    for (const CollectiveRules& collective_rules : ordered)
      text += collective_text(*this, collective_rules);
    return text;
  }
  RuleFile read(std::string_view content) const override {
    RuleFile file = OpenMpiTextReader(*this, content).read();
    say_wrong_count(content, file);
    return file;
  }
};

}  // namespace

RuleTargets targets::openmpi_text() {
  return targets_with<OpenmpiTextTarget>(
      {{.name = "openmpi-4.1",
        .summary = "rules file of Open MPI 4.1 and 5.0 to 5.0.6",
        .versions = {"Open MPI", "4.1", "5.0.6", "run: 4.1.4"},
        .version = 41},
       {.name = "openmpi-5.0.7",
        .summary = "rules file, version 2, of Open MPI 5.0.7 and later 5.0",
        .versions = {"Open MPI", "5.0.7", "5.0", "run: 5.0.7"},
        .version = 50}});
}

}  // namespace colltree::rules
