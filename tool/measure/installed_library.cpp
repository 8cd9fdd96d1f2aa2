// SPDX-License-Identifier: BSD-3-Clause
#include "measure/installed_library.h"

#include <unistd.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/error.h"
#include "base/process.h"
#include "base/text.h"
#include "coll/library_methods.h"

namespace colltree::measure {

std::vector<std::string> split_command(const std::string& text, std::string_view option) {
  std::vector<std::string> words;
  bool open = false;  // inside a word
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote == 0 && (c == ' ' || c == '\t')) {
      open = false;
      continue;
    }
    if (!std::exchange(open, true)) words.emplace_back();
    if (c == '\\' && quote != '\'' && i + 1 < text.size()) {
      words.back() += text[++i];
    } else if (quote == 0 && (c == '\'' || c == '"')) {
      quote = c;
    } else if (c == quote) {
      quote = 0;
    } else {
      words.back() += c;
    }
  }
  if (quote != 0) throw UsageError(concat(option, ": the quote ", quote, " is not closed"));
  if (words.empty())
    throw UsageError(concat(option, ": is empty; write for example 'mpirun -np {ranks}'"));
  return words;
}

namespace {

constexpr std::string_view kRanks = "{ranks}";

// The number that follows `after` and blanks, up to a blank or comma.
std::string number_after(std::string_view text, std::string_view after) {
  text.remove_prefix(text.find(after) + after.size());
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  return std::string(text.substr(0, text.find_first_of(", \t\n")));
}

// MPICH: the choice among the schedules of a nonblocking collective.
constexpr std::string_view kChoiceOfSchedule = "nb_sched_auto";

std::set<std::string> told_names(Library library, Collective collective) {
  std::set<std::string> names;
  for (const Method& method :
       library_methods(library, collective, {}, parse_parameter_values("fanout=1,nonblocking")))
    names.insert(told_name(library, collective, method.algorithm));
  return names;
}

}  // namespace

std::vector<std::string> with_ranks(const std::vector<std::string>& words, std::uint64_t ranks) {
  std::vector<std::string> command;
  for (std::string word : words) {
    for (std::size_t offset; (offset = word.find(kRanks)) != std::string::npos;) {
      word.replace(offset, kRanks.size(), std::to_string(ranks));
    }
    command.push_back(std::move(word));
  }
  return command;
}

std::vector<std::string> start_settings(Library library, const protocol::PlanCell& cell) {
  std::vector<std::string> settings;
  if (const std::string_view always = library_info(library).start; !always.empty())
    settings.emplace_back(always);
  if (const std::string start = start_setting(library, cell.instance.collective, cell.method);
      !start.empty())
    settings.push_back(start);
  return settings;
}

std::string host_name() {
  char name[256] = "";
  ::gethostname(name, sizeof name - 1);
  return name;
}

std::string library_version(const std::filesystem::path& program) {
  constexpr int kLimit_s = 30;
  const CommandResult result = run_command({program.string(), "--library"}, kLimit_s);
  std::string first = result.output.substr(0, result.output.find('\n'));  // a warning is no name
  if (result.timed_out) {
    throw Error(concat(program.string(), " --library: no answer in ", kLimit_s,
                       " s; if that passes, the same command continues"));
  }
  if (!result.failure.empty() || first.empty()) {
    throw Error(concat(program.string(), " does not run (",
                       result.failure.empty() ? "exit code 0" : result.failure,
                       "): ", result.first_error.empty() ? first : result.first_error,
                       "; fix this and rerun the same command"));
  }
  return first;
}

std::string short_library_name(const std::string& version_text) {
  constexpr std::string_view kSimulated = "SMPI Version ";
  if (const LibraryInfo* known = library_of_version(version_text))
    return concat(known->name, "-", number_after(version_text, known->version));
  if (version_text.starts_with(kSimulated))
    return concat("smpi-", number_after(version_text, kSimulated));
  std::string plain = version_text.substr(0, 60);
  for (char& c : plain) {
    if (c == ',' || c == '"' || static_cast<unsigned char>(c) < ' ') c = ' ';
  }
  return std::string(trim(plain));
}

