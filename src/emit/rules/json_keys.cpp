// SPDX-License-Identifier: BSD-3-Clause
#include "emit/rules/json_keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/text.h"

namespace colltree {

void check_repeated(const JsonValue& object, RuleFile& file) {
  std::set<std::string_view> seen;
  for (const JsonMember& one : object.members) {
    if (seen.insert(one.key).second) continue;
    file.error(one.line, fmt::format("\"{}\" stands twice", one.key));
  }
}

void check_keys(const JsonValue& object, const std::vector<std::string>& known, RuleFile& file) {
  check_repeated(object, file);
  for (const JsonMember& one : object.members) {
    if (std::ranges::count(known, one.key) > 0) continue;
    file.warn(one.line, fmt::format("\"{}\" is not read{}", one.key, did_you_mean(one.key, known)));
  }
}

}  // namespace colltree
