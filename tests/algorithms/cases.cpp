// SPDX-License-Identifier: BSD-3-Clause
#include "cases.h"

#include <fmt/core.h>

#include <algorithm>

#include "coll/catalogue.h"

namespace colltree::test {

namespace {

constexpr std::uint64_t kOther = 99;  // of memory that is received into

// What rank `from` has for rank `to`, in parts.
std::vector<double> contribution(int from, int to, std::size_t parts) {
  return part_values(static_cast<std::uint64_t>(from) + 1 + 1000 * static_cast<std::uint64_t>(to),
                     0, parts);
}

Buffer filled(const TypeCase& type, std::int64_t elements, std::uint64_t seed) {
  Buffer buffer(type, static_cast<std::size_t>(elements));
  buffer.fill(seed);
  return buffer;
}

// The values of a block of a reduction, folded in rank order.
std::vector<double> folded(const algorithms::Block& block, const TypeCase& type,
                           std::size_t elements, MPI_Op op) {
  const auto of = [&](int rank) {
    Buffer buffer(type, elements);
    buffer.fill(kOther);
    buffer.set_values(0, contribution(rank, 0, elements * type.parts()));
    return buffer;
  };
  const int last = block.from + block.ranks - 1;
  Buffer result = of(last);
  for (int rank = last - 1; rank >= block.from; --rank) {
    Buffer lower = of(rank);
    MPI_Reduce_local(lower.data(), result.data(), static_cast<int>(elements), type.type, op);
  }
  return result.values(static_cast<std::size_t>(block.first),
                       static_cast<std::size_t>(block.count));
}

}  // namespace

Case make_case(std::string what, algorithms::CallLayout layout, const TypeCase& send_type,
               const TypeCase& receive_type, MPI_Op op) {
  const algorithms::CallContents all = algorithms::contents_of(layout);
  const auto put = [&](Buffer& buffer, const std::vector<algorithms::Block>& blocks) {
    for (const algorithms::Block& block : blocks) {
      const std::size_t parts = static_cast<std::size_t>(block.count) * buffer.type().parts();
      buffer.set_values(
          static_cast<std::size_t>(block.place),
          op == MPI_OP_NULL
              ? contribution(block.from, block.to, parts)
              : folded(block, buffer.type(), static_cast<std::size_t>(all.send_elements), op));
    }
  };
  Buffer send = filled(send_type, all.send_elements, static_cast<std::uint64_t>(layout.rank));
  put(send, all.send);
  Buffer initial = filled(receive_type, all.receive_elements, kOther);
  put(initial, all.initial);
  Buffer expected = initial;
  put(expected, all.result);
  return {std::move(what), std::move(layout),  op,
          std::move(send), std::move(initial), std::move(expected)};
}

namespace {

// Units that rank `from` sends to `to`.
int block_units(int count, int from, int to) {
  const int kind = (from + 2 * to) % 4;
  return kind == 0 ? 0 : kind == 1 ? count : kind == 2 ? count / 2 + 1 : 1;
}

// Blocks with these numbers of units, as they lie in memory.
template <typename UnitsOf>
algorithms::CallSide varied_side(const Description& d, int size, bool scattered, UnitsOf units_of) {
  algorithms::CallSide side{.type = d.type->type};
  side.counts.resize(static_cast<std::size_t>(size));
  side.places.resize(static_cast<std::size_t>(size));
  int next = scattered ? 1 : 0;
  for (int i = 0; i < size; ++i) {
    const int block = scattered ? size - 1 - i : i;
    const auto index = static_cast<std::size_t>(block);
    side.counts[index] = units_of(block) * d.elements;
    side.places[index] = next * d.elements;
    next += units_of(block) + (scattered ? 1 : 0);
  }
  return side;
}

void set_varied(algorithms::CallLayout& layout, const Moving& m, bool scattered) {
  const int rank = layout.rank;
  if (layout.collective == Collective::kAllgatherv) {
    const auto units_of = [&](int from) { return block_units(m.count, from, 0); };
    layout.send.count = units_of(rank) * m.send.elements;
    layout.receive = varied_side(m.receive, layout.size, scattered, units_of);
  }
  if (layout.collective != Collective::kAlltoallv) return;
  // In place a rank sends as much to another as it receives from it: what both have in common.
  const auto units_of = [&](int from, int to) {
    const int there = block_units(m.count, from, to);
    return layout.in_place ? std::min(there, block_units(m.count, to, from)) : there;
  };
  layout.send =
      varied_side(m.send, layout.size, scattered, [&](int to) { return units_of(rank, to); });
  layout.receive = varied_side(m.receive, layout.size, scattered,
                               [&](int from) { return units_of(from, rank); });
}

}  // namespace

algorithms::CollectiveCall Case::call(Buffer& from, Buffer& to) const {
  algorithms::CollectiveCall c = algorithms::make_call(layout, from.data(), to.data(), op);
  const bool has_root = c.collective == Collective::kGather ||
                        c.collective == Collective::kScatter || c.collective == Collective::kReduce;
  const bool scatters = c.collective == Collective::kScatter;
  const bool elsewhere = has_root && layout.rank != layout.root;
  if (op != MPI_OP_NULL) {
    if (elsewhere) c.receive = nullptr;
    return c;
  }
  if (c.collective != Collective::kBcast && (scatters ? elsewhere : layout.in_place)) {
    if (elsewhere) c.send = nullptr;
    c.send_count = -1;
    c.send_type = MPI_DATATYPE_NULL;
    c.send_counts = c.send_displacements = nullptr;
  }
  if (has_root && (scatters ? layout.in_place : elsewhere)) {
    if (elsewhere) c.receive = nullptr;
    c.receive_count = -1;
    c.receive_type = MPI_DATATYPE_NULL;
  }
  return c;
}

Case moving_case(Collective collective, const Moving& m, int root, bool in_place, bool scattered) {
  const bool at_root = collective == Collective::kGather || collective == Collective::kScatter;
  algorithms::CallLayout layout{.collective = collective,
                                .rank = m.at.rank,
                                .size = m.at.size,
                                .root = root,
                                .in_place = in_place && (!at_root || m.at.rank == root)};
  layout.receive = {.type = m.receive.type->type, .count = m.count * m.receive.elements};
  if (collective != Collective::kBcast)
    layout.send = {.type = m.send.type->type, .count = m.count * m.send.elements};
  set_varied(layout, m, scattered);
  std::string what =
      fmt::format("of {} {} to {} root {}{}{}", m.count, m.send.type->name, m.receive.type->name,
                  root, scattered ? " scattered" : "", layout.in_place ? " in place" : "");
  return make_case(std::move(what), std::move(layout), *m.send.type, *m.receive.type, MPI_OP_NULL);
}

Case reducing_case(Collective collective, const Reducing& r, int root, bool in_place) {
  in_place = in_place && (collective != Collective::kReduce || r.at.rank == root);
  algorithms::CallLayout layout{.collective = collective,
                                .rank = r.at.rank,
                                .size = r.at.size,
                                .root = root,
                                .in_place = in_place,
                                .receive = {.type = r.type->type, .count = r.count}};
  if (collective == Collective::kReduceScatter) {
    layout.receive.count = 0;
    const int sizes[] = {r.count, 0, 1, r.count / 2 + 1};
    for (int rank = 0; rank < r.at.size; ++rank)
      layout.receive.counts.push_back(sizes[(rank + r.count) % 4]);
  }
  std::string what = fmt::format("of {} {} {} root {}{}", r.count, r.type->name, r.op.name, root,
                                 in_place ? " in place" : "");
  return make_case(std::move(what), std::move(layout), *r.type, *r.type, r.op.op);
}

}  // namespace colltree::test
