// SPDX-License-Identifier: BSD-3-Clause
#include "profile/importers/file_facts.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "coll/library_algorithms.h"
#include "profile/profile.h"

namespace colltree::profile {

namespace {

constexpr std::pair<std::string_view, Collective> kOtherNames[] = {
    {"all_gather", Collective::kAllgather},  {"all_reduce", Collective::kAllreduce},
    {"all-to-all", Collective::kAlltoall},   {"all_to_all", Collective::kAlltoall},
    {"all-to-allv", Collective::kAlltoallv}, {"all_to_allv", Collective::kAlltoallv},
    {"broadcast", Collective::kBcast},
};

std::string text_of(Collective collective) { return std::string(name(collective)); }
std::string text_of(std::uint64_t number) { return fmt::format("{}", number); }
std::string text_of(const Method& method) { return method.label(); }

template <typename Fact>
void agree(std::optional<Fact>& fact, const std::optional<Fact>& given, std::string_view what) {
  if (!given) return;
  if (fact && *fact != *given) {
    throw Error(fmt::format("{} {} here, {} in the file's name or on the command line", what,
                            text_of(*fact), text_of(*given)));
  }
  fact = given;
}

}  // namespace

std::optional<Collective> find_called_collective(std::string_view name) {
  std::string called = lower(name);
  for (const std::string_view prefix : {"mpi_", "osu_"}) {
    if (called.starts_with(prefix)) called.erase(0, prefix.size());
  }
  for (const auto& [alias, collective] : kOtherNames) {
    if (alias == called) return collective;
  }
  return find_collective(called);
}

std::optional<Method> find_openmpi_method(Collective collective, int number) {
  if (number == 0) return library_default();
  const LibraryAlgorithm* found = find_algorithm(Library::kOpenmpi, collective, number);
  if (found == nullptr) return std::nullopt;
  return Method{.algorithm = std::string(found->algorithm)};
}

FileFacts agreed(const FileFacts& file, const FileFacts& given) {
  FileFacts facts = file;
  agree(facts.collective, given.collective, "collective");
  agree(facts.communicator_size, given.communicator_size, "communicator size");
  agree(facts.nodes, given.nodes, "nodes");
  agree(facts.ranks_per_node, given.ranks_per_node, "ranks per node");
  agree(facts.method, given.method, "method");
  if (given.openmpi_number) facts.openmpi_number = given.openmpi_number;
  if (!given.system.empty()) facts.system = given.system;
  if (!given.mpi.empty()) facts.mpi = given.mpi;
  return facts;
}

namespace {

template <std::optional<std::uint64_t> FileFacts::*count>
bool take_count(std::string_view text, FileFacts& facts) {
  facts.*count = parse_number<std::uint64_t>(text);
  return facts.*count && *(facts.*count) >= 1 && *(facts.*count) <= kMostRanks;
}

bool take_collective(std::string_view text, FileFacts& facts) {
  facts.collective = find_called_collective(text);
  return facts.collective.has_value();
}

bool take_method(std::string_view text, FileFacts& facts) {
  const auto segment = facts.method ? facts.method->segment_size : std::nullopt;
  facts.method = parse_method_name(lower(text), segment);
  return unfit_for_line(text).empty();
}

bool take_openmpi_number(std::string_view text, FileFacts& facts) {
  facts.openmpi_number = parse_number<std::uint16_t>(text);
  return facts.openmpi_number.has_value();
}

bool take_segment(std::string_view text, FileFacts& facts) {
  if (!facts.method) facts.method.emplace();
  facts.method->segment_size = parse_bytes(text);
  return facts.method->segment_size && *facts.method->segment_size <= kMostBytes;
}

bool take_system(std::string_view text, FileFacts& facts) {
  facts.system = text;
  return unfit_for_line(text).empty();
}

}  // namespace

const std::vector<NamePattern::Field>& NamePattern::fields() {
  static const std::vector<Field> kFields = {{"collective", take_collective},
                                             {"method", take_method},
                                             {"openmpi_number", take_openmpi_number},
                                             {"segment", take_segment},
                                             {"ranks", take_count<&FileFacts::communicator_size>},
                                             {"nodes", take_count<&FileFacts::nodes>},
                                             {"ppn", take_count<&FileFacts::ranks_per_node>},
                                             {"system", take_system}};
  return kFields;
}

void NamePattern::add_field(std::string_view name) {
  const auto found = std::ranges::find(fields(), name, &Field::name);
  if (found == fields().end()) {
    throw UsageError(fmt::format("--name-pattern: unknown field '{{{}}}'; known are {{{}}}", name,
                                 join(mapped(fields(), &Field::name), "}, {")));
  }
  if (std::ranges::count(pieces_, &*found, &Piece::field) > 0) {
    throw UsageError(fmt::format("--name-pattern: '{{{}}}' stands in it twice", name));
  }
  if (!pieces_.empty() && pieces_.back().literal.empty()) {
    throw UsageError(fmt::format(
        "--name-pattern: between '{{{}}}' and what stands before it there must be text", name));
  }
  pieces_.push_back({.field = &*found});
}

NamePattern::NamePattern(const std::string& text) : text_(text) {
  for (std::size_t begin = 0; begin < text.size();) {
    if (text[begin] == '{') {
      const std::size_t end = text.find('}', begin);
      if (end == std::string::npos) throw UsageError("--name-pattern: a '{' without its '}'");
      add_field(std::string_view(text).substr(begin + 1, end - begin - 1));
      begin = end + 1;
    } else if (text[begin] == '*') {
      pieces_.push_back({.is_any = true});
      ++begin;
    } else {
      const std::size_t end = std::min(text.find_first_of("{*", begin), text.size());
      pieces_.push_back({.literal = text.substr(begin, end - begin)});
      begin = end;
    }
  }
  const auto has = [&](const char* field) { return text.find(field) != std::string::npos; };
  if (has("{segment}") && !has("{method}")) {
    throw UsageError("--name-pattern: '{segment}' needs '{method}', whose segments they are");
  }
  if (has("{openmpi_number}") && has("{method}")) {
    throw UsageError("--name-pattern: '{method}' and '{openmpi_number}' are the same");
  }
}

// Finds the first reading. A piece that failed once at a place is not tried there again.
class NamePattern::Match {
 public:
  Match(const std::vector<Piece>& pieces, std::string_view text)
      : pieces_(pieces), text_(text), ends_(pieces.size()) {}

