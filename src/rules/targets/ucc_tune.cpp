// SPDX-License-Identifier: BSD-3-Clause
#include "rules/targets/ucc_tune.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/text.h"

namespace colltree::rules {

namespace {

struct UccCollective {
  std::string_view word;
  std::optional<Collective> ours;  // none: its algorithm cannot be chosen
};
constexpr UccCollective kUccCollectives[] = {{"allgather", Collective::kAllgather},
                                             {"allgatherv", Collective::kAllgatherv},
                                             {"allreduce", Collective::kAllreduce},
                                             {"alltoall", Collective::kAlltoall},
                                             {"alltoallv", Collective::kAlltoallv},
                                             {"barrier", std::nullopt},
                                             {"bcast", Collective::kBcast},
                                             {"fanin", std::nullopt},
                                             {"fanout", std::nullopt},
                                             {"gather", std::nullopt},
                                             {"gatherv", std::nullopt},
                                             {"reduce", Collective::kReduce},
                                             {"reduce_scatter", Collective::kReduceScatterBlock},
                                             {"reduce_scatterv", Collective::kReduceScatter},
                                             {"scatter", std::nullopt},
                                             {"scatterv", std::nullopt}};
constexpr std::size_t kUccCollectiveCount = std::size(kUccCollectives);

constexpr std::string_view kUccMemoryTypes[] = {"host", "cuda", "cuda_managed", "rocm",
                                                "rocm_managed"};
constexpr std::size_t kUccMemoryCount = std::size(kUccMemoryTypes);

constexpr std::uint64_t kUccInfinite = UINT64_MAX;

struct UccRange {  // without its end
  std::uint64_t begin = 0;
  std::uint64_t end = kUccInfinite;
};

struct UccToken {
  std::string_view text;
  std::optional<std::vector<std::size_t>> collectives;  // none: all
  std::optional<std::vector<std::size_t>> memory;       // none: all
  std::optional<std::uint64_t> score;
  std::optional<std::vector<UccRange>> sizes;
  std::optional<std::vector<Span>> teams;
  std::optional<std::string_view> algorithm;
};

// The texts between the separators without the empty ones, as strtok splits.
std::vector<std::string_view> ucc_pieces(std::string_view text, char separator) {
  std::vector<std::string_view> pieces = split(text, separator);
  std::erase_if(pieces, [](std::string_view name) { return name.empty(); });
  return pieces;
}

bool are_digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

std::optional<std::uint64_t> infinite_or(std::string_view text) {
  if (lower(text) == "inf") return kUccInfinite;
  if (!are_digits(text)) return std::nullopt;
  return parse_number<std::uint64_t>(text).value_or(kUccInfinite);
}

// Reads a size like UCX, by sscanf("%ld%c%c"): blanks may stand in front, and whatever behind the
// unit.
std::optional<std::uint64_t> memory_units(std::string_view text) {
  const std::string word = lower(text);
  if (word == "inf" || word == "auto") return kUccInfinite;
  std::string_view rest = word;
  rest.remove_prefix(std::min(rest.find_first_not_of(" \t\r\n"), rest.size()));
  if (rest.starts_with('+')) rest.remove_prefix(1);
  const std::size_t end = std::min(rest.find_first_not_of("0123456789"), rest.size());
  const auto value = parse_number<std::uint64_t>(rest.substr(0, end));
  if (!value) return std::nullopt;
  rest.remove_prefix(end);
  if (rest.empty()) return value;
  constexpr std::string_view kUnits = "bkmgt";
  const std::size_t unit = kUnits.find(rest[0]);
  if (unit == std::string_view::npos || (rest.size() > 1 && rest[1] != 'b')) return std::nullopt;
  const unsigned shift = 10 * static_cast<unsigned>(unit);
  return *value > (kUccInfinite >> shift) ? kUccInfinite : *value << shift;
}

template <typename Names, typename Name>
std::optional<std::vector<std::size_t>> places(std::string_view text, const Names& names,
                                               const Name& name_of) {
  std::vector<std::size_t> found;
  for (const std::string_view piece : ucc_pieces(text, ',')) {
    const std::string word = lower(piece);
    const auto* position =
        std::ranges::find_if(names, [&](const auto& entry) { return name_of(entry) == word; });
    if (position == std::end(names)) return std::nullopt;
    found.push_back(static_cast<std::size_t>(position - std::begin(names)));
  }
  if (found.empty()) return std::nullopt;
  return found;
}

std::optional<std::vector<UccRange>> read_sizes(std::string_view text) {
  std::vector<UccRange> sizes;
  for (const std::string_view piece : ucc_pieces(text, ',')) {
    const auto ends = ucc_pieces(piece, '-');
    if (ends.size() != 2) return std::nullopt;
    const auto begin = memory_units(ends[0]);
    const auto end = memory_units(ends[1]);
    if (!begin || !end) return std::nullopt;
    sizes.push_back({*begin, *end});
  }
  if (sizes.empty()) return std::nullopt;
  return sizes;
}

std::optional<std::vector<Span>> read_teams(std::string_view text) {
  if (text.size() < 2 || text.front() != '[' || text.back() != ']') return std::nullopt;
  std::vector<Span> teams;
  for (const std::string_view piece : ucc_pieces(text.substr(1, text.size() - 2), ',')) {
    const auto ends = ucc_pieces(piece, '-');
    if (ends.empty() || ends.size() > 2 || !are_digits(ends[0])) return std::nullopt;
    const auto least = infinite_or(ends[0]);
    const auto most = infinite_or(ends.back());
    if (!most || *most < *least) return std::nullopt;
    teams.push_back({*least, *most});
  }
  if (teams.empty()) return std::nullopt;
  return teams;
}

template <typename Value, typename Read>
bool take(std::optional<Value>& field, std::string_view text, const Read& read) {
  if (!field) field = read(text);
  return field.has_value();
}

// True if the text is one of the fields that the token does not have yet; in UCC's order, because a
// number is a score.
bool read_ucc_field(std::string_view text, int version, UccToken& token) {
  const UccToken before = token;
  const auto word = [](const UccCollective& row) { return row.word; };
  const auto same = [](std::string_view name) { return name; };
  if (!before.collectives && take(token.collectives, text, [&](std::string_view name) {
        return places(name, kUccCollectives, word);
      }))
    return true;
  if (!before.memory && take(token.memory, text, [&](std::string_view name) {
        const std::string joined = lower(name);
        if (version >= 104 && joined == "cudamanaged")
          return std::optional(std::vector<std::size_t>{2});
        if (version >= 104 && joined == "rocmmanaged")
          return std::optional(std::vector<std::size_t>{4});
        return places(name, kUccMemoryTypes, same);
      }))
    return true;
  if (!before.score && take(token.score, text, infinite_or)) return true;
  if (!before.sizes && take(token.sizes, text, read_sizes)) return true;
  if (!before.teams && take(token.teams, text, read_teams)) return true;
  if (before.algorithm || !text.starts_with('@')) return false;
  token.algorithm = text.substr(1);
  return true;
}

constexpr std::uint64_t kUccDefaultScore = 10;  // of TL/UCP

struct UccEntry {
  UccRange range;
  std::uint64_t score = kUccDefaultScore;
  const NamedMethod* method = nullptr;  // nullptr: the library's own
};
using UccEntries = std::vector<UccEntry>;  // ascending, without overlaps

// Adds a range as UCC does; false if it is empty or overlaps one that is there.
bool add_range(UccEntries& entries, const UccEntry& entry) {
  if (entry.range.begin >= entry.range.end) return false;
  const auto position = std::ranges::find_if(
      entries, [&](const UccEntry& present) { return entry.range.begin < present.range.end; });
  if (position != entries.end() && position->range.begin < entry.range.end) return false;
  entries.insert(position, entry);
  return true;
}

// A size at which two ranges meet belongs to the one of the higher score, else to the upper one.
Span span_of(const UccEntries& entries, std::size_t i) {
  const UccEntry& entry = entries[i];
  Span span{entry.range.begin, entry.range.end};
  if (entry.range.begin > 0) {
    const bool meets = i > 0 && entries[i - 1].range.end == entry.range.begin;
    if ((meets ? entries[i - 1].score : kUccDefaultScore) > entry.score) ++span.least;
  }
  if (entry.range.end != kUccInfinite) {
    const bool meets = i + 1 < entries.size() && entries[i + 1].range.begin == entry.range.end;
    const std::uint64_t above = meets ? entries[i + 1].score : kUccDefaultScore;
    if (above != 0 && entry.score <= above) --span.most;
  }
  return span;
}

std::vector<Rule> rules_of(const UccEntries& entries) {
  std::vector<Rule> rules;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (entries[i].method == nullptr || entries[i].score == 0) continue;
    Rule rule{.message = span_of(entries, i), .line = 0};
    rule.method = {std::string(entries[i].method->theirs), 0};
    if (rule.message.least <= rule.message.most) rules.push_back(std::move(rule));
  }
  return rules;
}

// One list of ranges for each collective and memory type.
struct UccScores {
  std::array<std::array<UccEntries, kUccMemoryCount>, kUccCollectiveCount> lists;

