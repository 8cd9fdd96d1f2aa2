// SPDX-License-Identifier: BSD-3-Clause
// Collectives that move data.
#include <numeric>

#include "call.h"

namespace legal {

namespace {

constexpr int kMostBytes = 1 << 18;
constexpr int kMostBlock = 1 << 16;

const Element& pick_element(Call& call) {
  const auto& all = elements();  // the last is the struct
  const std::size_t end = all.size() - (call.may(kStructs) ? 0 : 1);
  return all[call.shared.next() % end];
}

std::size_t index(int i) { return static_cast<std::size_t>(i); }

Bytes block(const Element& element, std::uint64_t key, int from, int to, int count) {
  return data_of(key, from, to, index(count) * index(element.size));
}

// Blocks of different counts in one buffer, described by one type: counts and displacements in its
// items, in any order and with gaps.
class Blocks {
 public:
  Blocks(Call& call, const Element& element, const std::vector<int>& counts, bool regular)
      : each_(common(call, counts)),
        type_(make_type(call.own, element, each_, call.features)),
        counts_(counts.size()),
        places_(counts.size()) {
    int at = 0;
    std::vector<int> order(counts.size());
    std::iota(order.begin(), order.end(), 0);
    if (!regular && call.may(kDerived | kCounts)) {
      order = shuffled(call.own, static_cast<int>(counts.size()));
    }
    for (const int i : order) {
      counts_[index(i)] = counts[index(i)] / each_;
      places_[index(i)] = at;
      at += counts_[index(i)];
      if (!regular && call.may(kDerived)) at += call.own.below(3);
    }
    items_ = at;
  }

  Buffer buffer() const { return {type_, 0, items_}; }
  MPI_Datatype type() const { return type_.handle(); }
  const int* counts() const { return counts_.data(); }
  const int* places() const { return places_.data(); }
  int count(int i) const { return counts_[index(i)]; }
  int place(int i) const { return places_[index(i)]; }

 private:
  static int common(Call& call, const std::vector<int>& counts) {
    int common = 0;
    for (const int count : counts) common = std::gcd(common, count);
    if (common == 0 || !call.may(kCounts | kDerived)) return 1;
    return random_divisor(call.own, common);
  }

  int each_;
  Type type_;
  std::vector<int> counts_;
  std::vector<int> places_;
  int items_ = 0;
};

// A block of one's own, filled or not.
struct Own {
  Own(Call& call, const Element& element, int elements)
      : described(describe(call.own, element, elements, call.features)),
        buffer(described.type, 0, described.count),
        count(described.count),
        type(described.type.handle()) {}

