// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/waiting.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <new>

#include "algorithms/types.h"
#include "runtime/communicator.h"
#include "runtime/record.h"

namespace colltree::runtime {

namespace {

// A value of a rank, and of all ranks together the greatest and whose it is (MPI_DOUBLE_INT).
struct Greatest {
  double value;
  int rank;
};

constexpr double kNever = -1e300;  // the arrival of a rank for which nobody waits
constexpr std::uint32_t kMostNoted = 256;

double now() { return static_cast<double>(Recorder::now_ns()); }

constexpr int kTrials = 20;

// Asks the rank for the shared time; the shortest round trip bounds the error.
int ask_time(const Communicator& on, int rank, double* offset, double* local) {
  const algorithms::Context context = on.context();
  const int peer = context.ranks == nullptr ? rank : context.ranks[rank];
  double shortest = 0;
  for (int i = 0; i < kTrials; ++i) {
    double answered = 0;
    const double sent = now();
    COLLTREE_TRY(PMPI_Send(nullptr, 0, MPI_DOUBLE, peer, context.tag, context.comm));
    COLLTREE_TRY(
        PMPI_Recv(&answered, 1, MPI_DOUBLE, peer, context.tag, context.comm, MPI_STATUS_IGNORE));
    const double trip = now() - sent;
    if (i != 0 && trip >= shortest) continue;
    shortest = trip;
    *local = sent + trip / 2;
    *offset = answered - *local;
  }
  return MPI_SUCCESS;
}

int tell_time(const Communicator& on, int rank) {
  const algorithms::Context context = on.context();
  const int peer = context.ranks == nullptr ? rank : context.ranks[rank];
  for (int i = 0; i < kTrials; ++i) {
    COLLTREE_TRY(
        PMPI_Recv(nullptr, 0, MPI_DOUBLE, peer, context.tag, context.comm, MPI_STATUS_IGNORE));
    const double shared = now() + on.clock.offset;
    COLLTREE_TRY(PMPI_Send(&shared, 1, MPI_DOUBLE, peer, context.tag, context.comm));
  }
  return MPI_SUCCESS;
}

// A new estimate for the first rank of a node. The first of them is rank 0, whose clock is shared:
// it tells others, and these tell more, along a binomial tree.
int ask_along_tree(Communicator& on, int node) {
  const int nodes = on.layout.nodes();
  int step =
      node == 0 ? static_cast<int>(std::bit_ceil(static_cast<unsigned>(nodes))) : node & -node;
  if (node != 0) {
    ClockLine& line = on.clock;
    line.offset_before = line.offset;
    line.local_before = line.local;
    COLLTREE_TRY(ask_time(on, on.layout.rank(node - step, 0), &line.offset, &line.local));
  }
  while ((step /= 2) > 0) {
    if (node + step < nodes) COLLTREE_TRY(tell_time(on, on.layout.rank(node + step, 0)));
  }
  return MPI_SUCCESS;
}

// Collective. The ranks of a node have one clock, and get the line of the node's first rank.
int synchronise(Communicator& on) {
  const algorithms::Context context = on.context();
  const int node = on.layout.node_of(on.rank);
  const auto there = [&](int index) {
    const int rank = on.layout.rank(node, index);
    return context.ranks == nullptr ? rank : context.ranks[rank];
  };
  ClockLine& line = on.clock;
  if (on.layout.index_of(on.rank) != 0)
    return PMPI_Recv(&line, 4, MPI_DOUBLE, there(0), context.tag, context.comm, MPI_STATUS_IGNORE);
  COLLTREE_TRY(ask_along_tree(on, node));
  for (int i = 1; i < on.layout.ranks_on(node); ++i)
    COLLTREE_TRY(PMPI_Send(&line, 4, MPI_DOUBLE, there(i), context.tag, context.comm));
  return MPI_SUCCESS;
}

// The exchange after the next calls: as few of them as it may cost 1 % of their time, though it is
// made whenever the calls doubled for the first times. Up to 256 are noted, and then one of 2^k.
void plan_next(Samples& samples, double time_ns, double cost_ns) {
  constexpr double kShare = 0.01;
  constexpr double kMost = 1 << 30;
  constexpr std::uint64_t kFirst = 6;
  const auto calls = static_cast<double>(samples.calls);
  const auto before = static_cast<double>(std::max<std::uint64_t>(samples.exchanges - 1, 1));
  // The costs do not contain the exchange that has just been made, nor the next.
  const double cost = cost_ns + 2 * cost_ns / before;
  const double affording = cost / kShare / std::max(time_ns / calls, 1.0) - calls;
  auto until_next = static_cast<std::uint64_t>(std::clamp(affording, 2.0, kMost));
  if (samples.exchanges <= kFirst) until_next = std::min(until_next, samples.calls);
  samples.wanted = static_cast<std::uint32_t>(std::min<std::uint64_t>(until_next, kMostNoted));
  samples.gap = std::bit_ceil(until_next / samples.wanted);
}

// Ranks wait only for the root in these.
bool is_from_root(Operation operation) {
  return operation == Operation::kBcast || operation == Operation::kScatter ||
         operation == Operation::kScatterv;
}

// True if no rank comes back before the last has come, or in a broadcast or scatter before the
// root. In the others some ranks only send and go.
bool holds_all(Operation operation) {
  constexpr Operation kHolding[] = {Operation::kAllgather,
                                    Operation::kAllgatherv,
                                    Operation::kAllreduce,
                                    Operation::kAlltoall,
                                    Operation::kBarrier,
                                    Operation::kReduce_scatter,
                                    Operation::kReduce_scatter_block};
  return is_from_root(operation) || std::ranges::find(kHolding, operation) != std::end(kHolding);
}

// The waiting of this rank in a call to which the last rank came then. Nobody does the work in less
// time than the rank that took the least.
std::uint64_t waiting_in(const SampledCall& noted, const Communicator& on, double last_ns,
                         double least_ns) {
  const double behind = last_ns - on.clock.shared(static_cast<double>(noted.begin_ns));
  const double work = holds_all(noted.key.function.operation) ? 0 : least_ns;
  const double most = std::max(0.0, static_cast<double>(noted.took_ns) - work);
  return static_cast<std::uint64_t>(std::clamp(behind, 0.0, most));
}

}  // namespace

double ClockLine::shared(double time) const {
  const double apart = local - local_before;
  if (local_before == 0 || apart <= 0) return time + offset;
  return time + offset + (offset - offset_before) / apart * (time - local);
}

void bring_together(Communicator& on, Recorder& recorder) noexcept {
  Samples& samples = on.samples;
  if (samples.noted == 0 || samples.next == 0) return;
  const std::uint64_t begin_ns = Recorder::now_ns();
  const bool is_open = open_own(on) && (on.layout.nodes() < 2 || synchronise(on) == MPI_SUCCESS);
  Greatest arrivals[2 * kMostNoted];
  Greatest* const shortest = arrivals + samples.noted;  // negative times
  for (std::uint32_t i = 0; i < samples.noted; ++i) {
    arrivals[i] = shortest[i] = {kNever, recorder.rank()};
    if (samples.noted_calls == nullptr) continue;
    const SampledCall& noted = samples.noted_calls[i];
    if (noted.is_waited_for)
      arrivals[i].value = on.clock.shared(static_cast<double>(noted.begin_ns));
    shortest[i].value = -static_cast<double>(noted.took_ns);
  }
  double sums[] = {static_cast<double>(samples.time_ns), static_cast<double>(samples.cost_ns)};
  if (!is_open ||
      PMPI_Allreduce(MPI_IN_PLACE, arrivals, 2 * static_cast<int>(samples.noted), MPI_DOUBLE_INT,
                     MPI_MAXLOC, on.among_these()) != MPI_SUCCESS ||
      PMPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_DOUBLE, MPI_SUM, on.among_these()) != MPI_SUCCESS) {
    samples.next = 0;
    return;
  }
  for (std::uint32_t i = 0; samples.noted_calls != nullptr && i < samples.noted; ++i) {
    const SampledCall& noted = samples.noted_calls[i];
    recorder.add_sample(noted, waiting_in(noted, on, arrivals[i].value, -shortest[i].value),
                        arrivals[i].rank);
  }
  ++samples.exchanges;
  plan_next(samples, sums[0], sums[1]);
  samples.noted = 0;
  samples.noted_calls.reset(new (std::nothrow) SampledCall[samples.wanted]);
  samples.cost_ns += Recorder::now_ns() - begin_ns;
}

void note_call(Communicator& on, const SampledCall& noted, int root, Recorder& recorder) noexcept {
  Samples& samples = on.samples;
  samples.time_ns += noted.took_ns;
  if (++samples.calls != samples.next) return;
  if (samples.calls == 1) samples.noted_calls.reset(new (std::nothrow) SampledCall[samples.wanted]);
  if (samples.noted_calls != nullptr) {
    SampledCall& entry = samples.noted_calls[samples.noted];
    entry = noted;
    entry.stands_for = static_cast<std::uint32_t>(samples.calls - samples.newest);
    entry.is_waited_for = root == on.rank || !is_from_root(noted.key.function.operation);
  }
  samples.newest = samples.calls;
  if (++samples.noted == samples.wanted) bring_together(on, recorder);
  // Not always as far, lest the calls of a loop fall in step with the samples.
  if (samples.next != 0)
    samples.next += samples.gap == 1
                        ? 1
                        : 1 + (samples.calls * 0x9E3779B97F4A7C15U >> 33) % (2 * samples.gap - 1);
}

}  // namespace colltree::runtime