  bool from(std::size_t piece, std::size_t begin) {
    if (piece == pieces_.size()) return begin == text_.size();
    if (failed_.contains({piece, begin})) return false;
    const Piece& here = pieces_[piece];
    const bool is_literal = here.field == nullptr && !here.is_any;
    const std::size_t least = is_literal ? here.literal.size() : here.is_any ? 0 : 1;
    std::size_t length =
        is_literal ? least : std::min(text_.find('/', begin), text_.size()) - begin;
    for (;; --length) {
      if (length < least || length > text_.size() - begin) break;
      if (fits(here, text_.substr(begin, length)) && from(piece + 1, begin + length)) {
        ends_[piece] = text_.substr(begin, length);
        return true;
      }
      if (length == 0) break;
    }
    failed_.insert({piece, begin});
    return false;
  }

  std::string_view text_of_piece(std::size_t piece) const { return ends_[piece]; }

 private:
  static bool fits(const Piece& piece, std::string_view text) {
    if (piece.is_any) return true;
    FileFacts unused;
    return piece.field != nullptr ? piece.field->take(text, unused) : text == piece.literal;
  }

  const std::vector<Piece>& pieces_;
  std::string_view text_;
  std::vector<std::string_view> ends_;
  std::set<std::pair<std::size_t, std::size_t>> failed_;
};

namespace {

// The end of the path with as many folders as the pattern has.
std::string_view end_of(std::string_view path, std::string_view pattern) {
  auto folders = std::ranges::count(pattern, '/');
  std::size_t start = path.size();
  while (start > 0 && (path[start - 1] != '/' || folders-- > 0)) --start;
  path.remove_prefix(start);
  if (path.ends_with(".gz") && !pattern.ends_with(".gz")) path.remove_suffix(3);
  return path;
}

}  // namespace

std::optional<FileFacts> NamePattern::find(const std::string& path) const {
  Match match(pieces_, end_of(path, text_));
  if (!match.from(0, 0)) return std::nullopt;
  FileFacts facts;
  for (std::size_t piece = 0; piece < pieces_.size(); ++piece) {
    if (pieces_[piece].field != nullptr)
      pieces_[piece].field->take(match.text_of_piece(piece), facts);
  }
  return facts;
}

FileFacts NamePattern::read(const std::string& path) const {
  if (auto facts = find(path)) return *std::move(facts);
  throw Error(printable(
      fmt::format("{}: '{}' does not fit --name-pattern '{}'", path, end_of(path, text_), text_)));
}

}  // namespace colltree::profile
