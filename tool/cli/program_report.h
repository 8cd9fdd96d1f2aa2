// SPDX-License-Identifier: BSD-3-Clause
// What `verify program` found, as text, CSV and JSON.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "evaluate/program_change.h"

namespace colltree::cli {

// The share of the whole difference that these settings of b make when a gets them.
struct Explained {
  std::string settings;
  double share = 0;
  Interval interval;
  std::string failure;  // of the command with these settings; "": it ran
};

struct Bisection {
  Explained answer;
  std::size_t settings = 0;  // of the answer
  std::vector<Explained> steps;
};

struct ProgramReport {
  std::array<std::string, 2> commands;
  std::size_t pairs = 0;
  std::optional<evaluate::ProgramChange> change;
  std::optional<Bisection> bisection;
};

std::string program_text(const ProgramReport& report);
std::string program_csv(const ProgramReport& report);
std::string program_json(const ProgramReport& report);

}  // namespace colltree::cli
