// SPDX-License-Identifier: BSD-3-Clause
// The text for people about methods and collectives. It is apart from method.cpp and
// collective.cpp, which the runtime library links, because it needs fmt and exceptions.
#include <fmt/core.h>

#include <algorithm>
#include <cctype>

#include "base/error.h"
#include "base/text.h"
#include "coll/collective.h"
#include "coll/method.h"

namespace colltree {

std::string Method::label() const {
  if (!segment_size) return name();
  std::string label;
  bool start = true;
  for (const char c : name()) {
    if (c == '_') {
      start = true;
      continue;
    }
    label += start ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
    start = false;
  }
  return label + "_" + format_bytes(*segment_size);
}

Collective parse_collective(std::string_view name) {
  if (const auto found = find_collective(name)) return *found;
  std::vector<std::string> names;
  for (const CollectiveInfo& info : all_collectives()) names.emplace_back(info.name);
  const std::string hint = did_you_mean(name, names);
  throw Error(hint.empty()
                  ? fmt::format("unknown collective '{}'; known are {}", name, join(names, ", "))
                  : fmt::format("unknown collective '{}'{}", name, hint));
}

std::vector<Collective> parse_collectives(std::string_view names) {
  std::vector<Collective> collectives;
  for (const std::string_view part : split(names, ',')) {
    const Collective collective = parse_collective(trim(part));
    if (std::ranges::find(collectives, collective) == collectives.end())
      collectives.push_back(collective);
  }
  return collectives;
}

}  // namespace colltree
