// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/pmpi/perform.h"

#include "algorithms/types.h"
#include "runtime/pmpi/agreement.h"
#include "runtime/pmpi/communicator.h"
#include "runtime/pmpi/device_memory.h"
#include "runtime/pmpi/fault_tolerance.h"
#include "runtime/pmpi/host_copies.h"
#include "runtime/pmpi/job.h"
#include "runtime/pmpi/legal.h"
#include "runtime/pmpi/passed.h"
#include "runtime/pmpi/record.h"

namespace colltree {

namespace {

Choice choose_without_size(Communicator& on, const colltree_instance& at) {
  if (!on.has_sizeless) {
    on.sizeless = job->chooser.choose_for_every_size(Collective::kAlltoallv, at);
    on.has_sizeless = true;
  }
  return on.sizeless;
}

// From values that all ranks of a correct call share.
Choice choose(const CollectiveCall& call, Communicator& on, const CallFacts& facts) {
  if (on.kind == Kind::kOneRank) return {nullptr, kLibrary, Why::kOneRank};
  const colltree_instance at = {static_cast<std::uint64_t>(on.size), facts.message_size, on.nodes(),
                                on.ranks_per_node()};
  if (call.collective == Collective::kAlltoallv) return choose_without_size(on, at);
  if (facts.message_size == 0 && call.collective != Collective::kBarrier)
    return {nullptr, kLibrary, Why::kNoData};
  return job->chooser.choose(call.collective, at);
}

// An error of ours is one of the user's communicator, by its own handler.
int raise(MPI_Comm comm, int error) {
  const int rc = PMPI_Comm_call_errhandler(comm, error);
  return rc == MPI_SUCCESS ? error : rc;
}

// The choice, unless the library takes these buffers better.
Choice with_devices(const CollectiveCall& call, Communicator& on, const Choice& choice,
                    HostCopies& copies) {
  if (has_device_runtime()) copies.look(call, on);
  // Ranks that COLLTREE_CHECK is yet to compare may be in different calls.
  if (!job->settings.check && is_for_devices(call.collective, on, copies.any()))
    return {nullptr, kLibrary, Why::kDeviceMemory};
  return choice;
}

int run_on_copies(const CollectiveCall& call, Communicator& on, const CallFacts& facts,
                  const Choice& choice, HostCopies* copies) {
  if (copies == nullptr || !copies->any()) return run(*choice.method, call, facts, on.context());
  int rc = copies->load();
  rc = first_error(rc, run(*choice.method, copies->call(), facts, on.context()));
  return rc == MPI_SUCCESS ? copies->store() : rc;
}

int carry_out(const CollectiveCall& call, Communicator& on, const CallFacts& facts,
              const Choice& choice, HostCopies* copies) {
  if (choice.method == nullptr) return call_library(call, on.comm);
  const int rc = run_on_copies(call, on, facts, choice, copies);
  if (rc == MPI_SUCCESS) return rc;
  on.is_broken = true;
  return raise(on.comm, explain_failure(on.comm, on.own, rc));
}

bool falls_back(const Choice& choice, const CallFacts& facts, const Communicator& on) {
  const Algorithm* asked = choice.method->algorithm;
  return &effective_algorithm(*choice.method, facts, &on.layout) != asked;
}

int watch(const CollectiveCall& call, Communicator& on, const CallFacts& facts, Choice choice,
          HostCopies* copies) {
  if (job->settings.check && on.kind == Kind::kDecided && !agree(call, on, facts, choice))
    choice = {nullptr, kLibrary, Why::kDisagreement};
  if (job->recorder == nullptr) return carry_out(call, on, facts, choice, copies);
  if (choice.method != nullptr && falls_back(choice, facts, on)) choice.why = Why::kFallback;
  if (choice.method != nullptr && copies != nullptr && copies->any())
    choice.why = Why::kDeviceMemory;
  const std::uint64_t begin_ns = Recorder::now_ns();
  const int rc = carry_out(call, on, facts, choice, copies);
  const std::uint64_t end_ns = Recorder::now_ns();
  job->recorder->add(call, on, facts, choice, end_ns - begin_ns);
  write_when_due(*job->recorder, job->chooser, end_ns);
  return rc;
}

// Why MPI alone knows the communicator, which may be none.
Why why_left_alone(const Communicator* on, MPI_Comm comm) {
  if (on == nullptr) return Why::kArguments;
  int inter = 0;
  const int rc = PMPI_Comm_test_inter(comm, &inter);
  return rc == MPI_SUCCESS && inter != 0 ? Why::kIntercommunicator : Why::kOtherRanks;
}

int pass_on(const CollectiveCall& call, MPI_Comm comm, Why why) {
  return pass_on(function_of(call.collective), comm, why, [&] { return call_library(call, comm); });
}

int perform_with(const CollectiveCall& call, Communicator& on, const CallFacts& facts,
                 const Choice& choice, HostCopies* copies, bool is_watched) {
  return is_watched ? watch(call, on, facts, choice, copies)
                    : carry_out(call, on, facts, choice, copies);
}

int perform_by_method(const CollectiveCall& call, Communicator& on, const CallFacts& facts,
                      Choice choice, bool is_watched) {
  if (!is_legal(call, on)) return pass_on(call, on.comm, Why::kArguments);
  if (!open_own(on)) choice = {nullptr, kLibrary, Why::kNotPossible};
  if (choice.method == nullptr || !job->may_have_devices)
    return perform_with(call, on, facts, choice, nullptr, is_watched);
  HostCopies copies;
  choice = with_devices(call, on, choice, copies);
  return perform_with(call, on, facts, choice, &copies, is_watched);
}

}  // namespace

int perform(const CollectiveCall& call, MPI_Comm comm) noexcept {
  Communicator* on = communicator_of(comm);
  CallFacts facts;
  const bool is_watched = job->recorder != nullptr || job->settings.check;
  const bool is_left = on == nullptr || on->kind == Kind::kLeftAlone;
  if (!is_watched &&
      (is_left || on->kind == Kind::kOneRank || !job->chooser.may_choose(call.collective)))
    return call_library(call, comm);
  if (is_left) return pass_on(call, comm, why_left_alone(on, comm));
  if (!is_sizeable(call, *on) || look_at(call, on->rank, on->size, &facts) != MPI_SUCCESS)
    return pass_on(call, comm, Why::kArguments);
  const Choice choice = choose(call, *on, facts);
  if (choice.method != nullptr) return perform_by_method(call, *on, facts, choice, is_watched);
  return perform_with(call, *on, facts, choice, nullptr, is_watched);
}

}  // namespace colltree
