// SPDX-License-Identifier: BSD-3-Clause
// Writes whole selection files of MPICH (docs/tasks/rules.md). They hold our rules for the
// collectives that have some and MPICH's own choice for all others, because a file must hold every
// collective; merged files hold our rules inside a file that a site already has.
#include <fmt/core.h>

#include <algorithm>
#include <climits>
#include <filesystem>
#include <utility>
#include <vector>

#include "base/input.h"
#include "base/text.h"
#include "coll/library_algorithms.h"
#include "coll/library_methods.h"
#include "rules/mpich/mpich_conditions.h"
#include "rules/mpich/mpich_json.h"
#include "rules/mpich/mpich_methods.h"
#include "rules/targets.h"

namespace colltree::rules {

namespace {

std::string file_text(const Json& root) {
  std::string text = root.dump_in_order(1) + "\n";
  // MPICH maps the file and looks for its end: a file of whole pages has none.
  if (text.size() % 4096 == 0) text += "\n";
  return text;
}

struct Patch {
  std::size_t begin;  // bytes of the site's file: what it takes the place of
  std::size_t end;
  std::string text;
};

bool says(const Json::Member& member, std::string_view key, std::string_view value) {
  const MpichTest test = split_test(member.key);
  return test.key == key && test.comparison == "=" && test.value == value;
}

// Finds the last of several such members, because that one counts.
const Json::Member* find_member(const Json& object, std::string_view key, std::string_view value) {
  const auto members = object.items();
  const auto found =
      std::find_if(members.rbegin(), members.rend(),
                   [&](const Json::Member& member) { return says(member, key, value); });
  return found == members.rend() ? nullptr : &*found;
}

// Returns the blanks at the beginning of the line that holds this byte.
std::string indentation_at(std::string_view text, std::size_t byte) {
  const std::size_t line = text.substr(0, byte).rfind('\n') + 1;  // 0: there is no line before
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
  const Json our_choice = mpich_collective(target, rules);
  const std::string_view collective = name(rules.collective);
  const Json::Member* there = find_member(root, "collective", collective);
  if (there == nullptr) {
    // It goes behind the last value and before any comment or comma there.
    const std::size_t last =
        root.items().empty() ? root.place().begin + 1 : root.items().back().value.place().end;
    return {last, last,
            fmt::format("\n \"collective={}\": {}", collective, indented(our_choice, " "))};
  }
  const Json::Member* intra = find_member(there->value, "comm_type", "intra");
  const bool apart = intra != nullptr && find_member(there->value, "comm_type", "inter") != nullptr;
  return apart ? replace(site, intra->value, our_choice["comm_type=intra"])
               : replace(site, there->value, our_choice);
}

class MpichTarget final : public RuleTarget {
 public:
  explicit MpichTarget(TargetFacts facts)
      : RuleTarget((facts.library = Library::kMpich, facts.placement = PlacementAxis::kRanksPerNode,
                    facts.most_message = INT_MAX, facts.is_started = facts.merges = true,
                    facts.has_companion = true, facts)) {}
  std::optional<SizeKey> size_key(Collective collective) const override {
    return mpich_size_key(collective);
  }
  Expressed express(Collective collective, const Method& method) const override {
    if (!told_unknown(method.algorithm).empty())
      return {std::nullopt, fmt::format("{} '{}': what it needs and breaks is not known",
                                        colltree::name(collective), method.name())};
    if (is_library_default(method)) return {library_default(), ""};
    if (find_nonblocking(collective, method.algorithm) != nullptr)
      return {std::nullopt, fmt::format("{} would change the program's own nonblocking {} too",
                                        method.name(), colltree::name(collective))};
    const LibraryAlgorithm* algorithm = mpich_algorithm(*this, collective, method.algorithm);
    if (algorithm == nullptr) {
      return {std::nullopt, fmt::format("MPICH {}.{} has no {} '{}'", version / 10, version % 10,
                                        colltree::name(collective), method.name())};
    }
    check_parameters(method);
    if (method.parameters.requests != 0)
      return {std::nullopt, "a selection file cannot set the number of requests"};
    const std::uint64_t own = own_radix(*algorithm);
    const std::uint64_t radix = method.parameters.radix == own ? 0 : method.parameters.radix;
    if (radix != 0 && (algorithm->parameters & kRadix) == 0)
      return {std::nullopt, fmt::format("{} {} of {} has no radix", colltree::name(collective),
                                        algorithm->algorithm, name)};
    Method canonical{std::string(algorithm->algorithm), 0, {.radix = radix}};
    if ((algorithm->parameters & kSegmentSize) != 0)
      canonical.segment_size = method.segment_size.value_or(0);
    return {std::move(canonical), ""};
  }
  std::string write(const RuleSet& rules, const std::string&) const override {
    return file_text(with_rules(rules));
  }
  RuleFile read(std::string_view content) const override { return read_mpich_json(*this, content); }
  // The device composes some calls before they come to the file. Without a file for the device,
  // every collective with other rules than MPICH's own is taken away from it.
  std::vector<std::string> settings(const std::string& file) const override {
    const RuleFile rules = read(read_file(file));
    const RuleSet stock = mpich_rules(*this, with_rules({}));
    std::vector<std::string> settings{"MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE=" + file,
                                      "MPIR_CVAR_DEVICE_COLLECTIVES=percoll"};
    if (const std::string device = companion_of(file); std::filesystem::exists(device)) {
      settings.push_back("MPIR_CVAR_CH4_COLL_SELECTION_TUNING_JSON_FILE=" + device);
      return settings;
    }
    for (const CollectiveRules& collective_rules : rules.rules.collectives) {
      const bool same =
          std::ranges::equal(collective_rules.rules, stock.find(collective_rules.collective)->rules,
                             [](Rule a, const Rule& b) {
                               a.line = b.line;
                               return a == b;
                             });
      if (!same)
        settings.push_back(fmt::format("MPIR_CVAR_{}_DEVICE_COLLECTIVE=0",
                                       upper(colltree::name(collective_rules.collective))));
    }
    return settings;
  }
  // Puts the subtrees of these collectives into the site's file in place of its own and keeps
  // every other byte. Where the site tells intercommunicators apart, its branch for them stays too.
  // A collective that the site's file lacks is added at its end. Throws JsonError (base/json.h).
  std::string merge(const RuleSet& rules, std::string_view site) const override {
    const Json root = Json::parse(site, JsonDialect::kJsonC);
    if (root.kind() != JsonKind::kObject)
      throw JsonError(root.line(), 1, false,
                      fmt::format("the file is {}, not an object", colltree::name(root.kind())));
    std::vector<Patch> patches;
    for (const CollectiveRules& collective_rules : rules.collectives) {
      if (!leaves_all(collective_rules))
        patches.push_back(patch_of(*this, collective_rules, site, root));
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
  // Writes the file for the device where it composes collectives that have rules: the calls for
  // which a rule chooses are handed down, and all others go as without a file.
  std::string companion(const RuleSet& rules) const override {
    Json root = Json::object();
    bool any = false;
    for (const Json::Member& stock : mpich_stock(MpichLayer::kDevice).items()) {
      const Collective collective = *our_collective(stock);
      const CollectiveRules* collective_rules = rules.find(collective);
      const bool has_rules = collective_rules != nullptr && !leaves_all(*collective_rules);
      any = any || has_rules;
      root[stock.key] = stock.value;
      if (has_rules)
        root[stock.key]["comm_type=intra"] = mpich_device_intra(*this, *collective_rules);
    }
    return any ? file_text(root) : "";
  }

 private:
  static std::optional<Collective> our_collective(const Json::Member& stock) {
    return find_collective(std::string_view(stock.key).substr(kCollectiveKey.size()));
  }

  // Returns MPICH's own choices with the rules in place of those for their collectives.
  Json with_rules(const RuleSet& rules) const {
    Json root = Json::object();
    for (const Json::Member& stock : mpich_stock().items()) {
      const auto collective = our_collective(stock);
      const CollectiveRules* collective_rules = collective ? rules.find(*collective) : nullptr;
      root[stock.key] = collective_rules != nullptr && !leaves_all(*collective_rules)
                            ? mpich_collective(*this, *collective_rules)
                        : collective ? mpich_stock_of(*this, *collective)
                                     : stock.value;
    }
    return root;
  }
};

}  // namespace

RuleTargets targets::mpich() {
  return targets_with<MpichTarget>({{.name = "mpich-4.0",
                                     .summary = "selection file of MPICH 4.0, JSON",
                                     .versions = {"MPICH", "4.0", "4.0", "run: 4.0.2"},
                                     .version = 40},
                                    {.name = "mpich-4.1",
                                     .summary = "selection file of MPICH 4.1, JSON",
                                     .versions = {"MPICH", "4.1", "4.1", "run: 4.1.3"},
                                     .version = 41},
                                    {.name = "mpich-4.2",
                                     .summary = "selection file of MPICH 4.2, JSON",
                                     .versions = {"MPICH", "4.2", "4.2", "run: 4.2.1"},
                                     .version = 42},
                                    {.name = "mpich-4.3",
                                     .summary = "selection file of MPICH 4.3, JSON",
                                     .versions = {"MPICH", "4.3", "4.3", "run: 4.3.2"},
                                     .version = 43},
                                    {.name = "mpich-5.0",
                                     .summary = "selection file of MPICH 5.0, JSON",
                                     .versions = {"MPICH", "5.0", "5.0", "run: 5.0.2"},
                                     .version = 50}});
}

}  // namespace colltree::rules
