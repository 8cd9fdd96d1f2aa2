// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/communicator.h"

#include <link.h>

#include <algorithm>
#include <mutex>
#include <new>
#include <string_view>

#include "algorithms/private_communicator.h"
#include "algorithms/types.h"
#include "runtime/messages.h"

namespace colltree::runtime {

namespace {

// The lowest rank on this rank's node.
int node_leader(MPI_Comm world, int rank, int* leader) {
  MPI_Comm node = MPI_COMM_NULL;
  COLLTREE_TRY(PMPI_Comm_split_type(world, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node));
  *leader = rank;
  const int rc = PMPI_Bcast(leader, 1, MPI_INT, 0, node);
  PMPI_Comm_free(&node);
  return rc;
}

}  // namespace

Nodes::~Nodes() {
  if (world_ != MPI_GROUP_NULL) PMPI_Group_free(&world_);
}

int Nodes::find(MPI_Comm world) noexcept {
  int rank = 0;
  int leader = 0;
  COLLTREE_TRY(PMPI_Comm_rank(world, &rank));
  COLLTREE_TRY(PMPI_Comm_size(world, &size_));
  COLLTREE_TRY(PMPI_Comm_group(world, &world_));
  COLLTREE_TRY(node_leader(world, rank, &leader));
  node_of_.reset(new (std::nothrow) int[static_cast<std::size_t>(size_)]);
  if (node_of_ == nullptr) return MPI_ERR_NO_MEM;
  return PMPI_Allgather(&leader, 1, MPI_INT, node_of_.get(), 1, MPI_INT, world);
}

bool Nodes::layout_of(MPI_Comm comm, int size, algorithms::NodeLayout* layout) const noexcept {
  const std::unique_ptr<int[]> ranks(new (std::nothrow) int[static_cast<std::size_t>(size)]);
  if (ranks == nullptr || !translate(comm, size, ranks.get())) return false;
  for (int i = 0; i < size; ++i) ranks[i] = node_of_[ranks[i]];
  return layout->open(ranks.get(), size);
}

bool Nodes::translate(MPI_Comm comm, int size, int* ranks) const noexcept {
  const std::unique_ptr<int[]> own(new (std::nothrow) int[static_cast<std::size_t>(size)]);
  if (own == nullptr) return false;
  for (int i = 0; i < size; ++i) own[i] = i;
  MPI_Group group = MPI_GROUP_NULL;
  if (PMPI_Comm_group(comm, &group) != MPI_SUCCESS) return false;
  const int rc = PMPI_Group_translate_ranks(group, size, own.get(), world_, ranks);
  PMPI_Group_free(&group);
  return rc == MPI_SUCCESS && std::find(ranks, ranks + size, MPI_UNDEFINED) == ranks + size;
}

std::atomic<Communicator*> slots[kSlots];

namespace {

int keyval = MPI_KEYVAL_INVALID;
const Nodes* nodes_of_job = nullptr;
MPI_Comm world = MPI_COMM_NULL;
bool may_be_revoked = false;

std::mutex mutex;
Communicator* unused = nullptr;  // under the mutex

// A communicator that this thread is freeing. MPI calls the user's callbacks meanwhile, in any
// order; what they set on it may stay behind for the next communicator with its handle.
struct Dying {
  std::uintptr_t handle = 0;
  Communicator* on = nullptr;  // null: not met yet
  bool is_ours = false;        // `on` is no attribute (any more)
  Dying* outer = nullptr;      // a callback may free others
};
thread_local Dying* innermost = nullptr;

Communicator* take() {
  const std::lock_guard<std::mutex> lock(mutex);
  if (unused == nullptr) return new (std::nothrow) Communicator;
  Communicator* taken = unused;
  unused = taken->next;
  return taken;
}

void give_back(Communicator* on) {
  const std::lock_guard<std::mutex> lock(mutex);
  on->next = unused;
  unused = on;
}

template <typename Is>
Dying* find_dying(Is is) {
  Dying* dying = innermost;
  while (dying != nullptr && !is(*dying)) dying = dying->outer;
  return dying;
}

// MPI deletes the user's communicator.
int forget(MPI_Comm, int, void* value, void*) {
  auto* on = static_cast<Communicator*>(value);
  on->handle.store(0, std::memory_order_relaxed);
  on->shared.close();
  if (on->tag != 0 && !on->is_broken) release_tag(on->tag);
  if (Dying* dying = find_dying([&](const Dying& candidate) { return candidate.on == on; }))
    dying->is_ours = true;
  else
    give_back(on);
  return MPI_SUCCESS;
}

void describe(Communicator& on, MPI_Comm comm) {
  on.comm = comm;
  on.kind = Kind::kLeftAlone;
  on.layout.close();
  on.shared.allow_others(!threads_may_meet() && !may_be_revoked);
  on.private_comm = MPI_COMM_NULL;
  on.ranks.reset();
  on.tag = 0;
  on.is_closed = on.is_dying = on.is_broken = on.has_sizeless = on.has_devices = false;
  on.asked = 0;
  on.known = {};
  on.narrowed.reset();
  on.calls = 0;
  on.samples = {};
  on.clock = {};
  int inter = 1;
  if (PMPI_Comm_test_inter(comm, &inter) != MPI_SUCCESS || inter != 0) return;
  PMPI_Comm_rank(comm, &on.rank);
  PMPI_Comm_size(comm, &on.size);
  if (!nodes_of_job->layout_of(comm, on.size, &on.layout)) return;
  on.kind = on.size == 1 ? Kind::kOneRank : Kind::kDecided;
}

// A bad handle must be refused by MPI in the user's own call, by the user's handler, once. Under
// MPICH a handle says by some of its bits that it is a communicator's, and an error in this
// function is one of its first argument; Open MPI looks at no handle before it follows it as a
// pointer.
bool is_communicator(MPI_Comm comm) {
#ifdef MPICH
  constexpr int kType = 0x3C000000;
  constexpr int kStored = static_cast<int>(0xC0000000);
  int same = MPI_UNEQUAL;
  return (comm & kType) == (MPI_COMM_WORLD & kType) && (comm & kStored) != 0 &&
         PMPI_Comm_compare(world, comm, &same) == MPI_SUCCESS;
#else
  return comm != MPI_COMM_NULL;
#endif
}

// False: MPI refuses it. Null: not met yet.
bool find_met(MPI_Comm comm, Communicator** on) {
  void* value = nullptr;
  int found = 0;
  if (!is_communicator(comm) || PMPI_Comm_get_attr(comm, keyval, &value, &found) != MPI_SUCCESS)
    return false;
  *on = found != 0 ? static_cast<Communicator*>(value) : nullptr;
  return true;
}

Communicator* meet(MPI_Comm comm, std::uintptr_t handle) {
  Communicator* on = nullptr;
  if (!find_met(comm, &on)) return nullptr;
  if (on == nullptr) {
    on = take();
    if (on == nullptr) return nullptr;
    describe(*on, comm);
    if (PMPI_Comm_set_attr(comm, keyval, on) != MPI_SUCCESS) {
      give_back(on);
      return nullptr;
    }
  }
  if (on->is_dying) return on;
  on->handle.store(handle, std::memory_order_release);
  slot_of(handle).store(on, std::memory_order_release);
  return on;
}

Communicator* meet_dying(Dying& dying, MPI_Comm comm) {
  if (dying.on != nullptr || (dying.on = take()) == nullptr) return dying.on;
  dying.is_ours = true;
  describe(*dying.on, comm);
  dying.on->is_dying = true;
  return dying.on;
}

int agree_on_tag(Communicator& on) {
  const auto size = static_cast<std::size_t>(on.size);
  std::unique_ptr<int[]> ranks(new (std::nothrow) int[size]);
  const bool is_ready = ranks != nullptr && nodes_of_job->translate(on.comm, on.size, ranks.get());
  COLLTREE_TRY(agree_on_free_tag(on.comm, is_ready, &on.tag));
  int i = 0;
  while (i < on.size && ranks[i] == i) ++i;
  if (i == on.size && on.size == nodes_of_job->size()) return MPI_SUCCESS;
  on.ranks = std::move(ranks);
  return MPI_SUCCESS;
}

int find_own(Communicator& on) {
  if (!may_be_revoked || on.comm == MPI_COMM_WORLD) {
    if (on.comm != MPI_COMM_WORLD) COLLTREE_TRY(agree_on_tag(on));
    on.private_comm = world;
    return MPI_SUCCESS;
  }
  const bool is_made = algorithms::private_communicator(on.comm, &on.private_comm) == MPI_SUCCESS &&
                       revoke_on_failure(on.private_comm) == MPI_SUCCESS;
  if (agree_in_spite_of_failures(on.comm, is_made)) return MPI_SUCCESS;
  on.private_comm = MPI_COMM_NULL;  // if it exists, it is freed with the user's
  return MPI_ERR_OTHER;
}

// Loaded by this process, in whatever version.
bool has_device_runtime() {
  const auto is_runtime = [](dl_phdr_info* info, std::size_t, void*) {
    const std::string_view path = info->dlpi_name;
    const std::string_view file = path.substr(path.rfind('/') + 1);
    return file.starts_with("libcuda.so") || file.starts_with("libamdhip64.so") ||
                   file.starts_with("libze_loader.so")
               ? 1
               : 0;
  };
  return ::dl_iterate_phdr(is_runtime, nullptr) != 0;
}

}  // namespace

void revoke_own(MPI_Comm comm) noexcept {
  if (!may_be_revoked) return;
  const Communicator* on = communicator_of(comm);
  // All ranks have had that of MPI_COMM_WORLD since MPI_Init: others may wait there when this rank
  // has not used it yet.
  const MPI_Comm private_comm = comm == MPI_COMM_WORLD ? world
                                : on == nullptr        ? MPI_COMM_NULL
                                                       : on->private_comm;
  if (private_comm != MPI_COMM_NULL) revoke(private_comm);
}

int begin_communicators(const Nodes* nodes, MPI_Comm job_comm) noexcept {
  nodes_of_job = nodes;
  world = job_comm;
  may_be_revoked = is_fault_tolerant();
  if (may_be_revoked) COLLTREE_TRY(revoke_on_failure(world));
  COLLTREE_TRY(begin_tags(world));
  return PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget, &keyval, nullptr);
}

