// SPDX-License-Identifier: BSD-3-Clause
// What stands above a rules file in an installed library, in the words of its own variables: an
// algorithm that the site forces, a component that is asked before coll/tuned.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "coll/library_algorithms.h"
#include "measure/job.h"
#include "measure/report_line.h"
#include "timings/timings.h"

namespace colltree::deploy {

// How LibraryVariable::trouble begins where the library has not taken the value.
inline constexpr std::string_view kRefused = "is refused";

using LibraryVariables = std::vector<measure::LibraryVariable>;

// What a job of a plan for witnesses (Plan::source) said.
struct WitnessJob {
  std::vector<measure::Witnessed> calls;
  LibraryVariables variables;
  std::vector<std::string> errors;  // the lines of its standard error
};
// Why such a job failed, as "the witness job ended with exit code 52: ...".
class WitnessDied : public Error {
 public:
  using Error::Error;
};
// `beside`, `settings`: as JobStarter::run has them. Throws WitnessDied when the job fails. An
// MPICH whose messages inside a node are hidden in shared memory is asked again as if each rank had
// a node of its own, which is said and stays in `settings`.
WitnessJob run_witness_job(const measure::JobStarter& starter, const measure::Plan& plan,
                           const std::string& beside, std::vector<std::string>& settings);

const measure::LibraryVariable* find_variable(const LibraryVariables& variables,
                                              std::string_view name);

// "coll_tuned_bcast_algorithm = 3 (pipeline), set by the environment"; behind that why it is in
// vain.
std::string variable_text(Library library, Collective collective,
                          const measure::LibraryVariable& variable);

// The variable that forces an algorithm of the collective, when somebody has set it to one; else
// nullptr.
const measure::LibraryVariable* forced_algorithm(Library library, Collective collective,
                                                 const LibraryVariables& variables);

// "coll/basic carries out bcast: its priority 60 (coll_basic_priority, set by the environment) is
// above coll/tuned's 30 ..."; "" when coll/tuned does, or the component is not known.
std::string other_component(const measure::Witnessed& call, const LibraryVariables& variables);

// Everything of this kind that can make the library do something else than a rules file says in
// this call.
std::vector<std::string> overriding(Library library, const measure::Witnessed& call,
                                    const LibraryVariables& variables);

// Which component of Open MPI carries a collective out, as a campaign saw it: coll/han stands above
// coll/tuned where a communicator lies on several nodes, and what is to be tuned is who is asked.
//
// "bcast: coll/han on 4, 8 ranks, coll/tuned on 2"; nothing where coll/han is nowhere asked.
std::vector<std::string> who_decides(const std::vector<Timings>& timings);

}  // namespace colltree::deploy
