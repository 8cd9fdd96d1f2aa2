// SPDX-License-Identifier: BSD-3-Clause
// The verdict of a tuning for a person: what is deployed, what it gains and risks, how it is loaded
// and undone.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "evaluate/answer.h"

namespace colltree::deploy {
struct Tuning;
}  // namespace colltree::deploy
namespace colltree::cli {

inline constexpr const char* kVerdictFile = "verdict.txt";  // in the folder of a tuning

struct TunedIn {
  std::string folder;
  std::string profile;   // "": profile.db in the folder
  std::string launcher;  // "": none, as when simulated
  std::string mpi;       // "": was not said
};

// The rows of the collectives that are deployed.
std::vector<evaluate::AnswerRow> deployed_answer(const deploy::Tuning& tuning);

// At most 12 lines of at most 100 columns; only a path or a launcher makes one longer. If
// nothing is deployed, the first line says why.
std::vector<std::string> verdict_lines(const TunedIn& in, const deploy::Tuning& tuning);

}  // namespace colltree::cli
