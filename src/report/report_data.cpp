// SPDX-License-Identifier: BSD-3-Clause

#include "base/json.h"
#include "base/version.h"
#include "emit/emitter.h"
#include "profile/overview.h"
#include "report/collective_data.h"
#include "report/command_lines.h"
#include "report/palette.h"

namespace colltree {

namespace {

constexpr std::size_t kMostListed = 200;  // cells without a time; the count is always complete

Json emitters_json() {
  Json all = Json::array();
  for (const Emitter& emitter : emitters()) {
    all.push_back({{"target", emitter.target}, {"summary", emitter.summary}});
  }
  return all;
}

// By step: from (a fraction), text, colours on a light and on a dark page.
Json penalty_steps_json() {
  const auto light = penalty_steps(Background::kLight);
  const auto dark = penalty_steps(Background::kDark);
  Json steps = Json::array();
  for (std::size_t i = 0; i < light.size(); ++i) {
    steps.push_back({{"from", light[i].from},
                     {"text", light[i].text},
                     {"colour", {hex(light[i].colour), hex(dark[i].colour)}}});
  }
  return steps;
}

}  // namespace

Json report_data(const ReportInput& input) {
  Json system = overview_json(input.overview);
  Json& without_time = system["without_time"];
  const std::size_t without = without_time.size();
  if (without > kMostListed) without_time.resize(kMostListed);
  Json collectives = Json::array();
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
