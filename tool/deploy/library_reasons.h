// SPDX-License-Identifier: BSD-3-Clause
// Settings of an installed library that stand above a rules file, in the words of its variables: an
// algorithm that the site forces, a component that is asked before coll/tuned.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "coll/library_algorithms.h"
#include "measure/job.h"
#include "protocol/report_line.h"
#include "timings/timings.h"

namespace colltree::deploy {

// How LibraryVariable::trouble begins where the library has not taken the value.
inline constexpr std::string_view kRefused = "is refused";

using LibraryVariables = std::vector<protocol::LibraryVariable>;

// The answers of a job that ran a plan for witnesses (Plan::source).
struct WitnessJob {
  std::vector<protocol::Witnessed> calls;
  LibraryVariables variables;
  std::vector<std::string> errors;  // the lines of its standard error
  std::vector<std::string> said;    // what the library printed beside the answers
};
// Says why such a job failed, as "the witness job ended with exit code 52: ...".
class WitnessDied : public Error {
 public:
  using Error::Error;
};
// `beside` and `settings` are those of JobStarter::run. Throws WitnessDied when the job fails. An
// MPICH whose messages inside a node are hidden in shared memory is asked again as if each rank had
// a node to itself; a line tells this, and the setting stays in `settings`.
WitnessJob run_witness_job(const measure::JobStarter& starter, const protocol::Plan& plan,
                           const std::string& beside, std::vector<std::string>& settings);

const protocol::LibraryVariable* find_variable(const LibraryVariables& variables,
                                               std::string_view name);

// "coll_tuned_bcast_algorithm = 3 (pipeline), set by the environment", and why it is in vain.
std::string variable_text(Library library, Collective collective,
                          const protocol::LibraryVariable& variable);

// The variable that forces an algorithm of the collective; nullptr where nobody has set it.
const protocol::LibraryVariable* forced_algorithm(Library library, Collective collective,
                                                  const LibraryVariables& variables);

// "coll/basic carries out bcast: its priority 60 (coll_basic_priority, set by the environment) is
// above coll/tuned's 30 ..."; "" when coll/tuned does, or the component is not known.
std::string other_component(const protocol::Witnessed& call, const LibraryVariables& variables);

// True if the variable is one of the call's collective, or one of all collectives.
bool concerns(const protocol::Witnessed& call, std::string_view variable);

// Open MPI's coll/han hands the parts of a call to other components: "coll/han's levels: between
// nodes coll/libnbc (coll_han_bcast_up_module = 0), ...". `settings`: JobStarter::settings.
std::string han_levels(Collective collective, const std::map<std::string, int>& settings);

// A line for each setting that can make the library disobey a rules file in this call.
std::vector<std::string> overriding(Library library, const protocol::Witnessed& call,
                                    const LibraryVariables& variables);

// Open MPI asks coll/han before coll/tuned where a communicator lies on several nodes, and only the
// component that is asked can be tuned. Returns what a campaign saw of it, a line a collective:
// "bcast: coll/han on 4, 8 ranks, coll/tuned on 2"; nothing where coll/han is nowhere asked.
std::vector<std::string> who_decides(const std::vector<Timings>& timings);

}  // namespace colltree::deploy