void end_communicators() noexcept {
  void* value = nullptr;
  int found = 0;
  if (PMPI_Comm_get_attr(MPI_COMM_WORLD, keyval, &value, &found) == MPI_SUCCESS && found != 0)
    PMPI_Comm_delete_attr(MPI_COMM_WORLD, keyval);
  PMPI_Comm_free_keyval(&keyval);
}

Communicator* communicator_of(MPI_Comm comm) noexcept {
  const std::uintptr_t handle = handle_of(comm);
  if (Communicator* on = seen_communicator(handle)) return on;
  if (Dying* dying = find_dying([&](const Dying& candidate) { return candidate.handle == handle; }))
    return meet_dying(*dying, comm);
  return comm == MPI_COMM_NULL ? nullptr : meet(comm, handle);
}

bool open_own(Communicator& on) noexcept {
  if (on.private_comm != MPI_COMM_NULL && !on.is_dying) return true;
  if (on.is_closed || on.is_dying) return false;
  // An error in here must not reach the user's error handler.
  MPI_Errhandler users = MPI_ERRHANDLER_NULL;
  if (PMPI_Comm_get_errhandler(on.comm, &users) != MPI_SUCCESS) return false;
  PMPI_Comm_set_errhandler(on.comm, MPI_ERRORS_RETURN);
  on.is_closed = find_own(on) != MPI_SUCCESS;
  PMPI_Comm_set_errhandler(on.comm, users);
  PMPI_Errhandler_free(&users);
  return !on.is_closed;
}

bool ask_for_devices(Communicator& on) noexcept {
  int found = has_device_runtime() ? 1 : 0;
  if (PMPI_Allreduce(MPI_IN_PLACE, &found, 1, MPI_INT, MPI_MAX, on.among_these()) == MPI_SUCCESS)
    on.has_devices = found != 0;
  return on.has_devices;
}

int free_communicator(MPI_Comm* comm, int (*library)(MPI_Comm*)) noexcept {
  Dying dying{.outer = innermost};
  if (comm == nullptr || !find_met(*comm, &dying.on)) return library(comm);
  dying.handle = handle_of(*comm);
  if (dying.on != nullptr) {
    dying.on->is_dying = true;
    dying.on->handle.store(0, std::memory_order_relaxed);
  }
  innermost = &dying;
  const int rc = library(comm);
  innermost = dying.outer;
  if (dying.on == nullptr) return rc;
  if (dying.is_ours)
    give_back(dying.on);
  else if (rc != MPI_SUCCESS)  // it lives on
    dying.on->is_dying = false;
  return rc;
}

}  // namespace colltree::runtime
