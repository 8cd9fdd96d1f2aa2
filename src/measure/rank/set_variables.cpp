// SPDX-License-Identifier: BSD-3-Clause
#include "measure/rank/set_variables.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

namespace colltree {

namespace {

// mca_base_var_source_t, the same in 4.1 and 5.0.
constexpr std::array<std::string_view, 6> kSources = {
    "", "the command line", "the environment", "the file", "the program", "an override"};

std::string openmpi_source(const std::string& name) {
  using Find = int(const char*, int*);
  using GetValue = int(int, const void*, int*, const char**);
  static auto* const find =
      reinterpret_cast<Find*>(dlsym(RTLD_DEFAULT, "mca_base_var_find_by_name"));
  static auto* const get_value =
      reinterpret_cast<GetValue*>(dlsym(RTLD_DEFAULT, "mca_base_var_get_value"));
  int index = -1;
  if (find == nullptr || get_value == nullptr || find(name.c_str(), &index) != 0) return "";
  void* place = nullptr;
  int source = 0;
  const char* file = nullptr;
  if (get_value(index, &place, &source, &file) != 0) return "";
  if (source < 0 || static_cast<std::size_t>(source) >= kSources.size()) return "";
  const std::string_view word = kSources[static_cast<std::size_t>(source)];
  return file == nullptr ? std::string(word) : fmt::format("{} {}", word, file);
}

// MPICH reads a variable under three names; the last of these that is set counts.
std::optional<std::string> mpich_environment(std::string_view name) {
  constexpr std::string_view kPrefix = "MPIR_CVAR_";
  std::optional<std::string> value;
  for (const std::string_view prefix : {"MPICH_", "MPIR_PARAM_", "MPIR_CVAR_"}) {
    const std::string spelled = fmt::format("{}{}", prefix, name.substr(kPrefix.size()));
    if (const char* text = std::getenv(spelled.c_str()); text != nullptr) value = text;
  }
  return value;
}

}  // namespace

std::vector<LibraryVariable> set_variables(const ControlVariables& variables) {
  std::vector<LibraryVariable> found;
  for (const std::string& name : variables.names("coll_")) {
    const std::string source = openmpi_source(name);
    if (source.empty() && !name.ends_with("_priority")) continue;
    if (auto value = variables.read_text(name)) found.push_back({name, *std::move(value), source});
  }
  for (const std::string& name : variables.names("MPIR_CVAR_")) {
    if (const auto value = mpich_environment(name))
      found.push_back({name, *value, "the environment"});
  }
  return found;
}

}  // namespace colltree
