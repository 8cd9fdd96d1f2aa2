// SPDX-License-Identifier: BSD-3-Clause
#include "cli/compared.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/loaded_models.h"
#include "evaluate/runs.h"
#include "evaluate/sessions.h"
#include "model/fitter.h"
#include "model/kind.h"
#include "profile/import.h"
#include "profile/load_timings.h"
#include "surrogate/complete.h"

namespace colltree::cli {

namespace {

constexpr std::string_view kEachDepth = ":max_depth=*";

std::uint64_t exact_depth(const std::string& kind, const Timings& timings) {
  try {
    return model::parse_fitter(kind).fit({timings}).statistics.shape.max_depth;
  } catch (const UsageError&) {
    throw;
  } catch (const Error&) {
    return 0;  // its row will say why these timings cannot be fitted
  }
}

}  // namespace

std::string default_compared() {
  std::string text;
  for (const model::Kind* kind : model::kinds()) text += fmt::format("{} ", kind->compared);
  return text;
}

bool take_network_model(std::string& text) {
  std::ranges::replace(text, ';', ' ');
  std::vector<std::string_view> words = split(text, ' ');
  const auto taken =
      std::erase_if(words, [](std::string_view word) { return trim(word) == kNetworkModel; });
  text = join(words, " ");
  return taken > 0;
}

std::vector<model::Fitter> parse_compared(std::string text, const Timings& timings) {
  std::vector<model::Fitter> fitters;
  std::ranges::replace(text, ';', ' ');
  for (const std::string_view word : split(text, ' ')) {
    const std::string fitter_text(trim(word));
    if (fitter_text.empty()) continue;
    if (!fitter_text.ends_with(kEachDepth)) {
      fitters.push_back(model::parse_fitter(fitter_text));
      continue;
    }
    const std::string kind = fitter_text.substr(0, fitter_text.size() - kEachDepth.size());
    const std::uint64_t exact = exact_depth(kind, timings);
    for (std::uint64_t depth = 1; depth < exact; ++depth) {
      fitters.push_back(model::parse_fitter(fmt::format("{}:max_depth={}", kind, depth)));
    }
    fitters.push_back(model::parse_fitter(kind));
  }
  return fitters;
}

namespace {

struct OpenRun {
  std::string path;
  profile::Profile profile;
  profile::SystemInfo system;
};

std::vector<OpenRun> open_runs(const ProfileOptions& first,
                               const std::vector<std::string>& others) {
  std::vector<OpenRun> runs;
  profile::Profile profile(first.profile, profile::OpenMode::kRead);
  const profile::SystemInfo here = profile.require_system(first.system);
  runs.push_back({first.profile, std::move(profile), here});
  for (const std::string& path : others) {
    profile::Profile other_profile(path, profile::OpenMode::kRead);
    const profile::SystemInfo there = evaluate::system_beside(other_profile, here.name);
    runs.push_back({path, std::move(other_profile), there});
  }
  return runs;
}

// The file's name if no other run has it, else the system's, else the path.
std::string name_of(const OpenRun& run, const std::vector<OpenRun>& runs) {
  const auto same = [&](auto part_of) {
    return std::ranges::count_if(
        runs, [&](const OpenRun& candidate) { return part_of(candidate) == part_of(run); });
  };
  if (same([](const OpenRun& candidate) { return evaluate::session_name(candidate.path); }) == 1)
    return evaluate::session_name(run.path);
  if (same([](const OpenRun& candidate) { return candidate.system.name; }) == 1)
    return run.system.name;
  return run.path;
}

std::vector<Collective> collectives_of(const ProfileOptions& first, const OpenRun& run) {
  return first.collectives.empty() ? run.profile.collectives(run.system.name)
                                   : parse_collectives(first.collectives);
}

// Returns nothing if one of the runs has no times of the collective.
std::optional<evaluate::SideBySide> beside_of(const std::vector<OpenRun>& open,
                                              const ProfileOptions& first, Collective collective) {
  profile::LoadOptions options = load_options(first);
  options.default_alone = true;
  std::vector<evaluate::ComparedRun> runs;
  for (const OpenRun& run : open) {
    auto timings = surrogate::complete(
        profile::find_timings(run.profile, run.system.name, collective, options));
    if (timings) runs.push_back({name_of(run, open), std::move(*timings)});
  }
  if (runs.size() != open.size()) return std::nullopt;
  return evaluate::set_side_by_side(runs);
}

struct ComparedRuns {
  std::vector<OpenRun> open;
  std::vector<evaluate::SideBySide> collectives;
  std::vector<std::string_view> missing;  // collectives that one of them has not
};

ComparedRuns compare(const ProfileOptions& first, const std::vector<std::string>& others) {
  ComparedRuns runs{open_runs(first, others), {}, {}};
  for (const Collective collective : collectives_of(first, runs.open.front())) {
    if (auto beside = beside_of(runs.open, first, collective)) {
      runs.collectives.push_back(std::move(*beside));
    } else {
      runs.missing.push_back(name(collective));
    }
  }
  if (runs.collectives.empty() || (!runs.missing.empty() && !first.collectives.empty()))
    throw Error(fmt::format("{}: not all have timings of {}", join(others, ", "),
                            join(runs.missing, ", ")));
  return runs;
}

}  // namespace

bool are_profiles(const std::vector<std::string>& files) {
  const auto count = std::ranges::count_if(
      files, [](const std::string& file) { return profile::is_database(file); });
  if (count == 0) return false;
  if (static_cast<std::size_t>(count) == files.size()) return true;
  throw UsageError("models stand beside one profile, profiles beside each other: give one of both");
}

Json compared_runs_json(const ProfileOptions& first, const std::vector<std::string>& others) {
  const ComparedRuns compared = compare(first, others);
  Json runs = Json::array();
  for (const OpenRun& run : compared.open)
    runs.push_back({{"run", name_of(run, compared.open)},
                    {"system", run.system.name},
                    {"provenance", run.system.provenance},
                    {"mpi", run.system.mpi}});
  return {{"runs", runs},
          {"collectives", json_list(compared.collectives, evaluate::side_by_side_json)}};
}

void compare_runs(const ProfileOptions& first, const std::vector<std::string>& others) {
  if (first.json)
    return print_results("colltree/side-by-side/1", compared_runs_json(first, others));
  const ComparedRuns runs = compare(first, others);
  for (const OpenRun& run : runs.open)
    fmt::print("{}: {}\n", name_of(run, runs.open), describe(run.system));
  for (const evaluate::SideBySide& beside : runs.collectives)
    fmt::print("{}", evaluate::side_by_side_text(beside));
  if (!runs.missing.empty()) fmt::print("not in all of them: {}\n", join(runs.missing, ", "));
}

}  // namespace colltree::cli
