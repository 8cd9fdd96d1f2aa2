// SPDX-License-Identifier: BSD-3-Clause
// Counts, in memory that all ranks see, how often ranks have come to a point. One node only.
#pragma once

#include <mpi.h>

#include <atomic>
#include <chrono>
#include <new>
#include <thread>
#include <vector>

namespace colltree::test {

#ifdef COLLTREE_SMPI  // all ranks are one process

class Arrivals {
 public:
  explicit Arrivals(MPI_Comm) {}

  void come() { ++count_; }
  int count() const { return count_; }
  // Simulated time passes with messages only.
  void dawdle() const {
    std::vector<char> from(1 << 20);
    std::vector<char> to(1 << 20);
    MPI_Sendrecv(from.data(), 1 << 20, MPI_CHAR, 0, 0, to.data(), 1 << 20, MPI_CHAR, 0, 0,
                 MPI_COMM_SELF, MPI_STATUS_IGNORE);
  }

 private:
  static inline std::atomic<int> count_{0};
};

#else

class Arrivals {
 public:
  explicit Arrivals(MPI_Comm comm) {  // collective
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    void* own = nullptr;
    MPI_Win_allocate_shared(rank == 0 ? sizeof(*count_) : 0, 1, MPI_INFO_NULL, comm, &own,
                            &window_);
    MPI_Aint size = 0;
    int unit = 0;
    void* shared = nullptr;
    MPI_Win_shared_query(window_, 0, &size, &unit, &shared);
    if (rank == 0) new (shared) std::atomic<int>(0);
    count_ = static_cast<std::atomic<int>*>(shared);
    MPI_Barrier(comm);
  }
  ~Arrivals() { MPI_Win_free(&window_); }  // collective
  Arrivals(const Arrivals&) = delete;
  Arrivals& operator=(const Arrivals&) = delete;

  void come() { ++*count_; }
  int count() const { return *count_; }
  // Long enough for the others to pass what does not hold them.
  void dawdle() const { std::this_thread::sleep_for(std::chrono::milliseconds(2)); }

 private:
  std::atomic<int>* count_ = nullptr;
  MPI_Win window_ = MPI_WIN_NULL;
};

#endif

}  // namespace colltree::test
