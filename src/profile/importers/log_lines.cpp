// SPDX-License-Identifier: BSD-3-Clause
#include "profile/importers/log_lines.h"

#include <algorithm>
#include <cstddef>

#include "base/text.h"
#include "profile/profile.h"

namespace colltree::profile {

namespace {

bool is_blank(char c) { return c == ' ' || c == '\t'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

// Where the run of such letters that begins at `at` ends.
template <typename Is>
std::size_t end_of(std::string_view text, std::size_t at, Is is) {
  while (at < text.size() && is(text[at])) ++at;
  return at;
}

constexpr std::string_view kLineTrim = " \t\f\v";

std::string_view trimmed(std::string_view line) {
  const std::size_t first = std::min(line.find_first_not_of(kLineTrim), line.size());
  line.remove_prefix(first);
  return line.substr(0, line.find_last_not_of(kLineTrim) + 1);
}

struct Replaced {
  std::string_view bytes;
  std::string_view by;
};

// Byte order mark; no-break, figure and narrow no-break space.
constexpr Replaced kReplaced[] = {
    {"\xEF\xBB\xBF", ""}, {"\xC2\xA0", " "}, {"\xE2\x80\x87", " "}, {"\xE2\x80\xAF", " "}};

// How long the control sequence is that begins there: ESC [ ... letter, ESC ] ... BEL or ESC \, or
// ESC and what follows it.
std::size_t escape_length(std::string_view text) {
  if (text.size() < 2) return text.size();
  if (text[1] == '[') {
    const std::size_t end = end_of(text, 2, [](char c) { return c >= ' ' && c < '@'; });
    return std::min(end + 1, text.size());
  }
  if (text[1] == ']') {
    const std::size_t end = text.find_first_of("\a\x1B", 2);
    if (end == std::string_view::npos) return text.size();
    return std::min(end + (text[end] == '\a' ? 1 : 2), text.size());
  }
  return std::min<std::size_t>(text[1] == '(' || text[1] == ')' ? 3 : 2, text.size());
}

}  // namespace

LineLabel::LineLabel(std::string_view text) : text_(text) {
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (is_blank(c)) {
      at = end_of(text, at, is_blank);
      parts_.emplace_back(Part::kBlanks, ' ');
    } else if (is_word(c)) {
      const std::size_t end = end_of(text, at, is_word);
      const bool is_number = end_of(text, at, is_digit) == end;
      parts_.emplace_back(is_number ? Part::kDigits : Part::kWord, ' ');
      at = end;
    } else {
      parts_.emplace_back(Part::kLetter, c);
      ++at;
    }
  }
}

std::string_view LineLabel::behind(std::string_view line) const {
  std::size_t at = parts_.empty() || parts_.front().first == Part::kBlanks
                       ? 0
                       : end_of(line, 0, is_blank);  // numbers of several widths
  for (const auto& [part, letter] : parts_) {
    const std::size_t begin = at;
    switch (part) {
      case Part::kBlanks:
        at = end_of(line, at, is_blank);
        break;
      case Part::kDigits:
        at = end_of(line, at, is_digit);
        if (at == begin) return line;
        break;
      case Part::kWord:
        at = end_of(line, at, is_word);
        if (at == begin) return line;
        break;
      case Part::kLetter:
        if (at == line.size() || line[at] != letter) return line;
        ++at;
        break;
    }
  }
  return line.substr(at);
}

std::string_view plain_line(std::string_view line, std::string& into) {
  const std::size_t last = line.find_last_not_of('\r');
  line = line.substr(0, last == std::string_view::npos ? 0 : last + 1);
  const std::size_t overwritten = line.rfind('\r');  // as a terminal shows it
  if (overwritten != std::string_view::npos) line.remove_prefix(overwritten + 1);
  if (line.find_first_of("\x1B\xEF\xC2\xE2") == std::string_view::npos) return line;
  into.clear();
  for (std::size_t at = 0; at < line.size();) {
    const std::string_view rest = line.substr(at);
    const auto* found = std::ranges::find_if(
        kReplaced, [&](const Replaced& one) { return rest.starts_with(one.bytes); });
    if (found != std::end(kReplaced)) {
      into += found->by;
      at += found->bytes.size();
    } else if (rest.front() == '\x1B') {
      at += escape_length(rest);
    } else {
      into += rest.front();
      ++at;
    }
  }
  return into;
}

std::optional<std::size_t> find_mark(std::string_view line,
                                     const std::vector<std::string_view>& marks) {
  constexpr std::size_t kLongestLabel = 200;
  for (const std::string_view mark : marks) {
    const std::size_t at = line.find(mark);
    if (at == std::string_view::npos) continue;
    const std::string_view label = line.substr(0, at);
    const bool is_label =
        at == 0 || (at <= kLongestLabel &&
                    std::string_view(" \t:]>)|}").find(label.back()) != std::string_view::npos &&
                    label.find_first_of("'\"`$") == std::string_view::npos);
    if (is_label) return at;  // else a command that names it
  }
  return std::nullopt;
}

std::string_view LogLines::clean(std::string_view line) {
  line = plain_line(line, plain_);
  if (const auto at = find_mark(line, marks_)) {
    label_ = LineLabel(line.substr(0, *at));
    if (!trim(label_.text()).empty()) shown_ = label_.text();
  }
  return trimmed(label_.behind(line));
}

namespace {

// Those whose -n is the number of ranks; jsrun's is not.
constexpr std::string_view kLaunchers[] = {"mpirun",  "mpiexec", "mpiexec.hydra", "mpirun_rsh",
                                           "orterun", "prterun", "prun",          "srun",
                                           "aprun",   "flux",    "ibrun"};

constexpr std::string_view kRankOptions[] = {"-n", "-np", "--np", "--ntasks"};

std::string_view base_name(std::string_view word) {
  const std::size_t slash = word.rfind('/');
  return slash == std::string_view::npos ? word : word.substr(slash + 1);
}

bool is_option(std::string_view word) {
  return std::ranges::find(kRankOptions, word) != std::end(kRankOptions);
}

// "8" of "-n 8", "-n8" and "--ntasks=8"; "" of what is no such option.
std::string_view ranks_at(const std::vector<std::string_view>& words, std::size_t at) {
  const std::string_view word = words[at];
  if (is_option(word)) return at + 1 < words.size() ? words[at + 1] : "";
  const std::size_t equals = word.find('=');
  if (equals != std::string_view::npos && is_option(word.substr(0, equals))) {
    return word.substr(equals + 1);
  }
  const bool is_short =
      word.size() > 2 && word.starts_with("-n") && word[2] >= '0' && word[2] <= '9';
  return is_short ? word.substr(2) : "";
}

}  // namespace

std::optional<EchoedLaunch> find_echoed_launch(const std::vector<std::string_view>& words,
                                               std::string_view prefix) {
  const auto launcher = std::ranges::find_if(words, [](std::string_view word) {
    return std::ranges::find(kLaunchers, base_name(word)) != std::end(kLaunchers);
  });
  std::optional<std::uint64_t> ranks;
  for (auto word = launcher; word != words.end(); ++word) {
    if (base_name(*word).starts_with(prefix)) {
      if (!ranks || std::find(word, words.end(), ":") != words.end()) return std::nullopt;
      return EchoedLaunch{std::string(base_name(*word)), *ranks};
    }
    const std::string_view said = ranks_at(words, static_cast<std::size_t>(word - words.begin()));
    if (said.empty()) continue;
    const auto number = parse_number<std::uint64_t>(said);
    if (ranks || !number || *number < 1 || *number > kMostRanks) return std::nullopt;
    ranks = number;
  }
  return std::nullopt;
}

bool is_command_of_benchmark(const std::vector<std::string_view>& words) {
  const auto is_benchmark = [](std::string_view word) {
    const std::string_view name = base_name(word);
    return name.starts_with("osu_") || name.starts_with("IMB-") || name.ends_with("_perf") ||
           name.ends_with("_perf_mpi") || name.starts_with("mpibenchmark");
  };
  if (words.empty()) return false;
  const bool starts_well =
      is_benchmark(words[0]) || words[0] == "env" || words[0].find('=') < words[0].size() ||
      std::ranges::find(kLaunchers, base_name(words[0])) != std::end(kLaunchers);
  return starts_well && std::ranges::any_of(words, is_benchmark);
}

}  // namespace colltree::profile
