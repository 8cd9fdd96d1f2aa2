// SPDX-License-Identifier: BSD-3-Clause
// `verify program` prints its result by these functions, as text, CSV and JSON.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "evaluate/program_change.h"

namespace colltree::cli {

// The share of the whole difference that settings of b make when a gets them.
struct Explained {
  std::vector<std::string> settings;
  double share = 1;
  Interval interval{1, 1};
  std::string failure;  // of the command with these settings; "": it ran
};

struct ProgramReport {
  std::array<std::string, 2> commands;
  std::size_t pairs = 0;
  std::optional<evaluate::ProgramChange> change;
  std::vector<Explained> steps;     // of bisecting
  std::optional<Explained> answer;  // of bisecting
};

std::string program_text(const ProgramReport& report);
std::string program_csv(const ProgramReport& report);
std::string program_json(const ProgramReport& report);

}  // namespace colltree::cli
