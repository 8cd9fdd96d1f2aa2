// SPDX-License-Identifier: BSD-3-Clause
#include "deploy/setting_choice.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/file.h"
#include "base/text.h"
#include "profile/load_timings.h"
#include "report/command_lines.h"
#include "surrogate/complete.h"

namespace colltree::deploy {

namespace {

// The first reason why a cell has no time under the setting.
std::string failure_under(const profile::Profile& profile, const std::string& system,
                          const std::string& setting) {
  for (const profile::StoredCampaign& campaign : profile.campaigns()) {
    if (campaign.info.system.name != system) continue;
    for (const profile::Cell& cell : profile.cells(campaign.id)) {
      if (cell.samples.empty() && !cell.reason.empty() && setting_of(cell.key.method) == setting)
        return cell.reason;
    }
  }
  return "";
}

evaluate::SettingTimes times_under(const profile::Profile& profile, const std::string& system,
                                   std::span<const Collective> collectives,
                                   const std::string& setting) {
  evaluate::SettingTimes times{setting, {}};
  const profile::LoadOptions load{.default_alone = true, .setting = setting};
  for (const Collective collective : collectives) {
    if (auto timings =
            surrogate::complete(profile::find_timings(profile, system, collective, load)))
      times.timings.push_back(std::move(*timings));
  }
  if (!setting.empty()) times.failure = failure_under(profile, system, setting);
  return times;
}

constexpr std::string_view kOfOpenmpi = "OMPI_MCA_";

struct Writer {
  const char* file;
  std::string (*line)(std::string_view name, std::string_view value);
  bool for_openmpi = false;
};

std::string quoted_for_tcl(std::string_view value) {
  std::string text = "\"";
  for (const char c : value) {
    if (std::string_view("\"\\$[]").find(c) != std::string_view::npos) text += '\\';
    text += c;
  }
  return text + "\"";
}

constexpr Writer kWriters[] = {
    {kSettingScript,
     [](std::string_view name, std::string_view value) {
       return fmt::format("export {}={}", name, report::shell_word(std::string(value)));
     }},
    {"setting.tcl",
     [](std::string_view name, std::string_view value) {
       return fmt::format("setenv {} {}", name, quoted_for_tcl(value));
     }},
    {"setting.conf",
     [](std::string_view name, std::string_view value) {
       return fmt::format("{} = {}", name.substr(kOfOpenmpi.size()), value);
     },
     true},
};

std::string text_of(const Writer& writer, const measure::Setting& setting) {
  // A module's file must begin so.
  std::string text = std::string_view(writer.file).ends_with(".tcl") ? "#%Module1.0\n" : "";
  for (const std::string& variable : setting.variables) {
    const std::size_t equals = variable.find('=');
    text += writer.line(std::string_view(variable).substr(0, equals),
                        std::string_view(variable).substr(equals + 1)) +
            "\n";
  }
  return text;
}

}  // namespace

SettingChoice choose_setting(const profile::Profile& profile, const std::string& system,
                             std::span<const Collective> collectives,
                             std::span<const measure::Setting> settings,
                             std::span<const CallCount> calls) {
  std::vector<evaluate::SettingTimes> times{times_under(profile, system, collectives, "")};
  for (const measure::Setting& setting : settings)
    times.push_back(times_under(profile, system, collectives, setting.name));
  SettingChoice choice{evaluate::compare_settings(times, calls), {}};
  if (choice.contest.chosen > 0) choice.setting = settings[choice.contest.chosen - 1];
  return choice;
}

std::vector<std::string> setting_statements(const SettingChoice& choice) {
  const evaluate::SettingContest& contest = choice.contest;
  const std::string verified =
      choice.verified ? fmt::format("{:.3g} times as fast in turns (95 %: {:.3g} to {:.3g})",
                                    choice.verified->factor, choice.verified->interval.low,
                                    choice.verified->interval.high)
                      : "not verified in turns";
  if (!choice.refused.empty())
    return {
        fmt::format("Setting: plain: {} won in the campaign, but is {}", choice.refused, verified)};
  if (choice.is_plain())
    return {fmt::format("Setting: plain: none of {} settings is faster than the job as it is",
                        contest.rows.size() - 1)};
  const evaluate::SettingRow& row = contest.best();
  std::vector<std::string> lines;
  if (measure::is_transport(choice.setting))
    lines.push_back(fmt::format("{} {}", kSlowNetwork, row.name));
  lines.push_back(fmt::format(
      "Setting: {}: {:.3g} times as fast as the plain job (95 %: {:.3g} to {:.3g}){}: {}", row.name,
      row.gain.factor, row.gain.interval.low, row.gain.interval.high,
      row.slower == 0
          ? ""
          : fmt::format(", slower at {} of {} instances", row.slower, contest.instances),
      join(choice.setting.variables, " ")));
  lines.push_back(fmt::format("  the library's own choice under it: {}", verified));
  return lines;
}

std::vector<std::string> write_setting(const std::filesystem::path& folder,
                                       const measure::Setting& setting) {
  std::vector<std::string> written;
  for (const Writer& writer : kWriters) {
    const std::filesystem::path file = folder / writer.file;
    const bool fits = !writer.for_openmpi ||
                      std::ranges::all_of(setting.variables, [](const std::string& variable) {
                        return variable.starts_with(kOfOpenmpi);
                      });
    if (setting.name.empty() || !fits) {
      std::filesystem::remove(file);
      continue;
    }
    write_file(file, text_of(writer, setting));
    written.push_back(file.string());
  }
  return written;
}

}  // namespace colltree::deploy
