// SPDX-License-Identifier: BSD-3-Clause
#include "measure/settings.h"

#include <algorithm>
#include <filesystem>
#include <regex>

#include "base/error.h"
#include "base/input.h"
#include "base/json.h"
#include "base/text.h"
#include "measure/installed_library.h"

namespace colltree::measure {

namespace {

constexpr std::string_view kOption = "--setting";

bool sets_any(const Setting& setting, const char* names) {
  const std::regex pattern(names);
  return std::ranges::any_of(setting.variables, [&](const std::string& variable) {
    return std::regex_match(variable.substr(0, variable.find('=')), pattern);
  });
}

void check_variable(const std::string& word, const Setting& setting, std::string_view place) {
  const std::string variable = word.substr(0, word.find('='));
  if (!std::regex_match(word, std::regex("[A-Za-z_][A-Za-z0-9_]*=[^]*")))
    throw UsageError(concat(place, ": ", setting.name, ": '", word, "' is no VARIABLE=VALUE"));
  if (sets_any(setting, variable.c_str()))
    throw UsageError(concat(place, ": ", setting.name, ": sets ", variable, " twice"));
}

std::vector<Setting> settings_of_file(const std::string& file) {
  constexpr std::uint64_t kMostBytes = 1 << 20;
  std::vector<Setting> settings;
  const std::string text = read_text(file, kMostBytes);
  std::size_t number = 0;
  for (const std::string_view line : split(text, '\n')) {
    ++number;
    const std::string_view content = trim(line.substr(0, line.find('#')));
    if (!content.empty()) settings.push_back(parse_setting(content, concat(file, ":", number)));
  }
  if (settings.empty()) throw UsageError(concat(file, ": defines no setting"));
  return settings;
}

}  // namespace

Setting parse_setting(std::string_view text, std::string_view place) {
  const std::size_t colon = text.find(':');
  Setting setting{std::string(trim(text.substr(0, colon))), {}};
  if (colon == text.npos || !std::regex_match(setting.name, std::regex("[A-Za-z0-9_.-]+")))
    throw UsageError(concat(place, ": '", text,
                            "' does not begin with the name of a setting; write 'NAME: "
                            "VARIABLE=VALUE ...', the name of letters, digits, '-', '_' and '.'"));
  if (setting.name == kPlainSetting)
    throw UsageError(concat(place, ": '", kPlainSetting, "' is the job without a setting"));
  const std::string variables(trim(text.substr(colon + 1)));
  if (variables.empty())
    throw UsageError(concat(place, ": ", setting.name, ": has no VARIABLE=VALUE"));
  for (std::string& word : split_command(variables, place)) {
    check_variable(word, setting, place);
    setting.variables.push_back(std::move(word));
  }
  return setting;
}

std::vector<Setting> read_settings(std::span<const std::string> texts) {
  std::vector<Setting> settings;
  for (const std::string& text : texts) {
    const bool is_file = std::filesystem::is_regular_file(text);
    for (Setting& setting :
         is_file ? settings_of_file(text) : std::vector<Setting>{parse_setting(text, kOption)}) {
      if (std::ranges::count(settings, setting.name, &Setting::name) > 0)
        throw UsageError(concat(kOption, ": ", setting.name, " is defined twice"));
      settings.push_back(std::move(setting));
    }
  }
  return settings;
}

bool decides_alone(const Setting& setting) {
  return sets_any(setting,
                  "OMPI_MCA_coll(_.*_(priority|enable))?|MPIR_CVAR_.*_POSIX_INTRA_ALGORITHM|"
                  "I_MPI_COLL_.*");
}

bool is_transport(const Setting& setting) {
  return sets_any(setting,
                  "OMPI_MCA_(pml|btl|mtl)|UCX_.*|FI_.*|I_MPI_FABRICS|I_MPI_OFI_.*|"
                  "MPIR_CVAR_NOLOCAL|MPIR_CVAR_OFI_.*");
}

void store_settings(profile::Profile& profile, const profile::CampaignInfo& campaign,
                    std::span<const Setting> settings) {
  const std::vector<Setting> stored = stored_settings(profile, campaign.system.name);
  for (const Setting& setting : settings) {
    const auto known = std::ranges::find(stored, setting.name, &Setting::name);
    if (known != stored.end() && *known != setting)
      throw Error(concat(profile.path().string(), ": system ", campaign.system.name,
                         " holds timings of setting ", setting.name, " with ",
                         join(known->variables, " "), "; give this one another name"));
    profile::CampaignInfo definition = campaign;
    definition.options =
        Json{{"setting", setting.name}, {"variables", Json(setting.variables)}}.dump();
    definition.config_hash.clear();
    profile.begin_campaign(definition);
  }
}

std::vector<Setting> stored_settings(const profile::Profile& profile, const std::string& system) {
  std::vector<Setting> settings;
  for (const profile::StoredCampaign& campaign : profile.campaigns()) {
    const std::optional<Json> options = Json::try_parse(campaign.info.options);
    if (campaign.info.system.name != system || !options || !options->is_object()) continue;
    Setting setting{json_string_or(*options, "setting", ""), {}};
    const Json* variables = options->find("variables");
    if (setting.name.empty() || variables == nullptr || !variables->is_array()) continue;
    for (const Json& variable : *variables)
      setting.variables.push_back(variable.is_string() ? variable.text() : "");
    if (std::ranges::count(settings, setting) == 0) settings.push_back(std::move(setting));
  }
  return settings;
}

}  // namespace colltree::measure
