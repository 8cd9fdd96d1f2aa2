// SPDX-License-Identifier: BSD-3-Clause
// `verify program` prints its result by these functions, as text, CSV and JSON.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "evaluate/program_change.h"

namespace colltree::cli {

// The share of the whole difference that settings of b make when a gets them.
struct Explained {
  std::vector<std::string> settings;
  evaluate::Estimate share;
  std::string failure = "";  // of the command with these settings; "": it ran
};

struct ProgramReport {
  std::array<std::string, 2> commands;
  evaluate::ProgramChange change;
  std::vector<Explained> steps;     // of bisecting
  std::optional<Explained> answer;  // of bisecting
};

std::string program_text(const ProgramReport& report);
std::string program_csv(const ProgramReport& report);
Json program_json(const ProgramReport& report);

}  // namespace colltree::cli
