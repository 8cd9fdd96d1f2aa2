// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/waiting.h"

#include <algorithm>
#include <bit>

#include "algorithms/collective_call.h"
#include "algorithms/types.h"
#include "runtime/communicator.h"
#include "runtime/messages.h"
#include "runtime/record.h"

namespace colltree::runtime {

namespace {

// A rank's part of an exchange, and that of all ranks together.
struct Arrival {
  double last_ns;  // by the shared clock
  double late_rank;
  double least_ns;  // of the ranks' times in the call
  double time_ns;   // sums over the ranks of their Sampling
  double cost_ns;
};

constexpr int kDoubles = sizeof(Arrival) / sizeof(double);
constexpr double kNever = -1e300;  // the arrival of a rank for which nobody waits

MPI_Op fold_op = MPI_OP_NULL;
MPI_Datatype arrival_type = MPI_DATATYPE_NULL;

void fold(void* in, void* in_out, int* count, MPI_Datatype*) {
  const auto* more = static_cast<const Arrival*>(in);
  auto* sum = static_cast<Arrival*>(in_out);
  for (int i = 0; i < *count; ++i) {
    if (more[i].last_ns > sum[i].last_ns) {
      sum[i].last_ns = more[i].last_ns;
      sum[i].late_rank = more[i].late_rank;
    }
    sum[i].least_ns = std::min(sum[i].least_ns, more[i].least_ns);
    sum[i].time_ns += more[i].time_ns;
    sum[i].cost_ns += more[i].cost_ns;
  }
}

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
    const double shared = on.clock.shared(now());
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
    const ClockLine before = line;
    COLLTREE_TRY(ask_time(on, on.layout.rank(node - step, 0), &line.offset, &line.local));
    const double apart = line.local - before.local;
    line.slope = before.first < 0 || apart <= 0 ? 0 : (line.offset - before.offset) / apart;
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
    return PMPI_Recv(&line, 3, MPI_DOUBLE, there(0), context.tag, context.comm, MPI_STATUS_IGNORE);
  COLLTREE_TRY(ask_along_tree(on, node));
  for (int i = 1; i < on.layout.ranks_on(node); ++i)
    COLLTREE_TRY(PMPI_Send(&line, 3, MPI_DOUBLE, there(i), context.tag, context.comm));
  return MPI_SUCCESS;
}

// Estimates are apart as long as the first is ago, so that a line through two of them holds until
// the next.
bool is_clock_due(const Communicator& on) {
  constexpr double kLeast_ns = 1e9;
  constexpr double kMost_ns = 10e9;
  const ClockLine& line = on.clock;
  if (on.layout.nodes() < 2 || line.first < 0) return on.layout.nodes() >= 2;
  return line.sampled - line.newest > std::clamp(line.newest - line.first, kLeast_ns, kMost_ns);
}

// The calls until the next sample: 2^k in the mean, not always as many, lest the calls of a loop
// fall in step with them. `joint.cost_ns` is without the newest exchange.
std::uint64_t calls_to_next(const Sampling& sampling, const Arrival& joint) {
  constexpr double kShare = 0.01;
  constexpr double kMost = 1 << 30;
  constexpr std::uint64_t kFirst = 5;  // samples that are taken as calls double, whatever they cost
  const auto calls = static_cast<double>(sampling.calls);
  const auto before = static_cast<double>(std::max<std::uint64_t>(sampling.samples - 1, 1));
  const double cost_ns = joint.cost_ns + 2 * joint.cost_ns / before;
  const double affording = cost_ns / kShare / std::max(joint.time_ns / calls, 1.0);
  const auto gap =
      std::bit_ceil(static_cast<std::uint64_t>(std::clamp(affording - calls, 1.0, kMost)));
  if (sampling.samples <= kFirst) return std::min(gap, sampling.calls);
  if (gap == 1) return 1;
  return 1 + (sampling.calls * 0x9E3779B97F4A7C15U >> 33) % (2 * gap - 1);
}

// In a broadcast or scatter ranks wait for the root alone.
bool is_waited_for(const algorithms::CollectiveCall& call, int rank) {
  const bool from_root =
      call.collective == Collective::kBcast || call.collective == Collective::kScatter;
  return !from_root || call.root == rank;
}

// Collective. An MPI error code.
int exchange(Communicator& on, Arrival mine, double begin, Arrival* joint) {
  const bool is_due = is_clock_due(on);
  if (is_due) COLLTREE_TRY(synchronise(on));
  ClockLine& line = on.clock;
  if (mine.last_ns != kNever) mine.last_ns = line.shared(begin);
  COLLTREE_TRY(PMPI_Allreduce(&mine, joint, 1, arrival_type, fold_op, on.among_these()));
  line.sampled = joint->last_ns;
  if (is_due) line.newest = line.sampled;
  if (line.first < 0) line.first = line.sampled;
  return MPI_SUCCESS;
}

}  // namespace

int begin_waiting() noexcept {
  if (is_fault_tolerant()) return MPI_SUCCESS;
  COLLTREE_TRY(PMPI_Type_contiguous(kDoubles, MPI_DOUBLE, &arrival_type));
  COLLTREE_TRY(PMPI_Type_commit(&arrival_type));
  return PMPI_Op_create(fold, 1, &fold_op);
}

void end_waiting() noexcept {
  if (arrival_type != MPI_DATATYPE_NULL) PMPI_Type_free(&arrival_type);
  if (fold_op != MPI_OP_NULL) PMPI_Op_free(&fold_op);
}

Waited find_waiting(const algorithms::CollectiveCall& call, Communicator& on, int world_rank,
                    std::uint64_t begin_ns, std::uint64_t end_ns) noexcept {
  Sampling& sampling = on.sampling[static_cast<std::size_t>(call.collective)];
  sampling.time_ns += end_ns - begin_ns;
  if (++sampling.calls != sampling.next || fold_op == MPI_OP_NULL || !open_own(on)) return {};
  const auto begin = static_cast<double>(begin_ns);
  const double took = static_cast<double>(end_ns) - begin;
  const Arrival mine = {
      is_waited_for(call, on.rank) ? begin : kNever, static_cast<double>(world_rank), took,
      static_cast<double>(sampling.time_ns), static_cast<double>(sampling.cost_ns)};
  Arrival joint = {};
  if (exchange(on, mine, begin, &joint) != MPI_SUCCESS) return {};
  ++sampling.samples;
  Waited waited = {sampling.calls - sampling.newest, 0, static_cast<int>(joint.late_rank)};
  // Nobody does the work in less time than the rank that took the least.
  const double behind = joint.last_ns - on.clock.shared(begin);
  waited.waiting_ns = static_cast<std::uint64_t>(std::clamp(behind, 0.0, took - joint.least_ns));
  sampling.newest = sampling.calls;
  sampling.next = sampling.calls + calls_to_next(sampling, joint);
  sampling.cost_ns += Recorder::now_ns() - end_ns;
  return waited;
}

}  // namespace colltree::runtime
