// SPDX-License-Identifier: BSD-3-Clause
#include "arrivals.h"

#include <vector>

#ifndef COLLTREE_SMPI
#include <chrono>
#include <new>
#include <thread>
#endif

namespace colltree::test {

#ifdef COLLTREE_SMPI  // all ranks are one process

namespace {
std::atomic<int> arrivals{0};
}

Arrivals::Arrivals(MPI_Comm) : count_(&arrivals) {}
Arrivals::~Arrivals() = default;

// Simulated time passes with messages only.
void Arrivals::dawdle() const {
  std::vector<char> from(1 << 20);
  std::vector<char> to(1 << 20);
  MPI_Sendrecv(from.data(), 1 << 20, MPI_CHAR, 0, 0, to.data(), 1 << 20, MPI_CHAR, 0, 0,
               MPI_COMM_SELF, MPI_STATUS_IGNORE);
}

#else

Arrivals::Arrivals(MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  void* own = nullptr;
  MPI_Win_allocate_shared(rank == 0 ? sizeof(*count_) : 0, 1, MPI_INFO_NULL, comm, &own, &window_);
  MPI_Aint size = 0;
  int unit = 0;
  void* shared = nullptr;
  MPI_Win_shared_query(window_, 0, &size, &unit, &shared);
  if (rank == 0) new (shared) std::atomic<int>(0);
  count_ = static_cast<std::atomic<int>*>(shared);
  MPI_Barrier(comm);
}

Arrivals::~Arrivals() { MPI_Win_free(&window_); }

void Arrivals::dawdle() const { std::this_thread::sleep_for(std::chrono::milliseconds(2)); }

#endif

}  // namespace colltree::test
