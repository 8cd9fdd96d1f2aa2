// SPDX-License-Identifier: BSD-3-Clause
#include "cli/run_command.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/input.h"
#include "base/text.h"
#include "report/command_lines.h"

namespace colltree::cli {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPreload = "LD_PRELOAD";

using Words = std::vector<std::string>;

bool is_name_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// The next place in the text that names this variable and not, as LD_PRELOAD_64, a longer one.
std::size_t find_preload(std::string_view text, std::size_t from = 0) {
  for (std::size_t i = text.find(kPreload, from); i != text.npos; i = text.find(kPreload, i + 1)) {
    const std::size_t end = i + kPreload.size();
    if ((i == 0 || !is_name_character(text[i - 1])) &&
        (end == text.size() || !is_name_character(text[end])))
      return i;
  }
  return text.npos;
}

// True where the words from i on, behind `env`, begin with an option that empties the environment.
bool empties_environment(const Words& words, std::size_t i) {
  if (words[i] == "--env=-*" || words[i] == "--env-remove=*") return true;  // of flux
  if (i == 0 || fs::path(words[i - 1]).filename() != "env") return false;
  for (; i < words.size() && words[i].starts_with('-'); ++i) {
    const std::string& word = words[i];
    if (word == "-u" || word == "-C") ++i;  // its value
    if (word == "-" || word == "--ignore-environment" ||
        (!word.starts_with("--") && !word.starts_with("-u") && !word.starts_with("-S") &&
         word.find('i') != std::string::npos))
      return true;
  }
  return false;
}

// The value of LD_PRELOAD that the words before a launcher leave to it.
std::string inherited_preload(const Words& words, std::size_t launcher, std::string value) {
  for (std::size_t i = 0; i < launcher; ++i) {
    const std::string& word = words[i];
    if (word.starts_with("LD_PRELOAD=")) value = word.substr(kPreload.size() + 1);
    const bool unset = (word == kPreload && i > 0 && option_name(words[i - 1]).starts_with('u')) ||
                       word == "-uLD_PRELOAD" || word == "--unset=LD_PRELOAD";
    if (unset || empties_environment(words, i)) value.clear();
  }
  return value;
}

bool is_program_file(const std::string& word) {
  std::error_code ignored;
  const fs::file_status status = fs::status(word, ignored);
  return word.find('/') != std::string::npos && fs::is_regular_file(status) &&
         (status.permissions() & fs::perms::owner_exec) != fs::perms::none;
}

// A script that sets LD_PRELOAD without keeping what it was.
bool drops_preload(const std::string& path) {
  constexpr std::uint64_t kMostBytes = 1 << 20;
  std::error_code ignored;
  if (!is_program_file(path) || fs::file_size(path, ignored) > kMostBytes) return false;
  const std::string text = read_file(path);
  const std::string_view first = std::string_view(text).substr(0, text.find('\n'));
  if (!first.starts_with("#!") || first.find("sh") == first.npos) return false;
  bool sets = false;
  for (std::string_view line : split(text, '\n')) {
    const std::size_t place = find_preload(line);
    if (place == line.npos || line.find('#') < place) continue;
    if (line.find("$LD_PRELOAD") != line.npos || line.find("${LD_PRELOAD") != line.npos)
      return false;
    sets = sets || line.substr(place + kPreload.size()).starts_with('=');
  }
  return sets;
}

class Joiner {
 public:
  Joiner(const UserCommand& command, const std::string& library,
         const std::vector<Setting>& settings)
      : words_(command.words),
        launcher_(command.launcher),
        passing_(command.passing),
        library_(library),
        inherited_(command.preload),
        settings_(settings) {
    if (has_launcher()) inherited_ = inherited_preload(words_, launcher_, inherited_);
  }

  JoinedCommand join_all() {
    for (std::size_t i = has_launcher() ? launcher_ + 1 : 0; i < words_.size(); ++i) join_word(i);
    refuse_files();
    Words result;
    if (!has_launcher()) append(result, environment(true));
    for (std::size_t i = 0; i < words_.size(); ++i) {
      if (i == launcher_ && passing_ == Passing::kInherited) append(result, environment(true));
      if (i == launcher_ && passing_ == Passing::kExport) append(result, environment(false));
      result.push_back(words_[i]);
      const bool begins_program =
          i == launcher_ || (has_launcher() && i > launcher_ && words_[i] == ":");
      if (begins_program) append(result, words_of_program(i + 1));
    }
    return {std::move(result), std::move(user_preloads_)};
  }

 private:
  bool has_launcher() const { return launcher_ < words_.size(); }

  static void append(Words& words, const Words& more) {
    words.insert(words.end(), more.begin(), more.end());
  }

  void note(const std::string& value) {
    if (!value.empty() && std::ranges::find(user_preloads_, value) == user_preloads_.end())
      user_preloads_.push_back(value);
  }

  [[noreturn]] void refuse(const std::string& what, const char* why) const {
    throw UsageError(fmt::format(
        "'{}': {}, so colltree's library would not be loaded; give LD_PRELOAD the value {}, and "
        "behind it what you preload",
        what, why, library_));
  }

