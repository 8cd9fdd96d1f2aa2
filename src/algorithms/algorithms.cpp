// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/algorithms.h"

#include "algorithms/rows.h"
#include "algorithms/types.h"

namespace colltree {

namespace {

constexpr Algorithm code(BcastFunction* function) { return {.bcast = function}; }
constexpr Algorithm code(ReduceFunction* function) { return {.reduce = function}; }
constexpr Algorithm code(AlltoallFunction* function) { return {.alltoall = function}; }

struct Table {
  Algorithm rows[64];
  std::size_t size = 0;
};

// The rows' order is that of portable_algorithms(): both come from the one .def file.
Table make_table() {
  Table table;
  const auto add = [&](Algorithm row) {
    row.info = &portable_algorithms()[table.size];
    table.rows[table.size++] = row;
  };
#define COLLTREE_ALGORITHM(collective, algorithm, ...) add(code(&rows::collective##_##algorithm));
#include "coll/portable_algorithms.def"
#undef COLLTREE_ALGORITHM
  return table;
}

const Algorithm& effective(const Algorithm& algorithm, int communicator_size, std::size_t bytes) {
  const AlgorithmInfo& info = *algorithm.info;
  if (static_cast<std::uint64_t>(communicator_size) >= info.min_communicator_size &&
      bytes >= info.min_message_size) {
    return algorithm;
  }
  return *find_algorithm(info.collective, info.fallback);
}

int measure_call(const Context& context, int count, MPI_Datatype type, int* communicator_size,
                 std::size_t* bytes) {
  COLLTREE_TRY(PMPI_Comm_size(context.comm, communicator_size));
  return message_bytes(count, type, bytes);
}

}  // namespace

const Algorithm* find_algorithm(Collective collective, std::string_view algorithm) {
  static const Table table = make_table();
  for (std::size_t i = 0; i < table.size; ++i) {
    const AlgorithmInfo& info = *table.rows[i].info;
    if (info.collective == collective && info.algorithm == algorithm) return &table.rows[i];
  }
  return nullptr;
}

int bcast(const Algorithm& algorithm, void* buffer, int count, MPI_Datatype type, int root,
          const Context& context) {
  if (algorithm.bcast == nullptr) return MPI_ERR_ARG;
  int size = 0;
  std::size_t bytes = 0;
  COLLTREE_TRY(measure_call(context, count, type, &size, &bytes));
  if (bytes == 0) return MPI_SUCCESS;
  return effective(algorithm, size, bytes).bcast(buffer, count, type, root, context);
}

int reduce(const Algorithm& algorithm, const void* send, void* receive, int count,
           MPI_Datatype type, MPI_Op op, int root, const Context& context) {
  if (algorithm.reduce == nullptr) return MPI_ERR_ARG;
  int size = 0;
  std::size_t bytes = 0;
  COLLTREE_TRY(measure_call(context, count, type, &size, &bytes));
  if (bytes == 0) return MPI_SUCCESS;
  return effective(algorithm, size, bytes).reduce(send, receive, count, type, op, root, context);
}

int alltoall(const Algorithm& algorithm, const void* send, int send_count, MPI_Datatype send_type,
             void* receive, int receive_count, MPI_Datatype receive_type, const Context& context) {
  if (algorithm.alltoall == nullptr) return MPI_ERR_ARG;
  int size = 0;
  std::size_t bytes = 0;
  COLLTREE_TRY(measure_call(context, receive_count, receive_type, &size, &bytes));
  if (bytes == 0) return MPI_SUCCESS;
  return effective(algorithm, size, bytes)
      .alltoall(send, send_count, send_type, receive, receive_count, receive_type, context);
}

}  // namespace colltree
