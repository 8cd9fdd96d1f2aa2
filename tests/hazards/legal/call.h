// SPDX-License-Identifier: BSD-3-Clause
// One legal call of a collective: what the ranks agree on, what each rank chooses for itself, and
// what must be in its memory afterwards.
#pragma once

#include <string_view>
#include <vector>

#include "types.h"

namespace legal {

struct Call {
  MPI_Comm comm;
  int rank;
  int size;
  unsigned features;
  Random shared;  // the same on all ranks of the communicator
  Random own;

  bool may(unsigned feature) const { return (features & feature) != 0; }
};

// Each makes its call and says whether this rank's memory is right.
struct CollectiveCase {
  std::string_view name;
  bool (*run)(Call& call);
  unsigned features;  // those that make sense for it
};
const std::vector<CollectiveCase>& collective_cases();

bool run_bcast(Call& call);
bool run_gather(Call& call);
bool run_gatherv(Call& call);
bool run_scatter(Call& call);
bool run_scatterv(Call& call);
bool run_allgather(Call& call);
bool run_allgatherv(Call& call);
bool run_alltoall(Call& call);
bool run_alltoallv(Call& call);
bool run_reduce(Call& call);
bool run_allreduce(Call& call);
bool run_scan(Call& call);
bool run_exscan(Call& call);
bool run_reduce_scatter(Call& call);
bool run_reduce_scatter_block(Call& call);
bool run_barrier(Call& call);

// For barrier: a file of counters that all processes see.
void open_counters(const char* path);

// Arguments that the call ignores: anything.
struct Ignored {
  void* buffer;
  int count;
  MPI_Datatype type;
  const int* list;  // of counts or displacements
};
Ignored ignored(Call& call);

// How many elements; a multiple of a small number, so that there are many descriptions.
int random_count(Call& call, int most);
// The same for each of several blocks.
std::vector<int> random_counts(Call& call, int blocks, int most);

// What `from` has for `to`: the same bytes on all ranks.
Bytes data_of(std::uint64_t key, int from, int to, std::size_t bytes);

}  // namespace legal
