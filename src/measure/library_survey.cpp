// SPDX-License-Identifier: BSD-3-Clause
#include "measure/library_survey.h"

#include <fmt/format.h>

#include <set>

#include "base/error.h"
#include "base/text.h"
#include "coll/library_methods.h"
#include "measure/worker.h"

namespace colltree {

namespace {

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
  Worker worker({program.string(), "--methods"});
  std::string text;
  worker.read_all(
      30, [&text](std::string_view line) { text.append(line).append("\n"); },
      [](std::string_view) {});
  const std::string trouble = worker.wait();
  if (!trouble.empty())
    throw Error(fmt::format("{} --methods: ended with {}", program.string(), trouble));
  return parse_survey(text);
}

std::vector<std::string> table_differences(Library library, const LibrarySurvey& survey) {
  std::vector<std::string> lines;
  for (const auto& [collective, algorithms] : survey) {
    const std::set<std::string> known = told_names(library, collective);
    for (const auto& [text, number] : algorithms) {
      if (number == 0 || text == kChoiceOfSchedule) continue;
      const LibraryAlgorithm* same_number =
          library == Library::kOpenmpi ? find_algorithm(library, collective, number) : nullptr;
      if (same_number != nullptr && same_number->library_name != text) {
        lines.push_back(fmt::format("{} algorithm {} is {}, {} in colltree's table",
                                    name(collective), number, text, same_number->library_name));
      } else if (!known.contains(text)) {
        lines.push_back(fmt::format("{} algorithm {} ({}) is not in colltree's table; not measured",
                                    name(collective), number, text));
      }
    }
  }
  return lines;
}

}  // namespace colltree
