// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/shared_memory.h"

#include <unistd.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <new>

#include "algorithms/subgroup.h"
#include "algorithms/transfer.h"
#include "algorithms/types.h"

namespace colltree::algorithms {

struct SharedGroup : NotCopied {
  SharedMapping mapping;
  SharedArena arena;
  StepCount count;
  NodeLayout domains;  // found when a tree first needs them
  std::uint64_t id = 0;
  int users = 0;
  int size = 0;
  std::unique_ptr<int[]> ranks;  // of MPI_COMM_WORLD; null: it is of one communicator alone
  SharedGroup* next = nullptr;
};

namespace {

// More groups of a process go by messages.
constexpr int kMostGroups = 64;

std::mutex groups_mutex;
SharedGroup* groups = nullptr;  // under the mutex, as users and next
int group_count = 0;

// Rank 0 and the others tell each other this.
struct Word {
  std::uint64_t id;  // 0: none
  std::int64_t process;
  std::int64_t file;
};

int tell(Word word, int to, const Context& context) {
  return send(&word, sizeof word, MPI_BYTE, to, context);
}
int hear(Word* word, int from, const Context& context) {
  return receive_whole(word, sizeof *word, MPI_BYTE, from, context);
}

bool is_of(const SharedGroup& group, const Context& context) {
  if (group.ranks == nullptr || group.size != context.size) return false;
  for (int i = 0; i < group.size; ++i) {
    if (group.ranks[i] != peer(i, context)) return false;
  }
  return true;
}

// The youngest of these ranks.
SharedGroup* use_group(const Context& context) {
  const std::lock_guard<std::mutex> lock(groups_mutex);
  SharedGroup* group = groups;
  while (group != nullptr && !is_of(*group, context)) group = group->next;
  if (group != nullptr) ++group->users;
  return group;
}

void leave_group(SharedGroup* group) {
  const std::lock_guard<std::mutex> lock(groups_mutex);
  if (--group->users > 0) return;
  SharedGroup** link = &groups;
  while (*link != group) link = &(*link)->next;
  *link = group->next;
  --group_count;
  delete group;
}

// Null: there are too many, or no memory.
SharedGroup* new_group(const Context& context, bool is_shared) {
  const auto size = static_cast<std::size_t>(context.size);
  std::unique_ptr<SharedGroup> group(new (std::nothrow) SharedGroup);
  if (group == nullptr || context.size > kMostSharedRanks) return nullptr;
  if (is_shared) group->ranks.reset(new (std::nothrow) int[size]);
  if (is_shared && group->ranks == nullptr) return nullptr;
  for (int i = 0; is_shared && i < context.size; ++i) group->ranks[i] = peer(i, context);
  group->size = context.size;
  group->users = 1;
  const std::lock_guard<std::mutex> lock(groups_mutex);
  if (group_count == kMostGroups) return nullptr;
  ++group_count;
  group->next = groups;
  return groups = group.release();
}

// No other arena that this process has made, or another process of the node that lives, has it.
std::uint64_t new_id() {
  static std::atomic<std::uint32_t> count{0};
  return static_cast<std::uint64_t>(::getpid()) << 32 | ++count;
}

// Rank 0 hears what each rank has, and answers with what all shall have.
class Agreement {
 public:
  Agreement(const Context& context, bool is_shared) : context_(context), is_shared_(is_shared) {}

  int run(SharedGroup** agreed) {
    if (is_shared_) group_ = use_group(context_);
    const int rc = context_.rank == 0 ? lead() : follow();
    if (group_ != nullptr && (rc != MPI_SUCCESS || !agreed_)) drop();
    *agreed = group_;
    return rc;
  }

 private:
  void drop() {
    leave_group(group_);
    group_ = nullptr;
  }
  std::uint64_t id() const { return group_ == nullptr ? 0 : group_->id; }
  SharedArena& arena() { return group_->arena; }
  int tell_all(const Word& word) {
    for (int i = 1; i < context_.size; ++i) COLLTREE_TRY(tell(word, i, context_));
    return MPI_SUCCESS;
  }
  // `same`: all others say this.
  int hear_all(std::uint64_t expected, bool* same) {
    *same = true;
    for (int i = 1; i < context_.size; ++i) {
      Word word{};
      COLLTREE_TRY(hear(&word, i, context_));
      *same = *same && word.id == expected;
    }
    return MPI_SUCCESS;
  }

