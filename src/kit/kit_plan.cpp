// SPDX-License-Identifier: BSD-3-Clause
#include "kit/kit_plan.h"

#include <fmt/core.h>

#include "base/error.h"
#include "base/text.h"

namespace colltree {

namespace {

constexpr std::string_view kHeader = "colltree-kit-plan 1";
constexpr std::size_t kLinesBefore = 4;  // the plan

}  // namespace

std::string write_kit_plan(const KitPlan& kit) {
  return fmt::format("{}\nmade_by {}\nsilence_limit_s {}\nunknown {}\n{}", kHeader, kit.made_by,
                     format_double(kit.silence_limit_s), kit.unknown ? "yes" : "no",
                     write_plan(kit.plan));
}

KitPlan read_kit_plan(const std::string& text, const std::string& file) {
  const auto lines = split(text, '\n');
  if (lines.front() != kHeader) throw ParseError(file, 1, kHeader, lines.front());
  std::size_t number = 0;
  const auto value = [&](std::string_view key) {
    const std::string_view line = ++number < lines.size() ? lines[number] : std::string_view();
    if (!line.starts_with(key) || line.substr(key.size(), 1) != " ")
      throw ParseError(file, number + 1, key, line);
    return line.substr(key.size() + 1);
  };
  KitPlan kit;
  kit.made_by = value("made_by");
  const std::string_view limit = value("silence_limit_s");
  const auto limit_s = parse_number<double>(limit);
  if (!limit_s) throw ParseError(file, number + 1, "a number", limit);
  kit.silence_limit_s = *limit_s;
  kit.unknown = value("unknown") == "yes";
  if (lines.size() <= kLinesBefore)
    throw ParseError(file, lines.size(), "a plan", "nothing: the file is cut off");
  const std::size_t begin = static_cast<std::size_t>(lines[kLinesBefore].data() - text.data());
  kit.plan = read_plan(text.substr(begin), file);
  return kit;
}

}  // namespace colltree
