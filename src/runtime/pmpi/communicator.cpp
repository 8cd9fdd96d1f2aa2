// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/pmpi/communicator.h"

#include <algorithm>
#include <climits>
#include <cstring>
#include <mutex>
#include <new>

#include "algorithms/private_communicator.h"
#include "algorithms/types.h"

namespace colltree {

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

bool Nodes::layout_of(MPI_Comm comm, int size, NodeLayout* layout) const noexcept {
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

namespace {

constexpr std::size_t kSlots = 256;

int keyval = MPI_KEYVAL_INVALID;
const Nodes* nodes_of_job = nullptr;

// Open MPI lets threads make communicators in an order of its own; threads that make some over
// groups that overlap wait for each other for ever, be it by MPI_Comm_dup. So where there may be
// threads we make none, and speak on that of all ranks, under a tag for each communicator.
#ifdef OPEN_MPI
constexpr bool kMakesInOrder = true;
#else
constexpr bool kMakesInOrder = false;
#endif
MPI_Comm shared = MPI_COMM_NULL;  // null: communicators are made
int tags_a_rank = 0;              // each rank has so many to give
std::atomic<int> tags_given{0};

// Those seen last, by handle. Entries are never returned to the heap, so a stale one may be read:
// it says itself whose it is.
std::atomic<Communicator*> slots[kSlots];

std::mutex mutex;
Communicator* unused = nullptr;  // under the mutex

std::uintptr_t handle_of(MPI_Comm comm) {
  std::uintptr_t handle = 0;
  std::memcpy(&handle, &comm, sizeof comm);
  return handle;
}

std::atomic<Communicator*>& slot_of(std::uintptr_t handle) {
  return slots[(handle ^ handle >> 8 ^ handle >> 16) % kSlots];
}

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

// MPI_Comm_free of the user's. The private communicator is an attribute of its own.
int forget(MPI_Comm, int, void* value, void*) {
  auto* on = static_cast<Communicator*>(value);
  on->handle.store(0, std::memory_order_relaxed);
  give_back(on);
  return MPI_SUCCESS;
}

void look_at(Communicator& on, MPI_Comm comm) {
  on.comm = comm;
  on.kind = Kind::kLeftAlone;
  on.layout.close();
  on.own = MPI_COMM_NULL;
  on.ranks.reset();
  on.tag = 0;
  on.is_closed = on.has_sizeless = false;
  on.calls = 0;
  int inter = 1;
  if (PMPI_Comm_test_inter(comm, &inter) != MPI_SUCCESS || inter != 0) return;
  PMPI_Comm_rank(comm, &on.rank);
  PMPI_Comm_size(comm, &on.size);
  if (!nodes_of_job->layout_of(comm, on.size, &on.layout)) return;
  on.kind = on.size == 1 ? Kind::kOneRank : Kind::kDecided;
}

Communicator* meet(MPI_Comm comm, std::uintptr_t handle) {
  void* value = nullptr;
  int found = 0;
  if (PMPI_Comm_get_attr(comm, keyval, &value, &found) != MPI_SUCCESS) return nullptr;
  auto* on = found != 0 ? static_cast<Communicator*>(value) : take();
  if (on == nullptr) return nullptr;
  if (found == 0) {
    look_at(*on, comm);
    if (PMPI_Comm_set_attr(comm, keyval, on) != MPI_SUCCESS) {
      give_back(on);
      return nullptr;
    }
    on->handle.store(handle, std::memory_order_release);
  }
  slot_of(handle).store(on, std::memory_order_release);
  return on;
}

// Tag 0 is MPI_COMM_WORLD's.
int share(MPI_Comm world) {
  int level = MPI_THREAD_SINGLE;
  COLLTREE_TRY(PMPI_Query_thread(&level));
  COLLTREE_TRY(PMPI_Allreduce(MPI_IN_PLACE, &level, 1, MPI_INT, MPI_MAX, world));
  if (level != MPI_THREAD_MULTIPLE) return MPI_SUCCESS;
  int* most = nullptr;
  int found = 0;
  COLLTREE_TRY(PMPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &most, &found));
  tags_a_rank = found != 0 ? *most / nodes_of_job->size() : 0;
  shared = world;
  return MPI_SUCCESS;
}

// Rank 0 gives the tag: one that no other communicator has or had. Below 0: a rank has no memory,
// or there is none left.
int agree_on_tag(Communicator& on) {
  std::unique_ptr<int[]> ranks(new (std::nothrow) int[static_cast<std::size_t>(on.size)]);
  int tag = INT_MAX;
  if (ranks == nullptr || !nodes_of_job->translate(on.comm, on.size, ranks.get())) {
    tag = -1;
  } else if (on.rank == 0) {
    const int given = tags_given < tags_a_rank ? tags_given++ : INT_MAX;
    tag = given < tags_a_rank ? ranks[0] * tags_a_rank + given + 1 : -1;
  }
  COLLTREE_TRY(PMPI_Allreduce(MPI_IN_PLACE, &tag, 1, MPI_INT, MPI_MIN, on.comm));
  if (tag < 0) return MPI_ERR_NO_MEM;
  on.tag = tag;
  on.members = {on.rank, on.size, ranks.get()};
  on.ranks = std::move(ranks);
  on.own = shared;
  return MPI_SUCCESS;
}

}  // namespace

int begin_communicators(const Nodes* nodes, MPI_Comm world) noexcept {
  nodes_of_job = nodes;
  if (kMakesInOrder) COLLTREE_TRY(share(world));
  return PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget, &keyval, nullptr);
}

void end_communicators() noexcept {
  for (MPI_Comm comm : {MPI_COMM_WORLD, MPI_COMM_SELF}) {
    void* value = nullptr;
    int found = 0;
    if (PMPI_Comm_get_attr(comm, keyval, &value, &found) == MPI_SUCCESS && found != 0)
      PMPI_Comm_delete_attr(comm, keyval);
  }
  release_private_communicator(MPI_COMM_WORLD);
  PMPI_Comm_free_keyval(&keyval);
}

Communicator* communicator_of(MPI_Comm comm) noexcept {
  const std::uintptr_t handle = handle_of(comm);
  Communicator* on = slot_of(handle).load(std::memory_order_acquire);
  if (on != nullptr && on->handle.load(std::memory_order_acquire) == handle) return on;
  return comm == MPI_COMM_NULL ? nullptr : meet(comm, handle);
}

bool open_own(Communicator& on) noexcept {
  if (on.own != MPI_COMM_NULL) return true;
  if (on.is_closed) return false;
  // A library that has no communicator left must not say so by the user's error handler.
  MPI_Errhandler users = MPI_ERRHANDLER_NULL;
  if (PMPI_Comm_get_errhandler(on.comm, &users) != MPI_SUCCESS) return false;
  PMPI_Comm_set_errhandler(on.comm, MPI_ERRORS_RETURN);
  const int rc = shared == MPI_COMM_NULL || on.comm == MPI_COMM_WORLD
                     ? private_communicator(on.comm, &on.own)
                     : agree_on_tag(on);
  on.is_closed = rc != MPI_SUCCESS;
  PMPI_Comm_set_errhandler(on.comm, users);
  PMPI_Errhandler_free(&users);
  return !on.is_closed;
}

}  // namespace colltree
