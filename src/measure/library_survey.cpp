// SPDX-License-Identifier: BSD-3-Clause
#include "measure/library_survey.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"
#include "measure/worker.h"

namespace colltree {

LibrarySurvey parse_survey(const std::string& text) {
  LibrarySurvey survey;
  for (const std::string_view line : split(text, '\n')) {
    const auto words = split(line, ' ');
    if (words.size() != 3) continue;
    const auto collective = find_collective(words[0]);
    const auto number = parse_number<int>(words[1]);
    if (collective && number) survey[*collective][*number] = words[2];
  }
  return survey;
}

LibrarySurvey survey_library(const std::filesystem::path& program) {
  Worker worker({program.string(), "--methods"});
  std::string text;
  worker.read(
      30, [] { return false; }, [&text](std::string_view line) { text.append(line).append("\n"); },
      [](std::string_view) {});
  const std::string trouble = worker.wait();
  if (!trouble.empty())
    throw Error(fmt::format("{} --methods: ended with {}", program.string(), trouble));
  return parse_survey(text);
}

std::vector<std::string> table_differences(Library library, const LibrarySurvey& survey) {
  std::vector<std::string> lines;
  for (const auto& [collective, algorithms] : survey) {
    for (const auto& [number, text] : algorithms) {
      if (number == 0) continue;
      const LibraryAlgorithm* known = find_algorithm(library, collective, number);
      if (known == nullptr) {
        lines.push_back(fmt::format("{} algorithm {} ({}) is not in colltree's table; not measured",
                                    name(collective), number, text));
      } else if (known->library_name != text) {
        lines.push_back(fmt::format("{} algorithm {} is {}, {} in colltree's table",
                                    name(collective), number, text, known->library_name));
      }
    }
  }
  return lines;
}

}  // namespace colltree
