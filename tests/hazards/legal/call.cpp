// SPDX-License-Identifier: BSD-3-Clause
#include "call.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <numeric>

#include "algorithms/call_layout.h"
#include "operation.h"

namespace legal {

namespace {

using colltree::Collective;
using colltree::algorithms::Block;
using colltree::algorithms::CallContents;
using colltree::algorithms::CallLayout;
using colltree::algorithms::CallSide;
using colltree::algorithms::CollectiveCall;

constexpr int kMostBytes = 1 << 18;
constexpr int kMostBlock = 1 << 16;
constexpr int kMostElements = 1 << 15;  // of reductions

bool is_one_of(Collective collective, std::initializer_list<Collective> all) {
  return std::ranges::find(all, collective) != all.end();
}
bool is_regular(Collective collective) {
  return !is_one_of(collective, {Collective::kAllgatherv, Collective::kAlltoallv,
                                 Collective::kGatherv, Collective::kScatterv});
}
bool exchanges(Collective collective) {
  return is_one_of(collective, {Collective::kAlltoall, Collective::kAlltoallv});
}
bool scatters(Collective collective) {
  return is_one_of(collective, {Collective::kScatter, Collective::kScatterv});
}
// One rank has a block for each.
bool has_blocks_at_root(Collective collective) {
  return scatters(collective) || is_one_of(collective, {Collective::kGather, Collective::kGatherv});
}
bool reduces(Collective collective) {
  return is_one_of(
      collective, {Collective::kAllreduce, Collective::kExscan, Collective::kReduce,
                   Collective::kReduceScatter, Collective::kReduceScatterBlock, Collective::kScan});
}

std::size_t index(int i) { return static_cast<std::size_t>(i); }

// How many elements; a multiple of a small number, so that there are many descriptions.
int random_count(Call& call, int most) {
  static const std::vector<int> kUnits = {1, 2, 6, 12, 24};
  if (call.may(kZero) && call.shared.one_in(3)) return 0;
  const int unit = call.shared.of(kUnits);
  // Small and large ones alike.
  int times = call.shared.between(1, 5);
  while (call.may(kLarge) && unit * times * 4 <= most && !call.shared.one_in(5)) {
    times = times * 4 + call.shared.below(3);
  }
  return std::max(1, std::min(unit * times, most));
}

// The same for a block of each rank.
std::vector<int> random_counts(Call& call, int most, bool regular) {
  const int usual = random_count(call, most);
  std::vector<int> counts(index(call.size), usual);
  if (regular || call.shared.one_in(3)) return counts;
  for (int& count : counts) {
    if (call.may(kZero) && call.shared.one_in(3)) count = 0;
    if (call.shared.one_in(2)) count = count / 2 / 6 * 6;
  }
  if (call.may(kZero)) return counts;
  for (int& count : counts) count = std::max(count, std::min(usual, 1));
  return counts;
}

// counts[from][to]; symmetric where the call is in place.
std::vector<std::vector<int>> exchange_counts(Call& call, int most, bool regular, bool symmetric) {
  std::vector<std::vector<int>> counts(index(call.size));
  const int one = random_count(call, most);
  for (std::vector<int>& row : counts) {
    row = regular ? std::vector<int>(index(call.size), one) : random_counts(call, most, false);
  }
  for (std::size_t i = 0; symmetric && i < counts.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) counts[i][j] = counts[j][i];
  }
  return counts;
}

bool random_in_place(Call& call) { return call.may(kInPlace) && !call.shared.one_in(4); }

const Element& pick_element(Call& call) {
  const auto& all = elements();  // the last is the struct
  const std::size_t end = all.size() - (call.may(kStructs) ? 0 : 1);
  return all[call.shared.next() % end];
}

// Items of one type, and how the call describes them to MPI.
struct Side {
  Type type;
  CallSide described;
};

// A block of one's own.
Side own_side(Call& call, const Element& element, int elements) {
  Description described = describe(call.own, element, elements, call.features);
  MPI_Datatype const handle = described.type.handle();
  return {std::move(described.type), {.type = handle, .count = described.count}};
}

// Blocks of different counts in one buffer, described by one type: counts and displacements in its
// items, in any order and with gaps.
Side side_of_blocks(Call& call, const Element& element, const std::vector<int>& counts,
                    bool regular) {
  const int common = std::accumulate(counts.begin(), counts.end(), 0, std::gcd<int, int>);
  const bool vary = common != 0 && call.may(kCounts | kDerived);
  const int each = vary ? random_divisor(call.own, common) : 1;
  Type type = make_type(call.own, element, each, call.features);
  CallSide described{.type = type.handle(), .count = counts[0] / each};
  if (regular) return {std::move(type), described};
  std::vector<int> order(counts.size());
  std::iota(order.begin(), order.end(), 0);
  if (call.may(kDerived | kCounts)) order = shuffled(call.own, static_cast<int>(counts.size()));
  described.counts.resize(counts.size());
  described.places.resize(counts.size());
  int next = 0;
  for (const int i : order) {
    described.counts[index(i)] = counts[index(i)] / each;
    described.places[index(i)] = next;
    next += described.counts[index(i)];
    if (call.may(kDerived)) next += call.own.below(3);
  }
  return {std::move(type), described};
}

// What the call ignores may be anything: arguments of a side that is in place, and those that only
// the root's call uses.
void replace_ignored(Call& call, CollectiveCall& made) {
  static int dummy[64] = {1, 2, 3, 4};
  static const std::vector<int> kSome = {0, 1, 3, 64, 1000, 100000};
  const std::vector<MPI_Datatype> types = {MPI_DATATYPE_NULL, MPI_BYTE, MPI_INT, MPI_DOUBLE,
                                           MPI_2INT};
  void* const buffer = call.own.one_in(2) ? nullptr : dummy;
  const int count = call.own.of(kSome);
  MPI_Datatype const type = call.own.of(types);
  const int* const list = call.own.one_in(2) ? nullptr : dummy;
  const bool elsewhere =
      has_blocks_at_root(made.collective) && call.rank != made.root && call.may(kIgnored);
  const bool sends = elsewhere && scatters(made.collective);
  const bool receives = elsewhere && !scatters(made.collective);
  if (made.send == MPI_IN_PLACE || sends) {
    made.send_count = count;
    made.send_type = type;
    if (made.send_counts != nullptr) made.send_counts = made.send_displacements = list;
  }
  if (made.receive == MPI_IN_PLACE || receives) {
    made.receive_count = count;
    made.receive_type = type;
    if (made.receive_counts != nullptr) made.receive_counts = made.receive_displacements = list;
  }
  if (sends) made.send = buffer;
  if (receives) made.receive = buffer;
}

// Fills the buffers, makes the call and looks at them. Bytes data(block, type): what it holds.
template <typename Data>
bool make_and_check(Call& call, const CallLayout& layout, const Type& send_type,
                    const Type& receive_type, MPI_Op op, Data data) {
  const CallContents all = colltree::algorithms::contents_of(layout);
  Buffer send(send_type, static_cast<int>(all.send_elements));
  // Also where nothing is received: nothing may be written there.
  Buffer receive(receive_type,
                 std::max(static_cast<int>(all.receive_elements), layout.receive.count));
  for (const Block& block : all.send) send.put(block.place, data(block, send_type));
  for (const Block& block : all.initial) receive.put(block.place, data(block, receive_type));
  for (const Block& block : all.result) receive.expect(block.place, data(block, receive_type));
  CollectiveCall made =
      colltree::algorithms::make_call(layout, send.origin(), receive.origin(), op);
  const bool is_reduce = layout.collective == Collective::kReduce;
  if (is_reduce && call.rank != layout.root && call.may(kIgnored) && call.own.one_in(2))
    made.receive = nullptr;
  if (op == MPI_OP_NULL && layout.collective != Collective::kBcast) replace_ignored(call, made);
  colltree::algorithms::call_as_program(made, call.comm);
  if (!send.right()) return false;
  // The standard does not say what exscan leaves on rank 0, nor, in place, what stands behind a
  // block that is less than what stood there.
  if (is_one_of(layout.collective, {Collective::kReduceScatter, Collective::kReduceScatterBlock}) &&
      layout.in_place) {
    return receive.holds(all.result[0].place, data(all.result[0], receive_type));
  }
  return receive.right() || (layout.collective == Collective::kExscan && call.rank == 0);
}

bool run_move(Collective collective, Call& call) {
  const bool regular = is_regular(collective);
  const Element& element = pick_element(call);
  CallLayout layout{.collective = collective, .rank = call.rank, .size = call.size};
  std::vector<int> out;  // elements of the blocks for or from each rank
  std::vector<int> in;
  int own = 0;  // those of the one block
  if (collective == Collective::kBcast) {
    own = random_count(call, kMostBytes / element.size);
  } else if (exchanges(collective)) {
    layout.in_place = random_in_place(call);
    const auto counts =
        exchange_counts(call, kMostBlock / element.size / 2, regular, layout.in_place);
    out = counts[index(call.rank)];
    for (const std::vector<int>& row : counts) in.push_back(row[index(call.rank)]);
  } else {
    in = random_counts(call, kMostBlock / element.size, regular);
    own = in[index(call.rank)];
  }
  const bool at_root = has_blocks_at_root(collective);
  if (at_root || collective == Collective::kBcast) layout.root = call.shared.below(call.size);
  if (!exchanges(collective) && collective != Collective::kBcast)
    layout.in_place = random_in_place(call) && (!at_root || call.rank == layout.root);
  const std::uint64_t key = call.shared.next();
  const Side first = exchanges(collective) ? side_of_blocks(call, element, out, regular)
                                           : own_side(call, element, own);
  const Side second = in.empty() ? Side{{MPI_DATATYPE_NULL, false, {}, 0}, {}}
                                 : side_of_blocks(call, element, in, regular);
  const bool is_first_received = scatters(collective) || collective == Collective::kBcast;
  const Side& send = is_first_received ? second : first;
  const Side& receive = is_first_received ? first : second;
  layout.send = send.described;
  layout.receive = receive.described;
  return make_and_check(call, layout, send.type, receive.type, MPI_OP_NULL,
                        [&](const Block& block, const Type& type) {
                          return data_of(key, block.from, block.to,
                                         static_cast<std::size_t>(block.count) * type.size());
                        });
}

bool run_reduction(Collective collective, Call& call) {
  CallLayout layout{.collective = collective, .rank = call.rank, .size = call.size};
  const bool parts = collective == Collective::kReduceScatter;
  const bool shared = parts || collective == Collective::kReduceScatterBlock;
  const int most = shared ? kMostElements / call.size : kMostElements;
  layout.receive.count = random_count(call, most);
  if (parts) {
    layout.receive.count = 0;
    layout.receive.counts = random_counts(call, most, false);
  }
  if (collective == Collective::kReduce) layout.root = call.shared.below(call.size);
  const Operation operation(call);
  layout.receive.type = operation.type().handle();
  const std::uint64_t key = call.shared.next();
  layout.in_place =
      random_in_place(call) && (collective != Collective::kReduce || call.rank == layout.root);
  return make_and_check(call, layout, operation.type(), operation.type(), operation.op(),
                        [&](const Block& block, const Type&) {
                          return operation.combined(key, block.from, block.ranks,
                                                    static_cast<std::size_t>(block.first),
                                                    static_cast<std::size_t>(block.count));
                        });
}

constexpr std::size_t kCounters = 1 << 20;
std::atomic<int>* counters = nullptr;

bool run_barrier(Call& call) {
  const std::size_t slot = call.shared.next() % kCounters;
  if (call.own.one_in(4)) usleep(static_cast<unsigned>(call.own.below(2000)));
  if (counters == nullptr) return MPI_Barrier(call.comm) == MPI_SUCCESS;
  const int before = counters[slot].load();  // of another call that met this slot, or of this one
  counters[slot].fetch_add(1);
  MPI_Barrier(call.comm);
  return before >= call.size || counters[slot].load() >= call.size;
}

}  // namespace

