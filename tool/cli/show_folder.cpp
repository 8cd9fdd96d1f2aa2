// SPDX-License-Identifier: BSD-3-Clause
#include "cli/show_folder.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iterator>
#include <system_error>
#include <thread>
#include <vector>

#include "base/error.h"
#include "base/input.h"
#include "base/streams.h"
#include "cli/tune_verdict.h"
#include "evaluate/answer.h"
#include "profile/load_timings.h"
#include "profile/overview.h"

namespace colltree::cli {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostClasses = 10;
constexpr std::chrono::seconds kPause(2);

bool is_measuring(const fs::path& profile, const profile::SystemOverview& system) {
  return std::ranges::any_of(system.campaigns, [&](const profile::StoredCampaign& campaign) {
    return profile::CampaignLock::is_held(profile, campaign.id);
  });
}

std::string cells_text(const profile::SystemOverview& system, bool is_measuring) {
  std::size_t cells = 0;
  std::size_t predicted = 0;
  for (const auto& [collective, counts] : system.collectives) {
    for (const auto& [status, count] : counts.cells) cells += count;
    predicted += counts.predicted;
  }
  std::string text = fmt::format("{} ({}, {}): {} cells measured", system.system.name,
                                 system.system.provenance, system.system.mpi, cells);
  if (predicted > 0) text += fmt::format(", {} others wanted", predicted);
  return text + (is_measuring ? "; measuring" : "; nothing measures into it now");
}

// It shows times that were measured; predictions wait for the end.
std::string so_far(const profile::Profile& profile, const profile::SystemOverview& system) {
  std::vector<evaluate::AnswerRow> rows;
  for (const auto& [collective, counts] : system.collectives) {
    const auto stored = profile::find_timings(profile, system.system.name, collective);
    if (stored)
      std::ranges::move(evaluate::answer_of(stored->timings, nullptr), std::back_inserter(rows));
  }
  rows = evaluate::telling_rows(std::move(rows), kMostClasses);
  return rows.empty() ? "" : evaluate::answer_table(rows).text();
}

struct Look {
  std::string text;
  bool is_measuring = false;
};

Look look_into(const fs::path& folder, const fs::path& path) {
  const profile::Profile profile(path, profile::OpenMode::kRead);
  Look look;
  for (const profile::SystemOverview& system : profile::overview(profile)) {
    const bool measuring = is_measuring(path, system);
    look.is_measuring = look.is_measuring || measuring;
    look.text += cells_text(system, measuring) + "\n" + so_far(profile, system);
  }
  if (look.is_measuring) return look;
  // A tuning of two sources has a verdict for each.
  for (const char* place : {"", "portable", "openmpi", "mpich", "intel"}) {
    std::error_code absent;
    const fs::path verdict = folder / place / kVerdictFile;
    if (fs::is_regular_file(verdict, absent)) look.text += "\n" + read_text(verdict);
  }
  return look;
}

}  // namespace

void show_folder(const std::string& folder, bool watch) {
  const fs::path path = fs::path(folder) / "profile.db";
  if (!fs::exists(path))
    throw Error(
        fmt::format("{}: holds no profile.db; give the folder of colltree tune -o", folder));
  const bool is_terminal = ::isatty(STDOUT_FILENO) == 1;
  std::string before;
  for (bool again = true; again;) {
    const Look look = look_into(folder, path);
    if (look.text != before) {
      constexpr const char* kClear = "\x1b[H\x1b[2J";
      const char* above = is_terminal ? kClear : before.empty() ? "" : "\n";
      fmt::print("{}{}", watch ? above : "", look.text);
      finish_output();
    }
    before = look.text;
    again = watch && look.is_measuring;
    if (again) std::this_thread::sleep_for(kPause);
  }
}

}  // namespace colltree::cli
