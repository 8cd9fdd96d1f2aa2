// SPDX-License-Identifier: BSD-3-Clause
#include "base/bounds.h"

#include <charconv>
#include <cmath>
#include <iterator>
#include <set>

#include "base/error.h"
#include "base/text.h"

namespace colltree {

namespace {

// Writes a limit as a person does, 1000000 and not the shorter 1e+06.
std::string limit_text(double limit) {
  char buffer[32];
  return {buffer,
          std::to_chars(buffer, std::end(buffer), limit, std::chars_format::general, 15).ptr};
}

}  // namespace

bool RealRange::holds(double value) const {
  return std::isfinite(value) && (above ? value > least : value >= least) && value <= most;
}

std::string expected_text(const WholeRange& range) {
  return concat("a whole number from ", range.least, " to ", range.most);
}

std::string expected_text(const RealRange& range) {
  return range.above
             ? concat("a number above ", limit_text(range.least), ", at most ",
                      limit_text(range.most))
             : concat("a number from ", limit_text(range.least), " to ", limit_text(range.most));
}

std::string expected_size_text(const WholeRange& range) {
  return concat("a size from ", size_text(range.least), " to ", size_text(range.most),
                ", such as 8, 64K or 2M");
}

std::string expected_percent_text(const RealRange& percent) {
  return expected_text(percent) + " (percent), such as 0.1%";
}

std::string size_text(std::uint64_t size) {
  constexpr int kShifts[] = {30, 20, 10};
  constexpr const char* kSuffixes[] = {"G", "M", "K"};
  for (std::size_t i = 0; i < 3 && size > 0; ++i) {
    const std::uint64_t unit = std::uint64_t{1} << kShifts[i];
    if (size % unit == 0) return concat(size / unit, kSuffixes[i]);
  }
  return concat(size);
}

std::string short_text(const WholeRange& range) {
  const bool is_unlimited = range.most == WholeRange{}.most;
  return is_unlimited ? concat(range.least, "..") : concat(range.least, "..", range.most);
}

std::string short_text(const RealRange& range) {
  return concat(range.above ? ">" : "", limit_text(range.least), "..", limit_text(range.most));
}

void refuse(std::string_view place, std::string_view expected, std::string_view text) {
  throw UsageError(concat(place, ": expected ", expected, ", got '", text, "'"));
}

std::optional<std::uint64_t> find_whole(std::string_view text, const WholeRange& range) {
  const auto value = parse_number<std::uint64_t>(text);
  return value && range.holds(*value) ? value : std::nullopt;
}

std::optional<double> find_real(std::string_view text, const RealRange& range) {
  const auto value = parse_number<double>(text);
  return value && range.holds(*value) ? value : std::nullopt;
}

std::optional<std::uint64_t> find_size(std::string_view text, const WholeRange& range) {
  const auto value = parse_bytes(text);
  return value && range.holds(*value) ? value : std::nullopt;
}

std::optional<double> find_percent(std::string_view text, const RealRange& percent) {
  if (text.ends_with('%')) text.remove_suffix(1);
  const auto value = find_real(trim(text), percent);
  return value ? std::optional(*value / 100) : std::nullopt;
}

std::uint64_t parse_whole(std::string_view text, const WholeRange& range, std::string_view place) {
  const auto value = find_whole(text, range);
  if (!value) refuse(place, expected_text(range), text);
  return *value;
}

double parse_real(std::string_view text, const RealRange& range, std::string_view place) {
  const auto value = find_real(text, range);
  if (!value) refuse(place, expected_text(range), text);
  return *value;
}

namespace {

[[noreturn]] void bad_list(std::string_view option, std::string_view part) {
  throw UsageError(concat(option, ": '", part,
                          "' is not a size or a range; write 8, 64K, 2..28, 4..64:4 or 1..1M:x2"));
}

void add_range(std::string_view part, std::string_view option, std::set<std::uint64_t>& sizes) {
  const std::size_t dots = part.find("..");
  const std::size_t colon = part.find(':');
  const auto first = parse_bytes(part.substr(0, dots));
  const auto last = parse_bytes(part.substr(dots + 2, colon - dots - 2));
  std::string_view step_text = colon == std::string_view::npos ? "1" : part.substr(colon + 1);
  const bool factor = !step_text.empty() && step_text.front() == 'x';
  if (factor) step_text.remove_prefix(1);
  const auto step = parse_bytes(step_text);
  if (!first || !last || !step || *step == 0 || *first > *last) bad_list(option, part);
  if (factor && (*step < 2 || *first == 0)) bad_list(option, part);
  constexpr std::uint64_t kMost = 100000;  // a longer list is a typing error, not a grid
  for (std::uint64_t size = *first;; size = factor ? size * *step : size + *step) {
    if (sizes.size() >= kMost) {
      throw UsageError(concat(option, ": '", part, "' has more than ", kMost,
                              " sizes; give a step, as in 1..1M:x2"));
    }
    sizes.insert(size);
    // Asked before the step: the next size may not fit into 64 bits.
    if (factor ? size > *last / *step : *last - size < *step) return;
  }
}

}  // namespace

std::vector<std::uint64_t> parse_size_list(std::string_view text, const WholeRange& each,
                                           std::string_view place) {
  std::set<std::uint64_t> sizes;
  for (const std::string_view raw : split(text, ',')) {
    const std::string_view part = trim(raw);
    if (part.find("..") != std::string_view::npos) {
      add_range(part, place, sizes);
    } else if (const auto size = parse_bytes(part)) {
      sizes.insert(*size);
    } else {
      bad_list(place, part);
    }
  }
  for (const std::uint64_t size : {*sizes.begin(), *sizes.rbegin()}) {
    if (!each.holds(size))
      throw UsageError(concat(place, ": expected sizes from ", size_text(each.least), " to ",
                              size_text(each.most), ", got ", size_text(size), " in '", text, "'"));
  }
  return {sizes.begin(), sizes.end()};
}

}  // namespace colltree
