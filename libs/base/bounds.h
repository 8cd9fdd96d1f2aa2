// SPDX-License-Identifier: BSD-3-Clause
// The allowed values of a number that a person types. One declaration gives the check, the text of
// the error and the text of the help, for options of the command line and for `kind:key=value`
// words alike.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace colltree {

// Whole numbers from `least` to `most`, both included.
struct WholeRange {
  std::uint64_t least = 0;
  std::uint64_t most = std::numeric_limits<std::uint64_t>::max();

  bool holds(std::uint64_t value) const { return value >= least && value <= most; }
  bool operator==(const WholeRange&) const = default;
};

// Finite numbers up to `most`, from `least`, which itself is left out when `above`.
struct RealRange {
  double least = 0;
  double most = 1;
  bool above = false;

  bool holds(double value) const;  // false for NaN
};

// The text behind "expected": "a whole number from 2 to 1000", "a number above 0, at most 1".
std::string expected_text(const WholeRange& range);
std::string expected_text(const RealRange& range);
std::string expected_size_text(const WholeRange& range);
std::string expected_percent_text(const RealRange& percent);
// "4G", "64K", "1000".
std::string size_text(std::uint64_t size);
// "2..1000", for help.
std::string short_text(const WholeRange& range);
std::string short_text(const RealRange& range);

// The whole text as such a number, or nothing: no blanks, no sign but the minus of a real, no tail.
std::optional<std::uint64_t> find_whole(std::string_view text, const WholeRange& range);
std::optional<double> find_real(std::string_view text, const RealRange& range);
// With the suffixes of parse_bytes (text.h): 64K.
std::optional<std::uint64_t> find_size(std::string_view text, const WholeRange& range);
// "0.1%" or "0.1" -> 0.001; the range is in percent.
std::optional<double> find_percent(std::string_view text, const RealRange& percent);

// The same; throws UsageError "PLACE: expected a whole number from 2 to 1000, got '-1'".
std::uint64_t parse_whole(std::string_view text, const WholeRange& range, std::string_view place);
double parse_real(std::string_view text, const RealRange& range, std::string_view place);
// A comma list of sizes and ranges: "2..28", "1,2,4..64:4", "1..1M:x2" (":n" a step, ":xn" a
// factor). Sorted, without repetition, at most 100,000 of them. Throws UsageError.
std::vector<std::uint64_t> parse_size_list(std::string_view text, const WholeRange& each,
                                           std::string_view place);

// "PLACE: expected EXPECTED, got 'TEXT'". Throws UsageError.
[[noreturn]] void refuse(std::string_view place, std::string_view expected, std::string_view text);

}  // namespace colltree