  std::string joined(const std::string& value) {
    note(value);
    if (value.find(library_) != std::string::npos) return value;
    return value.empty() ? library_ : fmt::format("{}:{}", library_, value);
  }

  // LD_PRELOAD=VALUE in a word or in text for a shell.
  std::string join_in(const std::string& text) {
    std::string result = text;
    for (std::size_t i = find_preload(result); i != result.npos; i = find_preload(result, i + 1)) {
      const std::size_t end = i + kPreload.size();
      const std::string_view before = std::string_view(result).substr(0, i);
      if (before.ends_with('$') || before.ends_with("${") || before.ends_with("export ") ||
          std::string_view(result).substr(end).starts_with("+="))
        continue;
      if (end == result.size() || result[end] != '=') refuse(text, "this takes LD_PRELOAD away");
      const std::string value = value_in(result, end + 1, i == 0);
      if (value.empty()) refuse(text, "this sets LD_PRELOAD to nothing");
      if (result.find(library_, end) != result.npos) continue;
      if (before.find(' ') != before.npos && report::shell_word(library_) != library_)
        refuse(text, "a shell would split the path of colltree's library there");
      result.insert(end + 1, library_ + ":");
      note(value);
    }
    return result;
  }

  // The value that is set, which blanks and signs of a shell end where it is not a word's whole
  // rest.
  static std::string value_in(const std::string& text, std::size_t begin, bool is_word) {
    const std::size_t end = text.find_first_of(" \t\n;&|,", begin);
    const std::string value = text.substr(begin, is_word && end != begin ? text.npos : end - begin);
    return value.find_first_not_of("'\"") == value.npos ? "" : value;
  }

  void join_word(std::size_t& i) {
    const std::string_view option = i == 0 ? "" : option_name(words_[i - 1]);
    if (empties_environment(words_, i)) refuse(words_[i], "this empties the environment");
    if (drops_preload(words_[i])) refuse(words_[i], "this script sets LD_PRELOAD");
    if (passing_ == Passing::kExport && (option == "export" || words_[i].starts_with("--export=")))
      return;                                                 // see `export_word`
    if (option == "genvlist" || option == "envlist") return;  // their values are the environment's
    if (words_[i] != kPreload) {
      const std::string before = std::exchange(words_[i], join_in(words_[i]));
      if (i > 0 && words_[i - 1] == "mca_base_env_list") list_ = i;
      if (before != words_[i] && option == (passing_ == Passing::kAllPrograms ? "genv" : "x"))
        own_.insert(i);
    } else if (option == "x" && passing_ == Passing::kEachProgram) {
      words_[i] = fmt::format("LD_PRELOAD={}", joined(inherited_));
      own_.insert(i);
    } else if ((option == "genv" || option == "env") && passing_ == Passing::kAllPrograms &&
               i + 1 < words_.size() && !words_[i + 1].empty()) {
      if (option == "genv") own_.insert(i);
      words_[i + 1] = joined(words_[i + 1]);
      ++i;
    } else if (passing_ != Passing::kInherited ||
               (option != "E" && option != "env" && option != "x")) {
      refuse(fmt::format("{} {}", i == 0 ? "" : words_[i - 1], words_[i]),
             "this takes LD_PRELOAD away");
    }
  }

  // The words of a launcher that come from a file.
  void refuse_files() const {
    if (!has_launcher()) return;
    const std::size_t end = end_of_options(words_, launcher_ + 1);
    for (std::size_t i = launcher_ + 1; i + 1 < end; ++i) {
      const std::string_view option = option_name(words_[i]);
      const bool programs = passing_ == Passing::kEachProgram && option == "app";
      if (programs)
        throw UsageError(fmt::format(
            "'{} {}': mpirun gives the variables of colltree to no program of such a file; give "
            "the programs on the command line, with ' : ' between them",
            words_[i], words_[i + 1]));
      if (option != "tune" && option != "am" && option != "configfile") continue;
      std::error_code ignored;
      if (fs::is_regular_file(words_[i + 1], ignored) &&
          find_preload(read_file(words_[i + 1])) != std::string::npos)
        refuse(words_[i + 1], "this file sets LD_PRELOAD");
    }
  }

  // env NAME=VALUE...
  Words environment(bool with_library) {
    Words words = {"env"};
    if (with_library) words.push_back(fmt::format("LD_PRELOAD={}", joined(inherited_)));
    for (const Setting& setting : settings_)
      words.push_back(fmt::format("{}={}", setting.name, setting.value));
    return words.size() == 1 ? Words{} : words;
  }

