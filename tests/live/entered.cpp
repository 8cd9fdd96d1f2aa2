// SPDX-License-Identifier: BSD-3-Clause
// entered CALLS [NAME=VALUE...]: an MPI program that makes each call of the file CALLS, lines such
// as "bcast 3 65536", on as many ranks, and prints it with the functions of Intel MPI's algorithms
// that rank 0 enters. NAME=VALUE is set before MPI_Init, since any launcher hands over arguments.
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include "algorithms/collective_call.h"
#include "base/text.h"
#include "coll/collective.h"
#include "entered_functions.h"
#include "rank/cell_buffers.h"

namespace colltree::test {

namespace {

// Blocking algorithms, and the steps through shared memory of which others are made.
bool is_algorithm(std::string_view function) {
  const auto has = [&](std::string_view part) { return function.find(part) != function.npos; };
  for (const char* part : {"_auto", "_check", "_nbc_", "_sched", "MPIDI_GPU_", "MPIR_I"})
    if (has(part)) return false;
  return has("_intra_") || has("_allcomm_") || has("_SHMGR_Gather") || has("_SHMGR_Release");
}

MPI_Comm first_ranks(std::uint64_t ranks, int world_rank) {
  MPI_Comm comm = MPI_COMM_NULL;
  const bool member = static_cast<std::uint64_t>(world_rank) < ranks;
  MPI_Comm_split(MPI_COMM_WORLD, member ? 0 : MPI_UNDEFINED, world_rank, &comm);
  return comm;
}

std::string entered_in(const Instance& instance, MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  const rank::CellShape shape = rank::cell_shape(instance, rank, false);
  const rank::CellBuffers buffers(shape, 1);
  const auto call =
      algorithms::make_call(shape.layout, buffers.send(0), buffers.receive(0), MPI_BXOR);
  start_watching();
  algorithms::call_as_program(call, comm);
  return join(stop_watching(), "+");
}

void make_calls(const char* file) {
  int world_rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  watch_functions(reinterpret_cast<void*>(&PMPI_Get_version), is_algorithm);
  std::ifstream calls(file);
  std::string collective;
  Instance instance;
  while (calls >> collective >> instance.communicator_size >> instance.message_size) {
    instance.collective = parse_collective(collective);
    MPI_Comm comm = first_ranks(instance.communicator_size, world_rank);
    if (comm == MPI_COMM_NULL) continue;
    const std::string entered = entered_in(instance, comm);
    if (world_rank == 0)
      std::printf("%s %ju %ju %s\n", collective.c_str(),
                  static_cast<std::uintmax_t>(instance.communicator_size),
                  static_cast<std::uintmax_t>(instance.message_size), entered.c_str());
    MPI_Comm_free(&comm);
  }
}

}  // namespace

}  // namespace colltree::test

int main(int argc, char** argv) {
  for (int i = 2; i < argc; ++i) ::putenv(argv[i]);
  MPI_Init(nullptr, nullptr);
  colltree::test::make_calls(argv[1]);
  MPI_Finalize();
}
