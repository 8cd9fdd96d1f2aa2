// SPDX-License-Identifier: BSD-3-Clause
// sent_messages FILE BYTES...: calls every collective of MPICH with messages of these sizes on
// all ranks and on the first 2, 3 and all but one, and writes into FILE.RANK which messages each
// call of this rank sent: what is the same ran the same algorithms.
#include <dlfcn.h>
#include <mpi.h>
#include <sched.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace {

std::string sent;

template <typename Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

// Room for every rank's block on both sides.
struct Call {
  MPI_Comm comm = MPI_COMM_NULL;
  int ranks = 0;
  int count = 0;  // doubles of one block
  std::vector<double> from;
  std::vector<double> to;
  std::vector<int> counts;
  std::vector<int> begins;
};

using Named = std::pair<const char*, std::function<int(Call&)>>;

std::vector<Named> collectives() {
  constexpr auto kType = MPI_DOUBLE;
  constexpr auto kSum = MPI_SUM;
  return {
      {"allgather",
       [](Call& c) {
         return MPI_Allgather(c.from.data(), c.count, kType, c.to.data(), c.count, kType, c.comm);
       }},
      {"allgatherv",
       [](Call& c) {
         return MPI_Allgatherv(c.from.data(), c.count, kType, c.to.data(), c.counts.data(),
                               c.begins.data(), kType, c.comm);
       }},
      {"allreduce",
       [](Call& c) {
         return MPI_Allreduce(c.from.data(), c.to.data(), c.count, kType, kSum, c.comm);
       }},
      {"alltoall",
       [](Call& c) {
         return MPI_Alltoall(c.from.data(), c.count, kType, c.to.data(), c.count, kType, c.comm);
       }},
      {"alltoallv",
       [](Call& c) {
         return MPI_Alltoallv(c.from.data(), c.counts.data(), c.begins.data(), kType, c.to.data(),
                              c.counts.data(), c.begins.data(), kType, c.comm);
       }},
      {"barrier", [](Call& c) { return MPI_Barrier(c.comm); }},
      {"bcast", [](Call& c) { return MPI_Bcast(c.from.data(), c.count, kType, 1, c.comm); }},
      {"exscan",
       [](Call& c) {
         return MPI_Exscan(c.from.data(), c.to.data(), c.count, kType, kSum, c.comm);
       }},
      {"gather",
       [](Call& c) {
         return MPI_Gather(c.from.data(), c.count, kType, c.to.data(), c.count, kType, 1, c.comm);
       }},
      {"reduce",
       [](Call& c) {
         return MPI_Reduce(c.from.data(), c.to.data(), c.count, kType, kSum, 1, c.comm);
       }},
      {"reduce_scatter",
       [](Call& c) {
         return MPI_Reduce_scatter(c.from.data(), c.to.data(), c.counts.data(), kType, kSum,
                                   c.comm);
       }},
      {"reduce_scatter_block",
       [](Call& c) {
         return MPI_Reduce_scatter_block(c.from.data(), c.to.data(), c.count, kType, kSum, c.comm);
       }},
      {"scan",
       [](Call& c) { return MPI_Scan(c.from.data(), c.to.data(), c.count, kType, kSum, c.comm); }},
      {"scatter", [](Call& c) {
         return MPI_Scatter(c.from.data(), c.count, kType, c.to.data(), c.count, kType, 1, c.comm);
       }}};
}

void call_all(MPI_Comm comm, int bytes, std::FILE* file) {
  Call call;
  call.comm = comm;
  call.count = bytes / 8;
  MPI_Comm_size(comm, &call.ranks);
  const auto room = static_cast<std::size_t>(call.ranks) * static_cast<std::size_t>(call.count);
  call.from.assign(room, 1);
  call.to.assign(room, 0);
  for (int rank = 0; rank < call.ranks; ++rank) {
    call.counts.push_back(call.count);
    call.begins.push_back(rank * call.count);
  }
  for (const Named& one : collectives()) {
    sent.clear();
    if (one.second(call) != MPI_SUCCESS) std::abort();
    std::fprintf(file, "%s %d %d:%s\n", one.first, call.ranks, bytes, sent.c_str());
  }
}

}  // namespace

// As ucp/api/ucp.h declares them.
extern "C" void* ucp_tag_send_nbx(void* endpoint, const void* buffer, std::size_t count,
                                  unsigned long tag, const void* parameters) {
  using Send = void*(void*, const void*, std::size_t, unsigned long, const void*);
  static auto* const library = next<Send>("ucp_tag_send_nbx");
  sent += " " + std::to_string(count);
  return library(endpoint, buffer, count, tag, parameters);
}

// Ranks share cores, and MPICH does not yield.
extern "C" unsigned ucp_worker_progress(void* worker) {
  using Progress = unsigned(void*);
  static auto* const library = next<Progress>("ucp_worker_progress");
  const unsigned events = library(worker);
  if (events == 0) sched_yield();
  return events;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int all = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &all);
  std::FILE* file = std::fopen((std::string(argv[1]) + "." + std::to_string(rank)).c_str(), "w");
  if (file == nullptr) return 1;
  for (const int ranks : {2, 3, all - 1, all}) {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, rank < ranks ? 0 : MPI_UNDEFINED, rank, &comm);
    if (comm == MPI_COMM_NULL) continue;
    for (int i = 2; i < argc; ++i) call_all(comm, std::atoi(argv[i]), file);
    MPI_Comm_free(&comm);
  }
  std::fclose(file);
  MPI_Finalize();
  return 0;
}
