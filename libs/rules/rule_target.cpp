// SPDX-License-Identifier: BSD-3-Clause
#include "rules/rule_target.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <set>
#include <system_error>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "rules/rule_set.h"
#include "rules/targets.h"

namespace colltree::rules {

std::span<const std::reference_wrapper<const RuleTarget>> rule_targets() {
  static const RuleTargets kFormats[] = {
#define COLLTREE_RULE_TARGETS(format) targets::format(),
#include "rules/targets.def"
#undef COLLTREE_RULE_TARGETS
  };
  static const std::vector<std::reference_wrapper<const RuleTarget>> kTargets = [] {
    std::vector<std::reference_wrapper<const RuleTarget>> targets;
    for (const RuleTargets& format : kFormats)
      for (const auto& target : format) targets.emplace_back(*target);
    return targets;
  }();
  return kTargets;
}

const RuleTarget& find_rule_target(std::string_view name) {
  std::vector<std::string> names;
  for (const RuleTarget& target : rule_targets()) {
    if (target.name == name) return target;
    names.emplace_back(target.name);
  }
  throw UsageError(
      fmt::format("unknown format of rules '{}'{}", name, meant_or_known(name, names)));
}

const RuleTarget& rule_target_of(std::string_view mpi) {
  const std::size_t dash = std::min(mpi.find('-'), mpi.size());
  const std::string_view library = mpi.substr(0, dash);
  const auto version = version_numbers(mpi.substr(std::min(dash + 1, mpi.size())));
  const RuleTarget* found = nullptr;
  for (const RuleTarget& target : rule_targets()) {
    if (target.library && colltree::name(*target.library) == library &&
        version_numbers(target.versions.first) <= version)
      found = &target;
  }
  if (found == nullptr || library.size() == mpi.size())
    throw Error(
        fmt::format("{}: no format of rules is known for it (Open MPI from 4.1, MPICH from 4.0, "
                    "Intel MPI)",
                    mpi));
  if (is_newer(found->versions, mpi.substr(dash + 1)))
    throw Error(fmt::format("{}: newer than the versions whose rules are known: {}", mpi,
                            text(found->versions)));
  return *found;
}

std::string companion_of(const std::string& file) { return file + ".device"; }

void keep_companion(const std::string& file, const std::string& text) {
  std::error_code none;
  if (text.empty()) {
    std::filesystem::remove(companion_of(file), none);
  } else {
    write_file(companion_of(file), text);
  }
}

std::vector<std::string> settings_to_load(const std::vector<RulesFile>& files) {
  std::vector<std::string> settings;
  for (const RulesFile& file : files) {
    const std::string path = std::filesystem::absolute(file.name).string();
    std::ranges::move(file.target->settings(path), std::back_inserter(settings));
  }
  return settings;
}

std::vector<std::string> shell_lines(const std::vector<RulesFile>& files) {
  std::vector<std::string> lines;
  for (const RulesFile& file : files) {
    if (file.target->is_script) lines.push_back(fmt::format(". {}", file.name));
  }
  if (!lines.empty()) return lines;
  for (const std::string& setting : settings_to_load(files))
    lines.push_back(fmt::format("export {}", setting));
  return lines;
}

std::vector<std::string> collectives_of(const RuleTarget& target) {
  std::vector<std::string> names;
  for (const CollectiveInfo& info : all_collectives()) {
    if (target.size_key(info.collective)) names.emplace_back(info.name);
  }
  return names;
}

std::optional<Collective> read_collective(const RuleTarget& target, std::string_view word,
                                          std::size_t line, RuleFile& file) {
  const auto found = find_collective(word);
  if (found && target.size_key(*found)) return found;
  file.error(line, fmt::format("unknown collective '{}'{}", word,
                               did_you_mean(word, collectives_of(target))));
  return std::nullopt;
}

std::uint64_t message_key(SizeKey key, const Instance& instance) {
  if (key == SizeKey::kNone) return 0;
  if (key == SizeKey::kMessage) return instance.message_size;
  std::uint64_t product = 0;
  const bool over =
      __builtin_mul_overflow(instance.message_size, instance.communicator_size, &product);
  return over ? UINT64_MAX : product;
}

std::string run_text(const RunRules& run) {
  return run.line == 0 ? "what the script leaves set" : fmt::format("line {}", run.line);
}

std::string_view name(Severity severity) {
  static constexpr std::string_view kNames[] = {"error", "unsafe", "warning"};
  return kNames[static_cast<std::size_t>(severity)];
}

RuleQuery query_of(const RuleTarget& target, const Instance& instance) {
  RuleQuery query = query_of(instance);
  const auto key = target.size_key(instance.collective);
  query.call.message_size = key ? message_key(*key, instance) : 0;
  return query;
}

const Rule* find_rule(const RuleTarget& target, const RuleSet& rules, const Instance& instance) {
  const CollectiveRules* own_choice = rules.find(instance.collective);
  return own_choice == nullptr ? nullptr : find_rule(*own_choice, query_of(target, instance));
}

Method decide(const RuleTarget& target, const RuleSet& rules, const Instance& instance) {
  const Rule* rule = find_rule(target, rules, instance);
  return rule == nullptr ? library_default() : rule->method;
}

void check_keys(const Json& object, const std::vector<std::string>& known, RuleFile& file) {
  std::set<std::string_view> seen;
  for (const Json::Member& member : object.items()) {
    if (!seen.insert(member.key).second)
      file.warn(member.line(), fmt::format("\"{}\" stands twice: the first counts", member.key));
    if (std::ranges::count(known, member.key) == 0)
      file.warn(member.line(),
                fmt::format("\"{}\" is not read{}", member.key, did_you_mean(member.key, known)));
  }
}

namespace {

// Keeps small letters and digits, so that "Open MPI 5", "openmpi-5" and "OpenMPI v5" are the same.
std::string plain(std::string_view text) {
  std::string kept;
  for (const char c : lower(text)) {
    if (c != ' ' && c != '-' && c != '\t') kept += c;
  }
  return kept;
}

}  // namespace

std::size_t RuleFile::count(Severity severity) const {
  return static_cast<std::size_t>(std::ranges::count(defects, severity, &Defect::severity));
}

const Defect* RuleFile::first_error() const {
  const auto found = std::ranges::find(defects, Severity::kError, &Defect::severity);
  return found == defects.end() ? nullptr : &*found;
}

std::string text(const KnownVersions& known) {
  std::string range = known.library;
  if (*known.first != '\0') range += fmt::format(" {}", known.first);
  if (*known.last != '\0') {
    if (std::string_view(known.last) != known.first) range += fmt::format(" to {}", known.last);
  } else if (*known.first != '\0') {
    range += " and later";
  }
  return fmt::format("{} ({})", range, known.seen);
}

std::array<int, 3> version_numbers(std::string_view text) {
  std::array<int, 3> numbers{};
  std::size_t part = 0;
  for (const std::string_view word : split(text, '.')) {
    const std::string_view digits = word.substr(0, word.find_first_not_of("0123456789"));
    if (part < numbers.size()) numbers[part++] = parse_number<int>(digits).value_or(0);
  }
  return numbers;
}

bool is_newer(const KnownVersions& known, std::string_view version) {
  if (*known.last == '\0') return false;
  const auto last = version_numbers(known.last);
  const auto asked = version_numbers(version);
  const auto parts =
      static_cast<std::ptrdiff_t>(std::ranges::count(std::string_view(known.last), '.')) + 1;
  const auto end = std::min<std::ptrdiff_t>(parts, 3);
  return std::lexicographical_compare(last.begin(), last.begin() + end, asked.begin(),
                                      asked.begin() + end);
}

StatedVersion stated_version(const KnownVersions& known, std::string_view content) {
  const std::string wanted = "for" + plain(known.library);
  std::size_t line = 0;
  for (const std::string_view written : split(content, '\n')) {
    ++line;
    if (!trim(written).starts_with('#')) continue;
    const std::string words = plain(written);
    const std::size_t position = words.find(wanted);
    if (position == std::string::npos) continue;
    std::string_view rest = std::string_view(words).substr(position + wanted.size());
    if (rest.starts_with('v')) rest.remove_prefix(1);
    std::string_view version = rest.substr(0, rest.find_first_not_of("0123456789."));
    while (version.ends_with('.')) version.remove_suffix(1);
    if (!version.empty()) return {line, std::string(version)};
  }
  return {};
}

}  // namespace colltree::rules