  std::vector<Rule> rules(std::size_t collective) const {
    std::array<std::vector<Rule>, kUccMemoryCount> of_type;
    for (std::size_t i = 0; i < kUccMemoryCount; ++i) of_type[i] = rules_of(lists[collective][i]);
    if (std::ranges::all_of(of_type,
                            [&](const auto& rule_lists) { return rule_lists == of_type[0]; }))
      return of_type[0];
    std::vector<Rule> joined;
    for (std::size_t i = 0; i < kUccMemoryCount; ++i) {
      for (Rule& rule : of_type[i]) {
        rule.conditions.push_back(fmt::format("{} memory", kUccMemoryTypes[i]));
        rule.usual = i == 0;
        joined.push_back(std::move(rule));
      }
    }
    return joined;
  }
};

class TuneReader {
 public:
  explicit TuneReader(const RuleTarget& target) : target_(target) {}

  UccTune read(std::string_view value) {
    for (const std::string_view text : ucc_pieces(value, '#')) {
      if (!token(text)) return std::move(tune_);
    }
    const std::set<std::uint64_t> bounds = team_bounds();
    for (auto bound = bounds.begin(); bound != bounds.end(); ++bound) {
      const auto next = std::next(bound);
      teams({*bound, next == bounds.end() ? UINT64_MAX : *next - 1});
    }
    say_dropped();
    flatten();
    return std::move(tune_);
  }

