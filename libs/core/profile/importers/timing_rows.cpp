// SPDX-License-Identifier: BSD-3-Clause
#include "profile/importers/timing_rows.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/text.h"

namespace colltree::profile {

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  for (std::size_t begin = line.find_first_not_of(" \t"); begin != std::string_view::npos;) {
    const std::size_t end = line.find_first_of(" \t", begin);
    words.push_back(line.substr(begin, end - begin));
    begin = line.find_first_not_of(" \t", end);
  }
  return words;
}

std::vector<std::string_view> cells_of(std::string_view line) {
  std::vector<std::string_view> cells;
  for (const std::string_view word : words_of(line)) {
    const bool follows = !cells.empty() &&
                         cells.back().data() + cells.back().size() + 1 == word.data() &&
                         *(word.data() - 1) == ' ';
    if (follows) {
      const std::string_view last = cells.back();
      cells.back() = {last.data(), last.size() + 1 + word.size()};
    } else {
      cells.push_back(word);
    }
  }
  return cells;
}

bool are_numbers(const std::vector<std::string_view>& words) {
  return std::ranges::all_of(
      words, [](std::string_view word) { return find_scaled(word, 0).has_value(); });
}

std::optional<double> find_scaled(std::string_view number, int exponent) {
  const std::size_t letter = number.find_first_of("eE");
  if (letter != std::string_view::npos) {
    std::string_view own_exponent = number.substr(letter + 1);
    if (own_exponent.starts_with('+') && !own_exponent.starts_with("+-"))
      own_exponent.remove_prefix(1);
    const auto read = parse_number<int>(own_exponent);
    if (!read || std::abs(*read) > 400) return std::nullopt;
    exponent += *read;
  }
  const auto value = parse_number<double>(fmt::format("{}e{}", number.substr(0, letter), exponent));
  if (!value || !std::isfinite(*value)) return std::nullopt;
  return value;
}

std::string Counted::text() const {
  if (first_line == 0) return fmt::format("({})", count);
  return count == 1 ? fmt::format("(1, in line {})", first_line)
                    : fmt::format("({}, the first in line {})", count, first_line);
}

TimingRows::TimingRows(std::string file, FileFacts given,
                       std::function<void(const CsvRow& row)> take)
    : file_(std::move(file)), given_(std::move(given)), take_(std::move(take)) {}

void TimingRows::wrong(std::string_view message) const { throw ParseError(file_, line_, message); }

void TimingRows::expected(std::string_view what, std::string_view got) const {
  throw ParseError(file_, line_, what, got.substr(0, 100));
}

void TimingRows::ends_before(std::string_view what) const {
  wrong(fmt::format("the file ends before {}", what));
}

void TimingRows::count_line(std::map<std::string, Counted>& where, const std::string& what) const {
  Counted& counted = where[what];
  if (++counted.count == 1) counted.first_line = line_;
}

