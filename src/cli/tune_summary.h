// SPDX-License-Identifier: BSD-3-Clause
// What came of a tuning, as a person reads it first, and as JSON: methods, penalties, what was
// verified, the files and how to use them.
#pragma once

#include <string>

namespace colltree {
class Json;
}  // namespace colltree
namespace colltree::deploy {
struct Tuning;
}  // namespace colltree::deploy
namespace colltree::cli {

struct TunedIn {
  std::string folder;
  std::string profile;   // "": profile.db in the folder
  std::string launcher;  // "": none, as when simulated
  std::string mpi;       // "": was not said
};

// On standard output.
// Of the models without `details` the deployed ones alone, with the columns that come first.
void print_tuning(const TunedIn& in, const deploy::Tuning& tuning, bool details);

Json tuning_json(const TunedIn& in, const deploy::Tuning& tuning);

}  // namespace colltree::cli
