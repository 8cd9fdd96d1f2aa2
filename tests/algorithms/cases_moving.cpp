// SPDX-License-Identifier: BSD-3-Clause
// Rank r contributes what Buffer::fill(r + 1) writes.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <numeric>

#include "cases.h"

namespace colltree::test {

namespace {

constexpr std::uint64_t kOther = 99;  // of memory that is received into

std::uint64_t seed_of(int rank) { return static_cast<std::uint64_t>(rank) + 1; }

Buffer filled(const Description& d, std::size_t units, std::uint64_t seed) {
  Buffer buffer(*d.type, units * static_cast<std::size_t>(d.elements));
  buffer.fill(seed);
  return buffer;
}

// Units `first` .. of what `from` contributes become units `at` .. of the buffer.
void put(Buffer& buffer, const Description& d, std::size_t at, int from, std::size_t first,
         std::size_t units) {
  buffer.set_values(at * static_cast<std::size_t>(d.elements),
                    part_values(seed_of(from), first * d.parts(), units * d.parts()));
}

std::string words(const Moving& m, bool in_place, const std::string& more = "") {
  return fmt::format("of {} {} to {}{}{}", m.count, m.send.type->name, m.receive.type->name, more,
                     in_place ? " in place" : "");
}

std::size_t units(const Moving& m) { return static_cast<std::size_t>(m.count); }
std::size_t all(const Moving& m) { return units(m) * static_cast<std::size_t>(m.at.size); }
std::string at_root(int root) { return fmt::format(" root {}", root); }

// Blocks in a buffer, in units: as MPI takes them, in elements, and where they are.
struct Layout {
  std::vector<int> counts;         // elements
  std::vector<int> displacements;  // elements
  std::size_t units = 0;           // in all, with gaps

