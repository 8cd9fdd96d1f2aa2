// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/perform.h"

#include <array>
#include <bit>
#include <climits>
#include <cstdio>
#include <memory>
#include <new>

#include "algorithms/types.h"
#include "runtime/communicator.h"
#include "runtime/job.h"
#include "runtime/legal.h"
#include "runtime/messages.h"
#include "runtime/passed.h"
#include "runtime/record.h"
#include "runtime/settings.h"

namespace colltree::runtime {

namespace {

// The fields by which a rank describes its call. Every field must be equal on all ranks.
enum Field : std::uint8_t { kCollective, kBytes, kRoot, kCount, kCounts, kCommutes, kMethod };
using Fields = std::array<std::uint64_t, 7>;

std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
  return (hash ^ value) * 0x9E3779B97F4A7C15U + 1;
}

// Counts that MPI wants equal everywhere, in bytes.
std::uint64_t counts_of(const algorithms::CollectiveCall& call, const Communicator& on) {
  const bool same =
      call.collective == Collective::kAllgatherv || call.collective == Collective::kReduceScatter;
  std::size_t bytes = 0;
  if (!same || algorithms::message_bytes(1, call.receive_type, &bytes) != MPI_SUCCESS) return 0;
  std::uint64_t hash = 0;
  for (int i = 0; i < on.size; ++i)
    hash = mix(hash, bytes * static_cast<std::uint64_t>(call.receive_counts[i]));
  return hash;
}

Fields tell(const algorithms::CollectiveCall& call, const Communicator& on,
            const algorithms::CallFacts& facts, const Choice& choice) {
  Fields sent{};
  sent[kCollective] = static_cast<std::uint64_t>(call.collective);
  sent[kBytes] = facts.message_size;
  sent[kRoot] = static_cast<std::uint64_t>(call.root);
  sent[kCount] = call.op == MPI_OP_NULL ? 0 : static_cast<std::uint64_t>(call.receive_count);
  sent[kCounts] = counts_of(call, on);
  sent[kCommutes] = facts.commutative ? 1 : 0;
  sent[kMethod] = choice.number;
  return sent;
}

// "bcast of 800 B, root 0, binomial/8192"; without a segment size where the library decides it.
void describe(const Fields& sent, char* text, std::size_t size) {
  const colltree_chosen_method method =
      job->chooser.name_of(static_cast<std::uint16_t>(sent[kMethod]));
  char segment[24] = "";
  if (method.has_segment_size != 0)
    std::snprintf(segment, sizeof segment, "/%llu",
                  static_cast<unsigned long long>(method.segment_size));
  std::snprintf(
      text, size, "%s of %llu B, root %llu, count %llu, counts %04llx, %s, %s%s",
      name(static_cast<Collective>(sent[kCollective])).data(),
      static_cast<unsigned long long>(sent[kBytes]), static_cast<unsigned long long>(sent[kRoot]),
      static_cast<unsigned long long>(sent[kCount]),
      static_cast<unsigned long long>(sent[kCounts] & 0xFFFF),
      sent[kCommutes] != 0 ? "commutative" : "not commutative", method.algorithm, segment);
}

// Finds a rank whose message to this rank has another length than this rank expects.
int first_wrong_pair(const algorithms::CollectiveCall& call, const Communicator& on, int* wrong) {
  *wrong = -1;
  if (call.collective != Collective::kAlltoallv) return MPI_SUCCESS;
  const auto size = static_cast<std::size_t>(on.size);
  const std::unique_ptr<std::uint64_t[]> sent(new (std::nothrow) std::uint64_t[2 * size]);
  if (sent == nullptr) return MPI_ERR_NO_MEM;
  const bool in_place = call.send == MPI_IN_PLACE;
  std::size_t out = 0;
  std::size_t in = 0;
  COLLTREE_TRY(algorithms::message_bytes(1, call.receive_type, &in));
  COLLTREE_TRY(algorithms::message_bytes(1, in_place ? call.receive_type : call.send_type, &out));
  const int* counts = in_place ? call.receive_counts : call.send_counts;
  for (std::size_t i = 0; i < size; ++i) sent[i] = out * static_cast<std::uint64_t>(counts[i]);
  std::uint64_t* got = sent.get() + size;
  COLLTREE_TRY(PMPI_Alltoall(sent.get(), 1, MPI_UINT64_T, got, 1, MPI_UINT64_T, on.among_these()));
  for (int i = 0; i < on.size && *wrong < 0; ++i) {
    if (got[i] != in * static_cast<std::uint64_t>(call.receive_counts[i])) *wrong = i;
  }
  return MPI_SUCCESS;
}

int compare(const algorithms::CollectiveCall& call, const Communicator& on, const Fields& mine,
            bool* equal) {
  const auto size = static_cast<std::size_t>(on.size);
  const std::unique_ptr<Fields[]> gathered(new (std::nothrow) Fields[size]);
  if (gathered == nullptr) return MPI_ERR_NO_MEM;
  const int fields = static_cast<int>(mine.size());
  COLLTREE_TRY(PMPI_Allgather(mine.data(), fields, MPI_UINT64_T, gathered.get(), fields,
                              MPI_UINT64_T, on.among_these()));
  int differing = 0;
  while (differing < on.size && gathered[differing] == gathered[0]) ++differing;
  *equal = differing == on.size;
  if (!*equal && on.rank == 0) {
    char first[256];
    char second[256];
    describe(gathered[0], first, sizeof first);
    describe(gathered[differing], second, sizeof second);
    say("check: call %llu on this communicator of %d ranks differs: rank 0: %s; rank %d: %s",
        static_cast<unsigned long long>(on.calls), on.size, first, differing, second);
  }
  // Only when all make the same call do all come to the next exchange.
  if (!*equal) return MPI_SUCCESS;
  int wrong = -1;
  COLLTREE_TRY(first_wrong_pair(call, on, &wrong));
  if (wrong >= 0) {
    say("check: call %llu on this communicator of %d ranks: alltoallv: rank %d expects another "
        "number of bytes of rank %d than that sends",
        static_cast<unsigned long long>(on.calls), on.size, on.rank, wrong);
  }
  return MPI_SUCCESS;
}

// COLLTREE_CHECK: do all ranks make the same call and choose the same method? Collective. False on
// every rank when two ranks differ, which the communicator's rank 0 says in one line.
bool agree(const algorithms::CollectiveCall& call, Communicator& on,
           const algorithms::CallFacts& facts, const Choice& choice) {
  ++on.calls;
  bool equal = true;
  // Without communicator or memory nothing can be compared.
  if (!open_own(on) || compare(call, on, tell(call, on, facts, choice), &equal) != MPI_SUCCESS)
    return true;
  return equal;
}

colltree_instance instance_of(const Communicator& on, std::uint64_t message_size) {
  return {static_cast<std::uint64_t>(on.size), message_size, on.nodes(), on.ranks_per_node()};
}

Choice choose_without_size(Communicator& on) {
  if (!on.has_sizeless) {
    on.sizeless = job->chooser.choose_for_every_size(Collective::kAlltoallv, instance_of(on, 0));
    on.has_sizeless = true;
  }
  return on.sizeless;
}

// Chooses by values that all ranks of a correct call share.
Choice choose(const algorithms::CollectiveCall& call, Communicator& on,
              const algorithms::CallFacts& facts) {
  if (on.kind == Kind::kOneRank) return {nullptr, kLibrary, Why::kOneRank};
  if (call.collective == Collective::kAlltoallv) return choose_without_size(on);
  if (facts.message_size == 0 && call.collective != Collective::kBarrier)
    return {nullptr, kLibrary, Why::kNoData};
  return job->chooser.choose(call.collective, instance_of(on, facts.message_size));
}

KnownCalls& known_calls(const algorithms::CollectiveCall& call, Communicator& on) {
  return on.known[static_cast<std::size_t>(call.collective)];
}

bool is_watched() { return job->recorder != nullptr || job->settings.check; }

// Makes the next such call go to the library at once.
void remember_left(const algorithms::CollectiveCall& call, Communicator& on, Why why) {
  KnownCalls& known = known_calls(call, on);
  if (call.collective == Collective::kBarrier || call.collective == Collective::kAlltoallv ||
      why == Why::kDeviceMemory)
    known = {.has_every = true};
  else if (algorithms::common_size(call.receive_type) != 0)
    known = {.count = call.receive_count, .type = call.receive_type};
}

// Makes the next such call run this row at once. Of its facts and its arguments those that are not
// remembered must be no others then, or be what is_surely_legal() looks at.
void remember_row(const algorithms::CollectiveCall& call, Communicator& on,
                  const algorithms::Algorithm& row, const algorithms::Context& context) {
  const bool is_common = algorithms::common_size(call.receive_type) != 0 &&
                         (call.op == MPI_OP_NULL || algorithms::is_common(call.op));
  if (call.collective == Collective::kBarrier ||
      (is_common && call.send_type == MPI_DATATYPE_NULL && call.receive_counts == nullptr))
    known_calls(call, on) = {.count = call.receive_count,
                             .type = call.receive_type,
                             .row = &row,
                             .op = call.op,
                             .context = context};
}

int end_row(Communicator& on, int rc) {
  if (rc == MPI_SUCCESS) return rc;
  on.is_broken = true;
  // An error of ours is one of the user's communicator, by its own handler.
  const int error = explain_failure(on.comm, on.private_comm, rc);
  const int handled = PMPI_Comm_call_errhandler(on.comm, error);
  return handled == MPI_SUCCESS ? error : handled;
}

int carry_out(const algorithms::CollectiveCall& call, Communicator& on,
              const algorithms::CallFacts& facts, const Choice& choice) {
  if (choice.method == nullptr) {
    if (!is_watched() && choice.why != Why::kNotPossible) remember_left(call, on, choice.why);
    return algorithms::call_library(call, on.comm);
  }
  algorithms::Context context = on.context();
  const algorithms::Algorithm& row = algorithms::prepare(*choice.method, facts, &context);
  if (!is_watched()) remember_row(call, on, row, context);
  return end_row(on, algorithms::run_row(row, call, context));
}

// Each rank knows only what it sends itself: the mean, coarse enough to be the same on most.
std::uint64_t mean_block(const algorithms::CollectiveCall& call, int size) {
  const bool in_place = call.send == MPI_IN_PLACE;
  const int* counts = in_place ? call.receive_counts : call.send_counts;
  std::size_t bytes = 0;
  if (algorithms::message_bytes(1, in_place ? call.receive_type : call.send_type, &bytes) !=
      MPI_SUCCESS)
    return 0;
  std::uint64_t total = 0;
  for (int i = 0; i < size; ++i) total += bytes * static_cast<std::uint64_t>(counts[i]);
  return std::bit_floor(total / static_cast<std::uint64_t>(size));
}

int carry_out_and_record(const algorithms::CollectiveCall& call, Communicator& on,
                         const algorithms::CallFacts& facts, Choice choice,
                         std::uint64_t begin_ns) {
  if (choice.method != nullptr &&
      &algorithms::effective_algorithm(*choice.method, facts, on.context()) !=
          choice.method->algorithm)
    choice.why = Why::kFallback;
  const int rc = carry_out(call, on, facts, choice);
  const std::uint64_t end_ns = Recorder::now_ns();
  RecordRow row = row_of(function_of(call.collective), on.comm, choice.why);
  row.key.method = choice.number;
  row.key.message_size =
      call.collective == Collective::kAlltoallv ? mean_block(call, on.size) : facts.message_size;
  count(row, end_ns - begin_ns);
  note_times(row.key, on.comm, call.root, begin_ns, end_ns);
  return rc;
}

// Why MPI alone knows the communicator, which may be none.
Why why_left_alone(const Communicator* on, MPI_Comm comm) {
  if (on == nullptr) return Why::kArguments;
  int inter = 0;
  const int rc = PMPI_Comm_test_inter(comm, &inter);
  return rc == MPI_SUCCESS && inter != 0 ? Why::kIntercommunicator : Why::kOtherRanks;
}

int pass_on(const algorithms::CollectiveCall& call, MPI_Comm comm, Why why) {
  return pass_on(function_of(call.collective), comm, why, call.root,
                 [&] { return algorithms::call_library(call, comm); });
}

// Finds what all ranks know about a call that MPI can carry out; false if it cannot.
bool find_facts(const algorithms::CollectiveCall& call, const Communicator& on,
                algorithms::CallFacts* facts) {
  return is_sizeable(call, on) && algorithms::look_at(call, on.rank, on.size, facts) == MPI_SUCCESS;
}

// False: is_sizeable() and is_legal() must judge a call that is known.
bool is_surely_legal(const algorithms::CollectiveCall& call, const Communicator& on) {
  if (call.collective == Collective::kBarrier) return true;
  const auto is_place = [](const void* buffer) {
    return buffer != nullptr && buffer != MPI_IN_PLACE;
  };
  const bool receives = call.collective != Collective::kReduce || on.rank == call.root;
  const bool sends = call.op != MPI_OP_NULL && !(receives && call.send == MPI_IN_PLACE);
  return call.root >= 0 && call.root < on.size && (!receives || is_place(call.receive)) &&
         (!sends || (is_place(call.send) && (!receives || call.send != call.receive)));
}

}  // namespace

