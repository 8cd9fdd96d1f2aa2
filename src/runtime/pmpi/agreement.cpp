// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/pmpi/agreement.h"

#include <array>
#include <cstdio>
#include <memory>
#include <new>

#include "algorithms/types.h"
#include "runtime/pmpi/job.h"
#include "runtime/pmpi/settings.h"

namespace colltree {

namespace {

// What a rank tells of its call. Every field must be equal on all ranks.
enum Field : std::uint8_t { kCollective, kBytes, kRoot, kCount, kCounts, kCommutes, kMethod };
using Told = std::array<std::uint64_t, 7>;

std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
  return (hash ^ value) * 0x9E3779B97F4A7C15U + 1;
}

// Counts that MPI wants equal everywhere, in bytes.
std::uint64_t counts_of(const CollectiveCall& call, const Communicator& on) {
  const bool same =
      call.collective == Collective::kAllgatherv || call.collective == Collective::kReduceScatter;
  std::size_t bytes = 0;
  if (!same || message_bytes(1, call.receive_type, &bytes) != MPI_SUCCESS) return 0;
  std::uint64_t hash = 0;
  for (int i = 0; i < on.size; ++i)
    hash = mix(hash, bytes * static_cast<std::uint64_t>(call.receive_counts[i]));
  return hash;
}

Told tell(const CollectiveCall& call, const Communicator& on, const CallFacts& facts,
          const Choice& choice) {
  Told told{};
  told[kCollective] = static_cast<std::uint64_t>(call.collective);
  told[kBytes] = facts.message_size;
  told[kRoot] = static_cast<std::uint64_t>(call.root);
  told[kCount] = call.op == MPI_OP_NULL ? 0 : static_cast<std::uint64_t>(call.receive_count);
  told[kCounts] = counts_of(call, on);
  told[kCommutes] = facts.commutative ? 1 : 0;
  told[kMethod] = choice.number;
  return told;
}

// "bcast of 800 B, root 0, binomial/8192"; without a segment size where the library decides it.
void describe(const Told& told, char* text, std::size_t size) {
  const colltree_chosen_method method =
      job->chooser.name_of(static_cast<std::uint16_t>(told[kMethod]));
  char segment[24] = "";
  if (method.has_segment_size != 0)
    std::snprintf(segment, sizeof segment, "/%llu",
                  static_cast<unsigned long long>(method.segment_size));
  std::snprintf(
      text, size, "%s of %llu B, root %llu, count %llu, counts %04llx, %s, %s%s",
      name(static_cast<Collective>(told[kCollective])).data(),
      static_cast<unsigned long long>(told[kBytes]), static_cast<unsigned long long>(told[kRoot]),
      static_cast<unsigned long long>(told[kCount]),
      static_cast<unsigned long long>(told[kCounts] & 0xFFFF),
      told[kCommutes] != 0 ? "commutative" : "not commutative", method.algorithm, segment);
}

// What i sends to j must be what j expects of i.
int first_wrong_pair(const CollectiveCall& call, const Communicator& on, int* wrong) {
  *wrong = -1;
  if (call.collective != Collective::kAlltoallv) return MPI_SUCCESS;
  const auto size = static_cast<std::size_t>(on.size);
  const std::unique_ptr<std::uint64_t[]> sent(new (std::nothrow) std::uint64_t[2 * size]);
  if (sent == nullptr) return MPI_ERR_NO_MEM;
  const bool in_place = call.send == MPI_IN_PLACE;
  std::size_t out = 0;
  std::size_t in = 0;
  COLLTREE_TRY(message_bytes(1, call.receive_type, &in));
  COLLTREE_TRY(message_bytes(1, in_place ? call.receive_type : call.send_type, &out));
  const int* counts = in_place ? call.receive_counts : call.send_counts;
  for (std::size_t i = 0; i < size; ++i) sent[i] = out * static_cast<std::uint64_t>(counts[i]);
  std::uint64_t* told = sent.get() + size;
  COLLTREE_TRY(PMPI_Alltoall(sent.get(), 1, MPI_UINT64_T, told, 1, MPI_UINT64_T, on.among_these()));
  for (int i = 0; i < on.size && *wrong < 0; ++i) {
    if (told[i] != in * static_cast<std::uint64_t>(call.receive_counts[i])) *wrong = i;
  }
  return MPI_SUCCESS;
}

int compare(const CollectiveCall& call, const Communicator& on, const Told& own, bool* equal) {
  const auto size = static_cast<std::size_t>(on.size);
  const std::unique_ptr<Told[]> all(new (std::nothrow) Told[size]);
  if (all == nullptr) return MPI_ERR_NO_MEM;
  const int fields = static_cast<int>(own.size());
  COLLTREE_TRY(PMPI_Allgather(own.data(), fields, MPI_UINT64_T, all.get(), fields, MPI_UINT64_T,
                              on.among_these()));
  int other = 0;
  while (other < on.size && all[other] == all[0]) ++other;
  *equal = other == on.size;
  if (!*equal && on.rank == 0) {
    char first[256];
    char second[256];
    describe(all[0], first, sizeof first);
    describe(all[other], second, sizeof second);
    say("check: call %llu on this communicator of %d ranks differs: rank 0: %s; rank %d: %s",
        static_cast<unsigned long long>(on.calls), on.size, first, other, second);
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

}  // namespace

bool agree(const CollectiveCall& call, Communicator& on, const CallFacts& facts,
           const Choice& choice) noexcept {
  ++on.calls;
  bool equal = true;
  // Without communicator or memory nothing can be compared.
  if (!open_own(on) || compare(call, on, tell(call, on, facts, choice), &equal) != MPI_SUCCESS)
    return true;
  return equal;
}

}  // namespace colltree
