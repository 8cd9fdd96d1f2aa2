// SPDX-License-Identifier: BSD-3-Clause
#include "coll/library.h"

#include <unistd.h>

#include <algorithm>

#include "base/error.h"
#include "base/text.h"

namespace colltree {

namespace {

constexpr LibraryInfo kLibraries[] = {
#define COLLTREE_LIBRARY(...) {__VA_ARGS__},
#include "coll/libraries.def"
#undef COLLTREE_LIBRARY
};

bool names(std::string_view variables, std::string_view variable) {
  return std::ranges::any_of(split(variables, ' '), [&](std::string_view name) {
    if (name.ends_with('*')) return variable.starts_with(name.substr(0, name.size() - 1));
    return variable == name;
  });
}

}  // namespace

std::span<const LibraryInfo> libraries() { return kLibraries; }

const LibraryInfo& library_info(Library library) {
  return *std::ranges::find(kLibraries, library, &LibraryInfo::library);
}

Library parse_library(std::string_view text) {
  const auto* found = std::ranges::find(kLibraries, text, &LibraryInfo::name);
  if (found != std::end(kLibraries)) return found->library;
  throw UsageError(concat("unknown library '", text, "'; known are ", library_names(" and ")));
}

std::string library_names(std::string_view last) {
  std::string text;
  for (const LibraryInfo& info : kLibraries) {
    const bool is_last = &info == std::end(kLibraries) - 1;
    text += concat(text.empty() ? "" : is_last ? last : ", ", info.name);
  }
  return text;
}

std::vector<std::string> with_libraries(std::vector<std::string> first) {
  for (const LibraryInfo& info : kLibraries) first.emplace_back(info.name);
  return first;
}

const LibraryInfo* library_of_version(std::string_view said) {
  const auto* found = std::ranges::find_if(
      kLibraries, [&](const LibraryInfo& info) { return said.starts_with(info.version); });
  return found == std::end(kLibraries) ? nullptr : found;
}

const LibraryInfo* library_of_launcher(std::string_view said) {
  for (const LibraryInfo& info : kLibraries) {
    for (const std::string_view sign : split(info.launcher, '|')) {
      if (said.find(sign) != std::string_view::npos) return &info;
    }
  }
  return nullptr;
}

std::vector<std::string> rules_in_environment() {
  std::vector<std::string> found;
  for (char** one = environ; *one != nullptr; ++one) {
    const std::string_view setting = *one;
    const std::size_t equals = std::min(setting.find('='), setting.size());
    if (equals + 1 >= setting.size()) continue;  // of no value
    if (std::ranges::any_of(kLibraries, [&](const LibraryInfo& library) {
          return names(library.rules_variables, setting.substr(0, equals));
        }))
      found.emplace_back(setting);
  }
  return found;
}

}  // namespace colltree