  Description described;
  Buffer buffer;
  int count;
  MPI_Datatype type;
};

std::vector<int> counts_for(Call& call, const Element& element, bool regular) {
  const int most = kMostBlock / element.size;
  if (regular) return std::vector<int>(index(call.size), random_count(call, most));
  return random_counts(call, call.size, most);
}

bool gather(Call& call, bool regular) {
  const Element& element = pick_element(call);
  const std::vector<int> counts = counts_for(call, element, regular);
  const int root = call.shared.below(call.size);
  const bool in_place = call.may(kInPlace) && !call.shared.one_in(4);
  const std::uint64_t key = call.shared.next();
  Own own(call, element, counts[index(call.rank)]);
  own.buffer.put(0, block(element, key, call.rank, 0, counts[index(call.rank)]));
  if (call.rank != root) {
    const Blocks unused(call, element, counts, regular);
    const Ignored any = ignored(call);
    const bool anything = call.may(kIgnored);
    Bytes dummy(8);
    if (regular) {
      MPI_Gather(own.buffer.origin(), own.count, own.type, anything ? any.buffer : dummy.data(),
                 anything ? any.count : unused.count(0), anything ? any.type : unused.type(), root,
                 call.comm);
    } else {
      MPI_Gatherv(own.buffer.origin(), own.count, own.type, anything ? any.buffer : dummy.data(),
                  anything ? any.list : unused.counts(), anything ? any.list : unused.places(),
                  anything ? any.type : unused.type(), root, call.comm);
    }
    return own.buffer.right();
  }
  const Blocks blocks(call, element, counts, regular);
  Buffer all = blocks.buffer();
  for (int from = 0; from < call.size; ++from) {
    const Bytes data = block(element, key, from, 0, counts[index(from)]);
    if (in_place && from == root) all.put(blocks.place(from), data);
    all.expect(blocks.place(from), data);
  }
  const Ignored any = ignored(call);
  const void* send = in_place ? MPI_IN_PLACE : own.buffer.origin();
  const int count = in_place ? any.count : own.count;
  MPI_Datatype const type = in_place ? any.type : own.type;
  if (regular) {
    MPI_Gather(send, count, type, all.origin(), blocks.count(0), blocks.type(), root, call.comm);
  } else {
    MPI_Gatherv(send, count, type, all.origin(), blocks.counts(), blocks.places(), blocks.type(),
                root, call.comm);
  }
  return all.right() && own.buffer.right();
}

bool scatter(Call& call, bool regular) {
  const Element& element = pick_element(call);
  const std::vector<int> counts = counts_for(call, element, regular);
  const int root = call.shared.below(call.size);
  const bool in_place = call.may(kInPlace) && !call.shared.one_in(4);
  const std::uint64_t key = call.shared.next();
  Own own(call, element, counts[index(call.rank)]);
  const Blocks blocks(call, element, counts, regular);
  Buffer all = blocks.buffer();
  for (int to = 0; to < call.size; ++to) {
    all.put(blocks.place(to), block(element, key, 0, to, counts[index(to)]));
  }
  const bool is_root = call.rank == root;
  const bool here = is_root && in_place;
  if (!here) own.buffer.expect(0, block(element, key, 0, call.rank, counts[index(call.rank)]));
  const Ignored any = ignored(call);
  void* receive = here ? MPI_IN_PLACE : own.buffer.origin();
  const int count = here ? any.count : own.count;
  MPI_Datatype const type = here ? any.type : own.type;
  const bool anything = !is_root && call.may(kIgnored);
  const void* send = anything ? any.buffer : all.origin();
  MPI_Datatype const send_type = anything ? any.type : blocks.type();
  if (regular) {
    MPI_Scatter(send, anything ? any.count : blocks.count(0), send_type, receive, count, type, root,
                call.comm);
  } else {
    MPI_Scatterv(send, anything ? any.list : blocks.counts(), anything ? any.list : blocks.places(),
                 send_type, receive, count, type, root, call.comm);
  }
  return all.right() && own.buffer.right();
}

bool allgather(Call& call, bool regular) {
  const Element& element = pick_element(call);
  const std::vector<int> counts = counts_for(call, element, regular);
  const bool in_place = call.may(kInPlace) && !call.shared.one_in(4);
  const std::uint64_t key = call.shared.next();
  Own own(call, element, counts[index(call.rank)]);
  own.buffer.put(0, block(element, key, call.rank, 0, counts[index(call.rank)]));
  const Blocks blocks(call, element, counts, regular);
  Buffer all = blocks.buffer();
  for (int from = 0; from < call.size; ++from) {
    const Bytes data = block(element, key, from, 0, counts[index(from)]);
    if (in_place && from == call.rank) all.put(blocks.place(from), data);
    all.expect(blocks.place(from), data);
  }
  const Ignored any = ignored(call);
  const void* send = in_place ? MPI_IN_PLACE : own.buffer.origin();
  const int count = in_place ? any.count : own.count;
  MPI_Datatype const type = in_place ? any.type : own.type;
  if (regular) {
    MPI_Allgather(send, count, type, all.origin(), blocks.count(0), blocks.type(), call.comm);
  } else {
    MPI_Allgatherv(send, count, type, all.origin(), blocks.counts(), blocks.places(), blocks.type(),
                   call.comm);
  }
  return all.right() && own.buffer.right();
}

// counts[from][to]; symmetric where the call is in place.
std::vector<std::vector<int>> exchange_counts(Call& call, const Element& element, bool regular,
                                              bool symmetric) {
  const int most = kMostBlock / element.size / 2;
  std::vector<std::vector<int>> counts(index(call.size));
  const int one = random_count(call, most);
  for (std::vector<int>& row : counts) {
    row = regular ? std::vector<int>(index(call.size), one) : random_counts(call, call.size, most);
  }
  for (std::size_t i = 0; symmetric && i < counts.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) counts[i][j] = counts[j][i];
  }
  return counts;
}

bool alltoall(Call& call, bool regular) {
  const Element& element = pick_element(call);
  const bool in_place = call.may(kInPlace) && !call.shared.one_in(4);
  const auto counts = exchange_counts(call, element, regular, in_place);
  const std::uint64_t key = call.shared.next();
  std::vector<int> incoming;
  for (const std::vector<int>& row : counts) incoming.push_back(row[index(call.rank)]);
  const Blocks out(call, element, counts[index(call.rank)], regular);
  const Blocks in(call, element, incoming, regular);
  Buffer sent = out.buffer();
  Buffer received = in.buffer();
  for (int other = 0; other < call.size; ++other) {
    const Bytes mine =
        block(element, key, call.rank, other, counts[index(call.rank)][index(other)]);
    sent.put(out.place(other), mine);
    if (in_place) received.put(in.place(other), mine);
    received.expect(in.place(other), block(element, key, other, call.rank, incoming[index(other)]));
  }
  const Ignored any = ignored(call);
  const void* send = in_place ? MPI_IN_PLACE : sent.origin();
  MPI_Datatype const type = in_place ? any.type : out.type();
  if (regular) {
    MPI_Alltoall(send, in_place ? any.count : out.count(0), type, received.origin(), in.count(0),
                 in.type(), call.comm);
  } else {
    MPI_Alltoallv(send, in_place ? any.list : out.counts(), in_place ? any.list : out.places(),
                  type, received.origin(), in.counts(), in.places(), in.type(), call.comm);
  }
  return sent.right() && received.right();
}

}  // namespace

bool run_bcast(Call& call) {
  const Element& element = pick_element(call);
  const int elements = random_count(call, kMostBytes / element.size);
  const int root = call.shared.below(call.size);
  const Bytes data = block(element, call.shared.next(), root, 0, elements);
  Own own(call, element, elements);
  if (call.rank == root) own.buffer.put(0, data);
  own.buffer.expect(0, data);
  MPI_Bcast(own.buffer.origin(), own.count, own.type, root, call.comm);
  return own.buffer.right();
}

bool run_gather(Call& call) { return gather(call, true); }
bool run_gatherv(Call& call) { return gather(call, false); }
bool run_scatter(Call& call) { return scatter(call, true); }
bool run_scatterv(Call& call) { return scatter(call, false); }
bool run_allgather(Call& call) { return allgather(call, true); }
bool run_allgatherv(Call& call) { return allgather(call, false); }
bool run_alltoall(Call& call) { return alltoall(call, true); }
bool run_alltoallv(Call& call) { return alltoall(call, false); }

}  // namespace legal
