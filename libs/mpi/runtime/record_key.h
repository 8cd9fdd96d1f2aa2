// SPDX-License-Identifier: BSD-3-Clause
// The calls that one row of the record counts.
#pragma once

#include <mpi.h>

#include <compare>
#include <cstdint>
#include <type_traits>

#include "coll/collective.h"
#include "runtime/chooser.h"

// MPI 4 headers have large counts and persistent collectives; older ones may have the latter alone.
#if MPI_VERSION >= 4
#define COLLTREE_HAS_LARGE_COUNTS
#endif
#if MPI_VERSION >= 4 || (defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5)
#define COLLTREE_HAS_PERSISTENT
#endif
// Open MPI 4 has them as MPIX_Bcast_init, if it was built so.
#if defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION == 4
#include <mpi-ext.h>
#ifdef OMPI_HAVE_MPI_EXT_PCOLLREQ
#define COLLTREE_HAS_PERSISTENT_X
#endif
#endif

namespace colltree::runtime {

// The collective functions of the standard as data: an operation of collectives.def in one of its
// forms. MPI_Ibcast_c is the nonblocking bcast with large counts.
enum class Operation : std::uint16_t {
#define COLLTREE_COLLECTIVE(Name, ...) k##Name,
#define COLLTREE_UNDECIDED COLLTREE_COLLECTIVE
#include "coll/collectives.def"
};

inline constexpr const char* kOperationNames[] = {
#define COLLTREE_COLLECTIVE(Name, name, ...) #name,
#define COLLTREE_UNDECIDED COLLTREE_COLLECTIVE
#include "coll/collectives.def"
};

static_assert(static_cast<int>(Operation::kScatterv) == static_cast<int>(Collective::kScatterv));

enum class Form : std::uint8_t { kBlocking, kNonblocking, kPersistent };

struct Function {
  Operation operation = Operation::kBarrier;
  Form form = Form::kBlocking;
  bool is_large = false;

  auto operator<=>(const Function&) const = default;
};

// Both enumerations have the numbers of coll/collective.h.
constexpr Function function_of(Collective collective) {
  return {static_cast<Operation>(collective)};
}

constexpr bool is_neighbourhood(Operation operation) {
  return operation >= Operation::kNeighbor_allgather;
}

inline constexpr std::uint64_t kUnknownSize = UINT64_MAX;  // of a call that is passed on unseen

// In the order of rows, and without padding, so that its bytes are hashed.
struct RecordKey {
  Function function;
  std::uint32_t communicator_size = 0;
  std::uint32_t nodes = 0;
  std::uint32_t ranks_per_node = 0;
  std::uint64_t message_size = 0;
  std::uint16_t method = kLibrary;
  Why why = Why::kNoModel;
  std::uint32_t site = 0;  // as Sites numbers it

  auto operator<=>(const RecordKey&) const = default;
};
static_assert(std::has_unique_object_representations_v<RecordKey>);

}  // namespace colltree::runtime