LibrarySurvey parse_survey(const std::string& text) {
  LibrarySurvey survey;
  for (const std::string_view line : split(text, '\n')) {
    const auto words = split(line, ' ');
    if (words.size() != 3) continue;
    const auto collective = find_collective(words[0]);
    const auto number = parse_number<int>(words[1]);
    if (collective && number) survey[*collective][std::string(words[2])] = *number;
  }
  return survey;
}

LibrarySurvey survey_library(const std::filesystem::path& program) {
  const CommandResult result = run_command({program.string(), "--methods"}, 30);
  if (!result.failure.empty())
    throw Error(concat(program.string(), " --methods: ended with ", result.failure));
  return parse_survey(result.output);
}

protocol::JobLayout parse_layout(std::string_view text) {
  for (const std::string_view line : split(text, '\n')) {
    const auto words = split(line, ' ');
    if (words.size() != 3 || words[0] != "layout") continue;
    const auto nodes = parse_number<std::uint64_t>(words[1]);
    const auto ranks = parse_number<std::uint64_t>(words[2]);
    if (nodes && ranks && *nodes > 0 && *ranks > 0) return {*nodes, *ranks};
  }
  throw Error("the job did not say where its ranks lie; measure without --ranks-per-node");
}

LibrarySettings parse_settings(std::string_view text) {
  LibrarySettings settings;
  for (const std::string_view line : split(text, '\n')) {
    const auto words = split(line, ' ');
    if (words.size() != 2) continue;
    if (const auto value = parse_number<int>(words[1])) settings[std::string(words[0])] = *value;
  }
  return settings;
}

std::string settings_text(const LibrarySettings& settings) {
  std::string text;
  for (const auto& [name, value] : settings) text += concat(name, " ", value, "\n");
  return text;
}

std::vector<std::string> changed_settings(const LibrarySettings& then, const LibrarySettings& now) {
  std::vector<std::string> changes;
  for (const auto& [name, value] : then) {
    const auto found = now.find(name);
    if (found == now.end()) {
      changes.push_back(concat(name, " was ", value, ", is not there"));
    } else if (found->second != value) {
      changes.push_back(concat(name, " was ", value, ", is ", found->second));
    }
  }
  for (const auto& [name, value] : now) {
    if (!then.contains(name)) changes.push_back(concat(name, " was not there, is ", value));
  }
  return changes;
}

bool library_has(Library library, const LibrarySurvey& survey, Collective collective,
                 const Method& method) {
  const auto found = survey.find(collective);
  if (found == survey.end()) return true;
  const std::string name = told_name(library, collective, method.algorithm);
  return name.empty() || found->second.contains(name);
}

std::vector<std::string> unknown_algorithms(Library library, Collective collective,
                                            const LibrarySurvey& survey) {
  std::vector<std::string> unknown;
  const auto found = survey.find(collective);
  if (found == survey.end()) return unknown;
  const std::set<std::string> known = told_names(library, collective);
  for (const auto& [text, number] : found->second) {
    const bool same_number = library_info(library).numbers_are_stable &&
                             find_algorithm(library, collective, number) != nullptr;
    // Algorithms that "nb" can run are measured only if they are asked for.
    if (number == 0 || known.contains(text) || same_number || text.starts_with("nb_")) continue;
    unknown.push_back(unknown_algorithm(text));
  }
  return unknown;
}

std::vector<std::string> table_differences(Library library, const LibrarySurvey& survey) {
  std::vector<std::string> lines;
  for (const auto& [collective, algorithms] : survey) {
    const std::set<std::string> known = told_names(library, collective);
    for (const auto& [text, number] : algorithms) {
      if (number == 0 || text == kChoiceOfSchedule) continue;
      const LibraryAlgorithm* same_number = library_info(library).numbers_are_stable
                                                ? find_algorithm(library, collective, number)
                                                : nullptr;
      if (same_number != nullptr && same_number->library_name != text) {
        lines.push_back(concat(name(collective), " algorithm ", number, " is ", text, ", ",
                               same_number->library_name, " in colltree's table"));
      } else if (!known.contains(text)) {
        const bool measured = !text.starts_with("nb_");
        lines.push_back(concat(
            name(collective), " algorithm ", number, " (", text, ") is not in colltree's table; ",
            measured ? "measured as " + unknown_algorithm(text) + ", never emitted"
                     : std::string("not measured")));
      }
    }
  }
  return lines;
}

}  // namespace colltree::measure
