// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <filesystem>
#include <map>

#include "base/error.h"
#include "base/process.h"
#include "base/streams.h"
#include "base/text.h"
#include "measure/installed_library.h"
#include "measure/job.h"
#include "measure/settings.h"

namespace colltree::measure {

namespace {

struct Offer {
  std::string_view library, program, before, except, name, variables;
};

constexpr Offer kOffers[] = {
#define COLLTREE_OFFER(...) {__VA_ARGS__},
#include "measure/installed_settings.def"
#undef COLLTREE_OFFER
};

constexpr std::pair<std::string_view, const char*> kProgramOptions[] = {
    {"ompi_info", "--parsable"}, {"ucx_info", "-dc"}, {"fi_info", "--verbose"}};

// What an installed program prints; "": it is not there.
std::string said_by(std::string_view program, const JobStarter& starter) {
  if (program == "settings") return settings_text(starter.settings());
  const auto* options =
      std::ranges::find(kProgramOptions, program, [](const auto& entry) { return entry.first; });
  std::error_code absent;
  const std::filesystem::path launcher(starter.launcher().front());
  const auto beside = launcher.parent_path() / program;
  const bool is_beside = launcher.has_parent_path() && std::filesystem::exists(beside, absent);
  constexpr double kLimit_s = 30;
  std::string said;
  try {
    said =
        run_command({is_beside ? beside.string() : std::string(program), options->second}, kLimit_s)
            .output;
  } catch (const Error&) {
    return "";
  }
  // The first in PATH may be that of another Open MPI.
  constexpr std::string_view kVersion = "\nompi:version:full:";
  const std::size_t found = said.find(kVersion);
  if (found == said.npos) return said;
  const std::size_t begin = found + kVersion.size();
  const std::string version = said.substr(begin, said.find('\n', begin) - begin);
  if (starter.mpi() != concat("openmpi-", version))
    throw Error(concat(program, " in PATH is of Open MPI ", version, ", and the job's library is ",
                       starter.mpi(), "; put the folder of the library's own ", program,
                       " first in PATH"));
  return said;
}

std::string filled(std::string_view pattern, std::string_view word) {
  std::string text;
  for (const char c : pattern) text += c == '*' ? std::string(word) : std::string(1, c);
  return text;
}

// The words behind the beginning of lines, each once.
std::vector<std::string> offered_words(const Offer& offer, const std::string& said) {
  std::vector<std::string> words;
  const auto except = split(offer.except, ' ');
  for (const std::string_view line : split(said, '\n')) {
    const std::string_view plain = trim(line);
    if (!plain.starts_with(offer.before)) continue;
    std::string word(plain.substr(offer.before.size()));
    word.resize(std::min(word.find_first_of(": \t"), word.size()));
    if (offer.name.find('*') == offer.name.npos) word.clear();
    if ((word.empty() || std::ranges::count(except, word) == 0) &&
        std::ranges::count(words, word) == 0)
      words.push_back(std::move(word));
  }
  return words;
}

}  // namespace

std::vector<Setting> installed_settings(const JobStarter& starter) {
  std::vector<Setting> settings;
  std::map<std::string_view, std::string> said;
  for (const Offer& offer : kOffers) {
    if (!starter.mpi().starts_with(offer.library)) continue;
    const auto [known, is_new] = said.try_emplace(offer.program);
    if (is_new) known->second = said_by(offer.program, starter);
    for (const std::string& word : offered_words(offer, known->second)) {
      settings.push_back(parse_setting(
          concat(filled(offer.name, word), ": ", filled(offer.variables, word)), "installed"));
    }
  }
  return settings;
}

std::vector<Setting> find_settings(const JobStarter& starter, std::span<const std::string> texts) {
  if (texts.size() == 1 && texts[0] == kInstalledSettings) return installed_settings(starter);
  std::vector<Setting> settings = read_settings(texts);
  for (const Setting& setting : settings) {
    JobStarter under = starter;
    under.use(setting.variables);
    for (const protocol::LibraryVariable& variable : under.asked()) {
      const bool is_of_setting =
          std::ranges::any_of(setting.variables, [&](const std::string& assignment) {
            return assignment.starts_with(concat(variable.name, "="));
          });
      if (is_of_setting && !variable.trouble.empty())
        say(concat("setting ", setting.name, ": ", variable.name, " ", variable.trouble, "\n"));
    }
  }
  return settings;
}

}  // namespace colltree::measure