 private:
  bool token(std::string_view text) {
    UccToken read_token{.text = text};
    for (const std::string_view field : ucc_pieces(text, ':')) {
      if (read_ucc_field(field, target_.version, read_token)) continue;
      tune_.dropped.push_back(
          fmt::format("token '{}': {}: UCC drops the whole string", text, problem_of(field)));
      return false;
    }
    if (!read_token.score && !read_token.algorithm) {
      tune_.warnings.push_back(
          fmt::format("token '{}': neither a score nor an algorithm: it says nothing", text));
    } else {
      if (read_token.score == 0) {
        tune_.warnings.push_back(
            fmt::format("token '{}': score 0 switches TL/UCP off in the range", text));
      }
      tokens_.push_back(std::move(read_token));
    }
    return true;
  }

  std::string problem_of(std::string_view field) const {
    UccToken empty;
    if (read_ucc_field(field, target_.version, empty))
      return fmt::format("one more of its kind: '{}'", field);
    std::vector<std::string> words;
    for (const UccCollective& ucc_collective : kUccCollectives)
      words.emplace_back(ucc_collective.word);
    return fmt::format(
        "'{}' is no collective, range of bytes, [team sizes], score, memory type or @algorithm{}",
        field, did_you_mean(lower(field), words));
  }

  // The team sizes at which other tokens begin to apply.
  std::set<std::uint64_t> team_bounds() const {
    std::set<std::uint64_t> bounds = {0};
    for (const UccToken& token : tokens_) {
      for (const Span& span : token.teams.value_or(std::vector<Span>{})) {
        bounds.insert(span.least);
        if (span.most != UINT64_MAX) bounds.insert(span.most + 1);
      }
    }
    return bounds;
  }

  void teams(const Span& ranks) {
    UccScores scores;
    for (const UccToken& token : tokens_) {
      const bool applies = !token.teams || std::ranges::any_of(*token.teams, [&](const Span& span) {
        return span.contains(ranks.least);
      });
      if (!applies) continue;
      if (const std::string why = apply(token, scores); !why.empty()) {
        drop(why, ranks);
        return;
      }
    }
    for (std::size_t i = 0; i < kUccCollectiveCount; ++i) append(i, ranks, scores.rules(i));
  }

  // Why UCC gives up; "" where it goes on. What it remembers is only how the last range went.
  std::string apply(const UccToken& token, UccScores& scores) {
    static const std::vector<std::size_t> kAllCollectives = first_numbers(kUccCollectiveCount);
    static const std::vector<std::size_t> kAllMemory = first_numbers(kUccMemoryCount);
    bool added = true;
    bool all_added = true;
    for (const std::size_t c : token.collectives ? *token.collectives : kAllCollectives) {
      UccEntry entry{.score = token.score.value_or(kUccDefaultScore)};
      if (token.algorithm) {
        const std::string why = find(c, *token.algorithm, entry.method);
        if (!why.empty()) return fmt::format("token '{}': {}", token.text, why);
      }
      for (const std::size_t m : token.memory ? *token.memory : kAllMemory) {
        for (const UccRange& range : token.sizes ? *token.sizes : std::vector<UccRange>{{}}) {
          entry.range = range;
          added = add_range(scores.lists[c][m], entry);
          all_added = all_added && added;
        }
      }
    }
    if (!added)
      return fmt::format("token '{}': an empty range, or one that overlaps one before it",
                         token.text);
    if (!all_added) {
      warned_.insert(fmt::format(
          "token '{}': not taken where it overlaps one before it or is empty", token.text));
    }
    return "";
  }

