// SPDX-License-Identifier: BSD-3-Clause
// `explain --live` observes the installed library in one call and finds the reason by experiment. A
// witness job makes the call as the library was started, and again without the rules file, without
// a forced algorithm, without the device's collectives; what changes the answer is the reason.
// Where the job dies, it is started again with one more of its settings each time: the reason is
// the setting with which it dies. Files and variables are read only to name the reason.
#pragma once

#include <string>
#include <vector>

#include "coll/method.h"

namespace colltree::deploy {

struct LiveCall {
  Instance instance;
  std::string launcher;  // the command before the program, with {ranks}
  std::string mpi;       // flavour; "" = ask the launcher
  std::string rules;     // a rules file to load; "" = those that the library loads anyway
};

struct LiveExplanation {
  std::string mpi;                // "openmpi-4.1.4"
  std::string ran;                // "coll/tuned runs binomial"
  std::string why;                // "bcast.rules:7: ..."
  std::vector<std::string> also;  // what is set and does not matter here, and the like
};

// Throws UsageError when the call needs more than 64 MiB on a rank, Error when the job cannot run
// whatever is set, or the library shows a witness nothing.
LiveExplanation explain_live(const LiveCall& call);

}  // namespace colltree::deploy
