// SPDX-License-Identifier: BSD-3-Clause
#include "deploy/setting_choice.h"

#include <fmt/core.h>

#include "base/file.h"
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

std::string quoted_for_tcl(std::string_view value) {
  std::string text = "\"";
  for (const char c : value) {
    if (std::string_view("\"\\$[]").find(c) != std::string_view::npos) text += '\\';
    text += c;
  }
  return text + "\"";
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

std::string setting_text(const SettingChoice& choice) {
  const evaluate::SettingContest& contest = choice.contest;
  const auto gain_text = [](const evaluate::Gain& gain) {
    return fmt::format("{:.3g} times as fast ({:.3g} to {:.3g})", gain.factor, gain.interval.low,
                       gain.interval.high);
  };
  const std::string verified = choice.verified ? gain_text(*choice.verified) + " in turns" : "";
  if (!choice.refused.empty())
    return fmt::format("plain: {} won in the campaign, but is {}", choice.refused, verified);
  if (choice.is_plain())
    return fmt::format("plain: none of {} settings is faster than the job as it is",
                       contest.rows.size() - 1);
  const evaluate::SettingRow& row = contest.best();
  std::string text = fmt::format("{}: {}", row.name, gain_text(row.gain));
  if (row.slower > 0)
    text += fmt::format(", slower at {} of {} instances", row.slower, contest.instances);
  text += choice.verified ? ", by the library's own choice " + verified : ", not verified in turns";
  return measure::is_transport(choice.setting) ? fmt::format("{} {}", kSlowNetwork, text) : text;
}

std::vector<std::string> write_setting(const std::filesystem::path& folder,
                                       const measure::Setting& setting) {
  constexpr std::string_view kOfOpenmpi = "OMPI_MCA_";
  std::string shell;
  std::string module = "#%Module1.0\n";
  std::string parameters;
  bool is_openmpi = true;
  for (const std::string& variable : setting.variables) {
    const std::size_t equals = variable.find('=');
    const std::string name = variable.substr(0, equals);
    const std::string value = variable.substr(equals + 1);
    shell += fmt::format("export {}={}\n", name, report::shell_word(value));
    module += fmt::format("setenv {} {}\n", name, quoted_for_tcl(value));
    is_openmpi = is_openmpi && name.starts_with(kOfOpenmpi);
    if (is_openmpi) parameters += fmt::format("{} = {}\n", name.substr(kOfOpenmpi.size()), value);
  }
  std::vector<std::string> written;
  for (const auto& [name, text] : {std::pair(kSettingScript, shell),
                                   {"setting.tcl", module},
                                   {"setting.conf", is_openmpi ? parameters : ""}}) {
    const std::filesystem::path file = folder / name;
    if (setting.name.empty() || text.empty()) {
      std::filesystem::remove(file);
      continue;
    }
    write_file(file, text);
    written.push_back(file.string());
  }
  return written;
}

}  // namespace colltree::deploy