  static std::vector<std::size_t> first_numbers(std::size_t count) {
    std::vector<std::size_t> numbers;
    for (std::size_t i = 0; i < count; ++i) numbers.push_back(i);
    return numbers;
  }

  // Finds an algorithm by name or by number, which is its place in the collective's list.
  std::string find(std::size_t collective, std::string_view wanted, const NamedMethod*& method) {
    const UccCollective& where = kUccCollectives[collective];
    if (!where.ours) return fmt::format("algorithms of {} cannot be chosen", where.word);
    const auto number = are_digits(wanted) ? parse_number<std::size_t>(wanted) : std::nullopt;
    std::size_t place = 0;
    std::vector<std::string> names;
    for (const NamedMethod& row : target_.names) {
      if (row.collective != *where.ours) continue;
      names.emplace_back(row.theirs);
      const bool meant = number ? *number == place : lower(wanted) == row.theirs;
      ++place;
      if (!meant) continue;
      method = &row;
      if (row.since > target_.version)
        return fmt::format("{} has {} from UCC {}.{} on", where.word, row.theirs, row.since / 100,
                           row.since % 100);
      if (row.written_since > target_.version)
        warned_.insert(fmt::format("{} {}: {}", where.word, row.theirs, row.remark));
      return "";
    }
    return fmt::format("{} has no algorithm '{}'{}", where.word, wanted,
                       did_you_mean(lower(wanted), names));
  }

  void drop(const std::string& why, const Span& ranks) {
    std::vector<Span>& spans = dropped_[why];
    if (!spans.empty() && spans.back().most + 1 == ranks.least) {
      spans.back().most = ranks.most;
    } else {
      spans.push_back(ranks);
    }
  }

  void say_dropped() {
    for (const auto& [why, spans] : dropped_) {
      std::string teams;
      for (const Span& span : spans) {
        if (span == Span{}) continue;
        teams += fmt::format("{}{}", teams.empty() ? " for teams of " : ", ", span.least);
        if (span.most != span.least)
          teams += span.most == UINT64_MAX ? " and more" : fmt::format(" to {}", span.most);
      }
      tune_.dropped.push_back(fmt::format("{}: UCC drops the whole string{}", why, teams));
    }
    tune_.warnings.insert(tune_.warnings.end(), warned_.begin(), warned_.end());
  }

  struct Row {
    Span ranks;
    std::vector<Rule> rules;
  };

  void append(std::size_t collective, const Span& ranks, std::vector<Rule> rules) {
    if (rules.empty()) return;
    std::vector<Row>& rows = rows_[collective];
    const bool same =
        !rows.empty() && rows.back().ranks.most + 1 == ranks.least && rows.back().rules == rules;
    if (same) {
      rows.back().ranks.most = ranks.most;
    } else {
      rows.push_back({ranks, std::move(rules)});
    }
  }

  void flatten() {
    for (auto& [collective, rows] : rows_) {
      std::vector<Rule>& rules = tune_.rules.of(*kUccCollectives[collective].ours).rules;
      for (Row& row : rows) {
        for (Rule& rule : row.rules) {
          rule.communicator_size = row.ranks;
          rules.push_back(std::move(rule));
        }
      }
    }
  }

  const RuleTarget& target_;
  UccTune tune_;
  std::vector<UccToken> tokens_;
  std::map<std::string, std::vector<Span>> dropped_;
  std::set<std::string> warned_;
  std::map<std::size_t, std::vector<Row>> rows_;
};

}  // namespace

std::string_view ucc_word(Collective collective) {
  const auto* found = std::ranges::find(kUccCollectives, collective, &UccCollective::ours);
  return found == std::end(kUccCollectives) ? std::string_view() : found->word;
}

UccTune read_ucc_tune(const RuleTarget& target, std::string_view value) {
  return TuneReader(target).read(value);
}

}  // namespace colltree::rules
