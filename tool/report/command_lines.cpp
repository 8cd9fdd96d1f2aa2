// SPDX-License-Identifier: BSD-3-Clause
#include "report/command_lines.h"

#include <fmt/format.h>

#include "base/json.h"
#include "base/text.h"

namespace colltree::report {

namespace {

constexpr std::string_view kPlain =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./,:=+%@";

std::string collectives(const profile::SystemOverview& overview) {
  std::string list;
  for (const auto& [collective, counts] : overview.collectives) {
    list += (list.empty() ? "" : ",") + std::string(name(collective));
  }
  return list;
}

std::string grid_options(const profile::SystemOverview& overview) {
  std::set<std::uint64_t> ranks;
  std::set<std::uint64_t> bytes;
  for (const auto& [collective, counts] : overview.collectives) {
    ranks.insert(counts.communicator_sizes.begin(), counts.communicator_sizes.end());
    bytes.insert(counts.message_sizes.begin(), counts.message_sizes.end());
  }
  return fmt::format("--communicator-sizes {} --message-sizes {}", size_list(ranks, false),
                     size_list(bytes, true));
}

std::string source_options(const profile::CampaignInfo& info) {
  const auto options = Json::try_parse(info.options).value_or(Json());
  const auto text = [&](const char* field) {
    return options.is_object() && options.contains(field) && options[field].is_string()
               ? options[field].text()
               : std::string();
  };
  if (!info.platform_file.empty()) {
    const std::string noise = text("noise");
    return fmt::format("--platform {}{}", shell_word(info.platform_file),
                       noise.empty() || noise == "off" ? "" : " --noise " + shell_word(noise));
  }
  const std::string launcher = text("launcher");
  return launcher.empty() ? "" : fmt::format("--launcher {}", shell_word(launcher));
}

std::string origin_command(const profile::CampaignInfo& info, const ReportInput& input) {
  const std::string output = shell_word(input.profile);
  if (info.system.provenance == profile::kProvenanceImported) {
    const auto options = Json::try_parse(info.options).value_or(Json());
    const bool total = json_string_or(options, "message_size", "") == "total";
    const bool split = json_flag_or(options, "split_placements", false);
    return fmt::format("colltree import {}{}{} -o {}", shell_word(info.source),
                       total ? " --message-sizes total" : "", split ? " --split-placements" : "",
                       output);
  }
  const std::string source = source_options(info);
  if (source.empty())
    return fmt::format("# {}: the command of this campaign is not known",
                       printable(info.system.name));
  return fmt::format("colltree measure {} --collective {} {} -o {}", source,
                     collectives(input.overview), grid_options(input.overview), output);
}

std::string size_text(std::uint64_t size, bool bytes) {
  return bytes && size != 0 ? format_bytes(size) : fmt::to_string(size);
}

// Quotes bytes that no line can hold, in the form that bash, ksh and zsh read.
std::string escaped_word(const std::string& word) {
  std::string quoted = "$'";
  for (const char c : word) {
    const bool plain = c >= ' ' && c < 0x7F;
    if (c == '\'' || c == '\\') quoted += '\\';
    quoted += plain ? std::string(1, c) : fmt::format("\\x{:02X}", static_cast<unsigned char>(c));
  }
  return quoted + "'";
}

}  // namespace

std::string shell_word(const std::string& word) {
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  if (!unfit_for_line(word).empty()) return escaped_word(word);
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string size_list(const std::set<std::uint64_t>& sizes, bool bytes) {
  const std::vector<std::uint64_t> sorted(sizes.begin(), sizes.end());
  std::string list;
  for (std::size_t first = 0; first < sorted.size();) {
    std::size_t last = first;
    while (last + 1 < sorted.size() && sorted[last + 1] == sorted[last] + 1) ++last;
    if (last - first < 2) last = first;  // "1,2", not "1..2"
    list += (list.empty() ? "" : ",") + size_text(sorted[first], bytes);
    if (last != first) list += ".." + size_text(sorted[last], bytes);
    first = last + 1;
  }
  return list;
}

std::vector<std::string> origin_commands(const ReportInput& input) {
  std::vector<std::string> commands;
  for (const profile::StoredCampaign& campaign : input.overview.campaigns) {
    commands.push_back(origin_command(campaign.info, input));
  }
  return commands;
}

std::string fit_command(const Timings& timings, const ReportInput& input, std::string_view leaves,
                        const std::string& model_file) {
  return fmt::format(
      "colltree fit optimal {} --system {} --collective {} --parameters leaves={} -o {}",
      shell_word(input.profile), shell_word(timings.system), name(timings.collective), leaves,
      model_file);
}

}  // namespace colltree::report
