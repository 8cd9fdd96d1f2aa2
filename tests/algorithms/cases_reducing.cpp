// SPDX-License-Identifier: BSD-3-Clause
// Rank r contributes what Buffer::fill(r + 1) writes. Results are folded in rank order.
#include <fmt/format.h>

#include <memory>

#include "cases.h"

namespace colltree::test {

namespace {

constexpr std::uint64_t kOther = 99;

Buffer contribution(const Reducing& r, std::size_t count, int rank) {
  Buffer buffer(*r.type, count);
  buffer.fill(static_cast<std::uint64_t>(rank) + 1);
  return buffer;
}

// Of ranks 0 .. last.
Buffer folded(const Reducing& r, std::size_t count, int last) {
  Buffer result = contribution(r, count, last);
  for (int rank = last - 1; rank >= 0; --rank) {
    Buffer lower = contribution(r, count, rank);
    MPI_Reduce_local(lower.data(), result.data(), static_cast<int>(count), r.type->type, r.op.op);
  }
  return result;
}

// Which ranks' contributions are folded, and which of their elements come to this rank.
struct Result {
  std::size_t total;  // elements that each rank contributes
  std::size_t first;
  std::size_t count;
  int last;  // ranks 0 .. last; -1: nothing comes
};

Case reducing_case(const Reducing& r, bool in_place, const Result& result) {
  Buffer send = contribution(r, result.total, r.at.rank);
  Buffer initial(*r.type, in_place ? result.total : result.count);
  initial.fill(kOther);
  if (in_place) initial = send;
  Buffer expected = initial;
  if (result.last >= 0) {
    expected.set_values(0, folded(r, result.total, result.last).values(result.first, result.count));
  }
  Case one{.send = std::move(send), .initial = std::move(initial), .expected = std::move(expected)};
  one.what =
      fmt::format("of {} {} {}{}", r.count, r.type->name, r.op.name, in_place ? " in place" : "");
  return one;
}

Result whole(const Reducing& r, int last) {
  const auto count = static_cast<std::size_t>(r.count);
  return {count, 0, count, last};
}

const void* source(bool in_place, Buffer& send) { return in_place ? MPI_IN_PLACE : send.data(); }

}  // namespace

Case reduce_case(const Reducing& r, int root, bool in_place) {
  const bool is_root = r.at.rank == root;
  in_place = in_place && is_root;
  Case one = reducing_case(r, in_place, whole(r, is_root ? r.at.size - 1 : -1));
  one.collective = Collective::kReduce;
  one.what += fmt::format(" root {}", root);
  one.call = [=](Buffer& send, Buffer& receive) {
    return reduce_call(source(in_place, send), is_root ? receive.data() : nullptr, r.count,
                       r.type->type, r.op.op, root);
  };
  return one;
}

Case allreduce_case(const Reducing& r, bool in_place) {
  Case one = reducing_case(r, in_place, whole(r, r.at.size - 1));
  one.collective = Collective::kAllreduce;
  one.call = [=](Buffer& send, Buffer& receive) {
    return allreduce_call(source(in_place, send), receive.data(), r.count, r.type->type, r.op.op);
  };
  return one;
}

Case scan_case(const Reducing& r, bool in_place) {
  Case one = reducing_case(r, in_place, whole(r, r.at.rank));
  one.collective = Collective::kScan;
  one.call = [=](Buffer& send, Buffer& receive) {
    return scan_call(source(in_place, send), receive.data(), r.count, r.type->type, r.op.op);
  };
  return one;
}

// What rank 0 receives is undefined; ours and both libraries leave it alone.
Case exscan_case(const Reducing& r, bool in_place) {
  Case one = reducing_case(r, in_place, whole(r, r.at.rank - 1));
  one.collective = Collective::kExscan;
  one.call = [=](Buffer& send, Buffer& receive) {
    return exscan_call(source(in_place, send), receive.data(), r.count, r.type->type, r.op.op);
  };
  return one;
}

// Blocks of r.count, none, one and half of it.
Case reduce_scatter_case(const Reducing& r, bool in_place) {
  const auto counts = std::make_shared<std::vector<int>>();
  Result result{0, 0, 0, r.at.size - 1};
  for (int rank = 0; rank < r.at.size; ++rank) {
    const int sizes[] = {r.count, 0, 1, r.count / 2 + 1};
    if (rank == r.at.rank) result.first = result.total;
    counts->push_back(sizes[(rank + r.count) % 4]);
    result.total += static_cast<std::size_t>(counts->back());
  }
  result.count = static_cast<std::size_t>((*counts)[static_cast<std::size_t>(r.at.rank)]);
  Case one = reducing_case(r, in_place, result);
  one.collective = Collective::kReduceScatter;
  one.call = [=](Buffer& send, Buffer& receive) {
    return reduce_scatter_call(source(in_place, send), receive.data(), counts->data(), r.type->type,
                               r.op.op);
  };
  return one;
}

Case reduce_scatter_block_case(const Reducing& r, bool in_place) {
  const auto count = static_cast<std::size_t>(r.count);
  const Result result{count * static_cast<std::size_t>(r.at.size),
                      count * static_cast<std::size_t>(r.at.rank), count, r.at.size - 1};
  Case one = reducing_case(r, in_place, result);
  one.collective = Collective::kReduceScatterBlock;
  one.call = [=](Buffer& send, Buffer& receive) {
    return reduce_scatter_block_call(source(in_place, send), receive.data(), r.count, r.type->type,
                                     r.op.op);
  };
  return one;
}

}  // namespace colltree::test