namespace {

// A number of another form, such as "4K" or "-4", which the benchmark does not print.
bool is_near_number(std::string_view word) {
  if (word.starts_with('-')) word.remove_prefix(1);
  const auto is_letter = [](char c) { return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z'); };
  return !word.empty() && word[0] >= '0' && word[0] <= '9' && std::ranges::all_of(word, is_letter);
}

}  // namespace

bool TimingRows::is_row(const std::vector<std::string_view>& words, std::string_view line,
                        const RowShape& shape, bool is_like_row) {
  const bool fits_columns =
      words.size() <= shape.columns && words.size() + shape.blank >= shape.columns;
  const bool fits = fits_columns && words.size() >= shape.time_from_end &&
                    find_scaled(words[words.size() - shape.time_from_end], 0).has_value();
  const bool is_first =
      !has_rows_ && (is_like_row || (words.size() == shape.columns && is_near_number(words[0])));
  if (is_first || (is_like_row && fits)) {
    if (!fits_columns) expected(fmt::format("{} words, one for each column", shape.columns), line);
    return has_rows_ = true;
  }
  has_gap_ = true;
  count_line(left_out_, is_like_row ? "rows that were cut off or written into"
                                    : "lines of other programs among the rows");
  return false;
}

void TimingRows::begin_table() {
  has_rows_ = has_gap_ = false;
  last_bytes_.reset();
}

void TimingRows::take_size(std::uint64_t bytes, std::string_view line) {
  if (last_bytes_ && has_gap_ && bytes <= *last_bytes_)
    expected("a larger size than in the row before, or a header above the rows", line);
  has_gap_ = false;
  last_bytes_ = bytes;
}

void TimingRows::missing(std::string_view what, std::string_view how) const {
  throw UsageError(
      printable(fmt::format("{}:{}: the file does not say {}: give {}", file_, line_, what, how)));
}

void TimingRows::set_tool(std::string_view tool) {
  if (tool_.empty()) tool_ = printable(tool.substr(0, 100));
}

std::uint64_t TimingRows::whole(std::string_view word, std::string_view column) const {
  const auto value = parse_number<std::uint64_t>(word);
  if (!value || *value > kMostBytes) expected(fmt::format("{} as a whole number", column), word);
  return *value;
}

std::uint64_t TimingRows::ranks(std::string_view word, std::string_view column,
                                std::string_view what) const {
  const std::uint64_t number = whole(trim(word), column);
  if (number < 1 || number > kMostRanks) expected(what, word);
  return number;
}

double TimingRows::time_us(std::string_view word, std::string_view column, int exponent) const {
  const auto value = find_scaled(word, exponent);
  if (!value || *value < 0 || *value > kMostTime_us) {
    expected(fmt::format("{} as a time", column), word);
  }
  return *value;
}

Collective TimingRows::collective(std::optional<Collective> said) const {
  FileTiming timing;
  timing.facts.collective = said;
  const FileFacts facts = facts_of(timing);
  if (!facts.collective) {
    missing("the collective", "--collective NAME, or {collective} in --name-pattern");
  }
  return *facts.collective;
}

FileFacts TimingRows::facts_of(const FileTiming& timing) const {
  try {
    return agreed(timing.facts, given_);
  } catch (const Error& error) {
    wrong(error.what());
  }
}

Method TimingRows::method_of(const FileFacts& facts) const {
  if (facts.openmpi_number) {
    const auto method = find_openmpi_method(*facts.collective, *facts.openmpi_number);
    if (!method) {
      wrong(fmt::format("Open MPI has no algorithm {} of {}", *facts.openmpi_number,
                        name(*facts.collective)));
    }
    return *method;
  }
  Method method = facts.method.value_or(library_default());
  if (is_library_default(method)) method.segment_size.reset();
  return method;
}

std::uint64_t TimingRows::message_size(const FileTiming& timing, const FileFacts& facts) const {
  const std::uint64_t ranks = *facts.communicator_size;
  const MessageUnit unit = message_unit(*facts.collective);
  if (unit == MessageUnit::kNone) return 0;
  if (timing.count == SizeCount::kWhole && unit == MessageUnit::kBlock) {
    return timing.bytes / timing.element_bytes / ranks * timing.element_bytes;
  }
  if (timing.count == SizeCount::kPerRank && unit == MessageUnit::kTotal) {
    if (timing.bytes > kMostBytes / ranks) {
      expected(fmt::format("at most {} bytes on all ranks", kMostBytes),
               fmt::format("{} on each of {}", timing.bytes, ranks));
    }
    return timing.bytes * ranks;
  }
  return timing.bytes;
}

FileFacts TimingRows::with_echo(FileFacts facts, const FileTiming& timing) {
  if (!timing.echoed_ranks) return facts;
  if (facts.communicator_size && *facts.communicator_size != *timing.echoed_ranks) {
    count_line(notes_, fmt::format("rows whose command line says {} ranks, taken as the {} given",
                                   *timing.echoed_ranks, *facts.communicator_size));
  }
  if (!facts.communicator_size) facts.communicator_size = timing.echoed_ranks;
  return facts;
}

const Facts& TimingRows::facts_at(const std::string& system, const Instance& instance,
                                  const Method& method) const {
  return all_facts_[seen_.at({system, instance, method}).facts];
}

void TimingRows::two_runs(const Seen& before, std::string_view what) const {
  wrong(
      fmt::format("this size stands here twice, of two runs (line {} and here): {}; write each "
                  "run to a file of its own and import it with a --system of its own",
                  before.line, what));
}

// Two times of one cell are repeats, or different runs, which the facts in the file may show; if
// they do not, only the reader of the report can know.
void TimingRows::look_for_twin(const CsvRow& row, const FileTiming& timing) {
  const Facts& now = run_.take_row();
  if (all_facts_.empty() || all_facts_.back() != now) all_facts_.push_back(now);
  const std::size_t facts = all_facts_.size() - 1;
  const auto [found, is_new] =
      seen_.try_emplace({row.system, row.instance, row.method},
                        Seen{line_, timing.echoed_ranks, timing.variant, facts});
  if (is_new) return;
  const Seen& before = found->second;
  if (before.echoed_ranks && timing.echoed_ranks && before.echoed_ranks != timing.echoed_ranks) {
    wrong(
        fmt::format("this size stands here twice: line {} is of a run with {} ranks and this one "
                    "with {}, by their command lines; import the file without "
                    "--communicator-sizes",
                    before.line, *before.echoed_ranks, *timing.echoed_ranks));
  }
  if (before.variant != timing.variant)
    two_runs(before, fmt::format("{} and {}", before.variant, timing.variant));
  if (before.facts != facts) {
    const std::string what = difference(all_facts_[before.facts], all_facts_[facts], false);
    if (!what.empty()) two_runs(before, what);
  }
  if (row.sample.rep != Sample::kAggregate) return;
  count_line(notes_,
             "sizes stand twice and are kept as repeats of one run; a run with other ranks or "
             "settings needs a file or a system of its own");
}

void TimingRows::add(const FileTiming& timing) {
  const Collective collective = this->collective(timing.facts.collective);
  const FileFacts facts = with_echo(facts_of(timing), timing);
  if (!facts.communicator_size) {
    missing("the communicator size", "--communicator-sizes N, or {ranks} in --name-pattern");
  }
  if (facts.system.empty()) missing("the system", "--system NAME, or {system} in --name-pattern");
  Instance instance{collective, *facts.communicator_size, 0, facts.nodes.value_or(0),
                    facts.ranks_per_node.value_or(0)};
  if (const std::string why = misplaced(instance); !why.empty()) wrong(why);
  const std::uint64_t bytes = instance.message_size = message_size(timing, facts);
  if (bytes == 0 && timing.bytes != 0 && message_unit(collective) != MessageUnit::kNone) {
    return leave_out("sizes with less than one element a rank");
  }
  if (bytes == 0 && timing.time_us == 0) {
    return leave_out("empty messages in no time that can be said");
  }
  if (!is_time(timing.time_us)) {
    expected("a time in us " + time_limits(), format_double(timing.time_us));
  }
  if (libraries_.try_emplace(facts.system, facts.mpi).first->second != facts.mpi) {
    wrong(
        fmt::format("system '{}' has MPI library '{}' here and '{}' above; two libraries are two "
                    "systems",
                    facts.system, facts.mpi, libraries_[facts.system]));
  }
  ++added_;
  const CsvRow row{.system = facts.system,
                   .instance = instance,
                   .method = method_of(facts),
                   .sample = {timing.rep, timing.time_us},
                   .mpi = facts.mpi,
                   .line = line_};
  look_for_twin(row, timing);
  take_(row);
}

}  // namespace colltree::profile
