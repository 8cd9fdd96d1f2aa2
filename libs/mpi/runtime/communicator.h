// SPDX-License-Identifier: BSD-3-Clause
// The record that this library keeps of a user's communicator, and the nodes its ranks run on.
#pragma once

#include <mpi.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>

#include "algorithms/algorithms.h"
#include "base/not_copied.h"
#include "decision/cdt_format.h"
#include "runtime/chooser.h"
#include "runtime/waiting.h"

namespace colltree::runtime {

// The node that each rank of the job runs on. It is found once, so that the placement of a
// communicator is known without a message.
class Nodes : NotCopied {
 public:
  ~Nodes();

  // Collective over `world`, whose ranks are those of MPI_COMM_WORLD. Returns an MPI error code.
  int find(MPI_Comm world) noexcept;

  // Finds the nodes of the ranks of `comm` (an intracommunicator). False when one of them is not of
  // this job's MPI_COMM_WORLD, or there is no memory. Local.
  bool layout_of(MPI_Comm comm, int size, algorithms::NodeLayout* layout) const noexcept;

  // The ranks in `world` of the ranks of `comm`; false as above. Local.
  bool translate(MPI_Comm comm, int size, int* ranks) const noexcept;
  int size() const noexcept { return size_; }  // of `world`

 private:
  int size_ = 0;
  MPI_Group world_ = MPI_GROUP_NULL;
  std::unique_ptr<int[]> node_of_;  // by rank: the lowest rank on its node
};

// The record of a user's communicator is an attribute, made at its first collective and deleted
// with it. Finding it again costs no call of MPI.
enum class Kind : std::uint8_t {
  kLeftAlone,  // an intercommunicator, or ranks of another MPI_COMM_WORLD
  kOneRank,
  kDecided,
};

// Calls of a collective of which was decided once who carries them out.
struct KnownCalls {
  bool has_every = false;                      // the MPI library, whatever the size
  int count = -1;                              // those of this many elements
  MPI_Datatype type = MPI_DATATYPE_NULL;       //   of this type, whose size never changes
  const algorithms::Algorithm* row = nullptr;  // carries them out; null: the MPI library
  MPI_Op op = MPI_OP_NULL;                     // `row`: only calls of this operation, never freed
  algorithms::Context context;                 // `row`: its parameters
};

struct Communicator {
  std::atomic<std::uintptr_t> handle = 0;  // the user's; 0: not in use, or being freed
  MPI_Comm comm = MPI_COMM_NULL;
  Kind kind = Kind::kLeftAlone;
  int rank = 0;
  int size = 0;
  algorithms::NodeLayout layout;
  mutable algorithms::SharedMemory shared;  // of its ranks, found when a method first needs it
  // Carries our messages; that of all ranks, once there is a tag.
  MPI_Comm private_comm = MPI_COMM_NULL;
  std::unique_ptr<int[]> ranks;  // null: `private_comm` has the same ranks; else theirs on it
  int tag = 0;                   // of our messages on `private_comm`; 0: MPI_COMM_WORLD's
  bool is_closed = false;        // there can be no tag
  bool is_dying = false;         // MPI_Comm_free was called: the library decides
  bool is_broken = false;        // a method failed: messages may be left under its tag
  bool has_sizeless = false;     // of a collective without a size that all ranks know:
  Choice sizeless;               //   its choice
  bool has_devices = false;      // as has_devices() says
  std::uint32_t asked = 0;       // how often it was called
  std::array<KnownCalls, cdt::kCollectives> known;  // none in a job that is recorded or checked
  std::unique_ptr<int[]> narrowed;                  // large counts as int (large_counts.cpp)
  std::uint64_t calls = 0;                          // counted by COLLTREE_CHECK
  Samples samples;
  ClockLine clock;
  Communicator* next = nullptr;  // among those not in use

  std::uint64_t nodes() const { return static_cast<std::uint64_t>(layout.nodes()); }
  std::uint64_t ranks_per_node() const { return static_cast<std::uint64_t>(layout.most_ranks()); }
  algorithms::Context context() const {
    return {.comm = private_comm,
            .ranks = ranks.get(),
            .nodes = &layout,
            .shared = &shared,
            .tag = tag};
  }
  // Carries our own collective calls among these ranks, once `private_comm` is set. No thread of
  // another communicator uses it so.
  MPI_Comm among_these() const { return tag == 0 ? private_comm : comm; }
};

// Once, after MPI_Init; collective, returns an MPI error code. `nodes` must outlive everything
// here; `world` is our own communicator of all ranks, on which errors return.
int begin_communicators(const Nodes* nodes, MPI_Comm world) noexcept;
// Before MPI_Finalize ends MPI: frees what hangs on MPI_COMM_WORLD.
void end_communicators() noexcept;

// The user revokes the communicator: so that ranks in our methods get the error too.
void revoke_own(MPI_Comm comm) noexcept;

inline std::uintptr_t handle_of(MPI_Comm comm) {
  std::uintptr_t handle = 0;
  std::memcpy(&handle, &comm, sizeof comm);
  return handle;
}

// The communicators seen last, by handle. Entries are never returned to the heap, so a stale one
// may be read: it says itself whose it is.
inline constexpr std::size_t kSlots = 256;
extern std::atomic<Communicator*> slots[kSlots];

inline std::atomic<Communicator*>& slot_of(std::uintptr_t handle) {
  return slots[(handle ^ handle >> 8 ^ handle >> 16) % kSlots];
}

// Null: it is not among the communicators seen last.
inline Communicator* seen_communicator(std::uintptr_t handle) {
  Communicator* on = slot_of(handle).load(std::memory_order_acquire);
  return on != nullptr && on->handle.load(std::memory_order_acquire) == handle ? on : nullptr;
}

// Null: not a communicator, or something failed; leave the call to MPI. Local. Safe with
// MPI_THREAD_MULTIPLE for different communicators at once.
Communicator* communicator_of(MPI_Comm comm) noexcept;

// Gives it a tag, under which our messages travel on the communicator of all ranks; collective at
// its first use. False: there is none, on every rank.
bool open_own(Communicator& on) noexcept;

// True if a rank has loaded the library of a device runtime (CUDA, HIP, Level Zero), so that its
// buffers may lie where this processor cannot touch them. Collective, because all ranks must choose
// the same method: they agree at the 1st, 2nd, 4th, 8th ... call until the answer is true, and it
// stays true. An MPI library that takes device buffers loads the runtime in MPI_Init, so the 1st
// call finds it; the later ones find what the program loads. Needs open_own().
bool ask_for_devices(Communicator& on) noexcept;
inline bool has_devices(Communicator& on) noexcept {
  if (on.has_devices) return true;
  const std::uint32_t before = on.asked++;
  return (on.asked & before) == 0 && ask_for_devices(on);
}

// MPI_Comm_free or MPI_Comm_disconnect, which `library` is. A collective in a callback that deletes
// an attribute finds the communicator here while MPI takes it apart.
int free_communicator(MPI_Comm* comm, int (*library)(MPI_Comm*)) noexcept;

}  // namespace colltree::runtime