unsigned features_of(Collective collective) {
  if (collective == Collective::kBarrier) return kCommunicators;
  unsigned all = kZero | kCommunicators | kLarge;
  if (collective != Collective::kBcast) all |= kInPlace;
  if (has_blocks_at_root(collective) || collective == Collective::kReduce) all |= kIgnored;
  if (reduces(collective)) return all | kOwnOperation | kGappedOperation;
  return all | kCounts | kDerived | kStructs | kEmptyTypes;
}

bool run(Collective collective, Call& call) {
  if (collective == Collective::kBarrier) return run_barrier(call);
  return reduces(collective) ? run_reduction(collective, call) : run_move(collective, call);
}

void open_counters(const char* path) {
  const int file = open(path, O_RDWR | O_CREAT, 0600);
  if (file < 0 || ftruncate(file, kCounters * sizeof(int)) != 0) return;
  void* memory =
      mmap(nullptr, kCounters * sizeof(int), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (memory != MAP_FAILED) counters = static_cast<std::atomic<int>*>(memory);
}

Bytes data_of(std::uint64_t key, int from, int to, std::size_t bytes) {
  Random random(key + static_cast<std::uint64_t>(from) * 1000003 +
                static_cast<std::uint64_t>(to) * 7919);
  Bytes data(bytes);
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < bytes; ++i) {
    if (i % 8 == 0) word = random.next();
    data[i] = static_cast<std::uint8_t>(word >> (8 * (i % 8)));
  }
  return data;
}

}  // namespace legal
