// SPDX-License-Identifier: BSD-3-Clause
#include <nlohmann/json.hpp>

#include "base/version.h"
#include "emit/emitter.h"
#include "profile/overview.h"
#include "report/collective_data.h"
#include "report/command_lines.h"
#include "report/palette.h"

namespace colltree {

using nlohmann::json;

namespace {

constexpr std::size_t kMostListed = 200;  // cells without a time; the count is always complete

json emitters_json() {
  json all = json::array();
  for (const Emitter& emitter : emitters()) {
    all.push_back({{"target", emitter.target}, {"summary", emitter.summary}});
  }
  return all;
}

// By step: from (a fraction), text, colours on a light and on a dark page.
json penalty_steps_json() {
  const auto light = penalty_steps(Background::kLight);
  const auto dark = penalty_steps(Background::kDark);
  json steps = json::array();
  for (std::size_t i = 0; i < light.size(); ++i) {
    steps.push_back({{"from", light[i].from},
                     {"text", light[i].text},
                     {"colour", {hex(light[i].colour), hex(dark[i].colour)}}});
  }
  return steps;
}

}  // namespace

json report_data(const ReportInput& input) {
  json system = overview_json(input.overview);
  json& without_time = system["without_time"];
  const std::size_t without = without_time.size();
  if (without > kMostListed) without_time.get_ref<json::array_t&>().resize(kMostListed);
  json collectives = json::array();
  for (const Timings& timings : input.timings) {
    collectives.push_back(collective_json(timings, input));
  }
  return {{"format", "colltree report"},
          {"version", 1},
          {"colltree", kVersion},
          {"profile", shell_word(input.profile)},
          {"command", input.command},
          {"origin_commands", origin_commands(input)},
          {"emitters", emitters_json()},
          {"penalty_steps", penalty_steps_json()},
          {"cells_without_time", without},
          {"system", std::move(system)},
          {"collectives", std::move(collectives)}};
}

}  // namespace colltree