bool is_decided_without_size(Communicator& on) noexcept {
  return choose_without_size(on).method != nullptr;
}

bool has_small_message(const algorithms::CollectiveCall& call, MPI_Comm comm) noexcept {
  const Communicator* on = communicator_of(comm);
  algorithms::CallFacts facts;
  return on != nullptr && on->kind != Kind::kLeftAlone && find_facts(call, *on, &facts) &&
         facts.message_size <= INT_MAX;
}

int perform(const algorithms::CollectiveCall& call, MPI_Comm comm) noexcept {
  Communicator* on = communicator_of(comm);
  algorithms::CallFacts facts;
  const bool is_alone = on == nullptr || on->kind == Kind::kLeftAlone;
  if (!is_watched() &&
      (is_alone || on->kind == Kind::kOneRank || !job->chooser.may_choose(call.collective))) {
    if (on != nullptr) known_calls(call, *on) = {.has_every = true};
    return algorithms::call_library(call, comm);
  }
  if (is_alone) return pass_on(call, comm, why_left_alone(on, comm));
  const std::uint64_t begin_ns = job->recorder == nullptr ? 0 : Recorder::now_ns();
  // MPI judges the arguments. Other ranks may have made the call with right ones, and count it.
  if (!find_facts(call, *on, &facts)) return pass_on(call, comm, Why::kArguments);
  Choice choice = choose(call, *on, facts);
  if (choice.method != nullptr && !is_legal(call, *on)) return pass_on(call, comm, Why::kArguments);
  if (choice.method != nullptr && !open_own(*on)) choice = {nullptr, kLibrary, Why::kNotPossible};
  // Ranks that differ may be in different calls, so they ask each other nothing more. They may
  // count their calls otherwise from now on, so no call is sampled.
  if (job->settings.check && on->kind == Kind::kDecided && !agree(call, *on, facts, choice)) {
    choice = {nullptr, kLibrary, Why::kDisagreement};
    on->samples.next = 0;
  }
  if (choice.method != nullptr && has_devices(*on))
    choice = {nullptr, kLibrary, Why::kDeviceMemory};
  if (job->recorder != nullptr) return carry_out_and_record(call, *on, facts, choice, begin_ns);
  return carry_out(call, *on, facts, choice);
}

int perform_known(const algorithms::CollectiveCall& call, Communicator& on,
                  const KnownCalls& known) noexcept {
  if (on.is_dying || !is_surely_legal(call, on) || has_devices(on)) return perform(call, on.comm);
  return end_row(on, known.row->code(call, known.context));
}

}  // namespace colltree::runtime