  // The options that this launcher takes before the program whose words begin at `begin`.
  Words words_of_program(std::size_t begin) {
    std::vector<Setting> settings = settings_;
    const auto end =
        std::find(words_.begin() + static_cast<std::ptrdiff_t>(begin), words_.end(), ":") -
        words_.begin();
    const bool is_first = begin == launcher_ + 1;
    const auto has_own = std::ranges::any_of(own_, [&](std::size_t place) {
      return passing_ == Passing::kAllPrograms ||
             (place >= begin && place < static_cast<std::size_t>(end));
    });
    if (!has_own) settings.insert(settings.begin(), {std::string(kPreload), joined(inherited_)});
    Words words;
    if (passing_ == Passing::kExport) return export_words(begin);
    if (passing_ == Passing::kEachProgram && list_) {
      if (is_first) extend_list();
    } else if (passing_ == Passing::kEachProgram) {
      for (const Setting& setting : settings)
        append(words, {"-x", fmt::format("{}={}", setting.name, setting.value)});
    } else if (passing_ == Passing::kAllPrograms && is_first) {
      for (const Setting& setting : settings) append(words, {"-genv", setting.name, setting.value});
    }
    return words;
  }

  // mpirun takes either -x or this parameter.
  void extend_list() {
    std::string& list = words_[*list_];
    if (find_preload(list) == list.npos) list += fmt::format(";LD_PRELOAD={}", joined(inherited_));
    for (const Setting& setting : settings_)
      list += fmt::format(";{}={}", setting.name, setting.value);
  }

  // The library is named to the tasks only, so that srun itself does not load it. The last --export
  // counts: one of the user is extended.
  Words export_words(std::size_t begin) {
    const std::size_t end = end_of_options(words_, begin);
    std::optional<std::size_t> given;
    for (std::size_t i = begin; i < end; ++i) {
      if (words_[i].starts_with("--export=")) given = i;
      if (words_[i] == "--export" && i + 1 < end) given = i + 1;
    }
    if (!given) return {fmt::format("--export={}", export_value("ALL"))};
    const std::size_t value =
        words_[*given].starts_with("--export=") ? words_[*given].find('=') + 1 : 0;
    words_[*given] = words_[*given].substr(0, value) + export_value(words_[*given].substr(value));
    return {};
  }

  std::string export_value(const std::string& given) {
    std::string preload = inherited_;
    Words items;
    for (const std::string_view item : split(given, ',')) {
      if (item.starts_with("LD_PRELOAD="))
        preload = item.substr(kPreload.size() + 1);
      else if (!item.empty() && item != "NONE" && item != "NIL" && item != kPreload)
        items.emplace_back(item);
    }
    if (std::ranges::find(items, "ALL") == items.end()) {
      for (const Setting& setting : settings_) items.push_back(setting.name);
    }
    const std::string value = joined(preload);
    if (value.find(',') != std::string::npos)
      throw Error(fmt::format("srun --export cannot take {}, because of its comma", value));
    items.push_back(fmt::format("LD_PRELOAD={}", value));
    return colltree::join(items, ",");
  }

  Words words_;
  std::size_t launcher_;
  Passing passing_;
  std::string library_;
  std::string inherited_;  // LD_PRELOAD for the launcher, or for a program without one
  std::vector<Setting> settings_;
  std::set<std::size_t> own_;        // where the user's command gives LD_PRELOAD to ranks
  std::optional<std::size_t> list_;  // the value of mca_base_env_list
  Words user_preloads_;
};

}  // namespace

std::string_view option_name(std::string_view word) {
  if (!word.starts_with('-')) return "";
  word.remove_prefix(std::min(word.find_first_not_of('-'), word.size()));
  return word;
}

std::size_t words_of_setting(std::string_view word) {
  constexpr std::pair<std::string_view, std::size_t> kOptions[] = {
      {"x", 1}, {"mca", 2}, {"gmca", 2}, {"prtemca", 2}, {"pmixmca", 2}, {"genv", 2}, {"env", 2}};
  const std::string_view option = option_name(word);
  const auto* known =
      std::ranges::find(kOptions, option, &std::pair<std::string_view, std::size_t>::first);
  return known == std::end(kOptions) ? 0 : known->second;
}

std::size_t end_of_options(const std::vector<std::string>& words, std::size_t begin) {
  const auto may_take_value = [](const std::string& word) {
    return word.starts_with('-') && word.find('=') == word.npos;
  };
  for (std::size_t i = begin; i < words.size() && words[i] != ":"; ++i) {
    if (const std::size_t taken = words_of_setting(words[i])) {
      i += taken;
      continue;
    }
    const bool is_value = i > begin && may_take_value(words[i - 1]);
    if (is_program_file(words[i]) || (!words[i].starts_with('-') && !is_value)) return i;
  }
  return words.size();
}

JoinedCommand with_settings(const UserCommand& command, const std::string& library,
                            const std::vector<Setting>& settings) {
  return Joiner(command, library, settings).join_all();
}

std::size_t find_launcher(const std::vector<std::string>& words) {
  const auto found = std::ranges::find_if(words, [](const std::string& word) {
    const std::string name = fs::path(word).filename();
    return name.starts_with("mpirun") || name.starts_with("mpiexec") || name == "srun" ||
           name == "orterun" || name == "prterun" || name == "prun";
  });
  return static_cast<std::size_t>(found - words.begin());
}

}  // namespace colltree::cli
