// SPDX-License-Identifier: BSD-3-Clause
#include "base/options.h"

#include <fmt/core.h>

#include <functional>
#include <limits>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/text.h"

namespace colltree {

SizeList::SizeList(std::string list) : text(std::move(list)) {
  if (text != "auto") sizes = parse_size_list(text, {}, "sizes");
}

namespace {

// `read` gives the digits that stand for a value, or nothing where it is not what is expected.
CLI::Validator digits(std::function<std::optional<std::string>(std::string_view text)> read,
                      const std::string& expected, const std::string& description) {
  return {[read = std::move(read), expected](std::string& text) {
            const std::optional<std::string> value = read(text);
            if (!value) return fmt::format("expected {}, got '{}'", expected, text);
            text = *value;
            return std::string();
          },
          description};
}

// 17 digits are a double to the last bit, 9 a float.
template <typename Number>
std::optional<std::string> real_digits(const std::optional<Number>& value) {
  if (!value) return std::nullopt;
  return fmt::format("{:.{}g}", *value, std::numeric_limits<Number>::max_digits10);
}

}  // namespace

CLI::Validator whole_number(const WholeRange& range, const std::string& word) {
  const auto read = [range, word](std::string_view text) -> std::optional<std::string> {
    if (!word.empty() && text == word) return "";
    const std::optional<std::uint64_t> value = find_whole(text, range);
    return value ? std::optional(std::to_string(*value)) : std::nullopt;
  };
  const bool has_word = !word.empty();
  return digits(read, expected_text(range) + (has_word ? " or " + word : ""),
                short_text(range) + (has_word ? "|" + word : ""));
}

template <typename Number>
CLI::Validator real_number(const RealRange& range) {
  const auto read = [range](std::string_view text) {
    return find_real(text, range) ? real_digits(parse_number<Number>(text)) : std::nullopt;
  };
  return digits(read, expected_text(range), short_text(range));
}
template CLI::Validator real_number<float>(const RealRange& range);
template CLI::Validator real_number<double>(const RealRange& range);

CLI::Validator size_number(const WholeRange& range) {
  const auto read = [range](std::string_view text) {
    const std::optional<std::uint64_t> value = find_size(text, range);
    return value ? std::optional(std::to_string(*value)) : std::nullopt;
  };
  return digits(read, expected_size_text(range), "SIZE");
}

CLI::Validator size_list(const WholeRange& range, const std::string& word) {
  const auto check = [range, word](const std::string& text) -> std::string {
    if (!word.empty() && text == word) return "";
    constexpr std::string_view kPlace = "sizes";
    try {
      parse_size_list(text, range, kPlace);
      return "";
    } catch (const UsageError& error) {  // CLI11 puts the option's name in front
      return std::string(error.what()).substr(kPlace.size() + std::string_view(": ").size());
    }
  };
  return {check, word.empty() ? "SIZES" : "SIZES|" + word};
}

CLI::Validator percentage(const RealRange& range) {
  const auto read = [range](std::string_view text) {
    return real_digits(find_percent(text, range));
  };
  return digits(read, expected_percent_text(range), "PERCENT");
}

CLI::Validator output_file(bool takes_dash) {
  const auto refusal = [takes_dash](const std::string& path) -> std::string {
    if (path == "-" && !takes_dash)
      return "'-' does not stand for standard output here; name a file";
    // Who writes "-o=x", which is "-o" with "=x", means x.
    if (path.size() < 2 || path.front() != '=') return "";
    return fmt::format("its value begins with '='; write '{}', or './{}' for a file of that name",
                       path.substr(1), path);
  };
  return {refusal, "FILE"};
}

}  // namespace colltree