  void make() {
    if (group_ != nullptr) drop();
    group_ = new_group(context_, is_shared_);
    if (group_ == nullptr) return;
    if (!group_->mapping.make(SharedArena::bytes(context_.size))) return drop();
    group_->id = new_id();
    arena() = SharedArena(group_->mapping.memory(), context_.size, 0);
    arena().begin(group_->id);
    arena().tell();
  }

  int lead() {
    bool all_have = false;
    COLLTREE_TRY(hear_all(id(), &all_have));
    agreed_ = all_have && id() != 0;
    if (agreed_) return tell_all({id(), 0, -1});
    make();
    COLLTREE_TRY(tell_all({id(), ::getpid(), group_ == nullptr ? -1 : group_->mapping.file()}));
    if (group_ == nullptr) return MPI_SUCCESS;
    COLLTREE_TRY(hear_all(id(), &agreed_));
    group_->mapping.close_file();
    if (agreed_) arena().try_pull(context_.size - 1);
    return tell_all({agreed_ ? id() : 0, 0, -1});
  }

  void take(const Word& offered) {
    if (group_ != nullptr) drop();
    group_ = new_group(context_, is_shared_);
    if (group_ == nullptr) return;
    if (!group_->mapping.take(static_cast<pid_t>(offered.process), static_cast<int>(offered.file),
                              SharedArena::bytes(context_.size)))
      return drop();
    group_->id = offered.id;
    arena() = SharedArena(group_->mapping.memory(), context_.size, context_.rank);
    // That number means another process's file where the processes of a node are numbered twice.
    if (arena().id() != offered.id) return drop();
    arena().tell();
    arena().try_pull(0);
  }

  int follow() {
    COLLTREE_TRY(tell({id(), 0, -1}, 0, context_));
    Word word{};
    COLLTREE_TRY(hear(&word, 0, context_));
    agreed_ = word.id != 0 && word.file < 0;
    if (agreed_ || word.id == 0) return MPI_SUCCESS;
    take(word);
    COLLTREE_TRY(tell({id(), 0, -1}, 0, context_));
    COLLTREE_TRY(hear(&word, 0, context_));
    agreed_ = word.id != 0;
    return MPI_SUCCESS;
  }

  const Context& context_;
  bool is_shared_;
  bool agreed_ = false;
  SharedGroup* group_ = nullptr;
};

}  // namespace

bool SharedMemory::open(const Context& context, const CallFacts& facts) noexcept {
  if (is_asked_) return group_ != nullptr;
  Context call = context;
  call.rank = facts.rank;
  call.size = facts.size;
  is_asked_ = true;
  if (Agreement(call, is_shared_).run(&group_) != MPI_SUCCESS && group_ != nullptr) close();
  if (group_ == nullptr) return false;
  arena_ = &group_->arena;
  count_ = &group_->count;
  return true;
}

SharedMemory* SharedMemory::open_node(const Context& context, const CallFacts& facts) noexcept {
  if (is_node_asked_) return node_.get();
  Context call = context;
  call.rank = facts.rank;
  call.size = facts.size;
  is_node_asked_ = true;
  const NodePlace place(call);
  Subgroup ranks;
  node_.reset(new (std::nothrow) SharedMemory);
  int has = node_ != nullptr && place.open_node(ranks, call) == MPI_SUCCESS;
  if (has != 0 && ranks.size() > 1) {
    node_->is_shared_ = is_shared_;
    has = node_->open(ranks.context(), {ranks.rank(), ranks.size()});
  }
  int all_have = 0;
  const int rc =
      allreduce_recursive_doubling(allreduce_call(&has, &all_have, 1, MPI_INT, MPI_MIN), call);
  if (rc != MPI_SUCCESS || all_have == 0) node_.reset();
  return node_.get();
}

void SharedMemory::close() {
  node_.reset();
  is_node_asked_ = false;
  if (group_ != nullptr) leave_group(group_);
  group_ = nullptr;
  is_asked_ = false;
}

const NodeLayout* SharedMemory::domains() const {
  NodeLayout& domains = group_->domains;
  if (domains.nodes() > 0) return &domains;
  int domain_of[kMostSharedRanks];
  group_->arena.find_domains(domain_of);
  return domains.open(domain_of, group_->size) ? &domains : nullptr;
}

}  // namespace colltree::algorithms
