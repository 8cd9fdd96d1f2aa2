// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/messages.h"

#include <unistd.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "algorithms/types.h"

namespace colltree::runtime {

namespace {

// A bit for each tag. MPI promises 32767 of them.
constexpr int kWords = 128;
constexpr int kWordBits = 64;
constexpr int kTags = kWords * kWordBits;
using TagSet = std::array<std::uint64_t, kWords>;

std::mutex tags_mutex;
TagSet taken{};  // on this rank; under its mutex
bool may_race = false;

bool is_in(const TagSet& set, int tag) {
  return (set[static_cast<std::size_t>(tag / kWordBits)] >> tag % kWordBits & 1) != 0;
}
void flip(TagSet& set, int tag) {
  set[static_cast<std::size_t>(tag / kWordBits)] ^= std::uint64_t{1} << tag % kWordBits;
}

// The lowest that is in none at or above `from`, around the end; -1: none.
int find_free(const TagSet& set, int from) {
  for (int i = 0; i < kTags; ++i) {
    const int tag = (from + i) % kTags;
    if (tag % kWordBits == 0 && set[static_cast<std::size_t>(tag / kWordBits)] == ~std::uint64_t{0})
      i += kWordBits - 1;
    else if (!is_in(set, tag))
      return tag;
  }
  return -1;
}

std::uint64_t anywhere() {
  static std::atomic<std::uint64_t> state{0x9E3779B97F4A7C15U ^
                                          static_cast<std::uint64_t>(::getpid())};
  return (state += 0x9E3779B97F4A7C15U) * 0xBF58476D1CE4E5B9U >> 40 & (kTags - 1);
}

bool take_tag(int tag) {
  const std::lock_guard<std::mutex> lock(tags_mutex);
  if (is_in(taken, tag)) return false;
  flip(taken, tag);
  return true;
}

TagSet taken_here() {
  const std::lock_guard<std::mutex> lock(tags_mutex);
  return taken;
}

}  // namespace

int begin_tags(MPI_Comm world) noexcept {
  int level = MPI_THREAD_SINGLE;
  COLLTREE_TRY(PMPI_Query_thread(&level));
  COLLTREE_TRY(PMPI_Allreduce(MPI_IN_PLACE, &level, 1, MPI_INT, MPI_MAX, world));
  may_race = level == MPI_THREAD_MULTIPLE;
  take_tag(0);
  take_tag(kRecordTag);
  return MPI_SUCCESS;
}

bool threads_may_meet() noexcept { return may_race; }

// If another thread of any rank took the tag meanwhile, all ranks try another tag. Threads that are
// in each other's way go apart, because each try begins where rank 0 says.
int agree_on_free_tag(MPI_Comm comm, bool is_ready, int* tag) noexcept {
  constexpr int kTries = 1000;
  int rank = 0;
  COLLTREE_TRY(PMPI_Comm_rank(comm, &rank));
  for (int i = 0; i < kTries; ++i) {
    struct {
      TagSet tags;
      std::uint64_t from;
    } tried = {taken_here(), i == 0 || rank != 0 ? 0 : anywhere()};
    if (!is_ready) tried.tags.fill(~std::uint64_t{0});
    COLLTREE_TRY(PMPI_Allreduce(MPI_IN_PLACE, &tried, kWords + 1, MPI_UINT64_T, MPI_BOR, comm));
    const int found = find_free(tried.tags, static_cast<int>(tried.from));
    if (found < 0) return MPI_ERR_NO_MEM;
    int is_taken = take_tag(found) ? 1 : 0;
    const bool here = is_taken != 0;
    if (may_race) COLLTREE_TRY(PMPI_Allreduce(MPI_IN_PLACE, &is_taken, 1, MPI_INT, MPI_MIN, comm));
    if (is_taken != 0) {
      *tag = found;
      return MPI_SUCCESS;
    }
    if (here) release_tag(found);
  }
  return MPI_ERR_NO_MEM;
}

void release_tag(int tag) noexcept {
  const std::lock_guard<std::mutex> lock(tags_mutex);
  if (is_in(taken, tag)) flip(taken, tag);
}

#ifdef COLLTREE_HAS_ULFM

namespace {

void revoke_if_lost(MPI_Comm* comm, int* error, ...) {
  int error_class = MPI_SUCCESS;
  PMPI_Error_class(*error, &error_class);
  if (error_class == MPIX_ERR_PROC_FAILED || error_class == MPIX_ERR_PROC_FAILED_PENDING)
    revoke(*comm);
}

bool is_revoked(MPI_Comm comm) {
  int yes = 0;
  return PMPIX_Comm_is_revoked(comm, &yes) == MPI_SUCCESS && yes != 0;
}

bool has_lost_ranks(MPI_Comm comm) {
  MPI_Group lost = MPI_GROUP_NULL;
  int size = 0;
  if (PMPIX_Comm_get_failed(comm, &lost) != MPI_SUCCESS) return false;
  PMPI_Group_size(lost, &size);
  PMPI_Group_free(&lost);
  return size > 0;
}

}  // namespace

bool is_fault_tolerant() noexcept {
  int* is_on = nullptr;
  int found = 0;
  return PMPI_Comm_get_attr(MPI_COMM_WORLD, MPIX_FT, &is_on, &found) == MPI_SUCCESS && found != 0 &&
         *is_on != 0;
}

void revoke(MPI_Comm comm) noexcept { PMPIX_Comm_revoke(comm); }

int revoke_on_failure(MPI_Comm private_comm) noexcept {
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  COLLTREE_TRY(PMPI_Comm_create_errhandler(revoke_if_lost, &handler));
  const int rc = PMPI_Comm_set_errhandler(private_comm, handler);
  PMPI_Errhandler_free(&handler);
  return rc;
}

bool agree_in_spite_of_failures(MPI_Comm comm, bool yes) noexcept {
  int agreed = yes ? 1 : 0;
  PMPIX_Comm_agree(comm, &agreed);  // an error tells of failures; the answer is the same everywhere
  return agreed != 0;
}

int explain_failure(MPI_Comm users, MPI_Comm private_comm, int error) noexcept {
  constexpr double kPatience = 1;  // seconds
  // A row in shared memory has that error where another rank's memory is gone.
  if (error != MPI_ERR_OTHER && !is_revoked(private_comm)) return error;
  // The news of the cause may arrive here later.
  const double end = PMPI_Wtime() + kPatience;
  while (!is_revoked(users) && !has_lost_ranks(users) && PMPI_Wtime() < end) {
    int found = 0;
    PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &found, MPI_STATUS_IGNORE);
  }
  if (is_revoked(users)) return MPIX_ERR_REVOKED;
  if (!is_revoked(private_comm) && !has_lost_ranks(users)) return error;
  revoke(private_comm);  // others may wait for a message of this rank
  return MPIX_ERR_PROC_FAILED;
}

#else

bool is_fault_tolerant() noexcept { return false; }
void revoke(MPI_Comm) noexcept {}
int revoke_on_failure(MPI_Comm) noexcept { return MPI_SUCCESS; }
bool agree_in_spite_of_failures(MPI_Comm, bool yes) noexcept { return yes; }
int explain_failure(MPI_Comm, MPI_Comm, int error) noexcept { return error; }

#endif

}  // namespace colltree::runtime
