// SPDX-License-Identifier: BSD-3-Clause
#include "measure/launch.h"

#include <fmt/core.h>

#include <utility>

#include "base/error.h"
#include "coll/library_methods.h"

namespace colltree {

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
  if (quote != 0) throw UsageError(fmt::format("{}: the quote {} is not closed", option, quote));
  if (words.empty())
    throw UsageError(fmt::format("{}: is empty; write for example 'mpirun -np {{ranks}}'", option));
  return words;
}

namespace {

constexpr std::string_view kRanks = "{ranks}";

}  // namespace

std::vector<std::string> with_ranks(const std::vector<std::string>& words, std::uint64_t ranks) {
  std::vector<std::string> command;
  for (std::string word : words) {
    for (std::size_t at; (at = word.find(kRanks)) != std::string::npos;) {
      word.replace(at, kRanks.size(), std::to_string(ranks));
    }
    command.push_back(std::move(word));
  }
  return command;
}

std::vector<std::string> start_settings(Library library, const PlanCell& cell) {
  std::vector<std::string> settings;
  // Open MPI lets algorithms be chosen only when it is started so.
  if (library == Library::kOpenmpi)
    settings.emplace_back("OMPI_MCA_coll_tuned_use_dynamic_rules=1");
  if (const std::string start = start_setting(library, cell.collective, cell.method);
      !start.empty())
    settings.push_back(start);
  return settings;
}

}  // namespace colltree
