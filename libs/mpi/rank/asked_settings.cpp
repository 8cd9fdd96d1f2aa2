// SPDX-License-Identifier: BSD-3-Clause
#include "rank/asked_settings.h"

#include <unistd.h>

#include <algorithm>

#include "base/text.h"
#include "coll/collective.h"

namespace colltree::rank {

namespace {

constexpr std::string_view kOpenmpi = "OMPI_MCA_";
constexpr std::string_view kMpich = "MPIR_CVAR_";
constexpr std::string_view kMpichNames[] = {kMpich, "MPICH_", "MPIR_PARAM_"};
constexpr std::string_view kTuned = "coll_tuned_";
constexpr std::string_view kByHydra = "MPIR_CVAR_CH3_INTERFACE_HOSTNAME";

// The name without the prefix that all variables of a library share.
std::string_view core_of(std::string_view variable) {
  return variable.starts_with(kMpich) ? variable.substr(kMpich.size()) : variable;
}

bool is_of_collectives(std::string_view core) {
  const std::string text = upper(core);
  return text.find("COLL") != std::string::npos ||
         std::ranges::any_of(all_collectives(), [&](const CollectiveInfo& collective) {
           return text.find(upper(collective.name)) != std::string::npos;
         });
}

// The variable's name as a setting spells it.
std::string spelled(std::string_view variable) {
  return variable.starts_with(kMpich) ? std::string(variable) : concat(kOpenmpi, variable);
}

// The variable whose name, or all of it but coll_tuned_, this one ends with, in any case.
std::string nearly_named(std::string_view name, std::span<const std::string> known) {
  const std::string wanted = upper(name);
  for (const std::string& variable : known) {
    const std::string core = upper(core_of(variable));
    if (is_of_collectives(core) && wanted.ends_with(core)) return variable;
  }
  const std::string tuned = concat(kTuned, lower(variable_of(name)));
  return std::ranges::count(known, tuned) > 0 ? tuned : "";
}

}  // namespace

std::vector<protocol::LibraryVariable> asked_in_environment(
    const std::function<bool(std::string_view name)>& takes) {
  std::vector<protocol::LibraryVariable> asked;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view setting = *entry;
    const std::size_t equals = setting.find('=');
    if (equals == std::string_view::npos || !takes(setting.substr(0, equals))) continue;
    asked.push_back({std::string(setting.substr(0, equals)),
                     std::string(setting.substr(equals + 1)), "the environment"});
  }
  return asked;
}

bool matters_to_collectives(std::string_view name) {
  constexpr std::string_view kBegins[] = {"OMPI_MCA_coll", "OMPI_MCA_pml",  "OMPI_MCA_mtl",
                                          "OMPI_MCA_btl",  "OMPI_MCA_mpi_", "MPIR_CVAR_",
                                          "MPIR_PARAM_",   "MPICH_",        "I_MPI_",
                                          "UCX_",          "UCC_",          "FI_"};
  return std::ranges::any_of(kBegins,
                             [&](std::string_view prefix) { return name.starts_with(prefix); });
}

std::vector<protocol::LibraryVariable> asked_in_file(std::string_view text, std::string_view file) {
  std::vector<protocol::LibraryVariable> asked;
  for (std::string_view line : split(text, '\n')) {
    line = trim(line.substr(0, line.find('#')));
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos) continue;
    const std::string name = concat(kOpenmpi, trim(line.substr(0, equals)));
    std::erase_if(asked, [&](const auto& before) { return before.name == name; });
    asked.push_back({name, std::string(trim(line.substr(equals + 1))), concat("the file ", file)});
  }
  return asked;
}

std::string variable_of(std::string_view name) {
  if (name.starts_with(kOpenmpi)) return std::string(name.substr(kOpenmpi.size()));
  for (const std::string_view prefix : kMpichNames) {
    if (name.starts_with(prefix)) return concat(kMpich, name.substr(prefix.size()));
  }
  return std::string(name);
}

std::string unread_text(std::string_view name, std::span<const std::string> known) {
  if (known.empty()) return "";
  const bool is_openmpi = !known.front().starts_with(kMpich);
  const std::string variable = variable_of(name);
  const bool has_prefix = variable.starts_with(kMpich) ? !is_openmpi : name.starts_with(kOpenmpi);
  if (has_prefix && std::ranges::count(known, variable) > 0) return "";
  const bool is_own = is_openmpi ? name.starts_with("OMPI_MCA_coll_") : name.starts_with(kMpich);
  std::string near = nearly_named(name, known);
  // Cray's and others' variables begin with MPICH_, too.
  if (near.empty() && has_prefix && !is_openmpi && is_of_collectives(variable))
    near = nearest(variable, known).value_or("");
  if ((!is_own && near.empty()) || name == kByHydra) return "";
  const std::optional<std::string> meant = near.empty() ? nearest(variable, known) : near;
  return concat("is read by nobody", meant ? concat("; the library reads ", spelled(*meant)) : "");
}

std::string refused_text(std::string_view value, const std::map<int, std::string>& values) {
  constexpr std::string_view kYesOrNo[] = {"t", "f",   "true", "false",   "y",
                                           "n", "yes", "no",   "enabled", "disabled"};
  const auto number = parse_number<long>(trim(value));
  std::string_view digits = trim(value);
  if (!digits.empty() && std::string_view("kKmMgG").find(digits.back()) != std::string_view::npos)
    digits.remove_suffix(1);
  if (values.empty()) return parse_number<long>(digits) ? "" : "is refused: it takes numbers";
  std::string words;
  bool is_flag = false;
  for (const auto& [code, word] : values) {
    if (number == code || lower(trim(value)) == lower(word)) return "";
    is_flag = is_flag || word == "true";
    words += concat(words.empty() ? "" : ", ", code, " ", word);
  }
  if (is_flag && (number || std::ranges::count(kYesOrNo, lower(trim(value))) > 0)) return "";
  return concat("is refused: it takes ", words);
}

}  // namespace colltree::rank
