// SPDX-License-Identifier: BSD-3-Clause
#include "emit/rules/mpich_merge.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/text.h"
#include "emit/rules/mpich_conditions.h"
#include "emit/rules/targets/mpich_json.h"

namespace colltree {

namespace {

struct Patch {
  std::size_t begin;  // bytes of the site's file: what it takes the place of
  std::size_t end;
  std::string text;
};

bool says(const Json::Member& member, std::string_view key, std::string_view value) {
  const MpichTest test = split_test(member.key);
  return test.key == key && test.comparison == "=" && test.value == value;
}

// The last of several, which counts.
const Json::Member* find_member(const Json& object, std::string_view key, std::string_view value) {
  const auto members = object.items();
  const auto found = std::find_if(members.rbegin(), members.rend(),
                                  [&](const Json::Member& one) { return says(one, key, value); });
  return found == members.rend() ? nullptr : &*found;
}

// The blanks that the line of this byte begins with.
std::string indentation_at(std::string_view text, std::size_t byte) {
  const std::size_t newline = text.substr(0, byte).rfind('\n');
  const std::size_t line = newline == std::string_view::npos ? 0 : newline + 1;
  const std::size_t word = text.find_first_not_of(" \t", line);
  return std::string(text.substr(line, std::min(word, text.size()) - line));
}

std::string indented(const Json& json, const std::string& by) {
  std::string text;
  for (const char c : json.dump_in_order(1)) {
    text += c;
    if (c == '\n') text += by;
  }
  return text;
}

Patch replace(std::string_view site, const Json& value, const Json& json) {
  return {value.place().begin, value.place().end,
          indented(json, indentation_at(site, value.place().begin))};
}

Patch patch_of(const RuleTarget& target, const CollectiveRules& rules, std::string_view site,
               const Json& root) {
  const Json own = mpich_collective(target, rules);
  const std::string_view collective = name(rules.collective);
  const Json::Member* there = find_member(root, "collective", collective);
  if (there == nullptr) {
    // Behind the last value, before whatever comment or comma stands there.
    const std::size_t last =
        root.items().empty() ? root.place().begin + 1 : root.items().back().value.place().end;
    return {last, last, fmt::format("\n \"collective={}\": {}", collective, indented(own, " "))};
  }
  const Json::Member* intra = find_member(there->value, "comm_type", "intra");
  const bool apart = intra != nullptr && find_member(there->value, "comm_type", "inter") != nullptr;
  return apart ? replace(site, intra->value, own.at("comm_type=intra"))
               : replace(site, there->value, own);
}

}  // namespace

std::string merge_mpich_json(const RuleTarget& target, const RuleSet& rules,
                             std::string_view site) {
  const Json root = Json::parse(site, JsonDialect::kJsonC);
  if (root.kind() != JsonKind::kObject)
    throw JsonError(root.line(), 1, false,
                    fmt::format("the file is {}, not an object", name(root.kind())));
  std::vector<Patch> patches;
  for (const CollectiveRules& one : rules.collectives) {
    if (!leaves_all(one)) patches.push_back(patch_of(target, one, site, root));
  }
  std::ranges::stable_sort(patches, {}, &Patch::begin);
  std::string merged;
  std::size_t taken = 0;
  bool comma = !root.items().empty();  // before what is added
  for (Patch& patch : patches) {
    merged += site.substr(taken, patch.begin - taken);
    if (patch.begin == patch.end && std::exchange(comma, true)) merged += ',';
    merged += patch.text;
    taken = patch.end;
  }
  merged += site.substr(taken);
  // MPICH maps the file and looks for its end: a file of whole pages has none.
  if (merged.size() % 4096 == 0) merged += "\n";
  return merged;
}

}  // namespace colltree