  Layout(const std::vector<int>& blocks, const Description& d, bool scattered) {
    const auto size = static_cast<int>(blocks.size());
    counts.resize(blocks.size());
    displacements.resize(blocks.size());
    int next = scattered ? 1 : 0;
    for (int i = 0; i < size; ++i) {
      const int block = scattered ? size - 1 - i : i;
      const auto index = static_cast<std::size_t>(block);
      counts[index] = blocks[index] * d.elements;
      displacements[index] = next * d.elements;
      next += blocks[index] + (scattered ? 1 : 0);
    }
    units = static_cast<std::size_t>(next);
  }
  std::size_t at(int block, const Description& d) const {
    return static_cast<std::size_t>(displacements[static_cast<std::size_t>(block)] / d.elements);
  }
};

// Units that rank `from` sends to `to`.
int block_units(int count, int from, int to) {
  const int kind = (from + 2 * to) % 4;
  return kind == 0 ? 0 : kind == 1 ? count : kind == 2 ? count / 2 + 1 : 1;
}

std::vector<int> blocks_of(int size, const std::function<int(int)>& units_of) {
  std::vector<int> blocks;
  for (int i = 0; i < size; ++i) blocks.push_back(units_of(i));
  return blocks;
}

}  // namespace

Case bcast_case(const Moving& m, int root) {
  const Description d = m.receive;
  Buffer initial = filled(d, units(m), m.at.rank == root ? seed_of(root) : kOther);
  Buffer expected = initial;
  put(expected, d, 0, root, 0, units(m));
  const int count = m.count * d.elements;
  return {Collective::kBcast,
          words(m, false, at_root(root)),
          filled(d, 0, 0),
          initial,
          expected,
          [=](Buffer&, Buffer& buffer) {
            return bcast_call(buffer.data(), count, d.type->type, root);
          }};
}

Case gather_case(const Moving& m, int root, bool in_place) {
  const bool is_root = m.at.rank == root;
  in_place = in_place && is_root;
  const Buffer send = filled(m.send, units(m), seed_of(m.at.rank));
  Buffer initial = filled(m.receive, is_root ? all(m) : 0, kOther);
  if (in_place)
    put(initial, m.receive, units(m) * static_cast<std::size_t>(root), root, 0, units(m));
  Buffer expected = initial;
  for (int from = 0; is_root && from < m.at.size; ++from)
    put(expected, m.receive, units(m) * static_cast<std::size_t>(from), from, 0, units(m));
  const auto call = [=](Buffer& from, Buffer& to) {
    CollectiveCall arguments = gather_call(
        in_place ? MPI_IN_PLACE : from.data(), in_place ? -1 : m.count * m.send.elements,
        in_place ? MPI_DATATYPE_NULL : m.send.type->type, nullptr, -1, MPI_DATATYPE_NULL, root);
    if (!is_root) return arguments;
    arguments.receive = to.data();
    arguments.receive_count = m.count * m.receive.elements;
    arguments.receive_type = m.receive.type->type;
    return arguments;
  };
  return {Collective::kGather, words(m, in_place, at_root(root)), send, initial, expected, call};
}

Case scatter_case(const Moving& m, int root, bool in_place) {
  const bool is_root = m.at.rank == root;
  in_place = in_place && is_root;
  const Buffer send = filled(m.send, is_root ? all(m) : 0, seed_of(root));
  const Buffer initial = filled(m.receive, units(m), kOther);
  Buffer expected = initial;
  if (!in_place)
    put(expected, m.receive, 0, root, units(m) * static_cast<std::size_t>(m.at.rank), units(m));
  const auto call = [=](Buffer& from, Buffer& to) {
    CollectiveCall arguments =
        scatter_call(nullptr, -1, MPI_DATATYPE_NULL, in_place ? MPI_IN_PLACE : to.data(),
                     in_place ? -1 : m.count * m.receive.elements,
                     in_place ? MPI_DATATYPE_NULL : m.receive.type->type, root);
    if (!is_root) return arguments;
    arguments.send = from.data();
    arguments.send_count = m.count * m.send.elements;
    arguments.send_type = m.send.type->type;
    return arguments;
  };
  return {Collective::kScatter, words(m, in_place, at_root(root)), send, initial, expected, call};
}

Case allgather_case(const Moving& m, bool in_place) {
  const Buffer send = filled(m.send, units(m), seed_of(m.at.rank));
  Buffer initial = filled(m.receive, all(m), kOther);
  const auto own = static_cast<std::size_t>(m.at.rank);
  if (in_place) put(initial, m.receive, units(m) * own, m.at.rank, 0, units(m));
  Buffer expected = initial;
  for (int from = 0; from < m.at.size; ++from)
    put(expected, m.receive, units(m) * static_cast<std::size_t>(from), from, 0, units(m));
  const auto call = [=](Buffer& from, Buffer& to) {
    return allgather_call(in_place ? MPI_IN_PLACE : from.data(),
                          in_place ? -1 : m.count * m.send.elements,
                          in_place ? MPI_DATATYPE_NULL : m.send.type->type, to.data(),
                          m.count * m.receive.elements, m.receive.type->type);
  };
  return {Collective::kAllgather, words(m, in_place), send, initial, expected, call};
}

Case alltoall_case(const Moving& m, bool in_place) {
  const Buffer send = filled(m.send, all(m), seed_of(m.at.rank));
  const Buffer initial = filled(m.receive, all(m), in_place ? seed_of(m.at.rank) : kOther);
  Buffer expected = initial;
  for (int from = 0; from < m.at.size; ++from) {
    put(expected, m.receive, units(m) * static_cast<std::size_t>(from), from,
        units(m) * static_cast<std::size_t>(m.at.rank), units(m));
  }
  const auto call = [=](Buffer& from, Buffer& to) {
    return alltoall_call(in_place ? MPI_IN_PLACE : from.data(),
                         in_place ? -1 : m.count * m.send.elements,
                         in_place ? MPI_DATATYPE_NULL : m.send.type->type, to.data(),
                         m.count * m.receive.elements, m.receive.type->type);
  };
  return {Collective::kAlltoall, words(m, in_place), send, initial, expected, call};
}

Case allgatherv_case(const Moving& m, bool in_place, bool scattered) {
  const std::vector<int> blocks =
      blocks_of(m.at.size, [&](int from) { return block_units(m.count, from, 0); });
  const Layout layout(blocks, m.receive, scattered);
  const auto own = static_cast<std::size_t>(blocks[static_cast<std::size_t>(m.at.rank)]);
  const Buffer send = filled(m.send, own, seed_of(m.at.rank));
  Buffer initial = filled(m.receive, layout.units, kOther);
  if (in_place) put(initial, m.receive, layout.at(m.at.rank, m.receive), m.at.rank, 0, own);
  Buffer expected = initial;
  for (int from = 0; from < m.at.size; ++from) {
    put(expected, m.receive, layout.at(from, m.receive), from, 0,
        static_cast<std::size_t>(blocks[static_cast<std::size_t>(from)]));
  }
  const auto shared = std::make_shared<Layout>(layout);
  const auto call = [=](Buffer& from, Buffer& to) {
    return allgatherv_call(in_place ? MPI_IN_PLACE : from.data(),
                           in_place ? -1 : static_cast<int>(own) * m.send.elements,
                           in_place ? MPI_DATATYPE_NULL : m.send.type->type, to.data(),
                           shared->counts.data(), shared->displacements.data(),
                           m.receive.type->type);
  };
  return {Collective::kAllgatherv,
          words(m, in_place, scattered ? " scattered" : ""),
          send,
          initial,
          expected,
          call};
}

// In place a rank sends as much to another as it receives from it: what both blocks have in common.
Case alltoallv_case(const Moving& m, bool in_place, bool scattered) {
  const auto units_of = [&](int from, int to) {
    const int there = block_units(m.count, from, to);
    return in_place ? std::min(there, block_units(m.count, to, from)) : there;
  };
  const std::vector<int> out =
      blocks_of(m.at.size, [&](int to) { return units_of(m.at.rank, to); });
  const std::vector<int> in =
      blocks_of(m.at.size, [&](int from) { return units_of(from, m.at.rank); });
  const auto out_layout = std::make_shared<Layout>(out, m.send, scattered);
  const auto in_layout = std::make_shared<Layout>(in, m.receive, scattered);
  const Buffer send = filled(m.send, out_layout->units, seed_of(m.at.rank));
  const Buffer initial =
      filled(m.receive, in_layout->units, in_place ? seed_of(m.at.rank) : kOther);
  Buffer expected = initial;
  for (int from = 0; from < m.at.size; ++from) {
    // Where the sender has the block for this rank.
    const Layout theirs(blocks_of(m.at.size, [&](int to) { return units_of(from, to); }), m.receive,
                        scattered);
    put(expected, m.receive, in_layout->at(from, m.receive), from, theirs.at(m.at.rank, m.receive),
        static_cast<std::size_t>(in[static_cast<std::size_t>(from)]));
  }
  const auto call = [=](Buffer& from, Buffer& to) {
    return alltoallv_call(
        in_place ? MPI_IN_PLACE : from.data(), in_place ? nullptr : out_layout->counts.data(),
        in_place ? nullptr : out_layout->displacements.data(),
        in_place ? MPI_DATATYPE_NULL : m.send.type->type, to.data(), in_layout->counts.data(),
        in_layout->displacements.data(), m.receive.type->type);
  };
  return {Collective::kAlltoallv,
          words(m, in_place, scattered ? " scattered" : ""),
          send,
          initial,
          expected,
          call};
}

}  // namespace colltree::test
