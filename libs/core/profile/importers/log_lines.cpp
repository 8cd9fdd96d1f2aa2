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

// The end of the run of such letters that begins at `begin`.
template <typename Is>
std::size_t end_of(std::string_view text, std::size_t begin, Is is) {
  while (begin < text.size() && is(text[begin])) ++begin;
  return begin;
}

constexpr std::string_view kLineTrim = " \t\f\v";

std::string_view trimmed(std::string_view line) {
  const std::size_t first = std::min(line.find_first_not_of(kLineTrim), line.size());
  line.remove_prefix(first);
  return line.substr(0, line.find_last_not_of(kLineTrim) + 1);
}

// Byte order mark; no-break, figure and narrow no-break space; and what each becomes.
constexpr std::pair<std::string_view, std::string_view> kReplaced[] = {
    {"\xEF\xBB\xBF", ""}, {"\xC2\xA0", " "}, {"\xE2\x80\x87", " "}, {"\xE2\x80\xAF", " "}};

// The length of the control sequence at the start of the text: ESC [ ... letter, ESC ] ... BEL or
// ESC \, or ESC and the letter after it.
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
  for (std::size_t place = 0; place < text.size();) {
    const char c = text[place];
    if (is_blank(c)) {
      place = end_of(text, place, is_blank);
      parts_.emplace_back(Part::kBlanks, ' ');
    } else if (is_word(c)) {
      const std::size_t end = end_of(text, place, is_word);
      const bool is_number = end_of(text, place, is_digit) == end;
      parts_.emplace_back(is_number ? Part::kDigits : Part::kWord, ' ');
      place = end;
    } else {
      parts_.emplace_back(Part::kLetter, c);
      ++place;
    }
  }
}

std::string_view LineLabel::behind(std::string_view line) const {
  std::size_t place = parts_.empty() || parts_.front().first == Part::kBlanks
                          ? 0
                          : end_of(line, 0, is_blank);  // numbers of several widths
  for (const auto& [part, letter] : parts_) {
    const std::size_t begin = place;
    switch (part) {
      case Part::kBlanks:
        place = end_of(line, place, is_blank);
        break;
      case Part::kDigits:
        place = end_of(line, place, is_digit);
        if (place == begin) return line;
        break;
      case Part::kWord:
        place = end_of(line, place, is_word);
        if (place == begin) return line;
        break;
      case Part::kLetter:
        if (place == line.size() || line[place] != letter) return line;
        ++place;
        break;
    }
  }
  return line.substr(place);
}

std::string_view plain_line(std::string_view line, std::string& into) {
  line = line.substr(0, line.find_last_not_of('\r') + 1);
  line.remove_prefix(line.rfind('\r') + 1);  // what is overwritten, as a terminal shows it
  if (line.find_first_of("\x1B\xEF\xC2\xE2") == std::string_view::npos) return line;
  into.clear();
  for (std::size_t place = 0; place < line.size();) {
    const std::string_view rest = line.substr(place);
    const auto* found = std::ranges::find_if(
        kReplaced, [&](const auto& replaced) { return rest.starts_with(replaced.first); });
    if (found != std::end(kReplaced)) {
      into += found->second;
      place += found->first.size();
    } else if (rest.front() == '\x1B') {
      place += escape_length(rest);
    } else {
      into += rest.front();
      ++place;
    }
  }
  return into;
}

std::optional<std::size_t> find_mark(std::string_view line,
                                     const std::vector<std::string_view>& marks) {
  constexpr std::size_t kLongestLabel = 200;
  for (const std::string_view mark : marks) {
    const std::size_t place = line.find(mark);
    if (place == std::string_view::npos) continue;
    const std::string_view label = line.substr(0, place);
    const bool is_label =
        place == 0 || (place <= kLongestLabel &&
                       std::string_view(" \t:]>)|}").find(label.back()) != std::string_view::npos &&
                       label.find_first_of("'\"`$") == std::string_view::npos);
    if (is_label) return place;  // else a command that names it
  }
  return std::nullopt;
}

std::string_view LogLines::clean(std::string_view line) {
  line = plain_line(line, plain_);
  if (const auto place = find_mark(line, marks_)) {
    label_ = LineLabel(line.substr(0, *place));
    if (!trim(label_.text()).empty()) shown_ = label_.text();
  }
  return trimmed(label_.behind(line));
}

namespace {

// Launchers whose -n is the number of ranks, unlike jsrun's.
constexpr std::string_view kLaunchers[] = {"mpirun",  "mpiexec", "mpiexec.hydra", "mpirun_rsh",
                                           "orterun", "prterun", "prun",          "srun",
                                           "aprun",   "flux",    "ibrun"};

constexpr std::string_view kRankOptions[] = {"-n", "-np", "--np", "--ntasks"};

std::string_view base_name(std::string_view word) { return word.substr(word.rfind('/') + 1); }

bool is_option(std::string_view word) {
  return std::ranges::find(kRankOptions, word) != std::end(kRankOptions);
}

// "8" for "-n 8", "-n8" and "--ntasks=8"; "" for anything else.
std::string_view ranks_at(const std::vector<std::string_view>& words, std::size_t index) {
  const std::string_view word = words[index];
  if (is_option(word)) return index + 1 < words.size() ? words[index + 1] : "";
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
